"""Let hidden repeats lapse that nobody is to give any more."""

from collections import Counter

from django.db.models import F

from annotation.actions.moving import move
from annotation.models import Assignment, Seat
from annotation.rules.lifecycle import AssignmentState
from annotation.rules.repeating import FIRST


def release(round_id: int, **whose: int) -> int:
    """Release the open repeats of a round, all or some; part of the caller's transaction."""
    still_open = Assignment.objects.select_for_update().filter(
        round=round_id, repeat__gt=FIRST, state=AssignmentState.OPEN, **whose
    )
    raters = dict(still_open.values_list("pk", "rater_id"))
    move(Assignment.objects.filter(pk__in=raters), AssignmentState.RELEASED)
    for rater, n_released in Counter(raters.values()).items():
        seat = Seat.objects.filter(round=round_id, rater=rater)
        seat.update(n_assigned=F("n_assigned") - n_released)
    return len(raters)
