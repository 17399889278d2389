"""Which lines and branches some test runs through, noted by the code itself.

A tracer adds two thirds to the time of all that runs under it, Django included. Here each statement
of ours is compiled with one before it that writes a byte into a file, which every process has in
memory: workers of pytest, what they fork and start, and what is killed. Templates note their lines
the first time they are drawn. `config/checks/covered.py` reads the file.
"""

import ast
import builtins
import json
import marshal
import mmap
import os
import shutil
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader, SourcelessFileLoader
from importlib.util import MAGIC_NUMBER
from pathlib import Path
from types import CodeType, MethodType, ModuleType
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parent.parent.parent
FOLDER = ROOT / "artefacts" / "coverage"
PLACES = FOLDER / "places.json"
NOTES = FOLDER / "notes"
COMPILED = FOLDER / "compiled"
PACKAGES = ("accounts", "analytics", "annotation", "config", "judging")
UNCHECKED = bytes(12)  # by Python: the name says of which source a compiled file is
BUILT_IN = "__noted__"
DRAWS_TEMPLATES = "django.template.base"
LEFT_OUT = "config/checks/measuring.py"  # it is loaded before it can begin

Defined = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


class Place(NamedTuple):
    """Where the notes of a file stand: of line n that it was run at `first + n`, that the branch on
    it went past its block at `first + length + n`."""

    first: int
    length: int

    def run(self, line: int) -> int:
        return self.first + line

    def went_past(self, line: int) -> int:
        return self.first + self.length + line


def prepare() -> None:
    """Nothing is noted yet."""
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir(parents=True)
    places: dict[str, Place] = {}
    end = 0
    for source in _sources():
        length = source.read_bytes().count(b"\n") + 2
        places[str(source)] = Place(end, length)
        end += 2 * length
    PLACES.write_text(json.dumps(places))
    NOTES.write_bytes(bytes(end))


def _sources() -> Iterator[Path]:
    for package in PACKAGES:
        for source in sorted((ROOT / package).rglob("*.py")):
            if "migrations" not in source.parts and source != ROOT / LEFT_OUT:
                yield source
    for kind in ("*.html", "*.txt"):
        yield from sorted((ROOT / "templates").rglob(kind))


def places() -> dict[str, Place]:
    return {name: Place(*place) for name, place in json.loads(PLACES.read_text()).items()}


def begin() -> None:
    """Have what is imported from now on note its lines, if somebody has prepared for that."""
    if not NOTES.exists():
        return
    with NOTES.open("r+b") as file:
        setattr(builtins, BUILT_IN, mmap.mmap(file.fileno(), 0))
    sys.meta_path.insert(0, Finder(places()))


class Finder:
    """Finds our modules as Python does, and has them loaded with notes."""

    def __init__(self, places: dict[str, Place]) -> None:
        self.places = places

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        is_ours = name.partition(".")[0] in PACKAGES
        if not (is_ours or name == DRAWS_TEMPLATES):
            return None
        spec = PathFinder.find_spec(name, path)
        if spec and spec.origin and (not is_ours or spec.origin in self.places):
            loader = Loader if is_ours else LoaderOfTemplates
            spec.loader = loader(name, spec.origin, self.places)
        return spec


class Loader(SourceFileLoader):
    """Loads a module compiled with notes."""

    def __init__(self, name: str, path: str, places: dict[str, Place]) -> None:
        super().__init__(name, path)
        self.places = places

    def get_code(self, fullname: str) -> CodeType | None:
        source, place = Path(self.path), self.places[self.path]
        state = source.stat()
        edition = f"{place.first} {state.st_mtime_ns} {state.st_size}"
        kept = COMPILED / f"{fullname} {edition}.pyc"
        if kept.exists():
            return SourcelessFileLoader(fullname, str(kept)).get_code(fullname)
        tree = with_notes(ast.parse(source.read_bytes(), self.path), place)
        compiled = compile(tree, self.path, "exec", dont_inherit=True)
        COMPILED.mkdir(parents=True, exist_ok=True)
        draft = kept.with_suffix(f".{os.getpid()}")
        draft.write_bytes(MAGIC_NUMBER + UNCHECKED + marshal.dumps(compiled))
        draft.replace(kept)
        return compiled


def with_notes(module: ast.Module, place: Place) -> ast.Module:
    module.body = list(_noted(module.body, place))
    return module


def _noted(block: Sequence[ast.stmt], place: Place) -> Iterator[ast.stmt]:
    """The statements, each after what notes its line; what has to come first in a file does."""
    for position, statement in enumerate(block):
        note = _note(map(place.run, lines_of(statement)), statement)
        comes_first = position == 0 and _is_text(statement)
        if isinstance(statement, ast.ImportFrom) and statement.module == "__future__":
            yield from (statement, note)
        elif comes_first:
            yield statement
        else:
            _note_within(statement, place)
            yield from (note, statement)


def lines_of(statement: ast.stmt) -> list[int]:
    """Where it begins, each decorator being a line of its own."""
    decorators = statement.decorator_list if isinstance(statement, Defined) else []
    return [*(one.lineno for one in decorators), statement.lineno]


def _is_text(statement: ast.stmt) -> bool:
    value = statement.value if isinstance(statement, ast.Expr) else None
    return isinstance(value, ast.Constant) and isinstance(value.value, str)


def _note_within(statement: ast.stmt, place: Place) -> None:
    for name in ("body", "orelse", "finalbody"):
        if block := getattr(statement, name, None):
            setattr(statement, name, list(_noted(block, place)))
    match statement:
        case ast.If() | ast.For() | ast.AsyncFor() | ast.While() if not statement.orelse:
            statement.orelse = [_note([place.went_past(line_of(statement))], statement)]
        case ast.Try() | ast.TryStar():
            for handler in statement.handlers:
                _note_handler(handler, place)
        case ast.Match():
            _note_cases(statement, place)


def line_of(branch: ast.stmt) -> int:
    """The line of which coverage.py says where it leads to."""
    match branch:
        case ast.If() | ast.While():
            return branch.test.lineno
        case ast.For() | ast.AsyncFor():
            return branch.iter.lineno
    return branch.lineno


def _note_handler(handler: ast.ExceptHandler, place: Place) -> None:
    """`except Fault` is run where it looks whether it is one, whatever comes of that."""
    handler.body = list(_noted(handler.body, place))
    run = place.run(handler.lineno)
    if handler.type is None:
        handler.body.insert(0, _note([run], handler))
        return
    noting = ast.parse(f"{BUILT_IN}.__setitem__({run}, 1)", mode="eval").body
    looked = ast.copy_location(ast.BoolOp(ast.Or(), [noting, handler.type]), handler.type)
    for node in ast.walk(noting):
        ast.copy_location(node, handler.type)
    handler.type = looked


def _note_cases(statement: ast.Match, place: Place) -> None:
    """Whoever comes to a case has gone past those before it."""
    before: list[int] = []
    for case in statement.cases:
        line = case.pattern.lineno
        case.body = [
            _note([*before, place.run(line)], case.body[0]),
            *_noted(case.body, place),
        ]
        before += [place.run(line), place.went_past(line)]
    if not is_irrefutable(case):
        pattern = ast.copy_location(ast.MatchAs(), case.pattern)
        statement.cases.append(ast.match_case(pattern, body=[_note(before, case.body[0])]))


def is_irrefutable(case: ast.match_case) -> bool:
    """Whether it takes whatever comes; Python lets none come after it."""
    pattern = case.pattern
    return case.guard is None and isinstance(pattern, ast.MatchAs) and pattern.pattern is None


def _note(places: Iterable[int], at: ast.AST) -> ast.stmt:
    """`__noted__[place] = 1` for each, in one statement."""
    targets: list[ast.expr] = [
        ast.Subscript(ast.Name(BUILT_IN, ast.Load()), ast.Constant(place), ast.Store())
        for place in places
    ]
    note = ast.Assign(targets, ast.Constant(1))
    for node in ast.walk(note):
        ast.copy_location(node, at)
    return note


class LoaderOfTemplates(SourceFileLoader):
    """Loads what Django draws templates with, and has each node note its lines when it is drawn
    for the first time."""

    def __init__(self, name: str, path: str, places: dict[str, Place]) -> None:
        super().__init__(name, path)
        self.places = places

    def exec_module(self, module: ModuleType) -> None:
        super().exec_module(module)
        for kind in (module.Node, module.TextNode):
            kind.render_annotated = self.noting(kind.render_annotated)

    def noting(self, draw: Callable[[Any, Any], str]) -> Callable[[Any, Any], str]:
        notes = getattr(builtins, BUILT_IN)

        def render_annotated(node: Any, context: Any) -> str:
            node.render_annotated = MethodType(draw, node)
            origin = getattr(node, "origin", None)
            if place := origin and self.places.get(origin.name):
                for line in lines_of_node(node):
                    notes[place.run(line)] = 1
            return draw(node, context)

        return render_annotated


def lines_of_node(node: Any) -> Iterable[int]:
    """Those of a tag with the text that it has to itself; of a text, but for the end of the line
    before it."""
    begin: int = node.token.lineno
    if (text := getattr(node, "s", None)) is not None:
        is_end_of_a_line = text.splitlines()[0].strip() == ""
        return range(begin + is_end_of_a_line, begin + text[:-1].count("\n") + 1)
    if words := getattr(node, "plural", None) or getattr(node, "singular", None):
        return range(begin, words[-1].lineno + words[-1].contents[:-1].count("\n") + 1)
    return range(begin, begin + getattr(node, "content", "").count("\n") + 1)
