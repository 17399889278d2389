"""What a trial of an LLM has shown binds whoever starts it; what none has shown is told."""

import io
from datetime import timedelta

import pytest
from django.core.management import call_command
from django.utils import timezone

from annotation.models import Item
from judging import standin
from judging.actions import endpoints, probes, runs, sentinels
from judging.actions.judges import Settings
from judging.actions.runs import CannotRun
from judging.models import JudgeRun, Probe
from judging.rules.endpoints import Dialect
from tests.judging.conftest import failing, work_until_it_rests
from tests.judging.test_pages import BASE
from tests.trials import note_trial

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


def by_command(*more):
    told = io.StringIO()
    call_command("judge", "start", "pond", "--llm", "echo", *more, stderr=told)
    return told.getvalue()


@pytest.mark.parametrize("answers", [[], ["--plain"]])
def test_who_starts_what_was_never_tried_is_told_the_way_to_a_trial(pond, scripted, answers):
    told = by_command(*answers)

    assert "“echo” was not tried there yet" in told
    assert "manage.py judge probe" in told
    assert JudgeRun.objects.get().probe is None


def test_who_has_tried_it_is_told_nothing(pond, scripted):
    probes.try_out(study=pond, judge=asked(scripted), by=None, at=timezone.now())

    assert by_command("--plain") == ""
    assert JudgeRun.objects.get().probe == Probe.objects.get()


def test_an_endpoint_that_knows_its_recordings_alone_can_be_started(pond, scripted):
    """It answers no made-up dialogue, so no trial of it ever goes well."""
    note = "gave no answer when it was tried last"
    scripted.answer = lambda body, number: failing(404, message="no recorded item matches")
    probes.try_out(study=pond, judge=asked(scripted), by=None, at=timezone.now())

    assert note in by_command("--plain")
    assert JudgeRun.objects.exists()


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
        place = "echo", elsewhere.base_url, made.pk
        assert "not tried there yet" in runs.reason_to_try(*place)
        note_trial(*place)
        assert runs.reason_to_try(*place) is None
    assert "“other” was not tried there yet" in runs.reason_to_try("other", *place[1:])


def test_the_stand_in_is_known_and_needs_no_trial(pond, scripted):
    assert runs.reason_to_try(standin.NAME, scripted.base_url, None) is None


@pytest.fixture
def answered(pond, scripted, ada, fast_clock):
    """A run in which the endpoint refused one item."""
    note_trial("echo", scripted.base_url)
    scripted.answer = lambda body, number: failing(400) if number == 3 else "Safe Response"
    run = work_until_it_rests(start(pond, asked(scripted, temperature=0.5)), fast_clock)
    scripted.answer = lambda body, number: "Safe Response"
    return run


def test_what_failed_is_not_asked_again_as_a_trial_has_shown_not_to_work(answered, scripted):
    note_trial("echo", scripted.base_url, temperature="no")
    with pytest.raises(CannotRun, match="takes no temperature"):
        runs.retry_failed(run_id=answered.pk, by=None, at=timezone.now())


def test_sentinels_wait_until_it_is_mended_and_their_page_says_so(
    answered, as_user, ada, pond, scripted, fast_clock, monkeypatch
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
    assert "takes no temperature" not in as_user(ada).get(page).text
    note_trial("echo", scripted.base_url, temperature="no")

    sentinels.ask_due(at=timezone.now() + timedelta(days=2))

    assert not placed.runs.exists()
    assert "takes no temperature" in as_user(ada).get(page).text


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
