"""The items behind a step of the caution curve: what people gave, and whether the judge held back."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from django.utils.translation import gettext as _

from analytics.items import page as cases
from analytics.items.page import CaseList
from analytics.judges import words
from analytics.judges.numbers import disputed_beside
from analytics.present.naming import Naming
from analytics.present.page import NoSuchPage
from analytics.present.words import point_names
from analytics.ratings import matrices, slices
from analytics.ratings.matrices import Matrix, RaterColumn, StudyRatings, View
from annotation.queries.studies import StudyAccess


@dataclass(frozen=True, slots=True, kw_only=True)
class DisputedList:
    """What one judge answered where people differ by so much: `dispute`, in words."""

    key: str
    judge_key: str
    criterion: str
    judge: str
    dispute: str
    n: int
    cases: CaseList


def disputed_list(
    study_access: StudyAccess,
    naming: Naming,
    *,
    criterion: str,
    judge: int,
    dispute: str,
    view: View,
    page: str,
) -> DisputedList:
    """The items on which people differ `dispute`, “0.5-1”; NoSuchPage."""
    study = slices.read(study_access.study.pk, view.within)
    rater = next((one for one in study.judges if one.id == judge), None)
    if rater is None or criterion not in {one.key for one in study.rubric.criteria}:
        raise NoSuchPage
    low, high = _ends(dispute)
    table = matrices.matrix(study, criterion, view=view)
    differing = disputed_beside(study, table, rater)
    of_step = np.flatnonzero((differing >= low) & (differing <= high)).tolist()
    found = {
        int(study.items[place]): (
            ", ".join(_by_people(study, table, naming, place)),
            _answered(study, table, naming, rater, place),
        )
        for place in of_step
    }
    return DisputedList(
        key=criterion,
        judge_key=rater.key,
        criterion=naming.criterion(criterion).text,
        judge=rater.name,
        dispute=words.dispute(low, high).text,
        n=len(found),
        cases=cases.listed(
            study_access, found, first_name=_("People"), second_name=rater.name, page=page
        ),
    )


def written(low: float, high: float) -> str:
    """How much people differ, as an address has it."""
    return f"{low}-{high}"


def _ends(dispute: str) -> tuple[float, float]:
    low, _to, high = dispute.partition("-")
    try:
        return float(low), float(high)
    except ValueError:
        raise NoSuchPage from None


def _by_people(study: StudyRatings, table: Matrix, naming: Naming, place: int) -> Iterator[str]:
    for person in study.humans:
        if said := _answered(study, table, naming, person, place):
            yield f"{person.name}: {said}"


def _answered(
    study: StudyRatings, table: Matrix, naming: Naming, rater: RaterColumn, place: int
) -> str:
    """The value that counts, and how many of all answers have none."""
    value = table.of(rater)[place]
    said = [] if np.isnan(value) else point_names(naming.rubric, table.key, [value])
    answers = matrices.without_value(study, table.key, [rater.id])[place]
    without = int(np.nansum(answers))
    if without:
        words_of = {"without": without, "n": int(np.isfinite(answers).sum())}
        said.append(_("%(without)s of %(n)s answers without a value") % words_of)
    return ", ".join(said)
