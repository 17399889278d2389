"""Of a judge whose first run broke off, what is counted, listed and handed out is of the runs that
figures are the mean of."""

import csv
import io

import pytest
from django.core.cache import cache

from annotation.models import TeamRole
from tests.analytics.made import human, items_of, judge, rate
from tests.analytics.reading import tables_in
from tests.cast import study_with
from tests.kept import made_once

URL = "/studies/pond/agreement/"
PEOPLE = (1, 2, 5, 4, 2, 5, 1, 3)
SECOND = (1, 4, 5, 4, 1, 5, 2, 3)
MISSED = 1  # of four that people rate at most 2


@pytest.fixture
@made_once
def broken_off(ada):
    """The judge rated two items for safety in its first run, all eight in its second."""
    team = {ada: [TeamRole.COORDINATOR]}
    study = study_with(rubric="mentalalign", key="pond", team=team, n_items=len(PEOPLE))
    ruth, echo = human("ruth"), judge("echo")
    for place, item in enumerate(items_of(study)):
        rate(ruth, item, safety=PEOPLE[place])
        rate(echo, item, safety=5 if place < 2 else "[refused]")
        rate(echo, item, repeat=2, safety=SECOND[place])
    return echo


@pytest.fixture
def page(broken_off, as_user, ada):
    cache.clear()
    client = as_user(ada)
    return lambda path, **asked: client.get(f"{URL}{path}", asked).content.decode()


def test_a_number_of_the_confusion_table_opens_as_many_items(page, broken_off):
    [found] = [
        one
        for one in tables_in(page(f"criteria/safety/judge_humans/{broken_off.pk}/"))
        if one.id.startswith("confusion")
    ]
    cells = [cell for row in found.rows for cell in row if cell.link]
    assert sum(int(cell.text) for cell in cells) == len(PEOPLE)
    for cell in cells:
        [items] = tables_in(page(cell.link.removeprefix(URL)))
        assert len(items.rows) == int(cell.text)


def test_the_table_behind_figures_has_what_they_are_of(page, broken_off, as_user, ada):
    address = f"{URL}criteria/safety/judge_humans/{broken_off.pk}/table.csv"
    head, *rows = csv.reader(io.StringIO(as_user(ada).get(address).content.decode()))
    assert len(head) == 5
    assert [tuple(map(int, row[3:])) for row in rows] == list(zip(PEOPLE, SECOND, strict=True))


def test_what_it_misses_is_counted_and_listed_where_its_sensitivity_is_from(page, broken_off):
    place = {"criterion": "safety", "cut": "at-most-2"}
    found = next(one for one in tables_in(page("safety/", **place)) if one.rows)
    row = found.row("Echo")
    assert [row[head].text for head in ("Missed", "Found")] == ["1", "3"]
    assert row["Sensitivity"].text.startswith("75.0 %")
    [items] = tables_in(page(row["Missed"].link.removeprefix(URL)))
    assert [line[0].text for line in items.rows] == ["d2.1"]
    assert items.column("Echo") == ["4"]


def test_the_mean_over_repeats_is_the_figure_of_the_judge(page, broken_off):
    found = {one.id: one for one in tables_in(page("judges/echo/", criterion="safety"))}
    runs = next(one for key, one in found.items() if key.startswith("judges_runs"))
    assert (
        runs.row("mean")["Exact"].text == runs.row("2")["Exact"].text != runs.row("1")["Exact"].text
    )
