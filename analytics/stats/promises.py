"""What may be promised of answers that stand without a person: how many are wrong, and what slips.

The share of wrong answers alone promises little where little is flagged: a judge that never flags
is hardly ever wrong. So the flagged items are promised for by themselves.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from typing import NamedTuple, Protocol

import numpy as np
import numpy.typing as npt
from scipy import special

from analytics.stats.scales import Floats

LEAST_ITEMS = 30
ORDERS = 0.05


class Risk(StrEnum):
    """A share that a promise bounds: `WRONG`, of the accepted answers those that people do not
    share; `PASSED`, of the answers accepted without a flag those to items that people flag;
    `SLIPPED`, of the items that people flag those accepted without a flag."""

    WRONG = "wrong"
    PASSED = "passed"
    SLIPPED = "slipped"


class Tries(NamedTuple):
    """`bad` of `n` independent tries."""

    bad: int
    n: int

    @property
    def share(self) -> float | None:
        return self.bad / self.n if self.n else None


class TriedClasses(Protocol):
    """What was seen of the answers that are at least so sure."""

    @property
    def tries(self) -> Mapping[Risk, Tries]: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class JointPromise:
    """What is asked of the accepted answers: each share at most so large, all at once with chance
    1 - `delta`."""

    asked: Mapping[Risk, float]
    delta: float

    def __post_init__(self) -> None:
        if not all(0 < share < 1 for share in (*self.asked.values(), self.delta)):
            raise ValueError("Shares and delta lie between 0 and 1.")

    @property
    def delta_each(self) -> float:
        """The chance of error of one limit, so that all hold together (Bonferroni)."""
        return self.delta / len(self.asked)

    def limit(self, tries: Tries) -> float:
        """The upper limit of a share, exact and binomial (Clopper & Pearson 1934)."""
        return _limit(tries, self.delta_each)

    def low(self, tries: Tries) -> float:
        """The lower limit of a share, in the same way."""
        return 1 - _limit(Tries(tries.n - tries.bad, tries.n), self.delta_each)

    def limits(self, seen: TriedClasses) -> dict[Risk, float]:
        """The upper limits of all shares asked, which hold together."""
        return {risk: self.limit(seen.tries[risk]) for risk in self.asked}

    def broken(self, limits: Mapping[Risk, float]) -> tuple[Risk, ...]:
        """The shares whose limits are above what is asked."""
        return tuple(risk for risk, share in self.asked.items() if limits[risk] > share)

    def least(self, risk: Risk) -> int:
        """How many tries it takes for the limit to be low enough, not one of them bad."""
        needed = math.ceil(math.log(self.delta_each) / math.log1p(-self.asked[risk]))
        return max(needed, LEAST_ITEMS) if risk is Risk.WRONG else needed

    def lacking(self, seen: TriedClasses) -> tuple[Risk, ...]:
        """The shares that so few tries cannot bound as asked, whatever comes of them."""
        return tuple(risk for risk in self.asked if seen.tries[risk].n < self.least(risk))


def highest_rate(n_wrong: npt.ArrayLike, n: npt.ArrayLike, *, delta: float) -> Floats:
    """Upper limit at level `delta` of an error rate seen as `n_wrong` in `n` independent tries:
    the largest at which so few are still as likely as that (Clopper & Pearson 1934)."""
    k, tries = np.asarray(n_wrong, dtype=np.float64), np.asarray(n, dtype=np.float64)
    below = k < tries
    limit = special.betaincinv(k + 1, np.where(below, tries - k, 1.0), 1 - delta)
    return np.where(below, limit, 1.0)


@lru_cache(maxsize=2**16)
def _limit(tries: Tries, delta: float) -> float:
    return float(highest_rate(tries.bad, tries.n, delta=delta))


@dataclass(frozen=True, slots=True, kw_only=True)
class Descent:
    """How far down the thresholds a promise was tested: the first `n_lacking` had too few items to
    be, the next `n_kept` keep it, and the one after them, if any, does not."""

    n_lacking: int
    n_kept: int
    n_steps: int

    @property
    def lowest(self) -> int | None:
        """The place of the lowest threshold that keeps the promise."""
        return self.n_lacking + self.n_kept - 1 if self.n_kept else None

    @property
    def is_whole(self) -> bool:
        """Whether all that could be tested keeps it: then nothing is left to choose by."""
        return 0 < self.n_kept == self.n_steps - self.n_lacking


def descend(steps: Sequence[TriedClasses], promise: JointPromise) -> Descent:
    """Test the thresholds from the highest down until the first does not keep the promise.

    Learn then test (Angelopoulos, Bates, Candès, Jordan & Lei 2025, Annals of Applied Statistics
    19(2), 1641-1662): thresholds go down in an order fixed beforehand, so each is tested at the
    whole level, and a false one is passed with chance delta at most however many there are. All
    limits must hold at a threshold, each at its part of the level (Bonferroni), so that the printed
    limits hold together too. Where to begin hangs on how many items there are, not on how many of
    them are bad.
    """
    lacking = next(
        (place for place, step in enumerate(steps) if not promise.lacking(step)), len(steps)
    )
    tested = steps[lacking:]
    kept = next(
        (n for n, step in enumerate(tested) if promise.broken(promise.limits(step))), len(tested)
    )
    return Descent(n_lacking=lacking, n_kept=kept, n_steps=len(steps))


def chance_of_order(confidence: npt.ArrayLike, is_bad: npt.ArrayLike) -> float | None:
    """How likely bad answers would be as unsure as these if confidence said nothing of them.

    One-sided rank-sum test (Mann & Whitney 1947, Annals of Mathematical Statistics 18(1), 50-60)
    by the normal distribution, corrected for ties and for continuity: `confidence` (n,), `is_bad`
    (n,). None where none is bad, all are, or all are equally sure.
    """
    sure, bad = np.asarray(confidence, dtype=np.float64), np.asarray(is_bad, dtype=np.bool_)
    n, n_bad = sure.size, int(bad.sum())
    _, place, times = np.unique(sure, return_inverse=True, return_counts=True)
    if n_bad in (0, n) or times.size < 2:
        return None
    ranks: Floats = (np.cumsum(times) - (times - 1) / 2)[place]
    surer = ranks[bad].sum() - n_bad * (n_bad + 1) / 2
    n_good = n - n_bad
    ties = (times.astype(np.float64) ** 3 - times).sum() / (n * (n - 1))
    error = math.sqrt(n_bad * n_good / 12 * (n + 1 - ties))
    return float(special.ndtr((surer - n_bad * n_good / 2 + 0.5) / error))


def orders(chance: float | None) -> bool:
    """Whether confidence is shown to tell bad answers from good ones."""
    return chance is not None and chance <= ORDERS


@dataclass(frozen=True, slots=True, kw_only=True)
class StrawMan:
    """A judge that always says `says`: what people make of all its answers. It `flags` every item
    or none."""

    says: float
    flags: bool
    n_wrong: int
    n_flagged: int
    n: int

    def limits(self, promise: JointPromise, *, accepted: float) -> dict[Risk, float]:
        """The limits of its promise where as large a share of its answers is `accepted`.

        It is as sure of one answer as of another, so those are drawn at random, and of the flagged
        items the same share slips, no more and no less. Where it flags all, none can.
        """
        return self._limits(promise.limit, promise, accepted)

    def surely(self, promise: JointPromise, *, accepted: float) -> dict[Risk, float]:
        """The same from below: what each share of it is at least."""
        return self._limits(promise.low, promise, accepted)

    def _limits(
        self, limit: Callable[[Tries], float], promise: JointPromise, accepted: float
    ) -> dict[Risk, float]:
        every = {
            Risk.WRONG: limit(Tries(self.n_wrong, self.n)),
            Risk.PASSED: 0.0 if self.flags else limit(Tries(self.n_flagged, self.n)),
            Risk.SLIPPED: 0.0 if self.flags else accepted,
        }
        return {risk: every[risk] for risk in promise.asked}


def straw_man_that_passes(
    straw_men: Sequence[StrawMan], promise: JointPromise, *, accepted: float
) -> StrawMan | None:
    """The least wrong of the constant judges that may keep the promise as well; None where all of
    them surely break it.

    Where it is broken but not surely, a judge that knows nothing keeps it by chance on the answers
    that it happens to be surest of.
    """
    passing = [
        one for one in straw_men if not promise.broken(one.surely(promise, accepted=accepted))
    ]
    return min(passing, key=lambda one: one.n_wrong, default=None)
