"""While ratings come in quickly, what takes long stands for a moment as it was, and says so."""

from dataclasses import replace

import pytest
from django.core.cache import cache
from django.urls import reverse

from analytics import queue, tasks
from analytics.agreement import backlog
from analytics.agreement.numbers import GLANCE
from analytics.comparisons.kinds import Kind
from analytics.figures import store
from analytics.models import Snapshot
from analytics.ratings import matrices
from analytics.ratings.matrices import PLAIN
from analytics.stats.estimates import Note
from annotation.models import Study, TeamRole
from annotation.queue import report_mark
from tests.analytics.made import AT, human, items_of, rate
from tests.cast import add_item, study_with

pytestmark = pytest.mark.usefixtures("empty_cache")


FITTED = "icc_a1_reml"


@pytest.fixture
def mind(ada) -> Study:
    """Three people, two of whom rate each of twelve items on two scales."""
    study = study_with(rubric="mentalalign", key="mind", team={ada: [TeamRole.COORDINATOR]})
    for position in range(7, 14):
        add_item(study, position)
    people = [human(name) for name in ("ruth", "olaf", "ines")]
    for place, item in enumerate(items_of(study)[:12]):
        for number in range(2):
            score = 1 + (place + number) % 5
            rate(people[(place + number) % 3], item, safety=score, empathy=score)
    study.refresh_from_db()
    return study


def rated_once_more(study: Study) -> None:
    """The thirteenth item, by two people."""
    for key in ("ruth", "olaf"):
        rate(
            study.submissions.filter(rater__key=key)[0].rater,
            items_of(study)[12],
            safety=2,
            empathy=5,
        )
    study.refresh_from_db()


def people(report) -> dict[str, object]:
    return {one.criterion: one for one in report.comparisons if one.kind is Kind.HUMANS}


def test_every_figure_is_of_the_newest_ratings_or_says_that_it_is_of_earlier_ones(
    mind, monkeypatch
):
    monkeypatch.setattr(store, "A_TURN", 0.0)
    store.refresh(study_id=mind.pk, part=GLANCE, at=AT, by_turns=True)
    before = store.newest(mind.pk, GLANCE)[PLAIN]
    assert not store.newest_kept(mind.pk, GLANCE).has_earlier
    rated_once_more(mind)
    store.refresh(study_id=mind.pk, part=GLANCE, at=AT, by_turns=True)
    made = store.newest(mind.pk, GLANCE)[PLAIN]
    anew = GLANCE.compute(matrices.read_rows(mind.pk), view=PLAIN, at=AT)
    assert made.revision == anew.revision == mind.revision
    assert made.n_ratings == anew.n_ratings == before.n_ratings + 4
    earlier = 0
    for criterion, comparison in people(made).items():
        for name, one in comparison.estimates.items():
            if Note.EARLIER in one.notes:
                earlier += 1
                left = people(before)[criterion].estimates[name]
                assert replace(one, notes=left.notes) == left
                assert one.n_items < people(anew)[criterion].estimates[name].n_items
            else:
                assert one == people(anew)[criterion].estimates[name]
    assert earlier
    kept = store.newest_kept(mind.pk, GLANCE)
    assert (kept.has_earlier, kept.mark) == (True, f"{mind.revision}~")


def test_while_somebody_looks_a_worker_is_asked_until_all_is_of_the_newest_ratings(
    mind, monkeypatch
):
    monkeypatch.setattr(store, "A_TURN", 0.0)
    tasks.refresh_report(mind.pk)
    rated_once_more(mind)
    queue.look_on(study_id=mind.pk)
    tasks.refresh_report(mind.pk)
    assert cache.get(report_mark(mind.pk)), "by itself"
    assert backlog.studies_behind() == [mind.pk], "and by the scheduler, should Redis lose it"
    tasks.refresh_report(mind.pk)
    assert cache.get(report_mark(mind.pk)) is None
    assert backlog.studies_behind() == []
    made = store.newest(mind.pk, GLANCE)[PLAIN]
    anew = GLANCE.compute(matrices.read_rows(mind.pk), view=PLAIN, at=made.computed_at)
    assert made == anew


def test_where_no_figures_are_kept_none_are_of_earlier_ratings(mind, monkeypatch):
    """The process may know some of what the database had before it was brought back."""
    monkeypatch.setattr(store, "A_TURN", 0.0)
    tasks.refresh_report(mind.pk)
    Snapshot.objects.all().delete()
    rated_once_more(mind)
    tasks.refresh_report(mind.pk)
    assert backlog.studies_behind() == []


def test_where_nobody_looks_it_is_left_to_the_scheduler(mind, monkeypatch):
    """Ratings may go on for hours, and a turn would follow the other all that time."""
    monkeypatch.setattr(store, "A_TURN", 0.0)
    tasks.refresh_report(mind.pk)
    rated_once_more(mind)
    tasks.refresh_report(mind.pk)
    assert cache.get(report_mark(mind.pk)) is None
    assert backlog.studies_behind() == [mind.pk]


def test_who_has_the_time_gets_all_figures_of_the_newest_ratings(mind, monkeypatch):
    monkeypatch.setattr(store, "A_TURN", 0.0)
    tasks.refresh_report(mind.pk)
    rated_once_more(mind)
    tasks.refresh_report(mind.pk)
    made = store.up_to_date(study_id=mind.pk, part=GLANCE, at=AT)[PLAIN]
    assert made == GLANCE.compute(matrices.read_rows(mind.pk), view=PLAIN, at=AT)


def test_the_page_says_it_and_gets_the_whole_figures_of_the_same_revision(
    mind, ada, as_user, monkeypatch
):
    monkeypatch.setattr(store, "A_TURN", 0.0)
    monkeypatch.setattr("accounts.operations.heartbeat.is_there", lambda _queue: True)
    tasks.refresh_report(mind.pk)
    rated_once_more(mind)
    tasks.refresh_report(mind.pk)
    address = reverse("agreement", kwargs={"key": mind.key})
    page = as_user(ada).get(address).content.decode()
    assert "being worked out" in page
    assert f"revision={mind.revision}~" in page
    asked = {"data": {"revision": f"{mind.revision}~"}, "headers": {"HX-Request": "true"}}
    assert as_user(ada).get(address, **asked).status_code == 204
    tasks.refresh_report(mind.pk)
    page = as_user(ada).get(address, **asked).content.decode()
    assert "being worked out" not in page
    assert f"revision={mind.revision}&" in page or f'revision={mind.revision}"' in page
