"""Judges that know nothing are promised nothing for, and promises are kept; at full size:
`python -m bench promises`."""

import pytest

from analytics.routing.promises import NOT_ASKED
from analytics.stats.promises import Risk
from bench.promises import WORTHLESS, accepted, kept_promises


@pytest.mark.parametrize("misses", ["", NOT_ASKED], ids=["by class", "wrong ones alone"])
@pytest.mark.parametrize("flagged", [0.01, 0.3])
@pytest.mark.parametrize("name", WORTHLESS)
def test_nothing_may_stand_of_a_judge_that_knows_nothing(name, flagged, misses):
    n = accepted(name, flagged=flagged, misses=misses, n_runs=20, seed=1, n_items=400)
    assert n <= 1, "one run of twenty"


@pytest.mark.parametrize("tight", Risk)
def test_a_promise_is_broken_in_one_run_of_twenty_at_most(tight):
    made, broken = kept_promises(tight, n_items=1000, n_runs=400, seed=3)
    assert made > 150
    assert broken <= 20
