"""The pages of judges: who may open them, what they show, what they change."""

import re

import pytest
from django.core.cache import cache
from django.utils import timezone

from accounts.models import Event
from accounts.operations import heartbeat
from annotation.models import Gold, GoldOrigin, Membership, TeamRole
from annotation.rules.granting import DataLevel
from annotation.rules.visibility import COULD_SWAY
from judging import standin
from judging.models import JudgeCall, JudgeRun, RunState
from judging.queries import searching
from tests.annotation.doing import rate
from tests.cast import study_with
from tests.judging.conftest import failing

pytestmark = pytest.mark.django_db

BASE = "/studies/pond/judges/"
FORM = {
    "llm": "echo",
    "manner": "flat",
    "answers": "plain",
    "language": "en",
    "temperature": "0",
    "max_tokens": "10",
    "items": "all",
    "repeats": "2",
    "concurrency": "4",
}


@pytest.fixture
def finished(ask, scripted, ada):
    """A run of which one answer could not be read."""
    scripted.answer = lambda body, number: (
        "I'm sorry, I cannot." if "(3)" in body["messages"][1]["content"] else "Safe Response"
    )
    return ask(as_json=False, by=ada)


@pytest.fixture
def paused(ask, scripted, ada):
    scripted.answer = lambda body, number: failing(401)
    return ask(as_json=False, by=ada)


VISITORS = [
    ("ada", "", 200),
    ("ada", "start/", 200),
    ("gwen", "", 200),
    ("gwen", "start/", 403),
    ("gwen", "start/estimate/", 403),
    ("ben", "", 403),
    ("ben", "start/", 403),
    ("dora", "", 403),
    ("sam", "", 404),
    ("eli", "", 403),
]


@pytest.mark.parametrize(("name", "page", "status"), VISITORS)
def test_researchers_see_judges_and_coordinators_start_them(
    request, as_user, pond, scripted, name, page, status
):
    visitor = request.getfixturevalue(name)

    assert as_user(visitor).get(BASE + page).status_code == status


RUN_PAGES = [("gwen", 200), ("ada", 200), ("ben", 403), ("dora", 403), ("sam", 404)]


@pytest.mark.parametrize(("name", "status"), RUN_PAGES)
def test_a_run_is_open_to_those_who_may_see_agreement(request, as_user, finished, name, status):
    browser = as_user(request.getfixturevalue(name))
    call = finished.calls.first()
    pages = ["", "progress/", "calls/", f"calls/{call.pk}/"]

    assert [browser.get(f"{BASE}{finished.pk}/{page}").status_code for page in pages] == [
        status,
        286 if status == 200 else status,
        status,
        status,
    ]


def test_a_run_of_another_study_does_not_exist_here(as_user, ada, finished):
    assert as_user(ada).get(f"{BASE}{finished.pk + 1}/").status_code == 404
    assert as_user(ada).get(f"{BASE}{finished.pk}/calls/999999/").status_code == 404


def test_starting_a_judge_shows_the_host_and_creates_its_calls(as_user, ada, pond, scripted):
    browser = as_user(ada)
    assert scripted.host in browser.get(BASE + "start/").content.decode()

    answer = browser.post(BASE + "start/", FORM)

    run = JudgeRun.objects.get()
    assert answer.headers["Location"] == f"{BASE}{run.pk}/"
    assert (run.repeats, run.concurrency, run.started_by) == (2, 4, ada)
    assert run.calls.count() == 12
    assert (run.judge.llm, run.judge.max_tokens, run.judge.json_answer) == ("echo", 10, False)
    assert not run.judge.is_stand_in
    assert Event.objects.filter(verb="judge_run.started", actor=ada).count() == 1


MISTAKES = [
    ({"llm": ""}, "This field is required."),
    ({"repeats": "0"}, "greater than or equal to 1"),
    ({"repeats": "many"}, "Enter a whole number."),
    ({"concurrency": "1000"}, "less than or equal to 64"),
    ({"temperature": "9"}, "less than or equal to 2"),
    ({"items": "7"}, "Select a valid choice."),
    ({"manner": "sideways"}, "Select a valid choice."),
]


@pytest.mark.parametrize(("change", "sentence"), MISTAKES)
def test_a_mistake_in_the_form_is_named_and_nothing_is_started(
    as_user, ada, pond, scripted, change, sentence
):
    answer = as_user(ada).post(BASE + "start/", FORM | change)

    assert answer.status_code == 422
    assert sentence in answer.content.decode()
    assert not JudgeRun.objects.exists()


def test_without_an_endpoint_the_page_says_which_variable_to_set(as_user, ada, pond, settings):
    settings.LLM_BASE_URL = ""

    page = as_user(ada).get(BASE + "start/").content.decode()

    assert "CONCORD_LLM_BASE_URL" in page
    assert 'name="llm"' not in page


def test_a_refused_start_is_explained_on_the_form(as_user, ada, paused):
    answer = as_user(ada).post(BASE + "start/", FORM | {"temperature": "", "max_tokens": ""})

    assert answer.status_code == 422
    assert "unfinished run" in answer.content.decode()


def test_the_estimate_counts_calls_as_the_form_is_filled_in(as_user, ada, pond, scripted):
    browser = as_user(ada)

    flat = browser.get(BASE + "start/estimate/", FORM).content.decode()
    by_node = browser.get(BASE + "start/estimate/", FORM | {"manner": "sequential"})
    unfinished = browser.get(BASE + "start/estimate/", FORM | {"repeats": ""})

    assert "12 calls" in flat
    assert "from the texts of 6 items" in flat
    assert "48 requests at most" in by_node.content.decode()
    assert unfinished.status_code == 204


def test_the_estimate_says_that_nobody_has_tried_the_llm(as_user, ada, pond, untried):
    browser = as_user(ada)
    assert "was not tried there yet" in browser.get(BASE + "start/estimate/", FORM).text
    browser.post(BASE + "start/try/", FORM)
    assert "was not tried there yet" not in browser.get(BASE + "start/estimate/", FORM).text


def test_a_limit_is_set_at_the_start_and_raised_on_the_run_s_page(as_user, ada, pond, scripted):
    browser = as_user(ada)
    browser.post(BASE + "start/", FORM | {"limit_requests": "4", "limit_tokens": "9000"})
    run = JudgeRun.objects.get()
    assert (run.limit_requests, run.limit_tokens) == (4, 9000)
    JudgeRun.objects.update(state="paused", pause_reason="limit_reached", used_requests=4)
    page = browser.get(f"{BASE}{run.pk}/").content.decode()
    assert "4 / 4" in page
    assert "less than the next item may take" in page
    assert 'name="limit_requests" value="4"' in page

    same = {"limit_requests": "4", "limit_tokens": ""}
    assert (
        "used 4 requests already"
        in browser.post(f"{BASE}{run.pk}/resume/", same, follow=True).content.decode()
    )
    assert (
        "a whole number above 0"
        in browser.post(
            f"{BASE}{run.pk}/resume/", {"limit_requests": "many"}, follow=True
        ).content.decode()
    )
    browser.post(f"{BASE}{run.pk}/resume/", same | {"limit_requests": "12"})

    run.refresh_from_db()
    assert (run.state, run.limit_requests, run.limit_tokens) == (RunState.RUNNING, 12, None)


def test_a_stand_in_wears_a_badge_wherever_its_name_stands(as_user, ada, pond, scripted):
    browser = as_user(ada)
    browser.post(BASE + "start/", FORM | {"llm": standin.NAME})
    run = JudgeRun.objects.get()

    assert run.judge.is_stand_in
    for page in [BASE, f"{BASE}{run.pk}/", f"{BASE}{run.pk}/calls/"]:
        assert "Stand-in, not an LLM" in browser.get(page).content.decode()


def test_a_run_shows_its_figures_against_gold(as_user, gwen, finished, pond):
    Gold.objects.bulk_create(
        Gold(
            item=item,
            criterion_key="safety",
            label="safe_response" if item.position < 6 else "nonsense",
            origin=GoldOrigin.IMPORTED,
            decided_at=timezone.now(),
        )
        for item in pond.items.all()
    )

    page = as_user(gwen).get(f"{BASE}{finished.pk}/").content.decode()

    assert "80.0 %" in page  # 4 of the 5 that were scored
    assert "Declined to rate" in page
    assert Event.objects.filter(verb="judge_run.shown", actor=gwen).count() == 1


def test_the_fragment_says_nothing_new_until_something_is(as_user, ada, paused):
    browser = as_user(ada)
    page = browser.get(f"{BASE}{paused.pk}/").content.decode()
    mark = page.split("?mark=")[1].split('"')[0]

    same = browser.get(f"{BASE}{paused.pk}/progress/?mark={mark}")
    other = browser.get(f"{BASE}{paused.pk}/progress/?mark=old")

    assert (same.status_code, same.content) == (204, b"")
    assert other.status_code == 200
    assert "refuses the key" in other.content.decode()


def test_without_a_worker_a_running_run_says_so(as_user, ada, paused):
    browser = as_user(ada)
    cache.clear()
    browser.post(f"{BASE}{paused.pk}/resume/")

    assert "No worker is running" in browser.get(f"{BASE}{paused.pk}/").content.decode()

    heartbeat.note()
    assert "A worker was last seen" in browser.get(f"{BASE}{paused.pk}/").content.decode()


def test_a_run_whose_endpoint_does_not_answer_says_so_while_it_tries_again(as_user, ada, paused):
    browser = as_user(ada)
    browser.post(f"{BASE}{paused.pk}/resume/")
    paused.calls.exclude(state="done").update(problem="timeout")
    assert "last word: timeout" in browser.get(f"{BASE}{paused.pk}/").text


def test_before_the_first_answer_no_answer_is_called_readable(as_user, ada, finished, paused):
    pages = [as_user(ada).get(f"{BASE}{run.pk}/").content.decode() for run in (finished, paused)]
    assert ["nothing was answered yet" in page for page in pages] == [False, True]
    assert "every answer was readable" not in pages[1]


def test_a_run_is_paused_resumed_and_ended_from_its_page(as_user, ada, gwen, paused):
    browser = as_user(ada)

    def state():
        return JudgeRun.objects.get(pk=paused.pk).state

    assert as_user(gwen).post(f"{BASE}{paused.pk}/resume/").status_code == 403
    browser.post(f"{BASE}{paused.pk}/resume/")
    assert state() == RunState.RUNNING
    browser.post(f"{BASE}{paused.pk}/pause/")
    assert state() == RunState.PAUSED
    browser.post(f"{BASE}{paused.pk}/end/")
    assert state() == RunState.FINISHED
    assert browser.get(f"{BASE}{paused.pk}/end/").status_code == 405


def test_a_study_without_items_leads_to_them_before_it_leads_to_judges(as_user, ada):
    study_with(rubric="dialogue_safety", key="brook", team={ada: [TeamRole.COORDINATOR]}, n_items=0)
    page = as_user(ada).get("/studies/brook/judges/").content.decode()
    assert "/studies/brook/items/import/" in page
    assert "/studies/brook/judges/start/" not in page


def test_calls_are_filtered_by_outcome(as_user, ada, finished):
    browser = as_user(ada)

    everything = browser.get(f"{BASE}{finished.pk}/calls/").content.decode()
    unscored = browser.get(f"{BASE}{finished.pk}/calls/?outcome=unscored").content.decode()
    rated = browser.get(f"{BASE}{finished.pk}/calls/?outcome=rated").content.decode()

    assert everything.count("d3.1") == unscored.count("d3.1") == 1
    assert "d4.1" not in unscored
    assert "d3.1" not in rated


def test_a_call_shows_its_prompt_as_it_was_sent_and_the_answer_word_for_word(
    as_user, ada, finished
):
    call = finished.calls.get(outcome="refused")

    page = as_user(ada).get(f"{BASE}{finished.pk}/calls/{call.pk}/").content.decode()

    assert "I&#x27;m sorry, I cannot." in page
    assert "The frogs, I think." in page
    assert "as it was sent" in page
    assert call.prompt_sha256 in page
    assert Event.objects.filter(verb="judge_call.shown", subject=f"judge_call:{call.pk}").exists()


def test_a_prompt_is_shown_as_it_was_sent_though_its_item_has_changed(as_user, ada, finished):
    call = finished.calls.get(outcome="refused")
    call.item.reply += " And newts."
    call.item.save(update_fields=["reply"])

    page = as_user(ada).get(f"{BASE}{finished.pk}/calls/{call.pk}/").content.decode()

    assert "not as it was sent" not in page
    assert "newts" not in page


def test_a_prompt_that_was_not_kept_and_cannot_be_rebuilt_is_not_passed_off_as_the_one_sent(
    as_user, ada, finished
):
    call = finished.calls.get(outcome="refused")
    for exchange in call.exchanges:
        del exchange["messages"]
    call.save(update_fields=["exchanges"])
    call.item.reply += " And newts."
    call.item.save(update_fields=["reply"])

    page = as_user(ada).get(f"{BASE}{finished.pk}/calls/{call.pk}/").content.decode()

    assert "not as it was sent" in page


def test_a_researcher_sees_that_a_call_was_made_but_not_the_item(as_user, gwen, finished):
    gwen.memberships.update(roles=[TeamRole.RESEARCHER])
    gwen.grants.filter(level=DataLevel.ITEM_TEXT).update(revoked_at=timezone.now())
    call = finished.calls.get(outcome="refused")

    page = as_user(gwen).get(f"{BASE}{finished.pk}/calls/{call.pk}/").content.decode()

    assert "frogs" not in page
    assert "sorry" not in page
    assert call.prompt_sha256 in page


def test_who_annotates_never_sees_what_a_judge_answered(as_user, ada, finished):
    Membership.objects.filter(user=ada).update(roles=[TeamRole.COORDINATOR, TeamRole.ANNOTATOR])
    browser = as_user(ada)

    calls = JudgeCall.objects.filter(run=finished)
    assert calls
    for call in calls:
        page = browser.get(f"{BASE}{finished.pk}/calls/{call.pk}/").content.decode()
        assert "Safe Response" not in page
        assert "sorry" not in page
        assert COULD_SWAY in page


def test_who_rates_in_an_open_round_does_not_see_how_a_run_compares_with_gold(
    as_user, finished, pond, pond_round, ben, cleo, gwen
):
    """The gold of an item on which all agree is what each of them answered."""
    for user in (ben, cleo):
        rate(pond_round, user, 1)
    ben.memberships.update(roles=[TeamRole.RESEARCHER])  # to look, and then annotate again
    call = finished.calls.filter(outcome="rated").first()

    for page in ["", "progress/"]:
        address = f"{BASE}{finished.pk}/{page}"
        assert "Same as gold" in as_user(gwen).get(address).content.decode()
        blinded = as_user(ben).get(address).content.decode()
        assert "Same as gold" not in blinded
        assert "once the round is closed" in blinded
    ben.memberships.update(roles=[TeamRole.COORDINATOR])
    page = as_user(ben).get(f"{BASE}{finished.pk}/calls/{call.pk}/").content.decode()
    assert "Safe Response" not in page


def test_pages_speak_chinese(as_user, ada, paused):
    browser = as_user(ada)
    browser.cookies["django_language"] = "zh-hans"

    for page in ["", "start/", f"{paused.pk}/", f"{paused.pk}/calls/"]:
        assert browser.get(BASE + page).status_code == 200


def test_many_calls_are_listed_and_found_page_by_page(as_user, ada, finished, monkeypatch):
    monkeypatch.setattr(searching, "CALLS_ON_A_PAGE", 4)
    browser, path = as_user(ada), f"{BASE}{finished.pk}/calls/"

    def told(answer):
        page = " ".join(answer.text.split())
        return re.findall(rf'href="{path}([0-9]+)/"', page), page

    first, page = told(browser.get(path))
    assert "Page 1 of 2" in page
    (onward,) = re.findall(r'href="([^"]+)">Next</a>', page)
    rest, page = told(browser.get(path + onward))
    assert "Page 2 of 2" in page
    assert ">Previous</a>" in page
    assert ">Next</a>" not in page
    assert len(first) == 4
    assert sorted(map(int, first + rest)) == sorted(finished.calls.values_list("pk", flat=True))
    found, page = told(browser.post(path, {"words": "Safe", "page": "1"}))
    assert '<button class="button" type="submit" form="search" name="page" value="2">Next' in page
    more, page = told(browser.post(path, {"words": "Safe", "page": "2"}))
    assert ">Previous</button>" in page
    rated = finished.calls.filter(outcome="rated").values_list("pk", flat=True)
    assert sorted(map(int, found + more)) == sorted(rated)
