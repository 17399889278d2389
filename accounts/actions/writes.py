"""What a program sends twice is done once: it is answered as it was the first time."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from accounts.models import ApiWrite, User

KEPT = timedelta(days=1)


class SentOtherwise(Exception):
    """The same key came with something else."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AnsweredBefore:
    """What was answered the first time."""

    status: int
    answer: object


def begin(*, by: User, key: str, sent: str, at: datetime) -> tuple[ApiWrite, AnsweredBefore | None]:
    """The row of a write, and its answer where it was done before; within its transaction.

    `key` and `sent` are SHA-256 of what the program calls the write and of what it sent. Who comes
    second waits here until the first one is done.
    """
    row, is_new = ApiWrite.objects.get_or_create(
        user=by, key_sha256=key, defaults={"sent_sha256": sent, "written_at": at}
    )
    if row.sent_sha256 != sent:
        raise SentOtherwise
    return row, None if is_new else AnsweredBefore(status=row.status, answer=row.answer)


def keep(row: ApiWrite, *, status: int, answer: object) -> None:
    row.status, row.answer = status, answer
    row.save(update_fields=["status", "answer"])


def give_up(row: ApiWrite) -> None:
    """Nothing came of it, so that it may be tried again under the same key."""
    row.delete()


def forget(*, at: datetime) -> None:
    ApiWrite.objects.filter(written_at__lt=at - KEPT).delete()
