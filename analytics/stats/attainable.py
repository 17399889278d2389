"""What can a judge reach against people who are not flawless?

Let `r` be the reliability of one rating, how well single people agree: the share of its variance that
is true score, what people would give an item on average (Lord & Novick 1968, Statistical Theories of
Mental Test Scores, sections 2.3 and 3.9). Whatever a judge says, as long as it does not share the
errors of single people, correlates with a rating by √r at most; and no intraclass correlation, no
kappa and no concordance is above the correlation that belongs to it, for the arithmetic mean of two
spreads is never below the geometric one. So √r bounds them all: `at_most`.

A judge that gives the true score itself correlates by √r, but spreads less than people do, by a
factor of r in variance. Its intraclass correlation with one of them is therefore 2r / (1 + r); only a
judge that stretches the true scores to the spread of people reaches √r. Of a kappa the truth itself
reaches anything up to √r, by how raters err. Beside the mean of k people all this holds with their
reliability, k r / (1 + (k - 1) r), in the place of r.
"""

from collections.abc import Callable
from dataclasses import replace

from analytics.stats.estimates import Estimate

_INTRACLASS = frozenset({"icc_a1", "icc_c1"})
_BOUNDED = _INTRACLASS | {"kappa", "kappa_quadratic"}


def of_the_truth(reliability: Estimate, statistic: str) -> Estimate | None:
    """What a judge that gives the true score reaches against single people, with its interval; of a
    kappa the most that it can.

    `reliability`: agreement of single people, an intraclass correlation or a kappa. None where
    nothing is known of the statistic, or people have no figure.
    """
    return _mapped(reliability, statistic, _of_spread if statistic in _INTRACLASS else _root)


def at_most(reliability: Estimate, statistic: str) -> Estimate | None:
    """What no judge exceeds but by chance, or by sharing the errors of single people."""
    return _mapped(reliability, statistic, _root)


def reliability_for(bar: float, statistic: str) -> float | None:
    """How well people must agree so that the truth can reach a bar: the inverse of `of_the_truth`."""
    if statistic in _INTRACLASS:
        return bar / (2 - bar) if bar > 0 else 0.0
    return least_reliability_for(bar, statistic)


def least_reliability_for(bar: float, statistic: str) -> float | None:
    """How well people must agree so that any judge can: the inverse of `at_most`."""
    return max(bar, 0.0) ** 2 if statistic in _BOUNDED else None


def _mapped(found: Estimate, statistic: str, way: Callable[[float], float]) -> Estimate | None:
    if statistic not in _BOUNDED or found.value is None:
        return None
    return replace(
        found,
        statistic=statistic,
        value=way(found.value),
        low=None if found.low is None else way(found.low),
        high=None if found.high is None else way(found.high),
    )


def _of_spread(reliability: float) -> float:
    share = _share(reliability)
    return 2 * share / (1 + share)


def _root(reliability: float) -> float:
    return float(_share(reliability) ** 0.5)


def _share(reliability: float) -> float:
    return min(max(reliability, 0.0), 1.0)
