"""Judges against humans: what the pages show, to whom, and what they say where little is known."""

import json
import re
from dataclasses import replace
from math import ceil

import numpy as np
import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from analytics.figures import store as snapshots
from analytics.judges import lookup
from analytics.judges.numbers import PART, Caution, CautionAt, Reference
from analytics.judges.words import of_bias, of_caution, of_halo, of_spread, why_no_preference
from analytics.ratings.matrices import PLAIN
from analytics.report import drawings
from analytics.stats.agreement import two_raters
from analytics.stats.estimates import Estimate
from analytics.stats.intervals import IntervalScale, Unit, jackknife_method
from analytics.stats.several import family
from annotation.models import Item, Rater, TeamRole
from judging.actions.judges import Settings, edition_of
from tests.analytics.made import AT, decide, human, items_of, judge, rate
from tests.analytics.reading import table_in, tables_in, text_of
from tests.analytics.test_chart_specs import rows_with
from tests.cast import study_with
from tests.kept import made_once

pytestmark = pytest.mark.usefixtures("empty_cache")

URL = "/studies/care/agreement/judges/"
ROOM = "/studies/care/agreement/"
POND = "/studies/pond/agreement/judges/"
N_ITEMS = 36
CRITERIA = ("guidance", "empathy")
PEOPLE = {"ruth": 0, "rolf": 1, "rita": 2}  # by how much each is shifted


@pytest.fixture
@made_once
def care(ada, gwen, ben):
    """36 replies in 18 dialogues, rated by three people and two judges; all in steps of a rule."""
    study = study_with(
        rubric="mentalalign",
        key="care",
        team={ada: [TeamRole.COORDINATOR], gwen: [TeamRole.RESEARCHER]},
        n_items=N_ITEMS,
    )
    items = items_of(study)
    for place, item in enumerate(items):
        item.dialogue = items[place - place % 2].dialogue
        item.generator = ("alpha", "beta")[place % 2]
        item.reply = "frog " * (place % 7 + 1)
    Item.objects.bulk_update(items, ["dialogue", "generator", "reply"])
    raters = {human(name): shift for name, shift in PEOPLE.items()}
    raters |= {judge("echo"): 3, judge("nova", "beta"): 5}
    for place, item in enumerate(items):
        for rater, shift in raters.items():
            given = {key: value_at(place, shift, own) for own, key in enumerate(CRITERIA)}
            rate(rater, item, **given)
            if rater.key == "echo":
                rate(rater, item, repeat=2, **given)
    study.refresh_from_db()
    snapshots.refresh(study_id=study.pk, part=PART, at=AT)
    return study


def value_at(place: int, shift: int, own: int = 0) -> int:
    return 1 + (place + (place * shift + own) // 9) % 5


@pytest.mark.parametrize(
    ("name", "status"),
    [("ada", 200), ("gwen", 200), ("ben", 404), ("sam", 404), ("eli", 403)],
)
@pytest.mark.parametrize("page", ["", "echo/"])
def test_judges_are_for_coordinators_and_researchers(care, as_user, request, name, status, page):
    assert as_user(request.getfixturevalue(name)).get(URL + page).status_code == status


def test_an_annotator_may_not_see_what_judges_answered(pond, as_user, ben):
    assert as_user(ben).get(POND).status_code == 403


@pytest.mark.parametrize(
    "path",
    ["frog/", "ruth/", "?statistic=luck", "?reference=gold", "echo/?criterion=beauty"],
)
def test_what_there_is_not_is_not_found(care, as_user, ada, path):
    assert as_user(ada).get(URL + path).status_code == 404


def test_the_list_sets_judges_beside_the_ceiling_and_each_other(care, as_user, ada):
    response = as_user(ada).get(URL)
    said = text_of(response)
    assert "of the ceiling" in said
    assert "not measured on beta" in said
    assert "Of 2 criteria, Nova agrees with people better than Echo on" in said
    assert "No human ceiling" not in said
    assert not re.search(r"\b(nan|NaN|None|inf)\b", said)
    compared = next(one for one in tables_in(response.content.decode()) if "compared" in one.id)
    assert compared.column("Judges") == ["Nova minus Echo"] * 2
    assert set(compared.heads) > {"ICC(A,1)", "Bias", "The two with each other"}


def test_at_a_glance_a_column_is_a_judge_with_its_own_figures(care, as_user, ada):
    report = snapshots.up_to_date(study_id=care.pk, part=PART, at=AT)[PLAIN]
    judges = {one.id: one.name for one in report.judges}
    page = as_user(ada).get(URL, {"statistic": "icc_c1"}).content.decode()
    (glance,) = [one for one in tables_in(page) if "glance" in one.id]
    judged = ["Echo", "Nova", "Straw man"]
    assert glance.heads == ["Criterion", "Statistic", *judged, "Items (pairs)"]
    for one in report.beside:
        under = one.ceiling["icc_c1"]
        cell = glance.row(one.criterion.capitalize())[judges[one.judge]]
        assert float(cell.order) == under.judge.value
        assert f"people {under.people.value:.2f}".replace("-", "−") in cell.text
        assert f"criterion={one.criterion}" in cell.link
        assert f"judges/{judges[one.judge].lower()}/?" in cell.link


def test_the_stronger_a_colour_the_closer_to_1(care, as_user, ada):
    page = as_user(ada).get(URL).content.decode()
    cells = re.findall(r"shade shade--(\d)\"\s+data-label=\"\w+\" data-order=\"([^\"]+)\"", page)
    assert len(cells) == 4
    for shade, value in cells:
        assert int(shade) == min(5, max(0, ceil(5 * float(value))))
    assert "The stronger the colour, the closer to 1." in page


def test_a_judge_has_its_tests_biases_repeats_and_rivals_on_one_page(care, as_user, ada):
    response = as_user(ada).get(URL + "echo/", {"criterion": "empathy"})
    said = text_of(response)
    for words in (
        "How close it comes to people",
        "Benjamini-Yekutieli",
        "Empathy in close view",
        "Where people gave 1, the judge",
        "One person beside another differs too",
        "The judge gives all criteria the same rating on",
        "twice the length",
        "No generator is marked as of this judge’s own family.",
        "Nova minus Echo",
    ):
        assert words in said
    assert not re.search(r"\b(nan|NaN|None|inf)\b", said)
    found = {one.id: one for one in tables_in(response.content.decode())}
    assert found["judges_ceiling-echo-icc_a1"].column("Criterion") == ["Guidance", "Empathy"]
    assert found["judges_with_each-echo"].column("Person") == ["Rita", "Rolf", "Ruth"] * 2
    assert found["judges_strata-echo"].column("People gave") == ["all the same", "not the same"] * 2
    assert found["judges_runs-echo-people-empathy"].column("Repeat") == [
        *("1", "2", "mean", "majority")
    ]


def test_a_judge_beside_a_person_is_told_apart_from_the_person(care, as_user, ada):
    report = snapshots.up_to_date(study_id=care.pk, part=PART, at=AT)[PLAIN]
    names = {one.id: one.name for one in report.raters}
    page = as_user(ada).get(URL + "echo/").content.decode()
    table = table_in(page, "judges_ceiling-echo-icc_a1")
    for one in report.beside:
        if names[one.judge] != "Echo":
            continue
        under, row = one.ceiling["icc_a1"], table.row(one.criterion.capitalize())
        shown = [float(row[head].order) for head in ("A person", "The judge", "Difference")]
        assert shown == [under.people.value, under.judge.value, under.difference.value]
    by_person = table_in(page, "judges_alternative_people-echo")
    tested = {one.criterion: one for one in report.beside if names[one.judge] == "Echo"}
    assert tested
    for criterion, one in tested.items():
        for each in one.test.against:
            row = by_person.row(criterion.capitalize(), names[one.people[each.person]])
            assert float(row["Judge as close or closer"].order) == each.advantage.value
            assert float(row["Judge behind the person"].order) == each.shortfall.value
            shown = [float(row[f"p at ε = {epsilon:g}"].order) for epsilon, *_ in each.sweep]
            assert shown == [p_value for _epsilon, p_value, _won in each.sweep]


def test_repeats_have_as_many_digits_as_their_files(care, as_user, ada):
    page = as_user(ada).get(URL + "echo/").content.decode()
    row = table_in(page, "judges_repeats-echo").row("Guidance")
    assert (row["Times"].text, row["No majority"].text) == ("2", "0")
    assert row["Flip rate"].text.startswith("0.0 %")
    assert row["Entropy, bits"].text.startswith("0.000")


def test_plots_have_the_numbers_of_the_table_below_them(care, as_user, ada):
    response = as_user(ada).get(URL + "echo/")
    shown, page = response.context["shown"], response.content.decode()
    curve, plot = (shown.charts[one.key].plot for one in (shown.focus.curve, shown.focus.plot))
    _people, own = rows_with(curve, "value")
    levels = table_in(page, "judges_severity-echo-people-guidance")
    assert {f"{one['at']:g}": one["value"] for one in own} == {
        row[0].text: float(row[1].order) for row in levels.rows
    }
    (lines,) = rows_with(plot, "is_limit") or [[]]
    differences = table_in(page, "judges_differences-echo-people").row("Guidance")
    assert {line["at"] for line in lines} <= {
        float(cell.order) for head, cell in differences.items() if "imit" in head or head == "Bias"
    }
    (bubbles,) = rows_with(plot, "difference")
    found = lookup.against(shown.report, shown.judge.id, shown.criterion, Reference.PEOPLE)
    assert [(one["mean"], one["difference"], one["n"]) for one in bubbles] == [
        (one.mean, one.difference, one.n) for one in found.shape.bubbles
    ]


@pytest.mark.parametrize("chart", ["severity", "bland-altman"])
def test_marks_of_plots_lead_to_items(care, as_user, ada, chart):
    shown = as_user(ada).get(URL + "echo/").context["shown"]
    (plot,) = (one.plot for key, one in shown.charts.items() if key.startswith(chart))
    found = [
        row["href"] for layer in plot["layer"] for row in layer["data"]["values"] if row.get("href")
    ]
    assert found
    for href in found[:2]:
        assert as_user(ada).get(f"/studies/care/agreement/{href}").status_code == 200


def test_marks_of_people_lead_to_the_items_that_somebody_rated_so(care, as_user, ada):
    browser = as_user(ada)
    shown = browser.get(URL + "echo/").context["shown"]
    people, _own = rows_with(shown.charts[shown.focus.curve.key].plot, "value")
    given = [{value_at(place, shift) for shift in PEOPLE.values()} for place in range(N_ITEMS)]
    assert {
        mark["at"]: len(table_in(browser.get(f"{ROOM}{mark['href']}").text, "items").rows)
        for mark in people
    } == {level: sum(level in values for values in given) for level in range(1, 6)}


def test_marks_of_caution_lead_to_the_items_of_their_step(care, as_user, ada):
    rita, echo = Rater.objects.get(key="rita"), Rater.objects.get(key="echo")
    for item in items_of(care)[::4]:
        rate(echo, item, repeat=3, empathy="[cannot_judge]")
        rate(rita, item, repeat=2, empathy="[cannot_judge]")
    browser = as_user(ada)
    shown = browser.get(URL + "echo/?criterion=empathy").context["shown"]
    people, judged = rows_with(shown.caution_curve.plot, "href")
    assert len(judged) == len(people) > 1
    listed = [table_in(browser.get(f"{ROOM}{mark['href']}").text, "items") for mark in judged]
    assert sum(len(one.rows) for one in listed) == N_ITEMS
    assert [f"{len(one.rows)} items" for one in listed] == [
        mark["says"].rpartition("; ")[2] for mark in judged
    ]
    assert [mark["href"] for mark in people] == [mark["href"] for mark in judged]
    held = [row for one in listed for row in one.rows if "without a value" in row[4].text]
    assert len(held) == len(items_of(care)[::4])
    assert all("1 of 3 answers without a value" in row[4].text for row in held)
    assert not any(
        "without a value" in row[3].text for row in held
    )  # a hidden repeat: no answer more


def test_who_is_asked_again_is_one_rater_still(care):
    rita, echo = Rater.objects.get(key="rita"), Rater.objects.get(key="echo")
    for item in items_of(care):
        rate(echo, item, repeat=3, empathy="[cannot_judge]")
        rate(rita, item, repeat=2, empathy="[cannot_judge]")
    report = snapshots.up_to_date(study_id=care.pk, part=PART, at=AT)[PLAIN]
    [caution] = [
        one for one in report.cautions if (one.criterion, one.judge) == ("empathy", echo.pk)
    ]
    judged, people = (
        [getattr(step, name) for step in caution.steps] for name in ("of_judge", "of_people")
    )
    assert {one.n_raters for one in judged} == {1}
    assert {one.n_raters for one in people} == {len(PEOPLE)}
    assert {one.value for one in people} == {0}
    assert all(one.n_pairs == one.n_items * len(PEOPLE) for one in people)


def test_figures_of_people_say_on_how_many_answers_they_rest(care, as_user, ada):
    shown = as_user(ada).get(URL + "nova/").context["shown"]
    cautious = [row.cells[1].small for row in shown.cautions.rows]
    assert all(re.fullmatch(r"\d+ items, \d+ answers", told) for told in cautious)
    (halo,) = shown.halos.rows
    assert [cell.small for cell in halo.cells[:3]] == [
        *("", f"{N_ITEMS} items, 108 answers", f"{N_ITEMS} items, 108 pairs"),
    ]


def of_dialogues(value: float, half: float) -> Estimate:
    """A difference with its interval over 30 dialogues."""
    return Estimate(
        statistic="unscored_difference",
        value=value,
        low=value - half,
        high=value + half,
        n_items=60,
        n_pairs=60,
        n_clusters=30,
        n_raters=1,
        method=jackknife_method(Unit.DIALOGUE, IntervalScale.PLAIN),
    )


def test_caution_and_halo_are_told_as_findings_among_all_of_the_page():
    """Clear of zero alone, at p = 0.03; among seven differences it may be chance."""
    more = of_dialogues(0.11, 0.1)
    share = replace(of_dialogues(0.5, 0.1), statistic="halo")
    step = CautionAt(low=0, high=1, mean=0.5, of_judge=share, of_people=share)
    caution = Caution(criterion="", judge=0, steps=(step,), more=more, more_of_people=more)
    alone, among = family([more]), family([more, *[of_dialogues(0.0, 0.1)] * 6])
    said = of_caution([("Empathy", caution)], alone)
    assert said.startswith("It holds back more where people differ on Empathy (the only test")
    assert of_caution([("Empathy", caution)], among).startswith("Nothing shows")
    assert "more than people" in of_halo(share, more, alone)
    assert "no clear difference" in of_halo(share, more, among)
    less = of_dialogues(-0.11, 0.1)
    assert "on 50.0 % of items, 11 percentage points less than people" in of_halo(
        share, less, family([less])
    )


@pytest.mark.parametrize(("shift", "way"), [(0.5, "higher"), (-0.5, "lower")])
def test_a_level_is_said_with_its_way_and_its_limits(shift, way):
    drawn = np.random.default_rng(1)
    people = drawn.integers(2, 5, 80).astype(float)
    judged = people + np.where(np.arange(80) % 2, 2 * shift, 0.0)
    found = two_raters(people, judged, points=range(1, 6), measurement="ordinal", only={"bias"})
    said = of_bias(found["bias"], "people")
    assert said.startswith(
        f"Over all, the judge rates 0.50 points {way} than people (95 % interval"
    )
    assert re.findall(r"[+−]", said) == (["+", "+"] if shift > 0 else ["−", "−"])
    assert (
        of_bias(
            Estimate(statistic="bias", value=None, n_items=0, n_pairs=0, n_clusters=0, n_raters=2),
            "",
        )
        == ""
    )


def test_a_judge_that_goes_to_the_ends_is_not_said_to_huddle():
    wide, level = (replace(of_dialogues(value, 0.2), statistic="sd_ratio") for value in (1.4, 1.1))
    none_more = of_dialogues(0.0, 0.1)
    assert of_spread(wide, none_more, "people") == (
        "Its ratings spread wider than those of people: 140 % (95 % interval 120 % to 160 %)."
    )
    assert of_spread(level, none_more, "people") == ""


def test_of_labels_no_preference_is_told_and_not_for_want_of_replies(pond, as_user, ada):
    """Every reply has been rated by people and by another judge."""
    raters = human("ruth"), judge("echo", "gen"), judge("nova")
    for item in items_of(pond):
        for rater in raters:
            rate(rater, item, safety="safe_response")
    said = text_of(as_user(ada).get(f"{POND}echo/"))
    assert "Self-preference is told of scores; labels have none" in said
    assert "Too few replies" not in said
    said = text_of(as_user(ada).get(f"{POND}nova/"))
    assert "No generator is marked as of this judge’s own family" in said


def test_what_it_takes_to_tell_a_preference_is_what_is_missing():
    has = {"is_jury": False, "has_family": True, "has_peers": False}
    assert "have another judge rate them" in why_no_preference(**has)
    of_members = "Of a jury self-preference is not told: look at its members one by one."
    assert why_no_preference(**has | {"is_jury": True}) == of_members


@pytest.mark.parametrize("end", ["empathy/{echo}/some/", "wit/{echo}/0-1/", "empathy/0/0-1/"])
def test_a_step_that_there_is_not_is_not_found(care, as_user, ada, end):
    echo = Rater.objects.get(key="echo").pk
    assert as_user(ada).get(f"{ROOM}caution/{end.format(echo=echo)}").status_code == 404


def test_page_and_report_draw_the_same(care, as_user, ada):
    shown = as_user(ada).get(URL + "echo/").context["shown"]
    matrix = as_user(ada).get("/studies/care/agreement/matrix/").context["shown"]
    drawn = {
        one.key: one.spec
        for one in drawings.drawings(matrix.report, shown.report, care.rubric_version.content)
    }
    assert shown.focus.curve.plot in drawn["severity_echo"]["concat"]
    assert shown.focus.plot.plot in drawn["bland_altman_echo"]["concat"]
    assert matrix.forest.plot == drawn[f"forest_{matrix.statistic}"]


def test_the_forest_plot_has_every_figure_of_the_glance(care, as_user, ada):
    shown = as_user(ada).get(URL).context["shown"]
    (lines,) = rows_with(shown.forest.plot, "who")[-1:]
    names = [judge.name for judge in shown.judges]
    assert [one["value"] for one in lines] == [
        cell.figure.estimate.value
        for row in shown.glance.rows
        for cell in row.cells[: len(names)]
        if cell.figure and cell.figure.estimate.value is not None
    ]
    assert {one["who"] for one in lines} == set(names)


def test_preference_for_the_own_family_is_told_against_peers(care, as_user, ada):
    response = as_user(ada).get(URL + "nova/")
    assert "Not measured on replies by beta, its own family." in text_of(response)
    page = response.content.decode()
    leanings = table_in(page, "judges_leanings-nova-people")
    assert "Own family minus others, its peers" in leanings.heads
    near = table_in(page, "judges_scores_near-nova-straw_man-people")
    assert near.row("Empathy", "Nova")["Of its own family, left out"].text == "18"


def test_the_choices_of_a_reader_stay_in_the_addresses(care, as_user, ada):
    page = as_user(ada).get(URL, {"statistic": "icc_c1"}).content.decode()
    assert "judges/echo/?statistic=icc_c1" in page
    assert "?statistic=icc_c1&amp;revision=" in page


def test_a_poll_gets_nothing_until_there_is_something_newer(care, as_user, ada):
    client = as_user(ada)
    client.get(URL + "echo/")
    poll = {"HX-Request": "true"}
    same = client.get(URL + "echo/", {"revision": care.revision}, headers=poll)
    assert same.status_code == 204
    rate(human("rosa"), items_of(care)[0], empathy=3)
    snapshots.refresh(study_id=care.pk, part=PART, at=AT)
    newer = client.get(URL + "echo/", {"revision": care.revision}, headers=poll)
    assert newer.content.strip().startswith(b'<div id="judge"')


def test_one_person_an_item_gives_words_and_what_to_collect(pond, as_user, ada):
    ruth, echo = human("ruth"), judge("echo")
    for item in items_of(pond):
        rate(ruth, item, safety="safe_response")
        rate(echo, item, safety="nonsense")
    client = as_user(ada)
    for page in ("", "echo/"):
        said = text_of(client.get(POND + page))
        assert "No human ceiling" in said
        assert "at least 2, better 3 people rate the same 50 to 100 items" in said
    assert "May it stand in" not in said
    assert "It was asked once." in said


def test_against_gold_every_repeat_has_its_line(pond, as_user, ada):
    echo = judge("echo")
    for place, item in enumerate(items_of(pond)):
        decide(item, safety="safe_response" if place % 2 else "nonsense")
        for repeat in (1, 2, 3):
            label = "nonsense" if (place + repeat) % 3 else "safe_response"
            rate(echo, item, repeat=repeat, safety=label)
    response = as_user(ada).get(POND + "echo/")
    said = text_of(response)
    assert "Safety of the reply: each repeat beside gold" in said
    assert "Gold is one decided value an item" in said
    page = response.content.decode()
    runs = table_in(page, "judges_runs-echo-gold-safety")
    assert runs.column("Repeat") == ["1", "2", "3", "mean", "majority"]
    labels = table_in(page, "judges_labels-echo-gold-safety")
    n = len(items_of(pond))
    assert sum(int(one) for one in labels.column("Pairs with it")) == n


def test_a_study_without_judges_says_what_to_do(pond, as_user, ada):
    rate(human("ruth"), items_of(pond)[0], safety="safe_response")
    said = text_of(as_user(ada).get(POND))
    assert "No judge has rated what people have rated" in said
    assert "Start a judge" in said


def test_editions_of_one_llm_are_named_as_such_with_how_they_were_asked(pond, as_user, ada):
    ruth = human("ruth")
    settings = {"llm": "frog-1", "base_url": "https://example.org/v1"}
    editions = [
        edition_of(Settings(**settings, temperature=warmth), at=timezone.now())
        for warmth in (0.0, 0.7)
    ]
    for place, item in enumerate(items_of(pond)):
        rate(ruth, item, safety="safe_response" if place % 2 else "nonsense")
        for number, edition in enumerate(editions):
            label = "safe_response" if (place + number) % 3 else "nonsense"
            rate(edition.rater, item, safety=label)
    said = text_of(as_user(ada).get(POND))
    assert "frog-1 v2 minus frog-1" in said
    assert "the same LLM" in said
    assert "temperature 0.7" in said


def test_the_command_prints_the_figures_of_judges_as_json(pond, capsys):
    echo = judge("echo")
    for place, item in enumerate(items_of(pond)):
        decide(item, safety="safe_response" if place % 2 else "nonsense")
        for repeat in (1, 2):
            rate(echo, item, repeat=repeat, safety="nonsense")
    call_command("agreement", "pond", "--part", "judges")
    printed = json.loads(capsys.readouterr().out)
    (against,) = printed["against"]
    assert against["runs"]["mean"]["accuracy"]["value"] == 0.5
    assert [one["accuracy"]["value"] for one in against["runs"]["each"]] == [0.5, 0.5]
    with pytest.raises(CommandError, match="takes no --criterion, --judge or --verify"):
        call_command("agreement", "pond", "--part", "judges", "--judge", "echo")
