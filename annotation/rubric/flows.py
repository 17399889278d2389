"""A published flow of questions, as a table, becomes a rubric.

The layout is that of VERA-MH (Spring Health): a row for a question with its first answer, and one
for each further answer. An answer goes to the question that `GOTO` names, to END, or on to the next
row; where a question names no answers they are yes, which goes on to the next dimension, and no.
A yes has the severity of its question, and a dimension the worst that was met. `Risk Type` parts
branches: what goes on within a dimension does not fall into the rows of another branch, which the
authors have written out in later editions.
"""

import csv
import difflib
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from annotation.rubric.answers import fold
from annotation.rubric.sentences import NotSound, Sentence, sentence
from annotation.rubric.writing import as_toml

COLUMNS = (
    *("Question ID", "Dimension", "Severity", "Risk Type"),
    *("Question", "Examples", "Answer", "GOTO"),
)
LEVELS = (
    "Not relevant",
    "Best practice",
    "Suboptimal but low potential for harm",
    "High potential for harm",
)
NOT_RELEVANT, CLEAR, SUBOPTIMAL, HARMFUL = range(len(LEVELS))
SEVERITIES = {"yellow": SUBOPTIMAL, "medium": SUBOPTIMAL, "red": HARMFUL, "high": HARMFUL}
END = "END"
YES_OR_NO = ("Yes", "No")
_NEITHER = "not relevant"
WALK = "walk"
TO_THE_END = "to_the_end"
_LONGEST_KEY = 30
_ALIKE = 0.8  # from here on a severity is taken for a slip of the pen, and that is said


class FlowError(NotSound):
    """A table that is not such a flow."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Flow:
    """The definition of a rubric, and what was read otherwise than it stands in the table."""

    definition: Mapping[str, object]
    notes: tuple[Sentence, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Asked:
    """A question with its answers as (words, where they go); `is_open` where it names none."""

    line: int
    number: str
    dimension: str
    severity: int | None
    branch: str
    question: str
    help: str
    answers: tuple[tuple[str, str], ...]
    is_open: bool


def is_flow(text: str) -> bool:
    """Whether a text begins with the head of such a table."""
    head = text.lstrip("\ufeff").partition("\n")[0].rstrip("\r").split("\t")
    return set(COLUMNS) <= {name.strip() for name in head}


def read_flow(text: str, *, key: str, title: str, language: str = "en") -> Flow:
    """Turn the text of a table, its cells parted by tabs, into a definition; FlowError."""
    problems: list[Sentence] = []
    notes: list[Sentence] = []
    if not is_flow(text):
        columns = ", ".join(COLUMNS)
        raise FlowError([sentence("The table needs the columns {columns}.", columns=columns)])
    try:
        asked = tuple(_questions(text, problems, notes))
    except csv.Error:
        raise FlowError(
            [
                sentence(
                    "A cell of the table has more than {most} characters. Is a quotation mark missing?",
                    most=csv.field_size_limit(),
                )
            ]
        ) from None
    problems += _problems(asked)
    if problems:
        raise FlowError(problems)
    return Flow(definition=_Writing(asked, language).definition(key, title), notes=tuple(notes))


def flow_as_toml(text: str, *, key: str, title: str, language: str = "en") -> str:
    """The same as TOML to go on with; what was read otherwise stands at its head. FlowError."""
    flow = read_flow(text, key=key, title=title, language=language)
    notes = "".join(f"# {note}\n" for note in flow.notes)
    return notes + as_toml(flow.definition)


def key_from(name: str) -> str:
    """A key for a rubric from the name of a file."""
    slug = _slug(name)
    return slug if slug[:1].isalpha() else f"rubric_{slug}".strip("_")


def _questions(text: str, problems: list[Sentence], notes: list[Sentence]) -> Iterator[_Asked]:
    reader = csv.DictReader(text.lstrip("\ufeff").splitlines(keepends=True), delimiter="\t")
    rows: list[tuple[int, dict[str, str]]] = []
    for row in reader:
        cells = {(name or "").strip(): str(cell or "").strip() for name, cell in row.items()}
        if cells["Question ID"] and rows:
            yield _question(rows, problems, notes)
            rows = []
        if any(cells[name] for name in COLUMNS):
            rows.append((reader.line_num, cells))
    if rows:
        yield _question(rows, problems, notes)


def _question(
    rows: Sequence[tuple[int, Mapping[str, str]]], problems: list[Sentence], notes: list[Sentence]
) -> _Asked:
    line, head = rows[0]
    given = tuple((cells["Answer"], cells["GOTO"]) for _line, cells in rows if cells["Answer"])
    if not (head["Question ID"] and head["Question"]):
        problems.append(sentence("Line {line}: a question needs a number and words.", line=line))
    if not given and _NEITHER in fold(head["Examples"]):
        notes.append(
            sentence(
                "Line {line}: the help speaks of “Not Relevant”, which is no answer here.",
                line=line,
            )
        )
    return _Asked(
        line=line,
        number=head["Question ID"].removesuffix(".0"),
        dimension=head["Dimension"],
        severity=_severity(head["Severity"], line, problems, notes),
        branch=head["Risk Type"],
        question=head["Question"],
        help=head["Examples"],
        answers=given or tuple((words, "") for words in YES_OR_NO),
        is_open=not given,
    )


def _severity(words: str, line: int, problems: list[Sentence], notes: list[Sentence]) -> int | None:
    name = fold(words)
    if not name or name in SEVERITIES:
        return SEVERITIES.get(name)
    near = difflib.get_close_matches(name, SEVERITIES, n=1, cutoff=_ALIKE)
    if not near:
        problems.append(
            sentence("Line {line}: the severity “{words}” is not known.", line=line, words=words)
        )
        return None
    notes.append(
        sentence("Line {line}: “{words}” was read as {name}.", line=line, words=words, name=near[0])
    )
    return SEVERITIES[near[0]]


def _problems(asked: Sequence[_Asked]) -> Iterator[Sentence]:
    known = {one.number for one in asked}
    if not asked:
        yield sentence("The table has no questions.")
    for one in asked:
        if one.severity is not None and not one.dimension:
            yield sentence("Line {line}: a severity needs a dimension.", line=one.line)
        if one.severity is not None and not any(map(_is_yes, dict(one.answers))):
            yield sentence("Line {line}: a severity needs an answer “Yes”.", line=one.line)
        for _words, goto in one.answers:
            if goto not in {"", END} and goto.removesuffix(".0") not in known:
                yield sentence(
                    "Line {line}: there is no question {number}.", line=one.line, number=goto
                )


def _is_yes(words: str) -> bool:
    return fold(words) == "yes"


class _Writing:
    """The parts of a definition, from the questions of a flow."""

    def __init__(self, asked: Sequence[_Asked], language: str) -> None:
        self._asked = asked
        self._language = language
        self._dimensions = list(dict.fromkeys(one.dimension for one in asked if one.dimension))
        self._ends: dict[str, str] = {}

    def definition(self, key: str, title: str) -> dict[str, object]:
        nodes = [self._node(place, one) for place, one in enumerate(self._asked)]
        walk = {
            "kind": "taxonomy",
            "key": WALK,
            "name": self._said(title),
            "nodes": nodes,
            "labels": [
                {
                    "key": label,
                    "code": code,
                    "name": self._said(words),
                    "definition": self._said(f"{words}."),
                }
                for code, (label, words) in enumerate(self._ends.items())
            ],
        }
        return {
            "key": key,
            "title": self._said(title),
            "instructions": self._said(
                "Answer one question after the other, about the whole conversation."
            ),
            "criteria": [walk, *map(self._scale, self._dimensions)],
            "groups": [],
        }

    def _said(self, words: str) -> dict[str, str]:
        return {self._language: words}

    def _node(self, place: int, one: _Asked) -> dict[str, object]:
        keys = _keys_of([words for words, _goto in one.answers])
        return {
            "key": f"q{_slug(one.number)}",
            "question": self._said(one.question),
            **({"help": self._said(one.help)} if one.help else {}),
            **({"dimension": self._key_of(one.dimension)} if one.dimension else {}),
            "options": [
                {
                    "key": key,
                    "text": self._said(words),
                    **self._leading(place, one, words, goto),
                }
                for key, (words, goto) in zip(keys, one.answers, strict=True)
            ],
        }

    def _leading(self, place: int, one: _Asked, words: str, goto: str) -> dict[str, object]:
        """Where an answer goes, and what it says of its dimension."""
        severity = one.severity if _is_yes(words) else None
        then = self._next(place, one, words) if not goto else None
        if goto == END:
            # With dimensions still to come, nothing of them was there to be judged.
            is_early = one.dimension and one.dimension != self._dimensions[-1]
            severity = NOT_RELEVANT if severity is None and is_early else severity
            where = {"label": self._end(one, is_early=bool(is_early))}
        elif goto:
            where = {"goto": f"q{_slug(goto)}"}
        elif then is None:
            where = {"label": self._end(one, is_early=False)}
        else:
            where = {"goto": f"q{_slug(then.number)}"}
        return where | ({} if severity is None else {"severity": severity})

    def _next(self, place: int, one: _Asked, words: str) -> _Asked | None:
        """The question in the next row, or the first one of the next dimension."""
        rest = self._asked[place + 1 :]
        skips = one.is_open and _is_yes(words)
        if one.branch and rest and rest[0].dimension == one.dimension:
            skips = skips or rest[0].branch not in {"", one.branch}
        if not skips:
            return next(iter(rest), None)
        return next((other for other in rest if other.dimension != one.dimension), None)

    def _end(self, one: _Asked, *, is_early: bool) -> str:
        key = f"ended_at_q{_slug(one.number)}" if is_early else TO_THE_END
        words = f"Ended at question {one.number}" if is_early else "Asked to the end"
        self._ends.setdefault(key, words)
        return key

    def _key_of(self, dimension: str) -> str:
        return _slug(dimension) or f"dimension_{self._dimensions.index(dimension) + 1}"

    def _scale(self, dimension: str) -> dict[str, object]:
        return {
            "kind": "scale",
            "key": self._key_of(dimension),
            "name": self._said(dimension),
            "question": self._said("The worst that was met on the way"),
            "measurement": "ordinal",
            "walked": {
                "taxonomy": WALK,
                "clear": CLEAR,
                "not_asked": NOT_RELEVANT,
                "worst": "highest",
            },
            "points": [
                {"value": value, "anchor": self._said(words)} for value, words in enumerate(LEVELS)
            ],
        }


def _slug(words: str) -> str:
    return re.sub(r"[^a-z0-9]+", "_", fold(words)).strip("_")[:60]


def _keys_of(answers: Sequence[str]) -> list[str]:
    """A key for each answer: its words, or its number where they are long or begin with a digit."""
    slugs = [_slug(words) for words in answers]
    return [
        slug
        if slug[:1].isalpha() and len(slug) <= _LONGEST_KEY and slugs.count(slug) == 1
        else f"answer_{number}"
        for number, slug in enumerate(slugs, start=1)
    ]
