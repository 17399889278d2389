"""A table is written once: its page, CSV, JSON and LaTeX hold the same numbers."""

import ast
import csv
import io
from collections import Counter

import pytest
from django.core.cache import cache

from analytics.items import page as items_page
from analytics.juries import page as juries_page
from analytics.parts import PARTS
from analytics.present.typesetting import FILES
from analytics.rooms import ROOMS
from annotation.actions import rounds
from annotation.actions.rounds import Kappa
from annotation.models import Assignment, Item, Rater, TeamRole
from tests.analytics.made import AT, decide, human, items_of, judge, rate, submit
from tests.analytics.meadow import computed_meadow
from tests.analytics.reading import table_in, tables_in
from tests.analytics.test_juries import weighed as weighed
from tests.analytics.walking import (
    assert_all_hold_the_same,
    assert_as_written,
    assert_the_same,
    drawn_by,
)
from tests.services import ROOT

PAGES = {
    "overview": [""],
    "agreement": [
        "matrix/",
        "matrix/?statistic=alpha",
        "criteria/safety/",
        "criteria/empathy/humans/all/",
        "criteria/empathy/judge_humans/{oak}/?intervals=jackknife",
        "criteria/empathy/judge_human/{person0}-{oak}/",
    ],
    "judges": [
        "judges/",
        "judges/?statistic=mae",
        "judges/oak/",
        "judges/elm/?criterion=empathy&statistic=icc_c1",
    ],
    "safety": ["safety/", "safety/?criterion=guidance"],
    "routing": ["routing/", "routing/?criterion=guidance&alpha=0.2"],
    "plan": ["plan/", "plan/?width=0.1&reach=0.05"],
    "trust": ["trust/", "trust/?policy=mentalalign_tiers", "trust/guidance/{oak}/"],
    "raters": ["raters/", "raters/?criterion=empathy"],
    "calibration": ["calibration/", "calibration/?criterion=safety&method=isotonic"],
}
OF_ITEMS = [
    "criteria/empathy/judge_humans/{oak}/items/",
    "criteria/empathy/humans/all/items/",
    "safety/safety/{oak}/missed/",
    "routing/safety/{oak}/",
    "items/{item}/",
]
# {why a table has no files: {module: how many such tables it draws}}
STAY_HERE = {
    "answers of single people, which leave under pseudonyms": {"analytics/items/page.py": 2},
    "a list of those who can be recognised": {"analytics/exports/disclosure_page.py": 1},
}
# What pages and files of a report are drawn by.
DRAW_ANY_TABLE = {"analytics/present", "analytics/report"}
OF_LABELS = ["matrix/", "criteria/safety/humans/all/", "judges/", "safety/", "raters/"]


@pytest.fixture
def client(ada, as_user):
    cache.clear()
    computed_meadow({ada: [TeamRole.COORDINATOR]}, PARTS)
    return as_user(ada)


@pytest.fixture
def labelling(pond, as_user, ada):
    """Two people and a judge on labels, gold on all."""
    cache.clear()
    given = [("safe_response",) * 3, ("nonsense", "safe_response", "nonsense")] * 3
    raters = (human("ruth"), human("rolf"), judge("echo"))
    for item, labels in zip(items_of(pond), given, strict=True):
        for rater, label in zip(raters, labels, strict=True):
            rate(rater, item, safety=label)
        decide(item, safety=labels[0])
    return as_user(ada)


def addresses() -> list[str]:
    return [address for room in PAGES.values() for address in room]


@pytest.mark.parametrize("address", addresses())
def test_a_page_its_files_and_the_interface_hold_the_same_numbers(client, address):
    place = address.format_map(dict(Rater.objects.values_list("key", "pk")))
    assert_the_same(client, f"/studies/meadow/agreement/{place}")


@pytest.mark.parametrize("address", OF_LABELS)
def test_of_labels_too(labelling, address):
    assert_the_same(labelling, f"/studies/pond/agreement/{address}")


@pytest.mark.parametrize("address", OF_ITEMS)
def test_lists_of_items_and_what_each_was_given_too(client, monkeypatch, address):
    known = dict(Rater.objects.values_list("key", "pk")) | {"item": Item.objects.earliest("pk").pk}
    drawn = drawn_by(items_page, monkeypatch)
    page = client.get(f"/studies/meadow/agreement/{address.format_map(known)}")
    assert_as_written(page.content.decode(), drawn)


def test_rounds_and_their_gates_too(pond, pond_round, ada, as_user):
    """One that reached its gate, one that is open."""
    cache.clear()
    for assignment in Assignment.objects.filter(round=pond_round):
        submit(assignment, safety="safe_response")
    rounds.close(round_id=pond_round.pk, by=ada, at=AT)
    gate = Kappa(criterion="safety", value=0.5 + 0.03, low=0.1, high=0.8, n_items=6)
    rounds.record_kappa(round_id=pond_round.pk, kappa=gate, at=AT)
    panel = [seat.rater.user_id for seat in pond_round.seats.all()]
    rounds.open_round(
        study_id=pond.pk,
        panel=panel,
        raters_per_item=2,
        re_review_of=pond_round.pk,
        by=ada,
        at=AT,
    )
    address = "/studies/pond/agreement/"
    assert_the_same(as_user(ada), address)
    found = table_in(as_user(ada).get(address).content.decode(), "rounds")
    again, first = found.row("Round 2"), found.row("Round 1")
    assert (again["Ratings submitted"].text, again["Ratings assigned"].text) == ("0", "12")
    assert again["Agreement"].text == "once it is closed"
    assert float(first["Agreement"].order) == gate.value
    assert (first["Measure"].text, first["Gate"].text) == ("Fleiss’ κ", "0.40")


def test_what_juries_come_to_and_what_votes_weigh_too(weighed, ada, as_user, monkeypatch):
    browser, drawn = as_user(ada), drawn_by(juries_page, monkeypatch)
    root = "/studies/lake/agreement"
    members = list(Rater.objects.filter(kind="judge").values_list("pk", flat=True))
    sent = {"name": "Wise", "members": members, "rule": "weighted", "quorum": ""}
    thought_of = browser.post(f"{root}/juries/look/", sent).content.decode()
    assert assert_as_written(thought_of, drawn) == {
        "proposedjuries_answers",
        "proposedjuries_weights",
    }
    browser.post(f"{root}/juries/name/", sent)
    assert assert_the_same(browser, f"{root}/juries/") == {"juries_answers", "juries_weights"}
    for table in tables_in(browser.get(f"{root}/juries/").content.decode()):
        place = f"{root}/tables/judges/{table.id}"
        file = {kind: browser.get(f"{place}.{kind}").content.decode() for kind in FILES}
        assert_all_hold_the_same(table, file)


def test_every_table_that_is_drawn_has_files_or_a_reason_not_to():
    without = Counter(
        path.relative_to(ROOT).as_posix()
        for path in (ROOT / "analytics").rglob("*.py")
        if path.parent.relative_to(ROOT).as_posix() not in DRAW_ANY_TABLE
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "grid"
        if not any(given.arg == "by_page" for given in node.keywords)
    )
    assert without == {name: n for those in STAY_HERE.values() for name, n in those.items()}


@pytest.mark.parametrize("part", ROOMS)
def test_each_part_has_an_address_of_its_own(client, part):
    answer = client.get(f"/api/v1/studies/meadow/figures/{part}/")
    assert answer.status_code == 200
    found = answer.json()
    assert found["part"] == part
    for table in found["tables"]:
        assert table["title"]
        assert table["figures"]
        file = client.get(f"/studies/meadow/agreement/tables/{part}/{table['key']}.csv")
        rows = list(csv.DictReader(io.StringIO(file.content.decode())))
        assert len(rows) == len(table["figures"])


def test_what_there_is_not_is_not_found(client):
    of = "/studies/meadow/agreement/tables"
    assert client.get(f"{of}/calibration/nothing.csv").status_code == 404
    assert client.get(f"{of}/nothing/calibration.csv").status_code == 404
    assert client.get(f"{of}/calibration/calibration.exe").status_code == 404
    assert client.get(f"{of}/calibration/calibration.csv?judge=nobody").status_code == 404
    assert client.get("/api/v1/studies/meadow/figures/nothing/").status_code == 404
