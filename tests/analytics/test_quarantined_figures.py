"""The published ratings less what is no rating: the clean goldens, and every view beside."""

import csv
import io
import json
import warnings

import numpy as np
import pingouin
import pytest
from django.core.management import call_command
from django.urls import reverse
from django.utils import timezone

from accounts.models import Event
from analytics.agreement import numbers as agreement
from analytics.comparisons.kinds import Kind
from analytics.ratings import matrices
from analytics.ratings.matrices import PLAIN, RELEASED, VIEWS, View
from annotation.actions import teams
from annotation.models import Quarantine
from tests.analytics.made import AT
from tests.analytics.reading import table_in

pytestmark = pytest.mark.django_db
OFF_SCALE, QUARANTINED = View(with_off_scale=True), View(with_quarantined=True)
HALF_A_DIGIT = 5.1e-5


@pytest.fixture(scope="module")
def study(published, shared):
    """The published study after the list of “nan” replies was imported."""
    path = shared / "reference" / "mentalalign_nan_responses.csv"
    call_command("quarantine_items", published.key, str(path), verbosity=0)
    return matrices.read(published.pk)


@pytest.fixture(scope="module")
def reports(study):
    return {view: agreement.report(study, view=view, at=AT) for view in VIEWS}


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


def test_every_response_of_the_list_is_set_aside_with_its_reason(study):
    assert int(study.quarantined.sum()) == 148
    assert set(Quarantine.objects.values_list("reason", flat=True)) == {
        "the judges' explanations say that the response was the string nan"
    }


@pytest.mark.parametrize(("view", "name"), [(PLAIN, "clean"), (RELEASED, "raw")])
def test_the_goldens_come_out_to_their_last_digit(reports, shared, view, name):
    items, systems = items_of(reports[view]), systems_of(reports[view])
    rows = json.loads((shared / "reference" / "goldens.json").read_text())[name]
    seen = 0
    for row in rows:
        cell = (row["judge"], row["attribute"].lower())
        if cell not in items:
            continue
        item, system = items[cell].estimates, systems[cell].estimates
        found = {
            "item_C1": item["icc_c1"].value,
            "item_A1": item["icc_a1"].value,
            "sys_C1": system["icc_c1"].value,
            "sys_A1": system["icc_a1"].value,
            "sys_C1_Flo": system["icc_c1"].low,
            "sys_C1_Fhi": system["icc_c1"].high,
        }
        assert found == pytest.approx({key: row[key] for key in found}, abs=HALF_A_DIGIT), cell
        seen += 1
    assert seen == 14


def test_safety_of_gpt_4o_falls_with_each_kind_of_doubtful_value(reports):
    cell = ("gpt_4o", "safety")
    system = {
        view: round(systems_of(report)[cell].estimates["icc_c1"].value, 2)
        for view, report in reports.items()
    }
    assert system == {RELEASED: 0.48, QUARANTINED: 0.37, OFF_SCALE: system[OFF_SCALE], PLAIN: 0.22}
    item = {
        view: round(items_of(report)[cell].estimates["icc_a1"].value, 3)
        for view, report in reports.items()
    }
    assert (item[RELEASED], item[PLAIN]) == (0.436, 0.093)


@pytest.mark.parametrize("view", VIEWS)
def test_each_view_equals_pingouin_on_what_it_leaves(study, reports, view):
    """The whole way from workbook to figure, against a table cleaned by hand."""
    cell = ("gpt_4o", "safety")
    judge = next(rater for rater in study.raters if rater.key == cell[0])
    person = next(rater for rater in study.raters if rater.key == "human")
    given = study.ratings[study.ratings["criterion"] == "safety"]
    wide = given.pivot(index="item", columns="rater", values="value")[[person.id, judge.id]]
    odd = given[given["off_scale"] & (given["rater"] == person.id)]["item"]
    keep = ~np.isin(study.generators[wide.index], ["gpt4o"])
    keep &= view.with_quarantined | ~study.quarantined[wide.index]
    keep &= view.with_off_scale | ~wide.index.isin(odd)
    long = wide[keep].dropna().reset_index().melt("item", var_name="rater", value_name="score")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        icc = pingouin.intraclass_corr(long, targets="item", raters="rater", ratings="score")
    theirs = icc.set_index("Type")["ICC"]
    ours = items_of(reports[view])[cell].estimates
    assert ours["icc_c1"].value == pytest.approx(theirs["ICC(C,1)"], abs=1e-9)
    assert ours["icc_a1"].value == pytest.approx(theirs["ICC(A,1)"], abs=1e-9)


def look_after(study, account):
    teams.set_roles(
        study_id=study.pk, email=account.email, roles=["coordinator"], by=None, at=timezone.now()
    )


def test_the_means_behind_system_level_are_a_file_of_their_own(published, reports, ada, as_user):
    look_after(published, ada)
    address = reverse("agreement_means", args=[published.key])
    file = as_user(ada).get(address, {"values": "released"})
    assert file.headers["Content-Disposition"].endswith('-means-released.csv"')
    rows = list(csv.DictReader(io.StringIO(file.content.decode())))
    line = systems_of(reports[RELEASED])["gpt_4o", "safety"]
    found = {
        row["generator"]: (float(row["people"]), float(row["judge_mean"]), int(row["items"]))
        for row in rows
        if (row["judge"], row["criterion"]) == ("gpt_4o", "safety")
    }
    assert found == {
        system: (*means, n)
        for system, means, n in zip(line.systems, line.means, line.n_pairs, strict=True)
    }
    assert Event.objects.get(verb="agreement.means_downloaded").actor == ada


def test_the_pages_show_every_view_of_the_published_safety_figure(published, study, ada, as_user):
    look_after(published, ada)
    page = as_user(ada).get(reverse("agreement", args=[published.key])).text
    found = table_in(page, "systems_with_and_without")
    row = found.row("gpt_4o", "Safety")
    shown = {head: row[head].text.split()[0] for head in found.heads if "ICC(C,1)" in head}
    assert shown == {
        "ICC(C,1), As released": "0.484",
        "ICC(C,1), Without off-scale values": "0.369",
        "ICC(C,1), Without items set aside": "0.245",
        "ICC(C,1), Without either (in use)": "0.221",
    }
