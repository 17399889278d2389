"""The restricted likelihood: its derivatives, and that Newton's method ends at its top."""

import numpy as np
import pytest
from scipy import optimize

from analytics.stats import likelihood
from analytics.stats.likelihood import _BOUNDS, Sums, _Likelihood, fitted, fitted_whole, sums_of

LOGS = np.array([[0.3, -1.2], [-2.0, 0.5], [1.5, -6.0]])


def rated(seed: int, *, n: int = 60, r: int = 5, between: float = 0.6) -> np.ndarray:
    rng = np.random.default_rng(seed)
    values = rng.normal(3, 1, (n, 1)) + rng.normal(0, between, (1, r)) + rng.normal(0, 0.8, (n, r))
    values[rng.random((n, r)) < 0.4] = np.nan
    return values[np.isfinite(values).sum(axis=1) >= 2]


def in_blocks(values: np.ndarray, n_blocks: int) -> Sums:
    return sums_of(values, np.arange(len(values)) % n_blocks, n_blocks)


def test_the_derivatives_are_those_of_small_differences():
    likelihood = _Likelihood(in_blocks(rated(1), 4).whole(len(LOGS)))
    found, _rest = likelihood.at(LOGS)
    for place, step in enumerate(np.eye(2) * 1e-5):
        above, below = (likelihood.at(LOGS + move)[0] for move in (step, -step))
        assert found.slope[:, place] == pytest.approx(
            (above.value - below.value) / 2e-5, rel=1e-5, abs=1e-5
        )
        assert found.curvature[:, place] == pytest.approx(
            (above.slope - below.slope) / 2e-5, rel=1e-5, abs=1e-5
        )


@pytest.mark.parametrize("between", [0.0, 0.05, 0.6, 3.0])
@pytest.mark.parametrize("seed", range(3))
def test_no_other_method_finds_a_higher_place(seed, between):
    sums = in_blocks(rated(seed, between=between), 4)
    likelihood = _Likelihood(sums.whole(1))
    best = min(
        optimize.minimize(
            lambda logs: likelihood.at(logs[None])[0].value[0],
            start,
            method="L-BFGS-B",
            bounds=[_BOUNDS] * 2,
            options={"ftol": 1e-14, "gtol": 1e-9},
        ).fun
        for start in LOGS
    )
    assert fitted_whole(sums).deviance[0] == pytest.approx(best, abs=1e-6)


@pytest.mark.parametrize("most", range(4))
def test_a_search_that_is_cut_short_ends_no_higher_than_it_began(monkeypatch, most):
    sums = in_blocks(rated(2), 4).whole(len(LOGS))
    begun, _rest = _Likelihood(sums).at(LOGS)
    monkeypatch.setattr(likelihood, "_MOST_STEPS", most)
    short = fitted(sums, LOGS)
    monkeypatch.setattr(likelihood, "_MOST_STEPS", most + 1)
    assert (short.deviance <= begun.value).all()
    assert (fitted(sums, LOGS).deviance <= short.deviance).all()


def test_samples_that_are_fitted_together_are_those_fitted_alone():
    values, n_blocks = rated(4), 5
    sums = in_blocks(values, n_blocks)
    whole = fitted_whole(sums)
    found = fitted(sums.without_each(), whole.logs.repeat(n_blocks, 0))
    for block in range(n_blocks):
        alone = values[np.arange(len(values)) % n_blocks != block]
        again = fitted_whole(in_blocks(alone, 1))
        assert found.logs[block] == pytest.approx(again.logs[0], abs=1e-5)
        assert found.rest[block] == pytest.approx(again.rest[0], rel=1e-5)
