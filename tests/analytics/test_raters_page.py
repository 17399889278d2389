"""The page of raters: who sees it, and what it says of many items and of few."""

import re
from datetime import date, timedelta

import numpy as np
import pytest
from django.utils import timezone, translation

from analytics.exports import rows
from analytics.figures import store as snapshots
from analytics.raters import words
from analytics.raters.numbers import PART, PersonLine, Week
from analytics.stats import raters as stats
from annotation.actions import rounds
from annotation.actions.studies import note_change
from annotation.models import Grant, TeamRole
from annotation.rules.granting import DataLevel
from annotation.rules.lifecycle import RoundState
from annotation.rules.visibility import Reader
from tests.analytics.made import human, items_of, judge, rate, submit
from tests.analytics.reading import table_in
from tests.analytics.test_chart_specs import rows_with
from tests.analytics.weekly import MONDAY, rated_in_a_round, study_of
from tests.kept import made_once

LAKE = "/studies/lake/agreement/raters/"


def text(response) -> str:
    return re.sub(r"\s+", " ", response.content.decode())


@pytest.fixture
@made_once
def lake(ada, ben, cleo, finn):
    """Ben and cleo rate 60 items in four weeks; cleo says otherwise on every fourth, and when an
    item comes back."""
    study = study_of("dialogue_safety", ada, ben, cleo, finn)

    def values(user, place, position, repeat):
        differs = user == cleo and (position % 4 == 0 or repeat == 2)
        return {"safety": "nonsense" if differs else "safe_response"}

    rated_in_a_round(study, ada, [ben, cleo], values, repeat_percent=20)
    return study


def rater_of(study, user) -> int:
    return study.submissions.filter(rater__user=user).first().rater_id


@pytest.fixture
@made_once
def scales(ada, ben, cleo, finn):
    """Two people, one of whom rates a point lower, and a judge; all imported."""
    study = study_of("mentalalign", ada, ben, cleo, finn, n_items=30)
    keys = [criterion.key for criterion in study.rubric_version.content.criteria]
    raters = {human("bert"): 0, human("anna"): 1, judge("machine"): 0}
    for item in items_of(study):
        for rater, more in raters.items():
            rate(rater, item, **dict.fromkeys(keys, 2 + item.position % 3 + more))
    return study


def test_every_person_stands_there_by_key_with_interval_and_n(lake, ada, as_user):
    page = text(as_user(ada).get(LAKE))
    assert "Ben: Gives the same as another person 75.0 %, 95 % interval" in page
    found = table_in(page, "raters")
    assert found.column("Person") == ["Ben", "Cleo"]
    assert found.column("Shared items") == ["60", "60"]
    assert found.column("Others") == ["1", "1"]
    assert found.row("Cleo")["Gives the same as another person"].order == "0.75"


def test_repeats_weeks_and_pairs_are_there(lake, ada, as_user):
    found = as_user(ada).get(LAKE)
    page, charts = text(found), found.context["shown"].charts
    assert "Ben: Gives the same again 100.0 %, 95 % interval" in page
    again = table_in(page, "raters_again")
    assert again.row("Ben", "Every criterion")["Gives the same again"].order == "1.0"
    assert again.row("Cleo", "Every criterion")["Items that came back"].text == "12"
    weeks = table_in(page, "raters_weeks")
    assert [len(set(weeks.column(head))) for head in ("Person", "Week of")] == [2, 5]
    assert 'id="chart-weeks-' in page
    assert "No drift can be told." in page
    (pairs,) = (one for key, one in charts.items() if key.startswith("pairs-"))
    cells = rows_with(pairs.plot, "row")[0]
    told = {one["says"].partition(":")[0]: one["small"] for one in cells}
    assert told["Ben and Cleo"] == "n 60"
    (leads,) = (one["href"] for one in cells if one["says"].startswith("Ben and Cleo"))
    assert as_user(ada).get(f"/studies/lake/agreement/{leads}").status_code == 200


def test_a_mark_of_a_week_leads_to_the_items_of_that_week(lake, ada, as_user):
    browser = as_user(ada)
    charts = browser.get(LAKE).context["shown"].charts.items()
    ben, cleo = (rows_with(one.plot, "at")[-1] for key, one in charts if key.startswith("weeks-"))
    blinded = browser.get(f"/studies/lake/agreement/{ben[0]['href']}")
    assert f"{ben[0]['n']} items are not listed: their round is still open" in text(blinded)
    lake.rounds.update(state=RoundState.CLOSED, closed_at=MONDAY, closed_by=ada)
    for marks in (ben, cleo):
        pages = [text(browser.get(f"/studies/lake/agreement/{one['href']}")) for one in marks]
        found = [table_in(page, "items") for page in pages]
        assert [len(one.rows) for one in found] == [one["n"] for one in marks]
        listed = [row[0].text for one in found for row in one.rows]
        assert len(set(listed)) == len(listed) > 30
        same = [row[4].text.endswith(row[3].text) for one in found for row in one.rows]
        assert same.count(True) == sum(round(one["value"] * one["n"]) for one in marks)


def test_a_week_without_a_mark_lists_nothing(pond, pond_round, ada, as_user):
    for assignment in pond_round.assignments.select_related("rater__user"):
        submit(assignment, safety="safe_response")
    rounds.close(round_id=pond_round.pk, by=ada, at=timezone.now())
    browser, page = as_user(ada), "/studies/pond/agreement/raters/"
    weeks = table_in(text(browser.get(page)), "raters_weeks")
    assert set(weeks.column("Shared items")) == {"6"}
    rater, week = pond.submissions.first().rater_id, weeks.row("Ben")["Week of"].order
    assert "No item to list." in text(browser.get(f"{page}safety/{rater}/{week}/"))


def test_how_a_person_differs_leads_to_the_items_on_which_they_do(lake, ada, as_user):
    browser = as_user(ada)
    leads = (
        table_in(browser.get(LAKE).text, "raters")
        .row("Cleo")["Gives the same as another person"]
        .link
    )
    blinded = text(browser.get(leads))
    assert "15 items of 60 that others rated too, to which somebody gave another value" in blinded
    assert "15 items are not listed: their round is still open" in blinded
    lake.rounds.update(state=RoundState.CLOSED, closed_at=MONDAY, closed_by=ada)
    found = table_in(browser.get(leads).text, "items")
    assert {row[0].text for row in found.rows} == {
        item.key for item in items_of(lake) if item.position % 4 == 0
    }
    assert {(row[3].text, row[4].text) for row in found.rows} == {("Nonsense", "Ben Safe Response")}


def test_severity_leads_to_them_too_and_to_no_item_where_all_are_the_same(scales, ada, as_user):
    browser = as_user(ada)
    severity = table_in(browser.get(LAKE + "?criterion=empathy").text, "raters").row("Anna")
    found = table_in(browser.get(severity["Severity"].link).text, "items")
    assert len(found.rows) == 30
    assert {(row[3].text, row[4].text) for row in found.rows} == {
        ("3", "Bert 2"),
        ("4", "Bert 3"),
        ("5", "Bert 4"),
    }


def test_a_person_beside_themselves_leads_to_what_came_back_with_both_answers(lake, ada, as_user):
    browser = as_user(ada)
    shown = browser.get(LAKE).context["shown"]
    cells = {one["says"].partition(":")[0]: one for one in rows_with(shown.matrix.plot, "row")[0]}
    address = f"/studies/lake/agreement/{cells['Cleo with themselves']['href']}"
    assert "12 items are not listed: their round is still open" in text(browser.get(address))
    lake.rounds.update(state=RoundState.CLOSED, closed_at=MONDAY, closed_by=ada)
    page = browser.get(address).text
    assert "12 items that came back to the same person, unmarked" in page
    found = table_in(page, "items")
    positions = {item.key: item.position for item in items_of(lake)}
    assert len(found.rows) == 12
    for row in found.rows:
        first = "Nonsense" if positions[row[0].text] % 4 == 0 else "Safe Response"
        assert (row[3].text, row[4].text) == (first, "Nonsense")
    again = table_in(browser.get(LAKE).text, "raters_again").row("Cleo", "Safety")
    assert again["Items that came back"].link == address


@pytest.mark.parametrize("end", ["", "again/"])
def test_items_of_a_person_are_for_who_sees_single_raters(lake, ada, ben, as_user, end):
    address = f"{LAKE}safety/{rater_of(lake, ben)}/{end}"
    lake.rounds.update(state=RoundState.CLOSED, closed_at=MONDAY, closed_by=ada)
    assert as_user(ada).get(address).status_code == 200
    assert as_user(ben).get(address).status_code == 403
    Grant.objects.filter(person=ada, level=DataLevel.PER_RATER).update(revoked_at=timezone.now())
    assert as_user(ada).get(address).status_code == 403


@pytest.mark.parametrize(
    "end",
    [
        *("beauty/{ben}/2026-03-02/", "safety/{ben}/monday/", "safety/0/2026-03-02/"),
        *("beauty/{ben}/", "safety/0/", "beauty/{ben}/again/", "safety/0/again/"),
    ],
)
def test_a_list_that_there_is_not_is_not_found(lake, ben, ada, as_user, end):
    assert as_user(ada).get(LAKE + end.format(ben=rater_of(lake, ben))).status_code == 404


def test_severity_is_said_in_points(scales, ada, as_user):
    page = text(as_user(ada).get(LAKE + "?criterion=empathy"))
    assert "Anna: Severity +1.00" in page
    found = table_in(page, "raters")
    assert found.row("Bert")["Severity"].order == "-1.0"
    pairs = table_in(page, "raters_pairs")
    assert "judge" in pairs.row("Bert", "Machine")["Other"].text
    leads = pairs.row("Bert", "Machine")["Shared items"].link
    assert as_user(ada).get(leads).status_code == 200
    assert "No course can be shown" in page
    assert "No item has come back yet." in page


def test_few_items_get_words(pond, ada, as_user):
    for name in ("anna", "bert"):
        rater = human(name)
        for item in items_of(pond):
            rate(rater, item, safety="safe_response")
    page = text(as_user(ada).get("/studies/pond/agreement/raters/"))
    assert "6 items: too few to say anything" in page
    assert "95 % interval" not in page


def test_an_empty_study_says_what_is_missing(pond, ada, as_user):
    assert "No ratings by people yet" in text(as_user(ada).get("/studies/pond/agreement/raters/"))


def test_an_unknown_criterion_is_not_found(pond, ada, as_user):
    answer = as_user(ada).get("/studies/pond/agreement/raters/?criterion=beauty")
    assert answer.status_code == 404


@pytest.mark.parametrize(
    ("who", "status"),
    [("ada", 200), ("gwen", 200), ("ben", 403), ("dora", 403), ("sam", 404)],
)
def test_only_coordinators_and_researchers_see_it(request, pond, as_user, who, status):
    user = request.getfixturevalue(who)
    assert as_user(user).get("/studies/pond/agreement/raters/").status_code == status


def test_who_rates_in_an_open_round_waits(pond, ada, cleo, as_user):
    pond.memberships.filter(user=ada).update(roles=["coordinator", "annotator"])
    rating_round = rounds.open_round(
        study_id=pond.pk, panel=[ada.pk, cleo.pk], raters_per_item=2, by=ada, at=timezone.now()
    )
    refused = as_user(ada).get("/studies/pond/agreement/raters/")
    assert refused.status_code == 403
    for assignment in rating_round.assignments.select_related("rater__user"):
        submit(assignment, safety="safe_response")
    rounds.close(round_id=rating_round.pk, by=ada, at=timezone.now())
    assert as_user(ada).get("/studies/pond/agreement/raters/").status_code == 200


def test_an_open_page_gets_only_what_is_newer(scales, ada, as_user):
    client = as_user(ada)
    first = client.get(LAKE)
    revision = first.context["live"]["revision"]
    assert client.get(LAKE, {"revision": revision}).status_code == 204
    note_change(study_id=scales.pk)
    snapshots.refresh(study_id=scales.pk, part=PART, at=timezone.now())
    newer = client.get(LAKE, {"revision": revision}, headers={"HX-Request": "true"})
    assert newer.status_code == 200
    assert text(newer).lstrip().startswith('<div id="raters"')


def test_a_crowd_is_sent_to_the_list_of_pairs(pond, ada, as_user):
    item = items_of(pond)[0]
    for number in range(25):
        rate(human(f"rater-{number}"), item, safety="safe_response")
    page = text(as_user(ada).get("/studies/pond/agreement/raters/"))
    assert "More than 24 raters" in page
    assert 'href="/studies/pond/agreement/criteria/safety/"' in page


def test_repeats_leave_in_their_own_column(lake, ada):
    lake.rounds.update(state=RoundState.CLOSED, closed_at=MONDAY, closed_by=ada)
    reader = Reader(rater=None, roles=frozenset([TeamRole.EXPORTER]), takes_away=True)
    given = rows.ratings(lake, lake.rubric_version.content, reader, rows.ExportTally(), order="")
    repeated = [line["repeat"] for submission in given for line in submission]
    assert (repeated.count(1), repeated.count(2)) == (2 * 60, 2 * 12)


WEEKS = np.repeat(np.arange(4), 15)  # of sixty items


def drifting(*slopes, start=0.0):
    """People who give sixty items points that rise by so much a week; the first sets out at `start`."""
    drawn = np.random.default_rng(1)
    truth = drawn.normal(3, 1, WEEKS.size)
    given = [truth + slope * WEEKS + drawn.normal(0, 0.2, WEEKS.size) for slope in slopes]
    return np.stack([given[0] + start, *given[1:]], axis=1)


def parting(*, ends):
    """Two people who give the same label to all of the first items, or `ends`: to all of the last."""
    labels = np.random.default_rng(2).integers(0, 3, WEEKS.size).astype(float)
    strays = np.random.default_rng(3).random(WEEKS.size) < abs(ends - WEEKS) / 4
    return np.stack([np.where(strays, labels + 1, labels), labels], axis=1)


def followed(ratings, *, has_order=True, weeks=WEEKS):
    """What the course of each is said to be, and in how many there is one."""
    beside = stats.from_others if has_order else stats.same_as_others
    when = np.repeat(weeks[:, None], ratings.shape[1], axis=1)
    found = stats.courses(ratings, when, beside=beside, least=20)
    lines = [
        _line(weeks[np.isfinite(beside(ratings)[:, column])], found.get(column))
        for column in range(ratings.shape[1])
    ]
    courses = [words.of_course(line, has_order=has_order) for line in lines]
    return courses, words.of_courses([line.trend for line in lines if line.trend])


def _line(weeks, trend):
    counts = zip(*np.unique(weeks, return_counts=True), strict=True)
    return PersonLine(
        criterion="empathy",
        rater=1,
        n_items=weeks.size,
        n_others=2,
        severity=None,
        mse=None,
        same=None,
        weeks=tuple(
            Week(monday=date(2026, 3, 2) + timedelta(weeks=int(week)), n_items=int(n), value=None)
            for week, n in counts
        ),
        trend=trend,
    )


def test_whoever_moves_among_several_is_named_alone():
    assert followed(drifting(0.3, 0, 0)) == (
        ["Has moved up beside the others.", *["No drift can be told."] * 2],
        "1 of 3 has moved",
    )
    assert followed(drifting(0, 0, -0.3, 0, 0.3))[1] == "2 of 5 have moved"
    assert followed(drifting(0, 0, -0.3))[0][2] == "Has moved down beside the others."
    assert followed(drifting(0, 0, 0))[1] == "No drift can be told."


def test_two_who_come_together_are_not_said_to_move_apart():
    """One sets out 0.9 points higher and ends beside the other: who of them moved is not known."""
    together = drifting(-0.3, 0, start=0.9)
    courses, short = followed(together)
    assert abs((together[:, 0] - together[:, 1])[WEEKS == 3].mean()) < 0.1
    assert courses == [
        "Has moved down beside the only one to compare with, or that one up.",
        "Has moved up beside the only one to compare with, or that one down.",
    ]
    assert short == "1 of 2 has moved"
    with translation.override("zh-hans"):
        assert followed(together)[0][0] == "与唯一可比较的人相比有所降低，或对方有所升高。"


@pytest.mark.parametrize(("ends", "said"), [(0, "less"), (3, "more")])
def test_of_labels_of_two_the_way_is_said_and_not_who_went_it(ends, said):
    courses, short = followed(parting(ends=ends), has_order=False)
    (course,) = set(courses)
    assert course.startswith(f"Gives the same as the only one to compare with {said} often than")
    assert course.endswith("which of the two has moved cannot be told.")
    assert short == "1 of 2 has moved"


def test_labels_of_several_say_who_strays():
    strays = parting(ends=0)
    courses, _short = followed(np.column_stack([strays, strays[:, 1]]), has_order=False)
    assert courses[0] == "Gives the same as the others less often than at first."
    assert courses[1:] == ["No drift can be told."] * 2
    comes = parting(ends=3)
    courses, _short = followed(np.column_stack([comes, comes[:, 1]]), has_order=False)
    assert courses[0] == "Gives the same as the others more often than at first."


def test_who_shares_little_with_those_who_stay_is_not_said_to_have_rated_in_one_week():
    """The first two share forty items and the last two ten; whom both are beside has moved."""
    ratings = drifting(0, 0.4, 0)
    ratings[40:, 0] = ratings[:30, 2] = np.nan
    courses, short = followed(ratings)
    few = "Shares too few items with those who have not moved: drift cannot be told."
    assert courses == [few, "Has moved up beside the others.", few]
    assert short == "1 of 1 has moved"


def test_one_week_or_few_items_show_no_course():
    assert followed(drifting(0, 0.4), weeks=np.zeros(60)) == (
        ["All within one week: drift cannot be told yet."] * 2,
        "No drift can be told.",
    )
    few = drifting(0, 0.4)
    few[19:, 0] = np.nan
    assert followed(few)[0][0] == "19 items: too few to say anything"


def test_a_change_a_week_has_its_sign_its_interval_and_its_items():
    ratings = drifting(-0.3, 0)
    when = np.repeat(WEEKS[:, None], 2, axis=1)
    slope = stats.courses(ratings, when, beside=stats.from_others)[0].slope
    assert -0.4 < slope.low < -0.3 < slope.high < -0.2
    assert words.of_change(slope, has_order=True) == (
        f"Change a week: {slope.value:.2f}, 95 % interval {slope.low:.2f} to {slope.high:.2f}, "
        "60 items."
    ).replace("-", "−")
    nothing = stats.mean([], name="change_a_week")
    assert words.of_change(nothing, has_order=True) == ""
