"""A real worker, a real HTTP endpoint that exchanges its LLM, and the card of that judge."""

import json
from datetime import timedelta

import pytest
from django.utils import timezone

from analytics.policies.loading import shipped
from analytics.ratings import matrices
from analytics.ratings.matrices import PLAIN
from analytics.stats.verdicts import EndpointChange
from analytics.trust import numbers as trust
from judging.actions import runs
from judging.actions.judges import Settings
from judging.models import JudgeRun, RunState
from tests.analytics.made import human, items_of, rate
from tests.judging.conftest import failing
from tests.services import wait_until
from tests.trials import tried

pytestmark = pytest.mark.django_db(transaction=True)


def answering(llm, fingerprint):
    """A completion as OpenAI sends it."""
    body = {
        "id": "c1",
        "model": llm,
        "system_fingerprint": fingerprint,
        "choices": [
            {
                "index": 0,
                "message": {"role": "assistant", "content": "Safe Response"},
                "finish_reason": "stop",
            }
        ],
    }
    return 200, {}, json.dumps(body).encode()


def run_by_a_worker(study, base_url):
    judge = tried(Settings(llm="gpt-x", base_url=base_url, as_json=False))
    run = runs.start(study=study, judge=judge, repeats=1, concurrency=1, by=None, at=timezone.now())
    wait_until(lambda: JudgeRun.objects.filter(pk=run.pk, state=RunState.FINISHED).exists())


def card_of(study):
    report = trust.make(matrices.read(study.pk), view=PLAIN, at=timezone.now())
    (known,) = report.known
    (line,) = report.criteria
    return known, trust.card_of(known, line, shipped()["default"])


def test_a_card_expires_when_the_endpoint_answers_with_another_llm(pond, scripted, start_worker):
    ruth = human("ruth")
    for item in items_of(pond):
        rate(ruth, item, safety="safe_response")
    start_worker(CONCORD_LLM_BASE_URL=scripted.base_url)

    scripted.answer = lambda body, number: answering("gpt-x-03", "fp_a")
    run_by_a_worker(pond, scripted.base_url)
    known, card = card_of(pond)
    assert [(one.llm, one.fingerprint, one.n_answers) for one in known.answerers] == [
        ("gpt-x-03", "fp_a", 6)
    ]
    assert not card.is_expired

    scripted.answer = lambda body, number: answering("gpt-x-03", "fp_b")
    run_by_a_worker(pond, scripted.base_url)
    known, card = card_of(pond)
    assert trust.change_of(known, 0.05) is EndpointChange.FINGERPRINT
    assert not card.is_expired

    scripted.answer = lambda body, number: answering(
        "gpt-x-08" if number > 14 else "gpt-x-03", "fp_b"
    )
    run_by_a_worker(pond, scripted.base_url)
    known, card = card_of(pond)
    assert [(one.llm, one.fingerprint, one.n_answers, one.n_first) for one in known.answerers] == [
        ("gpt-x-03", "fp_a", 6, 6),
        ("gpt-x-03", "fp_b", 8, 0),
        ("gpt-x-08", "fp_b", 4, 0),
    ]
    assert trust.change_of(known, 0.05) is EndpointChange.LLM
    assert card.is_expired


def told_by_all_calls(run):
    """Who answered a run and when first, looked up in every one of its calls."""
    found = {}
    ended = run.calls.filter(state="done").exclude(answered_llm=None).exclude(answered_llm="")
    for call in ended:
        who = (call.answered_llm, call.answered_fingerprint or "")
        at, first = found.get(who, (call.answered_at, call.pk))
        found[who] = (min(at, call.answered_at), min(first, call.pk))
    return found


def kept_with(run):
    rows = run.answerers.values_list("llm", "fingerprint", "first_at", "first_call")
    return {(llm, fingerprint): (at, call) for llm, fingerprint, at, call in rows}


def test_a_run_keeps_who_answered_it_as_its_calls_end(ask, scripted):
    names = ["fp_a", "", "fp_b", "fp_a"]
    scripted.answer = lambda body, number: answering("gpt-x", names[number % len(names)])
    run = ask(repeats=2, concurrency=3)
    assert kept_with(run) == told_by_all_calls(run)
    assert {fingerprint for _llm, fingerprint in kept_with(run)} == {"", "fp_a", "fp_b"}


def test_an_earlier_answer_that_is_written_down_later_is_the_first(ask, scripted):
    scripted.answer = lambda body, number: answering("gpt-x", "fp_a")
    run = ask()
    late = run.calls.order_by("-pk").first()
    late.answered_at -= timedelta(hours=1)
    late.save()
    assert kept_with(run) == told_by_all_calls(run)
    assert kept_with(run)["gpt-x", "fp_a"][0] == late.answered_at


def test_calls_that_have_not_ended_name_nobody(ask, scripted):
    scripted.answer = lambda body, number: failing(401)
    run = ask()
    assert run.state == RunState.PAUSED
    assert kept_with(run) == {}
