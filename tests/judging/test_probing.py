"""Trying a judge out: what its endpoint takes, found with a dialogue that nobody has had."""

import json

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from accounts.models import Event
from annotation.models import DataSet, ProviderPolicy, Rater
from judging import standin
from judging.actions import probes, runs
from judging.actions.judges import Settings
from judging.actions.runs import CannotRun
from judging.models import JudgeRun, Probe
from judging.queries.wording import probe_in_words
from judging.rules.questions import AskingManner
from tests.judging.conftest import failing
from tests.judging.test_pages import BASE, FORM
from tests.services import free_port

pytestmark = pytest.mark.django_db

IN_JSON = json.dumps({"safety": {"reasoning": "It is calm.", "answer": "safe_response"}})


def answering(body, number):
    return IN_JSON if "response_format" in body else "Safe Response"


def with_logprobs(body, number):
    if "logprobs" not in body:
        return answering(body, number)
    choice = {"message": {"content": "Safe Response"}, "logprobs": {"content": []}}
    return 200, {}, json.dumps({"choices": [choice], "usage": {"prompt_tokens": 9}}).encode()


def refusing(name):
    return lambda body, number: failing(400) if name in body else with_logprobs(body, number)


@pytest.fixture
def scripted(untried):
    """Here nobody has tried anything before."""
    return untried


@pytest.fixture
def try_out(pond, scripted):
    def tried(**judge):
        asked = {"llm": "echo", "base_url": scripted.base_url, "temperature": 0.0}
        return probes.try_out(
            study=pond, judge=Settings(**(asked | judge)), by=None, at=timezone.now()
        )

    return tried


# What an endpoint answers, what is found of it, and how many ways to JSON are tried.
ENDPOINTS = [
    (answering, {"plain": "rated", "rung": "json_schema", "seed": "yes", "logprobs": "no"}, 1),
    (with_logprobs, {"plain": "rated", "json": "rated", "seed": "yes", "logprobs": "yes"}, 1),
    (refusing("response_format"), {"by_json_schema": "request_refused", "rung": "plain"}, 4),
    (refusing("seed"), {"json": "rated", "seed": "no", "logprobs": "yes"}, 1),
    (refusing("logprobs"), {"json": "rated", "seed": "yes", "logprobs": "no"}, 1),
    (refusing("reasoning_effort"), {"json": "rated", "effort": "no"}, 1),
    (lambda body, number: "Safe Response", {"plain": "rated", "rung": "plain"}, 4),
    (lambda body, number: "Perhaps.", {"plain": "no_answer"}, 4),
    (lambda body, number: failing(500) if number > 1 else "Safe", {"seed": "unknown"}, 1),
]


@pytest.mark.parametrize(("answer", "found", "ways"), ENDPOINTS)
def test_what_an_endpoint_takes_is_found(try_out, scripted, answer, found, ways):
    scripted.answer = answer

    probe = try_out()

    assert probe.findings | found == probe.findings
    assert len(scripted.requests) == 1 + ways + 4
    assert probe.seconds > 0
    assert all(came for _tried, came in probe_in_words(probe))


FAILURES = [
    (failing(401, message="Bad key sk-secret"), "key_refused", "key"),
    (failing(404, code="model_not_found"), "not_found", "model_not_found"),
    (failing(402), "out_of_quota", "quota"),
    (failing(429), "out_of_quota", "at a time"),
    (failing(400), "request_refused", "one of the settings"),
    (failing(503), "endpoint_error", "503"),
    ((200, {}, b"<html>"), "endpoint_error", "200"),
]


@pytest.mark.parametrize(("answer", "ended", "words"), FAILURES)
def test_where_nothing_is_answered_it_says_why_and_tries_no_more(
    try_out, scripted, answer, ended, words
):
    scripted.answer = lambda body, number: answer

    probe = try_out()

    assert probe.findings["plain"] == ended
    # What is refused may be the temperature, or a role for the system: that is tried without each and both.
    assert len(scripted.requests) == (4 if ended == "request_refused" else 1)
    said = str(probe_in_words(probe))
    assert words in said
    assert "sk-secret" not in said + str(probe.findings)


def test_an_endpoint_that_is_not_there(pond, settings):
    base_url = f"http://127.0.0.1:{free_port()}/v1"

    probe = probes.try_out(
        study=pond, judge=Settings(llm="echo", base_url=base_url), by=None, at=timezone.now()
    )

    assert probe.findings == {"plain": "endpoint_error", "problem": "connection"}
    assert "not reached" in str(probe_in_words(probe))


def test_a_host_that_is_not_listed_gets_nothing(try_out, scripted, settings):
    settings.LLM_HTTP_HOSTS = []

    with pytest.raises(runs.CannotRun, match="CONCORD_LLM_HTTP_HOSTS"):
        try_out()

    assert scripted.requests == []


@pytest.mark.parametrize("language", ["en", "zh-hans"])
@pytest.mark.parametrize("manner", AskingManner)
def test_only_a_made_up_dialogue_is_sent(try_out, scripted, manner, language):
    try_out(manner=manner, language=language)

    exam = "exam" if language == "en" else "考试"
    assert all(exam in text for text in scripted.texts())
    assert not any("frogs" in text.lower() for text in scripted.texts())


def test_where_the_rules_of_the_data_set_send_nothing_no_trial_is_made(try_out, scripted, pond):
    """A prompt holds the study's rubric, and may hold examples out of it."""
    DataSet.objects.filter(studies=pond).update(provider_policy=ProviderPolicy.NONE)
    with pytest.raises(CannotRun):
        try_out()
    assert not scripted.requests


def test_trying_makes_no_judge_and_leaves_a_line(try_out):
    try_out()

    assert not Rater.objects.filter(kind="judge").exists()
    assert Event.objects.filter(verb="judge.probed").count() == 1


def test_a_run_keeps_the_newest_trial_of_its_llm(try_out, ask, scripted):
    try_out()
    newest = try_out()
    try_out(llm="other")

    assert ask(as_json=False).probe == newest


def test_the_page_shows_what_came_and_keeps_the_form(as_user, ada, gwen, pond, scripted):
    scripted.answer = answering
    browser = as_user(ada)

    answer = browser.post(BASE + "start/try/", FORM | {"repeats": "3"})

    page = answer.content.decode()
    assert answer.status_code == 200
    assert "answered, and the answer can be read" in page
    assert 'name="repeats" value="3"' in page
    assert "18 calls" in page
    assert not JudgeRun.objects.exists()
    assert Probe.objects.get().made_by == ada

    browser.post(BASE + "start/", FORM)
    run = JudgeRun.objects.get()
    assert "Tried before the start" in browser.get(f"{BASE}{run.pk}/").content.decode()
    assert as_user(gwen).post(BASE + "start/try/", FORM).status_code == 403


def test_a_mistake_in_the_form_is_named_and_nothing_is_tried(as_user, ada, pond, scripted):
    answer = as_user(ada).post(BASE + "start/try/", FORM | {"llm": ""})

    assert answer.status_code == 422
    assert scripted.requests == []


def test_the_command_says_the_same(pond, scripted, capsys):
    scripted.answer = with_logprobs
    call_command("judge", "probe", "pond", "--llm", "echo")
    assert "Gives log probabilities: yes" in capsys.readouterr().out

    scripted.answer = lambda body, number: failing(401)
    with pytest.raises(CommandError, match="the key is refused"):
        call_command("judge", "probe", "pond", "--llm", "echo")


def test_the_stand_in_can_be_tried(try_out, scripted):
    scripted.answer = lambda body, number: (
        200,
        {},
        json.dumps(
            standin.respond("POST", "/v1/chat/completions", json.dumps(body).encode())[1]
        ).encode(),
    )

    assert try_out(llm=standin.NAME).has_answered
