"""Work on a job of files: claimed, watched, and ended in one way or another."""

import logging
from collections.abc import Callable

from django.db import InterfaceError, OperationalError

from annotation.actions.jobs import moves, sweeping
from annotation.actions.jobs.pulse import Allowed, Clock, Pulse, Stopped
from annotation.models import FileJob
from annotation.rubric.sentences import Sentence, sentence

log = logging.getLogger(__name__)

BROKE = sentence(
    "Something went wrong on the server, and nothing of it was kept. Try again, and tell whoever "
    "runs the server if it happens twice."
)

# How PostgreSQL says that it ends, has crashed or is not up yet, and that a connection broke off.
_GONE = ("57P", "08")

Work = Callable[[FileJob, Pulse], None]


class Refused(Exception):
    """Nothing came of a job; `sentence` says why and what to do."""

    def __init__(self, why: Sentence) -> None:
        self.sentence = why
        super().__init__(why)


def work_on(*, job_id: int, work: Work, clock: Clock, is_allowed: Allowed) -> None:
    """Do a job that waits; nothing where somebody has it already.

    `work` finishes the job in the transaction that writes what it wrote, so that a worker that is
    killed, at whatever moment, has done all of it or nothing. It is stopped within a second of the
    moment at which it `is_allowed` no more.
    """
    job = moves.claim(job_id=job_id, at=clock())
    if job is None:
        return
    sweeping.sweep_disk(at=clock())
    try:
        _do(job, work, clock, is_allowed)
    except moves.NotOurs:
        log.warning("File job %s has ended, or another worker has it.", job_id)


def _do(job: FileJob, work: Work, clock: Clock, is_allowed: Allowed) -> None:
    pulse = Pulse(job, clock, is_allowed)
    try:
        with pulse:
            work(job, pulse)
    except moves.NotOurs:
        raise
    except (Refused, Stopped) as end:
        _end(job, end, clock)
    except Exception as error:
        if _has_lost_database(error):
            raise  # as if the worker had been killed: another takes the job up
        # Whatever was under way when the pulse interrupted it says so in words of its own.
        _end(job, Stopped() if pulse.is_stopped else error, clock)
        if not pulse.is_stopped:
            raise


def _has_lost_database(error: Exception) -> bool:
    if not isinstance(error, OperationalError | InterfaceError):
        return False
    state = getattr(error.__cause__, "sqlstate", None)
    return state is None or state.startswith(_GONE)


def _end(job: FileJob, why: Exception, clock: Clock) -> None:
    if isinstance(why, Refused):
        moves.refuse(job=job, reason=why.sentence, at=clock())
    elif isinstance(why, Stopped):
        moves.stop(job=job, at=clock())
    else:
        moves.give_up(job=job, reason=BROKE, at=clock())
