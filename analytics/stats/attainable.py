"""What could a flawless judge reach against people who are not?

A judge that knew the truth still disagrees with a person wherever the person errs. Let `r` be the
reliability of one rating, the share of its variance that is truth. Then (Lord & Novick, 1968,
Statistical Theories of Mental Test Scores, section 3.9) the truth and a rating correlate by √r, and
their intraclass correlation, where the truth varies by r of what a rating does, is 2r / (1 + r).
A kappa is a correlation at best, so √r bounds it.
"""

from dataclasses import replace

from analytics.stats.estimates import Estimate

_INTRACLASS = frozenset({"icc_a1", "icc_c1"})
_CORRELATED = frozenset({"kappa", "kappa_quadratic"})


def attainable(reliability: Estimate, statistic: str) -> Estimate | None:
    """The most that a judge can reach in a statistic against single people, with its interval.

    `reliability`: agreement of single people, an intraclass correlation or a kappa. None where no
    bound is known for the statistic, or people have no figure.
    """
    if statistic not in _INTRACLASS | _CORRELATED or reliability.value is None:
        return None
    return replace(
        reliability,
        statistic=statistic,
        value=_most(reliability.value, statistic),
        low=None if reliability.low is None else _most(reliability.low, statistic),
        high=None if reliability.high is None else _most(reliability.high, statistic),
    )


def reliability_for(bar: float, statistic: str) -> float | None:
    """How well people must agree so that a flawless judge can reach a bar; the inverse."""
    if statistic in _INTRACLASS:
        return bar / (2 - bar) if bar > 0 else 0.0
    return max(bar, 0.0) ** 2 if statistic in _CORRELATED else None


def _most(reliability: float, statistic: str) -> float:
    share = min(max(reliability, 0.0), 1.0)
    return float(2 * share / (1 + share) if statistic in _INTRACLASS else share**0.5)
