"""Move assignments: to later, or to somebody else."""

from collections import Counter
from collections.abc import Collection, Sequence
from datetime import datetime

from django.db import transaction
from django.db.models import F

from accounts import events
from accounts.models import User
from annotation.actions import drafts, repeats
from annotation.actions.moving import move, move_one
from annotation.actions.teams import rater_of
from annotation.models import Assignment, PassedOn, Round, Seat
from annotation.queries.qualified import problem_with_panel
from annotation.queries.rounds import annotating
from annotation.queries.work import Owed
from annotation.rubric.sentences import sentence
from annotation.rules import joining
from annotation.rules.joining import Owing
from annotation.rules.lifecycle import AssignmentState, RoundState
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
    drafts.forget(assignment__in=[one.pk for one in owed])
    _give(rating_round, owed, successor_of)
    repeats.release(round_id, rater=from_rater)
    _count(
        rating_round,
        Counter({from_rater: len(owed)}),
        Counter(successor_of.values()),
        stands_in=True,
    )
    events.record(
        "assignment.reassigned",
        subject=f"round:{round_id}",
        by=by,
        at=at,
        facts={"from_rater": from_rater, "to_raters": raters, "assignments": len(owed)},
    )
    return len(owed)


@transaction.atomic
def let_join(*, round_id: int, accounts: Collection[int], by: User, at: datetime) -> int:
    """Seat annotators on the panel of an open round: each takes over as much as others still owe.

    What somebody has begun stays theirs, and what a newcomer was handed before counts as a part of
    their share. Returns how many assignments moved.
    """
    rating_round = Round.objects.select_for_update(no_key=True).get(pk=round_id)
    on_panel = rating_round.seats.filter(n_assigned__gt=0, stands_in=False)
    seated = set(on_panel.values_list("rater_id", flat=True))
    newcomers = _raters(rating_round, accounts)
    if rating_round.state != RoundState.OPEN or seated & set(newcomers):
        raise CannotReassign(sentence("Choose annotators who are not on the panel yet."))
    owed = list(
        Assignment.objects.select_for_update(of=("self",))
        .filter(round=rating_round, state=AssignmentState.OPEN, repeat=FIRST, drafts=None)
        .order_by("-position", "pk")
    )
    shares = joining.even_shares(
        {one.pk: Owing(one.item_id, one.rater_id) for one in owed},
        newcomers,
        taken=_taken(rating_round),
    )
    if not shares:
        raise CannotReassign(sentence("Nothing is left in this round that could be handed on."))
    moved = [one for one in owed if one.pk in shares]
    move(Assignment.objects.filter(pk__in=shares), AssignmentState.RELEASED)
    _give(rating_round, moved, shares)
    for one in moved:
        repeats.release(round_id, rater=one.rater_id, item=one.item_id)
    _count(
        rating_round,
        Counter(one.rater_id for one in moved),
        Counter(shares.values()),
        stands_in=False,
    )
    rating_round.seats.filter(rater__in=newcomers).update(stands_in=False)
    events.record(
        "round.raters_joined",
        subject=f"round:{round_id}",
        by=by,
        at=at,
        facts={"raters": newcomers, "assignments": len(moved)},
    )
    return len(moved)


def _raters(
    rating_round: Round, accounts: Collection[int], *, leaver: int | None = None
) -> list[int]:
    may = annotating(rating_round.study)
    chosen = User.objects.filter(pk__in=accounts, memberships__in=may).order_by("pk")
    raters = [rater_of(account).pk for account in chosen]
    if len(raters) < len(set(accounts)) or not raters or leaver in raters:
        raise CannotReassign(
            sentence("Choose other annotators of the study, who may read its items now.")
        )
    is_asked = rating_round.rules.qualified_only
    if is_asked and (reason := problem_with_panel(rating_round.study, accounts)):
        raise CannotReassign(reason)
    return raters


def _successors(
    rating_round: Round, owed: Sequence[Assignment], raters: Sequence[int]
) -> dict[int, int]:
    """{assignment: its next rater}; CannotReassign where somebody would rate an item twice."""
    taken = _taken(rating_round)
    still_open = Assignment.objects.filter(round=rating_round, state=AssignmentState.OPEN)
    load = Counter(still_open.values_list("rater_id", flat=True))
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
                "Items that those you chose rate already: {stuck} of {owed}. Choose somebody who "
                "does not rate them yet.",
                stuck=stuck,
                owed=len(owed),
            )
        )
    return successor_of


def _taken(rating_round: Round) -> set[tuple[int, int]]:
    """{(item, rater)}: who rates an item of the round, or would rather not."""
    standing = Assignment.objects.filter(round=rating_round).exclude(state=AssignmentState.RELEASED)
    unwanted = PassedOn.objects.filter(assignment__round=rating_round)
    return {
        *standing.values_list("item_id", "rater_id"),
        *unwanted.values_list("assignment__item", "assignment__rater"),
    }


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


def _count(
    rating_round: Round, taken: Counter[int], given: Counter[int], *, stands_in: bool
) -> None:
    for rater, n_assignments in taken.items():
        Seat.objects.filter(round=rating_round, rater=rater).update(
            n_assigned=F("n_assigned") - n_assignments
        )
    for rater, n_assignments in given.items():
        owe_more(rating_round, rater, n_assignments, stands_in=stands_in)


def owe_more(rating_round: Round, rater: int, n_assignments: int, *, stands_in: bool) -> None:
    """Count more work for a rater; who owed none has a seat then, or only stands in for others."""
    seat, _created = Seat.objects.get_or_create(round=rating_round, rater_id=rater)
    if not seat.n_assigned:
        seat.stands_in = stands_in
    seat.n_assigned = F("n_assigned") + n_assignments
    seat.save(update_fields=["n_assigned", "stands_in"])
