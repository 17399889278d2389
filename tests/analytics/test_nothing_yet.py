"""A study in which nothing was rated yet has its figures, pages and report all the same."""

import pytest
from django.core.cache import cache
from django.urls import reverse
from django.utils import timezone

from analytics.figures import store
from analytics.figures.on_the_way import FiguresOnTheWay
from analytics.parts import PARTS
from annotation.models import FileJob, TeamRole
from tests.analytics.made import make_for_all
from tests.cast import study_with

ROOMS = (
    *("overview", "judges", "juries", "safety", "plan", "raters", "calibration", "trust"),
    *("report", "verification", "routing"),
)


@pytest.fixture(params=[0, 3], ids=["without items", "without ratings"])
def new(ada, request):
    cache.clear()
    team = {ada: [TeamRole.COORDINATOR]}
    return study_with(rubric="mentalalign", key="new", team=team, n_items=request.param)


@pytest.mark.parametrize("key", PARTS)
def test_each_part_is_computed(new, key):
    part = PARTS[key]
    found = store.up_to_date(study_id=new.pk, part=part, at=timezone.now())
    assert len(found) == 4
    assert store.newest_revision(new.pk, part) == new.revision


def test_each_page_opens(new, ada, as_user):
    client = as_user(ada)
    names = ["agreement", *(f"agreement_{room}" for room in ROOMS), "export_disclosure"]
    answers = {name: client.get(reverse(name, args=["new"])).status_code for name in names}
    assert answers == dict.fromkeys(names, 200)


def test_a_page_that_waits_for_its_figures_leads_back_to_the_study(new, ada, as_user, monkeypatch):
    def on_the_way(**_asked):
        raise FiguresOnTheWay(11.0)

    monkeypatch.setattr(store, "keep_fresh", on_the_way)
    waits = as_user(ada).get(reverse("agreement_overview", args=["new"]))
    assert waits.status_code == 202
    assert waits.headers["Refresh"] == "1"
    assert '<a href="/studies/new/">' in waits.content.decode()


def test_its_report_and_its_verification_are_made(new, ada, as_user):
    client = as_user(ada)
    for kind in ("report", "verification"):
        client.post(reverse(f"agreement_{kind}", args=["new"]))
        make_for_all(kind)
        assert FileJob.objects.get(kind=kind).state == "done"
        assert client.get(reverse(f"agreement_{kind}", args=["new"])).status_code == 200
