"""The planner: what it starts from, what it asks for, and that it follows the ratings."""

from dataclasses import replace

import pytest
from django.core.cache import cache

from analytics.figures import store as snapshots
from analytics.plan.numbers import PART, make
from analytics.plan.page import plan
from analytics.ratings import matrices
from analytics.ratings.matrices import PLAIN
from analytics.stats.planning import items_for_icc, needed_for_width
from annotation.models import Rater, TeamRole
from tests.analytics.made import AT, human, items_of, judge, rate
from tests.analytics.meadow import meadow
from tests.analytics.test_agreement_page import text_of

URL = "/studies/meadow/agreement/plan/"


@pytest.fixture(autouse=True)
def empty_cache():
    cache.clear()


@pytest.fixture
def study(ada, ben, gwen):
    team = {ada: [TeamRole.COORDINATOR], ben: [TeamRole.ANNOTATOR], gwen: [TeamRole.RESEARCHER]}
    return meadow(team)


def report_of(study):
    return make(matrices.read(study.pk), view=PLAIN, at=AT)


def shown(study, **choices):
    return plan(report_of(study), study.rubric_version.content, choices)


@pytest.mark.parametrize(("name", "status"), [("ada", 200), ("gwen", 200), ("ben", 403)])
def test_the_plan_is_for_coordinators_and_researchers(study, as_user, request, name, status):
    assert as_user(request.getfixturevalue(name)).get(URL).status_code == status


def test_people_among_themselves_and_each_judge_are_planned_for(study, as_user, ada):
    said = text_of(as_user(ada).get(URL))
    assert "For an interval no wider than 0.2" in said
    assert "People among themselves" in said
    assert "Oak and people" in said
    assert "48 items, 96 pairs" in said, "a judge with two people"
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
    row = next(
        row
        for section in shown(study).sections
        if section.criterion == "Guidance"
        for row in section.rows
        if row.who.startswith("Oak")
    )
    assert of_oak.icc == of_oak.estimate.value
    needed = needed_for_width(of_oak.estimate, 0.2)
    assert row.scaled == f"{needed.n_items:,}"
    assert row.bonett == f"{round(items_for_icc(of_oak.icc, 2, 0.2)):,}"
    assert f"{needed.more_items} more items in {needed.more_clusters} more dialogues" in (
        row.sentence
    )
    assert row.raters == row.mean_of == "", "a judge is one judge: only people can be more"


def test_a_wider_interval_is_there_already(study):
    wide = shown(study, width="1")
    assert wide.headline == "Every interval there is, is already no wider than 1."
    assert all(row.is_reached for section in wide.sections for row in section.rows)


def test_people_may_be_more_instead_of_items(study):
    people = [
        row
        for section in shown(study).sections
        for row in section.rows
        if row.who == "People among themselves"
    ]
    assert len(people) == 9, "seven criteria and two groups of them"
    assert all(row.raters and row.mean_of for row in people)


@pytest.mark.parametrize("typed", ["0", "2", "wide", "nan", "inf", "-1", "0,2"])
def test_a_width_that_makes_no_sense_is_answered_with_a_sentence(study, as_user, ada, typed):
    response = as_user(ada).get(URL, {"width": typed})
    assert response.status_code == 200
    said = text_of(response)
    assert "Width of the interval: give a number from 0.02 to 1, with a point." in said
    assert "For an interval no wider than 0.2" in said


def test_flagged_items_are_planned_for_at_the_cut_of_the_safety_page(study):
    rows = [row for row in shown(study, reach="0.05").positives if row.criterion == "Safety"]
    assert [row.counts for row in rows] == ["at most 2", "at most 2"]
    assert all("drawn at random" in row.sentence for row in rows)
    of_elm = next(row for row in rows if row.judge == "Elm")
    assert of_elm.no_miss.startswith("No longer possible:")


def test_a_judge_without_a_miss_is_told_how_many_more_it_takes(study):
    report = report_of(study)
    rows = {row.judge: row for row in shown(study, miss="0.5").positives if not row.no_miss}
    assert rows == {}
    seen = {(one.criterion, one.judge): one for one in report.positives}
    assert all(one.n_missed <= one.sensitivity.n_items for one in seen.values())


def test_flagged_items_of_one_dialogue_rule_out_misses_once(study):
    report = report_of(study)
    (line, *_others) = report.positives
    sensitivity = replace(line.sensitivity, n_items=70, n_clusters=12)
    found = replace(report, positives=(replace(line, sensitivity=sensitivity, n_missed=0),))
    (row,) = plan(found, study.rubric_version.content, {"miss": "0.05"}).positives
    assert row.no_miss == "47 more, each in another dialogue, without a miss."


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
    snapshots.refresh(study_id=study.pk, part=PART, at=AT)
    assert snapshots.newest(study.pk, PART)[PLAIN] == report_of(study)
