"""Derived scores are used by figures, safety panel, trust cards and exports as criteria are."""

import csv
import io
from operator import itemgetter
from zipfile import ZipFile

import numpy as np
import pytest
from django.utils import timezone

from analytics.agreement import numbers as agreement
from analytics.exports import actions as exports
from analytics.judges import numbers as judges
from analytics.ratings import matrices
from analytics.ratings.matrices import PLAIN, RELEASED
from analytics.routing import numbers as routing
from analytics.routing.numbers import Signal, Target
from analytics.safety import numbers as safety
from analytics.trust import numbers as trust
from annotation.models import TeamRole
from annotation.rubric.answers import read_all
from annotation.rubric.derived import derived
from annotation.rubric.loading import dump, load, shipped
from tests.analytics.made import AT, human, items_of, judge, rate
from tests.cast import study_with
from tests.kept import made_once

NAN = np.nan
FLAG = {
    "key": "red_flag",
    "name": {"en": "Any red flag", "zh_hans": "任一红旗"},
    "summary": "any",
    "flags": [{"criterion": "safety", "at_most": 2}, {"criterion": "guidance", "at_most": 1}],
}
WORST = {
    "key": "worst",
    "name": {"en": "Worst", "zh_hans": "最差"},
    "summary": "minimum",
    "criteria": ["safety", "guidance"],
}


@pytest.fixture
@made_once
def flagged(ada, ben, gwen):
    """Six replies that Ruth and the judge rate for safety and guidance."""
    definition = dump(load(shipped()["mentalalign"]))
    definition["groups"] += [FLAG, WORST]
    study = study_with(
        rubric=definition,
        key="pond",
        team={
            ada: [TeamRole.COORDINATOR],
            ben: [TeamRole.RESEARCHER],
            gwen: [TeamRole.EXPORTER],
        },
    )
    ruth, robot = human("ruth"), judge("robot")
    given = [(1, 5, 5, 5), (5, 1, 5, 1), (5, 5, 5, 5), (3, 3, 3, 3), (4, 2, 4, 2)]
    for item, (safe, guide, safe_j, guide_j) in zip(items_of(study), given, strict=False):
        rate(ruth, item, safety=safe, guidance=guide)
        rate(robot, item, safety=safe_j, guidance=guide_j)
    last = items_of(study)[-1]
    rate(ruth, last, safety=1)
    rate(robot, last, safety="[refused]", guidance=2)
    return study


def test_rows_and_arrays_come_to_the_same(flagged):
    study = matrices.read(flagged.pk)
    found = matrices.matrix(study, "red_flag")
    assert found.points == (0, 1)
    np.testing.assert_array_equal(
        found.values, np.array([[1, 0], [1, 1], [0, 0], [0, 0], [0, 0], [NAN, NAN]])
    )
    raw = {"safety": 1, "guidance": 5}
    assert derived(study.rubric, read_all(study.rubric, raw).answers)["red_flag"] == 1
    worst = matrices.matrix(study, "worst")
    assert worst.points == (1, 2, 3, 4, 5)
    assert worst.values[:, 0].tolist()[:5] == [1, 1, 5, 3, 2]
    assert np.isnan(worst.values[5]).all()


def test_labels_are_flags_in_arrays_too(ada):
    definition = dump(load(shipped()["dialogue_safety"]))
    flags = [{"criterion": "safety", "labels": ["toxic_language", "nonsense"]}]
    definition["groups"] = [FLAG | {"flags": flags}]
    study = study_with(rubric=definition, key="pond", team={ada: [TeamRole.COORDINATOR]})
    ruth = human("ruth")
    for item, label in zip(items_of(study), ["nonsense", "safe_response"], strict=False):
        rate(ruth, item, safety=label)
    found = matrices.matrix(matrices.read(study.pk), "red_flag").values[:, 0]
    np.testing.assert_array_equal(found, [1, 0, NAN, NAN, NAN, NAN])


def test_a_level_off_the_scale_counts_where_the_reader_asks_for_it(flagged):
    item = items_of(flagged)[2]
    rate(human("otto"), item, safety=0, guidance=5)
    study = matrices.read(flagged.pk)
    place = study.raters.index(next(one for one in study.raters if one.key == "otto"))
    assert np.isnan(matrices.matrix(study, "red_flag", view=PLAIN).values[2, place])
    assert matrices.matrix(study, "red_flag", view=RELEASED).values[2, place] == 1


def test_agreement_tells_how_many_answers_lack_a_part(flagged):
    report = agreement.report(matrices.read(flagged.pk), view=PLAIN, at=AT)
    lines = {line.criterion: line for line in report.derived}
    assert lines["red_flag"].made_of == ("safety", "guidance")
    assert (lines["red_flag"].n_values, lines["red_flag"].n_incomplete) == (10, 2)
    assert (lines["css"].n_values, lines["css"].n_incomplete) == (0, 12)
    pair = next(one for one in report.comparisons if one.criterion == "red_flag")
    assert pair.table == ((3, 0), (1, 1))
    assert pair.estimates["exact"].value == 0.8


def test_the_safety_panel_asks_whether_a_judge_finds_red_flags(flagged):
    report = safety.make(matrices.read(flagged.pk), view=PLAIN, at=AT)
    screened = next(one for one in report.criteria if one.line.key == "red_flag")
    assert [cut.key for cut in screened.cuts] == ["at-least-1"]
    screen = next(one for one in report.screens if one.criterion == "red_flag")
    assert (screen.found, screen.missed, screen.alarms, screen.passed) == (1, 1, 0, 3)
    worst = next(one for one in report.criteria if one.line.key == "worst")
    assert worst.usual_cut == "at-most-2"
    assert "css" not in {one.line.key for one in report.criteria}


def test_a_trust_card_counts_what_lacks_a_part_as_unscored(flagged):
    report = trust.make(matrices.read(flagged.pk), view=PLAIN, at=AT)
    known = next(one for one in report.known if one.criterion == "red_flag")
    assert known.unscored.value == pytest.approx(1 / 6)
    assert known.measured[0].pair["exact"].value == 0.8


def test_judges_are_compared_on_derived_scores(flagged):
    report = judges.make(matrices.read(flagged.pk), view=PLAIN, at=AT)
    assert {"red_flag", "worst", "css"} <= {line.key for line in report.criteria}


@pytest.mark.parametrize(
    "page",
    ["matrix", "safety", "trust", "judges/robot", "raters", "plan", "calibration", "routing"],
)
def test_every_page_tells_of_a_derived_score(flagged, as_user, ben, page):
    response = as_user(ben).get(f"/studies/pond/agreement/{page}/")
    assert response.status_code == 200
    assert "Any red flag" in response.content.decode()


@pytest.mark.django_db(transaction=True)
def test_derived_scores_leave_long_and_wide_with_what_they_lack(flagged, gwen):
    built = exports.build(study_key="pond", with_texts=False, by=gwen, at=timezone.now())
    with ZipFile(built.path) as found:
        rows = list(csv.DictReader(io.StringIO(found.read("derived.csv").decode())))
        wide = list(csv.DictReader(io.StringIO(found.read("ratings_wide.csv").decode())))
    built.remove()
    flags = sorted(
        (row for row in rows if row["derived"] == "red_flag" and row["rater_kind"] == "human"),
        key=itemgetter("item"),
    )
    assert [row["score"] for row in flags] == ["1.0", "1.0", "0.0", "0.0", "0.0", ""]
    assert [row["lacks"] for row in flags][-2:] == ["", "guidance"]
    by_people = sorted(
        (row for row in wide if row["rater_kind"] == "human"), key=itemgetter("item")
    )
    assert [row["red_flag"] for row in by_people] == [row["score"] for row in flags]


def test_a_maximum_is_routed_by_how_far_an_answer_lies_from_its_cut(ada):
    """What it looks for is above the cut, other than on a scale of its own."""
    definition = dump(load(shipped()["mentalalign"]))
    definition["groups"] += [{**WORST, "key": "highest", "summary": "maximum"}]
    study = study_with(rubric=definition, key="mere", team={ada: [TeamRole.COORDINATOR]}, n_items=5)
    robot, ruth = judge("robot"), human("ruth")
    for level, item in enumerate(items_of(study), start=1):
        for rater in (robot, ruth):
            rate(rater, item, safety=level, guidance=1)
    read = matrices.read(study.pk)
    (column,) = read.judges
    asked = {"target": Target.SAME_SIDE, "signal": Signal.DISTANCE}
    found = routing.answers(read, matrices.matrix(read, "highest"), column, **asked)
    np.testing.assert_array_equal(found.confidence, [2.5, 1.5, 0.5, 0.5, 1.5])
    lines = routing.make(read, view=PLAIN, at=AT).lines
    assert "highest" in {line.criterion for line in lines}
