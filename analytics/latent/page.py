"""Items of which raters leave open whether they are truly to be flagged, the least sure first."""

from dataclasses import dataclass

from django.utils.translation import gettext as _

from analytics.items import page as cases
from analytics.items.page import CaseList
from analytics.latent.numbers import DoubtfulItem, doubtful_items
from analytics.present.naming import Naming
from analytics.present.page import NoSuchPage
from analytics.ratings import slices
from analytics.ratings.matrices import View
from annotation.queries.studies import StudyAccess

MOST = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class DoubtfulList:
    """Of one criterion, by people alone, or by people and the judge called `judge_name`."""

    criterion: str
    judge_name: str
    n: int
    cases: CaseList

    @property
    def is_cut(self) -> bool:
        """Whether there are more than are listed."""
        return self.n > MOST


def doubtful_list(
    study_access: StudyAccess,
    naming: Naming,
    criterion: str,
    *,
    judge: int | None,
    view: View,
    page: str,
) -> DoubtfulList:
    """The items that the tables of raters and judges count as doubtful; NoSuchPage."""
    study = slices.read(study_access.study.pk, view.within)
    if criterion not in {part.key for part in study.rubric.with_levels}:
        raise NoSuchPage
    if judge is not None and judge not in {one.id for one in study.judges}:
        raise NoSuchPage
    found = doubtful_items(study, criterion, view=view, judge=judge)
    return DoubtfulList(
        criterion=naming.criterion(criterion).text,
        judge_name="" if judge is None else naming.rater(judge).text,
        n=len(found),
        cases=cases.listed(
            study_access,
            {one.item: (f"{100 * one.chance:.0f} %", _flagged_by(one)) for one in found[:MOST]},
            first_name=_("Chance that it is to be flagged"),
            second_name=_("Flagged by"),
            page=page,
            is_ranked=True,
        ),
    )


def _flagged_by(one: DoubtfulItem) -> str:
    people = _("%(n)s of %(of)s people") % {"n": one.n_flags, "of": one.n_people}
    if one.by_judge is None:
        return people
    judge = _("the judge in %(share)s of its answers") % {"share": f"{100 * one.by_judge:.0f} %"}
    return f"{people}, {judge}"
