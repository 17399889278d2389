"""What preferences come to: whose reply is preferred, and what its place decides."""

import csv
import io
import json

import pytest
from django.core.management import call_command
from django.urls import reverse
from django.utils import timezone

from accounts.actions import tokens
from accounts.models import Event, Scope
from analytics.present.small_cells import BESIDE, FEWER
from annotation.actions import quarantine, rounds, splits
from annotation.models import Grant, Item, TeamRole
from annotation.queries.wording import said
from judging.actions import runs, templates
from judging.models import JudgeRun
from judging.queries import showing
from judging.rules.budget import Limit
from tests.analytics.made import let_pass
from tests.analytics.reading import table_in
from tests.analytics.walking import assert_the_same
from tests.judging.conftest import failing, work_until_it_rests
from tests.judging.test_comparing import RUBRIC, by_kindness, compare, meadow, verdicts

__all__ = ["compare", "meadow"]

OF_PAIRS = ("won", "lost", "undecided", "share_won", "same")


def _as_program(person):
    """What goes along with the requests of a program that somebody runs."""
    _token, words = tokens.make(
        name="p", scopes=[Scope.JUDGE, Scope.READ], days=1, by=person, at=timezone.now()
    )
    return {"Authorization": f"Bearer {words}"}


@pytest.mark.django_db
def test_the_page_of_a_run_says_whose_reply_is_preferred_and_what_the_place_decides(
    compare, scripted, as_user, ada, meadow
):
    scripted.answer = lambda body, _number: verdicts(body, lambda a, b: "reply_a")
    run = compare()
    address = reverse("judge_run", args=["meadow", run.pk])
    assert assert_the_same(as_user(ada), address) == {
        f"pairs_wins-1-{run.judge.rater.key}",
        f"pairs_places-1-{run.judge.rater.key}",
    }
    page = as_user(ada).get(address).text
    places, wins = table_in(page, "pairs_places"), table_in(page, "pairs_wins")
    assert {one.split()[0] for one in places.column("Of those preferred the first")} == {"100.0"}
    assert set(places.column("By place")) == {"no"}, (
        "four conversations are too few to be sure of it"
    )
    assert wins.row(said(RUBRIC.asked[0].name), "curt", "kind")["Undecided"].text == "4"
    answer = as_user(ada).get(wins.files["csv"])
    assert {row["judge"] for row in csv.DictReader(io.StringIO(answer.text))} == {
        run.judge.rater.key
    }


@pytest.mark.django_db
def test_whose_reply_is_preferred_is_told_once_the_run_has_ended(
    compare, scripted, as_user, ada, meadow
):
    scripted.answer = by_kindness
    run = compare(limit=Limit(requests=5))
    assert run.state == "paused"
    address = reverse("judge_run", args=["meadow", run.pk])
    assert "counted once the run has ended" in as_user(ada).get(address).text
    assert showing.status_of(run, at=timezone.now()).wins == []
    runs.finish(run_id=run.pk, by=ada, at=timezone.now())
    page = as_user(ada).get(address).text
    assert "The run was ended early: 19 calls were not made." in " ".join(page.split())
    for each in (page, as_user(ada).get("/studies/meadow/judges/").text):
        assert ("Ended early" in each, "Finished" in each) == (True, False)
    status = showing.status_of(showing.run_numbered(run.pk), at=timezone.now())
    assert all(one.left_out for one in status.wins), "their other order was never asked"


@pytest.mark.django_db
def test_replies_that_are_set_aside_later_are_no_longer_counted(compare, scripted, meadow, ada):
    scripted.answer = by_kindness
    run = compare()
    before = showing.status_of(run, at=timezone.now())
    for item in Item.objects.filter(study=meadow, generator="kind"):
        quarantine.quarantine(
            study_id=meadow.pk, item_key=item.key, reason="cut off", by=ada, at=timezone.now()
        )
    after = showing.status_of(run, at=timezone.now())
    assert {(one.source, one.other) for one in before.wins} == {
        ("curt", "kind"),
        ("curt", "long"),
        ("kind", "long"),
    }
    assert {(one.source, one.other) for one in after.wins} == {("curt", "long")}
    assert {place.both_orders for place in after.places} == {4}


@pytest.mark.django_db
def test_what_is_asked_again_counts_in_the_place_of_what_failed(compare, scripted, fast_clock):
    scripted.answer = lambda body, number: (
        failing(400, "bad") if number == 3 else by_kindness(body, number)
    )
    run = compare()
    scripted.answer = by_kindness
    assert sum(place.unread for place in showing.status_of(run, at=timezone.now()).places) > 0
    again = runs.retry_failed(run_id=run.pk, by=None, at=timezone.now())
    again = work_until_it_rests(again, fast_clock)
    for one in (run, again):
        found = showing.status_of(one, at=timezone.now())
        assert {place.both_orders for place in found.places} == {12}
        assert {won.left_out for won in found.wins} == {0}


@pytest.mark.django_db
def test_who_rates_in_an_open_round_is_told_no_preference_by_program(
    compare, scripted, client, meadow, ada, ben
):
    """As on the page: a preference tells what others may still be rating."""
    scripted.answer = by_kindness
    run = compare()
    address = f"/api/v1/studies/meadow/runs/{run.pk}/"
    assert client.get(address, headers=_as_program(ben)).status_code == 403
    ben.memberships.update(roles=[TeamRole.COORDINATOR, TeamRole.ANNOTATOR])
    assert client.get(address, headers=_as_program(ben)).json()["wins"]
    rounds.open_round(
        study_id=meadow.pk, panel=[ben.pk], raters_per_item=1, by=ada, at=timezone.now()
    )
    told = client.get(address, headers=_as_program(ben)).json()
    assert (told["wins"], told["places"]) == ([], [])


@pytest.mark.django_db
def test_of_blinded_judges_no_preference_is_told(compare, scripted, as_user, ada, meadow):
    scripted.answer = by_kindness
    run = compare()
    type(meadow).objects.filter(pk=meadow.pk).update(judges_blinded_at=run.started_at)
    address = reverse("judge_run", args=["meadow", run.pk])
    assert "What the place decides" not in as_user(ada).get(address).text
    for name in ("pairs_places", f"pairs_places-1-{run.judge.rater.key}"):
        answer = as_user(ada).get(address, {"table": name, "as": "csv"})
        assert answer.status_code == 404


@pytest.mark.django_db
def test_what_is_won_by_few_pairs_stays_here_for_who_sees_no_single_raters(
    compare, scripted, as_user, ada, gwen, meadow
):
    """Won, lost and undecided give the share of four pairs back."""
    scripted.answer = lambda body, _number: verdicts(body, lambda a, b: "reply_a")
    run = compare()
    address = reverse("judge_run", args=["meadow", run.pk])

    def taken(person, name):
        asked = {"table": f"{name}-1-{run.judge.rater.key}", "as": "csv"}
        rows = list(csv.DictReader(io.StringIO(as_user(person).get(address, asked).text)))
        return {
            column: {one["value"] for one in rows if one["column"] == column} for column in OF_PAIRS
        }

    Grant.objects.filter(person=gwen, level="per_rater").update(revoked_at=timezone.now())
    let_pass(meadow, by=ada)
    assert taken(ada, "pairs_wins")["undecided"] == {"4"}
    told = taken(gwen, "pairs_wins")
    assert told["undecided"] == told["share_won"] == {FEWER}
    assert told["won"] == told["lost"] == {BESIDE}
    assert taken(gwen, "pairs_places")["same"] == taken(ada, "pairs_places")["same"]


@pytest.mark.django_db
def test_without_single_raters_a_program_is_told_no_small_count_of_preferences(
    compare, scripted, client, meadow, ada
):
    """Nor is it told by single answers, which are withheld with them."""
    scripted.answer = by_kindness
    run = compare()
    address, headers = f"/api/v1/studies/meadow/runs/{run.pk}/", _as_program(ada)
    whole = client.get(address, headers=headers).json()
    assert {tuple(one["withheld"]) for one in (*whole["wins"], *whole["places"])} == {()}
    Grant.objects.filter(person=ada, level="per_rater").update(revoked_at=timezone.now())
    told = client.get(address, headers=headers).json()
    for before, after in zip(whole["wins"], told["wins"], strict=True):
        few = ("lost", "share", "undecided", "won")
        assert after == before | dict.fromkeys(few) | {"withheld": list(few)}
    for before, after in zip(whole["places"], told["places"], strict=True):
        assert after == before | {"first": None, "withheld": ["first"]}, "8 of 16"
    call = run.calls.first()
    answer = client.get(f"{address}calls/{call.pk}/", headers=headers).json()
    assert answer["texts"] == []
    assert answer["withheld"]


@pytest.mark.django_db
def test_the_command_prints_both(compare, scripted, capsys):
    scripted.answer = by_kindness
    run = compare()
    call_command("judge", "show", str(run.pk))
    key = RUBRIC.asked[0].key
    said = capsys.readouterr().out
    assert f"{key}: the same in both orders 12 of 12 pairs" in said
    assert f"{key}: curt against kind: won 0, lost 4, undecided 0, left out 0" in said
    call_command("judge", "show", str(run.pk), "--json")
    told = json.loads(capsys.readouterr().out)
    assert told["wins"][0]["share"]["value"] == 0.0
    assert len(told["places"]) == len(showing.status_of(run, at=run.started_at).places)


ABOUT_ONE = """
system = "Rate {{title}}.\\n\\n{{criteria}}"
user = "{{item}}\\n\\n{{answer_form}}"
"""
ABOUT_TWO = """
subject = "pair"
system = "Compare both for {{title}}.\\n\\n{{criteria}}"
user = "{{dialogue}}\\n\\n1: {{reply_a}}\\n\\n2: {{reply_b}}\\n\\n{{answer_form}}"
"""
PAGE = {
    "llm": "echo",
    "about": "scales",
    "manner": "flat",
    "answers": "json",
    "language": "en",
    "items": "all",
    "repeats": "1",
    "concurrency": "2",
    "both_orders": "on",
}


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("changes", "calls", "is_overall"),
    [
        ({}, 24, False),
        ({"both_orders": ""}, 12, False),
        ({"against": "kind"}, 16, False),
        ({"most_pairs": "3", "about": "overall"}, 6, True),
    ],
)
def test_a_comparison_is_reckoned_and_started_on_the_page(
    as_user, ada, meadow, scripted, settings, changes, calls, is_overall
):
    settings.LLM_BASE_URL = scripted.base_url
    ada = as_user(ada)
    assert "Which of two replies is better" in ada.get("/studies/meadow/judges/start/").text
    asked = {name: value for name, value in (PAGE | changes).items() if value}
    reckoned = ada.get("/studies/meadow/judges/start/estimate/", asked).text
    assert f"This comes to {calls} calls." in " ".join(reckoned.split())
    assert ada.post("/studies/meadow/judges/start/", asked).status_code == 302
    run = JudgeRun.objects.get()
    assert run.calls.count() == calls
    assert run.comparison.overall is is_overall
    assert run.comparison.ties is False, "the box was not ticked"


@pytest.mark.django_db
def test_one_source_is_offered_no_comparison_and_who_asks_all_the_same_is_told(
    as_user, ada, pond, scripted
):
    browser = as_user(ada)
    assert "Which of two replies" not in browser.get("/studies/pond/judges/start/").text
    refused = browser.post("/studies/pond/judges/start/", PAGE | {"about": "overall"})
    assert "no two replies of different sources" in refused.text
    assert not JudgeRun.objects.exists(), "nor were single replies rated instead"


@pytest.mark.django_db
def test_what_is_reckoned_is_what_an_account_may_have_asked(
    as_user, ada, sam, meadow, scripted, settings
):
    settings.LLM_BASE_URL = scripted.base_url
    splits.divide(
        data_set_id=meadow.data_set_id, open_percent=50, seed="9", by=sam, at=timezone.now()
    )
    Grant.objects.filter(person=ada, level="restricted_split").update(revoked_at=timezone.now())
    browser = as_user(ada)
    for asked, calls in ((PAGE, 12), (PAGE | {"about": "rate"}, 8)):
        reckoned = browser.get("/studies/meadow/judges/start/estimate/", asked).text
        assert f"This comes to {calls} calls." in " ".join(reckoned.split())
        assert browser.post("/studies/meadow/judges/start/", asked).status_code == 302
        assert JudgeRun.objects.latest("pk").calls.count() == calls


@pytest.mark.django_db
def test_a_prompt_about_one_reply_is_not_put_to_pairs_nor_the_other_way_round(
    as_user, ada, meadow, scripted, settings
):
    settings.LLM_BASE_URL = scripted.base_url
    for name, text in (("one", ABOUT_ONE), ("two", ABOUT_TWO)):
        templates.write(study=meadow, name=name, text=text, note="", by=None, at=timezone.now())
    browser = as_user(ada)
    for prompt, about, words in (
        ("two/1", "rate", "Choose one that rates a single reply"),
        ("one/1", "scales", "Choose one that compares two replies"),
    ):
        asked = PAGE | {"prompt": prompt, "about": about}
        assert words in browser.post("/studies/meadow/judges/start/", asked).text
        assert browser.get("/studies/meadow/judges/start/estimate/", asked).status_code == 204
    asked = PAGE | {"prompt": "two/1"}
    reckoned = browser.get("/studies/meadow/judges/start/estimate/", asked).text
    assert "This comes to 24 calls." in " ".join(reckoned.split())


@pytest.mark.django_db
def test_a_prompt_about_two_replies_is_previewed_with_two(as_user, ada, meadow):
    item = Item.objects.get(study=meadow, key="d1/kind")
    form = {"name": "pairs", "text": ABOUT_TWO, "item": item.key}
    shown = as_user(ada).post("/studies/meadow/judges/prompts/preview/", form).text
    assert "Kind words about d1." in shown
    assert "Curt words about d1." in shown
    seen = Event.objects.filter(verb="prompt.tried").values_list("subject", flat=True)
    assert set(seen) == {
        f"item:{Item.objects.get(study=meadow, key=f'd1/{writer}').pk}"
        for writer in ("kind", "curt")
    }
    alone = Item.objects.filter(study=meadow, generator="").first()
    refused = as_user(ada).post(
        "/studies/meadow/judges/prompts/preview/", form | {"item": alone.key}
    )
    assert refused.status_code == 422
    assert "no other source has replied" in refused.text


@pytest.mark.django_db
def test_a_prompt_about_two_replies_is_tried_with_two_that_are_made_up(
    as_user, ada, meadow, scripted, settings
):
    settings.LLM_BASE_URL = scripted.base_url
    scripted.answer = by_kindness
    templates.write(study=meadow, name="two", text=ABOUT_TWO, note="", by=None, at=timezone.now())
    for changes in ({"prompt": "two/1"}, {}):
        tried = as_user(ada).post("/studies/meadow/judges/start/try/", PAGE | changes)
        assert "Tried with a made-up dialogue" in tried.text
    assert all("Just read it." in text for text in scripted.texts())


@pytest.mark.django_db
def test_a_program_starts_a_comparison_and_is_told_what_it_came_to(
    client, ada, meadow, scripted, settings, fast_clock
):
    settings.LLM_BASE_URL = scripted.base_url
    scripted.answer = by_kindness
    asked = {"data": {"llm": "echo", "about": "scales"}, "content_type": "application/json"}
    headers = _as_program(ada)
    runs = "/api/v1/studies/meadow/runs/"
    started = client.post(f"{runs}start/", headers=headers, **asked)
    assert started.status_code == 201, started.text
    work_until_it_rests(JudgeRun.objects.get(), fast_clock)
    told = client.get(f"{runs}{started.json()['id']}/", headers=headers).json()
    assert told["wins"][0] | {"share": None} == {
        "criterion": RUBRIC.asked[0].key,
        "generator": "curt",
        "against": "kind",
        "won": 0,
        "lost": 4,
        "undecided": 0,
        "left_out": 0,
        "share": None,
        "withheld": [],
    }
    assert told["places"][0]["same"] == 12
