"""What a report says of a judge at one place: a criterion, what it is measured by, a statistic."""

from collections.abc import Mapping

from analytics.agreement.numbers import CriterionLine
from analytics.judges.numbers import Against, JudgesReport, Reference
from analytics.stats.ceiling import UnderCeiling
from analytics.stats.constant import ConstantJudge
from analytics.stats.estimates import Estimate


def line_of(report: JudgesReport, criterion: str) -> CriterionLine:
    return next(line for line in report.criteria if line.key == criterion)


def against(
    report: JudgesReport, judge: int, criterion: str, reference: Reference
) -> Against | None:
    """The judge beside people or gold, where it shares an item with them."""
    return next(
        (
            one
            for one in report.against
            if (one.judge, one.criterion, one.reference) == (judge, criterion, reference)
        ),
        None,
    )


def under_ceiling(
    report: JudgesReport, judge: int, criterion: str, reference: Reference, statistic: str
) -> UnderCeiling | None:
    """The judge under the ceiling of people, where one can be told; gold has none."""
    if reference is not Reference.PEOPLE:
        return None
    found = next(
        (
            one.ceiling.get(statistic)
            for one in report.beside
            if (one.judge, one.criterion) == (judge, criterion)
        ),
        None,
    )
    return found if found and found.people.value is not None else None


def straw_man(
    report: JudgesReport, criterion: str, reference: Reference, statistic: str, *, consensus: bool
) -> ConstantJudge | None:
    """Who always says the same and comes to most, under the ceiling or over all pairs."""
    is_gold = reference is Reference.GOLD
    found: Mapping[str, ConstantJudge] = next(
        (one.best for one in report.under_ceiling if one.criterion == criterion)
        if consensus
        else (
            one.best
            for one in report.straw_men
            if (one.criterion, one.is_gold) == (criterion, is_gold)
        ),
        {},
    )
    return found.get(statistic)


def straw_man_beside(
    report: JudgesReport, judge: int, criterion: str, reference: Reference, statistic: str
) -> ConstantJudge | None:
    """The same, measured as `agreement` measures this judge."""
    under = under_ceiling(report, judge, criterion, reference, statistic)
    return straw_man(report, criterion, reference, statistic, consensus=under is not None)


def agreement(
    report: JudgesReport, judge: int, criterion: str, reference: Reference, statistic: str
) -> Estimate | None:
    """A statistic of the judge: under the ceiling where there is one, else over all pairs."""
    under = under_ceiling(report, judge, criterion, reference, statistic)
    if under:
        return under.judge
    found = against(report, judge, criterion, reference)
    return found.item.estimates.get(statistic) if found else None
