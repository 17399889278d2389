"""What the gate of a round looks at: the lowest criterion or the mean of all, with its interval."""

from dataclasses import replace

import pytest

from analytics.agreement import gates
from annotation.models import TeamRole
from annotation.rubric.loading import parse_toml
from annotation.rules.protocol import WHOLE
from tests.annotation.doing import opened, rate
from tests.cast import study_with
from tests.rubric.test_grounds import SURE_TOML

pytestmark = pytest.mark.django_db
ANSWERS = [(1, 1), (2, 2), (3, 3), (1, 2), (3, 3), (2, 2), (1, 1), (3, 2)]


@pytest.fixture
def rated(ada, ben, cleo):
    """Two people differ on two of eight items on warmth, and on one on clarity."""
    annotator = [TeamRole.ANNOTATOR]
    study = study_with(
        rubric=parse_toml(SURE_TOML),
        key="meadow",
        team={ada: [TeamRole.COORDINATOR], ben: annotator, cleo: annotator},
        n_items=len(ANSWERS),
    )
    made = opened(study, ada, [ben, cleo], raters_per_item=2)
    for position, (one, other) in enumerate(ANSWERS, start=1):
        rate(made, ben, position, {"warmth": one, "clarity": position % 2})
        rate(made, cleo, position, {"warmth": other, "clarity": int(position in (1, 3, 5))})
    return made


@pytest.mark.parametrize("bound", ["value", "low"])
def test_the_mean_of_criteria_has_an_interval(rated, bound):
    lowest = gates.kappa_of_round(WHOLE, rated.pk)
    mean = gates.kappa_of_round(replace(WHOLE, scope="mean", bound=bound), rated.pk)
    assert lowest.criterion in ("warmth", "clarity")
    assert mean.criterion == ""
    assert lowest.value < mean.value
    assert mean.low < mean.value < mean.high
    assert mean.n_items == 8
