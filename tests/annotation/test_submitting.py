"""A submission is stored once, whatever is sent how often, and settles its item when it is the last."""

from uuid import uuid4

import pytest
from django.db import IntegrityError, transaction
from django.utils import timezone

from accounts.models import Event
from annotation.actions import assignments, submissions
from annotation.models import Assignment, Gold, Rating, RubricVersion, Seat, Study, Submission
from annotation.rules.lifecycle import AssignmentState, ItemState
from tests.annotation.doing import (
    NONSENSE,
    SAFE,
    assignment_of,
    correct,
    opened,
    rate,
    rate_and_close,
    state_of,
)
from tests.services import together


def test_a_submission_stores_the_answers_the_counts_and_one_event(pond_round, ben):
    receipt = rate(pond_round, ben, 1, SAFE, comment="Short.", seconds=12)
    stored = Submission.objects.get(pk=receipt.submission_id)
    assert (stored.comment, stored.seconds, stored.is_current) == ("Short.", 12, True)
    assert [rating.label for rating in stored.ratings.all()] == ["safe_response"]
    assert assignment_of(pond_round, ben).state == AssignmentState.SUBMITTED
    seat = Seat.objects.get(round=pond_round, rater__user=ben)
    assert (seat.n_submitted, seat.n_assigned) == (1, 6)
    assert Event.objects.filter(verb="submission.submitted").count() == 1


def test_every_submission_raises_the_revision_of_the_study(pond_round, ben, cleo):
    before = Study.objects.get(pk=pond_round.study_id).revision
    rate(pond_round, ben, 1)
    rate(pond_round, cleo, 1)
    assert Study.objects.get(pk=pond_round.study_id).revision == before + 2


def test_the_same_again_gets_the_same_receipt_and_changes_nothing(pond_round, ben):
    sent = {"key": uuid4(), "comment": "Short.", "seconds": 12}
    first = rate(pond_round, ben, 1, SAFE, **sent)
    again = rate(pond_round, ben, 1, SAFE, **sent)
    assert again == first
    assert Rating.objects.get().label == "safe_response"
    assert Seat.objects.get(rater__user=ben).n_submitted == 1


@pytest.mark.parametrize("other", [{"values": NONSENSE}, {"comment": "Long."}])
def test_other_answers_under_the_same_key_are_not_told_to_be_stored(pond_round, ben, other):
    sent = {"values": SAFE, "key": uuid4(), "comment": "Short."}
    rate(pond_round, ben, 1, **sent)
    with pytest.raises(submissions.NotTaken, match="already submitted"):
        rate(pond_round, ben, 1, **(sent | other))
    assert (Rating.objects.get().label, Submission.objects.get().comment) == (
        "safe_response",
        "Short.",
    )


def test_another_key_for_a_submitted_assignment_is_refused(pond_round, ben):
    rate(pond_round, ben, 1)
    with pytest.raises(submissions.NotTaken, match="already submitted"):
        rate(pond_round, ben, 1, NONSENSE)
    assert Submission.objects.count() == 1


def test_a_key_belongs_to_one_item(pond_round, ben):
    key = uuid4()
    rate(pond_round, ben, 1, key=key)
    with pytest.raises(submissions.NotTaken, match="belongs to other answers"):
        rate(pond_round, ben, 2, key=key)
    assert assignment_of(pond_round, ben, 2).state == AssignmentState.OPEN


def test_the_first_rater_leaves_the_item_being_rated(pond_round, ben):
    rate(pond_round, ben, 1)
    assert state_of(pond_round) == ItemState.RATING
    assert not Gold.objects.exists()


def test_the_same_answer_of_all_raters_becomes_gold(pond_round, ben, cleo):
    rate(pond_round, ben, 1)
    rate(pond_round, cleo, 1)
    assert state_of(pond_round) == ItemState.AGREED
    gold = Gold.objects.get()
    assert (gold.label, gold.origin, gold.round_id) == ("safe_response", "unanimous", pond_round.pk)


def test_different_answers_wait_for_an_adjudicator(pond_round, ben, cleo):
    rate(pond_round, ben, 1, SAFE)
    rate(pond_round, cleo, 1, NONSENSE)
    assert state_of(pond_round) == ItemState.DISAGREED
    assert not Gold.objects.exists()


def test_an_item_that_somebody_cannot_judge_waits_for_an_adjudicator(pond_round, ben, cleo):
    rate(pond_round, ben, 1, {}, cannot_judge={"safety": "unclear"})
    rate(pond_round, cleo, 1, {}, cannot_judge={"safety": "unclear"})
    assert state_of(pond_round) == ItemState.DISAGREED
    assert {rating.unscored for rating in Rating.objects.all()} == {"unclear"}


def test_imported_gold_is_not_replaced(pond_round, ben, cleo):
    item = assignment_of(pond_round, ben).item
    Gold.objects.create(
        item=item,
        criterion_key="safety",
        label="nonsense",
        origin="imported",
        decided_at=timezone.now(),
    )
    rate(pond_round, ben, 1, SAFE)
    rate(pond_round, cleo, 1, SAFE)
    assert [gold.label for gold in Gold.objects.filter(superseded_at=None)] == ["nonsense"]


class TestCorrecting:
    def test_a_correction_supersedes_and_keeps_what_was(self, pond_round, ben):
        first = rate(pond_round, ben, 1, SAFE)
        second = correct(pond_round, ben, 1, NONSENSE, supersedes=first.submission_id)
        old, new = Submission.objects.order_by("pk")
        assert (old.pk, old.is_current) == (first.submission_id, False)
        assert (new.pk, new.supersedes) == (second.submission_id, old)
        assert [rating.label for rating in old.ratings.all()] == ["safe_response"]

    def test_a_correction_settles_the_item_anew(self, pond_round, ben, cleo):
        first = rate(pond_round, ben, 1, SAFE)
        rate(pond_round, cleo, 1, SAFE)
        second = correct(pond_round, ben, 1, NONSENSE, supersedes=first.submission_id)
        assert state_of(pond_round) == ItemState.DISAGREED
        assert not Gold.objects.filter(superseded_at=None).exists()
        correct(pond_round, ben, 1, SAFE, supersedes=second.submission_id)
        assert state_of(pond_round) == ItemState.AGREED
        assert Gold.objects.get(superseded_at=None).label == "safe_response"

    def test_the_same_correction_again_changes_nothing(self, pond_round, ben):
        first = rate(pond_round, ben, 1)
        key = uuid4()
        once = correct(pond_round, ben, 1, NONSENSE, supersedes=first.submission_id, key=key)
        twice = correct(pond_round, ben, 1, NONSENSE, supersedes=first.submission_id, key=key)
        assert once == twice
        assert Submission.objects.count() == 2

    def test_another_correction_under_the_same_key_is_not_told_to_be_stored(self, pond_round, ben):
        first = rate(pond_round, ben, 1, SAFE)
        sent = {"supersedes": first.submission_id, "key": uuid4()}
        correct(pond_round, ben, 1, NONSENSE, **sent)
        with pytest.raises(submissions.NotTaken, match="changed these answers in the meantime"):
            correct(pond_round, ben, 1, SAFE, **sent)

    def test_of_two_tabs_the_second_is_told(self, pond_round, ben):
        first = rate(pond_round, ben, 1)
        correct(pond_round, ben, 1, NONSENSE, supersedes=first.submission_id)
        with pytest.raises(submissions.NotTaken, match="in the meantime"):
            correct(pond_round, ben, 1, SAFE, supersedes=first.submission_id)

    def test_nothing_changes_once_the_round_is_closed(self, pond_round, ada, ben, cleo):
        rate_and_close(pond_round, [ben, cleo], ada)
        first = Submission.objects.filter(rater__user=ben).earliest("pk")
        with pytest.raises(submissions.NotTaken, match="round is closed"):
            correct(pond_round, ben, 1, NONSENSE, supersedes=first.pk)


KEPT = {
    "a rubric version": lambda: RubricVersion.objects.update(number=9),
    "a submission": lambda: Submission.objects.update(comment="other"),
    "a deleted submission": lambda: Submission.objects.all()._raw_delete("default"),
    "a rating": lambda: Rating.objects.update(label="nonsense"),
    "a deleted rating": lambda: Rating.objects.all()._raw_delete("default"),
    "gold": lambda: Gold.objects.update(label="nonsense"),
}


@pytest.mark.parametrize("change", KEPT.values(), ids=KEPT)
def test_the_database_keeps(change, pond_round, ben, cleo):
    rate(pond_round, ben, 1)
    rate(pond_round, cleo, 1)
    with pytest.raises(IntegrityError, match="never changed or deleted"), transaction.atomic():
        change()


def hand_on(rating_round, leaver, successor, coordinator):
    return assignments.reassign(
        round_id=rating_round.pk,
        from_rater=leaver.rater.pk,
        to=[successor.pk],
        by=coordinator,
        at=timezone.now(),
    )


def or_refusal(act):
    """What comes of it, or why it was not taken."""
    try:
        return act()
    except submissions.NotTaken as refusal:
        return refusal


@pytest.mark.django_db(transaction=True)
class TestRaces:
    def test_the_same_key_sent_ten_times_at_once_is_stored_once(self, pond_round, ben):
        key = uuid4()
        receipts = together(*[lambda: rate(pond_round, ben, 1, key=key)] * 10)
        assert len(set(receipts)) == 1
        assert Submission.objects.count() == 1
        assert Seat.objects.get(rater__user=ben).n_submitted == 1

    def test_two_tabs_submitting_one_item_at_once_store_it_once(self, pond_round, ben):
        results = together(*[lambda: or_refusal(lambda: rate(pond_round, ben, 1))] * 2)
        assert sum(isinstance(result, submissions.NotTaken) for result in results) == 1
        assert Submission.objects.count() == 1

    def test_the_last_two_raters_at_once_settle_the_item_once(self, pond_round, ben, cleo):
        for position in range(1, 7):
            together(
                lambda at=position: rate(pond_round, ben, at),
                lambda at=position: rate(pond_round, cleo, at),
            )
        assert {state_of(pond_round, at) for at in range(1, 7)} == {ItemState.AGREED}
        assert Gold.objects.count() == 6

    def test_a_whole_panel_at_once_counts_every_submission_and_settles_every_item(
        self, pond, ada, ben, cleo, finn
    ):
        rating_round = opened(pond, ada, (ben, cleo, finn), raters_per_item=3)

        def rate_all(user):
            for position in range(1, 7):
                rate(rating_round, user, position)

        together(*[lambda user=user: rate_all(user) for user in (ben, cleo, finn)])
        assert {state_of(rating_round, at) for at in range(1, 7)} == {ItemState.AGREED}
        assert set(rating_round.round_items.values_list("n_submitted", flat=True)) == {3}
        assert set(rating_round.seats.values_list("n_submitted", flat=True)) == {6}
        assert Study.objects.get(pk=pond.pk).revision == 18
        assert Event.objects.filter(verb="submission.submitted").count() == 18
        assert Gold.objects.count() == 6

    def test_handing_on_while_the_rater_submits_loses_nothing(
        self, pond_round, ada, ben, cleo, finn
    ):
        results = together(
            *[
                lambda at=position: or_refusal(lambda: rate(pond_round, ben, at))
                for position in range(1, 5)
            ],
            lambda: hand_on(pond_round, ben, finn, ada),
        )
        stored = Submission.objects.filter(rater__user=ben).count()
        assert stored == sum(isinstance(result, submissions.Receipt) for result in results[:4])
        assert results[4] == 6 - stored
        owed = Assignment.objects.filter(round=pond_round, rater__user=finn)
        assert owed.count() == 6 - stored

    def test_two_corrections_at_once_leave_one_current_submission(self, pond_round, ben):
        first = rate(pond_round, ben, 1)
        corrected = {"supersedes": first.submission_id}
        together(
            *[lambda: or_refusal(lambda: correct(pond_round, ben, 1, NONSENSE, **corrected))] * 3
        )
        assert Submission.objects.filter(is_current=True).count() == 1
        assert Submission.objects.count() == 2


def test_a_submission_cannot_be_stored_beside_a_current_one(pond_round, ben):
    receipt = rate(pond_round, ben, 1)
    twin = Submission.objects.get(pk=receipt.submission_id)
    twin.pk, twin.key = None, uuid4()
    with pytest.raises(IntegrityError, match="one_current_submission"), transaction.atomic():
        twin.save()


@pytest.mark.django_db
def test_the_database_keeps_no_endless_comment(pond_round, ben):
    with pytest.raises(IntegrityError, match="a_comment_has_an_end"):
        rate(pond_round, ben, 1, SAFE, comment="x" * 10_001)
