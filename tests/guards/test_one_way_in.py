"""Nobody but annotation/actions/recording.py writes answers."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

HOUSE = Path(__file__).resolve().parent.parent.parent
APPS = ("accounts", "annotation", "judging", "analytics", "config")
WAY_IN = HOUSE / "annotation" / "actions" / "recording.py"
ROWS = {"Submission", "Rating"}
RELATED = {"submissions", "ratings", "superseded_by"}
WRITES = re.compile(r"^(a?(bulk_)?(create|update|delete)|a?(get|update)_or_create|_raw_delete)$")
STATEMENT = re.compile(
    r"\b(INSERT\s+INTO|UPDATE|DELETE\s+FROM|COPY|TRUNCATE|MERGE\s+INTO)\s+(ONLY\s+)?\"?"
    r"annotation_(submission|rating)\b",
    re.IGNORECASE,
)


def modules() -> Iterator[Path]:
    for app in APPS:
        for file in sorted((HOUSE / app).rglob("*.py")):
            if "migrations" not in file.parts:
                yield file


def writes(tree: ast.Module) -> list[int]:
    """The lines that write a submission or a rating, or make one to be written."""
    imported = {
        name.asname or name.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("annotation.models")
        for name in node.names
        if name.name in ROWS
    }
    return sorted({node.lineno for node in ast.walk(tree) if _writes(node, imported)})


def _writes(node: ast.AST, rows: set[str]) -> bool:
    match node:
        case ast.Constant(value=str(text)):
            return bool(STATEMENT.search(text))
        case ast.Call(func=ast.Name(id=name), args=args):
            given = {one.id for one in args if isinstance(one, ast.Name)}
            return name in rows or (name.startswith("copy") and bool(given & rows))
        case ast.Call(func=ast.Attribute(value=value, attr=name)) if WRITES.match(name):
            return any(_is_of_rows(part, rows) for part in _chain(value))
        case ast.Attribute(attr="is_current", ctx=ast.Store()):
            return True
    return False


def _is_of_rows(node: ast.AST, rows: set[str]) -> bool:
    if isinstance(node, ast.Name):
        return node.id in rows
    return isinstance(node, ast.Attribute) and node.attr in RELATED


def _chain(node: ast.AST) -> Iterator[ast.AST]:
    """`Rating`, `Rating.objects`, `Rating.objects.filter(…)`: what a call hangs on."""
    while isinstance(node, ast.Attribute | ast.Call):
        yield node
        node = node.func if isinstance(node, ast.Call) else node.value
    yield node


def test_nobody_else_writes_answers():
    others = {
        f"{file.relative_to(HOUSE)}:{line}"
        for file in modules()
        if file != WAY_IN
        for line in writes(ast.parse(file.read_text(encoding="utf-8")))
    }
    assert not others, "Store answers through a change of annotation/actions/recording.py."


def test_the_way_in_is_seen_to_write():
    """In statements, in rows and in copies."""
    assert len(writes(ast.parse(WAY_IN.read_text(encoding="utf-8")))) >= 6


def test_ways_round_it_are_seen():
    ways = """
from annotation.models import Rating, Submission
Rating.objects.bulk_create([])
Submission.objects.filter(pk=1).update(is_current=False)
Submission(key=1).save()
copy_in(Rating, [], [])
round.submissions.all().delete()
old.is_current = False
cursor.execute("INSERT INTO annotation_rating VALUES (1)")
"""
    assert writes(ast.parse(ways)) == list(range(3, 10))
