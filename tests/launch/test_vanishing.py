"""Redis or PostgreSQL vanishes without a word, as a host does whose packets are dropped."""

import sys
import time
from contextlib import ExitStack
from pathlib import Path
from urllib.parse import urlsplit
from uuid import uuid4

import httpx2
import pytest
from django.conf import settings
from django.core.cache import cache
from django.db import connection
from redis import Redis

from analytics.figures import bell
from analytics.models import Snapshot
from analytics.tasks import catch_up, refresh_report
from annotation.models import FileJob, Study, Submission
from annotation.tasks import look_after_files
from config.celery import app
from tests.annotation.doing import SAFE
from tests.cast import bearer
from tests.services import LONGEST, address_of_database, beside, came_of, wait_until
from tests.vanishing import vanishing

STUDY = "/api/v1/studies/pond/"
KNOCK_EVERY = 2.0  # seconds
PATIENCE = 30.0  # seconds, of who looks at a page or sends an answer
WEB = [sys.executable, "-m", "config.processes", "web", "--bind", "127.0.0.1:{port}"]
pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def redis():
    """A host with the Redis of the test."""
    app.control.purge()
    cache.clear()
    with vanishing(urlsplit(settings.REDIS_URL).path) as host:
        yield host
    cache.clear()


@pytest.fixture
def postgres():
    """A host with the PostgreSQL of the test."""
    used = connection.settings_dict
    with vanishing(str(Path(used["HOST"], f".s.PGSQL.{used['PORT'] or 5432}"))) as host:
        yield host


@pytest.fixture
def start_web(start_server, tmp_path):
    """start_web(**variables) starts a web server of one process."""
    variables = {
        "CONCORD_HOME": str(tmp_path / "home"),
        "CONCORD_WEB_PROCESSES": "1",
        "DATABASE_URL": address_of_database(),
        "DJANGO_SETTINGS_MODULE": "config.settings.test",
    }
    return lambda **own: start_server("web", WEB, "/healthz", **variables | own)


@pytest.fixture
def client():
    """client(address, headers, timeout=) is somebody at a web server."""
    with ExitStack() as opened:
        yield lambda address, headers=None, timeout=PATIENCE: opened.enter_context(
            httpx2.Client(base_url=address, headers=headers, timeout=timeout, trust_env=False)
        )


def address_on(host) -> str:
    return f"redis://127.0.0.1:{host.port}"


def wait_with_scheduler(is_so, *, what):
    """It sends what is due again and again, whatever became of what it sent while Redis was away."""
    knocked = [-KNOCK_EVERY]

    def is_so_or_knock():
        if time.monotonic() - knocked[0] > KNOCK_EVERY:
            knocked[0] = time.monotonic()
            catch_up.delay()
            look_after_files.delay()
        return is_so()

    wait_until(is_so_or_knock, what=what)


def test_people_go_on_while_redis_is_silent_and_figures_catch_up(
    redis, start_web, start_worker, client, pond_round, ben, gwen
):
    web = start_web(REDIS_URL=address_on(redis))
    worker = start_worker(REDIS_URL=address_on(redis))
    of_ben, of_gwen = client(web, bearer(ben)), client(web, bearer(gwen))
    redis.vanish()

    owed = of_ben.get(f"{STUDY}work/next/").json()["assignment"]
    sent = {"key": str(uuid4()), "answers": SAFE}
    assert of_ben.post(f"/api/v1/assignments/{owed}/submission/", json=sent).status_code == 200
    assert of_gwen.post(f"{STUDY}releases/", json={}).status_code == 202
    assert of_gwen.get(f"{STUDY}agreement/").status_code in {200, 202}
    assert of_gwen.get("/healthz").text == "away: redis\n"

    redis.come_back()
    assert Submission.objects.filter(assignment=owed).count() == 1
    job = FileJob.objects.get()
    wait_until(lambda: of_gwen.get("/healthz").text == "ok\n", what="the web server")
    newest = Study.objects.get(key="pond").revision
    figures, files = Snapshot.objects.filter(revision=newest), FileJob.objects.filter(pk=job.pk)
    wait_with_scheduler(figures.exists, what="the figures")
    wait_with_scheduler(files.filter(state="done").exists, what="the release")
    assert worker.popen.poll() is None


def test_the_first_of_a_line_is_sent_once_redis_is_back(redis):
    ours = Redis.from_url(settings.REDIS_URL)
    there = f"{address_on(redis)}/{ours.get_connection_kwargs()['db']}"
    with app.connection_for_write(there) as before_and_after:
        for study_id in (1, 2):  # each has a line of its own
            refresh_report.apply_async(kwargs={"study_id": study_id}, connection=before_and_after)
            redis.vanish()
            time.sleep(1)
            redis.come_back()
    assert [ours.llen(f"live:{study_id}\x06\x163") for study_id in (1, 2)] == [1, 1]


def test_the_bell_is_not_waited_for_where_redis_is_silent(redis, monkeypatch):
    listening = Redis.from_url(address_on(redis), health_check_interval=bell._LOOKS_FOR)
    monkeypatch.setattr(bell, "_redis", lambda: listening)
    rung = []
    bells = bell.Bells(rung.append)
    heard = beside(bells._hear)
    wait_until(lambda: rung, what="somebody who listens")
    redis.vanish()
    assert came_of(heard) == [None], "whoever listened has stopped"
    assert rung == [None], "the bell of no study was heard"


def test_a_silent_postgresql_holds_nobody_for_ever(postgres, start_web, client):
    """As long as the kernel may take to give a connection up, and not the quarter of an hour that it
    would take by itself."""
    used = urlsplit(address_of_database())
    given = f"postgresql://{used.username}@127.0.0.1:{postgres.port}{used.path}"
    anybody = client(start_web(DATABASE_URL=given), timeout=LONGEST)
    assert anybody.get("/healthz").text == "ok\n"
    postgres.vanish()
    for _of_threads in range(2):  # the second has to connect anew
        assert anybody.get("/healthz").text == "away: database\n"
    postgres.come_back()
    wait_until(lambda: anybody.get("/healthz").text == "ok\n", what="the database")
