"""What leaves holds what is granted of the data set, and stays when it is not granted any more."""

import json
from datetime import timedelta

import pytest
from django.utils import timezone

from analytics.tasks import build_export
from annotation.actions import splits
from annotation.models import FileJob, Grant, Item
from tests.analytics.made import decide, human, items_of, let_pass, rate
from tests.analytics.test_exporting import (
    SAFE,
    URL,
    asked,
    downloaded,
    export_folder,  # noqa: F401 -- a fixture that is asked for by itself
    exported,
    lines,
    table,
)

API = "/api/v1/studies/pond"
pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def halved(pond):
    """Every item is rated and decided, and one half of them is in the open split."""
    ruth = human("ruth")
    for item in items_of(pond):
        rate(ruth, item, safety=SAFE)
        decide(item, safety=SAFE)
    splits.divide(
        data_set_id=pond.data_set_id, open_percent=50, seed="s", by=None, at=timezone.now()
    )
    pond.refresh_from_db()
    return pond


@pytest.fixture
def opened(halved) -> set[str]:
    """The keys of the open split."""
    return set(Item.objects.filter(opened__isnull=False).values_list("key", flat=True))


def take_away(person, *levels: str) -> None:
    """These levels are not granted any more."""
    Grant.objects.filter(person=person, level__in=levels, revoked_at=None).update(
        revoked_at=timezone.now()
    )


def test_an_export_holds_the_granted_split_alone_in_every_table(halved, opened, as_user, gwen):
    take_away(gwen, "restricted_split")
    found = exported(as_user(gwen), with_texts="on")
    for name in ("items.csv", "ratings.csv", "ratings_wide.csv", "gold.csv"):
        assert {row["item"] for row in table(found, name)} == opened, name
    assert {row["item"] for row in lines(found, "texts.jsonl")} == opened
    assert {row["split"] for row in table(found, "items.csv")} == {"open"}
    told = json.loads(found.read("manifest.json"))["data_set"]
    assert told == {
        "key": "pond",
        "levels": ["majority", "open_split", "per_rater", "text_away"],
    }
    assert ": majority, open_split, per_rater, text_away." in found.read("README.md").decode()


@pytest.mark.parametrize(("level", "empty"), [("per_rater", "ratings.csv"), ("majority", None)])
def test_an_export_holds_the_granted_answers_alone(halved, as_user, gwen, level, empty):
    take_away(gwen, level)
    if empty is None:
        assert as_user(gwen).post(URL).status_code == 403, "without gold nothing is exported"
    else:
        found = exported(as_user(gwen))
        assert table(found, empty) == []
        assert len(table(found, "gold.csv")) == 6


@pytest.mark.parametrize("level", ["restricted_split", "per_rater", "majority"])
def test_an_archive_stays_when_what_went_into_it_is_not_granted_any_more(
    halved, as_user, gwen, level
):
    job = asked(as_user(gwen))
    build_export(job.pk)
    assert downloaded(as_user(gwen), job)
    link = as_user(gwen).post(f"{URL}{job.pk}/").url
    take_away(gwen, level)
    for answer in (as_user(gwen).post(f"{URL}{job.pk}/"), as_user(gwen).get(link)):
        assert answer.status_code == 403
        assert "not granted to you today" in answer.text


def test_an_archive_is_destroyed_when_the_first_grant_in_it_ends(halved, as_user, gwen):
    soon = timezone.now() + timedelta(days=9)
    Grant.objects.filter(person=gwen, level="per_rater").update(until=soon)
    Grant.objects.filter(person=gwen, level="text_away").update(until=soon - timedelta(days=3))
    manifest = json.loads(exported(as_user(gwen)).read("manifest.json"))
    assert manifest["destroy_by"] == soon.date().isoformat()


def test_the_page_offers_no_texts_that_are_not_granted(halved, as_user, gwen, ada):
    let_pass(halved, by=ada)
    browser = as_user(gwen)
    assert "disabled" not in browser.get(URL).text
    take_away(gwen, "text_away")
    page = browser.get(URL).text
    assert 'name="with_texts" aria-describedby="texts-help" disabled' in page
    assert "two people have to approve that" in page
    assert browser.post(URL, {"with_texts": "on"}).status_code == 403
    assert not FileJob.objects.exists()


def test_the_api_hands_out_the_granted_split_alone(halved, opened, as_user, gwen):
    take_away(gwen, "restricted_split", "text_away")
    browser = as_user(gwen)
    for piece in ("ratings", "gold"):
        found = browser.get(f"{API}/{piece}/").json()
        assert {row["item"] for row in found["results"]} == opened, piece
    assert {item["key"] for item in browser.get(f"{API}/items/").json()["results"]} == opened
    answer = browser.post(f"{API}/releases/", {"with_texts": True}, content_type="application/json")
    assert answer.status_code == 403
    assert "two people have to approve that" in answer.text
