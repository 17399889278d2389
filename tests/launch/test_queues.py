"""Every task waits in one line, and every line has a worker."""

import os
import resource
import sys
import threading
from collections import Counter
from pathlib import Path

import pytest
from celery import beat, current_app
from django.core.cache import cache
from django.db import transaction

from accounts.tasks import clear_sessions
from analytics.figures import store
from analytics.models import Snapshot
from analytics.raters import numbers as raters
from analytics.tasks import refresh_report
from analytics.trust import numbers as trust
from config import processes
from config.launch import supervise
from config.queues import QUEUES
from tests.services import (
    beside,
    came_of,
    nobody_else_writes,
    variables_of_workers,
    wait_until,
)


def tasks_of_our_own():
    current_app.loader.import_default_modules()
    return {name for name in current_app.tasks if not name.startswith("celery.")}


def test_every_task_waits_in_one_line_and_every_line_names_tasks_that_are_there():
    named = [task for queue in QUEUES for task in queue.tasks]

    assert set(named) == tasks_of_our_own()
    assert set(Counter(named).values()) == {1}


def test_what_is_sent_goes_into_the_line_that_names_it():
    sent_to = {
        task: current_app.amqp.router.route({}, task)["queue"].name
        for queue in QUEUES
        for task in queue.tasks
    }

    assert sent_to == {task: queue.line(task, 0) for queue in QUEUES for task in queue.tasks}


@pytest.mark.parametrize(
    "task",
    [
        "accounts.tasks.deliver",  # to a mail server
        "accounts.tasks.send_checkpoint",  # to those who keep the end of the ledger
        "analytics.tasks.tell_of_sentinels",  # to a program of the institution
        "judging.tasks.work_on_run",  # to an LLM
    ],
)
def test_who_waits_for_others_holds_up_nobody(task):
    [queue] = [queue for queue in QUEUES if task in queue.tasks]
    assert queue.pool == "threads"
    assert queue.at_once > 1


def test_only_what_goes_last_waits_in_a_lane_of_its_study():
    [live] = [queue for queue in QUEUES if queue.lanes]
    sent_to = {
        (task, study): current_app.amqp.router.route({}, task, kwargs={"study_id": study})["queue"]
        for task in live.tasks
        for study in (1, 2, 1 + live.lanes)
    }
    for task in live.tasks:
        lines = [sent_to[task, study].name for study in (1, 2, 1 + live.lanes)]
        if task in live.last:
            assert len({live.name, *lines}) == 3
            assert lines[0] == lines[2] in live.lines
        else:
            assert set(lines) == {live.name}


def test_what_the_scheduler_sends_is_in_a_line():
    scheduled = {entry["task"] for entry in current_app.conf.beat_schedule.values()}

    assert scheduled <= {task for queue in QUEUES for task in queue.tasks}


@pytest.mark.parametrize(
    ("asked", "forked"),
    [
        (["web", "scheduler", "live", "judges", "files"], ["web", "live", "judges", "files"]),
        (["scheduler"], ["scheduler"]),
        (["live", "scheduler"], ["live", "scheduler"]),
        (["judges"], ["judges"]),
    ],
)
def test_the_scheduler_is_a_process_where_no_judges_are_run_beside_it(asked, forked):
    assert [role.name for role in processes.wanted(asked, "")] == forked


def test_the_scheduler_sends_from_a_thread_until_the_block_ends(monkeypatch):
    monkeypatch.setitem(
        current_app.conf.beat_schedule, "at-once", {"task": "tests.at_once", "schedule": 0.05}
    )
    sent = threading.Event()
    monkeypatch.setattr(
        beat.Scheduler,
        "apply_async",
        lambda _self, entry, **_: entry.name == "at-once" and sent.set(),
    )
    with processes.scheduling():
        assert sent.wait(60)
        [scheduler] = [one for one in threading.enumerate() if one.name == processes.SCHEDULER]
    scheduler.join(60)
    assert not scheduler.is_alive()


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_worker_ends_though_its_schedule_cannot_be_written(monkeypatch):
    def fails(_scheduler):
        closed.append(1)
        raise OSError("No space left on device")

    def work():
        with processes.scheduling():
            wait_until(lambda: begun)

    begun, closed = [], []
    monkeypatch.setattr(beat.PersistentScheduler, "tick", lambda _one: begun.append(1) or 0.05)
    monkeypatch.setattr(beat.PersistentScheduler, "close", fails)
    came_of(beside(work))
    assert closed == [1]


def test_the_worker_on_files_has_a_process_only_while_there_is_one(transactional_db, start_process):
    current_app.control.purge()
    worker = start_process(
        "files",
        [sys.executable, "-m", "config.processes", "files"],
        **variables_of_workers(),
        AUTOSCALE_KEEPALIVE="1",  # seconds, of which Celery has 30
    )
    wait_until(lambda: " ready." in worker.output(), what="the worker")
    [main] = children_of(worker.popen.pid)
    assert children_of(main) == []

    for _ in range(2):
        with nobody_else_writes("django_session"):  # until somebody has looked
            clear_sessions.delay()
            wait_until(lambda: children_of(main), what="a process for it")
        wait_until(lambda: not children_of(main), what="its end")
    assert worker.output().count(" succeeded in ") == 2


def test_a_part_is_made_beside_one_that_takes_long_where_two_are_at_once(
    transactional_db, pond, start_process
):
    current_app.control.purge()
    cache.clear()
    worker = start_process(
        "live",
        [sys.executable, "-m", "config.processes", "live"],
        **variables_of_workers(),
        CONCORD_FIGURES_AT_ONCE="2",
    )
    wait_until(lambda: " ready." in worker.output(), what="the worker")
    with transaction.atomic():
        assert store._lock(pond.pk, raters.PART, wait=True)  # so that nobody makes it
        refresh_report.delay(study_id=pond.pk, part=raters.PART.key)
        wait_until(lambda: worker.output().count(" received") == 1, what="the first")
        refresh_report.delay(study_id=pond.pk, part=trust.PART.key)
        wait_until(Snapshot.objects.filter(part=trust.PART.key).exists, what="the second")


def children_of(process):
    return [
        int(child) for child in Path(f"/proc/{process}/task/{process}/children").read_text().split()
    ]


@pytest.mark.parametrize("queue", QUEUES, ids=lambda queue: queue.name)
def test_a_task_is_ended_before_it_is_handed_out_again(queue):
    current_app.loader.import_default_modules()
    handed_out_after = current_app.conf.broker_transport_options["visibility_timeout"]

    assert queue.tasks
    for task in queue.tasks:
        assert current_app.tasks[task].time_limit == queue.longest < handed_out_after


def test_what_steps_back_does_so_with_its_whole_session(tmp_path):
    found = tmp_path / "found"

    def step_back_and_tell():
        supervise.step_back(7)
        of_session = Path("/proc/self/autogroup")
        told = of_session.read_text() if of_session.exists() else "nice 7"
        found.write_text(f"{os.nice(0)} {told}")

    supervise.finish([supervise.fork("judges", step_back_and_tell, log=None)])

    own, *_session, of_session = found.read_text().split()
    assert (int(own), of_session) == (min(os.nice(0) + 7, 19), "7")


def test_what_ends_after_its_work_asks_for_the_same_memory_once(tmp_path):
    found = tmp_path / "found"

    def work_and_tell():
        supervise.keep_free_memory()
        of_each = []
        for _time in range(3):
            before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
            _array = b"x" * 8_000_000
            del _array
            of_each.append(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)
        found.write_text(" ".join(map(str, of_each)))

    supervise.finish([supervise.fork("files", work_and_tell, log=None)])

    _first, *others = map(int, found.read_text().split())
    assert max(others) < 100  # pages: of 4 kB there are 2,000 in each
