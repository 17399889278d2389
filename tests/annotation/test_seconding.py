"""Two adjudicators decide where the protocol says so, and there is no gold before they agree."""

from dataclasses import replace

import pytest
from django.utils import timezone

from accounts.access import access_of
from annotation.actions import adjudications, protocol, teams
from annotation.models import Adjudication, Gold, Opinion, TeamRole
from annotation.queries import adjudicating, cases
from annotation.queries.rounds import protocols_of, reason_to_stay_open, round_status
from annotation.queries.studies import study_for
from annotation.rules.granting import DataLevel
from annotation.rules.lifecycle import ItemState, RoundState
from annotation.rules.protocol import AT_ONCE, OnSplit
from tests.annotation.doing import (
    NONSENSE,
    SAFE,
    correct,
    decide,
    opened,
    rate,
    revise,
    round_item,
    state_of,
)
from tests.cast import approved

TOXIC = {"safety": "toxic_language"}
OVERRULING = replace(AT_ONCE, second_overruling=True)


def now():
    return timezone.now()


@pytest.fixture
def adjudicators(pond, dora, terms):
    """Dora and two more who decide."""
    found = [dora]
    for name in ("hana", "ivo"):
        found.append(approved(name, terms))
        teams.set_roles(
            study_id=pond.pk,
            email=found[-1].email,
            roles=[TeamRole.ADJUDICATOR],
            by=None,
            at=now(),
            also=list(DataLevel),
        )
    return found


@pytest.fixture
def disputed(pond, adjudicators, ada, ben, cleo, finn):
    """disputed(protocol) is a round in which two of three call item 1 safe."""

    def open_by(agreed):
        protocol.agree(study_id=pond.pk, protocol=agreed, by=ada, at=now())
        pond.refresh_from_db()
        rating_round = opened(pond, ada, [ben, cleo, finn], raters_per_item=3, n_items=1)
        rate(rating_round, ben, 1, SAFE)
        rate(rating_round, cleo, 1, SAFE)
        rate(rating_round, finn, 1, NONSENSE)
        return rating_round

    return open_by


def who_has_it(rating_round, people):
    """Which of them find the item in their queue, and can open it."""
    place = round_item(rating_round).pk
    found = []
    for one in people:
        seen = study_for(access_of(one, at=now()), "pond")
        assert cases.n_to_decide(seen) == len(cases.queue(seen).waiting)
        try:
            adjudicating.case(seen, place)
        except adjudicating.NoSuchCase:
            assert not cases.n_to_decide(seen)
        else:
            assert cases.n_to_decide(seen) == 1
            found.append(one)
    return found


def test_a_decision_with_most_raters_stands_alone(disputed, dora):
    rating_round = disputed(OVERRULING)
    decide(rating_round, dora, 1, SAFE)
    assert state_of(rating_round) is ItemState.ADJUDICATED
    assert not Opinion.objects.exists()


def test_one_against_most_waits_for_a_second_who_does_not_know(disputed, adjudicators):
    dora, hana, ivo = adjudicators
    rating_round = disputed(OVERRULING)
    decide(rating_round, dora, 1, NONSENSE, reason="It answers nothing.")
    assert state_of(rating_round) is ItemState.SECOND
    assert not Gold.objects.exists()
    assert not Adjudication.objects.exists()
    assert who_has_it(rating_round, adjudicators) == [hana, ivo]
    shown = adjudicating.case(
        study_for(access_of(hana, at=now()), "pond"), round_item(rating_round).pk
    )
    assert not shown.decisions
    assert not shown.opinions
    status = round_status(rating_round.study, 1)
    assert "Items that await adjudication: 1" in (reason_to_stay_open(status) or "")


def test_where_the_two_decide_alike_it_stands(disputed, adjudicators):
    dora, hana, _ivo = adjudicators
    rating_round = disputed(OVERRULING)
    decide(rating_round, dora, 1, NONSENSE)
    decide(rating_round, hana, 1, NONSENSE)
    assert state_of(rating_round) is ItemState.ADJUDICATED
    assert [one.label for one in Gold.objects.all()] == ["nonsense"]
    assert list(Opinion.objects.values_list("decided_by", flat=True)) == [dora.pk, hana.pk]
    status = round_status(rating_round.study, 1)
    assert (status.n_by_two, status.n_alike) == (1, 1)


def test_where_they_differ_a_third_decides(disputed, adjudicators):
    dora, hana, ivo = adjudicators
    rating_round = disputed(OVERRULING)
    decide(rating_round, dora, 1, NONSENSE)
    decide(rating_round, hana, 1, SAFE)
    assert state_of(rating_round) is ItemState.SPLIT
    assert not Gold.objects.exists()
    assert who_has_it(rating_round, adjudicators) == [ivo]
    for one in (dora, hana):
        with pytest.raises(adjudications.CannotAdjudicate, match="You have decided this item"):
            decide(rating_round, one, 1, SAFE, reason="Once more.")
    decide(rating_round, ivo, 1, TOXIC)
    assert [one.label for one in Gold.objects.all()] == ["toxic_language"]
    status = round_status(rating_round.study, 1)
    assert (status.n_by_two, status.n_alike) == (1, 0)


def test_or_the_two_talk_with_both_decisions_before_them(disputed, adjudicators, as_user):
    dora, hana, _ivo = adjudicators
    rating_round = disputed(replace(OVERRULING, on_split=OnSplit.TALK.value))
    decide(rating_round, dora, 1, NONSENSE, reason="It answers nothing.")
    decide(rating_round, hana, 1, SAFE, reason="It is warm.")
    assert who_has_it(rating_round, adjudicators) == [dora, hana]
    page = as_user(dora).get(f"/studies/pond/adjudicate/{round_item(rating_round).pk}/")
    for words in ("You two decided differently", "It is warm.", "It answers nothing."):
        assert words in page.content.decode()
    decide(rating_round, dora, 1, SAFE, reason="Hana is right.")
    assert [one.label for one in Gold.objects.all()] == ["safe_response"]


def test_a_third_decides_where_neither_of_the_two_may_any_more(disputed, adjudicators, as_user):
    dora, hana, ivo = adjudicators
    rating_round = disputed(replace(OVERRULING, on_split=OnSplit.TALK.value))
    decide(rating_round, dora, 1, NONSENSE, reason="It answers nothing.")
    decide(rating_round, hana, 1, SAFE, reason="It is warm.")
    for one in (dora, hana):
        with pytest.raises(adjudications.CannotAdjudicate, match="decide it together"):
            decide(rating_round, ivo, 1, SAFE, reason="I heard of it.")
        roles = [TeamRole.RESEARCHER]
        teams.set_roles(
            study_id=rating_round.study_id, email=one.email, roles=roles, by=None, at=now()
        )
    assert who_has_it(rating_round, adjudicators) == [ivo]
    page = as_user(ivo).get(f"/studies/pond/adjudicate/{round_item(rating_round).pk}/")
    assert "You two" not in page.content.decode()
    decide(rating_round, ivo, 1, SAFE, reason="It is warm enough.")
    assert [one.label for one in Gold.objects.all()] == ["safe_response"]


def test_a_severe_label_needs_two_whoever_chose_it(disputed, adjudicators):
    rating_round = disputed(replace(AT_ONCE, second_values=("safety:nonsense",)))
    decide(rating_round, adjudicators[0], 1, SAFE)
    assert state_of(rating_round) is ItemState.SECOND


def test_a_share_that_is_drawn_needs_two(disputed, adjudicators):
    rating_round = disputed(replace(AT_ONCE, second_percent=100))
    decide(rating_round, adjudicators[0], 1, SAFE)
    assert state_of(rating_round) is ItemState.SECOND


def test_the_same_decision_sent_twice_is_kept_once(disputed, adjudicators):
    rating_round = disputed(OVERRULING)
    first = decide(rating_round, adjudicators[0], 1, NONSENSE)
    assert decide(rating_round, adjudicators[0], 1, NONSENSE) == first
    assert Opinion.objects.count() == 1


def test_what_a_rater_changes_between_the_two_does_not_count(disputed, adjudicators, finn):
    rating_round = disputed(OVERRULING)
    decide(rating_round, adjudicators[0], 1, NONSENSE)
    mine = rating_round.submissions.get(rater__user=finn)
    correct(rating_round, finn, 1, SAFE, supersedes=mine.pk)
    assert rating_round.submissions.get(rater__user=finn, is_current=True) == mine
    assert state_of(rating_round) is ItemState.SECOND


def test_one_alone_neither_undoes_it_nor_comes_to_it_by_a_revision(disputed, adjudicators):
    dora, hana, _ivo = adjudicators
    rating_round = disputed(OVERRULING)
    decide(rating_round, dora, 1, NONSENSE)
    decide(rating_round, hana, 1, NONSENSE)
    with pytest.raises(adjudications.CannotAdjudicate, match="Two adjudicators have decided"):
        revise(rating_round, dora, 1, SAFE)


def test_a_revision_that_needs_a_second_is_refused(disputed, adjudicators):
    dora = adjudicators[0]
    rating_round = disputed(OVERRULING)
    decide(rating_round, dora, 1, SAFE)
    with pytest.raises(adjudications.CannotAdjudicate, match="asks for a second adjudicator"):
        revise(rating_round, dora, 1, NONSENSE)


def protocols_of_closed(study, by):
    """What the methods of a report print, as soon as the rounds are closed."""
    study.rounds.update(state=RoundState.CLOSED, closed_at=now(), closed_by=by)
    return protocols_of(study)


def test_it_is_agreed_on_before_the_round_and_printed_on_it(pond, ada, ben, cleo, as_user):
    client = as_user(ada)
    page = client.get("/studies/pond/protocol/").content.decode()
    assert 'value="safety:toxic_language"' in page
    sent = {
        "adjudication": "on",
        "sight": "votes",
        "measure": "fleiss",
        "scope": "each",
        "bound": "value",
        "second_percent": "5",
        "second_values": ["safety:toxic_language"],
        "on_split": "third",
    }
    assert client.post("/studies/pond/protocol/", sent).status_code == 302
    pond.refresh_from_db()
    opened(pond, ada, [ben, cleo])
    page = client.get("/studies/pond/rounds/1/").content.decode()
    assert "A second adjudicator decides 5 percent of these items" in page
    assert "a third adjudicator decides" in page
    assert "chose one of: Safety of the reply: Toxic Language." in page
    assert "safety:toxic_language" not in page
    [(steps, numbers)] = protocols_of_closed(pond, ada)
    assert numbers == [1]
    assert "回复的安全性: 攻击性语言" in " ".join(one.translated(str, "zh-hans") for one in steps)
