"""What workers do for judges."""

from celery import current_app, shared_task
from celery.signals import worker_ready, worker_shutting_down
from django.utils import timezone

from annotation.actions.imports import work as files
from annotation.queries.jobs import ANSWERS
from judging import queue
from judging.actions import importing, runs, searching, sentinels, work


@shared_task(acks_late=False)
def work_on_run(run_id: int) -> None:
    """Make the calls of a run, and queue what has to wait for a worker.

    It may last for days, so it is acknowledged at once: a run that nobody holds is found anyway.
    """
    if work.work_on(run_id=run_id, clock=timezone.now):
        queue.work_on_run(run_id=run_id)


# Acknowledged at once, as other files are: the scheduler finds what a killed worker left.
@shared_task(acks_late=False)
def bring_answers(job_id: int) -> None:
    """Check or import a file of recorded answers that somebody uploaded."""
    files.work_on(job_id=job_id, clock=timezone.now, importers={ANSWERS: importing.import_answers})


@shared_task
def wake_runs() -> None:
    """Queue the runs that have work to do and nobody who does it."""
    runs.wake(at=timezone.now())


@shared_task
def ask_sentinels() -> None:
    """Ask judges about their sentinels again where it is time."""
    sentinels.ask_due(at=timezone.now())


@shared_task
def index_answers() -> None:
    """Have what was answered in runs that are over found by its words."""
    searching.index_finished(at=timezone.now())


@worker_ready.connect
def wake_runs_at_once(**_signal: object) -> None:
    """A worker that starts need not wait for the scheduler."""
    if _works_on_runs():
        wake_runs.apply_async()


@worker_shutting_down.connect
def leave_runs(**_signal: object) -> None:
    """A worker that is to stop waits only for what is under way."""
    work.leave_all()


def _works_on_runs() -> bool:
    """Whether this worker takes from the queue of judge runs; others do other work."""
    return queue.OF_RUNS in current_app.amqp.queues.consume_from
