"""The items behind a mark of the page of raters: what a person gave, and what the others did."""

from collections.abc import Iterator
from datetime import date

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from analytics.present.listing import ItemList, ListAsked
from analytics.present.page import NoSuchPage
from analytics.raters import words
from analytics.raters.numbers import behind_week
from analytics.ratings.matrices import Matrix, RaterColumn
from annotation.queries.wording import said


def of_week(asked: ListAsked, *, criterion: str, rater: int, monday: str) -> ItemList:
    """What a person gave in a week to items that others rated too, whenever they did; NoSuchPage."""
    person, day = asked.person(rater), _day(monday)
    part = asked.part(criterion, asked.study.rubric.scored)
    table = asked.table(part.key)
    found = {
        int(asked.study.items[place]): (
            asked.words(table.key, [table.of(person)[place]]),
            ", ".join(_by_others(asked, table, person, place)),
        )
        for place in behind_week(asked.study, table, person, day).tolist()
    }
    n = len(found)
    says = ngettext(
        "%(n)s item rated in the week of %(week)s that others rated too, whenever they did.",
        "%(n)s items rated in the week of %(week)s that others rated too, whenever they did.",
        n,
    )
    return ItemList(
        title=f"{said(part.name)}: {person.name}",
        says=says % {"n": f"{n:,}", "week": words.day(day)},
        back=asked.address("agreement_raters", at="weeks", criterion=part.key),
        back_to=_("Raters"),
        cases=asked.cases(found, person.name, _("The others")),
    )


def _day(written: str) -> date:
    try:
        return date.fromisoformat(written)
    except ValueError:
        raise NoSuchPage from None


def _by_others(asked: ListAsked, table: Matrix, person: RaterColumn, place: int) -> Iterator[str]:
    for other in table.people:
        if other != person and (given := asked.words(table.key, [table.of(other)[place]])):
            yield f"{other.name} {given}"
