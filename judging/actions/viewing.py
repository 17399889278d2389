"""Note who looked at what judges did."""

from datetime import datetime

from django.db import transaction

from accounts import events
from accounts.models import User


@transaction.atomic
def run_shown(*, run_id: int, by: User, at: datetime) -> None:
    events.record("judge_run.shown", subject=f"judge_run:{run_id}", by=by, at=at)


@transaction.atomic
def call_shown(*, call_id: int, item_id: int, by: User, at: datetime) -> None:
    """A call page holds an item's text and what was said of it."""
    events.record(
        "judge_call.shown",
        subject=f"judge_call:{call_id}",
        by=by,
        at=at,
        facts={"item": item_id},
    )


@transaction.atomic
def prompt_tried(*, item_id: int, by: User, at: datetime) -> None:
    """A preview holds an item's text."""
    events.record("prompt.tried", subject=f"item:{item_id}", by=by, at=at)
