"""Judges on published ratings: the recorded runs of DialogueSafety, and MentalAlign."""

import json
import re
from datetime import UTC, datetime
from statistics import fmean, stdev

import pytest

from analytics.judges import numbers as judges
from analytics.judges.judge_page import judge_page
from analytics.judges.numbers import Reference
from analytics.present.naming import of_raters
from analytics.ratings import matrices
from analytics.ratings.matrices import PLAIN, RELEASED
from analytics.safety import numbers as safety
from analytics.safety.numbers import FlagReference
from tests.services import ROOT

pytestmark = pytest.mark.django_db
AT = datetime(2026, 3, 2, tzinfo=UTC)
PUBLISHED = {"accuracy": 0.475, "precision": 0.499, "recall": 0.475, "f1": 0.484}
ACCURACIES = [0.4825, 0.475, 0.48, 0.46625, 0.4725]


@pytest.fixture(scope="module")
def five_runs(recorded):
    return judges.make(matrices.read(recorded.pk), view=PLAIN, at=AT)


@pytest.fixture(scope="module")
def mentalalign_judges(published):
    return judges.make(matrices.read(published.pk), view=RELEASED, at=AT)


def page_of(study, report, judge, criterion):
    naming = of_raters(study.rubric_version.content, report.raters)
    return judge_page(report, naming, {"criterion": criterion}, judge=judge)


def shown_in(grid):
    """{first heading: {head: words}} of each row."""
    return {
        row.about[0].text: {cell.head.text: cell.brief for cell in row.cells} for row in grid.rows
    }


def runs_of(report):
    (against,) = report.against
    assert against.reference is Reference.GOLD
    return against.runs


def test_the_five_recorded_runs_are_the_published_row(five_runs):
    runs = runs_of(five_runs)
    for name, value in PUBLISHED.items():
        estimate = runs.mean[name]
        assert estimate.value == pytest.approx(value, abs=6e-4)
        assert estimate.value == pytest.approx(fmean(one[name].value for one in runs.each))
        assert estimate.low < estimate.value < estimate.high
        assert (estimate.n_items, estimate.n_pairs) == (800, 4000)
    accuracies = [one["accuracy"].value for one in runs.each]
    assert accuracies == pytest.approx(ACCURACIES, abs=1e-12)
    assert 100 * stdev(accuracies) == pytest.approx(0.6, abs=0.05)


def test_kappa_of_the_runs_with_the_experts_is_0_135_on_average(five_runs):
    runs = runs_of(five_runs)
    assert runs.mean["kappa"].value == pytest.approx(0.135, abs=5e-4)
    assert all(one["kappa"].low < one["kappa"].value < one["kappa"].high for one in runs.each)


def test_the_runs_agree_with_one_another_as_known(five_runs):
    (repeats,) = five_runs.repeats
    assert repeats.times == 5
    assert repeats.estimates["fleiss"].value == pytest.approx(0.781, abs=5e-4)
    assert repeats.estimates["unanimous"].value == pytest.approx(0.726, abs=5e-4)
    assert runs_of(five_runs).majority["accuracy"].value == pytest.approx(0.486, abs=5e-4)


def test_one_overall_number_hides_labels_that_are_hardly_found(five_runs):
    (against,) = five_runs.against
    found = {line.label: line for line in against.shape.labels}
    assert [found[code].n for code in range(8)] == [53, 5, 355, 5, 2, 11, 2, 367]
    assert found[5].recall.value == 0
    assert found[0].recall.value < 0.05


def test_the_page_shows_the_row_each_run_and_the_mean(recorded, five_runs):
    page = page_of(recorded, five_runs, "gpt-3-5-turbo-0301", "safety")
    runs = shown_in(page.runs)
    assert list(runs["mean"]) == ["κ", "Accuracy", "Precision", "Recall", "F1", "Items (pairs)"]
    values = [text.split(" [")[0] for text in runs["mean"].values()]
    assert values[:5] == ["0.135", "47.5 %", "49.9 %", "47.5 %", "48.4 %"]
    accuracies = [runs[f"{place}"]["Accuracy"].split(" [")[0] for place in range(1, 6)]
    assert accuracies == ["48.2 %", "47.5 %", "48.0 %", "46.6 %", "47.2 %"]
    assert shown_in(page.repeats)["Safety of the reply"]["Fleiss’ κ"].startswith("0.781")
    assert page.ceilings is None


def test_limits_of_agreement_need_not_hold_95_percent_of_differences(mentalalign_judges):
    held = []
    for shape in (one.shape for one in mentalalign_judges.against if one.shape.bubbles):
        low, high = (shape.differences[end].value for end in ("loa_low", "loa_high"))
        within = sum(bubble.n for bubble in shape.bubbles if low <= bubble.difference <= high)
        held.append(within / sum(bubble.n for bubble in shape.bubbles))
    assert min(held) < 0.9
    assert max(held) > 0.97


def test_halo_of_judges_and_people_is_as_known(mentalalign_judges):
    keys = {rater.id: rater.key for rater in mentalalign_judges.raters}
    found = {keys[one.judge]: one for one in mentalalign_judges.halos}
    assert found["gpt_4o"].of_judge.value == pytest.approx(0.59, abs=0.005)
    assert found["claude"].of_judge.value == pytest.approx(0.28, abs=0.005)
    assert found["claude"].of_people.value == pytest.approx(0.15, abs=0.005)
    assert found["gpt_4o"].more.low > 0.4


def test_the_item_level_of_the_page_is_that_of_the_goldens(mentalalign_judges, shared):
    keys = {rater.id: rater.key for rater in mentalalign_judges.raters}
    found = {(keys[one.judge], one.criterion): one for one in mentalalign_judges.against}
    seen = 0
    for row in json.loads((shared / "reference" / "goldens.json").read_text())["raw"]:
        cell = (row["judge"], row["attribute"].lower())
        if cell not in found:
            continue
        item, system = found[cell].item.estimates, found[cell].systems.estimates
        assert item["icc_c1"].value == pytest.approx(row["item_C1"], abs=5e-4)
        assert item["icc_a1"].value == pytest.approx(row["item_A1"], abs=5e-4)
        limits = system["icc_c1"]
        assert (limits.low, limits.high) == pytest.approx(
            (row["sys_C1_Flo"], row["sys_C1_Fhi"]), abs=1e-3
        )
        seen += 1
    assert seen == 14


def test_the_readme_tells_what_these_figures_are(published):
    """Under the view that its picture has: values off the scale are left out."""
    ratings = matrices.read(published.pk)
    report = judges.make(ratings, view=PLAIN, at=AT)
    [claude] = [rater.id for rater in report.raters if rater.key == "claude"]
    [guidance] = [
        one for one in report.against if (one.judge, one.criterion) == (claude, "guidance")
    ]
    by_means = guidance.systems.estimates["icc_c1"]
    by_reply = guidance.item.estimates["icc_c1"]
    in_picture = [one.estimates["icc_a1"].value for one in (guidance.systems, guidance.item)]
    flags = safety.make(ratings, view=PLAIN, at=AT)
    [cut] = [one.usual_cut for one in flags.criteria if one.line.key == "safety"]
    [screen] = [
        one
        for one in flags.screens
        if (one.judge, one.criterion, one.cut) == (claude, "safety", cut)
        and one.reference is FlagReference.HALF
    ]

    told = " ".join((ROOT / "README.md").read_text(encoding="utf-8").split())
    for said in (
        f"Averaged over {len(guidance.systems.means)} generators",
        f"of **{by_means.value:.2f}** [{by_means.low:.2f}, {by_means.high:.2f}]",
        f"on {by_reply.n_items:,} replies",
        f"with **{by_reply.value:.2f}** [{by_reply.low:.2f}, {by_reply.high:.2f}]",
        f"{in_picture[0]:.2f} and {in_picture[1]:.2f}.)",
        f"misses {screen.missed} of the {screen.found + screen.missed} replies",
    ):
        assert said in told


def test_leaving_out_one_generator_moves_the_system_level_as_known(published, mentalalign_judges):
    page = page_of(published, mentalalign_judges, "gpt_4o", "guidance")
    row = shown_in(page.systems)["Guidance"]
    assert row["ICC(C,1)"].startswith("0.849")
    assert row["ICC(C,1) without one generator"] == "0.77 to 0.94"
    said = "; ".join(page.intervals)
    assert "leaving out one generator at a time" in said, "of the agreement at system level"
    assert "from the F distribution" in said, "of the consistency"


def test_one_person_an_item_gives_no_ceiling_and_the_page_says_so(published, mentalalign_judges):
    assert mentalalign_judges.beside == ()
    page = page_of(published, mentalalign_judges, "claude", "empathy")
    assert (page.ceilings, page.tests, page.strata) == (None, None, None)
    assert not page.has_ceiling
    assert "more than one person" in page.why_no_ceiling


def test_leanings_are_said_of_single_criteria_as_associations(published, mentalalign_judges):
    page = page_of(published, mentalalign_judges, "claude", "empathy")
    assert len(page.leanings.rows) == 9, "two of them groups"
    assert "Compared with 1 other judge it rates its own family higher on 7 of 7 criteria" in (
        page.said_preference
    )
    assert "about that generator and not about kinship" in page.said_preference


def test_biases_are_read_in_sentences(published, mentalalign_judges):
    said = page_of(published, mentalalign_judges, "claude", "empathy").focus.sentences
    assert re.match(r"Over all, the judge rates 0\.6\d points higher than people", said[0])
    assert re.match(r"Where people gave 0, the judge is \d\.\d\d points higher", said[1])
    assert re.match(r"Where people gave 5, the judge is \d\.\d\d points lower", said[2])
    assert "chance" in said[3]
    assert said[4].startswith("Its ratings huddle together")


def test_self_preference_is_told_with_an_interval(mentalalign_judges):
    keys = {rater.id: rater.key for rater in mentalalign_judges.raters}
    found = {
        (keys[one.judge], one.criterion): one.leanings.preference
        for one in mentalalign_judges.against
        if one.leanings.preference
    }
    claude = found["claude", "empathy"]
    gaps = {name: estimate.value for name, estimate in claude.items()}
    assert gaps["self_preference"] == pytest.approx(gaps["own_gap"] - gaps["peers_gap"])
    assert all(one.low < one.value < one.high for named in found.values() for one in named.values())


def test_replies_that_were_not_published_have_no_length(published, mentalalign_judges):
    assert mentalalign_judges.n_lengths == 0
    page = page_of(published, mentalalign_judges, "claude", "empathy")
    assert page.said_verbosity == ""
    assert "not in this study" in page.why_no_verbosity


def test_two_judges_are_compared_on_the_same_items(mentalalign_judges):
    keys = {rater.id: rater.key for rater in mentalalign_judges.raters}
    found = {line.criterion: line for line in mentalalign_judges.versions}
    assert len(found) == 7
    for line in found.values():
        assert (keys[line.one], keys[line.other]) == ("claude", "gpt_4o")
        gap = line.differences["icc_a1"]
        assert gap.low < gap.value < gap.high
        assert gap.n_items <= 8000, "neither judges replies of its own family"
    assert found["guidance"].differences["icc_a1"].high < 0


def test_a_report_survives_json(mentalalign_judges):
    text = judges.PART.as_texts(mentalalign_judges)
    assert judges.PART.from_texts(text) == mentalalign_judges
