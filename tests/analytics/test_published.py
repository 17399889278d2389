"""The published table of MentalAlign, and reference values, from the published workbooks."""

import json
import re
from datetime import UTC, datetime

import pytest

from analytics.agreement import numbers as agreement
from analytics.agreement.numbers import PART
from analytics.comparisons.kinds import Kind
from analytics.ratings import matrices
from analytics.ratings.matrices import PLAIN, RELEASED
from annotation.models import Rater

pytestmark = pytest.mark.django_db
AT = datetime(2026, 3, 2, tzinfo=UTC)
JUDGES = {"Claude-3.7-Sonnet": "claude", "GPT-4o": "gpt_4o"}
COLUMNS = ("icc_c1", "icc_a1", "mean_x", "mean_y")


@pytest.fixture(scope="module")
def study(published):
    return matrices.read(published.pk)


@pytest.fixture(scope="module")
def released(study):
    return agreement.report(study, view=RELEASED, at=AT)


@pytest.fixture(scope="module")
def plain(study):
    return agreement.report(study, view=PLAIN, at=AT)


@pytest.fixture(scope="module")
def on_all_sources(published, study):
    """As released, each judge measured on its own family's replies too."""
    owners = {rater.key: rater.own_generators for rater in Rater.objects.all()}
    Rater.objects.update(own_generators=[])
    yield agreement.report(matrices.read(published.pk), view=RELEASED, at=AT)
    for key, own in owners.items():
        Rater.objects.filter(key=key).update(own_generators=own)


@pytest.fixture(scope="module")
def table(shared):
    """{(judge, attribute): the authors' four numbers} of the shared README."""
    judge, rows = None, {}
    for line in (shared / "data" / "README.md").read_text(encoding="utf-8").splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if len(cells) != 6 or not re.fullmatch(r"[\d.]+", cells[2]):
            continue
        judge = JUDGES.get(cells[0].split(" (")[0], judge)
        rows[judge, cells[1].lower()] = tuple(map(float, cells[2:]))
    return rows


def systems_of(report):
    keys = {rater.id: rater.key for rater in report.raters}
    return {(keys[line.judge], line.criterion): line for line in report.systems}


def items_of(report):
    keys = {rater.id: rater.key for rater in report.raters}
    return {
        (keys[line.raters[-1]], line.criterion): line
        for line in report.comparisons
        if line.kind is Kind.JUDGE_HUMANS
    }


def test_fourteen_published_rows_come_out_within_half_a_hundredth(released, table):
    found = systems_of(released)
    assert len(table) == 14
    for cell, numbers in table.items():
        estimates = found[cell].estimates
        assert [estimates[name].value for name in COLUMNS] == pytest.approx(numbers, abs=0.005)
        assert estimates["icc_c1"].n_clusters == 9


def test_without_the_off_scale_values_the_safety_of_gpt_4o_falls(released, plain):
    cell = ("gpt_4o", "safety")
    assert systems_of(released)[cell].estimates["icc_c1"].value == pytest.approx(0.48, abs=0.005)
    assert systems_of(plain)[cell].estimates["icc_c1"].value == pytest.approx(0.37, abs=0.005)


def test_item_level_equals_the_goldens_of_the_same_sources(released, shared):
    found, systems = items_of(released), systems_of(released)
    goldens = json.loads((shared / "reference" / "goldens.json").read_text())["raw"]
    known = {(row["judge"], row["attribute"].lower()): row for row in goldens}
    assert known.keys() & found.keys()
    for cell in known.keys() & found.keys():
        row = known[cell]
        values = {name: found[cell].estimates[name].value for name in ("icc_c1", "icc_a1")}
        assert values == pytest.approx(
            {"icc_c1": row["item_C1"], "icc_a1": row["item_A1"]}, abs=5e-4
        )
        limits = systems[cell].estimates["icc_c1"]
        assert (limits.low, limits.high) == pytest.approx(
            (row["sys_C1_Flo"], row["sys_C1_Fhi"]), abs=1e-3
        )


def test_item_level_equals_the_reference_values_on_all_sources(on_all_sources, shared):
    reference = json.loads((shared / "reference" / "reference_values.json").read_text())
    items, systems = items_of(on_all_sources), systems_of(on_all_sources)
    names = {"c1": "icc_c1", "a1": "icc_a1", "bias": "bias", "kq": "kappa_quadratic"}
    seen = 0
    for cell, values in reference["grid_28_cells"].items():
        judge, attribute = cell.split("/")
        if judge not in ("claude", "gpt_4o"):
            continue
        found = items[judge, attribute.lower()].estimates
        at_system_level = systems[judge, attribute.lower()].estimates
        ours = {key: found[name].value for key, name in names.items()}
        ours |= {
            "n": found["icc_c1"].n_pairs,
            "alpha_interval": found["alpha_interval"].value,
            "sys_c1": at_system_level["icc_c1"].value,
            "sys_a1": at_system_level["icc_a1"].value,
        }
        assert ours == pytest.approx(values, abs=1e-9)
        seen += 1
    assert seen == 14


OURS = {
    "ICC(A,1)": "icc_a1",
    "ICC(C,1)": "icc_c1",
    "Cohen kappa": "kappa",
    "kappa quadratic": "kappa_quadratic",
    "Krippendorff alpha ordinal": "alpha_ordinal",
    "Krippendorff alpha interval": "alpha_interval",
    "AC2 quadratic": "ac2",
    "mean bias judge-human": "bias",
}


def test_every_reference_value_of_a_shown_statistic_is_met(on_all_sources, shared):
    reference = json.loads((shared / "reference" / "reference_values.json").read_text())
    items = items_of(on_all_sources)
    differences = {}
    for row in reference["values"]:
        named = re.fullmatch(r"item:(\w+)/(\w+) \(.*\)", row["dataset"])
        if not named or row["statistic"] not in OURS or "q=5" in (row["note"] or ""):
            continue
        estimate = items[named[1], named[2].lower()].estimates[OURS[row["statistic"]]]
        differences[row["id"]] = abs(estimate.value - row["value"])
    assert len(differences) >= 14
    assert max(differences.values()) < 1e-9


def test_bad_input_is_counted_by_reason_and_off_scale_values_by_rater(plain):
    keys = {rater.id: rater.key for rater in plain.raters}
    quality = {keys[line.rater]: line for line in plain.quality}
    assert quality["human"].n_off_scale == 239
    assert sum(quality["human"].unscored.values()) == 70_000 - quality["human"].n_values
    assert sum(quality["claude"].unscored.values()) == 70_000 - quality["claude"].n_values == 49
    assert plain.n_items == 10_000
    assert plain.n_dialogues == 1_000


def test_what_is_left_out_as_the_judge_s_own_is_counted(plain):
    assert {line.own_left_out for line in items_of(plain).values()} <= set(range(980, 1001))


def test_a_report_survives_json(plain):
    assert PART.from_texts(PART.as_texts(plain)) == plain
