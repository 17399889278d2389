"""A table is written once: its page, CSV, JSON and LaTeX hold the same numbers."""

import csv
import io
import json
import re
from itertools import combinations, groupby, takewhile

import pytest
from django.core.cache import cache

from analytics.items import page as items_page
from analytics.juries import page as juries_page
from analytics.parts import PARTS
from analytics.present.typesetting import FILES, TEX
from analytics.rooms import ROOMS
from annotation.models import Item, Rater, TeamRole
from tests.analytics.made import decide, human, items_of, judge, rate
from tests.analytics.meadow import computed_meadow
from tests.analytics.reading import tables_in
from tests.analytics.test_juries import weighed as weighed

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
SIZE = "Items (pairs)"  # a column that a page adds
# Those that hold words for programs of another kind.
WORDS = {SIZE, "The map", "formula", "It takes", "it_takes"}
NUMBER = re.compile(r"\d+(?:,\d{3})*(?:\.\d+)?")

OF_ITEMS = [
    "criteria/empathy/judge_humans/{oak}/items/",
    "criteria/empathy/humans/all/items/",
    "safety/safety/{oak}/missed/",
    "items/{item}/",
]
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


def assert_the_same(client, address):
    found = tables_in(client.get(address).content.decode())
    assert found
    for table in found:
        assert_all_hold_the_same(
            table,
            {kind: client.get(place).content.decode() for kind, place in table.files.items()},
        )


def assert_all_hold_the_same(table, file):
    of_csv = list(csv.DictReader(io.StringIO(file["csv"])))
    of_json = json.loads(file["json"])["figures"]
    assert [list(map(same, one.values())) for one in of_json] == [
        list(map(same, one.values())) for one in of_csv
    ], table.id
    assert_rows_are_those_of_the_csv(table, of_csv)
    assert_cells_are_those_of_latex(table, file["tex"])


def drawn_by(module, monkeypatch):
    """{id: every table that this module draws from now on}, of pages that hand out no files."""
    drawn, draw = {}, module.grid

    def noting(of, **more):
        drawn[of.key] = of
        return draw(of, **more)

    monkeypatch.setattr(module, "grid", noting)
    return drawn


def assert_as_written(page, drawn):
    """Each table of the page holds what its table is written as for programs and for paper."""
    found = tables_in(page)
    assert found
    for table in found:
        file = {kind: FILES[kind].write(drawn[table.id]) for kind in ("csv", "json", "tex")}
        assert_all_hold_the_same(table, file)
    return {table.id for table in found}


@pytest.mark.parametrize("address", OF_ITEMS)
def test_lists_of_items_and_what_each_was_given_too(client, monkeypatch, address):
    known = dict(Rater.objects.values_list("key", "pk")) | {"item": Item.objects.earliest("pk").pk}
    drawn = drawn_by(items_page, monkeypatch)
    page = client.get(f"/studies/meadow/agreement/{address.format_map(known)}")
    assert_as_written(page.content.decode(), drawn)


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
    page = browser.get(f"{root}/juries/").content.decode()
    assert assert_as_written(page, drawn) == {"juries_answers", "juries_weights"}
    for table in tables_in(page):
        place = f"{root}/tables/judges/{table.id}"
        file = {kind: browser.get(f"{place}.{kind}").content.decode() for kind in FILES}
        assert_all_hold_the_same(table, file)


def same(value: object) -> object:
    """What a program reads in the CSV or in JSON: a number, words, or nothing."""
    text = "" if value is None else str(value).lstrip("'")
    return float(text) if is_number(text) else text


def assert_rows_are_those_of_the_csv(table, records):
    """Each row has what the CSV has under the same headings, each column one key throughout."""
    lines = [
        (about, [(one["column"], same(one["value"]), one["n_items"]) for one in line])
        for about, line in groupby(records, headings_of)
    ]
    assert_headings_are(table, [about for about, _line in lines])
    key_of = {}
    for row, (_about, line) in zip(table.rows, lines, strict=True):
        cells = [
            (head, same(cell.order))
            for head, cell in enumerate(row)
            if not cell.is_heading and cell.order and table.heads[head] not in WORDS
        ]
        told = [(key, value) for key, value, _n in line if key not in WORDS and value != ""]
        assert [value for _, value in cells] == [value for _, value in told], table.id
        for (head, _), (key, _) in zip(cells, told, strict=True):
            assert key_of.setdefault(head, key) == key, (table.id, table.heads[head])
        if table.heads[-1] == SIZE and row[-1].order:
            assert int(row[-1].order) == max(int(n) for *_, n in line if n), table.id
    assert len(set(key_of.values())) == len(key_of), table.id


def headings_of(record):
    """What the row is about, in the order of the columns."""
    return tuple(
        same(value) for _name, value in takewhile(lambda one: one[0] != "column", record.items())
    )


def assert_headings_are(table, abouts):
    """A page leaves out a heading that is the same in all rows, as the reader has chosen it."""
    shown = [tuple(same(cell.order) for cell in row if cell.is_heading) for row in table.rows]
    width, whole = len(shown[0]), len(abouts[0])
    for kept in combinations(range(whole), width):
        left = {tuple(about[n] for n in range(whole) if n not in kept) for about in abouts}
        if len(left) == 1 and shown == [tuple(about[n] for n in kept) for about in abouts]:
            return
    assert shown == abouts, table.id


def assert_cells_are_those_of_latex(table, text):
    """Row by row and cell by cell, in the columns that a page has; a heading stands once there."""
    head, *_ = re.findall(r"\\toprule\n(.*) \\\\\n", text)
    body = text.rpartition("\\midrule\n")[2].partition("\\bottomrule")[0]
    rows = [line for line in body.splitlines() if line.endswith(r" \\")]
    heads = iter(enumerate(cells_of(head)))
    places = [next(n for n, one in heads if shown.startswith(one)) for shown in table.heads]
    for row, line in zip(table.rows, rows, strict=True):
        printed = cells_of(line)
        for place, cell in zip(places, row, strict=True):
            numbers = NUMBER.findall(printed[place])
            assert numbers == NUMBER.findall(cell.text)[: len(numbers)], (table.id, line)


def cells_of(line: str) -> list[str]:
    """What LaTeX prints in each cell of a row, but for the letters of notes."""
    text = re.sub(r"\\textsuperscript\{[^}]*\}|\\allowbreak\{\}", "", line.removesuffix(r" \\"))
    for sign, written in TEX.items():
        text = text.replace(written, sign)
    return [cell.strip() for cell in text.split(" & ")]


def is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


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
