"""A real Celery worker looks at files and imports them, and may die at any moment."""

import os
import signal
from contextlib import closing, contextmanager
from datetime import timedelta

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.urls import reverse
from django.utils import timezone

from accounts.models import Event
from annotation.actions.imports import work
from annotation.actions.imports.running import BATCH
from annotation.actions.jobs import moves
from annotation.models import FileJob, FilePiece, Item
from annotation.readers.problems import CannotRead
from annotation.rubric.sentences import sentence
from tests.services import beside, came_of, wait_until

ITEMS = BATCH + 200  # some are written before the others are read
MANY = "key,dialogue,reply\n" + "".join(
    f"i{number},[seeker]I cannot sleep. ({number}),Since when?\n" for number in range(ITEMS)
)
AN_HOUR = timedelta(hours=1)

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def home(settings, tmp_path):
    """Where a worker of this test keeps its files, and so where the test does."""
    settings.UPLOAD_DIR = tmp_path / settings.WORKER / "uploads"
    return tmp_path


@pytest.fixture
def worker(start_worker, home):
    """worker() starts one that finds the files of this test."""
    return lambda: start_worker(CONCORD_HOME=str(home))


@pytest.fixture
def browser(mere, ada, as_user):
    return as_user(ada)


def sent(browser, content=MANY) -> FileJob:
    """A file has been sent, to be looked at."""
    file = SimpleUploadedFile("items.csv", content.encode())
    browser.post(reverse("import_items", args=["mere"]), {"file": file})
    return FileJob.objects.latest("pk")


def looked_at(browser, content=MANY) -> FileJob:
    job = sent(browser, content)
    wait_until(lambda: state_of(job) == "done")
    return job


def imported(browser, check: FileJob) -> FileJob:
    """The button has been pressed."""
    browser.post(reverse("file_job_import", args=["mere", check.pk]))
    return FileJob.objects.latest("pk")


def state_of(job: FileJob) -> str:
    return FileJob.objects.values_list("state", flat=True).get(pk=job.pk)


@contextmanager
def on_another_connection(statement: str, *values: object):
    """What somebody else holds until this is over."""
    other = connection.copy()
    with closing(other), other.cursor() as cursor:
        cursor.execute("BEGIN")
        cursor.execute(statement, values)
        yield


def held_up_in_the_middle():
    """An import has written its first items by then, and waits for leave to write gold."""
    return on_another_connection("LOCK TABLE annotation_gold IN ACCESS EXCLUSIVE MODE")


def is_in_the_middle(job: FileJob):
    """Rows have gone through, as a beat of its pulse said."""
    return lambda: FileJob.objects.filter(pk=job.pk, state="running", done__gt=0).exists()


WAITS_TO_DISCARD = """
SELECT FROM pg_locks JOIN pg_stat_activity USING (pid)
WHERE NOT granted AND query LIKE 'DELETE%%annotation_filepiece%%'
"""


def somebody_waits_to_discard() -> bool:
    with connection.cursor() as cursor:
        cursor.execute(WAITS_TO_DISCARD)
        return cursor.rowcount > 0


def lose(job: FileJob) -> None:
    """As if the lease had run out, and the scheduler had come by."""
    FileJob.objects.filter(pk=job.pk).update(heartbeat_at=timezone.now() - AN_HOUR)
    moves.take_up(at=timezone.now())


def has_been_taken_up_again(job: FileJob) -> bool:
    """The scheduler comes by until a worker has it that is not held up."""
    moves.take_up(at=timezone.now())
    return FileJob.objects.get(pk=job.pk).attempts == 2


def assert_all_is_there_once(job: FileJob, *, attempts: int) -> None:
    job.refresh_from_db()
    assert (job.state, job.attempts, job.done) == ("done", attempts, ITEMS)
    assert Item.objects.count() == ITEMS
    assert Event.objects.filter(verb="items.imported").count() == 1


def test_a_worker_looks_at_a_file_and_imports_it(browser, worker):
    worker()
    check = looked_at(browser)
    assert not Item.objects.exists()
    assert (check.kind, FileJob.objects.get(pk=check.pk).result["new"]) == ("check", ITEMS)
    job = imported(browser, check)
    wait_until(lambda: state_of(job) == "done")
    assert_all_is_there_once(job, attempts=1)


def test_an_import_whose_worker_is_killed_is_taken_up_again_and_happens_once(browser, worker):
    first = worker()
    check = looked_at(browser)
    with held_up_in_the_middle():
        job = imported(browser, check)
        wait_until(is_in_the_middle(job))
        first.kill()
    assert not Item.objects.exists()

    moves.take_up(at=timezone.now())
    assert state_of(job) == "running", "its lease has not run out"
    lose(job)
    worker()
    wait_until(lambda: state_of(job) == "done")
    assert_all_is_there_once(job, attempts=2)


CUT_OFF = """
SELECT pg_terminate_backend(pid) FROM pg_locks
WHERE NOT granted AND relation = 'annotation_gold'::regclass
"""


def the_worker_is_cut_off() -> bool:
    with connection.cursor() as cursor:
        cursor.execute(CUT_OFF)
        return cursor.rowcount == 1


def test_an_import_that_loses_its_database_is_taken_up_again_and_happens_once(browser, worker):
    worker()
    check = looked_at(browser)
    with held_up_in_the_middle():
        job = imported(browser, check)
        wait_until(is_in_the_middle(job))
        wait_until(the_worker_is_cut_off)
    lose(job)
    wait_until(lambda: has_been_taken_up_again(job))
    wait_until(lambda: state_of(job) == "done")
    assert_all_is_there_once(job, attempts=2)


def test_a_worker_that_was_taken_for_dead_writes_nothing_when_it_wakes_up(browser, worker):
    first = worker()
    check = looked_at(browser)
    with held_up_in_the_middle():
        job = imported(browser, check)
        wait_until(is_in_the_middle(job))
        os.killpg(first.popen.pid, signal.SIGSTOP)
    worker()
    lose(job)
    wait_until(lambda: has_been_taken_up_again(job))

    os.killpg(first.popen.pid, signal.SIGCONT)

    wait_until(lambda: "or another worker has it" in first.output())
    wait_until(lambda: state_of(job) == "done")
    assert_all_is_there_once(job, attempts=2)


def test_an_import_can_be_cancelled_in_the_middle(browser, worker):
    worker()
    check = looked_at(browser)
    with held_up_in_the_middle():
        job = imported(browser, check)
        wait_until(is_in_the_middle(job))
        cancel = reverse("file_job_cancel", args=["mere", job.pk])
        here = reverse("file_job", args=["mere", job.pk])
        page = browser.post(cancel, {"next": here}, follow=True)
        assert page.status_code == 200
        wait_until(lambda: state_of(job) == "cancelled")
    assert not Item.objects.exists()
    assert not Event.objects.filter(verb="items.imported").exists()


def test_an_import_is_done_in_the_moment_in_which_its_file_goes(browser, worker):
    worker()
    check = looked_at(browser)
    with on_another_connection("LOCK TABLE annotation_filepiece IN EXCLUSIVE MODE"):
        job = imported(browser, check)
        wait_until(somebody_waits_to_discard)
        assert (state_of(job), Item.objects.count()) == ("running", 0)
    wait_until(lambda: state_of(job) == "done")
    assert not FilePiece.objects.exists()


def test_a_worker_that_was_taken_for_dead_takes_no_file_from_the_next_one(browser):
    job = sent(browser)

    def importer(*_, **__):
        came_of(beside(lambda: lose(job)))
        raise CannotRead(sentence("This file cannot be read."))

    work.work_on(job_id=job.pk, clock=timezone.now, importers={"items": importer})
    assert state_of(job) == "waiting"
    assert FilePiece.objects.exists()


def test_an_import_that_waits_for_another_one_can_be_cancelled(browser, worker, mere):
    worker()
    check = looked_at(browser)
    lock = "SELECT pg_advisory_lock(hashtext('concord.import'), %s)"
    with on_another_connection(lock, mere.pk):
        job = imported(browser, check)
        wait_until(lambda: state_of(job) == "running")
        browser.post(reverse("file_job_cancel", args=["mere", job.pk]))
        wait_until(lambda: state_of(job) == "cancelled")
    assert not Item.objects.exists()


def test_a_job_that_loses_its_worker_time_and_again_is_given_up(browser, mere):
    job = sent(browser)
    for _ in range(moves.MOST_ATTEMPTS):
        assert moves.claim(job_id=job.pk, at=timezone.now())
        lose(job)
    page = browser.get(reverse("file_job", args=["mere", job.pk]))
    assert "Its worker was lost 3 times, so nobody tries again." in page.text
    assert state_of(job) == "failed"


def test_a_job_is_claimed_once(browser):
    job = sent(browser)
    assert moves.claim(job_id=job.pk, at=timezone.now())
    assert moves.claim(job_id=job.pk, at=timezone.now()) is None
