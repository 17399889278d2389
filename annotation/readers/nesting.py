"""Ratings that stand in an object or a list within the object of their item."""

from collections.abc import Callable, Iterator, Mapping

from annotation.readers.messages import held_in
from annotation.readers.names import LONG_FIELDS, OPTIONAL_RATING_FIELDS, RATING_FIELDS

_LISTS = ("ratings", "scores", "annotations", "labels", "evaluation", "评分")
_RATERS = {"rater", *RATING_FIELDS[("rater",)]}
_REASONS = {"reason", *OPTIONAL_RATING_FIELDS[("reason",)]}
_VALUES = {"value", "number", *LONG_FIELDS[("value",)]}
_BESIDE = {"confidence", "certainty", "置信度", "把握"}  # how sure somebody is
_BRACKETS = ("[", "{")


def rows_within(
    fields: Mapping[str, object], is_criterion: Callable[[str], object], ignored: set[str]
) -> Iterator[dict[str, object]]:
    """The fields of each row: {"ratings": {"empathy": 4}} is one; {"ann": {"empathy": 4}, …}, by
    rater, and [{"rater": "ann", "empathy": 4}, …] are several. What stands beside ratings of the
    object itself, such as marks in a text, is none. A reason beside those of raters is nobody's."""
    name = next((name for name in _LISTS if _is_nested(fields.get(name))), None)
    if name is None or "criterion" in fields or any(map(is_criterion, fields)):
        yield dict(fields)
        return
    others = {key: value for key, value in fields.items() if key != name}
    rows = [
        row
        for one in _rows_of(fields[name], is_criterion, has_rater=_has_rater(others))
        for row in rows_within(one, is_criterion, ignored)
    ]
    if any(map(_has_rater, rows)):
        ignored |= _REASONS & others.keys()
        others = {key: value for key, value in others.items() if key not in _REASONS}
    yield from (others | row for row in rows)


def _rows_of(
    inner: object, is_criterion: Callable[[str], object], *, has_rater: bool
) -> Iterator[dict[str, object]]:
    if isinstance(inner, list):
        yield from map(dict, inner)
    elif isinstance(inner, Mapping):
        of_raters = (
            isinstance(one, Mapping) and not is_criterion(name) for name, one in inner.items()
        )
        if has_rater or not all(of_raters):
            yield dict(inner)
        else:
            yield from ({"rater": rater, **one} for rater, one in inner.items())


def _has_rater(fields: Mapping[str, object]) -> bool:
    return any(name.strip().casefold() in _RATERS for name in fields)


def _is_nested(raw: object) -> bool:
    if isinstance(raw, list):
        return bool(raw) and all(isinstance(one, Mapping) for one in raw)
    return isinstance(raw, Mapping) and bool(raw)


def value_within(raw: object) -> tuple[object, object, set[str]]:
    """(value, reason, what was left out) of {"score": 4, "reason": "…", "confidence": 0.9}, and the
    value of a list of one, or none of an empty one, also where either stands in a cell as text;
    what has any other shape is the value."""
    if isinstance(raw, str) and raw.strip()[:1] in _BRACKETS:
        found = held_in(raw)
        inner = (raw, None, set[str]()) if found is raw else value_within(found)
        return (raw, None, set()) if inner[0] is found else inner
    if isinstance(raw, list) and len(raw) < 2:
        return value_within(raw[0]) if raw else (None, None, set())
    if not isinstance(raw, Mapping):
        return raw, None, set()
    fields = {str(name).strip().casefold(): one for name, one in raw.items()}
    values, reasons = fields.keys() & _VALUES, fields.keys() & _REASONS
    beside = fields.keys() & _BESIDE
    if len(values) != 1 or len(reasons) > 1 or fields.keys() - values - reasons - beside:
        return raw, None, set()
    return fields[values.pop()], fields[reasons.pop()] if reasons else None, beside
