"""What is told of people to who sees figures but no single raters (ADR 31)."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from django.db.models import QuerySet

from accounts.models.prepared import Prepared
from analytics.agreement.numbers import RaterLine, Report
from analytics.comparisons.kinds import SINGLE, Comparison, Kind
from analytics.exports.pseudonyms import page_name, page_number
from analytics.figures.part import R
from analytics.judges.numbers import Against, JudgesReport, Reference
from analytics.ratings.matrices import StudyRatings, View
from annotation.models import DataSet
from annotation.queries.studies import StudyAccess


@dataclass(frozen=True, slots=True, kw_only=True)
class Veil:
    """People have ids and names made with `secret`, which no release knows; what is of one of them,
    and what counts single answers, is told where `least` people rated, and not before."""

    secret: str
    least: int

    def number(self, rater: int) -> int:
        """The id that a person has behind the veil: theirs would join with other pages."""
        return page_number(self.secret, rater)

    def name(self, rater: int) -> str:
        return page_name(self.number(rater))

    def tells_of(self, n_people: int) -> bool:
        return n_people >= self.least


def veil_of(study_access: StudyAccess) -> Veil | None:
    """The veil that figures of a study have for this account; None: single raters are granted."""
    if study_access.sees_single_raters:
        return None
    [(secret, least)] = _OF_DATA_SET.all(data_set=study_access.study.data_set_id)
    return Veil(secret=secret, least=least)


def _of_data_set(data_set: int) -> QuerySet[DataSet, Any]:
    return DataSet.objects.filter(pk=data_set).values_list("page_secret", "least_raters")


# Asked with every fragment of figures that is sent, so prepared.
_OF_DATA_SET = Prepared(_of_data_set)


def veiled(report: R, veil: Veil | None) -> R:
    """A report as it is told through a veil; as it is, without one."""
    if veil is None or not hasattr(report, "raters"):
        return report
    whole: Any = report
    told = replace(whole, raters=tuple(_named(one, veil) for one in whole.raters))
    numbers = {one.id: _number(one, veil) for one in whole.raters}
    n_people = sum(not one.is_judge for one in told.raters)
    if isinstance(told, Report):
        told = _agreement(told, veil, numbers, n_people)
    elif isinstance(told, JudgesReport):
        told = _judges(told, veil, numbers, n_people)
    return told  # type: ignore[no-any-return]  # the same class, which `replace` does not say


def veiled_each(reports: Mapping[View, R], veil: Veil | None) -> dict[View, R]:
    """The reports of several views, each as it is told; those that only their views tell apart are
    veiled once."""
    told: dict[View, R] = {}
    for view, report in reports.items():
        alike = (one for one in told if replace(reports[one], view=view) == report)
        same = next(alike, None)
        told[view] = replace(told[same], view=view) if same else veiled(report, veil)
    return told


def veiled_ratings(ratings: StudyRatings, veil: Veil | None) -> StudyRatings:
    """Ratings for figures about a veiled report: people have the same ids there as here."""
    if veil is None:
        return ratings
    numbers = {one.id: one.id if one.is_judge else veil.number(one.id) for one in ratings.raters}
    return replace(
        ratings,
        raters=tuple(replace(one, id=numbers[one.id]) for one in ratings.raters),
        columns={
            place._replace(rater=numbers.get(place.rater, place.rater)): codes
            for place, codes in ratings.columns.items()
        },
    )


Numbers = Mapping[int, int]
"""{id of a rater: the id that it has behind the veil}; judges keep theirs."""


def _number(one: RaterLine, veil: Veil) -> int:
    return one.id if one.is_judge else veil.number(one.id)


def _named(one: RaterLine, veil: Veil) -> RaterLine:
    name = veil.name(one.id)
    return one if one.is_judge else replace(one, id=_number(one, veil), key=name, name=name)


def _agreement(report: Report, veil: Veil, numbers: Numbers, n_people: int) -> Report:
    judges = {one.id for one in report.raters if one.is_judge}
    each = veil.tells_of(n_people)
    return replace(
        report,
        comparisons=tuple(
            _counts_of_many(one, veil, numbers)
            for one in report.comparisons
            if each or one.kind not in SINGLE
        ),
        quality=tuple(
            replace(one, rater=numbers[one.rater])
            for one in report.quality
            if each or one.rater in judges
        ),
    )


def _counts_of_many(one: Comparison, veil: Veil, numbers: Numbers) -> Comparison:
    """Without its table of counts, if that is of the answers of few people."""
    told = replace(one, raters=tuple(numbers[rater] for rater in one.raters))
    n_people = {**dict.fromkeys(SINGLE, 1), Kind.JUDGE_HUMANS: len(one.raters) - 1}.get(one.kind)
    is_of_few = n_people is not None and not veil.tells_of(n_people)
    return replace(told, table=None) if is_of_few else told


def _judges(report: JudgesReport, veil: Veil, numbers: Numbers, n_people: int) -> JudgesReport:
    each = veil.tells_of(n_people)
    return replace(
        report,
        against=tuple(_against(one, veil, numbers, each=each) for one in report.against),
        each=tuple(_counts_of_many(one, veil, numbers) for one in report.each if each),
        beside=tuple(
            replace(one, people=tuple(numbers[rater] for rater in one.people) if each else ())
            for one in report.beside
        ),
    )


def _against(one: Against, veil: Veil, numbers: Numbers, *, each: bool) -> Against:
    is_told = each or one.reference is Reference.GOLD
    return replace(
        one,
        item=_counts_of_many(one.item, veil, numbers),
        shape=one.shape if is_told else replace(one.shape, bubbles=()),
    )
