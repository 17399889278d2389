"""The Celery app: workers and the scheduler start from here."""

import os

from celery import Celery

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings.dev")

app = Celery("concord")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
app.conf.beat_schedule = {
    "wake-runs": {"task": "judging.tasks.wake_runs", "schedule": 15.0},
    "catch-up": {"task": "analytics.tasks.catch_up", "schedule": 60.0},
    "clear-sessions": {"task": "accounts.tasks.clear_sessions", "schedule": 3600.0},
}
