"""A real Celery worker builds exports, and may die at any moment."""

from contextlib import closing, contextmanager
from datetime import timedelta

import pytest
from django.conf import settings
from django.db import connection
from django.utils import timezone

from accounts.models import Event
from analytics.exports import writers
from analytics.models import Export
from analytics.tasks import build_export
from annotation.actions.jobs import moves
from annotation.models import FileJob, Grant
from tests.analytics.made import human, items_of, let_pass, rate
from tests.services import wait_until

URL = "/studies/pond/export/"
pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def home(settings, tmp_path):
    """Where a worker of this test keeps its files, and so where the test does."""
    settings.EXPORT_DIR = tmp_path / settings.WORKER / "exports"
    return tmp_path


@pytest.fixture
def worker(start_worker, home):
    """worker() starts one that keeps its files where this test finds them."""
    return lambda: start_worker(CONCORD_HOME=str(home))


@pytest.fixture
def rated(pond, ada):
    rate(human("ruth"), items_of(pond)[0], safety="safe_response")
    let_pass(pond, by=ada)
    return pond


def state_of(job: FileJob) -> str:
    return FileJob.objects.values_list("state", flat=True).get(pk=job.pk)


@contextmanager
def judge_calls_out_of_reach():
    """Who reads them, for the last table of an export, waits until this is over."""
    other = connection.copy()
    with closing(other), other.cursor() as cursor:
        cursor.execute("BEGIN")
        cursor.execute("LOCK TABLE judging_judgecall IN ACCESS EXCLUSIVE MODE")
        yield


def is_half_written() -> bool:
    return any(settings.EXPORT_DIR.glob("*/files/gold.csv"))


def test_an_export_whose_worker_is_killed_is_taken_up_again_and_built_once(
    rated, as_user, gwen, worker
):
    first, client = worker(), as_user(gwen)
    client.get(URL)
    client.post(URL)
    job = FileJob.objects.get()
    with judge_calls_out_of_reach():
        wait_until(is_half_written)
        first.kill()
    assert state_of(job) == "running"
    assert not Export.objects.exists()

    an_hour_ago = timezone.now() - timedelta(hours=1)
    FileJob.objects.update(heartbeat_at=an_hour_ago)  # as if its lease had run out
    moves.take_up(at=timezone.now())
    worker()
    wait_until(lambda: state_of(job) == "done")

    assert FileJob.objects.get().attempts == 2
    assert Event.objects.filter(verb="export.built").count() == 1
    answer = client.post(f"{URL}{job.pk}/", follow=True)
    sha256 = Export.objects.get().sha256
    assert writers.sha256_of_bytes(b"".join(answer.streaming_content)) == sha256


def test_an_export_can_be_cancelled_in_the_middle(rated, as_user, gwen, worker):
    worker()
    client = as_user(gwen)
    client.post(URL)
    job = FileJob.objects.get()
    with judge_calls_out_of_reach():
        wait_until(is_half_written)
        client.post(f"/studies/pond/files/{job.pk}/cancel/")
        wait_until(lambda: state_of(job) == "cancelled")
    assert not Export.objects.exists()
    assert not list(settings.EXPORT_DIR.iterdir())
    assert "Cancelled. Nothing of it was kept." in client.get(URL).text


def test_an_export_stops_when_what_goes_into_it_is_revoked(rated, as_user, gwen, worker):
    worker()
    as_user(gwen).post(URL)
    job = FileJob.objects.get()
    with judge_calls_out_of_reach():
        wait_until(is_half_written)
        held = Grant.objects.filter(person=gwen, level="per_rater")
        held.update(revoked_at=timezone.now())
        wait_until(lambda: state_of(job) == "cancelled")
    assert not Export.objects.exists()
    assert not list(settings.EXPORT_DIR.iterdir())


def test_what_is_revoked_while_the_archive_is_packed_is_not_kept(rated, as_user, gwen, monkeypatch):
    as_user(gwen).post(URL)
    job = FileJob.objects.get()
    pack = writers.archive

    def revoke_and_pack(*given, **named):
        Grant.objects.filter(person=gwen, level="per_rater").update(revoked_at=timezone.now())
        pack(*given, **named)

    monkeypatch.setattr(writers, "archive", revoke_and_pack)
    build_export(job.pk)
    assert state_of(job) == "cancelled"
    assert not Export.objects.exists()
    assert not list(settings.EXPORT_DIR.iterdir())
