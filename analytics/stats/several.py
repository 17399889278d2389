"""Several differences looked at together: which of them are clear."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from scipy import special

from analytics.stats.alternative import benjamini_yekutieli
from analytics.stats.estimates import Estimate
from analytics.stats.intervals import IntervalScale, Unit, jackknife_method, runs_method
from analytics.stats.runs import LEAST_RUNS

_PLAIN = {
    jackknife_method(unit, IntervalScale.PLAIN) for unit in (Unit.DIALOGUE, Unit.ITEM, Unit.SYSTEM)
}


_OF_RUNS = {runs_method(unit, IntervalScale.PLAIN) for unit in (Unit.DIALOGUE, Unit.ITEM)}


def p_value(difference: Estimate) -> float | None:
    """Two-sided p-value of no difference, by the Student's t that its interval was made with.

    For jackknife intervals on the plain scale, as differences have; None for any other. Of an
    interval that speaks of other runs the degrees of freedom are not kept: those of `LEAST_RUNS`
    runs are taken, which are the fewest there can be, so that a p-value below 5 % is never too small.
    """
    value, low, high = difference.value, difference.low, difference.high
    if value is None or low is None or high is None:
        return None
    if difference.method not in _PLAIN | _OF_RUNS:
        return None
    freedom = LEAST_RUNS - 1 if difference.method in _OF_RUNS else difference.n_clusters - 1
    error = (high - low) / 2 / special.stdtrit(freedom, 0.975)
    return float(2 * special.stdtr(freedom, -abs(value) / error))


@dataclass(frozen=True, slots=True, kw_only=True)
class Family:
    """How many differences are tested together, and which of them stay clear of zero."""

    n: int
    clear: frozenset[Estimate]


def family(differences: Sequence[Estimate]) -> Family:
    """All differences that a page speaks of; see `clear_together`."""
    told = zip(differences, clear_together(differences), strict=True)
    return Family(
        n=sum(p_value(one) is not None for one in differences),
        clear=frozenset(one for one, is_clear in told if is_clear),
    )


def clear_together(differences: Sequence[Estimate]) -> list[bool]:
    """Which differences stay clear of zero when false discoveries over all of them are held to
    5 %, however they depend on each other; those that cannot be tested are not."""
    p_values = [p_value(one) for one in differences]
    tested = [p for p in p_values if p is not None]
    found = iter(benjamini_yekutieli(tested).tolist())
    return [p is not None and next(found) for p in p_values]
