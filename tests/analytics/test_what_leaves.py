"""Tables, charts and what programs read leave under the same disclosure tests as releases."""

import csv
import io
from dataclasses import replace

import pytest
from django.core.cache import cache
from django.utils import timezone

from accounts.models import Event
from analytics.present.small_cells import BESIDE, FEWER, without_small_cells
from analytics.present.tables import Column, Line, Plain, count, table
from analytics.stats.estimates import Estimate
from annotation.models import Grant, TeamRole
from tests.analytics.made import human, let_pass, rate
from tests.analytics.meadow import meadow

ROOT = "/studies/meadow/agreement/"
TABLE = f"{ROOT}tables/agreement/item_level.csv"
OF_A_PROGRAM = (
    "/api/v1/studies/meadow/agreement/",
    "/api/v1/studies/meadow/figures/agreement/",
    "/api/v1/studies/meadow/trust/",
)
WAITS = "has to look at it first"


@pytest.fixture(autouse=True)
def empty_cache():
    cache.clear()


@pytest.fixture
def of(ada, gwen):
    """of(12) is a study in which two people rated twelve items of each generator; gwen has its
    figures and no single raters."""

    def made(n_rated):
        team = {ada: [TeamRole.COORDINATOR], gwen: [TeamRole.RESEARCHER]}
        study = meadow(team, n_dialogues=n_rated, n_rated=n_rated, n_people=2, repeats=1)
        Grant.objects.filter(person=gwen, level="per_rater").update(revoked_at=timezone.now())
        return study

    return made


@pytest.mark.parametrize("kind", ["csv", "tex", "md", "json"])
def test_no_table_leaves_before_somebody_else_has_looked(of, as_user, ada, gwen, kind):
    study = of(12)
    address = TABLE.replace("csv", kind)
    refused = as_user(gwen).get(address)
    assert refused.status_code == 403
    assert WAITS in refused.text
    assert not Event.objects.filter(verb="figures.downloaded").exists()
    let_pass(study, by=gwen)  # one's own word does not count
    assert as_user(gwen).get(address).status_code == 403
    let_pass(study, by=ada)
    assert as_user(gwen).get(address).status_code == 200


def test_nothing_is_told_to_programs_before(of, as_user, ada, gwen):
    study = of(12)
    for address in OF_A_PROGRAM:
        answer = as_user(gwen).get(address)
        assert (answer.status_code, WAITS in answer.json()["detail"]) == (403, True), address
    let_pass(study, by=ada)
    assert [as_user(gwen).get(address).status_code for address in OF_A_PROGRAM] == [200] * 3


def test_the_page_says_before_a_click_that_files_wait(of, as_user, ada, gwen):
    study = of(12)
    said = "Files of figures cannot be taken now."
    page = as_user(gwen).get(f"{ROOT}judges/").text
    assert said in page
    assert WAITS in page
    assert said not in as_user(ada).get(f"{ROOT}judges/").text
    let_pass(study, by=ada)
    assert said not in as_user(gwen).get(f"{ROOT}judges/").text


def test_a_chart_with_a_point_over_few_items_stays_and_says_so(of, as_user, ada, gwen):
    study = of(2)
    let_pass(study, by=ada)
    name = next(iter(as_user(gwen).get(f"{ROOT}judges/").context["shown"].charts))
    address = f"{ROOT}judges/?chart={name}"
    refused = as_user(gwen).get(f"{address}&as=json")
    assert refused.status_code == 403
    assert "rests on fewer than 10 items" in refused.text
    shown = as_user(gwen).get(address).text
    assert "rests on fewer than 10 items" in shown
    assert "as=json" not in shown
    assert as_user(ada).get(f"{address}&as=json").status_code == 200
    assert "as=json" in as_user(ada).get(address).text


def test_charts_and_means_wait_as_well(of, as_user, ada, gwen):
    study = of(12)
    name = next(iter(as_user(gwen).get(f"{ROOT}judges/").context["shown"].charts))
    addresses = (f"{ROOT}judges/?chart={name}&as=json", f"{ROOT}matrix/means.csv")
    assert [as_user(gwen).get(one).status_code for one in addresses] == [403, 403]
    let_pass(study, by=ada)
    assert [as_user(gwen).get(one).status_code for one in addresses] == [200, 200]


def test_who_sees_single_raters_takes_what_they_see(of, as_user, ada):
    of(2)
    text = as_user(ada).get(TABLE).text
    assert FEWER not in text
    assert {row["n_items"] for row in csv.DictReader(io.StringIO(text))} == {"8"}


def test_figures_over_few_items_are_left_out_with_the_reason(of, as_user, ada, gwen):
    study = of(2)
    let_pass(study, by=ada)
    rows = list(csv.DictReader(io.StringIO(as_user(gwen).get(TABLE).text)))
    assert {row["value"] for row in rows} == {FEWER}
    assert {row["n_items"] for row in rows} == {""}
    report = as_user(gwen).get(OF_A_PROGRAM[0]).json()
    assert not any(one["estimates"] for one in report["comparisons"])
    tables = as_user(gwen).get(OF_A_PROGRAM[1]).json()["tables"]
    figures = [one for table in tables for one in table["figures"]]
    assert FEWER in {one["value"] for one in figures}
    assert not [one for one in figures if one["n_items"] in range(1, 10)]


def test_what_one_more_person_answered_is_not_the_difference_of_two_files(of, as_user, ada, gwen):
    study = of(12)
    let_pass(study, by=ada)
    assert as_user(gwen).get(TABLE).status_code == 200
    item = study.items.first()
    for number, name in enumerate(("rose", "ruth", "rolf"), start=1):
        rate(human(name), item, submitted_at=timezone.now(), relevance=3, empathy=3)
        cache.clear()
        let_pass(study, by=ada)
        answer = as_user(gwen).get(TABLE)
        assert answer.status_code == (200 if number == 3 else 403), name
        assert ("the difference" in answer.text) is (number < 3)
    assert as_user(ada).get(TABLE).status_code == 200


def estimate(value, n_items):
    return Estimate(
        statistic="icc", value=value, n_items=n_items, n_pairs=1, n_clusters=1, n_raters=3
    )


def of_slices(*sizes, total):
    """Figures of slices, and of all of them."""
    lines = [
        Line(about=(Plain(name, name),), values=(estimate(0.5, n),))
        for name, n in [*((f"slice {place}", n) for place, n in enumerate(sizes)), ("all", total)]
    ]
    return table(
        "t",
        "T",
        "",
        about=[Column(key="slice", head="")],
        columns=[Column(key="icc", head="")],
        lines=lines,
    )


@pytest.mark.parametrize(
    ("sizes", "told"),
    [
        ((20, 30, 50), [None, None, None, None]),
        ((5, 20, 50), [FEWER, BESIDE, None, None]),
        ((5, 6, 50), [FEWER, FEWER, None, None]),
        ((0, 20, 50), [None, None, None, None]),
    ],
)
def test_a_slice_is_not_the_difference_of_the_whole_and_the_others(sizes, told):
    whole = of_slices(*sizes, total=sum(sizes))
    left = without_small_cells(whole)
    found = [
        line.values[0].exact if isinstance(line.values[0], Plain) else None for line in left.lines
    ]
    assert found == told
    assert bool(left.notes) is any(told)


def test_counts_that_meet_are_left_out_with_what_would_give_them_back():
    heads = [Column(key=key, head=key, is_tally=True) for key in ("no", "yes", "all")]
    given = ((3, 40, 43), (30, 50, 80), (33, 90, 123))
    lines = [
        Line(about=(Plain(name, name),), values=tuple(map(count, row)))
        for name, row in zip(("no", "yes", "all"), given, strict=True)
    ]
    whole = table("t", "T", "", about=[Column(key="given", head="")], columns=heads, lines=lines)
    told = [[one.exact for one in line.values] for line in without_small_cells(whole).lines]
    assert told == [[FEWER, BESIDE, 43], [BESIDE, BESIDE, 80], [33, 90, 123]]


def share(statistic, n_counted, n):
    found = estimate(n_counted / n, n)
    return replace(found, statistic=statistic)


FIELDS = ("missed", "alarms", "found", "passed")
SHARES = {"sensitivity": (2, 0), "specificity": (3, 1), "ppv": (2, 1), "npv": (3, 0)}


def of_flags(*counts):
    """A line as the room of safety has it: four fields, and the shares that are made of them."""
    shares = [
        share(name, counts[hit], counts[hit] + counts[other])
        for name, (hit, other) in SHARES.items()
        if counts[hit] + counts[other]
    ]
    names = [name for name, pair in SHARES.items() if sum(counts[one] for one in pair)]
    return table(
        "t",
        "T",
        "",
        about=[Column(key="judge", head="")],
        columns=[
            *(Column(key=key, head=key, is_field=True) for key in FIELDS),
            *(Column(key=key, head=key) for key in names),
        ],
        lines=[Line(about=(Plain("owl", "owl"),), values=(*map(count, counts), *shares))],
    )


@pytest.mark.parametrize("counts", [(88, 30, 7, 8000), (3, 30, 92, 8000), (30, 4, 65, 12)])
def test_a_small_count_takes_the_line_that_would_give_it_back_with_it(counts):
    [line] = without_small_cells(of_flags(*counts)).lines
    told = [one.exact for one in line.values]
    assert set(told) == {FEWER, BESIDE}
    assert [one == FEWER for one in told[:4]] == [0 < one < 10 for one in counts]


@pytest.mark.parametrize("counts", [(30, 40, 65, 8000), (0, 40, 95, 8000), (95, 0, 0, 8000)])
def test_where_no_count_is_small_the_line_stays(counts):
    whole = of_flags(*counts)
    assert without_small_cells(whole) == whole


@pytest.mark.parametrize(("n_counted", "stays"), [(7, False), (88, False), (0, True), (40, True)])
def test_elsewhere_too_a_share_gives_no_small_count_back(n_counted, stays):
    whole = table(
        "t",
        "T",
        "",
        about=[Column(key="judge", head="")],
        columns=[Column(key="sensitivity", head="")],
        lines=[Line(about=(Plain("owl", "owl"),), values=(share("sensitivity", n_counted, 95),))],
    )
    assert (without_small_cells(whole) == whole) is stays


def test_every_mark_of_a_chart_says_of_how_many_items_it_tells(of, as_user, ada):
    """Otherwise a point over few items would leave: `n` in its row is what the rule looks at."""
    of(12)
    seen = set()
    for page in ("", "judges/", "raters/", "matrix/", "safety/", "calibration/", "routing/"):
        shown = as_user(ada).get(f"{ROOT}{page}").context["shown"]
        for chart in getattr(shown, "charts", {}).values():
            seen.add(chart.key)
            rows = [row for data in values_in(chart.spec) for row in data if "says" in row]
            assert rows, chart.key
            assert all("n" in row or "low" in row for row in rows), chart.key
    assert len(seen) > 3


def values_in(node):
    """The data of a description, wherever they stand."""
    if isinstance(node, dict):
        if isinstance(node.get("values"), list) and node["values"]:
            yield [row for row in node["values"] if isinstance(row, dict)]
        node = list(node.values())
    if isinstance(node, list):
        for one in node:
            yield from values_in(one)
