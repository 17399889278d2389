"""“Not for me”: take an item off somebody who would rather not rate it, without a reason.

The trail says that it happened in a round, and not to whom.
"""

from collections import Counter
from datetime import datetime

from django.db import transaction
from django.db.models import F, OuterRef

from accounts import events
from annotation.actions import drafts, repeats
from annotation.actions.assignments import owe_more
from annotation.actions.moving import move_one
from annotation.actions.teams import rater_of
from annotation.models import Assignment, OpenItem, PassedOn, Round, Seat
from annotation.models.permitted import holds
from annotation.queries.qualified import accounts_that_may_rate
from annotation.queries.rounds import annotating
from annotation.queries.work import Owed
from annotation.rules.granting import SPLIT_LEVELS, Split
from annotation.rules.lifecycle import AssignmentState
from annotation.rules.repeating import FIRST

LAST = 1_000  # so many times put off: behind all that an account puts off by itself


@transaction.atomic
def pass_on(*, owed: Owed, at: datetime) -> bool:
    """Give the item to whoever of the team may rate now, owes least and has not rated it.

    False where there is nobody: it waits behind all others until somebody joins the team.
    """
    rating_round = Round.objects.select_for_update(no_key=True).get(pk=owed.round_id)
    mine = (
        Assignment.objects.select_for_update()
        .filter(pk=owed.assignment_id, state=AssignmentState.OPEN)
        .first()
    )
    if mine is None:
        return True
    PassedOn.objects.get_or_create(assignment=mine)
    drafts.forget(assignment=mine)
    repeats.release(owed.round_id, rater=owed.rater_id, item=owed.item_id)
    events.record("round.item_passed_on", subject=f"round:{owed.round_id}", by=None, at=at)
    if mine.repeat > FIRST:
        return True
    successor = _successor(rating_round, mine, at=at)
    if successor is None:
        Assignment.objects.filter(pk=mine.pk).update(deferrals=F("deferrals") + LAST)
        return False
    _hand_over(rating_round, mine, successor)
    return True


def _successor(rating_round: Round, mine: Assignment, *, at: datetime) -> int | None:
    is_open = OpenItem.objects.filter(item=mine.item_id).exists()
    split = SPLIT_LEVELS[Split.OPEN if is_open else Split.RESTRICTED]
    members = (
        annotating(rating_round.study)
        .filter(holds(split, OuterRef("user"), study="study", at=at))
        .order_by("user")
    )
    if rating_round.rules.qualified_only:
        members = members.filter(user__in=accounts_that_may_rate(rating_round.study))
    raters = [rater_of(member.user).pk for member in members.select_related("user")]
    of_item = Assignment.objects.filter(round=rating_round, item=mine.item_id)
    taken = set(of_item.values_list("rater_id", flat=True))
    load = Counter(
        Assignment.objects.filter(
            round=rating_round, rater__in=raters, state=AssignmentState.OPEN
        ).values_list("rater_id", flat=True)
    )
    free = [rater for rater in raters if rater not in taken]
    return min(free, key=load.__getitem__, default=None)


def _hand_over(rating_round: Round, mine: Assignment, successor: int) -> None:
    move_one(mine, AssignmentState.RELEASED)
    Assignment.objects.create(
        round=rating_round,
        item_id=mine.item_id,
        rater_id=successor,
        slot=mine.slot,
        position=mine.position,
    )
    Seat.objects.filter(round=rating_round, rater=mine.rater_id).update(
        n_assigned=F("n_assigned") - 1
    )
    owe_more(rating_round, successor, 1, stands_in=True)
