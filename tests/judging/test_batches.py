"""Judges asked in batches: each verdict is there once, whatever dies, doubles or does not come."""

import json
import sys
import threading
from datetime import timedelta
from decimal import Decimal

import pytest
from django.db.models import Count
from django.utils import timezone

from annotation.models import DataSet, Rating, Submission
from annotation.queries.visibility import held_out
from judging import standin
from judging.actions import batching, endpoints, holding_out, probes, runs
from judging.actions.judges import Settings
from judging.models import CallState, JudgeCall, JudgeRun, LLMBatch, Outcome, RunState
from judging.prompts import Prompt
from judging.providers.batches import BatchDesk, answer_in, request_line
from judging.providers.endpoint import Address, Sampling, body_of
from judging.providers.faults import Missed
from judging.queries import batches as queries
from judging.queries import showing
from judging.queries.wording import probe_in_words
from judging.rules.budget import Limit
from judging.rules.outcomes import Pause
from judging.rules.questions import AskingManner
from judging.tasks import wake_runs
from tests.judging.conftest import failing, work_until_it_rests
from tests.judging.test_endpoints import added
from tests.services import LONGEST, wait_until
from tests.trials import note_trial

pytestmark = pytest.mark.django_db(transaction=True)

N_ITEMS = 6


def takes_batches(base_url, *, endpoint=None, came="yes"):
    return note_trial("echo", base_url, endpoint and endpoint.pk, batches=came)


def started(study, base_url, *, repeats=1, limit=None, endpoint=None, **judge):
    asked = {"as_json": False, "endpoint": endpoint.pk if endpoint else None} | judge
    return runs.start(
        study=study,
        judge=Settings(llm="echo", base_url=base_url, **asked),
        repeats=repeats,
        concurrency=2,
        by=None,
        at=timezone.now(),
        limit=limit or Limit(),
        by_batch=True,
    )


@pytest.fixture
def shelf(scripted, settings):
    """The files and batches of the endpoint of this server, which takes them and is quick."""
    settings.LLM_BATCH_LOOK = 0
    scripted.shelf.lists = True
    takes_batches(scripted.base_url)
    return scripted.shelf


@pytest.fixture
def ask(pond, scripted, shelf, fast_clock):
    """ask(...) has a judge rate the pond in batches until its run rests."""

    def asked(**given):
        return work_until_it_rests(started(pond, scripted.base_url, **given), fast_clock)

    return asked


def batches_of(run):
    return list(LLMBatch.objects.filter(run=run).order_by("pk").values_list("ended_as", flat=True))


def assert_each_once(run, *, repeats=1):
    calls = JudgeCall.objects.filter(run=run)
    assert calls.filter(state=CallState.DONE).count() == N_ITEMS * repeats
    stored = Submission.objects.filter(judge_call__run=run).values_list("item", "repeat")
    assert stored.count() == stored.distinct().count() == N_ITEMS * repeats
    assert Rating.objects.filter(submission__judge_call__run=run).count() == N_ITEMS * repeats


def test_a_run_in_batches_is_rated_as_one_call_by_call(ask, shelf, scripted):
    run = ask(repeats=2)

    assert run.state == RunState.FINISHED
    assert_each_once(run, repeats=2)
    assert batches_of(run) == ["completed"]
    assert len(scripted.requests) == N_ITEMS * 2
    call = run.calls.first()
    assert call.outcome == Outcome.RATED
    assert (call.exchanges[0]["text"], call.attempts) == ("Safe Response", 1)
    assert call.exchanges[0]["prompt_sha256"] == call.prompt_sha256
    assert not shelf.files  # nothing is left at the endpoint


def test_a_call_keeps_the_prompt_that_was_sent(ask, scripted):
    run = ask()

    sent = {json.dumps(body["messages"]) for body in scripted.requests}
    kept = {json.dumps(showing._kept(call)[0]) for call in run.calls.all()}
    assert kept == sent


def test_nothing_but_numbers_names_a_request(ask, shelf, caplog):
    seen = []
    shelf.answer = lambda body: seen.append(body) or failing_in_batch(400)

    run = ask()

    names = [json.dumps(batch["metadata"]) for batch in shelf.batches.values()] + shelf.answered
    texts = [item.reply for item in run.study.items.all()]
    assert seen
    assert not any(text in told for text in texts for told in [*names, caplog.text])


def failing_in_batch(status, code=""):
    answered, _headers, body = failing(status, code)
    return answered, json.loads(body)


class TestWhatDoesNotCome:
    def test_answers_that_come_twice_count_once(self, ask, shelf, scripted):
        shelf.copies = 3

        run = ask()

        assert_each_once(run)
        assert run.used_requests == N_ITEMS

    def test_what_an_expired_batch_left_is_asked_again(self, ask, shelf, scripted):
        shelf.ends_as, shelf.answers_only = "expired", 2
        scripted.before_reply = mended_at_the_second(shelf)

        run = ask()

        assert batches_of(run) == ["expired", "completed"]
        assert_each_once(run)
        assert len(scripted.requests) == N_ITEMS
        assert sorted(run.calls.values_list("attempts", flat=True)) == [1, 1, 2, 2, 2, 2]

    def test_what_never_comes_is_unscored_with_its_reason(self, ask, shelf):
        shelf.answers_only = 0

        run = ask()

        # Nothing has ever been answered: that speaks against the endpoint.
        assert (run.state, run.pause_reason) == (RunState.PAUSED, Pause.NO_ANSWERS)
        assert not Submission.objects.filter(judge_call__run=run).exists()

    def test_one_that_never_comes_does_not_hold_up_the_others(self, ask, shelf, scripted):
        answering, first = shelf.answer, []

        def but_one(body):
            first.append(first[0] if first else body["messages"])
            return failing_in_batch(500) if body["messages"] == first[0] else answering(body)

        shelf.answer = but_one

        run = ask()

        ended = dict(run.calls.values_list("outcome").annotate(n=Count("pk")))
        assert ended == {"rated": N_ITEMS - 1, "endpoint_error": 1}
        assert_each_once(run)

    @pytest.mark.parametrize(
        ("status", "code", "outcome"),
        [(400, "context_length_exceeded", "too_long"), (400, "content_filter", "refused")],
    )
    def test_a_line_that_was_refused_says_why(self, ask, shelf, status, code, outcome):
        shelf.answer = lambda body: failing_in_batch(status, code)

        run = ask()

        assert set(run.calls.values_list("outcome", flat=True)) == {outcome}
        assert set(
            Rating.objects.filter(submission__judge_call__run=run).values_list(
                "unscored", flat=True
            )
        ) == {outcome}

    def test_a_batch_that_is_refused_pauses_the_run_and_loses_nothing(self, ask, shelf):
        shelf.ends_as, shelf.problem = "failed", "invalid_json_line"

        run = ask()

        assert (run.state, run.pause_reason) == (RunState.PAUSED, Pause.REQUESTS_REFUSED)
        assert run.calls.filter(state=CallState.PENDING, attempts=0).count() == N_ITEMS
        assert LLMBatch.objects.get().problem == "invalid_json_line"
        assert run.used_requests == 0

    def test_a_batch_without_credit_says_so(self, ask, shelf):
        shelf.ends_as, shelf.problem = "failed", "billing_hard_limit_reached"

        run = ask()

        assert (run.state, run.pause_reason) == (RunState.PAUSED, Pause.OUT_OF_QUOTA)

    def test_files_that_are_late_are_waited_for_and_nothing_is_paid_twice(
        self, ask, shelf, scripted
    ):
        fetched = []

        def late(method, path):
            fetched.extend([path] if path.endswith("/content") else [])
            return failing(404) if path.endswith("/content") and len(fetched) < 3 else None

        scripted.before_reply = late

        run = ask()

        assert run.state == RunState.FINISHED
        assert len(scripted.requests) == N_ITEMS
        assert_each_once(run)

    def test_files_that_are_gone_are_asked_for_again(self, ask, shelf, scripted):
        def gone(method, path):
            for batch in shelf.batches.values():
                batch.pop("completed_at", None)
            return failing(404) if path.endswith("/content") and len(shelf.batches) == 1 else None

        scripted.before_reply = gone

        run = ask()

        assert (run.state, run.pause_reason) == (RunState.FINISHED, "")
        assert len(scripted.requests) == 2 * N_ITEMS
        assert_each_once(run)

    def test_a_way_in_that_is_closed_for_a_while_loses_no_batch(
        self, ask, shelf, scripted, fast_clock
    ):
        """A gateway that is set up anew answers 404 for every path."""
        page = (404, {"Content-Type": "text/html"}, b"<html>404</html>")
        scripted.before_reply = lambda method, path: page if method == "GET" else None

        run = ask()

        assert (run.state, run.pause_reason) == (RunState.PAUSED, Pause.NOT_FOUND)
        assert batches_of(run) == [""]
        scripted.before_reply = lambda *_: None
        runs.resume(run_id=run.pk, by=None, at=fast_clock(), limit=Limit())
        LLMBatch.objects.update(look_at=fast_clock())
        work_until_it_rests(run, fast_clock)
        assert len(scripted.requests) == N_ITEMS
        assert_each_once(run)

    @pytest.mark.parametrize(
        ("method", "part"), [("POST", "/files"), ("POST", "/batches"), ("GET", "/batches/")]
    )
    def test_an_endpoint_that_fails_is_left_alone_for_as_long_as_it_asks(
        self, pond, scripted, shelf, method, part
    ):
        asked = []

        def fail(came, path):
            if came == method and part in path:
                asked.append(path)
                return failing(503, Retry_After="1800")
            return None

        scripted.before_reply = fail
        run = started(pond, scripted.base_url)
        begun = timezone.now()
        work_until_it_rests(run, timezone.now)

        assert len(asked) == 1
        assert queries.next_at(run, with_calls=True) >= begun + timedelta(minutes=30)

    def test_a_full_endpoint_is_waited_for(self, ask, shelf, scripted):
        shelf.ends_as, shelf.problem = "failed", "token_limit_exceeded"
        scripted.before_reply = mended_at_the_second(shelf)

        run = ask()
        work_until_it_rests(run, lambda: timezone.now() + timedelta(minutes=30))

        assert batches_of(run) == ["failed", "completed"]
        assert_each_once(run)


def mended_at_the_second(shelf):
    """From the second batch on, all is answered."""

    def look(method, path):
        if method == "POST" and path.endswith("/batches") and len(shelf.batches) > 1:
            shelf.ends_as, shelf.answers_only = "completed", None

    return look


def test_each_step_of_an_interview_is_a_batch(ask, scripted):
    scripted.answer = lambda body, number: "No"

    run = ask(manner=AskingManner.SEQUENTIAL)

    asked = run.calls.first().exchanges
    assert len(asked) > 1
    assert len(batches_of(run)) == len(asked)
    assert_each_once(run)


class TestWhoMayBeAskedInBatches:
    def test_only_an_endpoint_that_was_seen_to_take_them(self, pond, scripted):
        takes_batches(scripted.base_url, came="no")

        with pytest.raises(runs.CannotRun, match="No trial has shown"):
            started(pond, scripted.base_url)

    @pytest.mark.parametrize(("lists", "came"), [(True, "yes"), (False, "no")])
    def test_a_trial_learns_it(self, pond, scripted, lists, came):
        scripted.shelf.lists = lists

        probe = probes.try_out(
            study=pond,
            judge=Settings(llm="echo", base_url=scripted.base_url),
            by=None,
            at=timezone.now(),
        )

        assert probe.findings["batches"] == came
        assert ("Takes requests in batches", came) in probe_in_words(probe)
        assert not scripted.shelf.files

    def test_what_the_data_set_keeps_is_not_uploaded(self, pond, scripted, shelf, fast_clock):
        run = started(pond, scripted.base_url)
        DataSet.objects.filter(studies=pond).update(provider_policy="none")

        work_until_it_rests(run, fast_clock)

        assert run.pause_reason == Pause.DATA_SET_SAYS_NO
        assert not shelf.files
        assert not shelf.batches

    def test_what_it_forbids_meanwhile_is_cancelled(self, pond, scripted, shelf, fast_clock):
        run = started(pond, scripted.base_url)
        shelf.looks = 10**6

        def forbid(method, path):
            if method == "GET" and "/batches/" in path:
                DataSet.objects.filter(studies=pond).update(provider_policy="none")

        scripted.before_reply = forbid
        work_until_it_rests(run, fast_clock)

        assert run.pause_reason == Pause.DATA_SET_SAYS_NO
        assert batches_of(run) == ["cancelled"]
        assert not shelf.files


class TestCancelling:
    def test_what_is_answered_is_taken_and_the_rest_is_open_again(
        self, pond, scripted, shelf, fast_clock
    ):
        run = started(pond, scripted.base_url)
        shelf.looks, shelf.answers_only = 10**6, 2

        def cancel(method, path):
            if method == "GET" and "/batches/" in path:
                batching.cancel(run_id=run.pk, by=None, at=timezone.now())

        scripted.before_reply = cancel
        work_until_it_rests(run, fast_clock)

        assert batches_of(run) == ["cancelled"]
        assert (run.state, run.pause_reason) == (RunState.PAUSED, Pause.BY_HAND)
        assert run.calls.filter(state=CallState.DONE).count() == 2
        assert run.calls.filter(state=CallState.PENDING, attempts=0).count() == N_ITEMS - 2

        shelf.looks, shelf.answers_only, scripted.before_reply = 0, None, lambda *_: None
        runs.resume(run_id=run.pk, by=None, at=timezone.now())
        work_until_it_rests(run, fast_clock)
        assert_each_once(run)

    def test_a_run_that_is_ended_has_its_batch_cancelled_before_another_begins(
        self, pond, scripted, shelf, fast_clock
    ):
        run = started(pond, scripted.base_url)
        shelf.looks = 10**6
        refused = []

        def end(method, path):
            if method == "GET" and "/batches/" in path and not refused:
                runs.finish(run_id=run.pk, by=None, at=timezone.now())
                with pytest.raises(runs.CannotRun) as refusal:
                    started(pond, scripted.base_url)
                refused.append(str(refusal.value))

        scripted.before_reply = end
        work_until_it_rests(run, fast_clock)

        assert "batch of an earlier run" in refused[0]
        assert batches_of(run) == ["cancelled"]
        shelf.looks = 0
        again = work_until_it_rests(started(pond, scripted.base_url), fast_clock)
        assert_each_once(again)


class TestMoney:
    @pytest.fixture
    def priced(self, pond, elsewhere, settings):
        """An endpoint with a price for batches, and a dearer one for single calls."""
        settings.LLM_BATCH_LOOK = 0
        elsewhere.shelf.lists = True
        elsewhere.answer = with_usage
        record = added(elsewhere)
        for is_for_batches, price in ((False, 10), (True, 5)):
            endpoints.set_price(
                endpoint=record,
                llm="echo",
                prompt=Decimal(price),
                answer=Decimal(price),
                currency="EUR",
                since=timezone.now().date() - timedelta(days=1),
                is_for_batches=is_for_batches,
                by=None,
                at=timezone.now(),
            )
        takes_batches(record.base_url, endpoint=record)
        return record

    def test_it_costs_what_batches_cost(self, pond, priced, fast_clock):
        run = started(pond, priced.base_url, endpoint=priced, max_tokens=10)
        work_until_it_rests(run, fast_clock)

        assert run.used_money == N_ITEMS * Decimal("0.0005")  # 100 tokens at 5 a million each
        assert (run.used_requests, run.used_tokens) == (N_ITEMS, N_ITEMS * 100)

    def test_it_is_set_aside_before_it_is_sent(self, pond, priced, fast_clock, elsewhere):
        at_the_endpoint = []
        elsewhere.before_reply = lambda method, path: at_the_endpoint.append(
            JudgeRun.objects.get().used_money
        )
        run = started(
            pond,
            priced.base_url,
            endpoint=priced,
            max_tokens=10,
            limit=Limit(money=Decimal("0.05")),
        )

        work_until_it_rests(run, fast_clock)

        assert 0 < max(at_the_endpoint) <= Decimal("0.05")
        assert run.used_money <= Decimal("0.05")
        done = run.calls.filter(state=CallState.DONE).count()
        assert run.used_money == done * Decimal("0.0005")

    def test_without_a_price_for_batches_money_cannot_be_limited(self, pond, elsewhere):
        record = added(elsewhere)
        takes_batches(record.base_url, endpoint=record)

        with pytest.raises(runs.CannotRun, match="what this LLM costs"):
            started(
                pond,
                record.base_url,
                endpoint=record,
                max_tokens=10,
                limit=Limit(money=Decimal(1)),
            )


def with_usage(body, number):
    choice = {"message": {"content": "Safe Response"}, "finish_reason": "stop"}
    usage = {"prompt_tokens": 90, "completion_tokens": 10}
    return 200, {}, json.dumps({"choices": [choice], "usage": usage}).encode()


class Stopped:
    """Holds back the reply to one request, which has been done, until its worker is dead."""

    def __init__(self, method, part):
        self.method, self.part = method, part
        self.has_come, self.may_go = threading.Event(), threading.Event()

    def __call__(self, method, path):
        if method == self.method and self.part in path and not self.has_come.is_set():
            self.has_come.set()
            self.may_go.wait(LONGEST)


STEPS = [
    ("POST", "/files"),  # uploaded, and no batch made of it
    ("POST", "/batches"),  # made, and its name not noted
    ("GET", "/batches/"),  # looked at
    ("GET", "/content"),  # answers fetched
    ("DELETE", "/files/"),  # taken in, and not said so
]


@pytest.mark.parametrize(("method", "part"), STEPS)
def test_a_worker_killed_at_any_step_loses_nothing_and_doubles_nothing(
    pond, scripted, shelf, start_worker, method, part
):
    stopped = scripted.before_reply = Stopped(method, part)
    given = {
        "CONCORD_LLM_BASE_URL": scripted.base_url,
        "CONCORD_LLM_TIMEOUT": "10",
        "CONCORD_LLM_BATCH_LOOK": "1",
    }
    worker = start_worker(**given)
    run = started(pond, scripted.base_url)
    assert stopped.has_come.wait(180)

    worker.kill()
    stopped.may_go.set()
    start_worker(**given)
    wait_until(lambda: knocked(run).state == RunState.FINISHED)

    assert_each_once(run)
    assert len(scripted.requests) == N_ITEMS  # asked once and paid for once
    assert set(run.calls.values_list("attempts", flat=True)) == {1}
    assert not shelf.files
    assert run.used_requests == N_ITEMS


def knocked(run):
    """As the scheduler does."""
    wake_runs.apply_async()
    run.refresh_from_db()
    return run


def test_a_batch_that_was_made_twice_counts_once(pond, scripted, shelf, fast_clock):
    """A creation that timed out may have been done all the same."""
    run = started(pond, scripted.base_url)

    def twice(method, path):
        if method == "POST" and path.endswith("/batches") and len(shelf.batches) == 1:
            (made,) = shelf.batches.values()
            shelf.batches["batch-99"] = {**made, "id": "batch-99"}
            shelf.looked["batch-99"] = 0
            LLMBatch.objects.update(look_at=timezone.now())
            raise ConnectionError  # no reply

    scripted.before_reply = twice
    work_until_it_rests(run, fast_clock)

    assert_each_once(run)
    assert shelf.batches["batch-99"]["status"] == "cancelling"
    assert len(scripted.requests) == N_ITEMS


def test_the_page_of_a_run_shows_its_batches(ask, as_user, pond, ada):
    run = ask()

    page = as_user(ada).get(f"/studies/{pond.key}/judges/{run.pk}/").content.decode()

    assert "Batches" in page
    assert "Completed" in page


def test_what_is_under_way_can_be_cancelled_on_the_page_and_by_program(
    pond, scripted, shelf, fast_clock, as_user, ada
):
    shelf.looks = 10**6
    run = started(pond, scripted.base_url)
    seen = []

    def look(method, path):
        if method == "GET" and "/batches/" in path and not seen:
            page = f"/studies/{pond.key}/judges/{run.pk}/"
            seen.append(as_user(ada).get(page).content.decode())
            as_user(ada).post(f"{page}batches/cancel/")
            seen.append(as_user(ada).get(page).content.decode())

    scripted.before_reply = look
    work_until_it_rests(run, fast_clock)

    assert "At the endpoint" in seen[0]
    assert "Cancel the batches" in seen[0]
    assert "Being cancelled" in seen[1]
    assert batches_of(run) == ["cancelled"]
    assert run.pause_reason == Pause.BY_HAND


def test_what_is_held_out_is_not_uploaded(pond, scripted, shelf, fast_clock):
    holding_out.draw(study=pond, percent=50, seed="s", by=None, at=pond.created_at)
    apart = [one.reply for one in pond.items.filter(pk__in=held_out(pond).values("item"))]

    run = work_until_it_rests(started(pond, scripted.base_url), fast_clock)

    assert 0 < run.calls.count() < N_ITEMS
    assert len(scripted.requests) == run.calls.count()
    assert not any(reply in text for reply in apart for text in scripted.texts())


def test_the_stand_in_takes_batches(start_server, tmp_path):
    address = start_server(
        "standin",
        [sys.executable, "-m", "judging.standin", "--port", "{port}", "--latency-ms", "0"],
        "/v1/models",
    )
    prompt = Prompt(messages=({"role": "user", "content": "I cannot sleep."},), schema=None)
    sampling = Sampling(llm=standin.NAME, temperature=None, max_tokens=None)
    lines = [
        request_line(name, body_of(prompt, sampling, "max_tokens", {})) for name in ("1-1", "2-1")
    ]
    with BatchDesk(Address(base_url=f"{address}/v1", api_key="none", timeout=10)) as desk:
        made = desk.create("k", desk.upload("k", lines))
        assert [one.remote_id for one in desk.find("k")] == [made.remote_id]
        wait_until(lambda: desk.look(made.remote_id).end, what="the end of the batch")
        seen = desk.look(made.remote_id)
        answers = {line["custom_id"]: answer_in(line) for line in desk.lines(seen.files[1])}
        desk.forget(seen.files)
        assert desk.look("batch-of-nobody") is None

    assert answers.keys() == {"1-1", "2-1"}
    assert answers["1-1"]["text"] == answers["2-1"]["text"] != ""


def test_a_line_without_an_answer_says_what_happened():
    with pytest.raises(Missed):
        answer_in({"custom_id": "1-1", "response": None, "error": {"code": "batch_expired"}})
