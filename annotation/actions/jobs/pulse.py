"""A worker's pulse: others see that it is alive and how far it is, and can have it stop."""

from collections.abc import Callable, Iterable, Iterator
from datetime import datetime
from threading import Event, Thread
from types import TracebackType
from typing import TypeVar

from django.db import DatabaseError, connection

from annotation.actions.jobs import moves
from annotation.models import FileJob

EVERY = 0.5  # seconds, so that what is revoked is refused within one
PATIENCE = 5.0  # seconds

Row = TypeVar("Row")
Clock = Callable[[], datetime]
Allowed = Callable[[FileJob, datetime], bool]


class Stopped(Exception):
    """The work ends here: its owner has cancelled it, or another worker has it."""


class Pulse:
    """Beats beside the work, on a connection of its own.

    The work is one transaction, so nobody would see what it writes of itself. `watch` counts rows
    as they pass, and raises Stopped when the work is to end; a statement that takes long is
    interrupted. With each beat `is_allowed` says whether who asked for the work still may.
    """

    def __init__(self, job: FileJob, clock: Clock, is_allowed: Allowed) -> None:
        self._is_allowed = is_allowed
        self.done = 0
        self.total = job.total
        self.is_stopped = False
        self._job = job
        self._clock = clock
        self._has_ended = Event()
        self._thread = Thread(target=self._beat, daemon=True)

    def __enter__(self) -> "Pulse":
        connection.ensure_connection()
        self._works_on = connection.connection
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._has_ended.set()
        self._thread.join()

    def watch(self, rows: Iterable[Row]) -> Iterator[Row]:
        """Pass rows on and count them."""
        for row in rows:
            self.check()
            self.done += 1
            yield row

    def heed(self, pieces: Iterable[Row]) -> Iterator[Row]:
        """Pass on what is no row, and end with the work as `watch` does."""
        for piece in pieces:
            self.check()
            yield piece

    def check(self) -> None:
        """Raise Stopped where the work is to end."""
        if self.is_stopped:
            raise Stopped

    def expect(self, total: int | None) -> None:
        """Say how many rows there are."""
        self.total = total

    def _beat(self) -> None:
        try:
            while not self._has_ended.wait(PATIENCE if self.is_stopped else EVERY):
                if self.is_stopped or not self._may_go_on():
                    self.is_stopped = True
                    # And again: the work may have been between two statements.
                    self._works_on.cancel_safe(timeout=PATIENCE)
        finally:
            connection.close()

    def _may_go_on(self) -> bool:
        try:
            at = self._clock()
            is_ours = moves.beat(job=self._job, done=self.done, total=self.total, at=at)
            return is_ours and self._is_allowed(self._job, at)
        except DatabaseError:
            connection.close()  # the next beat opens another; what matters is the lease
            return True
