"""Calls that are sent together: how a batch ends, and how each request in it is named."""

import re
from enum import StrEnum

_CUSTOM = re.compile(r"([1-9]\d{0,18})-([1-9]\d{0,8})")
MOST_CALLS = 1000  # in one batch


class BatchEnd(StrEnum):
    """What became of a batch at its endpoint."""

    COMPLETED = "completed"
    EXPIRED = "expired"
    CANCELLED = "cancelled"
    FAILED = "failed"
    LOST = "lost"
    NOT_SENT = "not_sent"


def custom_id(call: int, claim: int) -> str:
    """How a request is named: its call, and how often that had been taken in hand."""
    return f"{call}-{claim}"


def call_and_claim(custom: object) -> tuple[int, int] | None:
    """The same back; None where it is no such name."""
    named = _CUSTOM.fullmatch(custom) if isinstance(custom, str) else None
    return (int(named[1]), int(named[2])) if named else None
