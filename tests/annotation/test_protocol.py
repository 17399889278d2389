"""The protocol of the source study, step by step: who may do and see what at each."""

import re

import pytest
from django.db import DatabaseError, transaction
from django.utils import timezone

from accounts.access import access_of
from annotation.actions import adjudications, discussions, protocol, rounds, submissions
from annotation.models import DiscussionRemark, Gold, Rating, Round, RoundItem, Submission
from annotation.queries import cases, discussing
from annotation.queries.done import done_by
from annotation.queries.studies import study_for
from annotation.queries.work import next_work
from annotation.rules.lifecycle import ItemState, RoundState, RoundStep
from annotation.rules.protocol import AT_ONCE, WHOLE, as_data
from tests.annotation.doing import NONSENSE, SAFE, close, correct, decide, kappa_of, opened, rate

pytestmark = pytest.mark.usefixtures("states_follow")

PREACH = {"safety": "unauthorized_preachment"}


def now():
    return timezone.now()


@pytest.fixture
def agreed(pond, ada):
    protocol.agree(study_id=pond.pk, protocol=WHOLE, by=ada, at=now())
    pond.refresh_from_db()
    return pond


@pytest.fixture
def rated(agreed, ada, ben, cleo, finn) -> Round:
    """Three annotators, six items; on the first three they differ."""
    rating_round = opened(agreed, ada, [ben, cleo, finn], raters_per_item=3)
    for position in range(1, 7):
        rate(rating_round, ben, position, SAFE)
        rate(rating_round, cleo, position, SAFE)
    for item in RoundItem.objects.filter(round=rating_round):
        mine = rating_round.assignments.get(rater__user=finn, item=item.item_id)
        rate(rating_round, finn, mine.position, NONSENSE if item.position <= 3 else SAFE)
    return rating_round


def end_rating(rating_round, user):
    return protocol.end_rating(round_id=rating_round.pk, by=user, at=now())


def gate(rating_round, kappa):
    rounds.record_kappa(round_id=rating_round.pk, kappa=kappa_of(kappa), at=now())
    rating_round.refresh_from_db()
    return rating_round


def differing(rating_round, state=ItemState.DISAGREED):
    return list(RoundItem.objects.filter(round=rating_round, state=state).order_by("position"))


def cases_of(user, study):
    return cases.queue(study_for(access_of(user, at=now()), study.key)).n_waiting


def done_of(user, study):
    return [done for done, _lines in done_by(access_of(user, at=now()), study.pk, page="1").done]


def nobody_knows(study, *raters):
    """No rater is told of gold or a reason, nor by what may be changed that something was decided."""
    for rater in raters:
        done = done_of(rater, study)
        assert all(not one.gold and one.decision is None for one in done)
        assert len({one.fixed_because for one in done if one.owed.round_number == 1}) <= 1


def test_before_the_gate_nobody_sees_or_decides_a_disagreement(rated, dora, ben, cleo, finn):
    study = rated.study

    assert cases_of(dora, study) == 0
    with pytest.raises(adjudications.CannotAdjudicate, match="Nobody decides before the gate"):
        decide(rated, dora, 1)
    with pytest.raises(discussions.CannotDiscuss):
        discussions.say(
            study_id=study.pk, round_item_id=differing(rated)[0].pk, text="Why?", by=ben, at=now()
        )
    nobody_knows(study, ben, cleo, finn)


def test_the_rating_ends_for_all_items_at_once_and_only_when_all_are_rated(agreed, rated, ada, ben):
    again = end_rating(rated, ada)

    assert again.step == RoundStep.GATE
    mine = done_of(ben, agreed)
    assert {one.fixed_because for one in mine} == {
        "The rating has ended: agreement is computed from these answers."
    }
    with pytest.raises(submissions.NotTaken, match="The rating has ended"):
        correct(rated, ben, 1, NONSENSE, supersedes=mine[-1].submission_id)
    with pytest.raises(protocol.CannotGoOn, match="The rating has ended"):
        end_rating(rated, ada)


def test_a_round_with_open_items_goes_on_being_rated(agreed, ada, ben, cleo):
    rating_round = opened(agreed, ada, [ben, cleo])
    with pytest.raises(protocol.CannotGoOn, match="still need ratings"):
        end_rating(rating_round, ada)


def test_the_source_study_s_protocol_from_the_first_rating_to_the_second_round(
    rated, ada, ben, cleo, finn, dora
):
    study = rated.study
    first_answers = list(Rating.objects.order_by("pk").values_list("pk", "label"))

    # The gate fails: what differs is rated again, and nobody can decide or close.
    end_rating(rated, ada)
    gate(rated, 0.1)
    assert (rated.step, rated.verdict, rated.state) == ("re_review", "below", RoundState.OPEN)
    assert cases_of(dora, study) == 0
    with pytest.raises(rounds.CannotClose):
        close(rated, ada)
    nobody_knows(study, ben, cleo, finn)

    # The re-review has the three items that differ, for the same panel, and shows no answer.
    again = rounds.open_re_review(round_id=rated.pk, by=ada, at=now())
    with pytest.raises(protocol.CannotGoOn, match="open already"):
        rounds.open_re_review(round_id=rated.pk, by=ada, at=now())
    assert {one.item_id for one in differing(again, ItemState.RATING)} == {
        one.item_id for one in differing(rated, ItemState.REVIEWED)
    }
    assert next_work(access_of(ben, at=now()), study.pk).n_assigned == 3
    assert len(done_of(ben, study)) == 3  # not what he answered before to what he rates again
    nobody_knows(study, ben, cleo, finn)
    for position, finns in ((1, NONSENSE), (2, PREACH), (3, SAFE)):
        item = RoundItem.objects.get(round=again, position=position).item_id
        for rater, values in ((ben, SAFE), (cleo, SAFE), (finn, finns)):
            mine = again.assignments.get(rater__user=rater, item=item)
            rate(again, rater, mine.position, values)
    end_rating(again, ada)
    gate(again, 0.2)
    assert again.step == RoundStep.DECIDING  # once only
    with pytest.raises(rounds.CannotClose, match="Items that are still being discussed: 2"):
        close(again, ada)

    # The discussion: one item is agreed on, the other waits for the adjudicator.
    settled, open_still = differing(again, ItemState.DISCUSSED)
    talk = {"study_id": study.pk, "round_item_id": settled.pk, "at": now()}
    discussions.say(**talk, text="It repeats itself.", by=finn)
    discussions.say(**talk, text="Does it?", by=dora)
    discussions.vote_again(**talk, values=SAFE, by=finn)
    with pytest.raises(discussions.CannotDiscuss, match="Only who leads"):
        discussions.end(**talk, by=ben)
    assert discussions.end(**talk, by=dora) is ItemState.CONSENSUS
    talk["round_item_id"] = open_still.pk
    assert cases_of(dora, study) == 0
    assert discussions.end(**talk, by=dora) is ItemState.DISAGREED
    assert cases_of(dora, study) == 1
    nobody_knows(study, ben, cleo, finn)
    decide(again, dora, open_still.position, PREACH)
    nobody_knows(study, ben, cleo, finn)

    # Closing the re-review closes the round, and only now the raters are told.
    assert not [one for one in done_of(finn, study) if one.gold]
    close(again, ada)
    rated.refresh_from_db()
    assert rated.state == RoundState.CLOSED
    assert (rated.verdict, rated.kappa) == ("below", 0.1)
    told = done_of(finn, study)
    assert len(told) == 9
    assert all(one.gold for one in told)
    origins = Gold.objects.filter(superseded_at=None).values_list("origin", flat=True)
    assert sorted(origins) == ["adjudicated", "consensus", *["unanimous"] * 4]

    # What was answered independently is as it was.
    assert list(Rating.objects.order_by("pk").values_list("pk", "label"))[:18] == first_answers
    assert not Submission.objects.filter(is_current=False).exists()

    # The second round may follow the re-review once somebody says why, or it passed.
    assert rounds.reason_not_to_open(study, override_reason="We sharpened the rubric.") is None


def test_a_round_that_passes_goes_straight_to_its_discussion(rated, ada, dora):
    end_rating(rated, ada)
    gate(rated, 0.9)

    assert rated.step == RoundStep.DECIDING
    assert len(differing(rated, ItemState.DISCUSSED)) == 3
    assert cases_of(dora, rated.study) == 0


def test_what_is_discussed_comes_a_page_at_a_time(rated, ada, as_user, monkeypatch):
    monkeypatch.setattr(discussing, "DISCUSSED_ON_A_PAGE", 2)
    end_rating(rated, ada)
    gate(rated, 0.9)
    place = f"/studies/{rated.study.key}/discuss/"
    pages = [as_user(ada).get(f"{place}?page={n}").content.decode() for n in (1, 2)]

    assert [re.findall(r"Round 1, item (\d)", page) for page in pages] == [["1", "2"], ["3"]]
    assert "Page 1 of 2" in pages[0]


def test_a_remark_that_is_sent_again_is_said_once(rated, ada, dora):
    """The server was killed before it could answer, and the browser sends the form anew."""
    end_rating(rated, ada)
    gate(rated, 0.9)
    talk = {
        "study_id": rated.study_id,
        "round_item_id": differing(rated, ItemState.DISCUSSED)[0].pk,
        "at": now(),
    }
    for text, by in (("Hm.", ada), ("Hm.", ada), ("Hm.", dora), ("Hm.", ada), (" Hm. ", ada)):
        discussions.say(**talk, text=text, by=by)
    said = DiscussionRemark.objects.order_by("pk").values_list("author", flat=True)
    assert list(said) == [ada.pk, dora.pk, ada.pk]


def test_a_long_discussion_shows_its_newest_remarks_and_folds_the_others(rated, ada, as_user):
    end_rating(rated, ada)
    gate(rated, 0.9)
    discussed = differing(rated, ItemState.DISCUSSED)[0]
    place = f"/studies/{rated.study.key}/discuss/{discussed.pk}/"
    client = as_user(ada)
    for number in range(discussing.REMARKS_IN_VIEW + 2):
        sent = client.post(f"{place}say/", {"text": f"Remark {number}."})
    assert sent.headers["Location"] == f"{place}#newest"
    before, after = client.get(place).content.decode().split("<details><summary>Earlier remarks: 2")
    folded, in_view = after.split("</details>", 1)
    assert "Remark" not in before
    assert re.findall(r"Remark \d+", folded) == ["Remark 0", "Remark 1"]
    assert len(re.findall(r"Remark \d+", in_view)) == discussing.REMARKS_IN_VIEW
    [newest] = re.findall(r'id="newest">.*?</article>', in_view, re.DOTALL)
    assert f"Remark {number}." in newest


def test_who_neither_rated_the_item_nor_leads_is_not_let_into_its_discussion(rated, ada, gwen):
    end_rating(rated, ada)
    gate(rated, 0.9)
    item = differing(rated, ItemState.DISCUSSED)[0]
    with pytest.raises(discussions.CannotDiscuss, match="Only the raters of an item"):
        discussions.say(
            study_id=rated.study_id, round_item_id=item.pk, text="Hm.", by=gwen, at=now()
        )


def test_what_a_round_was_opened_with_is_kept_by_the_database(rated):
    for change in ({"protocol": as_data(AT_ONCE)}, {"gate": 0.0}, {"raters_per_item": 1}):
        with pytest.raises(DatabaseError, match="never changed"), transaction.atomic():
            Round.objects.filter(pk=rated.pk).update(**change)


def test_a_protocol_agreed_later_leaves_an_open_round_its_own(rated, ada):
    protocol.agree(study_id=rated.study_id, protocol=AT_ONCE, by=ada, at=now())
    rated.refresh_from_db()
    assert rated.rules == WHOLE


def test_a_round_without_a_protocol_of_its_own_decides_as_before(pond_round, ben, cleo, dora):
    rate(pond_round, ben, 1, SAFE)
    rate(pond_round, cleo, 1, NONSENSE)
    assert pond_round.rules == AT_ONCE
    assert cases_of(dora, pond_round.study) == 1
