"""What the code notes of itself is what a tracer sees."""

import ast
import json

import pytest
from coverage import Coverage

from config.checks.covered import arcs_of
from config.checks.measuring import BUILT_IN, Place, with_notes

MODULE = '''"""A text comes first."""
from __future__ import annotations

import enum
from contextlib import nullcontext, suppress


class Kind(enum.StrEnum):
    """What it is."""

    SOUND = "sound"
    BROKEN = "broken"

    @property
    def known(self) -> bool:
        return True


def named(
    kind: Kind,
    *,
    loudly: bool = False,
) -> str:
    """Each way through it."""
    if loudly:
        return str(
            kind
        ).upper()
    elif kind is Kind.BROKEN:
        return "?"
    return "."


def counted(numbers: list[int]) -> int:
    total = 0
    for number in numbers:
        if number < 0:
            continue
        with suppress(ZeroDivisionError), nullcontext():
            total += 6 // number
            if total > 100:
                break
    else:
        total += 1
    while total > 10:
        total -= 10
    return total


def read(value: object) -> str:
    match value:
        case int() if value > 3:
            found = "large"
        case int() | float():
            found = "small"
        case [first, *_]:
            found = str(first)
    match value:
        case None:
            return "nothing"
        case _:
            pass
    try:
        return found
    except NameError:
        return "unknown"
    except (TypeError, ValueError):
        return "wrong"
    finally:
        value = None


def forever() -> int:
    n = 0
    while True:
        n += 1
        if n > 2:
            return n


def given():
    yield from (n for n in range(3)
        if n)
    try:
        yield 4
    finally:
        if not Kind.SOUND.known:
            raise RuntimeError
'''
RUNS = [
    "",
    "named(Kind.SOUND)",
    "named(Kind.SOUND, loudly=True)",
    "named(Kind.BROKEN); Kind.SOUND.known",
    "counted([])",
    "counted([0, -1, 2])",
    "counted([0, -1, 2] * 40)",
    "counted([1, 3])",
    "read(4)",
    "read(4); read(2)",
    "read([])",
    "read([1])",
    "read(None)",
    "forever()",
    "list(given())",
    "next(given())",
]


def told(measure: Coverage, source, tmp_path) -> dict[str, object]:
    report = tmp_path / "report.json"
    measure.json_report(morfs=[str(source)], outfile=str(report))
    (found,) = json.loads(report.read_text())["files"].values()
    names = ("executed_lines", "missing_lines", "executed_branches", "missing_branches")
    return {name: sorted(found[name]) for name in names}


def of_its_own() -> Coverage:
    return Coverage(data_file=None, config_file=False, branch=True)


@pytest.mark.parametrize("run", RUNS)
def test_lines_and_branches_are_those_that_a_tracer_sees(run, tmp_path):
    source = tmp_path / "module.py"
    source.write_text(MODULE)
    traced = of_its_own()
    with traced.collect():
        space = {"__name__": "module"}
        exec(compile(MODULE, str(source), "exec"), space)
        exec(run, space)

    place = Place(first=7, length=MODULE.count("\n") + 2)
    notes = bytearray(7 + 2 * place.length)
    noted = of_its_own()
    tree = with_notes(ast.parse(MODULE), place)
    space = {"__name__": "module", BUILT_IN: notes}
    exec(compile(tree, str(source), "exec"), space)
    exec(run, space)
    noted.get_data().add_arcs({str(source): arcs_of(source, place, bytes(notes))})

    assert told(noted, source, tmp_path) == told(traced, source, tmp_path)
