"""The items behind a mark of the page of raters: what a person gave, and what the others did, or the
same person when they came back."""

from collections.abc import Iterator, Mapping
from datetime import date

import numpy as np
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from accounts.punctuation import labelled, listed
from analytics.present.listing import ItemList, ListAsked
from analytics.present.page import NoSuchPage
from analytics.raters import words
from analytics.raters.numbers import behind_week, differing, shared_by
from analytics.ratings.history import said_again
from analytics.ratings.matrices import Matrix, RaterColumn
from analytics.stats.scales import Ints
from annotation.queries.wording import said
from annotation.rubric.schema import Scored

_PARTS: Mapping[str, Promise] = {
    "beside": gettext_lazy("People beside the others"),
    "weeks": gettext_lazy("Week by week"),
    "pairs": gettext_lazy("Every pair"),
}
"""What the parts of the page are called from which marks lead here."""


def of_week(asked: ListAsked, *, criterion: str, rater: int, monday: str) -> ItemList:
    """What a person gave in a week to items that others rated too, whenever they did; NoSuchPage."""
    person, day = asked.person(rater), _day(monday)
    part = asked.part(criterion, asked.study.rubric.scored)
    table = asked.table(part.key)
    places = behind_week(asked.study, table, person, day)
    says = ngettext(
        "%(n)s item rated in the week of %(week)s that others rated too, whenever they did.",
        "%(n)s items rated in the week of %(week)s that others rated too, whenever they did.",
        places.size,
    ) % {"n": f"{places.size:,}", "week": words.day(day)}
    found = _beside_others(asked, table, person, places)
    return _listed(asked, part, person, says, found, _("The others"), at="weeks")


def apart(asked: ListAsked, *, criterion: str, rater: int) -> ItemList:
    """What a person gave, and somebody else not, in all weeks; NoSuchPage."""
    person = asked.person(rater)
    part = asked.part(criterion, asked.study.rubric.scored)
    table = asked.table(part.key)
    places = differing(table, person)
    says = ngettext(
        "%(n)s item of %(shared)s that others rated too, to which somebody gave another value.",
        "%(n)s items of %(shared)s that others rated too, to which somebody gave another value.",
        places.size,
    ) % {"n": f"{places.size:,}", "shared": f"{shared_by(table, person).size:,}"}
    found = _beside_others(asked, table, person, places)
    return _listed(asked, part, person, says, found, _("The others"), at="beside")


def again(asked: ListAsked, *, criterion: str, rater: int) -> ItemList:
    """What a person gave to items that came back unmarked, both times; NoSuchPage."""
    person = asked.person(rater)
    part = asked.part(criterion, asked.study.rubric.criteria)
    given = said_again(asked.study, asked.view)
    of_person = given[(given["rater"] == person.id) & (given["criterion"] == part.key)]
    items, first, answer = (of_person[name].to_numpy() for name in ("item", "first", "again"))
    found = {
        int(asked.study.items[place]): (
            asked.words(part.key, first[items == place]),
            asked.words(part.key, answer[items == place]),
        )
        for place in np.unique(items).tolist()
    }
    says = ngettext(
        "%(n)s item that came back to the same person, unmarked.",
        "%(n)s items that came back to the same person, unmarked.",
        len(found),
    ) % {"n": f"{len(found):,}"}
    return _listed(asked, part, person, says, found, _("When it came back"), at="pairs")


def _listed(
    asked: ListAsked,
    part: Scored,
    person: RaterColumn,
    says: str,
    found: dict[int, tuple[str, str]],
    beside: str,
    *,
    at: str,
) -> ItemList:
    return ItemList(
        title=labelled(said(part.name), person.name),
        says=says,
        back=asked.address("agreement_raters", at=at, criterion=part.key),
        back_to=str(_PARTS[at]),
        cases=asked.cases(found, person.name, beside),
    )


def _beside_others(
    asked: ListAsked, table: Matrix, person: RaterColumn, places: Ints
) -> dict[int, tuple[str, str]]:
    return {
        int(asked.study.items[place]): (
            asked.words(table.key, [table.of(person)[place]]),
            listed(_by_others(asked, table, person, place)),
        )
        for place in places.tolist()
    }


def _by_others(asked: ListAsked, table: Matrix, person: RaterColumn, place: int) -> Iterator[str]:
    for other in table.people:
        if other != person and (given := asked.words(table.key, [table.of(other)[place]])):
            yield f"{other.name} {given}"


def _day(written: str) -> date:
    try:
        return date.fromisoformat(written)
    except ValueError:
        raise NoSuchPage from None
