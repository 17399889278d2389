"""One word for one thing: a class name is used once, or there is a reason for it."""

import ast
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
APPS = ("accounts", "analytics", "annotation", "bench", "config", "judging")
OF_DJANGO = {"Command", "Meta", "Migration"}
# {name: why it stands in several places}
SAME_THING_TWICE = {
    "Outcome": "the plain words of the rules, and the same as the choices of a database column",
    "Rubric": "the engine's questions, and the row of the database that is named for them",
}


def test_a_class_name_is_used_once_or_says_why_not():
    places = defaultdict(list)
    for app in APPS:
        for path in sorted((ROOT / app).rglob("*.py")):
            if "migrations" in path.parts:
                continue
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.ClassDef) and node.name not in OF_DJANGO:
                    places[node.name].append(path.relative_to(ROOT).as_posix())
    assert len(places) > 300, "the classes were not found"
    twice = {name: found for name, found in places.items() if len(found) > 1}
    unexplained = {name: found for name, found in twice.items() if name not in SAME_THING_TWICE}
    assert not unexplained, f"Name these apart, or say here why not: {unexplained}"
    assert SAME_THING_TWICE.keys() <= twice.keys(), "a reason for what is not there"
