"""Real ratings: the released MentalAlign and DialogueSafety data give the values others found."""

import numpy as np
import pytest

from analytics.stats.accuracy import accuracy
from analytics.stats.agreement import many_raters, two_raters
from analytics.stats.estimates import Note
from analytics.stats.icc import f_limits, mean_squares
from analytics.stats.intervals import PIVOTAL_METHOD
from analytics.stats.systems import system_level

RAW = range(7)
FIVE = (1, 2, 3, 4, 5)
OWN_SOURCE = {"claude": "claude", "gpt_4o": "gpt4o"}
STORED = {
    "ICC(1,1)": "icc_11",
    "ICC(A,1)": "icc_a1",
    "ICC(C,1)": "icc_c1",
    "ICC(1,k)": "icc_1k",
    "ICC(A,k)": "icc_ak",
    "ICC(C,k)": "icc_ck",
    "Cohen kappa": "kappa",
    "kappa quadratic": "kappa_quadratic",
    "kappa linear": "kappa_linear",
    "Krippendorff alpha nominal": "alpha_nominal",
    "Krippendorff alpha ordinal": "alpha_ordinal",
    "Krippendorff alpha interval": "alpha_interval",
    "AC1": "ac1",
    "AC2 quadratic": "ac2",
    "Lin CCC": "ccc",
    "mean bias judge-human": "bias",
    "Pearson r": "pearson",
}
PUBLISHED = """
claude Guidance 0.881 0.837 3.742 3.990
claude Informativeness 0.915 0.915 4.032 3.931
claude Relevance 0.730 0.743 4.520 4.574
claude Safety 0.685 0.597 4.734 4.852
claude Empathy 0.906 0.474 4.046 4.687
claude Helpfulness 0.900 0.742 3.972 4.399
claude Understanding 0.791 0.806 4.511 4.543
gpt_4o Guidance 0.849 0.475 3.656 4.427
gpt_4o Informativeness 0.856 0.681 3.951 4.412
gpt_4o Relevance 0.532 0.243 4.478 4.867
gpt_4o Safety 0.480 0.279 4.714 4.932
gpt_4o Empathy 0.835 0.288 3.958 4.775
gpt_4o Helpfulness 0.800 0.457 3.869 4.538
gpt_4o Understanding 0.823 0.485 4.472 4.821
"""


def rows_of(reference, prefix):
    return {
        statistic: row
        for (dataset, statistic), row in reference["values"].items()
        if dataset.startswith(prefix) and "restricted" not in dataset
    }


@pytest.mark.parametrize(("judge", "attribute"), [("claude", "Empathy"), ("gpt_4o", "Safety")])
def test_item_level_values_equal_those_of_other_producers(mentalalign, reference, judge, attribute):
    human, judged, dialogues, _ = mentalalign.pair(judge, attribute)
    options = {"clusters": dialogues, "points": RAW, "measurement": "ordinal"}
    found = two_raters(human, judged, **options)
    by_f = two_raters(human, judged, kind="f", **options)
    stored = rows_of(reference, f"item:{judge}/{attribute} ")
    assert set(STORED) <= set(stored)
    for statistic, name in STORED.items():
        row = stored[statistic]
        assert found[name].value == pytest.approx(row["value"], abs=1e-9), statistic
        if statistic.startswith("ICC"):
            limits = (by_f[name].low, by_f[name].high)
            assert limits == pytest.approx(tuple(row["ci95"]), abs=1e-9), statistic
    assert found["icc_a1"].n_clusters == 1000


@pytest.mark.parametrize("judge", OWN_SOURCE)
def test_every_cell_of_the_grid_has_its_stored_values(mentalalign, reference, judge):
    cells = {
        cell.split("/")[1]: row
        for cell, row in reference["grid"].items()
        if cell.startswith(f"{judge}/")
    }
    assert len(cells) == 7
    names = {"c1": "icc_c1", "a1": "icc_a1", "bias": "bias", "kq": "kappa_quadratic"}
    names["alpha_interval"] = "alpha_interval"
    for attribute, row in cells.items():
        human, judged, dialogues, sources = mentalalign.pair(judge, attribute)
        found = two_raters(
            human,
            judged,
            clusters=dialogues,
            points=RAW,
            measurement="ordinal",
            only=names.values(),
        )
        for key, name in names.items():
            assert found[name].value == pytest.approx(row[key], abs=1e-9), (attribute, key)
            assert found[name].n_pairs == row["n"]
        systems = system_level(human, judged, sources).estimates
        assert systems["icc_c1"].value == pytest.approx(row["sys_c1"], abs=1e-9)
        assert systems["icc_a1"].value == pytest.approx(row["sys_a1"], abs=1e-9)


@pytest.mark.parametrize(("judge", "attribute"), [("claude", "Empathy"), ("gpt_4o", "Safety")])
def test_system_level_limits_equal_pingouins(mentalalign, reference, judge, attribute):
    human, judged, _, sources = mentalalign.pair(judge, attribute)
    found = system_level(human, judged, sources)
    stored = rows_of(reference, f"system:{judge}/{attribute} ")
    consistency = found.estimates["icc_c1"]
    assert (consistency.low, consistency.high) == pytest.approx(
        tuple(stored["ICC(C,1)"]["ci95"]), abs=1e-9
    )
    assert consistency.method == "F distribution"
    assert found.estimates["icc_a1"].method == PIVOTAL_METHOD
    assert consistency.n_clusters == 10
    assert consistency.note is Note.FEW_SYSTEMS


def test_the_published_table_is_reproduced_as_released(mentalalign):
    rows = [line.split() for line in PUBLISHED.split("\n") if line]
    assert len(rows) == 14
    for judge, attribute, *printed in rows:
        human, judged, _, sources = mentalalign.pair(judge, attribute, without=[OWN_SOURCE[judge]])
        found = system_level(human, judged, sources)
        values = [found.estimates[name].value for name in ("icc_c1", "icc_a1", "mean_x", "mean_y")]
        assert values == pytest.approx([float(number) for number in printed], abs=5e-3), (
            judge,
            attribute,
        )
        assert len(found.systems) == 9


@pytest.mark.parametrize("state", ["raw", "clean"])
def test_goldens_as_released_and_cleaned(mentalalign, goldens, state):
    assert len(goldens[state]) == 14
    for row in goldens[state]:
        judge = row["judge"]
        human, judged, dialogues, sources = mentalalign.pair(
            judge, row["attribute"], clean=state == "clean", without=[OWN_SOURCE[judge]]
        )
        items = two_raters(
            human,
            judged,
            clusters=dialogues,
            points=RAW,
            measurement="ordinal",
            only=["icc_c1", "icc_a1"],
        )
        compared = system_level(human, judged, sources)
        systems = compared.estimates
        f_low, f_high = f_limits("icc_a1", mean_squares(compared.means))
        expected = {
            "sys_A1_Flo": float(f_low),
            "sys_A1_Fhi": float(f_high),
            "sys_C1": systems["icc_c1"].value,
            "sys_A1": systems["icc_a1"].value,
            "sys_C1_Flo": systems["icc_c1"].low,
            "sys_C1_Fhi": systems["icc_c1"].high,
            "item_C1": items["icc_c1"].value,
            "item_A1": items["icc_a1"].value,
        }
        for key, value in expected.items():
            assert value == pytest.approx(row[key], abs=5.1e-5), (judge, row["attribute"], key)


def test_declared_points_change_ac_as_stored(mentalalign, reference):
    for judge, attribute in (("claude", "Empathy"), ("gpt_4o", "Safety")):
        human, judged, dialogues, _ = mentalalign.pair(judge, attribute)
        human[(human < 1) | (human > 5)] = np.nan
        found = two_raters(
            human,
            judged,
            clusters=dialogues,
            points=FIVE,
            measurement="ordinal",
            only=["ac1", "ac2"],
        )
        for name, statistic in (("ac1", "AC1"), ("ac2", "AC2 quadratic")):
            row = next(
                row
                for (dataset, stored), row in reference["values"].items()
                if dataset.startswith(f"item:{judge}/{attribute} ")
                and "restricted" in dataset
                and stored == statistic
            )
            assert found[name].value == pytest.approx(row["value"], abs=1e-9)


def test_leaving_out_one_system_moves_the_value_as_the_study_notes_say(mentalalign):
    human, judged, _, sources = mentalalign.pair("gpt_4o", "Guidance", without=["gpt4o"])
    found = system_level(human, judged, sources)
    assert found.without["icc_c1"]["original"] == pytest.approx(0.936, abs=1e-3)
    assert found.without["icc_c1"]["qwen_3"] == pytest.approx(0.768, abs=1e-3)


def test_the_interval_of_agreement_is_that_of_these_raters(mentalalign):
    human, judged, dialogues, _ = mentalalign.pair("claude", "Empathy")
    found = two_raters(human, judged, clusters=dialogues, points=RAW, measurement="ordinal")
    agreement = found["icc_a1"]
    assert (agreement.low, agreement.high) == pytest.approx((0.320, 0.364), abs=1e-3)
    drawn = two_raters(
        human,
        judged,
        clusters=dialogues,
        points=RAW,
        measurement="ordinal",
        kind="bootstrap",
        only=["icc_a1"],
    )["icc_a1"]
    assert (drawn.low, drawn.high) == pytest.approx((agreement.low, agreement.high), abs=3e-3)


def test_five_runs_have_the_published_accuracy_precision_recall_and_f1(dialogue_safety):
    gold, runs = dialogue_safety
    found = [accuracy(run, gold, points=range(8)).overall for run in runs.T]
    shares = [overall["accuracy"].value for overall in found]
    assert shares == pytest.approx([0.4825, 0.475, 0.48, 0.46625, 0.4725], abs=1e-12)
    for name, printed in {"precision": 0.499, "recall": 0.475, "f1": 0.484}.items():
        mean = np.mean([overall[name].value for overall in found])
        assert mean == pytest.approx(printed, abs=1e-3), name


def test_five_runs_agree_with_each_other_more_than_with_gold(dialogue_safety):
    gold, runs = dialogue_safety
    options = {"points": range(8), "measurement": "nominal"}
    kappas = [two_raters(gold, run, **options)["kappa"].value for run in runs.T]
    assert np.mean(kappas) == pytest.approx(0.135, abs=5e-4)
    between = many_raters(runs, **options)["fleiss"]
    assert between.value == pytest.approx(0.781, abs=5e-4)
    assert between.low < between.value < between.high
