"""What takes so long that figures of other studies would wait is made in another line."""

import time

import pytest
from celery.signals import after_task_publish
from django.core.cache import cache

from analytics import queue, tasks
from analytics.agreement.numbers import GLANCE
from analytics.figures import store
from annotation.models import Study, TeamRole
from config.queues import QUEUES
from tests.analytics.made import human, items_of, rate
from tests.cast import study_with

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


@pytest.mark.parametrize("ended", ["by itself", "by force"])
def test_what_took_long_waits_in_the_line_of_files_from_then_on(hill, sent, monkeypatch, ended):
    if ended == "by itself":
        monkeypatch.setattr(queue, "LONG", 0.0)
        tasks.refresh_report(hill.pk)
        assert revision(hill) == hill.revision
        rated_once_more(hill, "olaf")
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


def test_what_no_longer_takes_long_is_done_among_the_others_again(hill, sent):
    cache.set(begun(hill), MUCH_EARLIER)
    tasks.refresh_report(hill.pk)
    tasks.refresh_at_length(**sent.pop()[1])
    rated_once_more(hill, "olaf")

    tasks.refresh_report(hill.pk)

    assert (sent, revision(hill)) == ([], hill.revision)


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
