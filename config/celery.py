"""The Celery app: workers and the scheduler start from here."""

import os

import kombu
from celery import Celery

from config.queues import QUEUES, queue_of_each_task

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings.dev")

app = Celery("concord")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
app.conf.task_queues = [kombu.Queue(queue.name) for queue in QUEUES]
app.conf.task_create_missing_queues = False  # a task that is in no line is a mistake
app.conf.task_routes = {task: {"queue": queue.name} for task, queue in queue_of_each_task()}
app.conf.task_annotations = {
    task: {"time_limit": queue.longest} for task, queue in queue_of_each_task()
}
app.conf.broker_transport_options = {
    "visibility_timeout": max(queue.visibility for queue in QUEUES),
    "unacked_restore_interval": 5,
}
app.conf.beat_schedule = {
    "wake-runs": {"task": "judging.tasks.wake_runs", "schedule": 15.0},
    "catch-up": {"task": "analytics.tasks.catch_up", "schedule": 60.0},
    "look-after-files": {"task": "annotation.tasks.look_after_files", "schedule": 15.0},
    "sweep-files": {"task": "annotation.tasks.sweep_files", "schedule": 300.0},
    "clear-sessions": {"task": "accounts.tasks.clear_sessions", "schedule": 3600.0},
}
