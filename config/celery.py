"""The Celery app: workers and the scheduler start from here."""

import os
from collections.abc import Mapping, Sequence
from typing import Any

import kombu
from celery import Celery
from celery.signals import setup_logging

from config import environment
from config.queues import QUEUES, queue_of_each_task

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings.dev")


@setup_logging.connect
def log_as_django_does(**_: object) -> None:
    """Workers log as the settings say, and Celery sets up nothing of its own."""


_QUEUES = dict(queue_of_each_task())


def line_of(
    name: str,
    args: Sequence[Any] = (),
    kwargs: Mapping[str, Any] | None = None,
    *_more: object,
    **_of_task: object,
) -> dict[str, object] | None:
    """Where a task waits; what is about a study names it first.

    Nothing is declared with it: in Redis a list is there once something is in it, and Kombu sends
    into a channel that it has closed where Redis was away when it was about to declare.
    """
    if name not in _QUEUES:
        return None
    queue = _QUEUES[name]
    study_id = (kwargs or {}).get("study_id", args[0] if args else 0)
    return {
        "queue": queue.line(name, study_id),
        "priority": queue.priority(name),
        "declare": [],
    }


app = Celery("concord")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
app.conf.task_queues = [kombu.Queue(line) for queue in QUEUES for line in queue.lines]
app.conf.task_create_missing_queues = False  # a task that is in no line is a mistake
app.conf.task_routes = [line_of]
app.conf.task_annotations = {task: {"time_limit": queue.longest} for task, queue in _QUEUES.items()}
app.conf.broker_transport_options = {
    "visibility_timeout": max(queue.visibility for queue in QUEUES),
    "unacked_restore_interval": 5,
    # Who waits for a task asks again each second, and finds another connection after some more.
    "health_check_interval": 5,
    **environment.PATIENCE_WITH_REDIS,
}
app.conf.beat_schedule = {
    "wake-runs": {"task": "judging.tasks.wake_runs", "schedule": 2.0},
    "catch-up": {"task": "analytics.tasks.catch_up", "schedule": 15.0},
    "ask-sentinels": {"task": "judging.tasks.ask_sentinels", "schedule": 300.0},
    "index-answers": {"task": "judging.tasks.index_answers", "schedule": 300.0},
    "check-sentinels": {"task": "analytics.tasks.check_sentinels", "schedule": 60.0},
    "look-after-files": {"task": "annotation.tasks.look_after_files", "schedule": 15.0},
    "sweep-files": {"task": "annotation.tasks.sweep_files", "schedule": 300.0},
    "tell-of-work": {"task": "annotation.tasks.tell_of_work", "schedule": 1800.0},
    "seal-ledger": {"task": "accounts.tasks.seal_ledger", "schedule": 5.0},
    "send-checkpoint": {"task": "accounts.tasks.send_checkpoint", "schedule": 3600.0},
    "remind": {"task": "accounts.tasks.remind", "schedule": 3600.0},
    "forget-writes": {"task": "accounts.tasks.forget_writes", "schedule": 3600.0},
    "remind-of-copies": {"task": "analytics.tasks.remind_of_copies", "schedule": 3600.0},
    "clear-sessions": {"task": "accounts.tasks.clear_sessions", "schedule": 3600.0},
}
