"""Every level of measurement has its statistics, and every statistic a name."""

import pytest

from analytics import measures
from analytics.stats import components, pairs, panels
from analytics.stats.accuracy import OVERALL
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
