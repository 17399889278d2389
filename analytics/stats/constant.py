"""The straw man: a judge that gives every item the same answer, held to what a real one is.

Where nearly all items deserve the same answer, such a judge agrees with people almost always. What
it would pass as well says nothing of a judge, so every promise is held against it first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from analytics.stats.ceiling import SMALLER_IS_BETTER
from analytics.stats.estimates import Estimate
from analytics.stats.scales import Floats, points_of

_NEAREST_TO_ZERO = frozenset({"bias"})
_OF_NO_MERIT = frozenset({"bias", "loa_low", "loa_high"})


@dataclass(frozen=True, slots=True, kw_only=True)
class ConstantJudge:
    """A judge that always says `says`, and the figures it would have."""

    says: float
    estimates: Mapping[str, Estimate]


def always(point: float, said: npt.ArrayLike) -> Floats:
    """The answers (n,) of a judge that always says `point`, where the real one `said` anything."""
    given = np.asarray(said, dtype=np.float64)
    return np.where(np.isnan(given), np.nan, point)


def only_answer(said: npt.ArrayLike) -> float | None:
    """What a judge says to every item it answers; None where it does not say the same to all."""
    given = np.asarray(said, dtype=np.float64)
    answers = np.unique(given[~np.isnan(given)])
    return float(answers[0]) if answers.size == 1 else None


def constant_judges(
    said: npt.ArrayLike,
    *,
    points: Sequence[float] | npt.NDArray[Any],
    measure: Callable[[Floats], Mapping[str, Estimate]],
) -> tuple[ConstantJudge, ...]:
    """A constant judge for each point of the scale in the place of the real one, who `said` (n,).

    `measure` is the very function that makes the figures of the real judge from its answers.
    """
    return tuple(
        ConstantJudge(says=point, estimates=measure(always(point, said)))
        for point in points_of(points).tolist()
    )


def best_constant(judges: Iterable[ConstantJudge], statistic: str) -> ConstantJudge | None:
    """The one that looks best by a statistic; None where it is defined for none of them."""
    valued = [one for one in judges if _value(one, statistic) is not None]
    return max(valued, key=lambda one: _merit(one, statistic), default=None)


def comes_as_far(constant: Estimate | None, judge: Estimate) -> bool:
    """Whether a straw man comes to as much as the judge may: then the figure certifies nothing.

    The judge must surely be better, with its whole interval; without one, by its value.
    """
    if constant is None or constant.value is None or judge.value is None:
        return False
    if judge.statistic in _OF_NO_MERIT:
        return False
    if judge.statistic in SMALLER_IS_BETTER:
        return constant.value <= (judge.value if judge.high is None else judge.high)
    return constant.value >= (judge.value if judge.low is None else judge.low)


def best_by_statistic(
    judges: Sequence[ConstantJudge], statistics: Iterable[str]
) -> dict[str, ConstantJudge]:
    """{statistic: the one that looks best by it, with that figure alone}."""
    best = {name: best_constant(judges, name) for name in statistics}
    return {
        name: replace(one, estimates={name: one.estimates[name]})
        for name, one in best.items()
        if one
    }


def _value(judge: ConstantJudge, statistic: str) -> float | None:
    estimate = judge.estimates.get(statistic)
    return estimate.value if estimate else None


def _merit(judge: ConstantJudge, statistic: str) -> float:
    value = _value(judge, statistic) or 0.0
    if statistic in _NEAREST_TO_ZERO:
        return -abs(value)
    return -value if statistic in SMALLER_IS_BETTER else value
