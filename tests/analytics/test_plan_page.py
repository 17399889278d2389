"""The planner: what it starts from, what it asks for, and that it follows the ratings."""

from dataclasses import replace

import pytest

from analytics.figures import store as snapshots
from analytics.plan.numbers import PART, make
from analytics.plan.page import plan
from analytics.plan.tables import variance
from analytics.present.naming import of_page
from analytics.present.small_cells import FEWER, without_small_cells
from analytics.ratings import matrices
from analytics.ratings.matrices import PLAIN
from analytics.stats.planning import items_for_icc, needed_for_width
from annotation.models import Rater, TeamRole
from tests.analytics.made import AT, human, items_of, judge, rate
from tests.analytics.meadow import computed_meadow
from tests.analytics.reading import text_of

pytestmark = pytest.mark.usefixtures("empty_cache")

URL = "/studies/meadow/agreement/plan/"


@pytest.fixture
def study(ada, ben, gwen):
    team = {ada: [TeamRole.COORDINATOR], ben: [TeamRole.ANNOTATOR], gwen: [TeamRole.RESEARCHER]}
    return computed_meadow(team, ["plan"])


def report_of(study):
    return snapshots.up_to_date(study_id=study.pk, part=PART, at=AT)[PLAIN]


def shown(study, report=None, **choices):
    report = report or report_of(study)
    naming = of_page(study.rubric_version.content, report.judges, study="meadow", values="")
    return plan(report, naming, choices)


def rows_of(grid, criterion=""):
    """{who, or judge: {head of a column: its cell}} of each row, of one criterion or the last."""
    heads = [head.text for head in grid.heads]
    return {
        row[1].text: dict(zip(heads, row, strict=True))
        for row in grid.cells
        if not criterion or row[0].text == criterion
    }


@pytest.mark.parametrize(("name", "status"), [("ada", 200), ("gwen", 200), ("ben", 403)])
def test_the_plan_is_for_coordinators_and_researchers(study, as_user, request, name, status):
    assert as_user(request.getfixturevalue(name)).get(URL).status_code == status


def test_people_among_themselves_and_each_judge_are_planned_for(study, as_user, ada):
    said = text_of(as_user(ada).get(URL))
    assert "For an interval no wider than 0.2" in said
    assert "People among themselves" in said
    assert "Oak and people" in said
    assert "48 (96)" in said, "a judge with two people: items (pairs)"
    assert "more items in" in said
    assert "96 items in 24 dialogues" in said
    assert "59 flagged items, each of another dialogue, without a single miss" in said


def test_a_row_says_what_its_interval_takes_by_either_reckoning(study):
    report = report_of(study)
    of_oak = next(
        one
        for one in report.agreement
        if one.criterion == "guidance" and report.judges.get(one.judge) == "Oak"
    )
    row = rows_of(shown(study).agreement, "Guidance")["Oak and people"]
    assert of_oak.icc == of_oak.estimate.value
    needed = needed_for_width(of_oak.estimate, 0.2)
    assert row["Now"].order == str(of_oak.estimate.value)
    assert row["Items"].text == f"{needed.n_items:,}"
    assert row["Items, Bonett"].text == f"{round(items_for_icc(of_oak.icc, 2, 0.2)):,}"
    assert f"{needed.more_items} more items in {needed.more_clusters} more dialogues" in (
        row["It takes"].text
    )
    assert row["Raters"].is_empty, "a judge is one judge: only people can be more"
    assert row["Raters for a mean"].is_empty


def test_a_wider_interval_is_there_already(study):
    wide = shown(study, width="1")
    assert wide.headline == "Every interval there is, is already no wider than 1."
    assert {row[-2].badge for row in wide.agreement.cells} == {"done"}


def test_people_may_be_more_instead_of_items(study):
    heads = [head.text for head in shown(study).agreement.heads]
    people = [
        dict(zip(heads, row, strict=True))
        for row in shown(study).agreement.cells
        if row[1].text == "People among themselves"
    ]
    assert len(people) == 9, "seven criteria and two groups of them"
    assert all(
        int(row[head].text) > 0 for row in people for head in ("Raters", "Raters for a mean")
    )


@pytest.mark.parametrize("typed", ["0", "2", "wide", "nan", "inf", "-1", "0,2"])
def test_a_width_that_makes_no_sense_is_answered_with_a_sentence(study, as_user, ada, typed):
    response = as_user(ada).get(URL, {"width": typed})
    assert response.status_code == 200
    said = text_of(response)
    assert "Width of the interval: give a number from 0.02 to 1, with a point." in said
    assert "For an interval no wider than 0.2" in said


def test_flagged_items_are_planned_for_at_the_cut_of_the_safety_page(study):
    rows = rows_of(shown(study, reach="0.05").positives, "Safety")
    assert {row["Flagged is"].text for row in rows.values()} == {"at most 2"}
    assert all("drawn at random" in row["It takes"].text for row in rows.values())
    assert rows["Elm"]["Without a miss"].text.startswith("No longer possible:")


def test_a_judge_without_a_miss_is_told_how_many_more_it_takes(study):
    report = report_of(study)
    for row in shown(study, miss="0.5").positives.cells:
        assert row[-1].text
    seen = {(one.criterion, one.judge): one for one in report.positives}
    assert all(one.n_missed <= one.sensitivity.n_items for one in seen.values())


def test_flagged_items_of_one_dialogue_rule_out_misses_once(study):
    report = report_of(study)
    (line, *_others) = report.positives
    sensitivity = replace(line.sensitivity, n_items=70, n_clusters=12)
    found = replace(report, positives=(replace(line, sensitivity=sensitivity, n_missed=0),))
    ((*_cells, no_miss),) = shown(study, found, miss="0.05").positives.cells
    assert no_miss.text == "47 more, each in another dialogue, without a miss."


def test_misses_that_did_not_happen_are_counted_towards_the_bound(pond, as_user, ada):
    ruth, echo = human("ruth"), judge("echo")
    for item in items_of(pond):
        rate(ruth, item, safety="nonsense")
        rate(echo, item, safety="nonsense")
    said = text_of(as_user(ada).get("/studies/pond/agreement/plan/", {"miss": "0.4"}))
    assert "To be 95 % sure that fewer than 40 % are missed takes 6 flagged items" in said
    assert "Reached." in said
    assert "any label but “Safe Response”" in said


def test_too_little_to_plan_from_is_said(pond, as_user, ada):
    said = text_of(as_user(ada).get("/studies/pond/agreement/plan/"))
    assert "Nothing to plan from yet" in said


def test_one_item_is_not_enough_to_plan_from(pond, as_user, ada):
    rate(human("ruth"), items_of(pond)[0], safety="nonsense")
    rate(judge("echo"), items_of(pond)[0], safety="nonsense")
    said = text_of(as_user(ada).get("/studies/pond/agreement/plan/"))
    assert "Cannot be planned yet. Only one item has ratings from two raters" in said


def test_raters_who_take_turns_are_planned_by_variance_components(study):
    further = human("further")
    for item in items_of(study)[48:60]:
        for rater in (further, Rater.objects.get(key=f"person{item.pk % 2}")):
            rate(rater, item, guidance=1 + item.pk % 5)
    one = next(one for one in report_of(study).agreement if one.judge is None)
    assert one.estimate.statistic == "icc_a1_reml"
    assert one.icc == one.estimate.value
    assert one.raters_per_item == 2


def test_the_page_follows_new_ratings(study, as_user, ada):
    client = as_user(ada)
    first = client.get(URL)
    revision = study.revision
    assert client.get(URL, {"revision": revision}, HTTP_HX_REQUEST="true").status_code == 204
    before = report_of(study)
    rate(human("late"), items_of(study)[60], **dict.fromkeys(("guidance", "safety"), 3))
    snapshots.refresh(study_id=study.pk, part=PART, at=AT)
    fragment = client.get(URL, {"revision": revision}, HTTP_HX_REQUEST="true")
    assert fragment.status_code == 200
    assert "<html" not in fragment.content.decode()
    assert report_of(study) != before
    assert first.status_code == 200


def test_the_stored_plan_is_the_computed_one(study):
    assert report_of(study) == make(matrices.read(study.pk), view=PLAIN, at=AT)


def test_whose_the_variance_is_adds_up(study):
    found = report_of(study).variance
    assert {one.judge is None for one in found} == {True, False}, "of people, and of Oak's runs"
    for one in found:
        parts = (one.shares.generators, one.shares.items, one.shares.severity, one.shares.by_item)
        whole = sum(part or 0 for part in parts) + one.shares.rest
        assert whole == pytest.approx(one.shares.total)
    rows = [
        dict(zip([h.text for h in grid.heads], row, strict=True))
        for grid in [shown(study).variance]
        for row in grid.cells
    ]
    assert len(rows) == len(found)
    for row, one in zip(rows, found, strict=True):
        assert row["Dependability of one"].text == f"{one.shares.dependability():.2f}"
        assert (row["Items rated"].text, row["Ratings"].text) == (
            f"{one.shares.n_items:,}",
            f"{one.shares.n_ratings:,}",
        )


@pytest.mark.parametrize(("n_items", "leaves"), [(9, False), (10, True)])
def test_whose_the_variance_is_leaves_where_enough_items_were_rated(study, n_items, leaves):
    report = report_of(study)
    one = replace(report.variance[0], shares=replace(report.variance[0].shares, n_items=n_items))
    naming = of_page(study.rubric_version.content, report.judges, study="meadow", values="")
    whole = variance(replace(report, variance=(one,)), naming)
    [line], [left] = whole.lines, without_small_cells(whole).lines
    assert left == line if leaves else {one.exact for one in left.values if one} == {FEWER}
