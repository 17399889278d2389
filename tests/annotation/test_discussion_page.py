"""What those who discuss an item read: whose votes differ, in which order, and what was said."""

import re
from dataclasses import replace
from itertools import product

import pytest
from django.utils import timezone

from annotation.actions import protocol, rounds
from annotation.models import RoundItem, TeamRole
from annotation.rules.protocol import WHOLE
from tests.annotation.doing import opened, rate
from tests.cast import study_with
from tests.kept import made_once


@pytest.fixture
@made_once
def discussed(ada, ben, cleo):
    """Four items on whose empathy alone Ben and Cleo differ."""
    team = {ada: [TeamRole.COORDINATOR], ben: [TeamRole.ANNOTATOR], cleo: [TeamRole.ANNOTATOR]}
    study = study_with(rubric="mentalalign", key="brook", team=team, n_items=4)
    agreed = replace(WHOLE, re_review=False)
    protocol.agree(study_id=study.pk, protocol=agreed, by=ada, at=timezone.now())
    study.refresh_from_db()
    rating_round = opened(study, ada, [ben, cleo])
    values = dict.fromkeys([one.key for one in rating_round.rubric.criteria], 4)
    for position, (rater, empathy) in product((1, 2, 3, 4), ((ben, 1), (cleo, 5))):
        rate(rating_round, rater, position, values | {"empathy": empathy})
    protocol.end_rating(round_id=rating_round.pk, by=ada, at=timezone.now())
    rounds.record_kappa(round_id=rating_round.pk, kappa=None, at=timezone.now())
    return rating_round


def page_of(client, one: RoundItem) -> str:
    return client.get(f"/studies/brook/discuss/{one.pk}/").content.decode()


@pytest.mark.parametrize("language", ["en", "zh-hans"])
def test_votes_stand_in_the_order_of_the_letters(language, discussed, ben, as_user):
    client = as_user(ben)
    client.cookies["django_language"] = language
    for one in discussed.round_items.all():
        raters = re.findall(r"<dt>(.*?)</dt>", page_of(client, one))
        assert [re.search("[AB]", name).group() for name in raters] == ["A", "B"] * 7


def test_what_differs_comes_first_and_the_rest_is_folded(discussed, ben, as_user):
    page = page_of(as_user(ben), discussed.round_items.first())
    shown, folded = page.split("<details><summary>6 criteria agree")
    assert re.findall('<h2 id="on-([a-z]+)"', shown) == ["empathy"]
    assert folded.count('<h2 id="on-') == 6


def test_the_list_tells_how_many_remarks_there_are(discussed, ben, cleo, as_user):
    one = discussed.round_items.first()
    for text in ("Too cold.", "Not at all."):
        as_user(cleo).post(f"/studies/brook/discuss/{one.pk}/say/", {"text": text})
    listed = as_user(ben).get("/studies/brook/discuss/").content.decode()
    assert listed.count("2 remarks, the newest on ") == 1
    assert listed.count("remark") == 1
