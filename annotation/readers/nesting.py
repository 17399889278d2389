"""Ratings that stand in an object or a list within the object of their item."""

from collections.abc import Callable, Iterator, Mapping

_LISTS = ("ratings", "scores", "annotations")


def rows_within(
    fields: Mapping[str, object], is_criterion: Callable[[str], object]
) -> Iterator[dict[str, object]]:
    """The fields of each row: {"ratings": {"empathy": 4}} is one; {"ann": {"empathy": 4}, …}, by
    rater, and [{"rater": "ann", "empathy": 4}, …] are several. What stands beside ratings of the
    object itself, such as marks in a text, is none."""
    name = next((name for name in _LISTS if _is_nested(fields.get(name))), None)
    if name is None or "criterion" in fields or any(map(is_criterion, fields)):
        yield dict(fields)
        return
    inner = fields[name]
    others = {key: value for key, value in fields.items() if key != name}
    if isinstance(inner, list):
        yield from (others | one for one in inner)
    elif isinstance(inner, Mapping):
        if all(isinstance(one, Mapping) and not is_criterion(key) for key, one in inner.items()):
            yield from (others | {"rater": rater} | one for rater, one in inner.items())
        else:
            yield {**others, **inner}


def _is_nested(raw: object) -> bool:
    if isinstance(raw, list):
        return bool(raw) and all(isinstance(one, Mapping) for one in raw)
    return isinstance(raw, Mapping) and bool(raw)
