"""Note who read an item, and when.

The trail names the assignment, not the item: an auditor who annotates would see what came back.
"""

from collections.abc import Iterable
from datetime import datetime

from accounts import events
from accounts.models import Event, User

ASSIGNMENT_SHOWN = "assignment.shown"
JUDGES_REVEALED = "judges.revealed"


def assignment_shown(*, assignment_id: int, by: User, at: datetime) -> None:
    events.record(ASSIGNMENT_SHOWN, subject=f"assignment:{assignment_id}", by=by, at=at)


def line_of_assignment(
    *, assignment_id: int, by: User, at: datetime, name: str
) -> dict[str, str | int | datetime | None]:
    """The same for a statement that writes it with something else."""
    subject = f"assignment:{assignment_id}"
    return events.line(ASSIGNMENT_SHOWN, subject=subject, by=by, at=at, name=name)


def item_opened(*, item_id: int, by: User, at: datetime) -> None:
    events.record("item.opened", subject=f"item:{item_id}", by=by, at=at)


def case_shown(*, round_item_id: int, by: User, at: datetime) -> None:
    """A case holds an item's text and what its raters said of it."""
    events.record("case.shown", subject=f"round_item:{round_item_id}", by=by, at=at)


def judges_revealed(*, round_item_id: int, judges: int, by: User, at: datetime) -> None:
    """What judges answered was told to who has decided the item; each time is noted."""
    events.record(
        JUDGES_REVEALED,
        subject=f"round_item:{round_item_id}",
        by=by,
        at=at,
        facts={"judges": judges},
    )


def has_seen_judges(*, round_item_id: int, by: User) -> bool:
    """Whether somebody knew what judges answer to an item."""
    seen = Event.objects.filter(
        subject=f"round_item:{round_item_id}", verb=JUDGES_REVEALED, actor=by
    )
    return seen.exists()


def items_listed(*, study_id: int, items: Iterable[int], by: User, at: datetime) -> None:
    """A page of a list tells what was answered to each of its items."""
    _listed("items.listed", study_id, "items", items, by=by, at=at)


def items_named(*, study_id: int, items: Iterable[int], by: User, at: datetime) -> None:
    """A page of a list tells the keys of its items and how far they are."""
    _listed("items.named", study_id, "items", items, by=by, at=at)


def work_listed(*, study_id: int, assignments: Iterable[int], by: User, at: datetime) -> None:
    """A page of a list tells a rater what they answered, and what was decided."""
    _listed("work.listed", study_id, "assignments", assignments, by=by, at=at)


def _listed(
    verb: str, study_id: int, kind: str, ids: Iterable[int], *, by: User, at: datetime
) -> None:
    """One line for all that stands on a page; none for an empty one."""
    if shown := sorted(set(ids)):
        events.record(verb, subject=f"study:{study_id}", by=by, at=at, facts={kind: shown})
