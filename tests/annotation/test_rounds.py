"""Rounds: work is shared out when they open, handed on when a rater leaves, and end by rule."""

from collections import Counter

import pytest
from django.utils import timezone

from accounts.models import Event
from annotation.actions import assignments, grants, rounds, submissions
from annotation.models import Assignment, Grant, Round, RoundItem, Seat, Study
from annotation.queries.rounds import annotators_of
from annotation.queries.work import next_work
from annotation.rules.granting import DataLevel
from annotation.rules.lifecycle import AssignmentState, RoundState
from tests.annotation.doing import (
    NONSENSE,
    SAFE,
    close,
    decide,
    kappa_of,
    opened,
    owed,
    rate,
    rate_and_close,
)
from tests.cast import add_item

pytestmark = pytest.mark.usefixtures("states_follow")


def items_of(rating_round):
    return set(RoundItem.objects.filter(round=rating_round).values_list("item", flat=True))


def counts(rating_round):
    return Counter(
        Assignment.objects.filter(round=rating_round)
        .exclude(state=AssignmentState.RELEASED)
        .values_list("rater__user__full_name", flat=True)
    )


class TestOpening:
    def test_the_panel_shares_the_items_evenly(self, pond, ada, ben, cleo, finn):
        rating_round = opened(pond, ada, [ben, cleo, finn])
        assert counts(rating_round) == {"Ben": 4, "Cleo": 4, "Finn": 4}
        per_item = Counter(Assignment.objects.values_list("item", flat=True))
        assert set(per_item.values()) == {2}
        assert {seat.n_assigned for seat in Seat.objects.all()} == {4}

    def test_the_next_items_are_those_that_were_in_no_round(self, pond, ada, ben, cleo):
        first = opened(pond, ada, [ben, cleo], n_items=4)
        rate_and_close(first, [ben, cleo], ada, kappa=0.8)
        second = opened(pond, ada, [ben, cleo])
        assert second.number == 2
        positions = RoundItem.objects.filter(round=second).values_list("item__position", flat=True)
        assert sorted(positions) == [5, 6]

    def test_nobody_is_seated_who_may_not_read_the_items_now(self, pond, ada, ben, cleo, finn, sam):
        """Their work would have waited until somebody handed it on."""
        rating_round = opened(pond, ada, [ben, cleo], n_items=4)
        grant = Grant.objects.get(person=finn, level=DataLevel.ITEM_TEXT)
        grants.revoke(grant_id=grant.pk, reason="Left.", by=sam, at=timezone.now())
        assert [one.name for one in annotators_of(pond)] == ["Ben", "Cleo"]
        seat = rating_round.seats.get(rater__user=ben)
        with pytest.raises(assignments.CannotReassign, match="who may read its items now"):
            assignments.reassign(
                round_id=rating_round.pk,
                from_rater=seat.rater_id,
                to=[finn.pk],
                by=ada,
                at=timezone.now(),
            )
        rate_and_close(rating_round, [ben, cleo], ada, kappa=0.8)
        with pytest.raises(rounds.CannotOpen, match="who may read its items now"):
            opened(pond, ada, [ben, finn])

    def test_a_re_review_takes_the_same_items(self, pond_round, ada, ben, cleo, finn):
        rate_and_close(pond_round, [ben, cleo], ada, kappa=0.1)
        again = opened(pond_round.study, ada, [cleo, finn], re_review_of=pond_round.pk)
        assert items_of(again) == items_of(pond_round)

    @pytest.mark.parametrize(
        ("kappa", "more", "reason"),
        [
            (0.4, {}, None),
            (0.1, {}, "below its gate"),
            (None, {}, "undefined"),
            (0.1, {"override_reason": "The rubric was changed since."}, None),
        ],
    )
    def test_what_a_round_below_its_gate_lets_follow(
        self, pond_round, ada, ben, cleo, kappa, more, reason
    ):
        rate_and_close(pond_round, [ben, cleo], ada, kappa=kappa)
        add_item(pond_round.study, 7)
        if reason is None:
            assert opened(pond_round.study, ada, [ben, cleo], **more).number == 2
            return
        with pytest.raises(rounds.CannotOpen, match=reason):
            opened(pond_round.study, ada, [ben, cleo], **more)

    def test_none_opens_beside_an_open_one(self, pond_round, ada, ben, cleo):
        with pytest.raises(rounds.CannotOpen, match="not closed yet"):
            opened(pond_round.study, ada, [ben, cleo])

    def test_none_opens_before_the_agreement_of_the_last_is_known(self, pond_round, ada, ben, cleo):
        rate_and_close(pond_round, [ben, cleo], ada, kappa=0.9)
        Round.objects.update(verdict="", kappa=None)
        with pytest.raises(rounds.CannotOpen, match="still being computed"):
            opened(pond_round.study, ada, [ben, cleo])

    @pytest.mark.parametrize(
        ("panel", "more", "reason"),
        [
            (["ben"], {}, "The panel has only 1"),
            (["ben", "dora"], {}, "Only annotators"),
            (["ben", "cleo"], {"raters_per_item": 0}, "at least one rater"),
        ],
    )
    def test_a_panel_that_does_not_fit_is_refused(self, request, pond, ada, panel, more, reason):
        people = [request.getfixturevalue(name) for name in panel]
        with pytest.raises(rounds.CannotOpen, match=reason):
            opened(pond, ada, people, **more)

    def test_a_study_without_items_opens_none(self, pond, ada, ben, cleo):
        first = opened(pond, ada, [ben, cleo])
        rate_and_close(first, [ben, cleo], ada, kappa=0.9)
        with pytest.raises(rounds.CannotOpen, match="been in a round already"):
            opened(pond, ada, [ben, cleo])


class TestTheNextItem:
    def next_position(self, user, study, access_of):
        work = next_work(access_of(user), study.pk)
        return work and work.owed.position

    def test_items_come_in_order_and_later_ones_last(self, pond_round, ben, access_of):
        study = pond_round.study
        assert self.next_position(ben, study, access_of) == 1
        assignments.defer(owed=owed(pond_round, ben), by=ben, at=timezone.now())
        order = []
        while (position := self.next_position(ben, study, access_of)) is not None:
            rate(pond_round, ben, position)
            order.append(position)
        assert order == [2, 3, 4, 5, 6, 1]

    def test_somebody_outside_the_panel_has_none(self, pond_round, finn, access_of):
        assert next_work(access_of(finn), pond_round.study_id) is None


class TestHandingOn:
    def reassign(self, rating_round, leaver, to, by):
        return assignments.reassign(
            round_id=rating_round.pk,
            from_rater=leaver.rater.pk,
            to=[user.pk for user in to],
            by=by,
            at=timezone.now(),
        )

    def test_what_is_open_moves_and_what_is_submitted_stays(self, pond_round, ada, ben, cleo, finn):
        rate(pond_round, ben, 1)
        assert self.reassign(pond_round, ben, [finn], ada) == 5
        assert counts(pond_round) == {"Ben": 1, "Cleo": 6, "Finn": 5}
        seats = {seat.rater.name: seat.n_assigned for seat in Seat.objects.all()}
        assert seats == {"Ben": 1, "Cleo": 6, "Finn": 5}
        assert Event.objects.filter(verb="assignment.reassigned").count() == 1

    def test_the_slot_stays_the_same(self, pond_round, ada, ben, finn):
        slots = dict(Assignment.objects.filter(rater=ben.rater).values_list("item", "slot"))
        self.reassign(pond_round, ben, [finn], ada)
        assert (
            dict(Assignment.objects.filter(rater=finn.rater).values_list("item", "slot")) == slots
        )

    def test_nobody_gets_an_item_twice(self, pond_round, ada, ben, cleo):
        with pytest.raises(assignments.CannotReassign, match="those you chose rate already"):
            self.reassign(pond_round, ben, [cleo], ada)
        assert counts(pond_round) == {"Ben": 6, "Cleo": 6}

    def test_work_may_come_back_to_the_one_who_left(self, pond_round, ada, ben, finn):
        self.reassign(pond_round, ben, [finn], ada)
        self.reassign(pond_round, finn, [ben], ada)
        assert counts(pond_round) == {"Ben": 6, "Cleo": 6}

    def test_the_one_who_left_can_no_longer_submit(self, pond_round, ada, ben, finn):
        self.reassign(pond_round, ben, [finn], ada)
        with pytest.raises(submissions.NotTaken, match="given to somebody else"):
            rate(pond_round, ben, 1)

    def test_there_must_be_something_to_hand_on(self, pond_round, ada, ben, cleo, finn):
        for position in range(1, 7):
            rate(pond_round, ben, position)
        with pytest.raises(assignments.CannotReassign, match="owes nothing"):
            self.reassign(pond_round, ben, [finn], ada)


class TestClosing:
    def test_a_round_waits_for_its_ratings(self, pond_round, ada, ben, cleo):
        rate(pond_round, ben, 1)
        rate(pond_round, cleo, 1)
        with pytest.raises(rounds.CannotClose, match="Items that still need ratings: 5 of 6"):
            close(pond_round, ada)

    def test_a_round_waits_for_its_decisions(self, pond_round, ada, ben, cleo, dora):
        for position in range(1, 7):
            rate(pond_round, ben, position, SAFE)
            rate(pond_round, cleo, position, NONSENSE if position == 3 else SAFE)
        with pytest.raises(rounds.CannotClose, match="Items that await adjudication: 1"):
            close(pond_round, ada)
        decide(pond_round, dora, 3)
        assert close(pond_round, ada).state == RoundState.CLOSED

    def test_a_round_closes_once(self, pond_round, ada, ben, cleo):
        rate_and_close(pond_round, [ben, cleo], ada)
        with pytest.raises(rounds.CannotClose, match="closed"):
            close(pond_round, ada)

    @pytest.mark.parametrize(
        ("kappa", "kept", "verdict"),
        [
            (0.41, 0.41, "passed"),
            (0.4, 0.4, "passed"),
            (0.39, 0.39, "below"),
            (None, None, "undefined"),
            (float("nan"), None, "undefined"),
        ],
    )
    def test_its_kappa_is_held_against_its_gate(
        self, pond_round, ada, ben, cleo, kappa, kept, verdict
    ):
        rate_and_close(pond_round, [ben, cleo], ada, kappa=kappa)
        pond_round.refresh_from_db()
        assert (pond_round.kappa, pond_round.verdict) == (kept, verdict)


def test_the_verdict_of_a_round_reaches_the_pages_of_figures(pond, pond_round, ben, cleo, ada):
    """They follow the study's revision."""
    closed = rate_and_close(pond_round, [ben, cleo], ada)
    before = Study.objects.get(pk=pond.pk).revision
    rounds.record_kappa(round_id=closed.pk, kappa=kappa_of(0.5), at=timezone.now())
    assert Study.objects.get(pk=pond.pk).revision == before + 1
