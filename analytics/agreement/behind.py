"""The ratings behind a comparison that was kept: they are those of now, and may be newer than it."""

from analytics.comparisons.kinds import Comparison
from analytics.figures.on_the_way import FiguresOnTheWay
from analytics.ratings.matrices import Matrix


def with_all_of(comparison: Comparison, table: Matrix) -> Matrix:
    """The ratings of its criterion. FiguresOnTheWay where somebody in it is there no longer, or under
    another number, as when judges were blinded meanwhile: newer figures come."""
    if not {rater.id for rater in table.raters}.issuperset(comparison.raters):
        raise FiguresOnTheWay(0.0)
    return table
