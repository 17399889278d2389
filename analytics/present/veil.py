"""What is told of people to who sees figures but no single raters (ADR 31)."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from analytics.agreement.numbers import Comparison, Kind, RaterLine, Report
from analytics.exports.pseudonyms import page_name
from analytics.figures.part import R
from analytics.judges.numbers import Against, JudgesReport, Reference
from analytics.present.places import SINGLE
from annotation.queries.studies import StudyAccess


@dataclass(frozen=True, slots=True, kw_only=True)
class Veil:
    """People have names made with `secret`, which no release knows; what is of one of them, and
    what counts single answers, is told where `least` people rated, and not before."""

    secret: str
    least: int

    def name(self, rater: int) -> str:
        return page_name(self.secret, rater)

    def tells_of(self, n_people: int) -> bool:
        return n_people >= self.least


def veil_of(study_access: StudyAccess) -> Veil | None:
    """The veil that figures of a study have for this account; None: single raters are granted."""
    if study_access.sees_single_raters:
        return None
    data_set = study_access.study.data_set
    return Veil(secret=data_set.page_secret, least=data_set.least_raters)


def veiled(report: R, veil: Veil | None) -> R:
    """A report as it is told through a veil; as it is, without one."""
    if veil is None or not hasattr(report, "raters"):
        return report
    told: Any = replace(report, raters=tuple(_named(one, veil) for one in report.raters))
    n_people = sum(not one.is_judge for one in told.raters)
    if isinstance(told, Report):
        told = _agreement(told, veil, n_people)
    elif isinstance(told, JudgesReport):
        told = _judges(told, veil, n_people)
    return told  # type: ignore[no-any-return]  # the same class, which `replace` does not say


def veiled_each(reports: Mapping[Any, R], veil: Veil | None) -> dict[Any, R]:
    return {view: veiled(report, veil) for view, report in reports.items()}


def _named(one: RaterLine, veil: Veil) -> RaterLine:
    name = veil.name(one.id)
    return one if one.is_judge else replace(one, key=name, name=name)


def _agreement(report: Report, veil: Veil, n_people: int) -> Report:
    judges = {one.id for one in report.raters if one.is_judge}
    each = veil.tells_of(n_people)
    return replace(
        report,
        comparisons=tuple(
            _counts_of_many(one, veil)
            for one in report.comparisons
            if each or one.kind not in SINGLE
        ),
        quality=tuple(one for one in report.quality if each or one.rater in judges),
    )


def _counts_of_many(one: Comparison, veil: Veil) -> Comparison:
    """Without its table of counts, if that is of the answers of few people."""
    n_people = {**dict.fromkeys(SINGLE, 1), Kind.JUDGE_HUMANS: len(one.raters) - 1}.get(one.kind)
    is_of_few = n_people is not None and not veil.tells_of(n_people)
    return replace(one, table=None) if is_of_few else one


def _judges(report: JudgesReport, veil: Veil, n_people: int) -> JudgesReport:
    each = veil.tells_of(n_people)
    return replace(
        report,
        against=tuple(_against(one, veil, each=each) for one in report.against),
        beside=tuple(one if each else replace(one, people=()) for one in report.beside),
    )


def _against(one: Against, veil: Veil, *, each: bool) -> Against:
    is_told = each or one.reference is Reference.GOLD
    return replace(
        one,
        item=_counts_of_many(one.item, veil),
        each=tuple(_counts_of_many(pair, veil) for pair in one.each) if each else (),
        shape=one.shape if is_told else replace(one.shape, bubbles=()),
    )
