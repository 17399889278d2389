"""The house in counts of its tree: how long analytics and its templates are, which tables are
written by hand, which class names stand twice, which lines of templates are too long."""

import ast
import re
from collections import defaultdict
from collections.abc import Collection, Iterator
from pathlib import Path

from bench.figures import BenchFigure

NEEDS_DATABASE = False
ROOT = Path(__file__).resolve().parent.parent
TEMPLATES = ROOT / "templates"
APPS = ("accounts", "analytics", "annotation", "bench", "config", "judging")
MOST = 160  # characters of a line
# What the framework looks for under these names.
OF_DJANGO = {"Command", "Meta", "Migration"}
# They render any table: as a page, in the file that a report is, and on pages of allauth.
RENDER_ANY_TABLE = {
    "analytics/_table.html",
    "analytics/report_file.html",
    "allauth/elements/table.html",
}


def run() -> Iterator[BenchFigure]:
    code = [path for path in python_of("analytics") if "migrations" not in path.parts]
    yield BenchFigure("non-blank lines of analytics", f"{sum(map(_lines, code)):,}")
    for room, lines in sorted(_by_room(code).items(), key=lambda one: -one[1]):
        yield BenchFigure(f"  {room}", f"{lines:,}")
    pages = sorted((TEMPLATES / "analytics").rglob("*.html"))
    yield BenchFigure(
        "templates of analytics",
        f"{sum(page.stat().st_size for page in pages):,} bytes in {len(pages)} files",
    )
    by_hand = tables_by_hand()
    yield BenchFigure("tables by hand", f"{sum(by_hand.values())} in {_listed(by_hand)}")
    yield BenchFigure("class names used twice", _listed(names_used_twice()))
    yield BenchFigure(f"template lines over {MOST} characters", _listed(long_lines()))


def python_of(app: str) -> list[Path]:
    return sorted((ROOT / app).rglob("*.py"))


def tables_by_hand() -> dict[str, int]:
    """{template that says columns itself, instead of being given a table: how many tables}."""
    named = {
        page.relative_to(TEMPLATES).as_posix(): page.read_text(encoding="utf-8")
        for page in sorted(TEMPLATES.rglob("*.html"))
    }
    return {
        name: count
        for name, text in named.items()
        if name not in RENDER_ANY_TABLE and (count := len(re.findall(r"<table\b", text)))
    }


def class_names() -> dict[str, list[str]]:
    """{name of a class: the files that define it}."""
    places = defaultdict(list)
    for path in (path for app in APPS for path in python_of(app)):
        if "migrations" in path.parts:
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef) and node.name not in OF_DJANGO:
                places[node.name].append(path.relative_to(ROOT).as_posix())
    return places


def names_used_twice() -> dict[str, list[str]]:
    return {name: found for name, found in class_names().items() if len(found) > 1}


def long_lines() -> list[str]:
    return [
        f"{page.relative_to(TEMPLATES)}:{number}"
        for page in sorted(TEMPLATES.rglob("*.html"))
        for number, line in enumerate(page.read_text(encoding="utf-8").splitlines(), start=1)
        if len(line) > MOST
    ]


def _by_room(code: list[Path]) -> dict[str, int]:
    lines: dict[str, int] = defaultdict(int)
    for path in code:
        inside = path.relative_to(ROOT / "analytics").parts
        lines[inside[0] if len(inside) > 1 else "(itself)"] += _lines(path)
    return lines


def _lines(path: Path) -> int:
    return sum(1 for line in path.read_text(encoding="utf-8").splitlines() if line.strip())


def _listed(names: Collection[str]) -> str:
    return f"{len(names)}{': ' if names else ''}{', '.join(sorted(names))}"
