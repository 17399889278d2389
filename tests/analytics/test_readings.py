"""Sentences on leanings of a judge: associations, over how many tests, and which interval."""

import pytest

from analytics.judges import words as readings
from analytics.stats.estimates import Estimate
from analytics.stats.several import family

METHOD = "jackknife by dialogue, plain scale, t"


def slope(value, half=0.1, name="per_doubling"):
    return Estimate(
        statistic=name,
        value=value,
        low=value - half,
        high=value + half,
        n_items=400,
        n_pairs=400,
        n_clusters=100,
        n_raters=2,
        method=METHOD,
    )


def over(values, **kwargs):
    return [(f"criterion {n}", slope(value, **kwargs)) for n, value in enumerate(values, 1)]


def page_of(*several):
    """All tests that a page speaks of."""
    return family([one for found in several for _criterion, one in found])


def test_longer_replies_that_get_more_are_an_association_over_so_many_tests():
    slopes = over([0.4, 0.02, 0.0, -0.3])
    said = readings.of_verbosity(slopes, "people", page_of(slopes))
    assert "longer replies higher on 1 of 4 criteria and lower on 1" in said
    assert "of twice the length: +0.40 (95 % interval +0.30 to +0.50, not adjusted" in said
    assert "among all 4 tests of this page held to 5 %, Benjamini-Yekutieli" in said
    assert "That is an association" in said


def test_one_slope_in_seven_that_just_leaves_out_zero_is_not_called_out():
    slopes = over([0.105, 0.0, 0.01, -0.02, 0.0, 0.03, 0.0])
    assert slopes[0][1].low > 0
    said = readings.of_verbosity(slopes, "people", page_of(slopes))
    assert said.startswith("On none of 7 criteria does it clearly rate longer replies otherwise")
    assert "criterion 1" not in said
    assert "on any of 7 criteria" in readings.of_biases(slopes, "people", page_of(slopes))


@pytest.mark.parametrize(
    ("n_generators", "words"),
    [(1, "The family is one generator here"), (3, "That is an association")],
)
def test_a_family_of_one_generator_may_be_about_that_generator(n_generators, words):
    found = over([0.3, 0.25], name="self_preference")
    said = readings.of_preference(found, page_of(found), n_generators=n_generators, n_peers=3)
    assert (
        "with 3 other judges it rates its own family higher on 2 of 2 criteria and lower on 0"
        in said
    )
    assert words in said


def test_without_an_interval_nothing_is_called_out():
    lone = Estimate(statistic="bias", value=1.0, n_items=3, n_pairs=3, n_clusters=3, n_raters=2)
    found = [("safety", lone)]
    assert readings.of_biases(found, "people", page_of()) == ""
    assert "Too few replies" in readings.of_verbosity(found, "people", page_of())
    assert "Too few replies" in readings.of_preference(found, page_of(), n_generators=1, n_peers=1)


def test_what_is_clear_on_its_own_may_not_be_on_a_page_of_many_tests():
    lone = over([0.12])
    others = over([0.0] * 12, name="self_preference")
    assert "higher on 1 of 1" in readings.of_verbosity(lone, "people", page_of(lone))
    among_all = readings.of_verbosity(lone, "people", page_of(lone, others))
    assert among_all.startswith("On none of 1 criteria")
