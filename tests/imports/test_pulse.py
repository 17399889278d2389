"""A worker's pulse beside its work."""

import pytest
from django.db import connection
from django.utils import timezone

from annotation.actions.jobs import moves, pulse, working
from annotation.models import FileJob, JobKind
from tests.services import wait_until


@pytest.mark.django_db(transaction=True)
def test_work_that_was_between_two_statements_is_interrupted_in_the_next(pond, ada, monkeypatch):
    monkeypatch.setattr(pulse, "PATIENCE", 0.5)
    job = moves.ask(
        study_id=pond.pk, kind=JobKind.CHECK, what="items", options={}, by=ada, at=timezone.now()
    )

    def work(_job, beating):
        wait_until(lambda: beating.is_stopped)
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_sleep(100)")

    working.work_on(
        job_id=job.pk, work=work, clock=timezone.now, is_allowed=lambda _job, _at: False
    )
    assert FileJob.objects.get().state == "cancelled"
