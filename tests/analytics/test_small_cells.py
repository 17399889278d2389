"""A mean over few items is as good as their ratings, so it waits for the round like these."""

import csv
import io

import pytest

from annotation.actions import rounds
from annotation.models import TeamRole
from tests.analytics.made import AT
from tests.analytics.meadow import meadow

pytestmark = pytest.mark.usefixtures("empty_cache")


@pytest.mark.parametrize(("n_rated", "told"), [(1, False), (9, False), (10, True)])
def test_means_of_generators_over_few_items_are_blank_while_a_round_is_open(
    ada, ben, as_user, n_rated, told
):
    team = {ada: [TeamRole.COORDINATOR], ben: [TeamRole.ANNOTATOR]}
    study = meadow(team, n_dialogues=11, n_rated=n_rated, replies=2, repeats=1)
    before = _means(as_user(ada))
    assert {row["items"] for row in before} == {str(n_rated)}
    assert all(row["people"] and row["judge_mean"] for row in before)
    rounds.open_round(study_id=study.pk, panel=[ben.pk], raters_per_item=1, by=ada, at=AT)
    blank = [row | {"people": "", "judge_mean": ""} for row in before]
    assert _means(as_user(ada)) == (before if told else blank)


def _means(client) -> list[dict[str, str]]:
    answer = client.get("/studies/meadow/agreement/matrix/means.csv")
    return list(csv.DictReader(io.StringIO(answer.content.decode())))
