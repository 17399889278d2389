"""What a release tells of single people, and who has to look at it before it leaves."""

import json
from datetime import date
from zipfile import ZipFile

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from accounts.models import Event
from analytics.exports import actions as exports
from analytics.exports import disclosure_page
from analytics.exports.classes import K, classes
from analytics.exports.crowd import dialogues_alike, people_alike
from analytics.exports.disclosing import Crowd, DisclosureTest, Earlier, findings
from analytics.exports.rulings import disclosure
from tests.analytics.made import human, items_of, judge, let_pass, rate, submit
from tests.analytics.walking import assert_as_written, assert_the_same, drawn_by

SAFE = "safe_response"
URL = "/studies/pond/export/disclosure/"
EXPORT = "/studies/pond/export/"


def test_classes_are_of_those_of_whom_the_same_could_be_known():
    found = classes(
        ("round", "many"), {("1", "yes"): 6, ("1", "no"): 2, ("2", "yes"): 4, ("2", "no"): 1}
    )
    assert (found.n, found.n_classes, found.smallest, found.n_in_small) == (13, 4, 1, 7)
    assert [one.size for one in found.small] == [1, 2, 4]


@pytest.mark.parametrize(
    ("known", "without"),
    [
        ({("1", "yes"): 5, ("2", "no"): 5}, ()),
        ({("1", "yes"): 4, ("2", "yes"): 4, ("1", "no"): 3, ("2", "no"): 4}, ("round",)),
        ({("1", "yes"): 4, ("2", "no"): 3}, ("round", "many")),
        ({("1", "yes"): 2, ("2", "no"): 1}, None),
        ({}, ()),
    ],
)
def test_the_fewest_attributes_are_named_without_which_classes_are_large_enough(known, without):
    assert classes(("round", "many"), known).enough_without == without


def crowd(**given) -> Crowd:
    many = {"R-A": 100, "R-B": 90, "R-C": 80}
    told = {"answers": many, "n_items": 100, "generators": {"toad": 100}, "rounds": {1: 100}}
    return Crowd(**told | given)


def found_in(of: Crowd) -> list[tuple[DisclosureTest, str]]:
    return [(one.test, one.about) for one in findings(of)]


@pytest.mark.parametrize(
    ("given", "test", "about"),
    [
        ({"answers": {"R-A": 50, "R-B": 50}}, DisclosureTest.SMALL_CELL, "people"),
        ({"answers": {"R-A": 40, "R-B": 40, "R-C": 9}}, DisclosureTest.SMALL_CELL, "R-C"),
        ({"generators": {"toad": 91, "frog": 9}}, DisclosureTest.SMALL_CELL, "generator frog"),
        ({"rounds": {1: 100, 2: 4}}, DisclosureTest.SMALL_CELL, "round 2"),
        ({"answers": {"R-A": 900, "R-B": 50, "R-C": 50}}, DisclosureTest.DOMINANCE, "R-A"),
        ({"answers": {"R-A": 500, "R-B": 460, "R-C": 40}}, DisclosureTest.DOMINANCE, "R-A R-B"),
    ],
)
def test_what_tells_of_single_people_is_found(given, test, about):
    assert found_in(crowd()) == []
    assert found_in(crowd(**given)) == [(test, about)]


@pytest.mark.parametrize(
    ("answers", "n_items", "about"),
    [
        ({"R-A": 100, "R-B": 90, "R-C": 80}, 100, []),
        ({"R-A": 100, "R-B": 90, "R-C": 70}, 100, ["CR-1 R-C"]),
        ({"R-A": 100, "R-B": 90}, 100, ["CR-1 R-C"]),
        ({"R-A": 10, "R-B": 10, "R-C": 10}, 100, []),
        ({"R-A": 100, "R-B": 90, "R-C": 80}, 97, ["CR-1 items"]),
    ],
)
def test_the_difference_from_an_earlier_release_is_of_nobody_alone(answers, n_items, about):
    before = Earlier(release="CR-1", day=date(2026, 5, 1), answers=answers, n_items=n_items)
    told = found_in(crowd(earlier=(before,)))
    assert told == [(DisclosureTest.DIFFERENCING, one) for one in about]


@pytest.fixture
def rated(pond):
    """Three people rate six items, and a judge does."""
    raters = [*(human(name) for name in ("ruth", "rolf", "rita")), judge("echo")]
    for item in items_of(pond):
        for rater in raters:
            rate(rater, item, safety=SAFE)
    return pond


@pytest.mark.django_db
def test_people_and_dialogues_are_counted_and_judges_are_not(rated):
    people, dialogues = people_alike(rated), dialogues_alike(rated)
    assert (people.n, people.n_classes, people.smallest, people.enough_without) == (3, 1, 3, None)
    assert (dialogues.n, dialogues.smallest) == (6, 6)
    assert dialogues.smallest >= K
    assert sum(disclosure(rated).crowd.answers.values()) == 18


@pytest.mark.django_db
def test_what_is_answered_in_an_open_round_does_not_count(rated, pond_round):
    before = disclosure(rated).crowd.answers
    submit(pond_round.assignments.first(), safety=SAFE)
    assert disclosure(rated).crowd.answers == before


@pytest.mark.django_db(transaction=True)
def test_nothing_is_built_before_somebody_else_has_looked(rated, as_user, ada, gwen, tmp_path):
    page = as_user(gwen).get(EXPORT)
    assert "has to look at it first" in page.text
    assert "Build the export" not in page.text
    assert as_user(gwen).post(EXPORT).status_code == 403
    with pytest.raises(CommandError, match="has to look at it first"):
        call_command("export", "pond", to=str(tmp_path / "pond.zip"), by=gwen.email)

    looked = as_user(gwen)
    looked.post(URL, ruling_on(rated, reason="I looked at it myself."))
    assert "has to look at it first" in as_user(gwen).get(EXPORT).text

    answer = as_user(ada).post(URL, ruling_on(rated, reason="All of them agreed."))
    assert answer.status_code == 302
    assert "Build the export" in as_user(gwen).get(EXPORT).text
    call_command("export", "pond", to=str(tmp_path / "pond.zip"), by=gwen.email)
    told = manifest_of(tmp_path / "pond.zip")["disclosure"]
    assert told["checked"]["by"] == ada.full_name
    assert told["checked"]["reason"] == "All of them agreed."
    assert {one["test"] for one in told["findings"]} == {"small_cell"}
    assert Event.objects.filter(verb="disclosure.ruled").count() == 2


def ruling_on(study, *, reason: str, passes: str = "yes") -> dict[str, str]:
    return {"digest": disclosure(study).digest, "passes": passes, "reason": reason}


def manifest_of(path) -> dict:
    with ZipFile(path) as archive:
        return json.loads(archive.read("manifest.json"))


@pytest.mark.django_db
def test_who_says_no_says_why_and_it_stays(rated, as_user, ada, gwen):
    as_user(ada).post(URL, ruling_on(rated, reason="Ask Ruth first.", passes="no"))
    assert "Ask Ruth first." in as_user(gwen).get(EXPORT).text
    assert as_user(gwen).post(EXPORT).status_code == 403


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"reason": "  "}, "Write down the reason"),
        ({"digest": "0" * 64}, "something else is found"),
    ],
)
def test_a_ruling_has_a_reason_and_is_about_what_is_found_now(rated, as_user, ada, changed, words):
    answer = as_user(ada).post(URL, ruling_on(rated, reason="Well.") | changed)
    assert answer.status_code == 422
    assert words in answer.text


@pytest.mark.django_db
def test_where_nothing_is_found_any_more_there_is_nothing_to_rule_on(pond, as_user, ada):
    answer = as_user(ada).post(URL, {"digest": "0" * 64, "passes": "yes", "reason": "Well."})
    assert answer.status_code == 422
    assert "Nothing is found any more" in answer.text


@pytest.mark.django_db
def test_its_tables_are_data(rated, as_user, ada, monkeypatch):
    drawn = drawn_by(disclosure_page, monkeypatch)
    assert assert_the_same(as_user(ada), URL, here={"disclosure_smallest"}) == {
        *("disclosure_tests", "disclosure_classes", "disclosure_columns"),
    }
    assert_as_written(as_user(ada).get(URL).text, drawn)


@pytest.mark.django_db
def test_only_coordinators_and_exporters_look(rated, as_user, ben, dora, sam):
    for user in (ben, dora):
        assert as_user(user).get(URL).status_code == 403
    assert as_user(sam).get(URL).status_code == 404


@pytest.mark.django_db
def test_what_was_ruled_on_holds_until_something_else_is_found(rated, ada, gwen):
    let_pass(rated, by=ada)
    assert disclosure(rated).reason_to_wait(gwen.pk) is None
    rate(human("rose"), items_of(rated)[0], safety=SAFE)
    assert disclosure(rated).reason_to_wait(gwen.pk)


@pytest.mark.django_db(transaction=True)
def test_a_second_release_is_held_beside_the_first(rated, ada, gwen, settings, tmp_path):
    settings.EXPORT_DIR = tmp_path / "exports"
    let_pass(rated, by=ada)
    built = exports.build(study_key="pond", with_texts=False, by=gwen, at=timezone.now())
    exports.keep_record(built=built, by=gwen, at=timezone.now())
    assert not [one for one in disclosure(rated).findings if "CR-" in one.about]
    rate(human("rose"), items_of(rated)[0], safety=SAFE)
    (found,) = [one for one in disclosure(rated).findings if "CR-" in one.about]
    assert found.test is DisclosureTest.DIFFERENCING
    assert built.manifest["release"] in found.why


@pytest.mark.django_db(transaction=True)
def test_the_checklist_says_what_is_known_and_leaves_the_rest(rated, gwen, settings, tmp_path):
    settings.EXPORT_DIR = tmp_path / "exports"
    built = exports.build(study_key="pond", with_texts=False, by=gwen, at=timezone.now())
    with ZipFile(built.path) as archive:
        told = archive.read("CHART.md").decode()
    lines = {line.split(" | ")[0].strip("| "): line for line in told.splitlines() if "|" in line}
    assert "3 people and 1 LLM judges" in lines["7b"]
    assert "6 items" in lines["8"]
    assert "For the authors to say" in lines["12b"]
