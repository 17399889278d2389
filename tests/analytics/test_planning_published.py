"""Planner and calibration on the published ratings: what is known of them comes out."""

import json
from math import ceil

import pytest
from django.core.management import call_command

from analytics.calibration import numbers as calibration
from analytics.calibration.words import advice, best_of
from analytics.plan import numbers as planner
from analytics.plan.page import plan
from analytics.present.naming import Naming
from analytics.present.tables import Plain
from analytics.ratings import matrices
from analytics.ratings.matrices import PLAIN
from analytics.stats.calibration import Method
from analytics.stats.planning import items_for_icc
from tests.analytics.made import AT

pytestmark = pytest.mark.django_db


def naming_of(report, rubric) -> Naming:
    """The judges of a report under their names."""
    raters = {key: Plain(name, name) for key, name in report.judges.items()}
    return Naming(rubric=rubric, raters=raters)


@pytest.fixture(scope="module")
def study(published, shared):
    """The published study after the list of “nan” replies was imported."""
    path = shared / "reference" / "mentalalign_nan_responses.csv"
    call_command("quarantine_items", published.key, str(path), verbosity=0)
    return matrices.read(published.pk)


@pytest.fixture(scope="module")
def calibrated(study):
    return calibration.make(study, view=PLAIN, at=AT)


@pytest.fixture(scope="module")
def planned(study):
    return planner.make(study, view=PLAIN, at=AT)


def of(lines, study, judge, criterion):
    ids = {rater.key: rater.id for rater in study.judges}
    return next(one for one in lines if (one.judge, one.criterion) == (ids[judge], criterion))


KNOWN = {
    ("gpt_4o", "guidance"): {
        None: {"mae": 0.93, "bias": 0.78, "icc_a1": 0.38},
        Method.SHIFT: {"bias": 0.0, "icc_a1": 0.51},
        Method.ISOTONIC: {"mae": 0.66, "icc_a1": 0.42},
    },
    ("claude", "empathy"): {
        None: {"mae": 0.76, "icc_a1": 0.28},
        Method.SHIFT: {"icc_a1": 0.38},
        Method.ISOTONIC: {"mae": 0.70, "icc_a1": 0.33},
    },
}


@pytest.mark.parametrize("cell", KNOWN)
def test_calibration_gains_what_is_known_and_not_more(calibrated, study, cell):
    line = of(calibrated.lines, study, *cell)
    after = {one.method: one.after for one in line.methods}
    for method, values in KNOWN[cell].items():
        told = line.before if method is None else after[method]
        for name, value in values.items():
            assert told[name].value == pytest.approx(value, abs=1e-2), (method, name)


def test_no_map_is_advised_where_single_ratings_get_worse(calibrated, study):
    line = of(calibrated.lines, study, "gpt_4o", "safety")
    isotonic = next(one for one in line.methods if one.method is Method.ISOTONIC)
    assert isotonic.change["mae_change"].low > 0.1
    assert isotonic.change["icc_a1_change"].high < 0
    assert best_of(line) is None
    assert advice(line).startswith("Correct means only")


def test_advice_denies_no_gain_that_the_table_shows(calibrated, study):
    line = of(calibrated.lines, study, "claude", "css")
    isotonic = next(one for one in line.methods if one.method is Method.ISOTONIC)
    assert isotonic.change["mae_change"].high < 0
    assert isotonic.change["icc_a1_change"].high < 0
    assert "none is certain to make single ratings agree better, by ICC(A,1)" in advice(line)


def test_the_judge_alone_need_not_have_the_narrowest_interval(calibrated, study):
    line = of(calibrated.means, study, "claude", "css")
    alone, people = line.alone, line.people
    assert alone.high - alone.low > people.high - people.low


def test_people_rated_all_so_the_judges_add_nothing_to_the_means(calibrated):
    of_all = [one for one in calibrated.means if not one.generator]
    assert of_all
    for line in of_all:
        assert line.n_judged - line.n_rated < 100
        assert line.gain is None or line.gain.value == pytest.approx(1, abs=0.02)


def test_a_judge_alone_is_sure_of_the_wrong_mean(calibrated, study):
    ids = {rater.key: rater.id for rater in study.judges}
    line = next(
        one
        for one in calibrated.means
        if (one.judge, one.criterion, one.generator) == (ids["gpt_4o"], "empathy", "qwen_3")
    )
    assert line.alone.value - line.people.value == pytest.approx(1.0, abs=0.03)
    assert (line.alone.high - line.alone.low) / 2 == pytest.approx(0.04, abs=5e-3)
    assert line.people.low < line.powered.value < line.people.high


def test_bonetts_items_follow_from_the_published_agreement(planned, study, shared):
    rows = json.loads((shared / "reference" / "goldens.json").read_text())["clean"]
    known = {(row["judge"], row["attribute"].lower()): row["item_A1"] for row in rows}
    shown = plan(planned, naming_of(planned, study.rubric), {})
    bonett = [head.text for head in shown.agreement.heads].index("Items, Bonett")
    for cell in (("gpt_4o", "guidance"), ("claude", "safety")):
        line = of(planned.agreement, study, *cell)
        assert line.icc == pytest.approx(known[cell], abs=5.1e-5)
        expected = f"{ceil(items_for_icc(line.icc, 2, 0.2)):,}"
        assert expected in {row[bonett].text for row in shown.agreement.cells}


def test_rare_low_ratings_take_many_more_items_than_the_formula_says(planned, study):
    shown = plan(planned, naming_of(planned, study.rubric), {"width": "0.1"})
    heads = [head.text for head in shown.agreement.heads]
    of_safety = [row for row in shown.agreement.cells if row[0].text == "Safety"]
    assert of_safety
    for row in of_safety:
        as_they_scatter, by_formula = (
            int(row[heads.index(head)].order) for head in ("Items", "Items, Bonett")
        )
        assert as_they_scatter > 2 * by_formula


def test_of_the_low_safety_ratings_nearly_all_are_missed(planned, study):
    line = of(planned.positives, study, "gpt_4o", "safety")
    assert 90 <= line.sensitivity.n_items <= 100
    assert line.sensitivity.n_items - line.n_missed == 2
    assert 0.009 < line.prevalence < 0.013
