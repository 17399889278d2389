"""The Celery app: workers and the scheduler start from here."""

import os

import kombu
from celery import Celery
from celery.signals import setup_logging

from config.queues import QUEUES, queue_of_each_task

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings.dev")


@setup_logging.connect
def log_as_django_does(**_: object) -> None:
    """Workers log as the settings say, and Celery sets up nothing of its own."""


app = Celery("concord")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
app.conf.task_queues = [kombu.Queue(queue.name) for queue in QUEUES]
app.conf.task_create_missing_queues = False  # a task that is in no line is a mistake
app.conf.task_routes = {
    task: {"queue": queue.name, "priority": queue.priority(task)}
    for task, queue in queue_of_each_task()
}
app.conf.task_annotations = {
    task: {"time_limit": queue.longest} for task, queue in queue_of_each_task()
}
app.conf.broker_transport_options = {
    "visibility_timeout": max(queue.visibility for queue in QUEUES),
    "unacked_restore_interval": 5,
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
