"""Where a comparison is: in a report, and in an address."""

from typing import NamedTuple

from analytics.agreement.numbers import Comparison, CriterionLine, Kind, Report
from analytics.measures import Suited, suited
from analytics.stats.estimates import Estimate

PANELS = (Kind.HUMANS, Kind.JUDGE_REPEATS)


class NoSuchView(Exception):
    """The address asks for a criterion, statistic or comparison that there is not."""


class ComparisonPlace(NamedTuple):
    """Where a comparison is, in an address."""

    criterion: str
    kind: str
    raters: str


def place_of(comparison: Comparison) -> ComparisonPlace:
    """How a comparison is named in an address: by ids, never by names; one that grows stays."""
    raters = {Kind.HUMANS: ["all"], Kind.JUDGE_HUMANS: [str(comparison.raters[-1])]}
    named = raters.get(comparison.kind) or list(map(str, comparison.raters))
    return ComparisonPlace(comparison.criterion, comparison.kind.value, "-".join(named))


def comparison_at(report: Report, criterion: str, kind: str, raters: str) -> Comparison:
    """The comparison with this address, or NoSuchView."""
    place = ComparisonPlace(criterion, kind, raters)
    found = next((one for one in report.comparisons if place_of(one) == place), None)
    if found is None:
        raise NoSuchView
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


def criterion_line(report: Report, key: str) -> CriterionLine:
    line = next((line for line in report.criteria if line.key == key), None)
    if line is None:
        raise NoSuchView
    return line


def suited_to(line: CriterionLine) -> Suited:
    return suited(line.measurement, is_group=line.is_group)
