"""Several differences looked at together: which of them are clear."""

from __future__ import annotations

from collections.abc import Sequence

from scipy import special

from analytics.stats.alternative import benjamini_yekutieli
from analytics.stats.estimates import Estimate
from analytics.stats.intervals import IntervalScale, Unit, jackknife_method

_PLAIN = {
    jackknife_method(unit, IntervalScale.PLAIN) for unit in (Unit.DIALOGUE, Unit.ITEM, Unit.SYSTEM)
}


def p_value(difference: Estimate) -> float | None:
    """Two-sided p-value of no difference, by the Student's t that its interval was made with.

    For jackknife intervals on the plain scale, as differences have; None for any other.
    """
    value, low, high = difference.value, difference.low, difference.high
    if difference.method not in _PLAIN or value is None or low is None or high is None:
        return None
    freedom = difference.n_clusters - 1
    error = (high - low) / 2 / special.stdtrit(freedom, 0.975)
    return float(2 * special.stdtr(freedom, -abs(value) / error))


def clear_together(differences: Sequence[Estimate]) -> list[bool]:
    """Which differences stay clear of zero when false discoveries over all of them are held to
    5 %, however they depend on each other; those that cannot be tested are not."""
    p_values = [p_value(one) for one in differences]
    tested = [p for p in p_values if p is not None]
    found = iter(benjamini_yekutieli(tested).tolist())
    return [p is not None and next(found) for p in p_values]
