"""What the gate of a round looks at: the lowest criterion or the mean of all, with its interval."""

from dataclasses import replace

import pytest
from django.utils import timezone

from analytics.agreement import gates
from analytics.agreement.rounds import rounds
from analytics.present.naming import of_raters
from annotation.actions.rounds import record_kappa
from annotation.models import TeamRole
from annotation.queries.rounds import round_status
from annotation.rubric.loading import parse_toml
from annotation.rules.protocol import WHOLE
from tests.annotation.doing import opened, rate
from tests.cast import study_with
from tests.rubric.test_grounds import SURE_TOML

pytestmark = pytest.mark.django_db
ANSWERS = [(1, 1), (2, 2), (3, 3), (1, 2), (3, 3), (2, 2), (1, 1), (3, 2)]


def rated_by(ada, ben, cleo, *, clarity):
    """Two people differ on two of eight items on warmth; `clarity` are the items that each of them
    calls clear."""
    annotator = [TeamRole.ANNOTATOR]
    study = study_with(
        rubric=parse_toml(SURE_TOML),
        key="meadow",
        team={ada: [TeamRole.COORDINATOR], ben: annotator, cleo: annotator},
        n_items=len(ANSWERS),
    )
    made = opened(study, ada, [ben, cleo], raters_per_item=2)
    for position, values in enumerate(ANSWERS, start=1):
        for rater, warmth, clear in zip((ben, cleo), values, clarity, strict=True):
            rate(made, rater, position, {"warmth": warmth, "clarity": int(position in clear)})
    return made


@pytest.fixture
def rated(ada, ben, cleo):
    """They differ on one item on clarity, too."""
    return rated_by(ada, ben, cleo, clarity=[(1, 3, 5, 7), (1, 3, 5)])


@pytest.mark.parametrize("bound", ["value", "low"])
def test_the_mean_of_criteria_has_an_interval(rated, bound):
    lowest = gates.kappa_of_round(WHOLE, rated.pk)
    mean = gates.kappa_of_round(replace(WHOLE, scope="mean", bound=bound), rated.pk)
    assert lowest.criterion in ("warmth", "clarity")
    assert mean.criterion == ""
    assert lowest.value < mean.value
    assert mean.low < mean.value < mean.high
    assert mean.n_items == 8


def test_what_the_gate_could_not_look_at_is_counted(ada, ben, cleo):
    """All is clear to both, so that no agreement on clarity is defined."""
    everything = range(1, len(ANSWERS) + 1)
    made = rated_by(ada, ben, cleo, clarity=[everything, everything])
    study = made.study
    found = gates.kappa_of_round(replace(WHOLE, scope="mean"), made.pk)
    assert found.value < 1
    assert found.n_undefined == 1
    record_kappa(round_id=made.pk, kappa=gates.kappa_of_round(WHOLE, made.pk), at=timezone.now())
    status = round_status(study, made.number)
    assert any("1 of 2" in told for told in status.about_several)
    assert any(
        "1 of 2" in told
        for told in rounds([status], of_raters(study.rubric_version.content, {})).notes
    )
