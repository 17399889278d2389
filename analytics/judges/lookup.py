"""What a report says of a judge at one place: a criterion, what it is measured by, a statistic."""

from analytics.agreement.numbers import CriterionLine
from analytics.judges.numbers import Against, JudgesReport, Reference
from analytics.stats.ceiling import UnderCeiling
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


def agreement(
    report: JudgesReport, judge: int, criterion: str, reference: Reference, statistic: str
) -> Estimate | None:
    """A statistic of the judge: under the ceiling where there is one, else over all pairs."""
    under = under_ceiling(report, judge, criterion, reference, statistic)
    if under:
        return under.judge
    found = against(report, judge, criterion, reference)
    return found.item.estimates.get(statistic) if found else None
