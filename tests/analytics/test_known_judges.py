"""Judges whose worth is known, through ratings, evidence and rules: at small size; the full one is
`python -m bench verdicts`."""

import pytest

from analytics.stats.verdicts import Verdict
from bench.verdicts import PEOPLE_ICC, counted

pytestmark = pytest.mark.django_db
TRUST = {Verdict.TRUSTED, Verdict.TRUSTED_WITH_CALIBRATION}


@pytest.mark.parametrize("icc", PEOPLE_ICC)
def test_a_flawless_judge_is_never_refused(icc):
    found = counted("truth", icc=icc, n_runs=6, seed=11)
    assert Verdict.DO_NOT_USE not in found


@pytest.mark.parametrize("name", ["constant", "noise"])
@pytest.mark.parametrize("icc", [0.1, 0.5, 0.9])
def test_a_judge_that_knows_nothing_is_never_trusted(name, icc):
    found = counted(name, icc=icc, n_runs=6, seed=12)
    assert not found.keys() & TRUST
    if name == "constant":
        assert set(found) == {Verdict.DO_NOT_USE}


def test_where_people_hardly_agree_it_cannot_be_shown_with_these_raters():
    found = counted("truth", icc=0.1, n_runs=6, seed=13)
    assert set(found) == {Verdict.CANNOT_BE_SHOWN}
