"""Which items a reader looks at: those with one value of one attribute, named `attribute:value`.

A slice restricts what a study holds and nothing else: figures of a slice are computed as those of
the whole are, from fewer items.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

import numpy as np
from django.db.models import Case, QuerySet, TextField, Value, When
from django.db.models.functions import Cast, Length
from django.http import Http404
from django.utils.translation import gettext as _

from accounts.punctuation import listed
from analytics.ratings import blinding, matrices
from analytics.ratings.matrices import StudyRatings
from annotation.models import Item, RoundItem

LEAST, FEW = 10, 30
MOST_VALUES = 60
HAN = r"[\u4e00-\u9fff]"
LENGTHS = ("short", "middle", "long")


class NoSuchSlice(Http404):
    """The study has no slice of this name, or one of too few items; `said` is for the reader."""

    @property
    def said(self) -> str:
        return str(self)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sliceable:
    """An attribute of the items of a study, and how many items have each of its values."""

    attribute: str
    sizes: Mapping[str, int]


def sliceable(study_id: int) -> list[Sliceable]:
    """The attributes by which a study can be sliced: those with several values, of which not too
    many have enough items."""
    found = []
    every = {name: values_of(study_id) for name, values_of in ATTRIBUTES.items()}
    for attribute, values in (every | _given(study_id)).items():
        sizes = Counter(value for _item, value in values if value)
        whole = {value: n for value, n in sorted(sizes.items()) if n >= LEAST}
        if whole and len(sizes) > 1 and len(whole) <= MOST_VALUES:
            found.append(Sliceable(attribute=attribute, sizes=whole))
    return found


def items_in(study_id: int, text: str) -> set[int]:
    """The items of a slice; NoSuchSlice where there are none, or so few that figures of them would
    tell what single items were given."""
    attribute, _colon, value = text.partition(":")
    values_of = ATTRIBUTES.get(attribute)
    values = values_of(study_id) if values_of else _given(study_id).get(attribute, ())
    found = {item for item, one in values if one == value}
    if not value or len(found) < LEAST:
        raise NoSuchSlice(_reason(study_id, text, n_items=len(found)))
    return found


def gives_back_few(study_id: int, text: str) -> bool:
    """Whether the figures of a slice, with those of the other slices of its attribute and of the whole,
    are those of the few items that are in none of them. It is asked of the smallest: the others add up
    to nothing without it."""
    attribute = text.partition(":")[0]
    values_of = ATTRIBUTES.get(attribute)
    values = list(values_of(study_id) if values_of else _given(study_id).get(attribute, ()))
    sizes = Counter(value for _item, value in values if value)
    whole = {value: n for value, n in sizes.items() if n >= LEAST}
    told = {item for item, value in values if value in whole}
    left_over = Item.objects.filter(study=study_id).count() - len(told)
    smallest = min(whole, key=lambda value: (whole[value], value), default="")
    return 0 < left_over < LEAST and text == f"{attribute}:{smallest}"


def _reason(study_id: int, text: str, *, n_items: int) -> str:
    if n_items:
        few = _(
            "The slice “%(slice)s” has too few items for figures: %(n)s, and %(least)s are asked."
        )
        return few % {"slice": text, "n": n_items, "least": LEAST}
    there = [f"{one.attribute}:{value}" for one in sliceable(study_id) for value in one.sizes]
    words = {"slice": text, "there": listed(there)}
    if not there:
        return _("“%(slice)s” is no slice of this study: its items do not differ.") % words
    return _("“%(slice)s” is no slice of this study. There are: %(there)s.") % words


def read(study_id: int, text: str) -> StudyRatings:
    """A study as it is now, or a slice of it."""
    return within(matrices.read(study_id), text)


def within(study: StudyRatings, text: str) -> StudyRatings:
    """A study as if it had the items of a slice alone, and whoever rated one of them."""
    if not text:
        return study
    return study.at_items(np.isin(study.items, sorted(items_in(study.study_id, text))))


def _generators(study_id: int) -> Iterable[tuple[int, str]]:
    """None while a judge that is left out on a source is blinded."""
    return (
        [] if blinding.hides_sources(study_id) else _items(study_id).values_list("pk", "generator")
    )


def _rounds(study_id: int) -> Iterable[tuple[int, str]]:
    """An item belongs to every round that it was in."""
    found = RoundItem.objects.filter(round__study=study_id)
    return [(item, str(number)) for item, number in found.values_list("item", "round__number")]


def _languages(study_id: int) -> Iterable[tuple[int, str]]:
    """By the script of the reply, and of its dialogue where the reply was not released."""
    in_chinese = (
        When(reply__regex=HAN, then=Value("zh")),
        When(reply=None, turns__regex=HAN, then=Value("zh")),
    )
    found = _items(study_id).annotate(turns=Cast("dialogue__turns", TextField()))
    return found.annotate(language=Case(*in_chinese, default=Value("other"))).values_list(
        "pk", "language"
    )


def _lengths(study_id: int) -> Iterable[tuple[int, str]]:
    """A third of the replies each, as far as replies of the same length let that be."""
    counted = _items(study_id).exclude(reply=None).annotate(length=Length("reply"))
    found = dict(counted.values_list("pk", "length"))
    if not found:
        return []
    cuts = np.quantile(list(found.values()), [1 / 3, 2 / 3])
    return [(pk, LENGTHS[int(np.searchsorted(cuts, length))]) for pk, length in found.items()]


def _notes(study_id: int) -> Iterable[tuple[int, str]]:
    """Whether the item carries a content note."""
    found = _items(study_id).values_list("pk", "content_note")
    return [(pk, "with" if note else "without") for pk, note in found]


def _given(study_id: int) -> dict[str, list[tuple[int, str]]]:
    """{name: item and value} of the attributes that items came with.

    None while a judge that is left out on a source is blinded: one may name the source.
    """
    if blinding.hides_sources(study_id):
        return {}
    given: dict[str, list[tuple[int, str]]] = {}
    found = _items(study_id).exclude(attributes={}).values_list("pk", "attributes")
    for item, attributes in found:
        for name, value in attributes.items():
            given.setdefault(name, []).append((item, value))
    return dict(sorted(given.items()))


def _items(study_id: int) -> QuerySet[Item]:
    return Item.objects.filter(study=study_id)


ATTRIBUTES: Mapping[str, Callable[[int], Iterable[tuple[int, str]]]] = {
    "generator": _generators,
    "language": _languages,
    "round": _rounds,
    "length": _lengths,
    "note": _notes,
}
