"""Raw ratings as they are stored: a value, a value off the scale, or the reason for neither."""

import json
import re
from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple, TypeVar

from annotation.readers.texts import PLACEHOLDERS, is_no_value
from annotation.rubric import answers
from annotation.rubric.schema import Criterion, Label, Point, Rubric, Scale, Taxonomy
from annotation.rubric.sentences import sentence
from annotation.rubric.taxonomy import path_as_text

EMPTY_CELL = "empty_cell"
BROKEN_JSON = "broken_json"
NOT_AN_OBJECT = "not_an_object"
AMBIGUOUS = "ambiguous"
MOST_STRANGERS = 50
Named = TypeVar("Named", Point, Label)

UNSCORED = {
    EMPTY_CELL: sentence("The cell is empty."),
    BROKEN_JSON: sentence("The cell is not JSON."),
    NOT_AN_OBJECT: sentence("The cell has no named ratings."),
    AMBIGUOUS: sentence("The cell gives two different values."),
    answers.Reason.MISSING.value: sentence("The rating is missing."),
    answers.Reason.NOT_A_NUMBER.value: sentence("It is not a number."),
    answers.Reason.OFF_SCALE.value: sentence("It is between two values of the scale, or absurd."),
    answers.Reason.UNKNOWN_LABEL.value: sentence("The taxonomy has no such label."),
    answers.Reason.UNKNOWN_NODE.value: sentence("The taxonomy has no such question."),
    answers.Reason.UNKNOWN_OPTION.value: sentence("The question has no such answer."),
    answers.Reason.INCOMPLETE_PATH.value: sentence("The path ends before a label."),
    answers.Reason.UNREACHABLE.value: sentence("The path goes on behind its label."),
}

_FENCED = re.compile(r"```(?:json)?\s*(?P<inside>.*?)\s*(?:```)?", re.DOTALL | re.IGNORECASE)
_LARGEST_STORED = 2**15 - 1
_IN_A_SHEET = re.compile(  # "4,0", "4 分", and with a minus as text programs set it
    r"\s*(?P<sign>[-+\N{MINUS SIGN}]?)(?P<whole>\d+)(?:,(?P<part>\d{1,2}))?\s*分?\s*"
)
_TICKS = {
    **dict.fromkeys(("y", "true", "有", "√", "✓", "✔", "✅"), True),
    **dict.fromkeys(("n", "false", "无", "没有", "×", "✗", "✘", "❌"), False),
}
_WITH_SCALE = re.compile(
    r"(?P<name>.*?\S)\s*[(（\[](?P<low>\d{1,3})\s?(?:[-–—~～/]|to|至|到)\s?(?P<high>\d{1,3})\s?分?[)）\]]\s*"
)
_LONGEST_NAME = 200
_WHOLE = r"[-+\N{MINUS SIGN}]?\d{1,9}"
_NUMBER_FIRST = re.compile(  # "4 - good", "4: good", "4 (good)", "(4) good"
    rf"[(（\[]?(?P<value>{_WHOLE})\s*+[-–—:：=.、)）\](（]\s*+(?P<words>.+?)[)）]?"
)
_NUMBER_LAST = re.compile(  # "good (4)", "good = 4"
    rf"(?P<words>[^()（）\[\]=]++)(?:[(（\[]\s*+(?P<in>{_WHOLE})\s*+[)）\]]|=\s*+(?P<value>{_WHOLE}))"
)


class Value(NamedTuple):
    """One rating: a label or a score, flagged where it is off the scale, or `unscored`; `path` is the
    way that was taken through a graph, as the rating keeps it."""

    criterion: str
    label: str | None = None
    score: int | None = None
    unscored: str = ""
    off_scale: bool = False
    path: str = ""


def value_of(answer: answers.Answer) -> Value:
    """An answer as it is stored."""
    path = path_as_text(answer.path)
    return Value(answer.criterion, answer.label, answer.score, path=path)


def read_in_file(criterion: Criterion, raw: object) -> answers.Answer | answers.Problem:
    """Read a value as `answers.read` does, and what programs and sheets write besides: the words of
    a point or the name of a label, with its number or without, true and false or ticks and crosses of
    those that begin with yes and no; of a scale a number with a decimal comma or 分. A number that is
    the name of a label is that label, whichever has the number for its code."""
    if isinstance(criterion, Taxonomy) and (label := _label_named(criterion, raw)):
        return answers.Answer(criterion=criterion.key, label=label.key)
    result = answers.read(criterion, raw)
    is_number = isinstance(result, answers.Answer) or result.reason != answers.Reason.NOT_A_NUMBER
    if is_number or not isinstance(criterion, Scale) or is_no_value(raw):
        return result
    if (point := _point_named(criterion, raw)) is not None:
        return answers.Answer(criterion=criterion.key, score=point.value)
    if isinstance(raw, str) and (number := _IN_A_SHEET.fullmatch(raw)):
        sign = number["sign"].replace("\N{MINUS SIGN}", "-")
        return answers.read(criterion, f"{sign}{number['whole']}.{number['part'] or 0}")
    return result


def _point_named(scale: Scale, raw: object) -> Point | None:
    """The one point that a word or a truth value names, or that a number names with its anchor."""
    if isinstance(raw, bool):
        said = answers.YES if raw else answers.NO
        return _only(point for point in scale.points if said & answers.anchor_heads(point.anchor))
    if not isinstance(raw, str):
        return None
    if (tick := _TICKS.get(raw.strip().casefold())) is not None:
        return _point_named(scale, tick)
    number, words = _number_and_words(raw)
    point = _only(point for point in scale.points if answers.fold(words) in _names(point))
    is_its_own = number is None or (point is not None and point.value == number)
    return point if is_its_own else None


def _number_and_words(raw: str) -> tuple[int | None, str]:
    """(4, "good") of the number with the words of a point or a label; of words alone, no number."""
    text = raw.strip()
    if first := _NUMBER_FIRST.fullmatch(text):
        return _whole(first["value"]), first["words"]
    if last := _NUMBER_LAST.fullmatch(text):
        return _whole(last["in"] or last["value"]), last["words"]
    return None, raw


def _whole(number: str) -> int:
    return int(number.replace("\N{MINUS SIGN}", "-"))


def _label_named(taxonomy: Taxonomy, raw: object) -> Label | None:
    """The one label that a word, a number or a truth value names, or that a number names with its name."""
    if isinstance(raw, bool):
        said = answers.YES if raw else answers.NO
        return _only(label for label in taxonomy.labels if said & answers.label_names(label))
    if not isinstance(raw, str | int):
        return None
    words = answers.fold(str(raw))
    found = _only(label for label in taxonomy.labels if words in answers.label_names(label))
    if found or not isinstance(raw, str):
        return found
    if (tick := _TICKS.get(raw.strip().casefold())) is not None:
        return _label_named(taxonomy, tick)
    number, words = _number_and_words(raw)
    named = None if number is None else _label_named(taxonomy, words)
    return named if named and named.code == number else None


def _names(point: Point) -> frozenset[str]:
    whole = map(answers.fold, point.anchor.everywhere)
    return (answers.anchor_heads(point.anchor) | {*whole}) - {""}


def _only(named: Iterable[Named]) -> Named | None:
    found = list(named)
    return found[0] if len(found) == 1 else None


def read_value(criterion: Criterion, raw: object) -> Value:
    """Read one raw rating; what is off the scale is kept as it was released, and flagged."""
    result = read_in_file(criterion, raw)
    if isinstance(result, answers.Answer):
        return value_of(result)
    released = result.released
    if released is not None and abs(released) <= _LARGEST_STORED:
        return Value(criterion.key, None, released, "", True)
    reason = answers.Reason.MISSING if is_no_value(raw) else result.reason
    return Value(criterion.key, unscored=str(reason))


class Criteria:
    """The criteria of a rubric under every name a file may use: key and name, in any case.

    `strangers` are attributes of cells that are no criteria.
    """

    def __init__(self, rubric: Rubric) -> None:
        self._rubric = rubric
        self._named = {
            answers.fold(name): criterion
            for criterion in rubric.criteria
            for name in (criterion.key, *criterion.name.everywhere)
        }
        self._found: dict[str, Criterion | None] = {}
        self.strangers: set[str] = set()
        self._read = lru_cache(maxsize=4096, typed=True)(self._read_under)

    @property
    def keys(self) -> str:
        return ", ".join(criterion.key for criterion in self._rubric.criteria)

    def named(self, name: str) -> Criterion | None:
        if name not in self._found:
            self._found[name] = self._named.get(answers.fold(name)) or self._with_its_scale(name)
        return self._found[name]

    def _with_its_scale(self, name: str) -> Criterion | None:
        """The criterion of “Safety (1-5)”, where its scale is that; a number of another is no value."""
        headed = _WITH_SCALE.fullmatch(name[:_LONGEST_NAME])
        criterion = self._named.get(answers.fold(headed["name"])) if headed else None
        if headed is None or not isinstance(criterion, Scale):
            return None
        ends = criterion.values[0], criterion.values[-1]
        return criterion if ends == (int(headed["low"]), int(headed["high"])) else None

    def read_cell(self, raw: object) -> tuple[Value, ...]:
        """Read the JSON text of a cell, in a fence or bare, as one value a criterion.

        Attributes that are no criteria are noted. Text around the JSON makes it unreadable:
        whoever wrote it did not answer as asked.
        """
        pairs = _pairs_in(raw)
        if isinstance(pairs, str):
            return tuple(Value(one.key, unscored=pairs) for one in self._rubric.criteria)
        values: dict[str, Value] = {}
        for name, given in pairs:
            criterion = self.named(name)
            if criterion is None:
                self._note(name)
                continue
            value = self.read(criterion, dict(given) if isinstance(given, _Pairs) else given)
            if values.setdefault(criterion.key, value) != value:
                values[criterion.key] = Value(criterion.key, unscored=AMBIGUOUS)
        return tuple(values.get(one.key) or self.read(one, None) for one in self._rubric.criteria)

    def _note(self, attribute: str) -> None:
        if len(self.strangers) < MOST_STRANGERS and attribute.isprintable():
            self.strangers.add(attribute[:60])

    def read(self, criterion: Criterion, raw: object) -> Value:
        """The same as `read_value`; a file has few different values, so they are remembered."""
        if isinstance(raw, str | int | float):
            return self._read(criterion.key, raw)
        return read_value(criterion, raw)

    def _read_under(self, key: str, raw: object) -> Value:
        return read_value(self._rubric.criterion(key), raw)


class _Pairs(list[tuple[str, object]]):
    """The names and values of a JSON object, in its order: a name may come twice."""


def _pairs_in(raw: object) -> _Pairs | str:
    """The pairs of the object in a cell, or the reason why there is none."""
    text = "" if raw is None else str(raw).strip()
    if not text or text.casefold() in PLACEHOLDERS:
        return EMPTY_CELL
    fenced = _FENCED.fullmatch(text)
    try:
        found = json.loads(fenced["inside"] if fenced else text, object_pairs_hook=_Pairs)
    except (ValueError, RecursionError):
        return BROKEN_JSON
    return found if isinstance(found, _Pairs) else NOT_AN_OBJECT
