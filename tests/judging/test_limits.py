"""What a run may use at most, and what it does when that is used up."""

import json

import pytest
from django.utils import timezone

from accounts.models import Event
from judging.actions import calls, runs
from judging.actions.judges import Settings
from judging.models import JudgeCall, JudgeRun, RunState
from judging.queries.runs import interview_of, run_with_judge
from judging.queries.wording import reason_paused
from judging.rules.budget import Limit
from judging.rules.questions import AskingManner
from tests.judging.conftest import failing, work_until_it_rests
from tests.services import together

pytestmark = pytest.mark.django_db


@pytest.fixture
def begin(pond, scripted, fast_clock):
    """begin(limit=..., ...) starts a run on the pond's six items and works until it rests."""

    def begun(*, limit, concurrency=2, repeats=1, **judge):
        run = runs.start(
            study=pond,
            judge=Settings(llm="echo", base_url=scripted.base_url, **judge),
            repeats=repeats,
            concurrency=concurrency,
            by=None,
            at=fast_clock(),
            limit=limit,
        )
        return work_until_it_rests(run, fast_clock)

    return begun


def counted(*, prompt, answer, total=None, text="Safe Response"):
    """An answer with the tokens that the endpoint counted."""
    summed = {} if total is None else {"total_tokens": total}
    completion = {
        "id": "c",
        "model": "echo-1",
        "choices": [{"message": {"content": text}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": prompt, "completion_tokens": answer, **summed},
    }
    return 200, {}, json.dumps(completion).encode()


def n_done(run):
    return JudgeCall.objects.filter(run=run, state="done").count()


def test_a_run_stops_at_its_requests_and_goes_on_with_more(begin, scripted, fast_clock):
    run = begin(limit=Limit(requests=4), as_json=False)

    assert (run.state, run.pause_reason) == (RunState.PAUSED, "limit_reached")
    assert len(scripted.requests) == n_done(run) == run.used_requests == 4
    assert "higher limit" in reason_paused(run)

    with pytest.raises(runs.CannotRun, match="used 4 requests already"):
        runs.resume(run_id=run.pk, by=None, at=fast_clock())
    runs.resume(run_id=run.pk, by=None, at=fast_clock(), limit=Limit(requests=5))
    work_until_it_rests(run, fast_clock)
    assert (run.state, len(scripted.requests)) == (RunState.PAUSED, 5)

    runs.resume(run_id=run.pk, by=None, at=fast_clock(), limit=Limit())
    work_until_it_rests(run, fast_clock)
    assert (run.state, len(scripted.requests)) == (RunState.FINISHED, 6)
    facts = Event.objects.filter(verb="judge_run.resumed").order_by("pk").values_list("facts")
    assert [each["limit_requests"] for (each,) in facts] == [5, None]


def test_a_limit_that_just_suffices_finishes_the_run(begin, scripted):
    run = begin(limit=Limit(requests=12), repeats=2, as_json=False)

    assert (run.state, run.used_requests) == (RunState.FINISHED, 12)


def test_a_run_stops_before_its_tokens_are_used_up(begin, scripted):
    scripted.answer = lambda body, number: counted(prompt=700, answer=10)

    free = begin(limit=Limit(), as_json=False)
    assert (free.used_requests, free.used_tokens) == (6, 6 * 710)

    run = begin(limit=Limit(tokens=3_000), as_json=False, max_tokens=10)
    assert (run.state, run.pause_reason) == (RunState.PAUSED, "limit_reached")
    assert 0 < run.used_tokens <= 3_000
    assert run.used_tokens == 710 * n_done(run)


def test_answers_longer_than_reckoned_stop_what_is_not_sent_yet(begin, scripted):
    scripted.answer = lambda body, number: counted(prompt=700, answer=50_000)

    run = begin(limit=Limit(tokens=20_000), concurrency=1, as_json=False)

    assert (run.state, run.pause_reason) == (RunState.PAUSED, "limit_reached")
    # At most what had been set aside for: four calls of the six.
    assert 1 <= len(scripted.requests) == n_done(run) <= 4
    assert run.used_tokens == 50_700 * n_done(run)


def test_an_endpoint_that_does_not_count_is_reckoned_with(begin, scripted):
    run = begin(limit=Limit(tokens=4_000), as_json=False, max_tokens=10)

    assert run.state == RunState.PAUSED
    assert 0 < run.used_tokens <= 4_000
    assert 0 < n_done(run) < 6


@pytest.mark.parametrize("told", [-1_000_000, 10**30, True])
def test_a_count_that_cannot_be_one_is_reckoned_instead(begin, scripted, told):
    scripted.answer = lambda _body, _number: counted(prompt=told, answer=told)
    run = begin(limit=Limit(tokens=10_000), as_json=False, max_tokens=20)

    assert (run.state, n_done(run)) == (RunState.FINISHED, 6)
    assert 6 * 20 < run.used_tokens < 10_000


def test_requests_that_fail_count_and_those_that_come_too_fast_do_not(begin, scripted):
    scripted.answer = lambda body, number: {
        1: failing(500),
        2: failing(429, retry_after="0.2"),
    }.get(number, "Safe Response")

    run = begin(limit=Limit(requests=20), concurrency=1, as_json=False)

    assert run.state == RunState.FINISHED
    assert len(scripted.requests) == 8
    assert run.used_requests == 7


def test_node_by_node_an_item_gets_room_for_all_its_questions(begin, scripted):
    scripted.answer = lambda body, number: "Yes"  # the first node decides

    run = begin(
        limit=Limit(requests=5), concurrency=1, manner=AskingManner.SEQUENTIAL, as_json=False
    )

    # A fourth item might take four requests, and three of the five are used.
    assert (run.state, run.pause_reason) == (RunState.PAUSED, "limit_reached")
    assert len(scripted.requests) == run.used_requests == n_done(run) == 2


@pytest.mark.django_db(transaction=True)
def test_two_workers_at_once_set_no_more_aside_than_there_is(pond, scripted):
    started = runs.start(
        study=pond,
        judge=Settings(llm="echo", base_url=scripted.base_url, as_json=False),
        repeats=1,
        concurrency=2,
        by=None,
        at=timezone.now(),
        limit=Limit(requests=3),
    )
    run = run_with_judge(started.pk)

    def claim():
        return calls.claim(run=run, interview=interview_of(run), most=2, at=timezone.now())

    claimed = [call for of_one in together(claim, claim) for call in of_one]

    assert len({call.pk for call in claimed}) == len(claimed) == 3
    assert JudgeRun.objects.get().used_requests == 3


def test_what_a_dead_worker_had_set_aside_counts_as_used(pond, scripted):
    now = timezone.now()
    started = runs.start(
        study=pond,
        judge=Settings(llm="echo", base_url=scripted.base_url, as_json=False),
        repeats=1,
        concurrency=2,
        by=None,
        at=now,
        limit=Limit(requests=3),
    )
    run = run_with_judge(started.pk)

    def claim(at):
        return calls.claim(run=run, interview=interview_of(run), most=2, at=at)

    assert len(claim(now)) == 2
    assert len(claim(now + 2 * calls.LEASE)) == 1  # the two may have been asked already
    with pytest.raises(calls.LimitReached):
        claim(now + 4 * calls.LEASE)
    run.refresh_from_db()
    assert run.used_requests == 3
