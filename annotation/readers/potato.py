"""Ratings as Potato exports them: a row for each rater and item, with a field for each label."""

from collections.abc import Callable, Mapping

from annotation.readers.names import RATING_FIELDS
from annotation.readers.texts import is_no_value

_OWN = {"instance_id": "item", "user_id": "rater"}
_RATERS = {"rater", *RATING_FIELDS[("rater",)]}

IsValue = Callable[[str, object], bool]


def is_row(names: set[str]) -> bool:
    """Whether fields of these names, in lower case, say so: who else has a user has no instance."""
    return names >= _OWN.keys() and not names & _RATERS


def row_of(
    fields: Mapping[str, object], is_criterion: Callable[[str], object], is_value: IsValue
) -> dict[str, object]:
    """The row with one field for each schema, from its columns SCHEMA.LABEL or from `labels`.

    `is_value(schema, answer)` says whether that is an answer to the criterion of this name. What
    was chosen stands in the label ({"4": "on"}) or in the value ({"scale_4": "4"}, {"slider": 4});
    where several labels were chosen they stand beside each other, and so are no value.
    """
    row: dict[str, object] = {}
    chosen: dict[str, dict[str, object]] = {}
    for name, raw in fields.items():
        schema, dot, label = name.strip().partition(".")
        plain = name.strip().casefold()
        if dot and not label.startswith("_") and is_criterion(schema.casefold()):
            chosen.setdefault(schema, {})[label] = raw
        elif plain == "labels" and isinstance(raw, Mapping):
            row |= raw
            chosen |= {one: labels for one, labels in raw.items() if isinstance(labels, Mapping)}
        else:
            row[_OWN.get(plain, name)] = raw
    return row | {schema: _answer(schema, labels, is_value) for schema, labels in chosen.items()}


def _answer(schema: str, labels: Mapping[str, object], is_value: IsValue) -> object:
    given = {one: raw for one, raw in labels.items() if raw is not False and not is_no_value(raw)}
    if len(given) > 1:
        return " | ".join(given)
    return next((one if is_value(schema, one) else raw for one, raw in given.items()), None)
