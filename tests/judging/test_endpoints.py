"""Endpoints as records: what may be said of one, what is learnt of it, and what it is sent."""

import json
import re
from datetime import timedelta
from decimal import Decimal

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from accounts.models import Event, Role
from judging.actions import endpoints, probes, runs
from judging.actions.endpoints import EndpointSettings
from judging.actions.judges import Settings
from judging.models import JudgeRun, LLMEndpoint, LLMPrice, RunState
from judging.queries.endpoints import price_for
from judging.queries.wording import reason_paused
from judging.rules.outcomes import Pause
from tests.cast import approved
from tests.judging.conftest import SECRET, failing, work_until_it_rests
from tests.judging.test_probing import IN_JSON
from tests.trials import note_trial


def described(endpoint, **changes):
    told = {
        "key": "own",
        "name": "Our own",
        "base_url": endpoint.base_url,
        "key_reference": "env:CONCORD_LLM_KEY_OWN",
    }
    return EndpointSettings(**(told | changes))


def added(endpoint, **changes):
    """An endpoint where “echo” has been tried."""
    made = endpoints.add(described=described(endpoint, **changes), by=None, at=timezone.now())
    note_trial("echo", made.base_url, made.pk)
    return made


def started(study, record, *, as_json=False, **judge):
    return runs.start(
        study=study,
        judge=Settings(
            llm="echo", base_url=record.base_url, endpoint=record.pk, as_json=as_json, **judge
        ),
        repeats=1,
        concurrency=2,
        by=None,
        at=timezone.now(),
    )


def tried(study, record, **judge):
    asked = {"llm": "echo", "base_url": record.base_url, "endpoint": record.pk}
    return probes.try_out(
        study=study, judge=Settings(**(asked | judge)), by=None, at=timezone.now()
    )


MISTAKES = [
    ({"base_url": "https://elsewhere.example.org/v1"}, "not listed in CONCORD_LLM_HOSTS"),
    ({"base_url": "127.0.0.1/v1"}, "The address must begin"),
    ({"base_url": "http://user:pass@127.0.0.1/v1"}, "The address must hold no user name"),
    ({"key_reference": SECRET}, "not the key"),
    ({"key_reference": "env:CONCORD_SECRET_KEY"}, "not the key"),
    ({"key_reference": "file:../../etc/shadow"}, "not the key"),
    ({"headers": {"Authorization": "Bearer x"}}, "keys are named"),
    ({"headers": {"X-Api-Key": "x"}}, "keys are named"),
    ({"headers": {"X-Team": "a\r\nHost: b"}}, "no header"),
    ({"body": {"model": "another"}}, "set by the judge"),
]


@pytest.mark.django_db
@pytest.mark.parametrize(("change", "words"), MISTAKES)
def test_what_may_not_be_is_refused(elsewhere, change, words):
    with pytest.raises(endpoints.CannotAdd) as refusal:
        added(elsewhere, **change)

    assert any(words in problem for problem in refusal.value.args)
    assert not LLMEndpoint.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_two_endpoints_are_asked_side_by_side_each_with_its_own_key(
    pond, scripted, elsewhere, fast_clock, ask
):
    record = added(elsewhere, headers={"X-Team": "frogs"}, body={"top_p": 0.5})
    here = ask(as_json=False)
    there = work_until_it_rests(started(pond, record), fast_clock)

    assert (here.state, there.state) == (RunState.FINISHED, RunState.FINISHED)
    assert here.judge_id != there.judge_id
    assert (len(scripted.requests), len(elsewhere.requests)) == (6, 6)
    assert all(body["top_p"] == 0.5 for body in elsewhere.requests)
    assert not any("top_p" in body for body in scripted.requests)
    assert {one["Authorization"] for one in elsewhere.headers} == {f"Bearer {SECRET}"}
    assert {one["X-Team"] for one in elsewhere.headers} == {"frogs"}


@pytest.mark.django_db(transaction=True)
def test_azure_gets_its_key_in_a_header_of_its_own(pond, elsewhere, fast_clock):
    work_until_it_rests(started(pond, added(elsewhere, dialect="azure")), fast_clock)

    assert {one["api-key"] for one in elsewhere.headers} == {SECRET}
    assert not any(one["Authorization"] for one in elsewhere.headers)


@pytest.mark.django_db(transaction=True)
def test_an_endpoint_that_is_taken_out_of_use_pauses_its_runs(pond, elsewhere, fast_clock):
    record = added(elsewhere)
    run = started(pond, record)
    endpoints.retire(endpoint_id=record.pk, by=None, at=timezone.now())
    work_until_it_rests(run, fast_clock)

    assert (run.state, run.pause_reason) == (RunState.PAUSED, Pause.ENDPOINT_NOT_ALLOWED)
    assert elsewhere.requests == []
    with pytest.raises(runs.CannotRun, match="no longer in use"):
        runs.resume(run_id=run.pk, by=None, at=timezone.now())


@pytest.mark.django_db
def test_a_host_that_is_no_longer_listed_gets_nothing(pond, elsewhere, settings):
    record = added(elsewhere)
    settings.LLM_HOSTS = []

    with pytest.raises(runs.CannotRun, match="CONCORD_LLM_HOSTS"):
        started(pond, record)
    assert not JudgeRun.objects.exists()


@pytest.mark.django_db
def test_a_key_that_is_not_there_is_named_before_anything_is_sent(pond, elsewhere, monkeypatch):
    record = added(elsewhere)
    monkeypatch.delenv("CONCORD_LLM_KEY_OWN")

    with pytest.raises(runs.CannotRun, match="no key at env:CONCORD_LLM_KEY_OWN"):
        started(pond, record)


@pytest.mark.django_db
@pytest.mark.parametrize("key", [f"{SECRET}\r\n", f" {SECRET} "])
def test_blanks_around_a_key_are_no_part_of_it(pond, elsewhere, fast_clock, monkeypatch, key):
    record = added(elsewhere)
    monkeypatch.setenv("CONCORD_LLM_KEY_OWN", key)

    run = work_until_it_rests(started(pond, record), fast_clock)

    assert run.state == RunState.FINISHED
    assert {one["Authorization"] for one in elsewhere.headers} == {f"Bearer {SECRET}"}


@pytest.mark.django_db
@pytest.mark.parametrize("key", ["sk-a\nsk-b", "“sk-a”", "sk-é", "sk a", " "])
def test_a_key_that_no_header_can_carry_is_named_before_anything_is_sent(
    pond, elsewhere, monkeypatch, key
):
    record = added(elsewhere)
    monkeypatch.setenv("CONCORD_LLM_KEY_OWN", key)

    with pytest.raises(runs.CannotRun, match="none that can be sent") as refusal:
        started(pond, record)
    assert "sk" not in str(refusal.value)


@pytest.mark.django_db
def test_the_key_of_the_server_is_held_to_the_same(pond, scripted, settings, fast_clock):
    asked = {
        "study": pond,
        "judge": Settings(llm="echo", base_url=scripted.base_url, as_json=False),
        "repeats": 1,
        "concurrency": 2,
        "by": None,
        "at": timezone.now(),
    }
    settings.LLM_API_KEY = "sk-a\nsk-b"
    with pytest.raises(runs.CannotRun, match="CONCORD_LLM_API_KEY"):
        runs.start(**asked)

    settings.LLM_API_KEY = f"{SECRET}\n"
    work_until_it_rests(runs.start(**asked), fast_clock)
    assert {one["Authorization"] for one in scripted.headers} == {f"Bearer {SECRET}"}


def in_a_tool(body):
    call = {"function": {"name": body["tools"][0]["function"]["name"], "arguments": IN_JSON}}
    choice = {"message": {"content": None, "tool_calls": [call]}, "finish_reason": "tool_calls"}
    return 200, {}, json.dumps({"choices": [choice]}).encode()


def only_by_object(body, number):
    form = body.get("response_format", {}).get("type")
    return failing(400) if form == "json_schema" else IN_JSON if form else "Safe Response"


def only_by_tool(body, number):
    if "response_format" in body:
        return failing(400)
    return in_a_tool(body) if "tools" in body else "Safe Response"


def only_because_asked(body, number):
    if "response_format" in body or "tools" in body:
        return failing(400)
    return IN_JSON if "JSON object" in body["messages"][0]["content"] else "Safe Response"


LADDER = [
    (only_by_object, "json_object", "response_format"),
    (only_by_tool, "tool", "tools"),
    (only_because_asked, "plain", "messages"),
]


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(("answer", "rung", "member"), LADDER)
def test_a_run_asks_in_the_way_that_the_trial_found(
    pond, elsewhere, fast_clock, answer, rung, member
):
    elsewhere.answer = answer
    record = added(elsewhere)
    probe = tried(pond, record)
    n_tried = len(elsewhere.requests)
    run = work_until_it_rests(started(pond, record, as_json=True), fast_clock)

    assert probe.findings["rung"] == rung
    assert run.state == RunState.FINISHED
    assert {call.outcome for call in run.calls.all()} == {"rated"}
    assert {call.exchanges[0]["rung"] for call in run.calls.all()} == {rung}
    assert len(elsewhere.requests) - n_tried == 6
    assert all(member in body for body in elsewhere.requests[n_tried:])


@pytest.mark.django_db
def test_a_temperature_that_is_not_taken_is_found_out_before_a_run(pond, elsewhere):
    elsewhere.answer = lambda body, number: (
        failing(400) if "temperature" in body else only_by_object(body, number)
    )
    record = added(elsewhere)
    probe = tried(pond, record, temperature=0.0)

    assert probe.findings["temperature"] == "no"
    with pytest.raises(runs.CannotRun, match="takes no temperature"):
        started(pond, record, temperature=0.0)
    assert started(pond, record).state == RunState.RUNNING


@pytest.mark.django_db
def test_json_that_never_comes_is_found_out_before_a_run(pond, elsewhere):
    elsewhere.answer = lambda body, number: "Perhaps."
    record = added(elsewhere)
    assert "rung" not in tried(pond, record).findings
    with pytest.raises(runs.CannotRun, match="Have it answer plainly"):
        started(pond, record, as_json=True)
    assert started(pond, record).state == RunState.RUNNING


@pytest.mark.django_db
def test_the_price_for_the_day_counts_for_every_version(elsewhere):
    record, today = added(elsewhere), timezone.localdate()
    for prompt, since in ((1, today - timedelta(days=9)), (2, today), (3, today + timedelta(1))):
        endpoints.set_price(
            endpoint=record,
            llm="echo",
            prompt=prompt,
            answer=4,
            currency="EUR",
            since=since,
            by=None,
            at=timezone.now(),
        )
    newer = added(elsewhere, name="Ours, moved")

    assert newer.number == 2
    assert price_for("echo", newer.pk, on=today).prompt == 2
    assert price_for("echo", newer.pk, on=today - timedelta(days=3)).prompt == 1
    assert price_for("another", newer.pk, on=today) is None
    assert price_for("echo", None, on=today) is None


@pytest.mark.django_db
def test_an_administrator_adds_one_in_the_browser(as_user, terms, elsewhere):
    browser = as_user(approved("noor", terms, roles=[Role.ADMIN]))
    form = {
        "key": "own",
        "name": "Our own",
        "base_url": elsewhere.base_url,
        "dialect": "vllm",
        "key_reference": "env:CONCORD_LLM_KEY_OWN",
        "processor": "own",
        "body": '{"top_p": 0.9}',
    }
    answer = browser.post("/endpoints/add/", form)
    record = LLMEndpoint.objects.get()
    page = browser.get(answer.headers["Location"]).content.decode()
    price = {
        "llm": "echo",
        "prompt": "2.5",
        "answer": "10",
        "cached": "0.25",
        "currency": "EUR",
        "since": "2026-01-01",
    }
    browser.post(f"/endpoints/{record.pk}/price/", price)

    assert (record.dialect, record.body) == ("vllm", {"top_p": 0.9})
    assert SECRET not in page
    kept = LLMPrice.objects.get()
    assert (kept.answer, kept.cached) == (10, Decimal("0.25"))
    assert "0.25 EUR" in browser.get(f"/endpoints/{record.pk}/").text
    assert Event.objects.filter(verb__startswith="endpoint.").count() == 2
    assert browser.post("/endpoints/add/", form | {"key_reference": SECRET}).status_code == 422


@pytest.mark.django_db
def test_the_page_of_an_endpoint_tells_what_trials_have_shown(as_user, terms, pond, elsewhere):
    sam = approved("noor", terms, roles=[Role.ADMIN])
    record = endpoints.add(described=described(elsewhere), by=None, at=timezone.now())
    page = f"/endpoints/{record.pk}/"
    assert "No LLM has been tried at this version" in as_user(sam).get(page).text
    for llm in ("echo", "pike"):
        note_trial(llm, record.base_url, record.pk, seed="no" if llm == "pike" else "yes")
    note_trial("echo", record.base_url, record.pk, seed="unknown")
    told = re.sub(r"\s+", " ", as_user(sam).get(page).text)
    assert told.index("<summary>echo,") < told.index("<summary>pike,"), "the newest first"
    assert told.count("<summary>echo,") == 1, "of each LLM its newest trial"
    assert "Takes a seed</dt><dd>not known" in told


@pytest.mark.django_db
def test_the_command_adds_one_and_its_price(elsewhere, capsys):
    where = ["--name", "Ours", "--base-url", elsewhere.base_url]
    call_command("endpoint", "add", "ours", *where)
    price = ["price", "ours", "--llm", "echo", "--prompt", "1", "--answer"]
    call_command("endpoint", *price, "2")
    call_command("endpoint", *price, "1", "--is-for-batches")
    call_command("endpoint", "list")

    assert f"ours 1: {elsewhere.base_url} (openai)" in capsys.readouterr().out
    prices = LLMPrice.objects.order_by("answer").values_list("answer", "is_for_batches")
    assert list(prices) == [(1, True), (2, False)]
    call_command("endpoint", "retire", "ours")
    with pytest.raises(CommandError, match="no endpoint ours"):
        call_command("endpoint", "retire", "ours")


def test_the_command_says_what_may_be_chosen(capsys):
    with pytest.raises(SystemExit):
        call_command("endpoint", "add", "--help")
    told = capsys.readouterr().out
    assert "{openai,azure,vllm,ollama,anthropic,gemini}" in told
    assert "{own,contracted,other}" in told


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    ("status", "words"),
    [(404, "Check the name and the address of"), (308, "Set the address of")],
)
def test_a_pause_names_the_endpoint_whose_address_is_wrong(
    pond, elsewhere, fast_clock, status, words
):
    elsewhere.answer = lambda body, number: failing(status)
    record = added(elsewhere)
    run = work_until_it_rests(started(pond, record), fast_clock)

    assert f"{words} “{record.name}”" in reason_paused(run)
    assert "CONCORD_LLM_BASE_URL" not in reason_paused(run)
