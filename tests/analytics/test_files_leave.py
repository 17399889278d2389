"""Figures that somebody takes as a file are in the trail."""

import pytest
from django.core.cache import cache

from accounts.models import Event
from annotation.models import TeamRole
from tests.analytics.meadow import meadow

URL = "/studies/meadow/agreement/"


@pytest.fixture
def study(ada, gwen):
    cache.clear()
    return meadow({ada: [TeamRole.COORDINATOR], gwen: [TeamRole.RESEARCHER]})


def taken(by) -> list[dict]:
    found = Event.objects.filter(verb="figures.downloaded", actor=by).order_by("pk")
    return [event.facts for event in found]


def test_a_table_and_a_chart_leave_a_line_each_and_a_page_leaves_none(study, gwen, as_user):
    client = as_user(gwen)
    client.get(f"{URL}judges/")
    assert taken(gwen) == []

    assert client.get(f"{URL}tables/agreement/item_level.csv").status_code == 200
    chart = client.get(f"{URL}judges/").context["shown"].charts
    name = next(iter(chart))
    assert client.get(f"{URL}judges/", {"chart": name, "as": "svg"}).status_code == 200

    [table, drawing] = taken(gwen)
    assert (table["figures"], drawing["figures"]) == ("item_level.csv", f"{name}.svg")
    assert table["revision"] == study_revision(study) == drawing["revision"]


def study_revision(study) -> int:
    study.refresh_from_db()
    return study.revision


def test_what_is_refused_or_not_there_leaves_none(study, ben, gwen, as_user):
    assert as_user(ben).get(f"{URL}tables/agreement/item_level.csv").status_code == 404
    assert as_user(gwen).get(f"{URL}tables/agreement/nothing.csv").status_code == 404
    assert not Event.objects.filter(verb="figures.downloaded").exists()


def test_a_program_leaves_a_line_for_each_part_that_it_reads(study, gwen, as_user):
    client = as_user(gwen)
    for address in ("agreement/", "figures/judges/", "figures/judges/", "trust/"):
        assert client.get(f"/api/v1/studies/meadow/{address}").status_code == 200
    read = Event.objects.filter(verb="figures.read", actor=gwen).order_by("pk")
    assert [event.facts["figures"] for event in read] == ["agreement", "judges", "trust"]
