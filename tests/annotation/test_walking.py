"""Rating by a graph of questions: what is stored, what agrees, and what an adjudicator sees."""

from uuid import uuid4

import pytest

from analytics.ratings import matrices
from analytics.safety.numbers import choices_of, usual_cut
from annotation.models import Gold, Rating, TeamRole
from annotation.queries import adjudicating, cases
from annotation.queries.cases import CasesWanted
from annotation.queries.studies import study_for
from annotation.rubric.loading import parse_toml
from annotation.rules.lifecycle import ItemState
from tests.annotation.doing import (
    assignment_of,
    correct,
    decide,
    opened,
    rate,
    round_item,
    state_of,
)
from tests.cast import study_with
from tests.graphs import CARE_TOML

NEAR = {"risk": "yes", "missed": "partly", "resources": "no", "tone": "no"}
FAR = {"risk": "yes", "missed": "no", "resources": "yes", "tone": "no"}
REFUSED = {"risk": "refused"}


def way(given):
    return " ".join(f"{node}:{option}" for node, option in given.items())


@pytest.fixture
def crisis(ada, ben, cleo, dora):
    """A study with a graph of questions, three items and no round yet."""
    return study_with(
        rubric=parse_toml(CARE_TOML),
        key="crisis",
        team={
            ada: [TeamRole.COORDINATOR],
            ben: [TeamRole.ANNOTATOR],
            cleo: [TeamRole.ANNOTATOR],
            dora: [TeamRole.ADJUDICATOR],
        },
        n_items=3,
    )


@pytest.fixture
def crisis_round(crisis, ada, ben, cleo):
    return opened(crisis, ada, [ben, cleo])


def stored(user):
    rows = Rating.objects.filter(submission__rater__user=user, submission__is_current=True)
    return {
        key: (score if label is None else label, path)
        for key, label, score, path in rows.values_list("criterion_key", "label", "score", "path")
    }


def test_a_walk_is_stored_with_its_way_and_with_what_it_comes_to(crisis_round, ben):
    receipt = rate(crisis_round, ben, 1, {"walk": NEAR})
    assert stored(ben) == {"walk": ("warm", way(NEAR)), "noticing": (2, ""), "guiding": (1, "")}
    correct(crisis_round, ben, 1, {"walk": REFUSED}, supersedes=receipt.submission_id)
    assert stored(ben) == {
        "walk": ("nothing", way(REFUSED)),
        "noticing": (0, ""),
        "guiding": (0, ""),
    }


def test_the_api_takes_a_way_and_names_the_question_that_is_open(crisis_round, ben, as_user):
    client = as_user(ben)
    path = f"/api/v1/assignments/{assignment_of(crisis_round, ben).pk}/submission/"
    body = {"key": str(uuid4()), "answers": {"walk": {"risk": "yes"}}}
    refused = client.post(path, body, content_type="application/json")
    assert refused.status_code == 422
    assert [one["node"] for one in refused.json()["problems"]] == ["missed"]
    body["answers"]["walk"] = FAR
    assert client.post(path, body, content_type="application/json").status_code == 200
    assert stored(ben)["guiding"] == (3, "")


def test_the_form_sent_again_shows_the_way_that_was_taken(crisis_round, ben, as_user):
    rate(crisis_round, ben, 1, {"walk": FAR})
    page = as_user(ben).get(f"/studies/crisis/my-work/{assignment_of(crisis_round, ben).pk}/").text
    for node, option in FAR.items():
        field = page[page.index(f'name="answer.walk.{node}" value="{option}"') :]
        assert "checked" in field[: field.index(">")]


def test_two_ways_to_one_label_agree_on_it_and_differ_on_a_scale(
    crisis_round, ben, cleo, dora, access_of
):
    rate(crisis_round, ben, 1, {"walk": NEAR})
    rate(crisis_round, cleo, 1, {"walk": FAR})
    assert state_of(crisis_round) == ItemState.DISAGREED
    assert Gold.objects.get().label == "warm"

    study_access = study_for(access_of(dora), "crisis")
    [line] = cases.queue(study_access).waiting
    assert [(one.criterion.key, one.gap, one.question) for one in line.differs_on] == [
        ("noticing", 1, "Does the reply pass over it?"),
        ("guiding", 2, "Does it fail to name a crisis line?"),
    ]
    found = cases.queue(study_access, CasesWanted(node="walk:2")).waiting
    assert [one.round_item_id for one in found] == [line.round_item_id]
    assert cases.queue(study_access, CasesWanted(node="walk:3")).waiting == []

    case = adjudicating.case(study_access, round_item(crisis_round).pk)
    noticing, guiding = case.conflicts
    steps = {
        one.value: [(step.answer, step.parts_here) for step in one.steps] for one in noticing.given
    }
    assert steps == {
        "1": [("Yes", False), ("No", True)],
        "2": [("Yes", False), ("In part", True)],
    }
    assert [len(one.steps) for one in (*guiding.given, *guiding.others)] == [1, 1, 0, 0]


def test_an_adjudicator_decides_on_the_levels(crisis_round, ben, cleo, dora):
    rate(crisis_round, ben, 1, {"walk": NEAR})
    rate(crisis_round, cleo, 1, {"walk": FAR})
    decide(crisis_round, dora, 1, {"noticing": "2", "guiding": "3"})
    assert state_of(crisis_round) == ItemState.ADJUDICATED
    gold = {one.criterion_key: one.label or one.score for one in Gold.objects.all()}
    assert gold == {"walk": "warm", "noticing": 2, "guiding": 3}


def test_figures_have_the_levels_as_an_ordinal_scale(crisis_round, ben, cleo):
    for position, (one, other) in enumerate([(NEAR, NEAR), (FAR, REFUSED)], start=1):
        rate(crisis_round, ben, position, {"walk": one})
        rate(crisis_round, cleo, position, {"walk": other})
    read = matrices.read(crisis_round.study_id)
    noticing = matrices.matrix(read, "noticing")
    assert noticing.points == (0, 1, 2, 3)
    assert sorted(map(tuple, noticing.values[:2].tolist())) == [(1, 0), (2, 2)]
    cut = usual_cut(choices_of(read.rubric.part("noticing"), noticing))
    assert cut.points == (2, 3)  # what is severe is flagged, not what is mild


def test_who_cannot_judge_the_walk_has_no_level_either(crisis_round, ben):
    rate(crisis_round, ben, 1, {}, cannot_judge={"walk": "unclear"}.items())
    reasons = Rating.objects.values_list("criterion_key", "unscored")
    assert dict(reasons) == dict.fromkeys(("walk", "noticing", "guiding"), "unclear")


def test_the_page_of_the_rubric_says_where_answers_go(crisis, ben, as_user):
    page = as_user(ben).get("/studies/crisis/rubric/").text
    said = " ".join(page.split())
    assert '→ Question 4 <span class="severity severity--3">May harm</span>' in said
    assert '→ Nothing to rate <span class="severity severity--0">Not relevant</span>' in said
    assert "Nobody is asked: it follows from the answers to" in page
