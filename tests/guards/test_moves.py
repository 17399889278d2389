"""No state and no step is written but by the modules that ask the tables of the lifecycle."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from annotation.actions.moving import MOVES
from annotation.models import Assignment, Round, RoundItem

HOUSE = Path(__file__).resolve().parent.parent.parent
APPS = ("accounts", "annotation", "analytics")
ACTIONS = HOUSE / "annotation" / "actions"
# Jobs of files are claimed under a lock and end under a lease; their module asks JOB_MOVES itself.
WAYS = {ACTIONS / "moving.py", ACTIONS / "jobs" / "moves.py"}
WAYS_OF_STEPS = {ACTIONS / "protocol.py"}
ROWS = {model.__name__ for model in MOVES}
MAKE_OR_CHANGE = {"update", "create", "bulk_create", "get_or_create", "update_or_create"}


def writes(tree: ast.Module, column: str) -> list[int]:
    """The lines that write a state or a step."""
    return sorted({node.lineno for node in ast.walk(tree) if _writes(node, column)})


def _writes(node: ast.AST, column: str) -> bool:
    match node:
        case ast.Constant(value=str(text)):
            in_sql = rf"\bSET\b[^;]*?\b{column}\s*="
            return bool(re.search(in_sql, text, re.IGNORECASE | re.DOTALL))
        case ast.Attribute(attr=name, ctx=ast.Store()) if name == column:
            return True
        case ast.Call(func=ast.Attribute(attr=name)) if name in MAKE_OR_CHANGE:
            return _names(column, node)
        case ast.Call(func=ast.Attribute(attr="save")):
            return any(
                isinstance(one, ast.Constant) and one.value == column for one in ast.walk(node)
            )
        case ast.Call(func=ast.Name(id=name)) if name in ROWS:
            return _names(column, node)
    return False


def _names(column: str, call: ast.Call) -> bool:
    return any(keyword.arg == column for keyword in call.keywords)


def modules() -> Iterator[Path]:
    for app in APPS:
        for file in sorted((HOUSE / app).rglob("*.py")):
            if "migrations" not in file.parts:
                yield file


@pytest.mark.parametrize(("column", "ways"), [("state", WAYS), ("step", WAYS_OF_STEPS)])
def test_nothing_is_written_elsewhere(column, ways):
    others = {
        f"{file.relative_to(HOUSE)}:{line}"
        for file in modules()
        if file not in ways
        for line in writes(ast.parse(file.read_text(encoding="utf-8")), column)
    }
    assert not others, "Move rows with these modules, which ask the lifecycle."


@pytest.mark.parametrize("column", ["state", "step"])
def test_ways_round_it_are_seen(column):
    ways = """
round.state = "closed"
round.save(update_fields=["state"])
Assignment.objects.filter(pk=1).update(state="open")
Round.objects.create(state="closed")
Assignment(state="released")
cursor.execute("UPDATE annotation_assignment SET state = 'open'")
"""
    tree = ast.parse(ways.replace("state", column))
    assert writes(tree, column) == list(range(2, 8))


def test_every_model_with_a_lifecycle_has_its_table():
    assert set(MOVES) == {Round, Assignment, RoundItem}
