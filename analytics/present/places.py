"""Where a comparison is: in a report, and in an address."""

from typing import NamedTuple

from analytics.agreement.numbers import CriterionLine, Report
from analytics.comparisons.kinds import WITH_JUDGE, Comparison, Kind
from analytics.measures import Suited, suited
from analytics.present.page import NoSuchPage
from analytics.stats.constant import ConstantJudge
from analytics.stats.estimates import Estimate

PANELS = (Kind.HUMANS, Kind.JUDGE_REPEATS)
ALL = "all"  # of the people


class ComparisonPlace(NamedTuple):
    """Where a comparison is, in an address."""

    criterion: str
    kind: str
    raters: str


def place_of(comparison: Comparison) -> ComparisonPlace:
    """How a comparison is named in an address: by ids, never by names; one that grows stays."""
    raters = {Kind.HUMANS: [ALL], Kind.JUDGE_HUMANS: [str(comparison.raters[-1])]}
    named = raters.get(comparison.kind) or list(map(str, comparison.raters))
    return ComparisonPlace(comparison.criterion, comparison.kind.value, "-".join(named))


def comparison_at(report: Report, place: ComparisonPlace) -> Comparison:
    """The comparison with this address, or NoSuchPage."""
    found = next((one for one in report.comparisons if place_of(one) == place), None)
    if found is None:
        raise NoSuchPage
    return found


def estimate_of(report: Report, comparison: Comparison, family: str) -> Estimate | None:
    """The statistic of a family that a comparison has, None where none suits.

    Where raters rotate, the ICC of all items, not that of the few which all have rated.
    """
    known = suited_to(criterion_line(report, comparison.criterion)).families.get(family)
    if known is None:
        return None
    name = known[0 if comparison.kind in PANELS else 1]
    return comparison.estimates.get(f"{name}_reml") or comparison.estimates.get(name)


def straw_man_beside(report: Report, comparison: Comparison, family: str) -> ConstantJudge | None:
    """Who always says the same and comes to most by a family's statistic, beside what a judge is
    compared with; None of people among themselves."""
    if comparison.kind not in WITH_JUDGE:
        return None
    name = suited_to(criterion_line(report, comparison.criterion)).families.get(family, ("", ""))[1]
    place = (comparison.criterion, comparison.kind is Kind.JUDGE_GOLD)
    found = next(one for one in report.straw_men if (one.criterion, one.is_gold) == place)
    return found.best.get(name)


def criterion_line(report: Report, key: str) -> CriterionLine:
    """The criterion with this key, or NoSuchPage."""
    line = next((line for line in report.criteria if line.key == key), None)
    if line is None:
        raise NoSuchPage
    return line


def suited_to(line: CriterionLine) -> Suited:
    return suited(line.measurement, is_group=line.is_group)


def leading(report: Report, line: CriterionLine) -> str:
    """The first leading family that is defined wherever ratings are compared, else the first."""
    compared = [
        one
        for one in report.comparisons
        if one.criterion == line.key and one.kind in (Kind.HUMANS, Kind.JUDGE_HUMANS)
    ]
    families = suited_to(line).leading
    for family in families:
        found = [estimate_of(report, one, family) for one in compared]
        if all(estimate and estimate.value is not None for estimate in found):
            return family
    return families[0]
