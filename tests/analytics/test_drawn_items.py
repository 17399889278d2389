"""Rounds of a list: what is kept of the draw, and what figures make of it."""

import numpy as np
import pytest
from django.core.cache import cache
from django.core.files.uploadedfile import SimpleUploadedFile
from django.utils import timezone

from analytics.agreement import numbers as agreement
from analytics.comparisons.kinds import Kind
from analytics.figures import store as snapshots
from analytics.judges import numbers as judges
from analytics.plan import numbers as plan
from analytics.ratings import matrices
from analytics.ratings.matrices import PLAIN, Chances
from analytics.report import basis
from analytics.routing import numbers as routing
from analytics.routing.numbers import Signal, Target
from analytics.safety import numbers as safety
from analytics.stats.estimates import Note
from annotation.actions import rounds
from annotation.models import Rater, Round, RoundItem, TeamRole
from tests.analytics.made import AT, human, items_of, judge, rate
from tests.cast import study_with
from tests.kept import made_once


@pytest.fixture
@made_once
def study(ada, ben, cleo):
    """Ten replies, each rated for safety by Ruth, Otto and the judge; three are on a list."""
    found = study_with(
        rubric="mentalalign",
        key="pond",
        team={
            ada: [TeamRole.COORDINATOR],
            ben: [TeamRole.ANNOTATOR],
            cleo: [TeamRole.ANNOTATOR],
        },
        n_items=10,
    )
    ruth, otto, robot = human("ruth"), human("otto"), judge("robot")
    values = [(1, 1), (1, 1), (5, 1), (1, 5), (5, 5), (5, 5), (5, 5), (5, 4), (4, 5), (5, 5)]
    for item, (person, machine) in zip(items_of(found), values, strict=True):
        rate(ruth, item, safety=person)
        rate(otto, item, safety=person)
        rate(robot, item, safety=machine)
    return found


def open_list(study, ada, ben, cleo, listed, **more) -> Round:
    return rounds.open_round(
        study_id=study.pk,
        panel=[ben.pk, cleo.pk],
        raters_per_item=1,
        by=ada,
        at=timezone.now(),
        listed=listed,
        **more,
    )


def keys(study, *positions):
    items = items_of(study)
    return {items[position - 1].key: 1.0 for position in positions}


def screen_of(study):
    report = safety.PART.compute(matrices.read(study.pk), view=PLAIN, at=AT)
    return next(
        one for one in report.screens if (one.criterion, one.cut) == ("safety", "at-most-2")
    )


def test_a_round_of_a_list_keeps_the_chance_of_each_item(study, ada, ben, cleo):
    opened = open_list(study, ada, ben, cleo, keys(study, 1, 2, 3), audit_percent=40)
    assert (opened.drawn_from, opened.audit_percent, opened.draw_seed) == (10, 40, "pond:1")
    chances = dict(opened.round_items.values_list("item__position", "probability"))
    assert [chances.pop(position) for position in (1, 2, 3)] == [1, 1, 1]
    assert list(chances.values()) == [3 / 7] * 3


def test_what_is_not_fresh_is_refused(study, ada, ben, cleo):
    with pytest.raises(rounds.CannotOpen, match="1 of the listed items are not in the study"):
        open_list(study, ada, ben, cleo, {"d99.1": 1.0})
    assert not Round.objects.exists()


def test_safety_and_agreement_are_weighted_and_the_rest_says_it_is_not(study, ada, ben, cleo):
    before = screen_of(study).estimates
    assert before["sensitivity"].value == pytest.approx(2 / 3)
    assert not {Note.WEIGHTED, Note.NOT_WEIGHTED} & set(before["sensitivity"].notes)
    open_list(study, ada, ben, cleo, keys(study, 1, 2, 3), audit_percent=40)
    chance = dict(RoundItem.objects.values_list("item__position", "probability"))
    weight = np.array([1 / chance.get(position, 1) for position in range(1, 11)])
    found = screen_of(study).estimates
    assert found["sensitivity"].value == pytest.approx(2 / (2 + weight[3]))
    assert found["prevalence"].value == pytest.approx((2 + weight[3]) / weight.sum())
    assert found["sensitivity"].n_items == 3
    assert Note.WEIGHTED in found["sensitivity"].notes
    report = agreement.PART.compute(matrices.read(study.pk), view=PLAIN, at=AT)
    of_safety = {one.kind: one for one in report.comparisons if one.criterion == "safety"}
    same = np.array([1, 1, 0, 0, 1, 1, 1, 0, 0, 1])
    exact = of_safety[Kind.JUDGE_HUMANS].estimates["exact"]
    assert exact.value == pytest.approx((same * weight).sum() / weight.sum())
    assert exact.n_items == 10
    for estimate in of_safety[Kind.HUMANS].estimates.values():
        assert estimate.value is None or Note.NOT_WEIGHTED in estimate.notes
    judged = judges.PART.compute(matrices.read(study.pk), view=PLAIN, at=AT)
    [around] = [one.shape.differences for one in judged.against if one.criterion == "safety"]
    middle = (around["loa_low"].value + around["loa_high"].value) / 2
    assert around["bias"].value == pytest.approx(middle)
    assert Note.NOT_WEIGHTED in around["bias"].notes
    assert Note.WEIGHTED in of_safety[Kind.JUDGE_HUMANS].estimates["bias"].notes
    names = [line.name.in_("en") for line in judged.criteria]
    assert names == [one.name.in_("en") for one in matrices.read(study.pk).rubric.scored]


def test_the_safety_panel_says_that_items_count_alike_only_where_they_do(
    study, ada, ben, cleo, as_user
):
    cache.clear()
    client, asked = as_user(ada), {"criterion": "safety"}
    address = "/studies/pond/agreement/safety/"
    assert "Every item counts alike." in client.get(address, asked).content.decode()
    open_list(study, ada, ben, cleo, keys(study, 1, 2, 3), audit_percent=40)
    rate(human("rita"), items_of(study)[0], safety=1)
    snapshots.refresh(study_id=study.pk, part=safety.PART, at=AT)
    cache.clear()
    weighted = client.get(address, asked)
    assert weighted.context["shown"].is_weighted
    page = weighted.content.decode()
    assert "Every item counts alike." not in page
    assert "Safety: at most 2" in page


def test_without_a_random_part_no_weights_can_mend_it(study, ada, ben, cleo):
    open_list(study, ada, ben, cleo, keys(study, 1, 2, 3))
    assert matrices.read(study.pk).chances is Chances.NONE_OFF_LIST
    sensitivity = screen_of(study).estimates["sensitivity"]
    assert sensitivity.value == pytest.approx(2 / 3)
    assert Note.NO_CHANCE in sensitivity.notes


def test_routing_checks_no_answer_on_what_a_list_picked(study, ada, ben, cleo):
    """Of the unsure answers all go to people and of the sure ones few: what slips looks rare there."""
    before = checked(study)
    open_list(study, ada, ben, cleo, keys(study, 1, 2, 3), audit_percent=40)
    picked = set(RoundItem.objects.values_list("item__position", flat=True))
    assert len(picked) == 6
    assert checked(study) == before - picked
    report = routing.PART.compute(matrices.read(study.pk), view=PLAIN, at=AT)
    assert report.n_picked == 6


@pytest.mark.parametrize(
    ("listed", "n_checked"),
    [({1: 0.3, 2: 0.3}, 10), (dict.fromkeys(range(1, 11), 1.0), 10), ({1: 1.0}, 9)],
    ids=["a random part", "all there is", "some and no others"],
)
def test_a_list_that_gives_each_item_the_same_chance_picks_none(
    study, ada, ben, cleo, listed, n_checked
):
    items = items_of(study)
    chances = {items[position - 1].key: chance for position, chance in listed.items()}
    open_list(study, ada, ben, cleo, chances)
    assert len(checked(study)) == n_checked


def checked(study) -> set[int]:
    """The positions of the items on which routing checks what the judge says of safety."""
    read = matrices.read(study.pk)
    (robot,) = read.judges
    asked = {"target": Target.SAME_SIDE, "signal": Signal.DISTANCE}
    found = routing.answers(read, matrices.matrix(read, "safety"), robot, **asked)
    positions = dict(study.items.values_list("pk", "position"))
    return {positions[item] for item in read.items[found.is_checked].tolist()}


def test_a_report_computes_the_same_from_its_files(study, ada, ben, cleo):
    open_list(study, ada, ben, cleo, keys(study, 1, 2, 3), audit_percent=40)
    held = basis.of_study(study, matrices.read(study.pk))
    again = basis.read(basis.files_of(held)).ratings
    assert again.chances is Chances.UNEQUAL
    np.testing.assert_array_equal(again.weights, held.ratings.weights)
    np.testing.assert_array_equal(again.picked, held.ratings.picked)


def test_a_coordinator_opens_a_round_of_the_list_of_routing(study, as_user, ada, ben, cleo):
    lines = "".join(f"{key},audit,0.5\n" for key in keys(study, 4, 5))
    sent = {
        "items": "listed",
        "listed": SimpleUploadedFile("people.csv", f"item,why,probability\n{lines}".encode()),
        "panel": [ben.pk, cleo.pk],
        "raters_per_item": 1,
        "gate": 0.4,
    }
    response = as_user(ada).post("/studies/pond/rounds/open/", sent)
    assert response.status_code == 302
    assert list(RoundItem.objects.values_list("probability", flat=True)) == [0.5, 0.5]


def test_a_list_that_cannot_be_read_opens_nothing(study, as_user, ada, ben):
    sent = {"items": "listed", "panel": [ben.pk], "raters_per_item": 1, "gate": 0.4}
    response = as_user(ada).post("/studies/pond/rounds/open/", sent)
    assert response.status_code == 422
    assert "Choose a list of at most 5 MB." in response.content.decode()


def test_the_plan_starts_from_the_figures_of_the_safety_page(study, ada, ben, cleo):
    robot = Rater.objects.get(key="robot")
    for repeat in (2, 3):
        for place, item in enumerate(items_of(study)):
            rate(robot, item, repeat=repeat, safety=1 if place == repeat else 5)
    open_list(study, ada, ben, cleo, keys(study, 1, 2, 3), audit_percent=40)
    report = plan.PART.compute(matrices.read(study.pk), view=PLAIN, at=AT)
    (found,) = (one for one in report.positives if one.criterion == "safety")
    safe = screen_of(study).estimates
    assert found.sensitivity == safe["sensitivity"]
    assert found.prevalence == pytest.approx(safe["prevalence"].value)
