"""How often a bar is shown as met when the truth lies exactly at it, and one looks again and again.

People and a judge rate with an ICC(A,1) that is the bar itself, so every “met” is an error. Looking
whenever one likes is held against planned looks, among which the chance of error is shared.
"""

from collections.abc import Iterator

import numpy as np

from analytics.stats.agreement import two_raters
from analytics.stats.estimates import Estimate
from analytics.stats.looks import widened
from bench.figures import BenchFigure

BAR, STEP = 0.75, 25
N_LOOKS, N_STUDIES = 46, 400
_POINTS = tuple(range(1, 8))


def run() -> Iterator[BenchFigure]:
    bar = truth()
    yield BenchFigure("the bar, and the truth", f"{bar:.3f}")
    for is_planned, name in ((False, "whenever one likes"), (True, "as planned")):
        share = shown_met(n_looks=N_LOOKS, n_studies=N_STUDIES, seed=7, is_planned=is_planned)
        yield BenchFigure(f"met at one of {N_LOOKS} looks, {name}", f"{share:.1%} of studies")


def shown_met(*, n_looks: int, n_studies: int, seed: int, is_planned: bool) -> float:
    """The share of studies in which some look shows the bar as met."""
    bar, draws = truth(), np.random.default_rng(seed).spawn(n_studies)
    met = [_is_ever_met(draw, bar, n_looks, n_looks if is_planned else 1) for draw in draws]
    return float(np.mean(met))


def truth() -> float:
    """ICC(A,1) of the drawn ratings, from very many of them."""
    found = _icc(*_rated(np.random.default_rng(1), 200_000))
    if found.value is None:
        raise RuntimeError("So many ratings have an ICC.")
    return found.value


def _is_ever_met(draw: np.random.Generator, bar: float, n_looks: int, shared: int) -> bool:
    person, judge = _rated(draw, STEP * n_looks)
    for look in range(1, n_looks + 1):
        found = widened(_icc(person[: look * STEP], judge[: look * STEP]), shared)
        if found.low is not None and found.low >= bar:
            return True
    return False


def _rated(draw: np.random.Generator, n: int) -> tuple[np.ndarray, np.ndarray]:
    worth = draw.normal(size=n)
    error = np.sqrt(1 / BAR - 1)
    both = worth + draw.normal(scale=error, size=(2, n))
    first, second = np.clip(np.round(4 + 1.3 * both), 1, 7)
    return first, second


def _icc(person: np.ndarray, judge: np.ndarray) -> Estimate:
    return two_raters(person, judge, points=_POINTS, measurement="ordinal", only=["icc_a1"])[
        "icc_a1"
    ]
