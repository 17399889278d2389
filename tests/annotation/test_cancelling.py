"""A round that should not have been opened is cancelled, and people join one that is open."""

from datetime import date

import pytest
from django.db import IntegrityError, connection, transaction
from django.utils import timezone

from accounts.models import Event
from annotation.actions import adjudications, assignments, cancelling, submissions
from annotation.models import Assignment, Draft, Gold, Rating, Round, Seat, Submission
from annotation.queries.rounds import n_fresh_items, round_status
from annotation.rules.deciding import AMBIGUOUS
from annotation.rules.lifecycle import RoundState
from tests.annotation.doing import (
    NONSENSE,
    SAFE,
    answers,
    assignment_of,
    close,
    decide,
    opened,
    owed,
    rate,
    rate_and_close,
    round_item,
)
from tests.services import beside, came_of, wait_until

pytestmark = pytest.mark.usefixtures("states_follow")

WAITS_FOR_AN_ITEM = """
SELECT FROM pg_locks JOIN pg_stat_activity USING (pid)
WHERE NOT granted AND datname = current_database() AND query LIKE '%annotation_rounditem%'
"""


def cancel(rating_round, by, reason="It had the wrong panel."):
    return cancelling.cancel(round_id=rating_round.pk, reason=reason, by=by, at=timezone.now())


def pass_on(client, assignment):
    return client.post("/studies/pond/rate/not-for-me/", {"assignment": assignment.pk}, follow=True)


def brought_to(rating_round, label="nonsense"):
    """Gold that was imported for its first item."""
    return Gold.objects.create(
        item=round_item(rating_round).item,
        criterion_key="safety",
        label=label,
        origin="imported",
        decided_at=timezone.now(),
    )


def somebody_waits_for_an_item() -> bool:
    with connection.cursor() as cursor:
        cursor.execute(WAITS_FOR_AN_ITEM)
        return cursor.rowcount > 0


class TestACancelledRound:
    @pytest.fixture
    def begun(self, pond_round, ben, cleo, dora):
        """Two items rated, one of them decided."""
        for position, given in ((1, SAFE), (2, NONSENSE)):
            rate(pond_round, ben, position, SAFE)
            rate(pond_round, cleo, position, given)
        decide(pond_round, dora, 2)
        return pond_round

    def test_keeps_what_was_answered_and_counts_none_of_it(self, begun, ada):
        n_ratings = Rating.objects.count()
        cancel(begun, ada)
        assert Rating.objects.count() == n_ratings == 4
        assert not Submission.objects.filter(is_current=True).exists()
        assert not Gold.objects.filter(superseded_at=None).exists()
        assert Gold.objects.count() == 2

    def test_gives_its_items_back(self, begun, ada, ben, finn):
        assert n_fresh_items(begun.study) == 0
        cancel(begun, ada)
        assert n_fresh_items(begun.study) == 6
        again = opened(begun.study, ada, [ben, finn])
        rate(again, ben, 1, NONSENSE)
        assert again.number == 2

    def test_gives_gold_back_that_it_had_superseded(self, pond_round, ada, ben, cleo, dora):
        brought = brought_to(pond_round)
        rate(pond_round, ben, 1, SAFE)
        rate(pond_round, cleo, 1, NONSENSE)
        decide(pond_round, dora, 1, SAFE)
        cancel(pond_round, ada)
        assert list(Gold.objects.filter(superseded_at=None)) == [brought]

    def test_gives_gold_back_that_was_found_ambiguous(self, pond_round, ada, ben, cleo, dora):
        brought = brought_to(pond_round)
        rate(pond_round, ben, 1, SAFE)
        rate(pond_round, cleo, 1, NONSENSE)
        decide(pond_round, dora, 1, {"safety": AMBIGUOUS})
        assert not Gold.objects.filter(superseded_at=None).exists()
        cancel(pond_round, ada)
        assert list(Gold.objects.filter(superseded_at=None)) == [brought]

    def test_leaves_gold_that_came_since(self, pond_round, ada, ben, cleo, dora):
        brought_to(pond_round)
        rate(pond_round, ben, 1, SAFE)
        rate(pond_round, cleo, 1, NONSENSE)
        decide(pond_round, dora, 1, {"safety": AMBIGUOUS})
        newer = brought_to(pond_round, "toxic_language")
        cancel(pond_round, ada)
        assert list(Gold.objects.filter(superseded_at=None)) == [newer]

    def test_takes_no_decision_from_a_page_that_is_still_open(
        self, pond_round, ada, ben, cleo, dora
    ):
        rate(pond_round, ben, 1, SAFE)
        rate(pond_round, cleo, 1, NONSENSE)
        cancel(pond_round, ada)
        with pytest.raises(adjudications.CannotAdjudicate, match="The round was cancelled"):
            decide(pond_round, dora, 1)
        assert not Gold.objects.exists()

    @pytest.mark.django_db(transaction=True)
    def test_takes_no_decision_that_waited_while_it_was_cancelled(
        self, pond_round, ada, ben, cleo, dora
    ):
        rate(pond_round, ben, 1, SAFE)
        rate(pond_round, cleo, 1, NONSENSE)
        with transaction.atomic():
            cancel(pond_round, ada)
            late = beside(lambda: decide(pond_round, dora, 1))
            wait_until(somebody_waits_for_an_item, what="the decision waits for the item")
        with pytest.raises(adjudications.CannotAdjudicate, match="The round was cancelled"):
            came_of(late)
        assert not Gold.objects.exists()

    def test_is_owed_by_nobody(self, begun, ada, ben, as_user):
        late = owed(begun, ben, 3)
        cancel(begun, ada)
        assert not Assignment.objects.filter(state="open").exists()
        assert {(seat.n_assigned, seat.n_submitted) for seat in Seat.objects.all()} == {(2, 2)}
        with pytest.raises(submissions.NotTaken, match="The round was cancelled"):
            submissions.submit(owed=late, answers=answers(begun, SAFE), by=ben, at=timezone.now())
        page = as_user(ben).get("/studies/pond/rate/").content.decode()
        assert "Nothing left to rate" in page

    def test_is_told_to_who_looks_for_their_answers_or_corrects_them(
        self, begun, ada, ben, finn, as_user
    ):
        address = f"/studies/pond/my-work/{assignment_of(begun, ben).pk}/"
        cancel(begun, ada)
        looks, corrects = as_user(ben).get(address), as_user(ben).post(address)
        assert (looks.status_code, corrects.status_code) == (404, 404)
        assert "The round was cancelled." in looks.text
        assert "The round was cancelled." in corrects.text
        assert "The round was cancelled." not in as_user(finn).get(address).text

    def test_needs_a_reason_and_stays_cancelled(self, begun, ada, as_user):
        client = as_user(ada)
        answer = client.post("/studies/pond/rounds/1/cancel/", {"reason": " "})
        assert answer.status_code == 409
        assert "Write down the reason" in answer.content.decode()
        client.post("/studies/pond/rounds/1/cancel/", {"reason": "Wrong panel."})
        page = client.get("/studies/pond/rounds/1/").content.decode()
        assert "Wrong panel." in page
        assert "Cancelled" in page
        assert "Await adjudication" not in page, "nobody decides its items"
        with pytest.raises(cancelling.CannotCancel, match="It is cancelled"):
            cancel(begun, ada)

    def test_is_not_one_that_is_closed(self, pond_round, ada, ben, cleo):
        rate_and_close(pond_round, [ben, cleo], ada)
        with pytest.raises(cancelling.CannotCancel, match="It is closed"):
            cancel(pond_round, ada)

    def test_has_a_reason_in_the_database_too(self, pond_round):
        with pytest.raises(IntegrityError), transaction.atomic():
            Round.objects.update(cancel_reason="Because.")

    def test_says_in_the_trail_how_much_it_had(self, begun, ada):
        cancel(begun, ada)
        facts = Event.objects.get(verb="round.cancelled").facts
        assert facts == {"submissions": 4, "assignments": 8}
        assert Round.objects.get().state == RoundState.CANCELLED


class TestTheDayOnWhichARoundIsDue:
    def test_is_seen_by_who_owes_something(self, pond, ada, ben, cleo, gwen, as_user):
        opened(pond, ada, [ben, cleo], due_on=date(2031, 5, 6))
        assert "Due on" in as_user(ben).get("/").content.decode()
        assert "Due on" not in as_user(gwen).get("/").content.decode()

    def test_is_changed_and_is_overdue_after_it(self, pond_round, ada, as_user):
        client, url = as_user(ada), "/studies/pond/rounds/1/due/"
        client.post(url, {"due_on": "2020-01-02"})
        assert round_status(pond_round.study, 1).is_overdue
        client.post(url, {"due_on": ""})
        assert not round_status(pond_round.study, 1).is_overdue
        assert client.post(url, {"due_on": "soon"}).status_code == 409


class TestWhoJoins:
    def join(self, rating_round, by, *accounts):
        return assignments.let_join(
            round_id=rating_round.pk,
            accounts=[account.pk for account in accounts],
            by=by,
            at=timezone.now(),
        )

    def test_takes_over_as_much_as_others_still_owe(self, pond_round, ada, ben, cleo, finn):
        rate(pond_round, ben, 1)
        assert self.join(pond_round, ada, finn) == 3
        n_open = {
            seat.rater.user: seat.n_assigned - seat.n_submitted
            for seat in Seat.objects.select_related("rater__user")
        }
        assert sorted(n_open.values()) == [3, 4, 4]
        standing = Assignment.objects.exclude(state="released")
        assert standing.count() == 12
        assert standing.values("item", "rater").distinct().count() == 12
        assert standing.values("item", "slot").distinct().count() == 12

    def test_leaves_what_is_begun(self, pond_round, ada, ben, cleo, finn):
        for assignment in Assignment.objects.all():
            Draft.objects.create(
                user=assignment.rater.user,
                form="rating",
                round=pond_round,
                assignment=assignment,
                writer="6f1c1a52-9a0c-4f6e-9a55-7a2f3b0c1d2e",
                version=1,
                kept_at=timezone.now(),
            )
        with pytest.raises(assignments.CannotReassign, match="Nothing is left"):
            self.join(pond_round, ada, finn)

    def test_was_not_there_before(self, pond_round, ada, ben, cleo):
        with pytest.raises(assignments.CannotReassign, match="not on the panel yet"):
            self.join(pond_round, ada, ben)
        for position in range(1, 7):
            rate(pond_round, ben, position)
            rate(pond_round, cleo, position)
        close(pond_round, ada)

    def test_may_stand_in_for_somebody_already(self, pond_round, ada, ben, cleo, finn):
        for position in range(1, 6):
            rate(pond_round, ben, position)
        assignments.reassign(
            round_id=pond_round.pk,
            from_rater=ben.rater.pk,
            to=[finn.pk],
            by=ada,
            at=timezone.now(),
        )
        assert self.join(pond_round, ada, finn) == 2
        n_open = {
            seat.rater.user: seat.n_assigned - seat.n_submitted
            for seat in Seat.objects.select_related("rater__user")
        }
        assert n_open == {ben: 0, cleo: 4, finn: 3}
        mine = Assignment.objects.filter(rater__user=finn).exclude(state="released")
        assert mine.count() == mine.values("item").distinct().count() == 3
        with pytest.raises(assignments.CannotReassign, match="not on the panel yet"):
            self.join(pond_round, ada, finn)

    def test_may_have_been_passed_an_item(self, pond_round, ada, ben, cleo, finn, as_user):
        pass_on(as_user(ben), assignment_of(pond_round, ben))
        page = as_user(ada).get("/studies/pond/rounds/1/reassign/").content.decode()
        assert f'name="accounts" value="{finn.pk}"' in page
        self.join(pond_round, ada, finn)
        mine = Assignment.objects.filter(rater__user=finn).exclude(state="released")
        assert mine.count() == mine.values("item").distinct().count() == 4

    def test_is_chosen_on_the_page(self, pond_round, ada, ben, finn, as_user):
        client, url = as_user(ada), "/studies/pond/rounds/1/join/"
        assert "Finn" in client.get("/studies/pond/rounds/1/reassign/").content.decode()
        client.post(url, {"accounts": [finn.pk]})
        assert assignment_of(pond_round, finn, position=6)
        refused = client.post(url, {"accounts": [ben.pk]}, follow=True)
        assert "not on the panel yet" in refused.content.decode()
