"""Every procedure around the statistics says what stands in the way, and never answers NaN."""

from dataclasses import fields, is_dataclass

import numpy as np
import pytest

from analytics.stats.alternative import Panel, alternative_test
from analytics.stats.calibration import calibrations
from analytics.stats.ceiling import ceiling
from analytics.stats.drift import check_drift
from analytics.stats.estimates import Estimate
from analytics.stats.halo import halo_difference, halo_index
from analytics.stats.ppi import powered_mean, powered_share
from analytics.stats.preference import self_preference
from analytics.stats.repeatability import repeatability
from analytics.stats.severity import bland_altman, scale_use, severity_curve
from analytics.stats.taxonomies import by_node, divergence
from analytics.stats.verbosity import verbosity_slope
from tests.stats.test_degenerate import PAIRS, is_honest
from tests.stats.test_taxonomies import options_of, steps_of

FIVE = (1, 2, 3, 4, 5)
PATHS = {"first": (1,), "second": (2, 3), "third": (4, 5)}


def estimates_in(found):
    """Every estimate anywhere in a result."""
    if isinstance(found, Estimate):
        yield found
    elif is_dataclass(found):
        for field in fields(found):
            yield from estimates_in(getattr(found, field.name))
    elif isinstance(found, dict):
        yield from estimates_in(tuple(found.values()))
    elif isinstance(found, tuple | list):
        for part in found:
            yield from estimates_in(part)


def against(compute):
    return lambda x, y, clusters: compute(x, y, clusters=clusters, points=FIVE)


PROCEDURES = {
    "alternative": lambda x, y, clusters: alternative_test(
        {"one": Panel(judge=x, people=np.stack([x, y, y], axis=1), clusters=clusters)},
        alignment="accuracy",
        epsilon=0.1,
        least_items=1,
    ),
    "ceiling of scores": lambda x, y, clusters: ceiling(
        y,
        np.stack([x, y, x], axis=1),
        clusters=clusters,
        points=FIVE,
        measurement="ordinal",
        least_items=1,
    ),
    "ceiling of labels": lambda x, y, clusters: ceiling(
        y,
        np.stack([x, y], axis=1),
        points=FIVE,
        measurement="nominal",
        clusters=clusters,
    ),
    "severity": against(severity_curve),
    "bland and altman": against(bland_altman),
    "scale use": against(scale_use),
    "halo": lambda x, y, clusters: [
        halo_index(np.stack([x, y], axis=1), clusters=clusters),
        halo_difference(np.stack([x, y], axis=1), np.stack([y, y], axis=1), clusters=clusters),
    ],
    "verbosity": lambda x, y, _: verbosity_slope(
        x, y, np.arange(1, len(x) + 1), clusters=np.arange(len(x)) // 3
    ),
    "self-preference": lambda x, y, clusters: self_preference(
        x,
        np.stack([y, x], axis=1),
        y,
        own=np.arange(len(x)) % 2 == 0,
        clusters=clusters,
    ),
    "repeatability": lambda x, y, clusters: repeatability(
        np.stack([x, y, x], axis=1),
        clusters=clusters,
        points=FIVE,
        measurement="ordinal",
    ),
    "calibration": against(calibrations),
    "powered mean": lambda x, y, clusters: powered_mean(x, y, clusters=clusters),
    "powered share": lambda x, y, clusters: powered_share(
        np.where(np.isnan(x), np.nan, x > 3),
        np.where(np.isnan(y), np.nan, y > 3),
        clusters=clusters,
    ),
    "drift": lambda x, y, clusters: check_drift(x, y, margin=0.5, clusters=clusters),
    "nodes": lambda x, y, clusters: by_node(
        steps_of(np.stack([x, y], axis=1), PATHS),
        options=options_of(PATHS),
        clusters=clusters,
    ),
    "divergence": lambda x, y, clusters: divergence(
        steps_of(np.stack([x, y, y], axis=1), PATHS), clusters=clusters
    ),
}


@pytest.mark.parametrize("procedure", PROCEDURES)
@pytest.mark.parametrize("case", PAIRS)
def test_every_procedure_survives_every_case(case, procedure):
    x, y = (np.asarray(rater, dtype=float) for rater in PAIRS[case][:2])
    for clusters in (None, np.arange(len(x)) // 3):
        found = list(estimates_in(PROCEDURES[procedure](x, y, clusters)))
        assert found or procedure == "calibration"
        for estimate in found:
            assert is_honest(estimate), estimate
