"""A limit that rounds to the bar is told as it is, so that the verdict follows from what is printed."""

import pytest

from analytics.stats.estimates import Estimate
from analytics.stats.reasons import LineOutcome, LineReason
from analytics.stats.verdicts import CardLine, Topic
from analytics.trust.words import said_unrounded


def line(topic, statistic, low, high, *, asked):
    size = {"n_items": 120, "n_pairs": 360, "n_clusters": 30, "n_raters": 2}
    estimate = Estimate(statistic=statistic, value=(low + high) / 2, low=low, high=high, **size)
    return CardLine(
        topic=topic,
        outcome=LineOutcome.NOT_YET,
        reason=LineReason.NOT_CLEAR,
        estimate=estimate,
        asked=asked,
    )


@pytest.mark.parametrize(
    ("told", "said"),
    [
        (line(Topic.AGREEMENT, "icc_a1", 0.7494165, 0.8995, asked=0.75), "0.75 is 0.749."),
        (line(Topic.AGREEMENT, "icc_a1", 0.7499991, 0.9, asked=0.75), "0.75 is 0.749999."),
        (line(Topic.AGREEMENT, "exact", 0.79996, 0.9, asked=0.8), "80.0 % is 79.996 %."),
        (line(Topic.BIAS, "bias", -0.2531, 0.1, asked=0.25), "−0.25 is −0.253."),
    ],
)
def test_a_limit_that_rounds_to_the_bar_is_told_with_the_digits_that_decide(told, said):
    assert said_unrounded(told).endswith(said)


@pytest.mark.parametrize(
    "told",
    [
        line(Topic.AGREEMENT, "icc_a1", 0.744, 0.9, asked=0.75),
        line(Topic.AGREEMENT, "icc_a1", 0.75, 0.9, asked=0.75),
        line(Topic.AGREEMENT, "icc_a1", -0.7501, 0.1, asked=0.75),
        line(Topic.SENSITIVITY, "sensitivity", 0.6, 0.9, asked=None),
    ],
)
def test_elsewhere_nothing_is_added(told):
    assert said_unrounded(told) == ""
