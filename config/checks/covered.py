"""What `config/checks/measuring.py` has noted, as coverage.py counts it."""

import ast
from collections.abc import Iterator, Sequence
from pathlib import Path

from coverage import Coverage
from coverage.parser import PythonParser

from config.checks.measuring import NOTES, Place, line_of, lines_of, places

OF_TEMPLATES = "django_coverage_plugin.DjangoTemplatePlugin"
ENTERED = -1  # where coverage.py says that a line was come to from outside

Arc = tuple[int, int]


def covered() -> Coverage:
    """The measurement, to be reported."""
    notes = NOTES.read_bytes()
    measure = Coverage()
    data = measure.get_data()
    of_all = places()
    data.add_arcs({name: arcs_of(Path(name), place, notes) for name, place in of_all.items()})
    modules = [name for name in of_all if name.endswith(".py")]
    data.touch_files(modules)  # those too of which nothing was run
    data.touch_files(of_all.keys() - modules, OF_TEMPLATES)
    data.write()
    return measure


def arcs_of(source: Path, place: Place, notes: bytes) -> list[Arc]:
    """A line that was run was come to; and of a branch, where it led."""
    lines = {line for line in range(1, place.length) if notes[place.run(line)]}
    arcs = [(ENTERED, line) for line in lines]
    if source.suffix == ".py" and lines:
        past = {line for line in range(1, place.length) if notes[place.went_past(line)]}
        arcs += _branches(source, lines, past)
    return arcs


def _branches(source: Path, lines: set[int], past: set[int]) -> Iterator[Arc]:
    parser = PythonParser(filename=str(source))
    parser.parse_source()
    blocks = {parser.first_line(line): own for line, own in _blocks(ast.parse(parser.text)).items()}
    run, past = parser.translate_lines(lines), parser.translate_lines(past)
    for line, to in parser.arcs():
        if line in blocks:
            is_within = any(to in block for block in blocks[line])
            if to in run if is_within else line in past:
                yield line, to


def _blocks(module: ast.Module) -> dict[int, list[range]]:
    """{line of a branch: the lines of each block that only it leads to}."""
    found: dict[int, list[range]] = {}
    for node in ast.walk(module):
        match node:
            case ast.If() | ast.For() | ast.AsyncFor() | ast.While():
                found[line_of(node)] = [_lines(block) for block in (node.body, node.orelse)]
            case ast.match_case():
                found[node.pattern.lineno] = [_lines(node.body)]
    return found


def _lines(block: Sequence[ast.stmt]) -> range:
    if not block:
        return range(0)
    return range(lines_of(block[0])[0], (block[-1].end_lineno or 0) + 1)
