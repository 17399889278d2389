"""What a run costs: reckoned before, projected during, and never more than was allowed."""

import json
import threading
from datetime import timedelta
from decimal import Decimal

import pytest
from django.utils import timezone

from judging.actions import calls, endpoints, runs
from judging.actions.judges import Settings
from judging.models import RunState
from judging.queries import showing
from judging.queries.runs import interview_of
from judging.rules.budget import Limit
from judging.rules.outcomes import Pause
from tests.judging.conftest import failing, work_until_it_rests
from tests.judging.test_endpoints import added
from tests.judging.test_limits import counted
from tests.trials import tried

A_CALL = Decimal("0.0072")  # 700 tokens of a prompt and 10 of an answer at the price below


@pytest.fixture
def cached():
    """What a million tokens from the cache cost, where they have a price of their own."""


@pytest.fixture
def begin(pond, elsewhere, fast_clock, cached):
    """begin(money=...) has a judge with a price rate the pond until it rests."""
    record = added(elsewhere)
    endpoints.set_price(
        endpoint=record,
        llm="echo",
        prompt=Decimal(10),
        answer=Decimal(20),
        cached=cached,
        currency="EUR",
        since=timezone.now().date() - timedelta(days=1),
        by=None,
        at=timezone.now(),
    )

    def begun(*, money=None, repeats=10, concurrency=8, llm="echo", max_tokens=10):
        run = runs.start(
            study=pond,
            judge=tried(
                Settings(
                    llm=llm,
                    base_url=record.base_url,
                    endpoint=record.pk,
                    as_json=False,
                    max_tokens=max_tokens,
                )
            ),
            repeats=repeats,
            concurrency=concurrency,
            by=None,
            at=fast_clock(),
            limit=Limit(money=money),
        )
        return work_until_it_rests(run, fast_clock)

    return begun


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("concurrency", [1, 8, 32])
@pytest.mark.parametrize("prompt", [700, 1500])
def test_a_cap_is_never_exceeded_by_more_than_a_call(begin, elsewhere, concurrency, prompt):
    elsewhere.answer = lambda body, number: counted(prompt=prompt, answer=10)
    cap = Decimal("0.2")
    run = begin(money=cap, concurrency=concurrency)
    a_call = run.price.of(prompt=prompt, answer=10)

    assert (run.state, run.pause_reason) == (RunState.PAUSED, Pause.LIMIT_REACHED)
    assert run.used_money == a_call * len(elsewhere.requests)
    assert cap / 2 < run.used_money <= cap + a_call


@pytest.mark.django_db(transaction=True)
def test_a_run_goes_on_with_a_higher_cap_and_not_with_the_same(begin, elsewhere, fast_clock):
    elsewhere.answer = lambda body, number: counted(prompt=700, answer=10)
    run = begin(money=Decimal("0.1"))
    runs.resume(run_id=run.pk, by=None, at=fast_clock(), limit=Limit(money=Decimal(9)))
    work_until_it_rests(run, fast_clock)

    assert run.state == RunState.FINISHED
    assert run.used_money == 60 * A_CALL


@pytest.mark.django_db(transaction=True)
def test_an_answer_that_does_not_come_in_time_is_counted_as_if_it_were_billed(
    begin,
    elsewhere,
    settings,
):
    settings.LLM_TIMEOUT = 4
    is_asked_again = threading.Event()

    def slow_at_first(body, number):
        if number == 1:
            assert is_asked_again.wait(60)
        is_asked_again.set()
        return counted(prompt=700, answer=10)

    elsewhere.answer = slow_at_first
    run = begin(repeats=1, concurrency=1)

    assert (run.state, run.used_requests) == (RunState.FINISHED, 7)
    assert run.used_tokens > 6 * 710
    assert run.used_money > 6 * A_CALL


@pytest.mark.django_db(transaction=True)
def test_what_was_thought_is_paid_for_where_only_the_total_counts_it(begin, elsewhere):
    """As Gemini and xAI count: their answers are the visible ones, and thoughts cost the same."""
    elsewhere.answer = lambda body, number: counted(prompt=700, answer=10, total=1210)
    run = begin(repeats=1, concurrency=1)

    assert run.used_tokens == 6 * 1210
    assert run.used_money == 6 * run.price.of(prompt=700, answer=510)


IN_CACHE = {
    "openai": {"prompt_tokens_details": {"cached_tokens": 600}},
    "deepseek": {"prompt_cache_hit_tokens": 600, "prompt_cache_miss_tokens": 100},
    "moonshot": {"cached_tokens": 600},
    "more than there were": {"cached_tokens": 10_000},
    "no count": {"prompt_tokens_details": {"cached_tokens": -600}},
    "nothing": {"prompt_tokens_details": None},
}
N_CACHED = dict(zip(IN_CACHE, (600, 600, 600, 700, 0, 0), strict=True))


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("cached", [None, Decimal(1), Decimal(0)], ids=["full", "less", "free"])
@pytest.mark.parametrize("way", IN_CACHE)
def test_what_an_endpoint_had_in_its_cache_is_paid_at_its_own_price(begin, elsewhere, way, cached):
    status, headers, body = counted(prompt=700, answer=10)
    told = json.loads(body)
    told["usage"] |= IN_CACHE[way]
    elsewhere.answer = lambda _body, _number: (status, headers, json.dumps(told).encode())

    run = begin(repeats=1)

    price = Decimal(10) if cached is None else cached
    kept = N_CACHED[way]
    assert run.used_money == 6 * ((700 - kept) * 10 + kept * price + 10 * 20) / 1_000_000
    assert run.used_tokens == 6 * 710


@pytest.mark.django_db(transaction=True)
def test_an_answer_that_was_broken_off_is_paid_for(begin, elsewhere):
    def broken_off_at_first(body, number):
        status, headers, told = counted(prompt=700, answer=10)
        return status, headers, told.replace(b'"stop"', b'"error"') if number == 1 else told

    elsewhere.answer = broken_off_at_first
    run = begin(repeats=1, concurrency=1)

    assert (run.used_requests, run.used_money) == (7, 7 * A_CALL)


@pytest.mark.django_db(transaction=True)
def test_an_error_of_the_endpoint_costs_nothing(begin, elsewhere):
    elsewhere.answer = lambda body, number: (
        failing(500) if number == 1 else counted(prompt=700, answer=10)
    )
    run = begin(repeats=1, concurrency=1)

    assert run.used_money == 6 * A_CALL


@pytest.mark.django_db
def test_a_run_without_a_price_is_refused_a_cap(begin):
    with pytest.raises(runs.CannotRun, match="what this LLM costs"):
        begin(money=Decimal(1), llm="another")


@pytest.mark.django_db(transaction=True)
def test_the_cost_is_projected_from_what_was_spent(begin, elsewhere, as_user, ada, pond):
    elsewhere.answer = lambda body, number: counted(prompt=700, answer=10)
    run = begin(money=Decimal("0.1"))
    status = showing.status_of(run, at=timezone.now())
    page = as_user(ada).get(f"/studies/pond/judges/{run.pk}/").content.decode()

    assert status.projected_money == pytest.approx(60 * A_CALL)
    assert f"{run.used_money:.4f} EUR" in page


@pytest.mark.django_db(transaction=True)
def test_what_is_set_aside_for_calls_under_way_is_no_cost_of_those_made(
    begin, elsewhere, fast_clock, as_user, ada
):
    elsewhere.answer = lambda body, number: counted(prompt=700, answer=10)
    run = begin(money=Decimal("0.03"))
    n_done = run.calls.filter(state="done").count()
    runs.resume(run_id=run.pk, by=None, at=fast_clock(), limit=Limit(money=Decimal(9)))
    run.refresh_from_db()
    claimed = calls.claim(run=run, interview=interview_of(run), most=30, at=timezone.now())
    each = max(one.set_aside.money for one in claimed)

    status = showing.status_of(showing.run_numbered(run.pk), at=timezone.now())
    page = as_user(ada).get(f"/studies/pond/judges/{run.pk}/").content.decode()
    assert len(claimed) > n_done
    assert status.projected_money <= 60 * each
    assert "Spent or set aside" in page


@pytest.mark.django_db(transaction=True)
def test_what_a_first_run_cost_is_not_projected_again_where_it_is_asked_anew(
    begin, elsewhere, fast_clock
):
    elsewhere.answer = lambda body, number: (
        counted(prompt=700, answer=10) if number % 20 == 1 else failing(400)
    )
    run = begin(repeats=10, concurrency=1)
    assert (run.state, run.used_money) == (RunState.FINISHED, 3 * A_CALL)

    again = runs.retry_failed(run_id=run.pk, by=None, at=fast_clock())
    elsewhere.answer = lambda body, number: counted(prompt=700, answer=10)
    runs.resume(run_id=again.pk, by=None, at=fast_clock())
    runs.retune(run_id=again.pk, by=None, at=fast_clock(), concurrency=1, limit=Limit(requests=70))
    work_until_it_rests(again, fast_clock)

    status = showing.status_of(again, at=timezone.now())
    assert 0 < status.progress.done < 57
    assert status.projected_money == pytest.approx(60 * A_CALL)
