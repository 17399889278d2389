"""The items behind a mark of somebody's course: what they gave in one week, and what the others did."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date

import numpy as np
from django.utils.translation import gettext as _

from analytics.items import page as cases
from analytics.items.page import CaseList
from analytics.present.naming import Naming
from analytics.present.page import NoSuchPage
from analytics.present.words import point_names
from analytics.raters import words
from analytics.raters.numbers import behind_week
from analytics.ratings import matrices, slices
from analytics.ratings.matrices import Matrix, RaterColumn, View
from annotation.queries.studies import StudyAccess


@dataclass(frozen=True, slots=True, kw_only=True)
class WeekList:
    """What `person` gave on one criterion in the `week`."""

    key: str
    criterion: str
    person: str
    week: str
    n: int
    cases: CaseList


def week_list(
    study_access: StudyAccess,
    naming: Naming,
    *,
    criterion: str,
    rater: int,
    monday: str,
    view: View,
    page: str,
) -> WeekList:
    """The items that others rated too, whenever they did; NoSuchPage."""
    study = slices.read(study_access.study.pk, view.within)
    person = next((one for one in study.humans if one.id == rater), None)
    if person is None or criterion not in {part.key for part in study.rubric.scored}:
        raise NoSuchPage
    day = _day(monday)
    table = matrices.matrix(study, criterion, view=view)
    found = {
        int(study.items[place]): (
            _worded(naming, table, person, place),
            ", ".join(_by_others(naming, table, person, place)),
        )
        for place in behind_week(study, table, person, day).tolist()
    }
    return WeekList(
        key=criterion,
        criterion=naming.criterion(criterion).text,
        person=person.name,
        week=words.day(day),
        n=len(found),
        cases=cases.listed(
            study_access, found, first_name=person.name, second_name=_("The others"), page=page
        ),
    )


def _day(written: str) -> date:
    try:
        return date.fromisoformat(written)
    except ValueError:
        raise NoSuchPage from None


def _by_others(naming: Naming, table: Matrix, person: RaterColumn, place: int) -> Iterator[str]:
    for other in table.people:
        if other != person and np.isfinite(table.of(other)[place]):
            yield f"{other.name} {_worded(naming, table, other, place)}"


def _worded(naming: Naming, table: Matrix, rater: RaterColumn, place: int) -> str:
    [name] = point_names(naming.rubric, table.key, [table.of(rater)[place]])
    return name
