"""Every level of measurement has its statistics, and every statistic a name."""

import numpy as np
import pytest

from analytics import measures
from analytics.policies.loading import STATISTICS
from analytics.stats import components, pairs, panels
from analytics.stats.accuracy import OVERALL
from analytics.stats.ceiling import ceiling
from analytics.stats.icc import FORMS
from annotation.rubric.schema import Measurement

EVERY = [
    *(measures.suited(level) for level in Measurement),
    measures.suited(Measurement.ORDINAL, is_group=True),
]


@pytest.mark.parametrize("suited", EVERY)
def test_what_suits_a_level_is_a_statistic_with_a_name(suited):
    assert set(suited.panel) <= {*panels.STATISTICS, *FORMS, *components.FORMS}
    assert set(suited.pair) <= set(pairs.STATISTICS)
    assert set(suited.gold) <= set(OVERALL)
    assert {*suited.panel, *suited.pair, *suited.gold} <= set(measures.NAMES)


@pytest.mark.parametrize("suited", EVERY)
def test_a_family_leads_to_statistics_that_are_computed(suited):
    assert set(suited.leading) <= set(suited.families) <= set(measures.FAMILIES)
    for panel, pair in suited.families.values():
        assert panel in {*suited.panel, ""}
        assert pair in suited.pair


@pytest.mark.parametrize("level", Measurement)
def test_the_statistics_of_a_criterion_suit_its_level(level):
    suited = measures.suited(level)
    assert set(suited.pair) <= set(pairs.SUITED[level.value])
    assert set(suited.panel) <= {*panels.SUITED[level.value], *FORMS, *components.FORMS}


@pytest.mark.parametrize("measurement", Measurement)
def test_with_people_and_with_their_consensus_nothing_is_called_the_same(measurement):
    """ICC(A,1) was 0.71 on one page and 0.76 on another, both of one judge."""
    points = (0.0, 1.0) if measurement is Measurement.BINARY else (1.0, 2.0, 3.0)
    ratings = np.tile(points[:2], (3, 10)).T
    found = ceiling(
        ratings[:, 0],
        ratings,
        points=points,
        measurement=measurement.value,
        only=STATISTICS[measurement],
    )
    assert set(found) == set(STATISTICS[measurement])
    for name, under in found.items():
        assert under.judge.statistic == under.people.statistic != name
        assert measures.NAMES[under.judge.statistic] != measures.NAMES[name]
