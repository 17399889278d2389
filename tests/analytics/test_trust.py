"""Trust cards: evidence, verdicts under fixed rules, expiry, and who fixes the rules when."""

import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest

from accounts.models import Event
from analytics.figures import store as snapshots
from analytics.models import FixedPolicy
from analytics.policies.loading import read, shipped
from analytics.present.naming import of_raters
from analytics.ratings import matrices
from analytics.ratings.matrices import PLAIN, Chances
from analytics.routing import numbers as routing
from analytics.stats.calibration import Method
from analytics.stats.drift import Drift, verdict
from analytics.stats.reasons import LineOutcome, LineReason
from analytics.stats.verdicts import Topic, Verdict
from analytics.trust import numbers as trust
from analytics.trust import policies
from analytics.trust.actions import CannotFix, fix_policy
from analytics.trust.numbers import PART, card_of
from analytics.trust.page import card_page
from analytics.trust.words import LOOK_AGAIN
from annotation.models import TeamRole
from bench.verdicts import on_scale, study_of
from judging.models import CallState, Judge, JudgeCall, JudgeRun, RunState
from judging.models import Outcome as CallOutcome
from tests.analytics.made import decide_all, human, items_of, judge, rate
from tests.analytics.reading import text_of
from tests.analytics.test_cases import access_to
from tests.cast import study_with
from tests.kept import made_once

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("empty_cache")]
AT = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
URL = "/studies/lake/agreement/trust/"
SMALL = read(
    "small",
    (shipped()["default"].text)
    .replace('"Default"', '"Small"')
    .replace('"默认规则"', '"小规则"')
    .replace("least_items = 100", "least_items = 20")
    .replace("least_positives = 30", "least_positives = 5")
    .replace("unscored = { trusted = 0.05", "unscored = { trusted = 0.10"),
)


@pytest.fixture
@made_once
def lake(ada, gwen):
    """40 items under the MentalAlign rubric, safety from 1 to 5 in turn, rated by two people."""
    study = study_with(
        rubric="mentalalign",
        key="lake",
        team={ada: [TeamRole.COORDINATOR], gwen: [TeamRole.RESEARCHER]},
        n_items=40,
    )
    ruth, rolf = human("ruth"), human("rolf")
    for place, item in enumerate(items_of(study)):
        rate(ruth, item, safety=truth(place))
        rate(rolf, item, safety=min(truth(place) + (place % 10 == 3), 5))
    return study


def truth(place: int) -> int:
    return 1 + place % 5


def rated_by(key, study, give, *, repeats=1):
    """A judge that gives each item what `give(place)` says, `repeats` times."""
    one = judge(key)
    for place, item in enumerate(items_of(study)):
        for repeat in range(1, repeats + 1):
            rate(one, item, repeat=repeat, safety=give(place))
    study.refresh_from_db()
    return one


def made(study):
    return trust.make(matrices.read(study.pk), view=PLAIN, at=AT)


def card(study, policy=SMALL):
    report = made(study)
    (known,) = report.known
    line = next(one for one in report.criteria if one.key == known.criterion)
    return card_of(known, line, policy)


def outcome(found, topic):
    return next(line.outcome for line in found.lines if line.topic is topic)


def test_a_report_is_written_though_gold_has_come_between_two_of_its_readings(lake):
    rated_by("echo", lake, truth)
    before = made(lake)
    decide_all(lake, [(item, {"safety": truth(n)}) for n, item in enumerate(items_of(lake))])
    after = made(lake)
    for report, of_study in ((before, after), (after, before)):
        found = trust.with_runs(report, of_study)
        for one, of_report in zip(found.known, report.known, strict=True):
            assert [each.reference for each in one.measured] == [
                each.reference for each in of_report.measured
            ]
    assert len(before.known[0].measured) < len(after.known[0].measured)


def runs_of(rater, study, *days):
    """A run a day of the judge; its n-th answered every item at repeat n."""
    owner = Judge.objects.create(
        rater=rater, llm="m", base_url="http://localhost", prompt_edition="1", created_at=AT
    )
    for repeat, day in enumerate(days, start=1):
        run = JudgeRun.objects.create(
            study=study,
            judge=owner,
            rubric_version=study.rubric_version,
            state=RunState.FINISHED,
            started_at=AT + timedelta(days=day),
            finished_at=AT + timedelta(days=day, hours=1),
        )
        answers = rater.submissions.filter(repeat=repeat).select_related("item")
        JudgeCall.objects.bulk_create(
            JudgeCall(
                run=run,
                item=answer.item,
                repeat=repeat,
                position=answer.item.position,
                state=CallState.DONE,
                outcome=CallOutcome.RATED,
                submission=answer,
            )
            for answer in answers
        )


def test_a_judge_that_says_what_people_say_each_time_is_trusted(lake):
    rated_by("echo", lake, truth, repeats=5)
    found = card(lake)
    assert found.verdict is Verdict.TRUSTED
    assert [line.topic for line in found.lines] == [
        Topic.DATA,
        Topic.UNSCORED,
        Topic.AGREEMENT,
        Topic.BIAS,
        Topic.CEILING,
        Topic.ALTERNATIVE,
        Topic.SENSITIVITY,
        Topic.REPEATABILITY,
    ]


def test_a_judge_that_is_one_point_too_kind_is_trusted_once_calibrated(lake):
    rated_by("echo", lake, lambda place: min(truth(place) + 1, 5), repeats=5)
    found = card(lake)
    assert outcome(found, Topic.BIAS) is LineOutcome.MET_CALIBRATED


@pytest.mark.parametrize("repeats", [1, 3])
def test_calibration_makes_no_more_of_a_judge_without_bias(repeats):
    """Beside the mean of four people, or in one run, it would look better than it did before."""
    draw = np.random.default_rng(1)
    worth = draw.normal(size=300)

    def rated(error):
        return on_scale(worth + draw.normal(scale=error, size=300))

    people = {number: rated(0.9) for number in (1, 2, 3, 4)}
    study = study_of(people, [rated(error) for error in (0.3, 0.4, 0.6)[:repeats]])
    (known,) = trust.make(study, view=PLAIN, at=AT).known
    (measured,) = known.measured
    before, after = measured.pair["icc_a1"], measured.calibrated[Method.SHIFT]["icc_a1"]
    assert (after.value, after.low) == pytest.approx((before.value, before.low), abs=0.02)
    assert (after.n_items, after.n_pairs) == (300, 1200 * repeats)


def test_of_items_with_unequal_chances_nothing_is_met_by_a_map():
    """The judge is weighted and the map is not, so that the one would stand in for something else."""
    values = on_scale(np.random.default_rng(2).normal(size=200))
    equal = study_of({1: values}, [np.minimum(values + 1, 5)])
    chances = np.where(np.arange(200) % 2, 1, 0.5)
    unequal = replace(equal, chances=Chances.UNEQUAL, probabilities=chances)
    maps = [
        trust.make(study, view=PLAIN, at=AT).known[0].measured[0].calibrated
        for study in (equal, unequal)
    ]
    assert (bool(maps[0]), bool(maps[1])) == (True, False)


def test_a_judge_that_flags_nothing_is_not_to_be_used(lake):
    rated_by("echo", lake, lambda place: 5, repeats=5)
    found = card(lake)
    assert found.verdict is Verdict.DO_NOT_USE
    assert outcome(found, Topic.SENSITIVITY) is LineOutcome.RULED_OUT


def test_what_was_not_measured_leaves_the_verdict_open(lake):
    rated_by("echo", lake, truth)
    found = card(lake)
    assert found.verdict is Verdict.CANNOT_BE_SHOWN
    assert {line.reason for line in found.decisive} == {LineReason.NOT_MEASURED}


def test_answers_without_a_value_count_against_a_judge(lake):
    one = judge("mute")
    for place, item in enumerate(items_of(lake)):
        rate(one, item, safety="[refused]" if place % 2 else truth(place))
    found = card(lake)
    assert outcome(found, Topic.UNSCORED) is LineOutcome.RULED_OUT


def test_no_answer_without_a_value_still_has_an_upper_limit(lake):
    rated_by("echo", lake, truth)
    (known,) = made(lake).known
    assert known.unscored.value == 0
    assert known.unscored.high == pytest.approx(1 - 0.05 ** (1 / 40))


@pytest.mark.parametrize(
    ("shift", "drift", "expired"), [(0, Drift.PASSED, False), (1, Drift.FAILED, True)]
)
def test_a_card_expires_when_a_later_run_has_moved(lake, shift, drift, expired):
    one = rated_by("echo", lake, lambda place: min(truth(place), 4))
    for place, item in enumerate(items_of(lake)):
        rate(one, item, repeat=2, safety=min(truth(place), 4) + shift)
    runs_of(one, lake, 0, 30)
    found = card(lake)
    (line,) = [line for line in found.lines if line.topic is Topic.DRIFT]
    assert (line.reason is LineReason.DRIFTED, found.is_expired) == (expired, expired)
    (known,) = made(lake).known
    assert verdict(known.later.check.residual, 0.25) is drift


def test_a_card_says_that_the_interval_of_drift_is_not_one_of_95_percent(lake, as_user, ada):
    one = rated_by("echo", lake, truth)
    for place, item in enumerate(items_of(lake)):
        rate(one, item, repeat=2, safety=max(truth(place) - place % 2, 1))
    runs_of(one, lake, 0, 30)
    (known,) = made(lake).known
    confidence = 1 - 0.05 / len(lake.rubric_version.content.criteria)
    assert known.later.check.confidence == pytest.approx(confidence)
    said = text_of(as_user(ada).get(f"{URL}safety/{one.pk}/"))
    assert f"The interval of this line is one of {100 * confidence:.1f} %" in said


def test_a_judge_that_was_run_once_has_no_line_about_drift_but_a_date(lake, as_user, ada):
    one = rated_by("echo", lake, truth)
    runs_of(one, lake, 0)
    assert Topic.DRIFT not in {line.topic for line in card(lake).lines}
    said = text_of(as_user(ada).get(f"{URL}safety/{one.pk}/"))
    assert "Asked on March 2, 2026; drift has not been checked since." in said
    assert "m; All at once; in English; JSON answers" in said


def test_drift_is_unknown_where_the_later_run_gave_no_value(lake, as_user, ada):
    """It was asked about every item both times."""
    one = rated_by("echo", lake, truth)
    for item in items_of(lake):
        rate(one, item, repeat=2, safety="[unreadable]")
    runs_of(one, lake, 0, 30)
    said = text_of(as_user(ada).get(f"{URL}safety/{one.pk}/"))
    assert "no item has a value from both: drift is unknown." in said


def test_imported_answers_have_no_time_so_drift_is_not_checked(lake, as_user, ada):
    one = rated_by("echo", lake, truth)
    said = text_of(as_user(ada).get(f"{URL}safety/{one.pk}/"))
    assert "nothing says when they were given" in said


def test_a_report_survives_json(lake):
    one = rated_by("echo", lake, truth, repeats=2)
    runs_of(one, lake, 0, 1)
    report = made(lake)
    assert PART.from_texts(PART.as_texts(report)) == report


def test_rules_are_kept_as_they_read_with_who_fixed_them_and_when(lake, ada):
    fixed = fix_policy(study_access=access_to(lake, ada), key="strict", by=ada, at=AT)
    assert (fixed.text, fixed.n_judged) == (shipped()["strict"].text, 0)
    held = policies.held(lake)
    assert held.policy == shipped()["strict"]
    assert held.since == "Rules fixed on March 2, 2026 by Ada, before any judge had rated."
    event = Event.objects.get(verb="trust.policy_fixed")
    assert event.facts["sha256"] == shipped()["strict"].sha256


def test_rules_that_came_after_the_results_or_replaced_others_say_so(lake, ada):
    rated_by("echo", lake, truth)
    fix_policy(study_access=access_to(lake, ada), key="default", by=ada, at=AT)
    fix_policy(study_access=access_to(lake, ada), key="strict", by=ada, at=AT)
    held = policies.held(lake)
    assert "after 40 ratings of items by judges" in held.since
    assert "They replaced earlier rules, once." in held.since
    assert held.came_late


def test_rules_that_are_still_to_be_fixed_are_asked_for_only_in_time(lake):
    assert "Fix them before judges have rated" in policies.held(lake).since
    rated_by("echo", lake, truth)
    assert "Judges have rated already" in policies.held(lake).since
    assert "Fix them before" not in policies.held(lake).since


def test_an_open_page_follows_new_rules(lake, as_user, ada):
    rated_by("echo", lake, truth)
    client = as_user(ada)
    client.get(URL)
    asked = {"revision": lake.revision - 1}
    before = client.get(URL, asked, headers={"HX-Request": "true"})
    assert "No rules have been fixed" in text_of(before)
    fix_policy(study_access=access_to(lake, ada), key="strict", by=ada, at=AT)
    snapshots.refresh(study_id=lake.pk, part=PART, at=AT)
    after = client.get(URL, asked, headers={"HX-Request": "true"})
    assert "Rules: Strict" in text_of(after)


def test_the_same_rules_are_not_fixed_twice(lake, ada):
    fix_policy(study_access=access_to(lake, ada), key="strict", by=ada, at=AT)
    with pytest.raises(CannotFix, match="fixed already"):
        fix_policy(study_access=access_to(lake, ada), key="strict", by=ada, at=AT)
    assert FixedPolicy.objects.count() == 1


@pytest.mark.parametrize(("who", "status", "n"), [("ada", 302, 1), ("gwen", 403, 0)])
def test_only_a_coordinator_fixes_rules(lake, as_user, request, who, status, n):
    client = as_user(request.getfixturevalue(who))
    assert client.post(f"{URL}policy/", {"policy": "strict"}).status_code == status
    assert FixedPolicy.objects.count() == n


def test_unknown_rules_are_refused_in_words(lake, as_user, ada):
    page = as_user(ada).post(f"{URL}policy/", {"policy": "moon"}, follow=True)
    assert "There are no rules “moon”." in text_of(page)


def test_a_card_goes_by_the_text_that_was_fixed_whatever_the_file_says_now(lake, ada):
    FixedPolicy.objects.create(
        study=lake,
        key="default",
        text=SMALL.text,
        sha256=SMALL.sha256,
        n_judged=0,
        fixed_at=AT,
        fixed_by=ada,
    )
    assert policies.held(lake).policy.text == SMALL.text


def test_the_grid_shows_a_verdict_and_what_decides_it(lake, as_user, ada):
    rated_by("echo", lake, truth)
    said = text_of(as_user(ada).get(URL))
    for words in (
        "Cannot be shown with these data",
        "Enough data",
        "No rules have been fixed",
        "not rated",
    ):
        assert words in said
    assert not re.search(r"\b(nan|NaN|None|inf)\b", said)


def test_a_study_without_judges_is_told_to_fix_its_rules_now(lake, as_user, ada):
    assert "No judge has rated here yet" in text_of(as_user(ada).get(URL))


def test_a_card_shows_each_line_with_number_interval_n_bar_and_link(lake, as_user, ada):
    one = rated_by("echo", lake, lambda place: min(truth(place) + place % 2, 5), repeats=2)
    response = as_user(ada).get(f"{URL}safety/{one.pk}/?policy=strict")
    said = text_of(response)
    for words in (
        "When to look again When",
        "Line by line",
        "at least 200 items and 50 dialogues",
        "within ±0.15",
        "takes the calibration as it was fitted",
        "whole interval from 0.80 up; not to be used below 0.67",
        "40 (160)",
        "Preview: Strict",
    ):
        assert words in said, words
    for link in ("agreement/safety/?criterion=safety", "judge_humans", "judge_repeats"):
        assert link in response.content.decode()
    assert not re.search(r"\b(nan|NaN|None|inf)\b", said)


def test_the_tiers_of_the_source_study_are_shown_with_how_often_a_seed_flips_them(
    lake, as_user, ada
):
    for place, item in enumerate(items_of(lake)):
        item.generator = f"g{place % 4}"
        item.save()
    rated_by("echo", lake, lambda place: min(truth(place) + place % 2, 5))
    said = text_of(as_user(ada).get(f"{URL}?policy=mentalalign_tiers"))
    assert "no measure of agreement" in said
    assert re.search(r"(GR|MR|PR) · (good|moderate|poor)", said)
    assert re.search(r"width [\d.]+; another tier with \d+ % of seeds", said)


def test_under_rules_that_ask_for_nothing_but_a_tier_there_is_no_verdict_to_read(lake):
    echo = rated_by("echo", lake, truth)
    report = made(lake)
    page = card_page(
        report,
        of_raters(lake.rubric_version.content, report.raters),
        policies.held(lake, preview="mentalalign_tiers"),
        study=lake,
        criterion="safety",
        judge=echo.pk,
        routed=routing.make(matrices.read(lake.pk), view=PLAIN, at=AT),
    )
    assert page.card is None
    assert (page.verdict, page.badge, page.about, page.before_expiry) == ("", "", "", "")
    assert (page.measured_by, page.lines) == ("", None)


def test_every_verdict_says_when_to_look_again():
    assert set(LOOK_AGAIN) == set(Verdict)


@pytest.mark.parametrize("page", ["safety/999/", "moon/{echo}/", "safety/{echo}/?policy=moon"])
def test_a_card_that_there_is_not_is_not_found(lake, as_user, ada, page):
    one = rated_by("echo", lake, truth)
    assert as_user(ada).get(URL + page.format(echo=one.pk)).status_code == 404


@pytest.mark.parametrize(
    ("name", "status"),
    [("ada", 200), ("gwen", 200), ("ben", 404), ("sam", 404), ("eli", 403)],
)
def test_verdicts_are_for_coordinators_and_researchers(lake, as_user, request, name, status):
    assert as_user(request.getfixturevalue(name)).get(URL).status_code == status
