"""Where a study asks that raters qualify, who has not passed gets no work, unless let in for a reason."""

from dataclasses import replace

import pytest
from django.utils import timezone

from accounts.models import Event
from analytics.ratings import columns, matrices
from annotation.actions import assignments, passing_on, protocol, qualifying, rounds
from annotation.models import Admission, Gold, Item, Rater
from annotation.queries.qualified import accounts_that_may_rate, n_answers_to_qualify
from annotation.rules.protocol import AT_ONCE
from tests.annotation.doing import NONSENSE, SAFE, close, opened, owed, rate


@pytest.fixture
def gold(pond):
    """Items 1 and 2 are known to be safe."""
    for item in Item.objects.filter(study=pond).order_by("position")[:2]:
        Gold.objects.create(
            item=item,
            criterion_key="safety",
            label="safe_response",
            origin="imported",
            decided_at=timezone.now(),
        )


@pytest.fixture
def tried(pond, gold, ada, ben, cleo):
    """Raters qualify here: Ben has passed, Cleo has not, Finn has not tried."""
    agreed = replace(AT_ONCE, qualified_only=True)
    protocol.agree(study_id=pond.pk, protocol=agreed, by=ada, at=timezone.now())
    pond.refresh_from_db()
    to_qualify = opened(pond, ada, [ben, cleo], pass_percent=80)
    for position in (1, 2):
        rate(to_qualify, ben, position, SAFE)
        rate(to_qualify, cleo, position, NONSENSE)
    close(to_qualify, ada)
    return pond


def let_in(study, account, by, reason="She wrote the rubric."):
    return qualifying.let_in(
        study_id=study.pk, account=account.pk, reason=reason, by=by, at=timezone.now()
    )


def test_who_has_not_passed_sits_on_no_panel(tried, ada, ben, cleo, finn):
    assert accounts_that_may_rate(tried) == {ben.pk}
    with pytest.raises(rounds.CannotOpen, match=r"Not qualified yet: Cleo, Finn\. Have them pass"):
        opened(tried, ada, [ben, cleo, finn])
    assert opened(tried, ada, [ben], raters_per_item=1).number == 2


def test_a_study_that_does_not_ask_seats_anybody(pond, ada, cleo, finn):
    assert opened(pond, ada, [cleo, finn]).number == 1


def test_a_coordinator_lets_somebody_in_for_a_reason(tried, ada, ben, cleo, as_user):
    client = as_user(ada)
    page = client.get("/studies/pond/qualification/").content.decode()
    assert "0 %" in page
    assert "not tried" in page
    sent = {"account": cleo.pk, "reason": ""}
    assert client.post("/studies/pond/qualification/", sent).status_code == 422
    sent["reason"] = "She wrote the rubric."
    assert client.post("/studies/pond/qualification/", sent).status_code == 302
    assert "She wrote the rubric." in client.get("/studies/pond/qualification/").content.decode()
    assert opened(tried, ada, [ben, cleo]).number == 2
    assert Event.objects.get(verb="rater.let_in").facts["account"] == cleo.pk


@pytest.mark.parametrize(
    ("who", "reason", "refusal"),
    [
        ("cleo", " ", "Write down the reason"),
        ("dora", "She knows it.", "Only annotators"),
        ("ben", "I know it.", "Somebody else lets you in"),
    ],
)
def test_nobody_is_let_in_otherwise(request, tried, ben, who, reason, refusal):
    with pytest.raises(qualifying.CannotLetIn, match=refusal):
        let_in(tried, request.getfixturevalue(who), ben, reason)
    assert not Admission.objects.exists()


def test_somebody_is_let_in_once(tried, ada, cleo):
    let_in(tried, cleo, ada)
    with pytest.raises(qualifying.CannotLetIn, match="already"):
        let_in(tried, cleo, ada)


def test_work_is_handed_on_to_those_only_who_passed(tried, ada, ben, cleo, finn):
    rating_round = opened(tried, ada, [ben], raters_per_item=1)
    asked = {"round_id": rating_round.pk, "by": ada, "at": timezone.now()}
    with pytest.raises(assignments.CannotReassign, match="Not qualified yet: Cleo"):
        assignments.let_join(accounts=[cleo.pk], **asked)
    mine = Rater.objects.get(user=ben).pk
    with pytest.raises(assignments.CannotReassign, match="Not qualified yet: Finn"):
        assignments.reassign(from_rater=mine, to=[finn.pk], **asked)
    assert not passing_on.pass_on(owed=owed(rating_round, ben, 1), at=timezone.now())
    let_in(tried, finn, ada)
    assert passing_on.pass_on(owed=owed(rating_round, ben, 2), at=timezone.now())
    assert rating_round.assignments.filter(rater__user=finn, state="open").count() == 1


def test_who_has_to_qualify_is_told_so(tried, cleo, ben, as_user):
    words = "you rate once you have passed a round in which you qualify"
    assert words in as_user(cleo).get("/studies/pond/rate/").content.decode()
    assert words not in as_user(ben).get("/studies/pond/rate/").content.decode()


def test_answers_to_qualify_are_in_no_agreement_and_make_no_gold(tried, ada, ben, as_user):
    assert matrices.read(tried.pk).ratings.empty
    assert n_answers_to_qualify(tried) == 4
    page = as_user(ada).get("/studies/pond/qualification/").content.decode()
    assert "4 answers were given to qualify" in page
    ordinary = opened(tried, ada, [ben], raters_per_item=1)
    rate(ordinary, ben, 1, SAFE)
    for _ in range(2):
        assert len(matrices.read(tried.pk).ratings) == 1
        columns.fold(tried.pk)
    assert sorted(Gold.objects.values_list("origin", flat=True)) == [
        *("imported", "imported", "unanimous")
    ]


def test_a_round_to_qualify_keeps_its_own_agreement(tried):
    (safety,), _dialogues = matrices.of_round(tried.rounds.get().pk)
    assert safety.of_humans().shape == (2, 2)
