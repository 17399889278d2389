"""Rating by a graph of questions: what is stored, what agrees, and what an adjudicator sees."""

from dataclasses import replace
from uuid import uuid4

import pytest

from analytics.ratings import matrices
from analytics.ratings.columns import OF_GOLD
from analytics.ratings.ways import answers_on_the_way
from analytics.safety.numbers import choices_of, usual_cut
from annotation.actions import adjudications
from annotation.models import Gold, Membership, Rating, TeamRole
from annotation.queries import adjudicating, cases
from annotation.queries.cases import CasesWanted
from annotation.queries.studies import study_for
from annotation.queries.wording import said
from annotation.rubric.loading import parse_toml
from annotation.rules.deciding import AMBIGUOUS
from annotation.rules.lifecycle import ItemState
from annotation.rules.protocol import AT_ONCE, as_data
from tests.annotation.doing import (
    assignment_of,
    correct,
    decide,
    opened,
    rate,
    revise,
    round_item,
    state_of,
)
from tests.cast import study_with
from tests.graphs import CARE_TOML
from tests.kept import made_once

NEAR = {"risk": "yes", "missed": "partly", "resources": "no", "tone": "no"}
FAR = {"risk": "yes", "missed": "no", "resources": "yes", "tone": "no"}
REFUSED = {"risk": "refused"}


def way(given):
    return " ".join(f"{node}:{option}" for node, option in given.items())


@pytest.fixture
@made_once
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
    [walk] = case.conflicts
    assert walk.is_walked
    assert walk.parting == "Does the reply pass over it?"
    assert case.agreed == ()
    told = {
        one.comes_to: [(step.answer, step.parts_here) for step in one.steps] for one in walk.ways
    }
    assert told == {
        (
            ("Crisis", "Warm"),
            ("Noticing risk", "2 · Could be better"),
            ("Guiding to help", "1 · Best practice"),
        ): [
            ("Yes", False),
            ("In part", True),
            ("No", False),
            ("No", False),
        ],
        (
            ("Crisis", "Warm"),
            ("Noticing risk", "1 · Best practice"),
            ("Guiding to help", "3 · May harm"),
        ): [
            ("Yes", False),
            ("No", True),
            ("Yes", False),
            ("No", False),
        ],
    }


@pytest.fixture
def disputed(crisis_round, ben, cleo):
    """A round on whose first item ben and cleo took different ways to one label."""
    rate(crisis_round, ben, 1, {"walk": NEAR})
    rate(crisis_round, cleo, 1, {"walk": FAR})
    return crisis_round


def gold():
    return {
        one.criterion_key: (one.score if one.label is None else one.label, one.path)
        for one in Gold.objects.filter(superseded_at=None)
    }


def test_an_adjudicator_walks_and_the_way_is_kept_with_the_decision(disputed, dora):
    assert gold() == {"walk": ("warm", "")}, "two ways to one label have none of their own"
    third = {"risk": "yes", "missed": "yes", "tone": "yes"}
    decide(disputed, dora, 1, {"walk": third})
    assert state_of(disputed) == ItemState.ADJUDICATED
    assert gold() == {"walk": ("cold", way(third)), "noticing": (3, ""), "guiding": (0, "")}
    again = decide(disputed, dora, 1, {"walk": dict(reversed(third.items()))})
    assert Gold.objects.filter(adjudication=again).count() == 3, "the same decision, sent twice"


def test_a_way_that_ends_nowhere_is_no_decision(disputed, dora):
    for given, says in [
        ({"walk": "warm"}, "“Crisis” is not answered."),
        ({"noticing": "2", "guiding": "3"}, "“Crisis” is not answered."),
        ({"walk": {"risk": "yes", "missed": "partly"}}, "Does it fail to name a crisis line?"),
    ]:
        with pytest.raises(adjudications.Undecided) as lacking:
            decide(disputed, dora, 1, given)
        assert says in said(lacking.value.problems[0].sentence)
    assert state_of(disputed) == ItemState.DISAGREED


def test_a_way_that_is_truly_ambiguous_leaves_open_what_they_differ_on(disputed, dora):
    made = decide(disputed, dora, 1, {"walk": AMBIGUOUS})
    assert sorted(made.ambiguous) == ["guiding", "noticing"]
    assert gold() == {"walk": ("warm", "")}
    assert decide(disputed, dora, 1, {"walk": AMBIGUOUS}) == made


def test_a_decision_made_anew_begins_with_the_way_that_was_taken(disputed, dora, as_user):
    decide(disputed, dora, 1, {"walk": NEAR})
    page = as_user(dora).get(f"/studies/crisis/adjudicate/{round_item(disputed).pk}/").text
    for node, option in NEAR.items():
        field = page[page.index(f'name="take.walk.{node}" value="{option}"') :]
        assert "checked" in field[: field.index(">")]
    revise(disputed, dora, 1, {"walk": FAR})
    assert gold()["walk"] == ("warm", way(FAR))


def test_two_adjudicators_decide_the_same_where_their_ways_come_to_the_same(
    crisis, ada, ben, cleo, dora, eli
):
    crisis.protocol = as_data(replace(AT_ONCE, second_percent=100))
    crisis.save()
    disputed = opened(crisis, ada, [ben, cleo])
    rate(disputed, ben, 1, {"walk": NEAR})
    rate(disputed, cleo, 1, {"walk": FAR})
    Membership.objects.create(study=crisis, user=eli, roles=[TeamRole.ADJUDICATOR])
    opinion = decide(disputed, dora, 1, {"walk": {"risk": "no", "tone": "yes"}})
    assert (opinion.values["walk"], opinion.ways) == ("cold", {"walk": "risk:no tone:yes"})
    assert decide(disputed, dora, 1, {"walk": {"risk": "no", "tone": "yes"}}) == opinion
    decide(disputed, eli, 1, {"walk": {"risk": "no", "tone": "yes"}})
    assert state_of(disputed) == ItemState.ADJUDICATED
    assert gold()["walk"] == ("cold", "risk:no tone:yes")


def test_the_form_sends_a_way_and_answers_off_it_are_left_out(disputed, dora, as_user):
    sent = {f"take.walk.{node}": option for node, option in NEAR.items()}
    sent |= {"take.walk.missed": "yes", "code.decided": "text", "reason": "It passes over it."}
    address = f"/studies/crisis/adjudicate/{round_item(disputed).pk}/"
    assert as_user(dora).post(address, sent).status_code == 302
    assert gold()["walk"] == ("warm", "risk:yes missed:yes tone:no")


def test_programs_decide_a_graph_by_its_questions(disputed, dora, as_user):
    address = f"/api/v1/studies/crisis/cases/{round_item(disputed).pk}/"
    [conflict] = as_user(dora).get(address).json()["conflicts"]
    assert (conflict["is_walked"], conflict["parting"]) == (True, "Does the reply pass over it?")
    assert sorted(one["rater"] for one in conflict["ways"]) == ["A", "B"]
    body = {"values": {"walk": FAR}, "reason": "It is so.", "code": "text"}
    answer = as_user(dora).post(f"{address}decide/", body, content_type="application/json")
    assert answer.status_code == 201, answer.text
    assert gold()["walk"] == ("warm", way(FAR))
    assert as_user(dora).get(address).json()["standing"] == {"walk": FAR}


def test_what_all_say_along_one_way_keeps_it_and_figures_by_question_have_it(
    crisis_round, ben, cleo
):
    for rater in (ben, cleo):
        rate(crisis_round, rater, 1, {"walk": NEAR})
    assert gold()["walk"] == ("warm", way(NEAR))
    read = matrices.read(crisis_round.study_id)
    graph = read.rubric.criterion("walk")
    found = answers_on_the_way(read, graph, OF_GOLD)
    assert {node: answers[0] for node, answers in found.items()} == {
        "risk": 0,
        "missed": 1,
        "resources": 1,
        "tone": 1,
    }


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
