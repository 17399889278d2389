"""Move assignments: to later, or to somebody else."""

from collections import Counter
from collections.abc import Collection, Sequence
from datetime import datetime

from django.db import transaction
from django.db.models import F

from accounts import events
from accounts.models import User
from annotation.actions import repeats
from annotation.actions.moving import move, move_one
from annotation.actions.teams import rater_of
from annotation.models import Assignment, Round, Seat, TeamRole
from annotation.queries.work import Owed
from annotation.rubric.sentences import sentence
from annotation.rules.lifecycle import AssignmentState
from annotation.rules.repeating import FIRST


class CannotReassign(Exception):
    """A sentence that says why the work stays where it is."""


@transaction.atomic
def defer(*, owed: Owed, by: User, at: datetime) -> None:
    """Put an open assignment behind all others of its rater.

    If the item was to come back later, it no longer does: that would be too soon.
    """
    moved = Assignment.objects.filter(pk=owed.assignment_id, state=AssignmentState.OPEN).update(
        deferrals=F("deferrals") + 1
    )
    if moved:
        repeats.release(
            owed.round_id, rater=owed.rater_id, item=owed.item_id, position__gt=owed.position
        )
        events.record(
            "assignment.deferred", subject=f"assignment:{owed.assignment_id}", by=by, at=at
        )


@transaction.atomic
def reassign(*, round_id: int, from_rater: int, to: Collection[int], by: User, at: datetime) -> int:
    """Give all that a rater still owes in a round to other annotators (account ids).

    Each item goes to the one of them who owes least and does not rate it yet. Returns how many
    assignments moved: all or none. Hidden repeats lapse, for nobody else can give them.
    """
    rating_round = Round.objects.select_for_update(no_key=True).get(pk=round_id)
    owed = list(
        Assignment.objects.select_for_update()
        .filter(round=rating_round, rater=from_rater, state=AssignmentState.OPEN, repeat=FIRST)
        .order_by("position")
    )
    if not owed:
        raise CannotReassign(
            sentence("This rater owes nothing in the round that somebody else could rate.")
        )
    raters = _raters(rating_round, to, leaver=from_rater)
    successor_of = _successors(rating_round, owed, raters)
    move(Assignment.objects.filter(pk__in=[one.pk for one in owed]), AssignmentState.RELEASED)
    _give(rating_round, owed, successor_of)
    repeats.release(round_id, rater=from_rater)
    _count(rating_round, from_rater, Counter(successor_of.values()))
    events.record(
        "assignment.reassigned",
        subject=f"round:{round_id}",
        by=by,
        at=at,
        facts={"from_rater": from_rater, "to_raters": raters, "assignments": len(owed)},
    )
    return len(owed)


def _raters(rating_round: Round, accounts: Collection[int], *, leaver: int) -> list[int]:
    chosen = User.objects.filter(
        pk__in=accounts,
        memberships__study=rating_round.study_id,
        memberships__roles__contains=[TeamRole.ANNOTATOR],
    ).order_by("pk")
    raters = [rater_of(account).pk for account in chosen]
    if len(raters) < len(set(accounts)) or not raters or leaver in raters:
        raise CannotReassign(sentence("Choose other annotators of the study."))
    return raters


def _successors(
    rating_round: Round, owed: Sequence[Assignment], raters: Sequence[int]
) -> dict[int, int]:
    """{assignment: its next rater}; CannotReassign where somebody would rate an item twice."""
    standing = Assignment.objects.filter(round=rating_round).exclude(state=AssignmentState.RELEASED)
    taken = set(standing.values_list("item_id", "rater_id"))
    load = Counter(standing.filter(state=AssignmentState.OPEN).values_list("rater_id", flat=True))
    successor_of: dict[int, int] = {}
    for assignment in owed:
        free = [rater for rater in raters if (assignment.item_id, rater) not in taken]
        if free:
            rater = min(free, key=load.__getitem__)
            successor_of[assignment.pk] = rater
            load[rater] += 1
    if stuck := len(owed) - len(successor_of):
        raise CannotReassign(
            sentence(
                "{stuck} of {owed} items are already rated by those you chose. Choose somebody"
                " who does not rate them yet.",
                stuck=stuck,
                owed=len(owed),
            )
        )
    return successor_of


def _give(rating_round: Round, owed: Sequence[Assignment], successor_of: dict[int, int]) -> None:
    """Open the new assignments; one that was released by the same rater earlier is theirs again."""
    released = {
        (assignment.item_id, assignment.rater_id): assignment
        for assignment in Assignment.objects.filter(
            round=rating_round,
            rater__in=set(successor_of.values()),
            state=AssignmentState.RELEASED,
            repeat=FIRST,
        )
    }
    fresh = []
    for old in owed:
        rater = successor_of[old.pk]
        again = released.get((old.item_id, rater))
        if again is None:
            fresh.append(
                Assignment(
                    round=rating_round,
                    item_id=old.item_id,
                    rater_id=rater,
                    slot=old.slot,
                    position=old.position,
                )
            )
        else:
            move_one(again, AssignmentState.OPEN, slot=old.slot)
    Assignment.objects.bulk_create(fresh)


def _count(rating_round: Round, leaver: int, given: Counter[int]) -> None:
    Seat.objects.filter(round=rating_round, rater=leaver).update(
        n_assigned=F("n_assigned") - given.total()
    )
    for rater, n_assignments in given.items():
        seat, _created = Seat.objects.get_or_create(round=rating_round, rater_id=rater)
        seat.n_assigned = F("n_assigned") + n_assignments
        seat.save(update_fields=["n_assigned"])
