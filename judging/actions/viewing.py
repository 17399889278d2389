"""Note who looked at what judges did."""

from collections.abc import Sequence
from datetime import datetime

from django.db import transaction

from accounts import events
from accounts.models import User


@transaction.atomic
def run_shown(*, run_id: int, by: User, at: datetime) -> None:
    events.record("judge_run.shown", subject=f"judge_run:{run_id}", by=by, at=at)


@transaction.atomic
def call_shown(*, call_id: int, items: Sequence[int], by: User, at: datetime) -> None:
    """A call page holds the text of an item, or of two, and what was said of it."""
    events.record(
        "judge_call.shown",
        subject=f"judge_call:{call_id}",
        by=by,
        at=at,
        facts=dict(zip(("item", "second"), items, strict=False)),
    )


@transaction.atomic
def prompt_tried(*, items: Sequence[int], by: User, at: datetime) -> None:
    """A preview holds the text of an item, or of two."""
    for item in items:
        events.record("prompt.tried", subject=f"item:{item}", by=by, at=at)
