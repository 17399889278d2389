"""No state is written but by the modules that ask the tables of the lifecycle."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from annotation.actions.moving import MOVES
from annotation.models import Assignment, Round, RoundItem

HOUSE = Path(__file__).resolve().parent.parent.parent
APPS = ("accounts", "annotation", "analytics")
# Jobs of files are claimed under a lock and end under a lease; their module asks JOB_MOVES itself.
WAYS = {
    HOUSE / "annotation" / "actions" / "moving.py",
    HOUSE / "annotation" / "actions" / "jobs" / "moves.py",
}
ROWS = {model.__name__ for model in MOVES}
MAKE_OR_CHANGE = {"update", "create", "bulk_create", "get_or_create", "update_or_create"}
IN_SQL = re.compile(r"\bSET\b[^;]*?\bstate\s*=", re.IGNORECASE | re.DOTALL)


def writes(tree: ast.Module) -> list[int]:
    """The lines that write a state."""
    return sorted({node.lineno for node in ast.walk(tree) if _writes(node)})


def _writes(node: ast.AST) -> bool:
    match node:
        case ast.Constant(value=str(text)):
            return bool(IN_SQL.search(text))
        case ast.Attribute(attr="state", ctx=ast.Store()):
            return True
        case ast.Call(func=ast.Attribute(attr=name)) if name in MAKE_OR_CHANGE:
            return _names_state(node)
        case ast.Call(func=ast.Attribute(attr="save")):
            return any(
                isinstance(one, ast.Constant) and one.value == "state" for one in ast.walk(node)
            )
        case ast.Call(func=ast.Name(id=name)) if name in ROWS:
            return _names_state(node)
    return False


def _names_state(call: ast.Call) -> bool:
    return any(keyword.arg == "state" for keyword in call.keywords)


def modules() -> Iterator[Path]:
    for app in APPS:
        for file in sorted((HOUSE / app).rglob("*.py")):
            if "migrations" not in file.parts:
                yield file


def test_no_state_is_written_elsewhere():
    others = {
        f"{file.relative_to(HOUSE)}:{line}"
        for file in modules()
        if file not in WAYS
        for line in writes(ast.parse(file.read_text(encoding="utf-8")))
    }
    assert not others, "Move rows with annotation/actions/moving.py, which asks the lifecycle."


def test_ways_round_it_are_seen():
    ways = """
round.state = "closed"
round.save(update_fields=["state"])
Assignment.objects.filter(pk=1).update(state="open")
Round.objects.create(state="closed")
Assignment(state="released")
cursor.execute("UPDATE annotation_assignment SET state = 'open'")
"""
    assert writes(ast.parse(ways)) == list(range(2, 8))


def test_every_model_with_a_lifecycle_has_its_table():
    assert set(MOVES) == {Round, Assignment, RoundItem}
