"""One worker holds a run as long as it lives; what a dead one had in hand is taken up at once."""

import gc
import threading
import time
from datetime import timedelta

import pytest
from django.db import OperationalError, connection
from django.utils import timezone

from judging.actions import calls, runs, work
from judging.actions.holding import held
from judging.actions.judges import Settings
from judging.models import CallState, JudgeCall, JudgeRun, RunState
from judging.providers.crew import Crew
from judging.queries.runs import interview_of, run_with_judge, runs_to_wake
from judging.rules.budget import Limit
from judging.tasks import work_on_run
from tests.judging.conftest import failing, work_until_it_rests
from tests.judging.test_worker import is_finished
from tests.services import LONGEST, beside, came_of, wait_until
from tests.trials import tried

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def start(pond, scripted):
    """start(llm) starts a run, at which nobody works."""

    def started(llm):
        begun = runs.start(
            study=pond,
            judge=Settings(llm=llm, base_url=scripted.base_url, as_json=False),
            repeats=2,
            concurrency=2,
            by=None,
            at=timezone.now(),
        )
        return run_with_judge(begun.pk)

    return started


@pytest.fixture
def run(start):
    return start("echo")


@pytest.fixture
def somebody():
    """somebody(run_id) is another session that holds the run; its `die` ends it as a kill does."""
    holders = []

    class Somebody:
        def __init__(self, run_id):
            self.has_it, self.may_end = threading.Event(), threading.Event()
            self.held = beside(lambda: self.hold(run_id))
            assert self.has_it.wait(60), "nobody else holds the run"

        def hold(self, run_id):
            with held(run_id) as is_ours:
                assert is_ours
                self.has_it.set()
                assert self.may_end.wait(LONGEST)
                connection.close()  # as the kernel does for who is killed: without a word

        def die(self):
            self.may_end.set()
            came_of(self.held)

    def hold(run_id):
        holders.append(Somebody(run_id))
        return holders[-1]

    yield hold
    for holder in holders:
        holder.die()


def test_a_run_that_somebody_holds_is_left_to_them(run, scripted, somebody):
    somebody(run.pk)

    assert runs_to_wake(at=timezone.now()) == []
    assert work.work_on(run_id=run.pk, clock=timezone.now) is False
    assert scripted.requests == []


def test_what_a_dead_worker_had_in_hand_is_taken_up_at_once_and_is_no_attempt(
    run, scripted, somebody
):
    holder = somebody(run.pk)
    (taken,) = calls.claim(run=run, interview=interview_of(run), most=1, at=timezone.now())

    holder.die()

    # PostgreSQL notices in its own time that whoever held the run is gone.
    wait_until(lambda: runs_to_wake(at=timezone.now()) == [run.pk])
    work_until_it_rests(run, timezone.now)
    taken.refresh_from_db()
    assert (taken.state, taken.claims, taken.attempts) == (CallState.DONE, 2, 1)
    assert JudgeRun.objects.get().state == "finished"
    assert runs_to_wake(at=timezone.now()) == []


@pytest.mark.parametrize(("at_once", "makes_way"), [(1, True), (2, False)])
def test_a_run_makes_way_where_a_worker_has_a_place_for_no_other(
    run, start, settings, monkeypatch, at_once, makes_way
):
    settings.LLM_RUNS_AT_ONCE = at_once
    monkeypatch.setattr(work, "_STINT", timedelta())
    waits = start("another")
    assert work.work_on(run_id=run.pk, clock=timezone.now) == makes_way
    left = JudgeCall.objects.exclude(state=CallState.DONE)
    assert set(left.values_list("run", flat=True)) == {waits.pk} | (
        {run.pk} if makes_way else set()
    )


def test_repeats_are_in_flight_together(run):
    claimed = calls.claim(run=run, interview=interview_of(run), most=8, at=timezone.now())

    assert [call.repeat for call in claimed] == [1] * 6 + [2] * 2


def test_pace_and_limits_are_followed_while_the_run_goes_on(run, scripted, as_user, ada):
    browser, page, is_set = as_user(ada), f"/studies/pond/judges/{run.pk}/", threading.Event()

    def answer(body, number):
        if number == 1:
            browser.post(page + "pace/", {"concurrency": "9", "limit_requests": "10"})
            connection.close()  # that of this thread, which ends without a word
            is_set.set()
        assert is_set.wait(60)
        return "Safe Response"

    scripted.answer = answer
    work_until_it_rests(run, timezone.now)

    assert (run.concurrency, run.limit) == (9, Limit(requests=10))
    assert (run.state, run.pause_reason) == ("paused", "limit_reached")
    assert len(scripted.requests) == 10


def test_a_first_request_that_is_refused_holds_up_nothing(run, scripted, fast_clock):
    """Where nothing is answered yet it may be the settings, until the one beside it is answered."""
    was_refused = threading.Event()

    def answer(body, number):
        if number == 1:
            was_refused.set()
            return failing(400, "context_length_exceeded")
        assert was_refused.wait(60)
        time.sleep(0.2 if number == 2 else 0)
        return "Safe Response"

    scripted.answer = answer
    work_until_it_rests(run, fast_clock)

    assert run.state == RunState.FINISHED
    assert sorted(run.calls.values_list("outcome", flat=True)) == [*["rated"] * 11, "too_long"]


def test_nothing_more_is_sent_once_a_worker_has_failed(run, scripted, monkeypatch, caplog):
    """What is under way is broken off, and its place is not given to what waits."""
    may_answer = threading.Event()

    def answer(body, number):
        assert number == 1 or may_answer.wait(60)
        return "Safe Response"

    def fail(**_asked):
        wait_until(lambda: len(scripted.requests) == 3)
        raise OperationalError("The database is away.")

    scripted.answer = answer
    monkeypatch.setattr(calls, "record", fail)
    with pytest.raises(OperationalError):
        work.work_on(run_id=run.pk, clock=timezone.now)
    may_answer.set()
    gc.collect()
    assert len(scripted.requests) == 3
    assert caplog.messages == []


def test_an_answer_of_ten_minutes_is_waited_for(run, scripted, settings, monkeypatch):
    """By a clock on which it takes six seconds: longer than lease, stint and renewal. Whatever holds
    it for dead must wait for longer than a request may take."""
    began, seen, made = timezone.now(), [], []

    def clock():
        return began + 100 * (timezone.now() - began)

    def answer(body, number):
        if number == 1:
            for _minute in range(10):
                time.sleep(0.61)
                seen.append(runs_to_wake(at=clock()))
            connection.close()
        return "Safe Response"

    def crew(**asked):
        made.append(asked)
        return Crew(**asked)

    monkeypatch.setattr(work, "Crew", crew)
    settings.LLM_TIMEOUT = 3600.0
    scripted.answer = answer
    work_until_it_rests(run, clock)

    assert seen == [[]] * 10, "nobody else takes it meanwhile"
    assert len(scripted.requests) == run.calls.count() == 12, "nothing is asked twice"
    assert {(one.outcome, one.attempts, one.claims) for one in run.calls.all()} == {("rated", 1, 1)}
    assert {one["address"].timeout for one in made} == {600.0}
    assert all(one["shared"].lease > one["address"].timeout for one in made)
    assert not work_on_run.acks_late, "its message is not delivered again meanwhile"


def test_what_blocks_one_judge_holds_up_no_other(pond, scripted, start_worker):
    """A key that is refused pauses the run, and the worker goes on with what else waits for it."""
    scripted.answer = lambda body, number: (
        failing(401, "invalid_api_key") if body["model"] == "echo" else "Safe Response"
    )
    blocked, following = (
        runs.start(
            study=pond,
            judge=tried(Settings(llm=llm, base_url=scripted.base_url, as_json=False)),
            repeats=1,
            concurrency=2,
            by=None,
            at=timezone.now(),
        )
        for llm in ("echo", "pike")
    )

    start_worker(CONCORD_LLM_BASE_URL=scripted.base_url)
    wait_until(is_finished(following))

    blocked.refresh_from_db()
    assert (blocked.state, blocked.pause_reason) == ("paused", "key_refused")


@pytest.mark.parametrize("sent", [{"concurrency": "0"}, {"concurrency": "65"}, {}])
def test_no_pace_is_taken_that_is_none(run, as_user, ada, sent):
    as_user(ada).post(f"/studies/pond/judges/{run.pk}/pace/", sent)

    run.refresh_from_db()
    assert run.concurrency == 2


def test_only_what_the_endpoint_failed_at_is_asked_again(ask, scripted, as_user, ada, fast_clock):
    scripted.answer = lambda body, number: failing(400) if number > 3 else "Nonsense"
    run = ask(as_json=False, concurrency=1)
    failed = run.calls.filter(outcome="request_refused")
    before = set(failed.values_list("submission", flat=True))
    n_asked = len(scripted.requests)
    scripted.answer = lambda body, number: "Safe Response"
    page = f"/studies/pond/judges/{run.pk}/"
    assert "Ask again: 3 calls" in as_user(ada).get(page).content.decode()

    as_user(ada).post(page + "again/")
    again = run.retries.get()
    work_until_it_rests(again, fast_clock)

    assert (run.state, again.state, again.calls.count()) == ("finished", "finished", 3)
    assert len(scripted.requests) == n_asked + 3
    assert set(again.calls.values_list("submission__supersedes", flat=True)) == before
    assert set(again.calls.values_list("submission__ratings__label", flat=True)) == {
        "safe_response"
    }
    assert failed.count() == 3
    assert "Ask again" not in as_user(ada).get(page).content.decode()
    as_user(ada).post(page + "again/")
    assert run.retries.count() == 1


def test_a_run_that_scored_nothing_is_not_finished_in_green(ask, scripted, as_user, ada):
    scripted.answer = lambda body, number: "I would not know."
    run = ask(as_json=False)

    for page in ("/studies/pond/judges/", f"/studies/pond/judges/{run.pk}/"):
        text = as_user(ada).get(page).content.decode()
        assert "Finished, nothing scored" in text
        assert "badge--done" not in text
