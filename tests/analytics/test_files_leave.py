"""Figures that somebody takes as a file are in the trail."""

import hashlib

import pytest
from django.core.cache import cache
from django.utils import timezone

from accounts.models import Event
from annotation.models import Grant, Rater, TeamRole
from tests.analytics.made import let_pass
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


FACTS = {"figures", "revision", "with_off_scale", "with_quarantined", "slice", "chosen", "veiled"}


def test_what_an_address_chooses_is_in_the_line(study, ada, gwen, as_user):
    Grant.objects.filter(person=gwen, level="per_rater").update(revoked_at=timezone.now())
    let_pass(study, by=ada)
    chosen = {"criterion": "empathy", "values": "released", "policy": "default"}
    found = as_user(gwen).get(f"{URL}tables/agreement/item_level_as_released.csv", chosen)
    assert found.status_code == 200
    [line] = taken(gwen)
    assert line["chosen"] == {"criterion": ["empathy"], "policy": ["default"]}
    assert (line["with_off_scale"], line["with_quarantined"]) == (True, True)
    assert line["veiled"] is True, "a researcher has figures, and no single raters"


def test_what_could_be_a_name_or_a_text_is_in_the_line_as_its_hash_alone(study, ada, as_user):
    """Whatever stands in an address, and whoever wrote it there."""
    address = f"{URL}tables/agreement/item_level.csv"
    assert as_user(ada).get(address, {"criterion": "I feel low"}).status_code == 404
    as_user(ada).get(address, {"criterion": "empathy", "note": "Ada Lovelace", "Said so": "x"})
    [line] = taken(ada)
    hashed = hashlib.sha256(b"Ada Lovelace").hexdigest()
    assert line["chosen"] == {"criterion": ["empathy"], "note": [f"sha256:{hashed}"]}
    assert line["veiled"] is False


def test_what_a_program_chooses_is_in_its_line_too(study, gwen, as_user):
    client = as_user(gwen)
    for query in ("?criterion=empathy", "?criterion=empathy", "?criterion=safety"):
        assert client.get(f"/api/v1/studies/meadow/agreement/{query}").status_code == 200
    assert client.get("/api/v1/studies/meadow/trust/?policy=strict").status_code == 200
    read = Event.objects.filter(verb="figures.read", actor=gwen).order_by("pk")
    assert [event.facts["chosen"] for event in read] == [
        {"criterion": ["empathy"]},
        {"criterion": ["safety"]},
        {"policy": ["strict"]},
    ]


def test_tables_of_ratings_and_lists_of_items_tell_as_much(study, ada, as_user):
    client = as_user(ada)
    oak = Rater.objects.get(key="oak").pk
    for address, verb in (
        (f"criteria/empathy/judge_humans/{oak}/table.csv", "agreement.table_downloaded"),
        ("matrix/means.csv?values=released", "agreement.means_downloaded"),
        (f"routing/safety/{oak}/list.csv?alpha=0.2", "agreement.routing_downloaded"),
    ):
        assert client.get(f"{URL}{address}").status_code == 200
        facts = Event.objects.get(verb=verb).facts
        assert facts.keys() >= FACTS
        assert facts["veiled"] is False
        assert facts["with_off_scale"] is ("released" in address)
