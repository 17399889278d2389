"""What takes so long that figures of other studies would wait is made in another line."""

import json
import time
from collections import OrderedDict
from contextlib import closing, contextmanager
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace

import pytest
from celery import current_app
from celery.signals import after_task_publish
from django.conf import settings
from django.core.cache import cache
from django.db import connection
from kombu import Consumer, Queue
from redis import Redis

from accounts.operations.state import state as server_state
from analytics import queue, tasks
from analytics.agreement.numbers import GLANCE
from analytics.figures import memo, store
from analytics.figures.on_the_way import seconds_since_asked
from analytics.models import Snapshot
from analytics.parts import PARTS
from annotation.models import Study, TeamRole
from config.queues import QUEUES
from tests.analytics.made import human, items_of, rate
from tests.cast import study_with
from tests.services import wait_until

pytestmark = pytest.mark.usefixtures("empty_cache")

MUCH_EARLIER = time.time() - 1_000


@pytest.fixture
def sent():
    """Which tasks were sent, with which arguments, in which line."""
    found: list[tuple[str, dict, str]] = []

    def note(sender, body, routing_key, **_):
        found.append((sender, body[1], routing_key))

    after_task_publish.connect(note)
    yield found
    after_task_publish.disconnect(note)


@pytest.fixture
def hill(ada) -> Study:
    study = study_with(
        rubric="mentalalign", key="hill", team={ada: [TeamRole.COORDINATOR]}, n_items=3
    )
    rated_once_more(study, "ruth")
    return study


def rated_once_more(study, name):
    person = human(name)
    for place, item in enumerate(items_of(study)):
        rate(person, item, safety=1 + place)
    study.refresh_from_db()


def begun(study):
    return f"report-begun:{study.pk}:{GLANCE.key}"


def revision(study):
    return store.newest_revision(study.pk, GLANCE)


def test_what_is_soon_done_is_done_at_once_each_time(hill, sent):
    for name in ("olaf", "ines"):
        tasks.refresh_report(hill.pk)
        assert revision(hill) == hill.revision
        rated_once_more(hill, name)
    assert (sent, cache.get(begun(hill))) == ([], None)


def test_a_clock_that_is_set_meanwhile_makes_nothing_long(hill, sent, monkeypatch):
    wall = iter([0.0, *[1_000.0] * 1_000])
    clock = SimpleNamespace(time=lambda: next(wall), monotonic=time.monotonic)
    monkeypatch.setattr(memo, "_known", OrderedDict())
    monkeypatch.setattr(queue, "time", clock)
    tasks.refresh_report(hill.pk)
    assert revision(hill) == hill.revision
    assert (sent, cache.get(begun(hill))) == ([], None)


@pytest.mark.parametrize("ended", ["to make way", "by force"])
def test_what_took_long_waits_in_the_line_of_files_from_then_on(hill, sent, monkeypatch, ended):
    if ended == "to make way":
        monkeypatch.setattr(memo, "_known", OrderedDict())
        monkeypatch.setattr(queue, "LONG", 0.0)
    else:
        cache.set(begun(hill), MUCH_EARLIER)
    before = revision(hill)

    for _ in range(3):
        tasks.refresh_report(hill.pk)

    asked = {"study_id": hill.pk, "part": GLANCE.key, "within": ""}
    assert sent == [("analytics.tasks.refresh_at_length", asked, "files")]
    assert revision(hill) == before
    tasks.refresh_at_length(**asked)
    assert revision(hill) == hill.revision


@contextmanager
def emptied(name):
    """A queue of tasks without any; what is yielded takes so many of those that come, as its worker
    does, and tells which they are, with the study of each."""
    [line] = [one for one in QUEUES if one.name == name]
    with current_app.connection_for_read() as connected, connected.channel() as channel:
        lines = [Queue(one, channel=channel) for one in line.lines]
        for one in lines:
            one.declare()
            one.purge()

        def taken(n):
            messages = []
            with Consumer(channel, lines, on_message=messages.append, prefetch_count=1):
                while len(messages) < n:
                    connected.drain_events(timeout=10)
                    messages[-1].ack()
            return [
                (message.headers["task"].rpartition(".")[2], _study_of(message))
                for message in messages
            ]

        yield taken


def _study_of(message):
    args, kwargs, _more = json.loads(message.body)
    return kwargs.get("study_id", args[0] if args else None)


def test_files_that_people_wait_for_go_before_it_and_all_that_wait_are_counted(hill):
    with emptied("files") as taken:
        queue.have_at_length(study_id=hill.pk, part=GLANCE.key)
        current_app.signature("analytics.tasks.build_export", kwargs={"job_id": 1}).apply_async()
        [files] = [one for one in server_state().queues if one.name == "files"]
        assert files.waiting == 2
        assert [name for name, _study in taken(2)] == ["build_export", "refresh_at_length"]


def test_what_keeps_a_server_going_goes_before_all_figures_that_wait(hill):
    with emptied("live") as taken:
        queue.have_part(study_id=hill.pk, part=GLANCE.key)
        queue.want_slice(study_id=hill.pk, part=GLANCE.key, within="generator:claude")
        current_app.signature("accounts.tasks.seal_ledger").apply_async()
        tasks.report_on_round.delay(round_id=1)
        in_order = ["seal_ledger", "report_on_round", "refresh_report", "refresh_slice"]
        assert [name for name, _study in taken(4)] == in_order


def test_a_worker_makes_the_figures_of_studies_in_turn(start_worker, hill, ada):
    tarn = study_with(rubric="mentalalign", key="tarn", team={ada: [TeamRole.COORDINATOR]})
    rated_once_more(tarn, "olaf")
    for part in PARTS:
        queue.have_part(study_id=hill.pk, part=part)
    queue.have_part(study_id=tarn.pk, part=GLANCE.key)
    made = Snapshot.objects.filter(piece="", with_off_scale=False, with_quarantined=False)
    start_worker()
    wait_until(lambda: made.count() == len(PARTS) + 1, what="all figures")
    in_order = list(made.order_by("computed_at").values_list("study", flat=True))
    assert tarn.pk in in_order[:2]


def test_who_looks_at_another_study_waits_for_one_part_of_a_large_one_not_for_all(hill, ada):
    tarn = study_with(rubric="mentalalign", key="tarn", team={ada: [TeamRole.COORDINATOR]})
    with emptied("live") as taken:
        for part in PARTS:
            queue.have_part(study_id=hill.pk, part=part)
        [(_name, first)] = taken(1)
        for part in (GLANCE.key, "trust"):
            queue.have_part(study_id=tarn.pk, part=part)
        studies = [study for _name, study in taken(4)]
    assert first == hill.pk
    assert sorted(studies[:2]) == sorted(studies[2:]) == sorted([hill.pk, tarn.pk])


def test_what_no_longer_takes_long_is_done_among_the_others_again(hill, sent):
    cache.set(begun(hill), MUCH_EARLIER)
    tasks.refresh_report(hill.pk)
    tasks.refresh_at_length(**sent.pop()[1])
    rated_once_more(hill, "olaf")

    tasks.refresh_report(hill.pk)

    assert (sent, revision(hill)) == ([], hill.revision)


ADDRESSES = [
    "/studies/hill/agreement/",
    "/studies/hill/agreement/matrix/means.csv",
]


@pytest.mark.parametrize("address", ADDRESSES)
def test_what_takes_long_is_no_work_for_a_request_though_no_worker_is_there(
    hill, ada, as_user, address
):
    client = as_user(ada)
    cache.set(begun(hill), MUCH_EARLIER)
    assert client.get(address).status_code == 202
    assert revision(hill) is None
    cache.delete(begun(hill))
    assert client.get(address).status_code == 200
    assert revision(hill) == hill.revision


@pytest.mark.parametrize("address", ADDRESSES)
def test_no_request_stands_still_for_figures_that_another_computes(hill, ada, as_user, address):
    client = as_user(ada)
    other = connection.copy()
    with closing(other), other.cursor() as cursor:
        cursor.execute("BEGIN")
        cursor.execute(
            "SELECT pg_advisory_xact_lock(hashtext(%s), %s)", [f"report {GLANCE.key}", hill.pk]
        )
        assert client.get(address).status_code == 202
        cursor.execute("ROLLBACK")  # a session that is only closed may still hold it
    assert client.get(address).status_code == 200


def test_how_long_a_reader_has_waited_is_counted_from_when_they_came():
    came = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
    for minutes in range(3):
        now = came + timedelta(minutes=minutes)
        assert seconds_since_asked("waits", at=now) == 60 * minutes
        cache.touch("waits", 1)  # as if most of it were over
        seconds_since_asked("waits", at=now)
        client = Redis.from_url(settings.REDIS_URL)
        assert client.ttl(cache.make_key("waits")) > 30


def test_what_fails_at_once_does_not_take_long(hill, monkeypatch):
    def fail(**_):
        raise ZeroDivisionError

    monkeypatch.setattr(store, "refresh", fail)
    with pytest.raises(ZeroDivisionError):
        tasks.refresh_report(hill.pk)
    assert not queue.takes_long(study_id=hill.pk, part=GLANCE.key)


def test_it_is_known_before_the_process_would_be_ended_by_force():
    [line] = [one for one in QUEUES if one.name == queue.OF_FIGURES]
    assert line.longest > queue.LONG
