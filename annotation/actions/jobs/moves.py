"""Ask for a job of files, claim it, say that it goes on, and end it: each job once."""

from collections.abc import Mapping
from datetime import datetime, timedelta

from django.db import IntegrityError, transaction
from django.db.models import Q, QuerySet
from psycopg.errors import UniqueViolation

from accounts import events
from accounts.models import User
from annotation import queue
from annotation.models import FileJob, JobKind
from annotation.models.jobs import FOR_ALL, UNDER_WAY
from annotation.rubric.sentences import Sentence, as_json, sentence
from annotation.rules.lifecycle import JOB_MOVES, JobState, problem_with_move

LEASE = timedelta(seconds=30)
MOST_ATTEMPTS = 3
LOST_TOO_OFTEN = sentence(
    "Its worker was lost {times} times, so nobody tries again. Nothing of it was kept. Tell whoever "
    "runs the server: it may lack memory.",
    times=MOST_ATTEMPTS,
)


class NotOurs(Exception):
    """The job has ended, or another worker has it: nothing of this attempt may stay."""


class AskedAlready(Exception):
    """The same job is under way, or the same file imported; `job_id` says which."""

    def __init__(self, job_id: int) -> None:
        self.job_id = job_id
        super().__init__(job_id)


def ask(
    *,
    study_id: int,
    kind: JobKind,
    what: str,
    by: User,
    at: datetime,
    options: Mapping[str, object],
    file_name: str = "",
    folder: str = "",
    follows: FileJob | None = None,
) -> FileJob:
    """Have a worker do it; AskedAlready where one is at it, or where the file is imported."""
    job = FileJob(
        study_id=study_id,
        kind=kind,
        what=what,
        options=dict(options),
        file_name=file_name,
        folder=folder,
        follows=follows,
        total=follows.done if follows else None,
        asked_at=at,
        asked_by=by,
    )
    while not _is_begun(job):
        if same := _same_as(job):
            raise AskedAlready(same.pk)
    return job


def _is_begun(job: FileJob) -> bool:
    """False where the same is asked for already, and may have ended since."""
    try:
        with transaction.atomic():
            job.save(force_insert=True)
            queue.work_on_file(job_id=job.pk, kind=job.kind, what=job.what)
    except IntegrityError as clash:
        if isinstance(clash.__cause__, UniqueViolation):
            return False
        raise
    return True


@transaction.atomic
def claim(*, job_id: int, at: datetime) -> FileJob | None:
    """Take a job that waits, so that nobody else does; None where it does not wait."""
    job = (
        FileJob.objects.select_for_update(skip_locked=True)
        .filter(pk=job_id, state=JobState.WAITING)
        .first()
    )
    if job is None:
        return None
    _check_move(job, JobState.RUNNING)
    job.state = JobState.RUNNING.value
    job.attempts += 1
    job.started_at = job.heartbeat_at = at
    job.done = 0
    job.save(update_fields=["state", "attempts", "started_at", "heartbeat_at", "done"])
    return job


def beat(*, job: FileJob, done: int, total: int | None, at: datetime) -> bool:
    """Say that the worker is alive and how far it is; False where it had better stop."""
    ours = _ours(job).filter(cancel_asked_at=None)
    return bool(ours.update(heartbeat_at=at, done=done, total=total))


def finish(
    *,
    job: FileJob,
    result: Mapping[str, object],
    done: int,
    at: datetime,
    folder: str | None = None,
) -> None:
    """Within the transaction of the work itself, so that both happen or neither; or NotOurs.

    `folder` is that of a file that it made; its name is in `result`, for `file_name` is noted in
    the ledger when the job is asked for and stays as it is.
    """
    made = {} if folder is None else {"folder": folder}
    _end(job, JobState.DONE, at=at, result=dict(result), done=done, **made)


def refuse(*, job: FileJob, reason: Sentence, at: datetime) -> None:
    """Nothing came of it, and the owner reads why."""
    _end(job, JobState.REFUSED, at=at, reason=as_json(reason))


def give_up(*, job: FileJob, reason: Sentence, at: datetime) -> None:
    """Nothing came of it by no fault of its owner."""
    _end(job, JobState.FAILED, at=at, reason=as_json(reason))


def stop(*, job: FileJob, at: datetime) -> None:
    """The worker has done as it was told, and nothing of its work is left."""
    _end(job, JobState.CANCELLED, at=at)


@transaction.atomic
def cancel(*, job_id: int, by: User, at: datetime) -> bool:
    """Have a job stopped: at once where nobody works on it. False where it has ended.

    What is made for all may be cancelled by another than asked for it: the trail says by whom.
    """
    job = FileJob.objects.select_for_update().get(pk=job_id)
    if not job.is_under_way:
        return False
    job.cancel_asked_at = at
    if job.state == JobState.WAITING or _is_lost(job, at=at):
        _check_move(job, JobState.CANCELLED)
        job.state = JobState.CANCELLED.value
        job.finished_at = at
    job.save(update_fields=["cancel_asked_at", "state", "finished_at"])
    events.record(
        "job.cancelled",
        subject=f"study:{job.study_id}",
        by=by,
        at=at,
        facts={"kind": job.kind, "what": job.what},
    )
    return True


def take_up(*, at: datetime) -> None:
    """Queue what waits, and what a worker began and left because it was killed or cut off."""
    for lost in FileJob.objects.filter(state=JobState.RUNNING, heartbeat_at__lt=at - LEASE):
        _put_back(lost.pk, at=at)
    for job in FileJob.objects.filter(state=JobState.WAITING):
        queue.work_on_file(job_id=job.pk, kind=job.kind, what=job.what)


@transaction.atomic
def _put_back(job_id: int, *, at: datetime) -> None:
    """Let a lost job wait for another worker; its own, should it wake up, finds it NotOurs."""
    job = FileJob.objects.select_for_update(skip_locked=True).filter(pk=job_id).first()
    if job is None or job.state != JobState.RUNNING or not _is_lost(job, at=at):
        return
    if job.cancel_asked_at:
        stop(job=job, at=at)
    elif job.attempts >= MOST_ATTEMPTS:
        give_up(job=job, reason=LOST_TOO_OFTEN, at=at)
    else:
        _check_move(job, JobState.WAITING)
        job.state = JobState.WAITING.value
        job.save(update_fields=["state"])


def _is_lost(job: FileJob, *, at: datetime) -> bool:
    return job.heartbeat_at is not None and job.heartbeat_at < at - LEASE


def _ours(job: FileJob) -> QuerySet[FileJob]:
    """The job as long as this attempt at it is the one that counts."""
    return FileJob.objects.filter(pk=job.pk, state=JobState.RUNNING, attempts=job.attempts)


def _end(job: FileJob, state: JobState, *, at: datetime, **facts: object) -> None:
    _check_move(job, state)
    if not _ours(job).update(state=state, finished_at=at, **facts):
        raise NotOurs


def _check_move(job: FileJob, state: JobState) -> None:
    if problem := problem_with_move(JOB_MOVES, JobState(job.state), state):
        raise ValueError(problem)


def _same_as(job: FileJob) -> FileJob | None:
    """The job for whose sake the database does not take this one."""
    if job.follows:
        same = Q(follows=job.follows, state__in=[*UNDER_WAY, "done"])
    elif job.kind in FOR_ALL:
        same = Q(kind=job.kind, what=job.what, state__in=UNDER_WAY)
    else:
        same = Q(kind=job.kind, asked_by=job.asked_by, state__in=UNDER_WAY)
    return FileJob.objects.filter(same, study=job.study_id).order_by("-pk").first()
