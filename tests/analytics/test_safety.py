"""The safety panel: who finds what people flag, and the warning where agreement hides misses."""

import re
from datetime import UTC, datetime

import pytest

from analytics.present.naming import of_raters
from analytics.ratings import matrices
from analytics.ratings.matrices import PLAIN, RELEASED
from analytics.safety import numbers as safety
from analytics.safety.numbers import PART, FlagReference
from analytics.safety.page import SafetyPanel, panel
from annotation.models import TeamRole
from tests.analytics.made import decide, human, items_of, judge, rate, rate_all, set_aside
from tests.analytics.reading import table_in, text_of
from tests.analytics.unrouted import unrouted
from tests.cast import add_item, study_with
from tests.kept import made_once

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("empty_cache")]
AT = datetime(2026, 3, 2, tzinfo=UTC)
SAFE, BAD, TOXIC = "safe_response", "nonsense", "toxic_language"
URL = "/studies/pond/agreement/safety/"


def panel_of(report, rubric, **asked) -> SafetyPanel:
    return panel(report, of_raters(rubric, report.raters), asked, **unrouted(report))


def made(study):
    return safety.make(matrices.read(study.pk), view=PLAIN, at=AT)


def screens(study, **asked):
    found = made(study).screens
    return [one for one in found if all(getattr(one, k) == v for k, v in asked.items())]


@pytest.fixture
@made_once
def lake(ada, gwen):
    """60 items under the MentalAlign rubric: ten are unsafe, and the judge finds one of them."""
    study = study_with(
        rubric="mentalalign",
        key="lake",
        team={ada: [TeamRole.COORDINATOR], gwen: [TeamRole.RESEARCHER]},
        n_items=60,
    )
    ruth, echo = human("ruth"), judge("echo")
    for place, item in enumerate(items_of(study)):
        rate(ruth, item, safety=2 if place < 10 else 5)
        rate(echo, item, safety=1 if place == 0 else 5)
    study.refresh_from_db()
    return study


def test_each_item_is_found_missed_a_false_alarm_or_passed(pond):
    ruth, echo = human("ruth"), judge("echo")
    given = [(BAD, TOXIC), (BAD, SAFE), (SAFE, BAD), (SAFE, SAFE), (SAFE, SAFE)]
    for item, (by_ruth, by_echo) in zip(items_of(pond), given, strict=False):
        rate(ruth, item, safety=by_ruth)
        rate(echo, item, safety=by_echo)
    (screen,) = screens(pond, cut="unsafe")
    assert (screen.found, screen.missed, screen.alarms, screen.passed) == (1, 1, 1, 2)
    assert screen.estimates["sensitivity"].value == 0.5
    assert screen.estimates["ppv"].value == 0.5
    assert screen.estimates["specificity"].value == pytest.approx(2 / 3)


def test_one_label_alone_can_be_the_cut(pond):
    item, ruth, echo = items_of(pond)[0], human("ruth"), judge("echo")
    rate(ruth, item, safety=BAD)
    rate(echo, item, safety=TOXIC)
    by_cut = {one.cut: (one.found, one.missed, one.alarms) for one in screens(pond)}
    assert by_cut["unsafe"] == (1, 0, 0)
    assert by_cut["label-0"] == (0, 1, 0), "nonsense has code 0"
    assert by_cut["label-4"] == (0, 0, 1), "toxic language has code 4"


def test_every_cut_of_a_scale_can_be_chosen_from_either_end(lake):
    (safety_line,) = [one for one in made(lake).criteria if one.line.key == "safety"]
    assert [cut.key for cut in safety_line.cuts] == [
        *(f"at-most-{point}" for point in (1, 2, 3, 4)),
        *(f"at-least-{point}" for point in (2, 3, 4, 5)),
    ]
    assert safety_line.usual_cut == "at-most-2"


@pytest.mark.parametrize(
    ("given", "half", "any_of_them"),
    [((BAD, SAFE, SAFE), 0, 1), ((BAD, BAD, SAFE), 1, 1), ((BAD, SAFE, None), 1, 1)],
)
def test_people_flag_together_by_half_or_by_any_of_them(pond, given, half, any_of_them):
    item, people = items_of(pond)[0], [human(key) for key in ("ruth", "rolf", "rita")]
    for person, label in zip(people, given, strict=True):
        if label:
            rate(person, item, safety=label)
    for person in people:
        rate(person, items_of(pond)[1], safety=SAFE)
    echo = judge("echo")
    rate(echo, item, safety=SAFE)
    rate(echo, items_of(pond)[1], safety=SAFE)
    found = {one.reference: one.missed for one in screens(pond, cut="unsafe")}
    assert found == {FlagReference.HALF: half, FlagReference.ANY: any_of_them}


def test_gold_is_preferred_where_there_is_gold(pond):
    item, ruth, echo = items_of(pond)[0], human("ruth"), judge("echo")
    rate(ruth, item, safety=SAFE)
    rate(echo, item, safety=SAFE)
    decide(item, safety=BAD)
    (line,) = made(pond).criteria
    assert line.references == (FlagReference.GOLD, FlagReference.HALF)
    (against_gold,) = screens(pond, cut="unsafe", reference=FlagReference.GOLD)
    assert against_gold.missed == 1


def test_a_judge_is_not_measured_on_its_own_family(pond):
    items, ruth, echo = items_of(pond), human("ruth"), judge("echo", "echo-mini")
    items[0].generator = "echo-mini"
    items[0].save()
    for item in items[:2]:
        rate(ruth, item, safety=BAD)
        rate(echo, item, safety=BAD)
    (screen,) = screens(pond, cut="unsafe")
    assert (screen.found, screen.own_left_out) == (1, 1)


def test_a_judge_that_flags_nothing_is_warned_of_although_ac_is_high(lake):
    report = made(lake)
    shown = panel_of(report, lake.rubric_version.content, criterion="", cut="", reference="")
    assert shown.criterion == "safety", "there the rules ask for sensitivity"
    (warning,) = shown.warnings
    assert "Echo misses 9 of the 10 items flagged by people" in warning
    assert "Gwet’s AC2" in warning
    assert "Only 16.7 % of the items are flagged" in warning


def test_three_flagged_items_are_too_few_for_a_warning(pond):
    ruth, echo = human("ruth"), judge("echo")
    for place, item in enumerate(items_of(pond)):
        rate(ruth, item, safety=BAD if place < 3 else SAFE)
        rate(echo, item, safety=BAD if place < 1 else SAFE)
    shown = panel_of(made(pond), pond.rubric_version.content, criterion="", cut="", reference="")
    assert shown.warnings == []
    (row,) = shown.rows
    assert row.few == "Flagged items from 3 dialogues: too few to tell how many are missed."


def test_no_warning_where_the_judge_finds_what_is_flagged(pond):
    ruth, echo = human("ruth"), judge("echo")
    for place, item in enumerate(items_of(pond)):
        label = BAD if place < 3 else SAFE
        rate(ruth, item, safety=label)
        rate(echo, item, safety=label)
    report = made(pond)
    shown = panel_of(report, pond.rubric_version.content, criterion="", cut="", reference="")
    assert shown.warnings == []
    (row,) = shown.rows
    assert row.few.startswith("No miss in what is flagged (3 items): up to 63.2 % could still")


def test_a_judge_that_misses_when_asked_again_is_not_said_to_miss_nothing(lake):
    nova = judge("nova")
    for place, item in enumerate(items_of(lake)):
        rate(nova, item, safety=1 if place < 10 else 5)
        rate(nova, item, repeat=2, safety=1 if 5 <= place < 10 else 5)
    report, rubric = made(lake), lake.rubric_version.content
    asked = {"judge": nova.pk, "criterion": "safety", "cut": "at-most-2"}
    (screen,) = (
        one for one in report.screens if all(getattr(one, k) == v for k, v in asked.items())
    )
    assert screen.missed == 0
    assert screen.estimates["sensitivity"].value == 0.75
    shown = panel_of(report, rubric, criterion="safety", cut="", reference="")
    assert next(row for row in shown.rows if row.id == nova.pk).few == ""


def in_dialogues_of(size, study):
    """Put the items of a study into dialogues of so many."""
    items = items_of(study)
    for place, item in enumerate(items):
        item.dialogue = items[place - place % size].dialogue
        item.save()
    return items


def test_items_of_one_dialogue_rule_out_misses_only_once(ada):
    team = {ada: [TeamRole.COORDINATOR]}
    study = study_with(rubric="dialogue_safety", key="lake", team=team, n_items=18)
    ruth, echo = human("ruth"), judge("echo")
    for item in in_dialogues_of(3, study):
        rate(ruth, item, safety=BAD)
        rate(echo, item, safety=BAD)
    shown = panel_of(made(study), study.rubric_version.content, criterion="", cut="", reference="")
    (row,) = shown.rows
    assert "(18 items in 6 dialogues): up to 39.3 % could still be missed" in row.few
    assert "59 flagged items, each of another dialogue" in shown.needed[0]


def test_what_is_said_of_items_without_a_reference_counts_dialogues(ada):
    team = {ada: [TeamRole.COORDINATOR]}
    study = study_with(rubric="dialogue_safety", key="lake", team=team, n_items=160)
    ruth, echo = human("ruth"), judge("echo")
    for place, item in enumerate(in_dialogues_of(4, study)):
        dialogue = place // 4
        if dialogue < 20:
            rate(ruth, item, safety=BAD if dialogue % 4 == 0 else SAFE)
        rate(echo, item, safety=BAD if dialogue % 4 == 0 and dialogue % 20 else SAFE)
    (screen,) = screens(study, cut="unsafe")
    there = screen.elsewhere
    assert (there.n_items, there.flagged) == (80, 16)
    assert there.design_effect == pytest.approx(4, rel=0.1), "four items alike count as one"
    shown = panel_of(made(study), study.rubric_version.content, criterion="", cut="", reference="")
    (row,) = shown.rows
    assert "Rogan-Gladen with the limits of Lang and Reiczigel" in row.elsewhere
    assert "that of 4." in row.elsewhere
    assert "times fewer items that stand alone (design effect" in row.elsewhere


def test_the_page_counts_the_items_that_figures_use(lake, as_user, ada):
    for item in items_of(lake)[:2]:
        set_aside(item)
    report = made(lake)
    assert (report.n_items, report.n_dialogues, report.n_set_aside) == (58, 58, 2)
    whole = safety.make(matrices.read(lake.pk), view=RELEASED, at=AT)
    assert (whole.n_items, whole.n_set_aside) == (60, 0)
    said = text_of(as_user(ada).get("/studies/lake/agreement/safety/"))
    assert "58 items (2 set aside)" in said


def test_items_that_only_the_judge_rated_are_not_corrected_by_a_judge_that_tells_nothing(lake):
    echo = judge("mute")
    for item in items_of(lake):
        rate(echo, item, safety=5)
    rate(echo, add_item(lake, 61), safety=5)
    (screen,) = [
        one for one in screens(lake, cut="at-most-2", criterion="safety") if one.judge == echo.pk
    ]
    assert screen.elsewhere.is_refused
    assert screen.elsewhere.value is None


def test_a_report_survives_json(lake):
    report = made(lake)
    assert PART.from_texts(PART.as_texts(report)) == report


def test_the_page_shows_each_share_with_its_interval_and_n(lake, as_user, ada):
    response = as_user(ada).get("/studies/lake/agreement/safety/")
    said = text_of(response)
    assert response.status_code == 200
    for words in (
        "Do not read agreement as safety.",
        "1 of 10 found",
        "10.0 %",
        "Kappa and AC side by side",
        "at most 2",
        "takes 59 flagged items",
    ):
        assert words in said
    found = table_in(response.content.decode(), "safety_every_cut-safety-at-most-2-half")
    row = found.row("Echo")
    assert [row[head].text for head in ("Found", "Missed", "False alarms")] == ["1", "9", "0"]
    assert row["Sensitivity"].text.startswith("10.0 %")
    assert not re.search(r"\b(nan|NaN|None|inf)\b", said)


def test_a_study_without_a_judge_says_so(pond, as_user, ada):
    assert "Nothing to measure a judge by yet" in text_of(as_user(ada).get(URL))


@pytest.mark.parametrize(
    "asked", ["criterion=nothing", "criterion=safety&cut=at-most-9", "reference=moon"]
)
def test_a_choice_that_there_is_not_is_not_found(lake, as_user, ada, asked):
    assert as_user(ada).get(f"/studies/lake/agreement/safety/?{asked}").status_code == 404


def test_the_missed_items_are_one_click_away(lake, as_user, ada):
    client = as_user(ada)
    page = client.get("/studies/lake/agreement/safety/").content.decode()
    row = table_in(page, "safety_every_cut-safety-at-most-2-half").row("Echo")
    link = row["Missed"].link
    said = text_of(client.get(link))
    assert "Flagged by people (one rated each item) (at most 2), not by Echo." in said
    keys = ("d1.1", "d2.1", "d9.1", "d10.1", "d11.1")
    assert [f" {key} " in said for key in keys] == [False, True, True, True, False]


@pytest.mark.parametrize(
    ("which", "n"), [("missed", 9), ("alarms", 0), ("found", 1), ("passed", 50)]
)
def test_the_four_fields_list_all_items_between_them(lake, as_user, ada, which, n):
    (echo,) = [rater for rater in made(lake).raters if rater.is_judge]
    page = as_user(ada).get(f"/studies/lake/agreement/safety/safety/{echo.id}/{which}/")
    assert len(re.findall(r"/agreement/items/\d+/", page.content.decode())) == n


@pytest.mark.parametrize("page", ["safety/999/missed/", "safety/{echo}/other/", "x/{echo}/missed/"])
def test_a_list_that_there_is_not_is_not_found(lake, as_user, ada, page):
    (echo,) = [rater for rater in made(lake).raters if rater.is_judge]
    address = f"/studies/lake/agreement/safety/{page.format(echo=echo.id)}"
    assert as_user(ada).get(address).status_code == 404


@pytest.mark.parametrize(
    ("name", "status"),
    [("ada", 200), ("gwen", 200), ("ben", 403), ("dora", 403), ("sam", 404), ("eli", 403)],
)
def test_the_panel_is_for_coordinators_and_researchers(pond, as_user, request, name, status):
    assert as_user(request.getfixturevalue(name)).get(URL).status_code == status


def test_who_annotates_too_gets_no_list_of_what_a_judge_answered(ada, as_user):
    team = {ada: [TeamRole.COORDINATOR, TeamRole.ANNOTATOR]}
    study = study_with(rubric="dialogue_safety", key="lake", team=team)
    echo = judge("echo")
    rate(echo, items_of(study)[0], safety=BAD)
    page = f"/studies/lake/agreement/safety/safety/{echo.pk}/missed/"
    assert as_user(ada).get(page).status_code == 403


def constants_of(report, criterion, cut):
    (found,) = [
        one for one in report.constant_screens if (one.criterion, one.cut) == (criterion, cut)
    ]
    return found.judges


def test_the_straw_men_stand_beside_every_judge(lake, as_user, ada):
    never, always = constants_of(made(lake), "safety", "at-most-2")
    for straw_man, sensitivity in ((never, 0), (always, 1)):
        assert straw_man.estimates["sensitivity"].value == sensitivity
        assert straw_man.estimates["specificity"].value == 1 - sensitivity
        assert straw_man.estimates["sensitivity"].n_items == 10
    assert never.estimates["ac1"].value > 0.75
    page = as_user(ada).get("/studies/lake/agreement/safety/").content.decode()
    shares = table_in(page, "safety_every_cut-safety-at-most-2-half")
    fields = ("Found", "Missed", "False alarms", "Rightly not flagged")
    assert [shares.row("Never flags")[head].text for head in fields] == ["0", "10", "0", "50"]
    assert [shares.row("Always flags")[head].text for head in fields] == ["10", "0", "50", "0"]
    tier = shares.heads.index("Reference")
    assert {row[tier].text for row in shares.rows} == {"one rater"}
    agreement = table_in(page, "safety_agreement_every_cut-safety-at-most-2-half")
    (best,) = [row for row in agreement.rows if row[0].text == "Always says 5"]
    ac = agreement.heads.index("Gwet’s AC")
    echo = next(row for row in agreement.rows if row[0].text == "Echo" and "All" in row[1].text)
    assert float(best[ac].order) == pytest.approx(float(echo[ac].order), abs=0.1)


FLAGS = {
    "flags nothing": (lambda place: SAFE, safety.SafetyStanding.MISSES),
    "flags what people flag": (
        lambda place: BAD if place < 20 else SAFE,
        safety.SafetyStanding.FINDS,
    ),
    "flags everything": (lambda place: BAD, safety.SafetyStanding.NO_BETTER),
    "finds most of it": (
        lambda place: BAD if place < 17 else SAFE,
        safety.SafetyStanding.OPEN,
    ),
}


@pytest.mark.parametrize("case", FLAGS)
def test_what_the_panel_says_of_a_judge(ada, as_user, case):
    says, expected = FLAGS[case]
    team = {ada: [TeamRole.COORDINATOR]}
    study = study_with(rubric="dialogue_safety", key="lake", team=team, n_items=100)
    ruth, echo = human("ruth"), judge("echo")
    given = []
    for place, item in enumerate(items_of(study)):
        given.append((ruth, item, 1, {"safety": BAD if place < 20 else SAFE}))
        given.append((echo, item, 1, {"safety": says(place)}))
    rate_all(study, given)
    (screen,) = screens(study, cut="unsafe")
    assert safety.standing(screen) is expected
    said = text_of(as_user(ada).get("/studies/lake/agreement/safety/"))
    assert "One person rated each item" in said
    assert "Routing : Nothing may stand" in said
    assert "Trust card : " in said


def test_people_are_measured_beside_the_judge(ada, as_user):
    team = {ada: [TeamRole.COORDINATOR]}
    study = study_with(rubric="dialogue_safety", key="lake", team=team, n_items=100)
    people, echo = [human(key) for key in ("ruth", "rolf", "rita")], judge("echo")
    finds = zip((*people, echo), (30, 30, 15, 10), strict=True)
    given = [
        (rater, item, 1, {"safety": BAD if place < n else SAFE})
        for rater, n in finds
        for place, item in enumerate(items_of(study))
    ]
    rate_all(study, given)
    screen = next(one for one in screens(study, cut="unsafe", reference=FlagReference.HALF))
    assert screen.people["sensitivity"].value == pytest.approx(75 / 90)
    assert screen.beside["sensitivity"].value == pytest.approx(30 / 90)
    page = as_user(ada).get("/studies/lake/agreement/safety/").content.decode()
    row = table_in(page, "safety_people-safety-unsafe-half").row("Echo")
    assert row["Sensitivity of people"].text.startswith("83.3 %")
    assert "People measured by the same flags: sensitivity 83.3 %" in page
    tier = table_in(page, "safety_every_cut-safety-unsafe-half").row("Echo")["Reference"]
    assert tier.text == "a consensus of up to 3 raters"


def test_people_are_measured_by_gold_where_the_judge_is(ada):
    study = study_with(
        rubric="dialogue_safety", key="lake", team={ada: [TeamRole.COORDINATOR]}, n_items=20
    )
    ruth, echo = human("ruth"), judge("echo")
    for place, item in enumerate(items_of(study)):
        decide(item, safety=BAD if place < 10 else SAFE)
        rate(ruth, item, safety=BAD if place < 8 else SAFE)
        rate(echo, item, safety=SAFE)
    (screen,) = screens(study, cut="unsafe", reference=FlagReference.GOLD)
    assert (screen.people["sensitivity"].value, screen.beside["sensitivity"].value) == (0.8, 0)
