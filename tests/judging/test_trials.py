"""Nothing is started with an LLM that nobody has tried where it is asked."""

from datetime import timedelta

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from accounts.actions import tokens
from accounts.models import Scope
from annotation.models import Item
from judging import standin
from judging.actions import comparing, endpoints, generating, probes, runs, sentinels
from judging.actions.generating import GeneratorSettings
from judging.actions.judges import Settings
from judging.actions.runs import CannotRun
from judging.models import JudgeRun, Probe
from judging.rules import trials
from judging.rules.comparing import PairsWanted
from judging.rules.endpoints import Dialect
from judging.writing import EDITION
from tests.judging.conftest import failing, work_until_it_rests
from tests.judging.test_pages import BASE, FORM
from tests.trials import FOUND, note_trial

pytestmark = pytest.mark.django_db


@pytest.fixture
def scripted(untried):
    """Here nobody has tried anything before."""
    return untried


def asked(scripted, **changes):
    return Settings(**{"llm": "echo", "base_url": scripted.base_url, "as_json": False} | changes)


def start(study, judge):
    return runs.start(
        study=study, judge=judge, repeats=1, concurrency=1, by=None, at=timezone.now()
    )


def by_page(as_user, client, ada, pond, scripted):
    return as_user(ada).post(f"{BASE}start/", FORM).text


def by_program(as_user, client, ada, pond, scripted):
    _token, words = tokens.make(name="p", scopes=[Scope.JUDGE], days=1, by=ada, at=timezone.now())
    return client.post(
        "/api/v1/studies/pond/runs/start/",
        {"llm": "echo", "answers": "plain"},
        content_type="application/json",
        headers={"Authorization": f"Bearer {words}"},
    ).text


def by_command(as_user, client, ada, pond, scripted):
    with pytest.raises(CommandError) as refusal:
        call_command("judge", "start", "pond", "--llm", "echo", "--plain", "--inline")
    return str(refusal.value)


def of_pairs(as_user, client, ada, pond, scripted):
    first = Item.objects.filter(study=pond).order_by("pk").first()
    Item.objects.filter(pk=first.pk).update(generator="kind")
    Item.objects.create(
        study=pond,
        dialogue=first.dialogue,
        key="other",
        position=900,
        reply="No.",
        generator="curt",
        content_sha256="0" * 64,
    )
    with pytest.raises(CannotRun) as refusal:
        comparing.start(
            study=pond,
            judge=asked(scripted),
            wanted=PairsWanted(overall=True),
            repeats=1,
            concurrency=1,
            by=None,
            at=timezone.now(),
        )
    return str(refusal.value)


def of_replies(as_user, client, ada, pond, scripted):
    Item.objects.filter(study=pond).update(reply=None)
    with pytest.raises(CannotRun) as refusal:
        generating.start(
            study=pond,
            generators=[
                GeneratorSettings(
                    name="kind", system="", asked=asked(scripted, prompt_edition=EDITION)
                )
            ],
            repeats=1,
            concurrency=1,
            by=None,
            at=timezone.now(),
        )
    return str(refusal.value)


@pytest.mark.parametrize("door", [by_page, by_program, by_command, of_pairs, of_replies])
def test_what_was_never_tried_is_not_started_and_the_way_to_a_trial_is_told(
    door, as_user, client, ada, pond, scripted
):
    told = door(as_user, client, ada, pond, scripted)

    assert "was not tried there yet" in told
    assert "Try it first" in told
    assert "manage.py judge probe" in told
    assert not JudgeRun.objects.exists()
    assert scripted.requests == []


def test_after_a_trial_it_is_started(pond, scripted):
    judge = asked(scripted)
    with pytest.raises(CannotRun, match="not tried there yet"):
        start(pond, judge)

    probes.try_out(study=pond, judge=judge, by=None, at=timezone.now())

    assert start(pond, judge).probe == Probe.objects.get()


def test_a_trial_is_of_one_llm_at_one_version_of_an_endpoint(pond, ada, elsewhere, scripted):
    note_trial("echo", scripted.base_url)
    described = {
        "key": "own",
        "name": "Own",
        "base_url": elsewhere.base_url,
        "dialect": Dialect.VLLM.value,
        "key_reference": "env:CONCORD_LLM_KEY_OWN",
        "processor": "own",
        "most_at_once": None,
        "headers": {},
        "body": {},
    }
    for body in ({}, {"top_p": 0.9}):
        made = endpoints.add(
            described=endpoints.EndpointSettings(**described | {"body": body}),
            by=ada,
            at=timezone.now(),
        )
        judge = asked(scripted, base_url=elsewhere.base_url, endpoint=made.pk)
        with pytest.raises(CannotRun, match="not tried there yet"):
            start(pond, judge)
        note_trial("echo", elsewhere.base_url, made.pk)
    with pytest.raises(CannotRun, match="“other” was not tried there yet"):
        start(pond, asked(scripted, llm="other"))

    assert start(pond, judge).judge.endpoint == made


def test_the_stand_in_is_known_and_needs_no_trial(pond, scripted):
    assert start(pond, asked(scripted, llm=standin.NAME)).judge.is_stand_in


# What the newest trial found, how it is to be asked, and what is said against it.
REASONS = [
    (None, {}, "was not tried there yet"),
    ({"plain": "endpoint_error"}, {}, "gave no answer when it was tried last"),
    (FOUND, {}, None),
    (FOUND, {"has_temperature": True, "in_json": True}, None),
    ({"json": "rated"}, {"has_temperature": True}, "was tried without a temperature"),
    ({"json": "rated", "temperature": "no"}, {"has_temperature": True}, "takes no temperature"),
    ({"json": "rated", "temperature": "no"}, {}, None),
    ({"json": "endpoint_error"}, {"in_json": True}, "broke off before it was known"),
    ({"json": "no_answer", "by_plain": "no_answer"}, {"in_json": True}, "no answer in JSON"),
    ({"json": "no_answer", "by_plain": "no_answer"}, {}, None),
]


@pytest.mark.parametrize(("learnt", "how", "words"), REASONS)
def test_what_a_trial_must_have_shown(learnt, how, words):
    how = {"has_temperature": False, "in_json": False} | how
    reason = trials.reason_not_to_ask(learnt, llm="echo", **how)

    assert (words in reason) if words else reason is None


@pytest.fixture
def answered(pond, scripted, ada, fast_clock):
    """A run in which the endpoint refused one item."""
    note_trial("echo", scripted.base_url)
    scripted.answer = lambda body, number: failing(400) if number == 3 else "Safe Response"
    run = work_until_it_rests(start(pond, asked(scripted)), fast_clock)
    scripted.answer = lambda body, number: "Safe Response"
    return run


def forget_trials():
    JudgeRun.objects.update(probe=None)
    Probe.objects.all().delete()


def test_what_failed_is_not_asked_again_without_one(answered):
    forget_trials()
    with pytest.raises(CannotRun, match="not tried there yet"):
        runs.retry_failed(run_id=answered.pk, by=None, at=timezone.now())


def test_sentinels_wait_for_one_and_their_page_says_so(
    answered, as_user, ada, pond, fast_clock, monkeypatch
):
    monkeypatch.setattr(sentinels, "FEWEST", 1)
    placed = sentinels.place(
        study=pond,
        judge=answered.judge,
        n_items=2,
        margin=0.1,
        every_days=1,
        seed="s",
        by=ada,
        at=fast_clock(),
    )
    page = f"/studies/pond/agreement/sentinels/{answered.judge.rater_id}/"
    assert "not tried there yet" not in as_user(ada).get(page).text
    forget_trials()

    sentinels.ask_due(at=timezone.now() + timedelta(days=2))

    assert not placed.runs.exists()
    assert "not tried there yet" in as_user(ada).get(page).text


GENERATION = {
    "generator-TOTAL_FORMS": "2",
    "generator-INITIAL_FORMS": "0",
    "generator-0-name": "kind",
    "generator-0-llm": "echo",
    "generator-0-temperature": "0.5",
    "repeats": "1",
    "concurrency": "1",
}


def test_a_generator_is_tried_on_the_page_that_starts_it(as_user, ada, pond, scripted):
    Item.objects.filter(study=pond).update(reply=None)
    browser, page = as_user(ada), f"{BASE}replies/write/"
    refused = browser.post(page, GENERATION)
    assert "not tried there yet" in refused.text
    assert scripted.requests == []

    tried = browser.post(page, GENERATION | {"try": "generator-0"})

    assert tried.status_code == 200
    assert "Tried with a made-up dialogue" in tried.text
    assert all("exam" in text for text in scripted.texts())
    assert not JudgeRun.objects.exists()
    assert browser.post(page, GENERATION).status_code == 302
    assert JudgeRun.objects.get().probe == Probe.objects.get()


def test_only_a_generator_that_was_described_is_tried(as_user, ada, pond, scripted):
    browser, page = as_user(ada), f"{BASE}replies/write/"

    assert browser.post(page, GENERATION | {"try": "generator-9"}).status_code == 404
    nameless = browser.post(page, GENERATION | {"generator-0-name": "", "try": "generator-0"})
    assert nameless.status_code == 422
    assert scripted.requests == []
