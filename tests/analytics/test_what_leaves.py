"""Tables, charts and what programs read leave under the same disclosure tests as releases."""

import csv
import io
from dataclasses import replace

import pytest
from django.core.cache import cache
from django.utils import timezone

from accounts.models import Event
from analytics.figures import store as snapshots
from analytics.figures.on_the_way import FiguresOnTheWay
from analytics.pairs import tables as pairs
from analytics.pairs.numbers import PairsCompared
from analytics.parts import PARTS
from analytics.present.naming import Naming
from analytics.present.small_cells import BESIDE, FEWER, left_out_of_card, without_small_cells
from analytics.present.tables import Column, Line, Plain, count, table
from analytics.stats.estimates import Estimate
from analytics.trust import actions
from annotation.models import Grant, TeamRole
from judging.rules.comparing import OVERALL
from judging.rules.preferences import PreferenceRow
from tests.analytics.made import human, items_of, judge, let_pass, rate
from tests.analytics.meadow import CRITERIA, computed_meadow, meadow
from tests.analytics.test_cases import access_to
from tests.cast import study_with
from tests.kept import made_once

pytestmark = pytest.mark.usefixtures("empty_cache")

ROOT = "/studies/meadow/agreement/"
TABLE = f"{ROOT}tables/agreement/item_level.csv"
OF_A_PROGRAM = (
    "/api/v1/studies/meadow/agreement/",
    "/api/v1/studies/meadow/figures/agreement/",
    "/api/v1/studies/meadow/trust/",
)
WAITS = "has to look at it first"


@pytest.fixture
def of(ada, gwen):
    """of(12) is a study in which two people rated twelve items of each generator, with all of its
    figures; gwen sees them and no single raters."""

    def made(n_rated):
        team = {ada: [TeamRole.COORDINATOR], gwen: [TeamRole.RESEARCHER]}
        size = {"n_dialogues": n_rated, "n_rated": n_rated, "n_people": 2, "repeats": 1}
        study = computed_meadow(team, PARTS, **size)
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


def test_a_table_that_only_its_page_has_leaves_by_the_same_rules(of, as_user, ada, gwen):
    study = of(12)
    at = timezone.now()
    actions.fix_policy(study_access=access_to(study, ada), key="default", by=ada, at=at)
    address = f"{ROOT}trust/?policy=strict&table=trust_fixings&as="
    browser = as_user(gwen)
    assert (refused := browser.get(f"{address}csv")).status_code == 403
    assert WAITS in refused.text
    assert not Event.objects.filter(verb="figures.downloaded").exists()
    let_pass(study, by=ada)
    told = list(csv.DictReader(io.StringIO(browser.get(f"{address}csv").text)))
    assert [one["value"] for one in told if one["column"] == "rules"] == ["default"]
    (line,) = Event.objects.filter(verb="figures.downloaded")
    assert (line.facts["figures"], line.facts["page"], line.facts["chosen"]) == (
        *("trust_fixings.csv", f"{ROOT}trust/"),
        {"policy": ["strict"]},
    )
    for other in (f"{address}exe", address.replace("trust_fixings", "nothing") + "csv"):
        assert browser.get(other).status_code == 404
    assert as_user(ada).post(f"{address}csv").status_code == 405
    head, whole = browser.head(f"{address}csv"), browser.get(f"{address}csv")
    assert (head.status_code, head["Content-Type"]) == (200, whole["Content-Type"])


def test_what_is_done_at_an_address_says_so_whatever_table_that_asks_for(of, as_user, ada):
    of(12)
    asked = as_user(ada).post(
        "/api/v1/studies/meadow/report/?table=report&as=csv",
        {"language": "en"},
        content_type="application/json",
    )
    assert (asked.status_code, asked.json()["state"]) == (202, "waiting")


def test_a_table_whose_figures_are_on_the_way_is_waited_for(of, as_user, ada, monkeypatch):
    of(12)

    def on_the_way(*_places, **_names):
        raise FiguresOnTheWay(0.0)

    monkeypatch.setattr(snapshots, "keep_fresh", on_the_way)
    answer = as_user(ada).get(f"{ROOT}trust/?table=trust_fixings&as=csv")
    assert (answer.status_code, answer["Refresh"]) == (202, "1")


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
        about=[Column("slice", "")],
        columns=[Column("icc", "")],
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
    heads = [Column(key, key, is_tally=True) for key in ("no", "yes", "all")]
    given = ((3, 40, 43), (30, 50, 80), (33, 90, 123))
    lines = [
        Line(about=(Plain(name, name),), values=tuple(map(count, row)))
        for name, row in zip(("no", "yes", "all"), given, strict=True)
    ]
    whole = table("t", "T", "", about=[Column("given", "")], columns=heads, lines=lines)
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
        about=[Column("judge", "")],
        columns=[
            *(Column(key, key, is_field=True) for key in FIELDS),
            *(Column(key, key) for key in names),
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
        about=[Column("judge", "")],
        columns=[Column("sensitivity", "")],
        lines=[Line(about=(Plain("owl", "owl"),), values=(share("sensitivity", n_counted, 95),))],
    )
    assert (without_small_cells(whole) == whole) is stays


@pytest.mark.parametrize(
    ("made_of", "told"), [((3, 40, 50, 60), BESIDE), ((0, 40, 50, 60), None), ((), None)]
)
def test_what_is_made_of_two_answers_gives_no_small_count_back(made_of, told):
    """Kappa and exact agreement beside each other are enough to work the four counts out."""
    figures = tuple(replace(estimate(0.5, 153), statistic=name) for name in ("kappa", "exact"))
    whole = table(
        "t",
        "T",
        "",
        about=[Column("judge", "")],
        columns=[Column(key, key) for key in ("kappa", "exact")],
        lines=[Line(about=(Plain("owl", "owl"),), values=figures, made_of=made_of)],
    )
    [line] = without_small_cells(whole).lines
    assert [one.exact if isinstance(one, Plain) else None for one in line.values] == [told] * 2


@pytest.mark.parametrize(
    ("tells_of", "made_of", "told"),
    [
        ((3, 40), (), FEWER),
        ((), (3, 40), None),
        ((30, 40), (3, 40), BESIDE),
        ((30, 40), (), None),
        ((0, 40), (), None),
    ],
)
def test_a_number_without_an_interval_gives_no_small_count_back_either(tells_of, made_of, told):
    whole = table(
        "t",
        "T",
        "",
        about=[Column("judge", "")],
        columns=[Column("shift", "")],
        lines=[
            Line(
                about=(Plain("owl", "owl"),),
                values=(Plain("0.25", 0.25, tells_of),),
                made_of=made_of,
            )
        ],
    )
    [line] = without_small_cells(whole).lines
    assert line.values[0].exact == (told or 0.25)


def of_pairs(n_pairs, n_moved):
    """A judge that gives the first reply a point more in some pairs, and else looks at no place."""
    rows = [
        PreferenceRow(
            *(OVERALL, pair, first, 2 * pair + 1 - first % 2, "kind", "curt", 1, "tie"),
            *(3 + (pair < n_moved), 3),
        )
        for pair in range(n_pairs)
        for first in (2 * pair, 2 * pair + 1)
    ]
    found = PairsCompared(
        number=1, judge="owl", judge_name="Owl", reference="", both_orders=True, rows=tuple(rows)
    )
    return pairs.values([found], Naming(rubric=None, raters={}))


@pytest.mark.parametrize(
    ("n_pairs", "n_moved", "stays"),
    [(4, 4, False), (20, 2, False), (20, 18, False), (20, 8, True), (20, 20, True), (20, 0, True)],
)
def test_what_the_place_moves_gives_no_few_values_back(n_pairs, n_moved, stays):
    """Each pair has two replies, each of which has a value in both orders."""
    whole = of_pairs(n_pairs, n_moved)
    [line] = whole.lines
    assert line.values[0].exact == n_moved / n_pairs
    assert line.values[1].exact == 2 * n_moved
    assert (without_small_cells(whole) == whole) is stays
    if not stays:
        [line] = without_small_cells(whole).lines
        assert {one.exact for one in line.values} <= {FEWER, BESIDE}


COUNTS_OF_ROUTING = {
    *("wrong", "passed", "slipped"),
    *("checked_accepted", "checked_passed", "checked_slipped"),
}


@pytest.fixture
def routed(ada, gwen):
    """One reply of each of 60 dialogues is rated, and a judge was asked three times."""
    team = {ada: [TeamRole.COORDINATOR], gwen: [TeamRole.RESEARCHER]}
    study = meadow(team, n_dialogues=70, n_rated=60, replies=1)
    Grant.objects.filter(person=gwen, level="per_rater").update(revoked_at=timezone.now())
    let_pass(study, by=ada)
    return study


def test_what_routing_would_let_pass_gives_no_small_count_back(routed, as_user, ada, gwen):
    address = f"{ROOT}tables/routing/routing_thresholds.csv"
    whole, left = (
        list(csv.DictReader(io.StringIO(as_user(one).get(address).text))) for one in (ada, gwen)
    )
    counts = [place for place, row in enumerate(whole) if row["column"] in COUNTS_OF_ROUTING]
    few = [place for place in counts if 0 < int(whole[place]["value"]) < 10]
    assert few
    assert {left[place]["value"] for place in few} == {FEWER}


def test_a_curve_of_routing_of_whose_answers_few_are_wrong_stays(routed, as_user, ada, gwen):
    n_few = 0
    for criterion in CRITERIA:
        address = f"{ROOT}routing/?criterion={criterion}"
        for name, chart in as_user(gwen).get(address).context["shown"].charts.items():
            marks = [row for data in values_in(chart.spec) for row in data if "says" in row]
            is_of_few = any(0 < n < 10 for row in marks for n in (row["n"], *row["tells_of"]))
            file = f"{address}&chart={name}&as=json"
            assert as_user(gwen).get(file).status_code == (403 if is_of_few else 200)
            assert as_user(ada).get(file).status_code == 200
            n_few += is_of_few and all(row["n"] >= 10 for row in marks)
    assert n_few


@pytest.mark.parametrize(
    ("n_found", "made_of", "told"),
    [
        (40, (30, 20, 40, 55), {}),
        (40, (3, 20, 40, 55), {0: BESIDE, 2: BESIDE}),
        (93, (30, 20, 93, 2), {0: BESIDE, 2: FEWER}),
        (93, (), {2: FEWER}),
        (95, (30, 0, 95, 0), {}),
    ],
)
def test_a_card_leaves_without_what_tells_of_few(n_found, made_of, told):
    kappa = replace(estimate(0.5, 400), statistic="kappa")
    figures = [kappa, None, share("sensitivity", n_found, 95)]
    assert left_out_of_card(figures, made_of) == told


MISSED, FALSE_ALARMS = 4, 12


@pytest.fixture
@made_once
def yes_or_no(ada, gwen):
    """Two people flag 30 of 100 replies of one generator; of these owl misses four."""
    team = {ada: [TeamRole.COORDINATOR], gwen: [TeamRole.RESEARCHER]}
    study = study_with(rubric="psycrisis", key="meadow", team=team, n_items=100)
    Grant.objects.filter(person=gwen, level="per_rater").update(revoked_at=timezone.now())
    people, owl = [human("ruth"), human("rolf")], judge("owl")
    for place, item in enumerate(items_of(study)):
        for person in people:
            rate(person, item, risk_assessment=int(place >= 30))
        flags = MISSED <= place < 30 + FALSE_ALARMS
        rate(owl, item, risk_assessment=int(not flags))
    study.refresh_from_db()
    let_pass(study, by=ada)
    return study


def of_owl(answer) -> dict[str, object]:
    """{statistic: value} of owl beside people in the report that a program gets."""
    [found] = [one for one in answer.json()["comparisons"] if one["kind"] == "judge_humans"]
    return {name: one["value"] for name, one in found["estimates"].items()}


def test_the_four_counts_of_two_answers_cannot_be_worked_out_of_what_leaves(
    yes_or_no, as_user, ada, gwen
):
    whole, left = (as_user(one).get(OF_A_PROGRAM[0]) for one in (ada, gwen))
    exact, bias = of_owl(whole)["exact"], of_owl(whole)["bias"]
    differing = round((1 - exact) * 100)  # as somebody would work them out
    worked_out = sorted((differing + sign * 100 * bias) / 2 for sign in (-1, 1))
    assert worked_out == pytest.approx([MISSED, FALSE_ALARMS])
    assert not of_owl(left)
    for address in (
        *("agreement/item_level.csv", "agreement/at_a_glance.csv"),
        *("safety/safety_agreement.csv", "trust/trust_misses.csv", "plan/plan_positives.csv"),
    ):
        rows = list(csv.DictReader(io.StringIO(as_user(gwen).get(f"{ROOT}tables/{address}").text)))
        of_two = [row for row in rows if "owl" in str(row.values())]
        assert of_two, address
        told = {row["value"] for row in of_two if row["value"] and row["column"] != "flagged"}
        assert told <= {FEWER, BESIDE}, address


def test_a_card_that_a_program_gets_is_blanked_and_keeps_its_verdict(yes_or_no, as_user, ada, gwen):
    whole, left = (as_user(one).get(OF_A_PROGRAM[2]).json()["cards"] for one in (ada, gwen))
    assert [one["verdict"] for one in left] == [one["verdict"] for one in whole]
    outcomes = [[line["outcome"] for line in one["lines"]] for one in (*whole, *left)]
    assert outcomes[0] == outcomes[1]
    assert [line["estimate"] for line in whole[0]["lines"] if line["estimate"]]
    told = {line["topic"]: line for line in left[0]["lines"]}
    assert told["sensitivity"]["left_out"] == FEWER
    assert told["agreement"]["left_out"] == BESIDE
    assert not [line for line in told.values() if line["estimate"] or line["value"]]


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
