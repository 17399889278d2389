"""What workers do with the files of a study, and the letters to those for whom work waits."""

from celery import shared_task
from django.utils import timezone

from annotation.actions import telling
from annotation.actions.imports import work
from annotation.actions.jobs import moves, sweeping


# Acknowledged at once: a job whose worker is killed is found by the scheduler, once its lease has
# run out, and a job may take longer than the broker waits for a task.
@shared_task(acks_late=False)
def work_on_file(job_id: int) -> None:
    """Check or import a file that somebody uploaded."""
    work.work_on(job_id=job_id, clock=timezone.now)


@shared_task
def look_after_files() -> None:
    """Queue the jobs that wait, or whose worker was lost: now and then, from the scheduler."""
    moves.take_up(at=timezone.now())


@shared_task
def sweep_files() -> None:
    """Forget jobs and remove files whose time is over: now and then, from the scheduler."""
    sweeping.sweep(at=timezone.now())


@shared_task
def tell_of_work() -> None:
    """Write to those for whom work waits: now and then, from the scheduler."""
    telling.tell(at=timezone.now())
