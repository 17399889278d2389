"""Endpoints that answer oddly: each item ends as it should, nothing is lost, and what was used is counted."""

import json

import pytest

from judging.actions import calls, runs
from judging.actions.judges import Settings
from judging.models import RunState
from judging.providers.crew import CrewReport
from judging.providers.endpoint import answered, fault_of_status
from judging.providers.faults import Blocked, RateLimited, Rejected, Unended
from judging.providers.refusals import refusal_in
from judging.queries.runs import interview_of
from judging.queries.wording import reason_paused
from judging.rules.budget import Limit
from judging.rules.outcomes import Outcome, Pause
from tests.judging.conftest import failing, work_until_it_rests
from tests.judging.test_limits import begin, counted, n_done

__all__ = ["begin"]

SECRET = "what somebody said in confidence"


def completion(*, content="Safe Response", finish="stop", **beside):
    choice = {"index": 0, "message": {"role": "assistant", "content": content}}
    return {"id": "c", "model": "echo-1", "choices": [{**choice, "finish_reason": finish}]} | beside


def sent(body, **headers):
    return 200, {name.replace("_", "-"): value for name, value in headers.items()}, body


NOT_HTTP = {
    "more than was announced": sent(json.dumps(SECRET).encode(), Content_Length="3"),
    "a line too long": sent(b"{}", X_Answer=SECRET * 1000),
    "two lengths": sent(b"{}", content_length="7"),
}


@pytest.mark.django_db
@pytest.mark.parametrize("how", NOT_HTTP)
def test_what_is_no_http_costs_a_try_and_is_told_nobody(begin, scripted, caplog, how):
    scripted.answer = lambda _body, number: NOT_HTTP[how] if number == 1 else "Safe Response"
    run = begin(limit=Limit(), as_json=False, concurrency=1)

    assert (run.state, n_done(run)) == (RunState.FINISHED, 6)
    assert set(run.calls.values_list("outcome", flat=True)) == {"rated"}
    assert len(scripted.requests) == 7
    assert SECRET not in caplog.text


# An error where an answer should be, with a status of 200, and what it means.
INSTEAD = [
    ({"error": {"code": 429, "message": "Rate limited"}}, RateLimited, None),
    ({"error": {"code": 402, "message": "Insufficient credits"}}, Blocked, Pause.OUT_OF_QUOTA),
    ({"error": {"code": 401, "message": "No auth"}}, Blocked, Pause.KEY_REFUSED),
    ({"error": {"code": 403, "message": "Your input was flagged"}}, Rejected, Outcome.REFUSED),
    ({"error": {"code": "404", "message": "gone"}}, Blocked, Pause.NOT_FOUND),
    (completion(content=None, error={"code": 429, "message": "Provider"}), RateLimited, None),
    (completion(usage={"prompt_tokens": 7}, error={"message": "Provider"}), Unended, None),
    ({"choices": [{"error": {"code": 429}, "finish_reason": "error"}]}, RateLimited, None),
    ({"choices": [], "usage": {"prompt_tokens": 700}}, Unended, None),
    ({"choices": None, "usage": {"prompt_tokens": 700}}, Unended, None),
]  # fmt: skip


@pytest.mark.parametrize(("body", "kind", "what"), INSTEAD)
def test_an_error_that_comes_as_an_answer_means_what_it_says(body, kind, what):
    with pytest.raises(kind) as told:
        answered(200, json.dumps(body).encode())

    assert getattr(told.value, "reason", getattr(told.value, "outcome", None)) == what


@pytest.mark.django_db
def test_a_rate_limit_that_comes_as_an_answer_is_waited_out(begin, scripted):
    told = {"error": {"code": 429, "message": "Please try again in 1s."}}
    scripted.answer = lambda _body, number: (
        sent(json.dumps(told).encode()) if number <= 8 else "Safe Response"
    )
    run = begin(limit=Limit(), as_json=False, concurrency=1)

    assert set(run.calls.values_list("outcome", "attempts")) == {("rated", 1)}


@pytest.mark.django_db
def test_an_answer_without_a_choice_is_paid_for(begin, scripted):
    empty = {"choices": [], "usage": {"prompt_tokens": 700, "completion_tokens": 0}}
    scripted.answer = lambda _body, number: (
        sent(json.dumps(empty).encode()) if number == 1 else counted(prompt=700, answer=10)
    )
    run = begin(limit=Limit(), as_json=False, concurrency=1)

    assert (run.used_requests, run.used_tokens) == (7, 700 + 6 * 710)


@pytest.mark.django_db
@pytest.mark.parametrize("missing", ["prompt_tokens", "completion_tokens"])
def test_tokens_that_are_counted_in_part_are_reckoned(begin, scripted, missing):
    usage = {"prompt_tokens": 1, "completion_tokens": 1}
    del usage[missing]
    body = json.dumps(completion(usage=usage)).encode()
    scripted.answer = lambda _body, _number: sent(body)
    run = begin(limit=Limit(), as_json=False, max_tokens=20)

    assert run.used_tokens > 6 * 20


def test_what_was_thought_in_a_part_of_its_own_is_no_answer():
    parts = [
        {"type": "thinking", "thinking": [{"type": "text", "text": "Nonsense?"}]},
        {"type": "reasoning", "text": "Perhaps Toxic Language."},
        {"type": "text", "text": "Safe Response"},
    ]
    came = answered(200, json.dumps(completion(content=parts)).encode())

    assert came["text"] == "Safe Response"


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("status", "reason"),
    [(503, Pause.NO_ANSWERS), (400, Pause.REQUESTS_REFUSED), (403, Pause.KEY_REFUSED)],
)
def test_an_outage_in_the_middle_of_a_run_pauses_it(begin, scripted, status, reason):
    scripted.answer = lambda _body, number: failing(status) if number > 10 else "Safe Response"
    run = begin(limit=Limit(), as_json=False, repeats=20)

    assert (run.state, run.pause_reason) == (RunState.PAUSED, reason)
    assert run.calls.filter(outcome="rated").count() == 10
    assert run.calls.filter(state="pending").count() >= 120 - 10 - 30


@pytest.mark.django_db
@pytest.mark.parametrize("status", [503, 400, 403])
def test_an_item_that_an_endpoint_fails_at_is_no_outage(begin, scripted, fast_clock, status):
    """Nor is it where a worker that has just begun meets it first."""
    scripted.answer = lambda body, _number: (
        failing(status) if "(6)" in str(body) else "Safe Response"
    )
    run = begin(limit=Limit(requests=5), as_json=False, concurrency=1, max_tokens=10)
    assert run.pause_reason == Pause.LIMIT_REACHED
    runs.resume(run_id=run.pk, by=None, at=fast_clock(), limit=Limit())
    work_until_it_rests(run, fast_clock)

    assert (run.state, run.pause_reason) == (RunState.FINISHED, "")
    failed = "endpoint_error" if status == 503 else "request_refused"
    assert set(run.calls.values_list("outcome", flat=True)) == {"rated", failed}


@pytest.mark.django_db
def test_a_filter_that_forbids_the_first_text_pauses_a_run_but_once(begin, scripted, fast_clock):
    """It might be the key; once that is seen to be taken, the text is what is refused."""
    scripted.answer = lambda body, _number: failing(403) if "(1)" in str(body) else "Safe Response"
    run = begin(limit=Limit(), as_json=False, concurrency=1)
    assert (run.pause_reason, len(scripted.requests)) == (Pause.KEY_REFUSED, 1)
    runs.resume(run_id=run.pk, by=None, at=fast_clock())
    work_until_it_rests(run, fast_clock)

    assert run.state == RunState.FINISHED
    refused = run.calls.exclude(outcome="rated").get()
    assert (refused.outcome, refused.problem, refused.attempts) == ("request_refused", "403", 6)


@pytest.mark.django_db
def test_a_judge_whose_last_answers_are_still_to_come_is_not_started_anew(
    pond, scripted, fast_clock
):
    """The repeats of a run are numbered on from those that are stored: two would be one."""
    judge = Settings(llm="echo", base_url=scripted.base_url, as_json=False)
    asked = {"study": pond, "judge": judge, "repeats": 1, "concurrency": 2, "by": None}
    first = runs.start(**asked, at=fast_clock())
    in_hand = calls.claim(run=first, interview=interview_of(first), most=2, at=fast_clock())
    runs.finish(run_id=first.pk, by=None, at=fast_clock())

    with pytest.raises(runs.CannotRun, match="still answering"):
        runs.start(**asked, at=fast_clock())

    # Their worker is gone: nobody may write down what it had in hand.
    later = fast_clock() + 2 * calls.LEASE
    second = runs.start(**asked, at=later)
    late = [calls.work_of(one) for one in in_hand]
    calls.record(
        run=first,
        interview=interview_of(first),
        calls={one.pk: one for one in in_hand},
        reports=[
            CrewReport(call_id=one.call_id, claim=one.claim, exchanges=[], answered_at=later)
            for one in late
        ],
        nothing_succeeds=False,
        at=later,
    )
    work_until_it_rests(second, lambda: later)
    assert second.state == RunState.FINISHED
    assert not first.calls.filter(state="done").exists()


# What endpoints say of an item that is too long for them, each in its own words.
TOO_LONG = [
    (400, "The input (5000 tokens) is longer than the model's context length (4096 tokens)."),
    (400, "The decoder prompt (length 5000) is longer than the maximum model length of 4096."),
    (400, "the model is loaded with context length of only 4096 tokens, which is not enough."),
    (400, "The number of tokens to keep from the initial prompt is greater than the context length."),
    (400, "input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000"),
    (400, "Range of input length should be [1, 30720]"),
    (400, "Prompt 超长"),
    (400, "Invalid request: Your request exceeded model token limit: 8192"),
    (422, "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 2048."),
    (422, "Input validation error: `inputs` must have less than 1024 tokens. Given: 3000"),
    (400, "This model's maximum prompt length is 131072 but the request contains 140000 tokens."),
    (500, "litellm.ContextWindowExceededError: This model's maximum context length is 4097 tokens"),
]  # fmt: skip


@pytest.mark.parametrize(("status", "message"), TOO_LONG)
@pytest.mark.parametrize("form", ["object", "text"])
def test_an_item_that_is_too_long_is_said_to_be(status, message, form):
    body = {"error": message if form == "text" else {"message": message, "code": str(status)}}
    # As the client hands it on: what stands in `error`.
    fault = fault_of_status(status, refusal_in(body["error"]), {})

    assert isinstance(fault, Rejected)
    assert fault.outcome == Outcome.TOO_LONG


@pytest.mark.django_db
def test_a_request_larger_than_a_minutes_limit_is_not_asked_for_ever(begin, scripted):
    """OpenAI refuses it with 429, and will each time."""
    message = "Request too large for gpt-4 on tokens per min (TPM): Limit 10000, Requested 12000."
    told = {"error": {"message": message, "type": "tokens", "code": "rate_limit_exceeded"}}
    scripted.answer = lambda body, _number: (
        (429, {}, json.dumps(told).encode()) if "(3)" in str(body) else "Safe Response"
    )
    run = begin(limit=Limit(), as_json=False, concurrency=1)

    assert run.state == RunState.FINISHED
    assert sorted(run.calls.values_list("outcome", flat=True)) == [*["rated"] * 5, "too_long"]


UNKNOWN = [
    (400, {"message": "Model Not Exist", "code": "invalid_request_error"}),
    (400, {"message": "Invalid model name passed in model=x.", "code": "400"}),
    (400, {"message": "Invalid model: x", "code": "1500"}),
    (400, {"message": "模型不存在，请检查模型代码。", "code": "1211"}),
    (400, {"message": "foo/bar is not a valid model ID", "code": 400}),
    (400, {"message": "The model `x` does not exist", "code": None}),
    (403, {"message": "Project has no access to model", "code": "model_not_found"}),
]


@pytest.mark.django_db
@pytest.mark.parametrize(("status", "error"), UNKNOWN)
def test_an_llm_that_is_not_known_is_named_so(begin, scripted, status, error):
    scripted.answer = lambda _body, _number: (status, {}, json.dumps({"error": error}).encode())
    run = begin(limit=Limit(), as_json=False, concurrency=1)

    assert (run.state, run.pause_reason) == (RunState.PAUSED, Pause.NOT_FOUND)
    assert "does not know the LLM “echo”" in reason_paused(run)
    assert len(scripted.requests) == 1


@pytest.mark.django_db
@pytest.mark.parametrize("status", [401, 400])
def test_a_pause_keeps_the_endpoints_last_word(begin, scripted, as_user, ada, status):
    told = {"error": {"message": "no", "code": "unsupported_value"}}
    scripted.answer = lambda _body, _number: (status, {}, json.dumps(told).encode())
    run = begin(limit=Limit(), as_json=False)

    page = as_user(ada).get(f"/studies/pond/judges/{run.pk}/").content.decode()
    assert run.state == RunState.PAUSED
    assert f"{status} unsupported_value" in page


WAITS = [
    ("Rate limit reached on tokens per min (TPM). Please try again in 20s. Visit …", 20.0),
    ("Please try again in 7m12.5s.", 432.5),
    ("Please try again in 120ms.", 0.12),
    ("Please retry after 26 seconds.", 26.0),
    ("Please retry in 37.5s.", 37.5),
    ("Please try again in 1 hour.", None),
    ("Please try again later.", None),
]


@pytest.mark.parametrize(("message", "wait"), WAITS)
def test_a_time_to_wait_may_stand_in_words(message, wait):
    told = refusal_in({"message": message, "code": "rate_limit_exceeded"})

    assert told.wait == wait
    assert fault_of_status(429, told, {"retry-after": "3"}).wait == 3


@pytest.mark.parametrize("status", [424, 498, 499])
def test_what_an_endpoint_failed_at_is_asked_again(status):
    assert type(fault_of_status(status, refusal_in(None), {})).__name__ == "Transient"
