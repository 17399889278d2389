"""How often intervals hold the truth, at small size: `python -m bench coverage` has the whole grid."""

import pytest

from analytics.stats.estimates import Note
from bench.coverage import (
    _of_systems,
    at_the_top,
    covered,
    few_systems,
    people_in_turn,
    rare_flags,
    said,
)


def test_of_two_people_nothing_is_given_and_the_reason_is_told():
    found = covered(people_in_turn(2), 0.6, times=20)
    assert found.given == 0
    assert found.reason == Note.TOO_FEW_RATERS.sentence
    assert said(found) == f"none given: {Note.TOO_FEW_RATERS.sentence}"


@pytest.mark.parametrize("n", [3, 9])
@pytest.mark.parametrize("run_sd", [0.0, 0.1])
def test_a_biased_judge_of_few_generators_whose_runs_differ_is_covered(n, run_sd):
    found = covered(few_systems(n, 1.0, n_runs=3, run_sd=run_sd), _of_systems(1.0), times=250)
    assert found.given == found.n
    assert 0.91 <= found.share <= 0.985


@pytest.mark.parametrize("finds", [0.4, 0.9])
@pytest.mark.parametrize(
    ("prevalence", "n", "a_dialogue"),
    [(0.005, 1_000, None), (0.02, 200, None), (0.1, 1_000, None), (0.02, 1_000, 5)],
)
def test_kappa_of_rare_flags_is_covered(prevalence, n, a_dialogue, finds):
    """Jackknife intervals of 200 items with 4 that are flagged held the truth 83 times in 100."""
    draw, truth = rare_flags(prevalence, n, finds=finds, a_dialogue=a_dialogue)
    found = covered(draw, truth, times=500)
    assert found.given >= 0.95 * found.n
    assert 0.92 <= found.share <= 0.985


@pytest.mark.parametrize(("prevalence", "flags"), [(0.2, 3), (0.4, 0.4), (0.02, 2)])
def test_kappa_of_a_judge_that_flags_more_or_less_is_covered(prevalence, flags):
    """Limits by a share that both are taken to have held the truth 99 times in 100."""
    draw, truth = rare_flags(prevalence, 500, finds=min(0.9, flags), flags=flags)
    found = covered(draw, truth, times=500)
    assert found.given >= 0.99 * found.n
    assert 0.92 <= found.share <= 0.98


def test_means_at_the_top_are_covered_with_more_people_too():
    """With 60 rated and 8 of 10 at the top the plain interval held the truth 91 times in 100."""
    draw, truth = at_the_top(0.8, 60)
    found = covered(draw, truth, times=300)
    assert 0.91 <= found.share <= 0.985
