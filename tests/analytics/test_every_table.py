"""A table is written once: its page, CSV, JSON and LaTeX hold the same numbers."""

import csv
import io
import json
import re

import pytest
from django.core.cache import cache

from analytics.rooms import ROOMS
from annotation.models import Rater, TeamRole
from tests.analytics.made import decide, human, items_of, judge, rate
from tests.analytics.meadow import meadow
from tests.analytics.reading import numbers_in, tables_in

pytestmark = pytest.mark.untraced

PAGES = {
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
# Columns that a page adds, and those that hold words for programs of another kind.
WORDS = {"Items (pairs)", "The map", "formula", "It takes", "it_takes"}
NUMBER = r"-?\d+(\.\d+)?(e-?\d+)?"


OF_LABELS = ["matrix/", "criteria/safety/humans/all/", "judges/", "safety/", "raters/"]


@pytest.fixture
def client(ada, as_user):
    cache.clear()
    meadow({ada: [TeamRole.COORDINATOR]})
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


def assert_the_same(client, address):
    found = tables_in(client.get(address).content.decode())
    assert found
    for table in found:
        shown = sorted(
            float(cell.order)
            for row in table.rows
            for head, cell in zip(table.heads, row, strict=True)
            if head not in WORDS and re.fullmatch(NUMBER, cell.order)
        )
        text = client.get(table.files["csv"]).content.decode()
        rows = [one for one in csv.DictReader(io.StringIO(text)) if one["column"] not in WORDS]
        about = [name for name in rows[0] if name not in ("column", "statistic")]
        about = about[: about.index("value")]
        headings = sorted(
            float(value)
            for value in {
                (tuple(row[name] for name in about), place, row[name])
                for row in rows
                for place, name in enumerate(about)
            }
            for value in [value[2]]
            if re.fullmatch(NUMBER, value)
        )
        in_csv = sorted([*numbers_in(iter(rows)), *headings])
        assert shown == pytest.approx(in_csv), table.id
        record = json.loads(client.get(table.files["json"]).content)
        in_json = numbers_in(
            {"value": str(one["value"])} for one in record["figures"] if one["column"] not in WORDS
        )
        assert in_json == pytest.approx(numbers_in(iter(rows))), table.id
        latex = client.get(table.files["tex"]).content.decode()
        for row in table.rows:
            for cell in row:
                first = cell.text.split(" ")[0]
                if re.fullmatch(r"[+−]?\d+\.\d+", first):
                    assert first.replace("−", "$-$") in latex, (table.id, cell.text)


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
