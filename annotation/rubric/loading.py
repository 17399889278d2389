"""Rubrics as data: read a definition with every mistake named, write one, find the shipped ones."""

import tomllib
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import get_args

from annotation.rubric.lines import line_in, line_of, lines_of
from annotation.rubric.schema import (
    Criterion,
    Flag,
    Ground,
    Group,
    Label,
    Measurement,
    Node,
    Option,
    Point,
    Rubric,
    Scale,
    Shown,
    Summary,
    Taxonomy,
    Text,
    Walked,
)
from annotation.rubric.sentences import NotSound, Sentence, sentence
from annotation.rubric.soundness import problems_with_criterion, problems_with_rubric
from annotation.rubric.tables import RubricTable

MOST_CHARACTERS = 500_000
_LIBRARY = Path(__file__).parent / "library"
_SUMMARIES: dict[str, Summary] = {summary: summary for summary in get_args(Summary)}
_WORST = {"highest": True, "lowest": False}
_MEASUREMENTS = {level.value: level for level in (Measurement.ORDINAL, Measurement.BINARY)}


class RubricError(NotSound):
    """A definition that is not a rubric."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Mistake:
    """A mistake in a rubric that is written as TOML, and the line where it is to be mended."""

    line: int
    sentence: Sentence

    @property
    def in_words(self) -> Sentence:
        return sentence("Line {line}: {mistake}", line=self.line, mistake=self.sentence)


def load(definition: Mapping[str, object]) -> Rubric:
    """Turn a definition into a rubric; RubricError names the place of every mistake in it."""
    problems: list[Sentence] = []
    table = RubricTable(definition, "", problems)
    rubric = Rubric(
        key=table.key(),
        title=table.text("title"),
        instructions=table.text("instructions"),
        criteria=tuple(filter(None, map(_criterion, table.tables("criteria")))),
        groups=tuple(_group(part) for part in table.tables("groups", optional=True)),
    )
    table.finish()
    if not problems:
        problems += problems_with_rubric(rubric)
    if problems:
        raise RubricError(problems)
    return rubric


def dump(rubric: Rubric) -> dict[str, object]:
    """Turn a rubric into a definition that JSON can hold; `load` gives the same rubric back."""
    return {
        "key": rubric.key,
        "title": _dump_text(rubric.title),
        "instructions": _dump_text(rubric.instructions),
        "criteria": [_dump_criterion(criterion) for criterion in rubric.criteria],
        "groups": [_dump_group(group) for group in rubric.groups],
    }


def parse_toml(text: str) -> dict[str, object]:
    """Read a definition written as TOML; RubricError names the line that is not."""
    said: str | Sentence
    try:
        return tomllib.loads(text)
    except RecursionError:
        said, line = sentence("Lists are nested too deeply"), 1
    except ValueError as error:  # of a number with thousands of digits it is no TOMLDecodeError
        said, line = line_in(str(error), text)
    raise RubricError([sentence("This is not TOML: {error} (line {line}).", error=said, line=line)])


def mistakes_in(text: str) -> tuple[Mistake, ...]:
    """Every mistake in a rubric written as TOML, by line; () where it is a rubric."""
    if len(text) > MOST_CHARACTERS:
        return (_too_long(text),)
    try:
        definition = parse_toml(text)
    except RubricError as error:
        return tuple(
            Mistake(line=int(str(problem.values["line"])), sentence=problem)
            for problem in error.problems
        )
    try:
        load(definition)
    except RubricError as error:
        lines: dict[str, int] = {}
        with suppress(RecursionError):
            lines = lines_of(text)
        found = [
            Mistake(line=line_of(str(problem.values["place"]), lines), sentence=problem)
            for problem in error.problems
        ]
        return tuple(sorted(found, key=lambda mistake: mistake.line))
    return ()


def _too_long(text: str) -> Mistake:
    """The line on which a text gets longer than it may be."""
    return Mistake(
        line=text[:MOST_CHARACTERS].count("\n") + 1,
        sentence=sentence(
            "From here on it is too long for a rubric: it has {n} characters, and {most} are the "
            "most. Shorten it; nothing was cut.",
            n=f"{len(text):,}",
            most=f"{MOST_CHARACTERS:,}",
        ),
    )


def examples() -> dict[str, str]:
    """Return {rubric key: TOML} of the rubrics that come with Concord, as they are written."""
    return {file.stem: file.read_text(encoding="utf-8") for file in sorted(_LIBRARY.glob("*.toml"))}


def shipped() -> dict[str, Mapping[str, object]]:
    """Return {rubric key: definition} of the rubrics that come with Concord."""
    return {key: parse_toml(text) for key, text in examples().items()}


def _criterion(table: RubricTable) -> Criterion | None:
    read = _KINDS.get(table.word_of("kind", _KINDS))
    if read is None:
        return None
    before = len(table.problems)
    criterion = read(table)
    table.finish()
    if len(table.problems) == before:
        table.problems.extend(problems_with_criterion(criterion, table.place))
    return criterion


def _taxonomy(table: RubricTable) -> Criterion:
    return Taxonomy(
        key=table.key(),
        name=table.text("name"),
        nodes=tuple(_node(part) for part in table.tables("nodes")),
        labels=tuple(_label(part) for part in table.tables("labels")),
        grounds=_grounds(table),
    )


def _node(table: RubricTable) -> Node:
    node = Node(
        key=table.key(),
        question=table.text("question"),
        help=table.text("help", optional=True),
        options=tuple(_option(part) for part in table.tables("options")),
        dimension=table.optional_key("dimension"),
    )
    table.finish()
    return node


def _option(table: RubricTable) -> Option:
    option = Option(
        key=table.key(),
        text=table.text("text"),
        label=table.optional_key("label"),
        goto=table.optional_key("goto"),
        severity=table.optional_whole("severity"),
    )
    table.finish()
    return option


def _label(table: RubricTable) -> Label:
    label = Label(
        key=table.key(),
        code=table.whole("code"),
        name=table.text("name"),
        definition=table.text("definition"),
        shown=_shown(table),
    )
    table.finish()
    return label


def _scale(table: RubricTable) -> Criterion:
    return Scale(
        key=table.key(),
        name=table.text("name"),
        question=table.text("question"),
        help=table.text("help", optional=True),
        points=tuple(_point(part) for part in table.tables("points")),
        measurement=table.choice("measurement", _MEASUREMENTS) or Measurement.ORDINAL,
        adjudicate_from_gap=table.whole("adjudicate_from_gap", default=1),
        walked=_walked(table.table("walked")) if "walked" in table.unread else None,
        grounds=_grounds(table),
    )


_KINDS: dict[str, Callable[[RubricTable], Criterion]] = {"taxonomy": _taxonomy, "scale": _scale}


def _grounds(table: RubricTable) -> tuple[Ground, ...]:
    found = set(table.choices("grounds", [ground.value for ground in Ground]))
    return tuple(ground for ground in Ground if ground.value in found)


def _walked(table: RubricTable) -> Walked:
    clear = table.whole("clear")
    worst = table.choice("worst", _WORST) if "worst" in table.unread else True
    walked = Walked(
        taxonomy=table.key("taxonomy"),
        clear=clear,
        not_asked=table.whole("not_asked", default=clear),
        worst_is_highest=worst is not False,
    )
    table.finish()
    return walked


def _point(table: RubricTable) -> Point:
    point = Point(value=table.whole("value"), anchor=table.text("anchor"), shown=_shown(table))
    table.finish()
    return point


def _shown(table: RubricTable) -> Shown:
    return Shown(
        example=table.text("example", optional=True),
        non_example=table.text("non_example", optional=True),
    )


def _group(table: RubricTable) -> Group:
    """Read a derived score: “any” names its criteria in its flags, the others in a list."""
    key, name = table.key(), table.text("name")
    summary = table.choice("summary", _SUMMARIES) or "mean"
    flags = tuple(_flag(part) for part in table.tables("flags")) if summary == "any" else ()
    group = Group(
        key=key,
        name=name,
        criteria=tuple(flag.criterion for flag in flags)
        if summary == "any"
        else tuple(table.strings("criteria")),
        summary=summary,
        flags=flags,
    )
    table.finish()
    return group


def _flag(table: RubricTable) -> Flag:
    flag = Flag(
        criterion=table.key("criterion"),
        labels=tuple(table.strings("labels", optional=True)),
        at_most=table.optional_whole("at_most"),
        at_least=table.optional_whole("at_least"),
    )
    table.finish()
    return flag


def _dump_criterion(criterion: Criterion) -> dict[str, object]:
    if isinstance(criterion, Scale):
        return _dump_scale(criterion)
    return _dump_taxonomy(criterion)


def _dump_scale(scale: Scale) -> dict[str, object]:
    return {
        "kind": "scale",
        "key": scale.key,
        "name": _dump_text(scale.name),
        "question": _dump_text(scale.question),
        **_dump_help(scale.help),
        "measurement": scale.measurement.value,
        "adjudicate_from_gap": scale.adjudicate_from_gap,
        "points": [
            {"value": point.value, "anchor": _dump_text(point.anchor), **_dump_shown(point.shown)}
            for point in scale.points
        ],
        **_dump_walked(scale.walked),
        **_dump_grounds(scale.grounds),
    }


def _dump_grounds(grounds: tuple[Ground, ...]) -> dict[str, object]:
    return {"grounds": [ground.value for ground in grounds]} if grounds else {}


def _dump_walked(walked: Walked | None) -> dict[str, object]:
    if walked is None:
        return {}
    worst = next(name for name, highest in _WORST.items() if highest == walked.worst_is_highest)
    return {
        "walked": {
            "taxonomy": walked.taxonomy,
            "clear": walked.clear,
            "not_asked": walked.not_asked,
            "worst": worst,
        }
    }


def _dump_taxonomy(taxonomy: Taxonomy) -> dict[str, object]:
    return {
        "kind": "taxonomy",
        "key": taxonomy.key,
        "name": _dump_text(taxonomy.name),
        "nodes": [_dump_node(node) for node in taxonomy.nodes],
        "labels": [
            {
                "key": label.key,
                "code": label.code,
                "name": _dump_text(label.name),
                "definition": _dump_text(label.definition),
                **_dump_shown(label.shown),
            }
            for label in taxonomy.labels
        ],
        **_dump_grounds(taxonomy.grounds),
    }


def _dump_node(node: Node) -> dict[str, object]:
    return {
        "key": node.key,
        "question": _dump_text(node.question),
        **_dump_help(node.help),
        **_dump_named(dimension=node.dimension),
        "options": [
            {"key": option.key, "text": _dump_text(option.text)}
            | _dump_named(label=option.label, goto=option.goto, severity=option.severity)
            for option in node.options
        ],
    }


def _dump_named(**values: str | int | None) -> dict[str, object]:
    return {name: value for name, value in values.items() if value is not None}


def _dump_group(group: Group) -> dict[str, object]:
    made_of: dict[str, object] = (
        {"flags": [_dump_flag(flag) for flag in group.flags]}
        if group.summary == "any"
        else {"criteria": list(group.criteria)}
    )
    return {
        "key": group.key,
        "name": _dump_text(group.name),
        **made_of,
        "summary": group.summary,
    }


def _dump_flag(flag: Flag) -> dict[str, object]:
    ways: dict[str, object] = {
        "labels": list(flag.labels) or None,
        "at_most": flag.at_most,
        "at_least": flag.at_least,
    }
    named = {way: value for way, value in ways.items() if value is not None}
    return {"criterion": flag.criterion, **named}


def _dump_help(text: Text) -> dict[str, object]:
    return {"help": _dump_text(text)} if text else {}


def _dump_shown(shown: Shown) -> dict[str, object]:
    named = {"example": shown.example, "non_example": shown.non_example}
    return {name: _dump_text(text) for name, text in named.items() if text}


def _dump_text(text: Text) -> dict[str, str]:
    return dict(text.words)
