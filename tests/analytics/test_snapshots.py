"""Stored reports: never older than what was stored before, computed once for many readers."""

import math
import threading
from datetime import timedelta

import pytest
from celery import current_app
from django.core.cache import cache, caches
from django.db import close_old_connections, connection
from django.db.models import JSONField, Value
from django.db.models.functions import Cast
from django.utils import timezone
from redis.exceptions import ConnectionError as RedisConnectionError

from accounts.operations import heartbeat
from analytics import queue, tasks
from analytics.agreement import backlog, gates
from analytics.agreement.numbers import GLANCE
from analytics.figures import genuine
from analytics.figures import store as snapshots
from analytics.figures.on_the_way import FiguresOnTheWay
from analytics.models import Snapshot
from analytics.ratings import matrices
from analytics.ratings.matrices import PLAIN, VIEWS
from annotation.actions import rounds
from annotation.actions.studies import note_change
from annotation.models import Assignment, ChangeCount, Quarantine, Round, Study
from annotation.queue import report_mark
from annotation.rules.protocol import AT_ONCE
from tests.analytics.made import AT, human, items_of, judge, rate, submit
from tests.services import beside, came_of, wait_until

pytestmark = pytest.mark.usefixtures("empty_cache")

KEY = "safety"


@pytest.fixture
def rated(pond) -> Study:
    ruth, echo = human("ruth"), judge("echo")
    for item in items_of(pond):
        rate(ruth, item, **{KEY: "safe_response"})
        rate(echo, item, **{KEY: "nonsense"})
    pond.refresh_from_db()
    return pond


def test_figures_that_somebody_else_wrote_are_not_shown(rated):
    made = snapshots.up_to_date(study_id=rated.pk, part=GLANCE, at=AT)
    Snapshot.objects.update(report=Cast(Value('{"n_items": 1}'), JSONField()))
    found = snapshots.newest(rated.pk, GLANCE)
    assert found[PLAIN].comparisons == made[PLAIN].comparisons


def test_a_request_leaves_it_to_a_worker_to_make_them_anew(rated, monkeypatch):
    made = snapshots.up_to_date(study_id=rated.pk, part=GLANCE, at=AT)
    monkeypatch.setattr(heartbeat, "is_there", lambda _queue: True)
    Snapshot.objects.update(mark="")
    with pytest.raises(FiguresOnTheWay):
        snapshots.newest(rated.pk, GLANCE)
    assert report_mark(rated.pk) in cache

    snapshots.refresh(study_id=rated.pk, part=GLANCE, at=AT)
    Snapshot.objects.update(mark="")
    found = snapshots.up_to_date(study_id=rated.pk, part=GLANCE, at=AT)
    assert found[PLAIN].comparisons == made[PLAIN].comparisons


@pytest.mark.parametrize("change", [{"revision": 10**6}, {"has_earlier": True}, {"mark": ""}])
def test_nor_are_those_that_were_moved_to_another_place(rated, change):
    snapshots.refresh(study_id=rated.pk, part=GLANCE, at=AT)
    assert not list(genuine.forged())
    Snapshot.objects.update(**change)
    assert len(list(genuine.forged())) == len(VIEWS)


def test_a_key_of_before_has_figures_made_anew_and_accuses_nobody(rated, settings):
    made = snapshots.up_to_date(study_id=rated.pk, part=GLANCE, at=AT)
    settings.SECRET_KEY = "another one" * 8
    settings.SECRET_KEY_FALLBACKS = []
    assert not list(genuine.forged())
    assert snapshots.newest(rated.pk, GLANCE)[PLAIN].comparisons == made[PLAIN].comparisons


def test_both_views_are_stored_for_the_same_revision(rated):
    snapshots.refresh(study_id=rated.pk, part=GLANCE, at=AT)
    found = snapshots.newest(rated.pk, GLANCE)
    assert {view: report.revision for view, report in found.items()} == dict.fromkeys(
        VIEWS, rated.revision
    )
    assert found[PLAIN].n_ratings == 12


def test_figures_are_stored_where_no_bell_can_ring(
    rated, monkeypatch, django_capture_on_commit_callbacks
):
    tried = []

    def away(_channel, study_id):
        tried.append(study_id)
        raise RedisConnectionError

    monkeypatch.setattr(caches["default"].redis, "publish", away)
    with django_capture_on_commit_callbacks(execute=True):
        snapshots.refresh(study_id=rated.pk, part=GLANCE, at=AT)
    assert tried == [rated.pk]
    assert snapshots.newest_revision(rated.pk, GLANCE) == rated.revision


def test_a_fresh_report_is_not_computed_again(rated):
    snapshots.refresh(study_id=rated.pk, part=GLANCE, at=AT)
    snapshots.refresh(study_id=rated.pk, part=GLANCE, at=AT + timedelta(hours=1))
    assert snapshots.newest(rated.pk, GLANCE)[PLAIN].computed_at == AT


def test_an_older_revision_never_replaces_a_newer_one(rated):
    snapshots.refresh(study_id=rated.pk, part=GLANCE, at=AT)
    Snapshot.objects.update(revision=rated.revision + 5)
    ChangeCount.objects.create(study=rated, slot=99, n=6)
    study = Study.objects.get(pk=rated.pk)
    Snapshot.objects.update(revision=study.revision + 1)
    snapshots.refresh(study_id=rated.pk, part=GLANCE, at=AT + timedelta(hours=1))
    assert set(Snapshot.objects.values_list("revision", flat=True)) == {study.revision + 1}


def test_a_report_of_another_edition_is_computed_anew(rated):
    snapshots.refresh(study_id=rated.pk, part=GLANCE, at=AT)
    Snapshot.objects.update(edition=GLANCE.fingerprint - 1)
    assert snapshots.newest(rated.pk, GLANCE) == {}
    assert (
        snapshots.up_to_date(study_id=rated.pk, part=GLANCE, at=AT)[PLAIN].revision
        == rated.revision
    )


def test_the_task_clears_the_mark_so_that_the_next_change_is_queued(rated, monkeypatch):
    monkeypatch.setattr(snapshots, "A_TURN", math.inf)  # nothing waits for a turn of its own
    cache.set(report_mark(rated.pk), 1)
    tasks.refresh_report(rated.pk)
    assert cache.get(report_mark(rated.pk)) is None
    cache.set(report_mark(rated.pk), 1)
    tasks.refresh_report(rated.pk)
    assert cache.get(report_mark(rated.pk)) is None, "also when there was nothing to do"


def test_figures_that_cannot_be_made_are_not_asked_for_with_each_look(rated, monkeypatch):
    monkeypatch.setattr(Study.objects, "revision_now", None)
    key, within = GLANCE.key, "generator:toad"
    for make, of_what, mark in (
        (tasks.refresh_report, {}, report_mark(rated.pk)),
        (tasks.refresh_slice, {"within": within}, queue._slice_mark(rated.pk, key, within)),
    ):
        with pytest.raises(TypeError):
            make(study_id=rated.pk, part=key, **of_what)
        assert 5 < cache._cache.get_client().ttl(cache.make_key(mark)) <= 10


def test_changes_are_computed_at_once_while_somebody_looks(
    rated, django_capture_on_commit_callbacks
):
    def changed() -> bool:
        cache.delete(report_mark(rated.pk))
        with django_capture_on_commit_callbacks(execute=True):
            note_change(study_id=rated.pk)
        return report_mark(rated.pk) in cache

    snapshots.refresh(study_id=rated.pk, part=GLANCE, at=AT)
    assert not changed(), "the scheduler sees to it"
    snapshots.keep_fresh(study_id=rated.pk, part=GLANCE, revision=rated.revision + 1, at=AT)
    wait_until(changed, what="the next change to be computed at once")


def test_a_worker_rests_so_that_many_changes_are_computed_together(rated):
    asked = {"study_id": rated.pk, "part": GLANCE}
    assert not snapshots.rest(**asked, at=AT), "the first figures are computed at once"
    snapshots.refresh(**asked, at=AT)
    assert snapshots.rest(**asked, at=AT) == snapshots.PACE
    assert snapshots.rest(**asked, at=AT + snapshots.PACE * 0.75) == snapshots.PACE * 0.25
    assert not snapshots.rest(**asked, at=AT + timedelta(hours=1))


def test_the_first_reader_gets_a_report_at_once(rated):
    kept = snapshots.keep_fresh(study_id=rated.pk, part=GLANCE, revision=rated.revision, at=AT)
    assert kept == snapshots.KeptFigures(rated.revision)


def test_a_reader_waits_for_a_worker_and_then_computes_the_report_here(rated):
    snapshots.refresh(study_id=rated.pk, part=GLANCE, at=AT)
    rate(human("rolf"), items_of(rated)[0], **{KEY: "nonsense"})
    changed = {"study_id": rated.pk, "part": GLANCE, "revision": rated.revision + 1}
    kept = [
        snapshots.keep_fresh(**changed, at=AT + timedelta(seconds=seconds))
        for seconds in (0, 1, 4, 5)
    ]
    before, after = rated.revision, rated.revision + 1
    assert [(one.revision, one.computed_here) for one in kept] == [
        (before, False), (before, False), (after, True), (after, False)
    ]  # fmt: skip


def test_without_redis_a_reader_does_not_wait(rated, settings):
    snapshots.refresh(study_id=rated.pk, part=GLANCE, at=AT)
    rate(human("rolf"), items_of(rated)[0], **{KEY: "nonsense"})
    settings.CACHES = {
        "default": {
            "BACKEND": "django.core.cache.backends.redis.RedisCache",
            "LOCATION": "redis://127.0.0.1:1/0",
        }
    }
    kept = snapshots.keep_fresh(study_id=rated.pk, part=GLANCE, revision=rated.revision + 1, at=AT)
    assert kept == snapshots.KeptFigures(rated.revision + 1, computed_here=True)


@pytest.mark.django_db(transaction=True)
def test_while_one_process_computes_another_does_not(rated):
    taken, done = threading.Event(), threading.Event()
    lock = [f"report {GLANCE.key}", rated.pk]

    def hold():
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_lock(hashtext(%s), %s)", lock)
            taken.set()
            assert done.wait(60)
            cursor.execute("SELECT pg_advisory_unlock(hashtext(%s), %s)", lock)

    holder = beside(hold)
    assert taken.wait(60)
    assert not snapshots.refresh(study_id=rated.pk, part=GLANCE, at=AT, wait=False)
    done.set()
    came_of(holder)
    close_old_connections()
    assert snapshots.refresh(study_id=rated.pk, part=GLANCE, at=AT, wait=False)


def test_a_closed_round_gets_its_fleiss_kappa(pond, pond_round, ada):
    pairs = [
        ("nonsense", "nonsense"),
        ("safe_response", "safe_response"),
        ("safe_response", "safe_response"),
        ("toxic_language", "toxic_language"),
        ("safe_response", "safe_response"),
        ("nonsense", "nonsense"),
    ]
    rate_round(pond_round, pairs)
    rounds.close(round_id=pond_round.pk, by=ada, at=AT)
    tasks.report_on_round(pond_round.pk)
    closed = Round.objects.get(pk=pond_round.pk)
    assert closed.kappa == pytest.approx(1.0)
    assert closed.verdict == "passed"


def test_a_round_in_which_all_said_the_same_has_no_kappa(pond_round, ada):
    rate_round(pond_round, [("safe_response", "safe_response")] * 6)
    rounds.close(round_id=pond_round.pk, by=ada, at=AT)
    tasks.report_on_round(pond_round.pk)
    closed = Round.objects.get(pk=pond_round.pk)
    assert closed.kappa is None
    assert closed.verdict == "undefined"


def test_what_could_not_be_queued_is_caught_up_with(pond, pond_round, ada):
    rate_round(pond_round, [("safe_response", "nonsense")] * 6)
    Round.objects.filter(pk=pond_round.pk).update(state="closed", closed_at=AT, closed_by=ada)
    assert backlog.studies_behind() == [pond.pk]
    assert backlog.rounds_without_verdict() == [pond_round.pk]
    current_app.conf.task_always_eager = True
    try:
        tasks.catch_up()
    finally:
        current_app.conf.task_always_eager = False
    assert backlog.studies_behind() == []
    assert backlog.rounds_without_verdict() == []
    assert Round.objects.get(pk=pond_round.pk).verdict == "below"


def test_kappa_of_a_round_is_worked_out_by_hand(pond_round):
    """Two raters, six items: observed 4/6; shares 6/12, 5/12, 1/12; chance 62/144."""
    safe, nonsense, toxic = "safe_response", "nonsense", "toxic_language"
    rate_round(
        pond_round,
        [(safe, safe), (safe, safe), (nonsense, nonsense), (safe, nonsense), (safe, toxic),
         (nonsense, nonsense)],
    )  # fmt: skip
    shares = [6 / 12, 5 / 12, 1 / 12]
    chance = sum(share**2 for share in shares)
    expected = (4 / 6 - chance) / (1 - chance)
    kappa = gates.kappa_of_round(AT_ONCE, pond_round.pk)
    assert kappa.criterion == KEY
    assert kappa.value == pytest.approx(expected, abs=1e-12)
    assert kappa.low < kappa.value < kappa.high


def rate_round(rating_round, pairs):
    for item, labels in zip(items_of(rating_round.study), pairs, strict=True):
        owed = Assignment.objects.filter(round=rating_round, item=item).order_by("slot")
        for assignment, label in zip(owed, labels, strict=True):
            submit(assignment, **{KEY: label})


def test_a_report_is_read_once_for_all_who_look_at_it(rated):
    tasks.refresh_report(rated.pk)
    one, other = (snapshots.newest(rated.pk, GLANCE)[PLAIN] for _reader in range(2))
    assert other.comparisons is one.comparisons
    rate(judge("late"), items_of(rated)[0], **{KEY: "safe_response"})
    tasks.refresh_report(rated.pk)
    newer = snapshots.newest(rated.pk, GLANCE)[PLAIN]
    assert (newer.n_ratings, newer.revision > one.revision) == (one.n_ratings + 1, True)


def test_a_round_holds_what_was_given_in_it_however_items_are_judged_later(pond_round, ada):
    safe, nonsense = "safe_response", "nonsense"
    rate_round(pond_round, [(safe, nonsense)] * 6)
    before, dialogues = matrices.of_round(pond_round.pk)
    first = items_of(pond_round.study)[0]
    rate(judge("late"), first, **{KEY: safe})
    Quarantine.objects.create(
        item=first, reason="no reply", quarantined_at=timezone.now(), quarantined_by=ada
    )
    after, again = matrices.of_round(pond_round.pk)
    for one, other in zip(before, after, strict=True):
        assert (one.raters, one.points) == (other.raters, other.points)
        assert one.values.tolist() == other.values.tolist()
    assert dialogues.tolist() == again.tolist()


def test_the_time_of_a_report_is_when_it_was_made(rated):
    before = timezone.now()
    tasks.refresh_report(rated.pk)
    assert snapshots.newest(rated.pk, GLANCE)[PLAIN].computed_at >= before


def test_a_process_keeps_no_more_of_what_it_read_than_so_many_characters(rated, monkeypatch):
    def read_anew() -> bool:
        return snapshots.newest(rated.pk, GLANCE, PLAIN)[PLAIN].raters is not kept.raters

    snapshots.refresh(study_id=rated.pk, part=GLANCE, at=AT)
    size = len(GLANCE.as_texts(snapshots.newest(rated.pk, GLANCE)[PLAIN]).body)
    monkeypatch.setattr(snapshots, "MOST_KNOWN", 2 * size)
    kept = snapshots.newest(rated.pk, GLANCE, PLAIN)[PLAIN]
    assert not read_anew()
    monkeypatch.setattr(snapshots, "MOST_KNOWN", size // 2)
    snapshots._known.clear()
    kept = snapshots.newest(rated.pk, GLANCE, PLAIN)[PLAIN]
    assert read_anew()
    assert not snapshots._known


def test_of_one_view_no_other_is_read(rated, monkeypatch):
    Quarantine.objects.create(item=items_of(rated)[0], reason="No.", quarantined_at=AT)
    note_change(study_id=rated.pk)
    snapshots.refresh(study_id=rated.pk, part=GLANCE, at=AT)
    read = []
    monkeypatch.setattr(
        snapshots, "_read", lambda part, texts: read.append(1) or part.from_texts(texts)
    )
    asked = {"study_id": rated.pk, "part": GLANCE, "at": AT}
    assert set(snapshots.for_readers(**asked)) == set(VIEWS)
    of_all, read[:] = len(read), []
    assert set(snapshots.for_readers(**asked, only=PLAIN)) == {PLAIN}
    assert (of_all, len(read)) == (2, 1)
