"""Sentences on leanings of a judge: associations, over how many tests, and which interval."""

import pytest

from analytics.judges import words as readings
from analytics.stats.estimates import Estimate

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


def test_longer_replies_that_get_more_are_an_association_over_so_many_tests():
    said = readings.of_verbosity(over([0.4, 0.02, 0.0, -0.3]), "people")
    assert "longer replies higher on 1 of 4 criteria and lower on 1" in said
    assert "of twice the length: +0.40 (95 % interval +0.30 to +0.50, not adjusted" in said
    assert "held to 5 %, Benjamini-Yekutieli" in said
    assert "That is an association" in said


def test_one_slope_in_seven_that_just_leaves_out_zero_is_not_called_out():
    slopes = over([0.105, 0.0, 0.01, -0.02, 0.0, 0.03, 0.0])
    assert slopes[0][1].low > 0
    said = readings.of_verbosity(slopes, "people")
    assert said.startswith("On none of 7 criteria does it clearly rate longer replies otherwise")
    assert "criterion 1" not in said
    assert "on any of 7 criteria" in readings.of_biases(slopes, "people")


@pytest.mark.parametrize(
    ("n_generators", "words"),
    [(1, "The family is one generator here"), (3, "That is an association")],
)
def test_a_family_of_one_generator_may_be_about_that_generator(n_generators, words):
    found = over([0.3, 0.25], name="self_preference")
    said = readings.of_preference(found, n_generators=n_generators, n_peers=3)
    assert (
        "with 3 other judges it rates its own family higher on 2 of 2 criteria and lower on 0"
        in said
    )
    assert words in said


def test_without_an_interval_nothing_is_called_out():
    lone = Estimate(statistic="bias", value=1.0, n_items=3, n_pairs=3, n_clusters=3, n_raters=2)
    assert readings.of_biases([("safety", lone)], "people") == ""
    assert "Too few replies" in readings.of_verbosity([("safety", lone)], "people")
    assert "Too few replies" in readings.of_preference(
        [("safety", lone)], n_generators=1, n_peers=1
    )
