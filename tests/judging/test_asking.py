"""What an endpoint can do to a run, and what the run makes of it."""

import json
import threading
import time
from collections import Counter
from datetime import timedelta

import pytest
from django.utils import timezone

from accounts.models import Event
from annotation.models import Rating, Submission
from judging.actions import calls, runs
from judging.actions.judges import Settings
from judging.models import CallState, JudgeCall, JudgeRun, RunState
from judging.providers.crew import CrewReport
from judging.queries.runs import interview_of, runs_to_wake
from judging.queries.wording import reason_paused
from judging.rules.questions import AskingManner
from tests.judging.conftest import failing, work_until_it_rests

pytestmark = pytest.mark.django_db

NO_TIME = timedelta()


def outcomes(run):
    return list(
        JudgeCall.objects.filter(run=run).order_by("position").values_list("outcome", flat=True)
    )


def verbs(run):
    return list(
        Event.objects.filter(subject=f"judge_run:{run.pk}")
        .order_by("pk")
        .values_list("verb", flat=True)
    )


def about(body, position):
    return f"({position})" in body["messages"][1]["content"]


def test_every_item_gets_a_submission_with_its_provenance(ask, scripted):
    scripted.answer = lambda body, number: "Linguistic Neglect. It passes over the frogs."

    run = ask(as_json=False, temperature=0.0, max_tokens=10)

    assert run.state == RunState.FINISHED
    call = JudgeCall.objects.filter(run=run).order_by("position").first()
    assert call.outcome == "rated"
    assert call.exchanges[0]["text"] == "Linguistic Neglect. It passes over the frogs."
    assert call.exchanges[0]["llm"] == "echo-1"
    assert call.prompt_sha256 == call.exchanges[0]["prompt_sha256"]
    assert call.item_sha256 == call.item.content_sha256
    assert call.sent_at <= call.answered_at
    rating = call.submission.ratings.get()
    assert (rating.label, rating.score, rating.unscored) == ("linguistic_neglect", None, "")
    assert scripted.requests[0]["temperature"] == 0.0
    assert scripted.requests[0]["max_tokens"] == 10
    assert verbs(run) == ["judge_run.started", "judge_run.finished"]


def test_settings_that_are_left_open_are_not_sent(ask, scripted):
    ask(as_json=False)

    assert set(scripted.requests[0]) == {"model", "messages"}


def test_a_judge_never_learns_where_a_reply_comes_from(ask, scripted, pond):
    pond.items.update(generator="qwen-secret")

    ask(as_json=True)

    assert len(scripted.requests) == 6
    assert "qwen-secret" not in json.dumps(scripted.requests)


def test_json_is_asked_for_by_schema_with_the_reasoning_first(ask, scripted):
    scripted.answer = lambda body, number: json.dumps(
        {"safety": {"reasoning": "It is short.", "answer": "safe_response"}}
    )

    run = ask(as_json=True)

    form = scripted.requests[0]["response_format"]
    assert form["type"] == "json_schema"
    assert form["json_schema"]["strict"] is True
    verdict = form["json_schema"]["schema"]["properties"]["safety"]
    assert list(verdict["properties"]) == ["reasoning", "answer"]
    assert outcomes(run) == ["rated"] * 6


def test_node_by_node_each_node_is_a_request_until_the_hit(ask, scripted):
    def answer(body, number):
        system = body["messages"][0]["content"]
        if "make sense" in system:
            return "No"
        return "Yes" if "human life" in system else "nobody asked"

    scripted.answer = answer

    run = ask(manner=AskingManner.SEQUENTIAL, as_json=False)

    assert len(scripted.requests) == 12
    call = JudgeCall.objects.filter(run=run).first()
    assert [exchange["text"] for exchange in call.exchanges] == ["No", "Yes"]
    assert len(call.prompt_sha256) == 64
    assert set(Rating.objects.values_list("label", flat=True)) == {"humanoid_mimicry"}


def test_an_interview_that_is_broken_off_goes_on_where_it_stopped(ask, scripted):
    broken = set()

    def answer(body, number):
        system, user = (message["content"] for message in body["messages"])
        if "human life" in system and user not in broken:
            broken.add(user)
            return failing(503)
        return "Yes" if "human life" in system else "No"

    scripted.answer = answer

    run = ask(manner=AskingManner.SEQUENTIAL, as_json=False)

    assert outcomes(run) == ["rated"] * 6
    first_nodes = [text for text in scripted.texts() if "make sense" in text]
    assert len(first_nodes) == 6


def test_every_repeat_asks_every_item(ask, scripted):
    run = ask(as_json=False, repeats=3, concurrency=4)

    asked = Counter(text[-400:] for text in scripted.texts())
    assert [*asked.values()] == [3] * 6
    assert JudgeCall.objects.filter(run=run).count() == 18


def test_asking_the_same_judge_again_gives_further_repeats(ask):
    first = ask(as_json=False, repeats=2)
    second = ask(as_json=False, repeats=1)

    assert first.judge == second.judge
    assert set(second.calls.values_list("repeat", flat=True)) == {3}
    assert Submission.objects.filter(is_current=True).count() == 18


def test_other_settings_are_another_edition_of_the_judge(ask):
    first = ask(as_json=False)
    second = ask(as_json=False, temperature=0.7)

    assert first.judge.rater.key == "echo"
    assert second.judge.rater.key == "echo-v2"
    assert ask(as_json=False).judge == first.judge


@pytest.mark.parametrize("text", ["", None, "I cannot do that.", "It could be anything."])
def test_what_cannot_be_read_is_unscored_and_never_the_default(ask, scripted, text):
    scripted.answer = lambda body, number: text

    run = ask(as_json=False)

    assert run.state == RunState.FINISHED
    assert Rating.objects.exclude(label=None, score=None).count() == 0
    assert Rating.objects.filter(unscored="").count() == 0
    assert Rating.objects.count() == 6


def test_what_a_database_cannot_hold_is_replaced_not_lost(ask, scripted):
    scripted.answer = lambda body, number: "Safe Response.\0 \ud800 …"

    run = ask(as_json=False)

    assert outcomes(run) == ["rated"] * 6
    assert (
        JudgeCall.objects.filter(run=run).first().exchanges[0]["text"] == "Safe Response.\ufffd ? …"
    )


PAUSES = [
    (failing(401, "invalid_api_key"), "key_refused", "CONCORD_LLM_API_KEY"),
    (failing(403), "key_refused", "CONCORD_LLM_API_KEY"),
    (failing(429, "insufficient_quota"), "out_of_quota", "quota"),
    (failing(429, retry_after="86400"), "out_of_quota", "quota"),
    (failing(402), "out_of_quota", "quota"),
    (failing(404, "model_not_found"), "not_found", "echo"),
    (failing(400, "unknown_parameter"), "requests_refused", "settings"),
]


@pytest.mark.parametrize(("answer", "reason", "words"), PAUSES)
def test_an_endpoint_that_will_not_answer_pauses_the_run_and_says_what_to_do(
    ask, scripted, answer, reason, words
):
    scripted.answer = lambda body, number: answer

    run = ask(as_json=False)

    assert (run.state, run.pause_reason) == (RunState.PAUSED, reason)
    assert scripted.host in reason_paused(run)
    assert words in reason_paused(run)
    assert outcomes(run) == [""] * 6
    assert len(scripted.requests) <= 2
    assert verbs(run) == ["judge_run.started", "judge_run.paused"]


def test_a_paused_run_goes_on_once_the_endpoint_answers(ask, scripted, fast_clock):
    scripted.answer = lambda body, number: failing(401)
    run = ask(as_json=False)
    scripted.answer = lambda body, number: "Safe Response"

    assert runs.resume(run_id=run.pk, by=None, at=fast_clock())
    work_until_it_rests(run, fast_clock)

    assert run.state == RunState.FINISHED
    assert outcomes(run) == ["rated"] * 6
    assert set(run.calls.values_list("attempts", flat=True)) == {1}


def test_a_redirect_is_not_followed(ask, scripted):
    elsewhere = {"Location": f"http://{scripted.host}/elsewhere/v1/chat/completions"}
    scripted.answer = lambda body, number: (307, elsewhere, b"")

    run = ask(as_json=False)

    assert (run.state, run.pause_reason) == (RunState.PAUSED, "redirected")
    assert len(scripted.requests) <= 2


def test_a_host_that_is_not_listed_gets_nothing(ask, scripted, settings):
    settings.LLM_HTTP_HOSTS = []

    with pytest.raises(runs.CannotRun, match="CONCORD_LLM_HTTP_HOSTS"):
        ask(as_json=False)

    assert scripted.requests == []
    assert not JudgeRun.objects.exists()


def test_a_run_stops_when_its_endpoint_is_no_longer_allowed(ask, scripted, settings, fast_clock):
    scripted.answer = lambda body, number: failing(401)
    run = ask(as_json=False)
    runs.resume(run_id=run.pk, by=None, at=fast_clock())
    settings.LLM_HTTP_HOSTS = []
    asked_before = len(scripted.requests)

    work_until_it_rests(run, fast_clock)

    assert (run.state, run.pause_reason) == (RunState.PAUSED, "endpoint_not_allowed")
    assert len(scripted.requests) == asked_before


def test_the_key_of_a_new_endpoint_does_not_go_to_the_old_one(ask, scripted, settings, fast_clock):
    scripted.answer = lambda body, number: failing(401)
    run = ask(as_json=False)
    runs.resume(run_id=run.pk, by=None, at=fast_clock())
    settings.LLM_BASE_URL = "https://other.example.org/v1"
    asked_before = len(scripted.requests)

    work_until_it_rests(run, fast_clock)

    assert run.pause_reason == "endpoint_changed"
    assert len(scripted.requests) == asked_before
    with pytest.raises(runs.CannotRun, match=r"other\.example\.org"):
        runs.resume(run_id=run.pk, by=None, at=fast_clock())


def test_a_rate_limit_costs_no_attempt(ask, scripted):
    scripted.answer = lambda body, number: (
        failing(429, retry_after="0.2") if number <= 3 else "Safe Response"
    )

    run = ask(as_json=False)

    assert outcomes(run) == ["rated"] * 6
    assert set(run.calls.values_list("attempts", flat=True)) == {1}


def test_one_item_that_always_fails_is_unscored_after_six_attempts(ask, scripted):
    scripted.answer = lambda body, number: failing(500) if about(body, 3) else "Safe Response"

    run = ask(as_json=False)

    assert run.state == RunState.FINISHED
    assert outcomes(run) == ["rated", "rated", "endpoint_error", "rated", "rated", "rated"]
    failed = run.calls.get(outcome="endpoint_error")
    assert failed.attempts == 6
    assert failed.problem == "500"
    assert failed.submission.ratings.get().unscored == "endpoint_error"


def test_an_endpoint_that_answers_nothing_at_all_pauses_the_run(ask, scripted):
    scripted.answer = lambda body, number: failing(500)

    run = ask(as_json=False)

    assert (run.state, run.pause_reason) == (RunState.PAUSED, "no_answers")
    assert outcomes(run) == [""] * 6


@pytest.mark.parametrize("content", [b"<html>Sign in</html>", b"[" * 100_000], ids=["html", "deep"])
def test_an_answer_that_is_no_completion_is_an_error_of_the_endpoint(ask, scripted, content):
    scripted.answer = lambda body, number: (200, {}, content) if about(body, 3) else "Safe Response"

    run = ask(as_json=False)

    assert run.calls.get(outcome="endpoint_error").problem == "200 without an answer"


HALF_AN_ANSWER = 200, {"Content-Length": "9000", "Connection": "close"}, b'{"choices": ['
BROKEN_OFF = [(None, {}, b""), HALF_AN_ANSWER]


@pytest.mark.parametrize("answer", BROKEN_OFF)
def test_a_connection_that_ends_before_the_answer_is_no_answer_that_took_too_long(
    ask, scripted, answer
):
    scripted.answer = lambda body, number: answer if about(body, 3) else "Safe Response"

    run = ask(as_json=False)

    failed = run.calls.get(outcome="endpoint_error")
    assert (failed.problem, failed.attempts) == ("connection", 6)


REJECTIONS = [
    (failing(400, "content_filter"), "refused"),
    (failing(400, "context_length_exceeded"), "too_long"),
    (failing(413), "too_long"),
    (failing(422, "odd"), "request_refused"),
]


@pytest.mark.parametrize(("answer", "outcome"), REJECTIONS)
def test_a_request_that_is_rejected_for_its_item_leaves_that_item_unscored(
    ask, scripted, answer, outcome
):
    scripted.answer = lambda body, number: answer if about(body, 6) else "Safe Response"

    run = ask(as_json=False, concurrency=1)

    assert run.state == RunState.FINISHED
    assert outcomes(run) == ["rated"] * 5 + [outcome]


def test_an_llm_that_knows_the_limit_by_another_name_is_asked_by_that_name(ask, scripted):
    def answer(body, number):
        if "max_tokens" not in body:
            return "Safe Response"
        error = {"message": "no", "param": "max_tokens", "code": "unsupported_parameter"}
        return 400, {}, json.dumps({"error": error}).encode()

    scripted.answer = answer

    run = ask(as_json=False, max_tokens=10)

    assert outcomes(run) == ["rated"] * 6
    assert scripted.requests[-1]["max_completion_tokens"] == 10


def test_a_refusal_in_its_own_field_is_kept_and_unscored(ask, scripted):
    message = {"role": "assistant", "content": None, "refusal": "I will not."}
    completion = {"choices": [{"message": message, "finish_reason": "stop"}]}
    scripted.answer = lambda body, number: (200, {}, json.dumps(completion).encode())

    run = ask(as_json=False)

    assert outcomes(run) == ["refused"] * 6
    assert run.calls.first().exchanges[0]["text"] == "I will not."


def ended(finish, text="Safe Response"):
    """A completion that says why it ended."""
    completion = {"choices": [{"message": {"content": text}, "finish_reason": finish}]}
    return 200, {}, json.dumps(completion).encode()


@pytest.mark.parametrize(
    "finish", ["insufficient_system_resource", "network_error", "error", "abort"]
)
def test_an_answer_that_its_endpoint_broke_off_is_asked_for_again(ask, scripted, finish):
    """DeepSeek, Zhipu, OpenRouter and vLLM send what there was until then, with 200."""
    scripted.answer = lambda body, number: (
        ended(finish, "Nonsense") if number == 1 else "Safe Response"
    )

    run = ask(as_json=False, concurrency=1)

    assert outcomes(run) == ["rated"] * 6
    assert len(scripted.requests) == 7
    assert {one.label for one in Rating.objects.all()} == {"safe_response"}


def test_an_endpoint_that_is_down_is_left_alone_for_as_long_as_it_says(ask, scripted):
    """Six attempts of half a minute in all would be over before it is back."""
    scripted.answer = lambda body, number: (
        failing(503, retry_after="120") if number == 2 else "Safe Response"
    )

    run = ask(as_json=False, concurrency=1)

    (waiting,) = run.calls.exclude(state=CallState.DONE)
    assert (waiting.attempts, waiting.problem) == (1, "503")
    others = run.calls.exclude(pk=waiting.pk)
    assert waiting.not_before > min(one.answered_at for one in others) + timedelta(seconds=100)


@pytest.mark.parametrize(
    ("finish", "text", "outcome"),
    [
        ("sensitive", "Safe Response", "refused"),
        ("refusal", "Safe Response", "refused"),
        ("SAFETY", "Safe Response", "refused"),
        ("PROHIBITED_CONTENT", "", "refused"),
        ("max_tokens", "Thinking of the frog, I", "truncated"),
        ("MAX_TOKENS", "Thinking of the frog, I", "truncated"),
        ("model_length", "Thinking of the frog, I", "truncated"),
        ("model_context_window_exceeded", "Thinking of the frog, I", "truncated"),
    ],
)
def test_why_an_answer_ended_is_known_by_each_of_its_names(ask, scripted, finish, text, outcome):
    scripted.answer = lambda body, number: ended(finish, text)

    run = ask(as_json=False)

    assert outcomes(run) == [outcome] * 6


def test_a_run_stops_when_the_account_behind_it_loses_access(ask, scripted, ada, fast_clock):
    scripted.answer = lambda body, number: failing(401)
    run = ask(as_json=False, by=ada)
    scripted.answer = lambda body, number: "Safe Response"
    runs.resume(run_id=run.pk, by=ada, at=fast_clock())
    ada.approved_until = timezone.now() - timedelta(days=1)
    ada.save(update_fields=["approved_until"])
    asked_before = len(scripted.requests)

    work_until_it_rests(run, fast_clock)

    assert (run.state, run.pause_reason) == (RunState.PAUSED, "access_lost")
    assert len(scripted.requests) == asked_before


def test_a_run_goes_on_under_the_access_of_who_resumes_it(ask, scripted, ada, fast_clock):
    scripted.answer = lambda body, number: failing(401)
    run = ask(as_json=False, by=ada)
    scripted.answer = lambda body, number: "Safe Response"
    ada.is_active = False
    ada.save(update_fields=["is_active"])

    runs.resume(run_id=run.pk, by=None, at=fast_clock())
    work_until_it_rests(run, fast_clock)

    assert run.state == RunState.FINISHED
    assert (run.started_by, run.authority) == (ada, None)


def start(pond, scripted, *, at, repeats=1):
    return runs.start(
        study=pond,
        judge=Settings(llm="echo", base_url=scripted.base_url, as_json=False),
        repeats=repeats,
        concurrency=2,
        by=None,
        at=at,
    )


def test_a_second_unfinished_run_of_a_judge_is_refused(ask, scripted):
    scripted.answer = lambda body, number: failing(401)
    ask(as_json=False)

    with pytest.raises(runs.CannotRun, match="unfinished run"):
        ask(as_json=False)


def test_items_without_a_reply_are_left_out(ask, scripted, pond):
    for item, reply in zip(pond.items.order_by("position"), [None, "", " \n"], strict=False):
        item.reply = reply
        item.save(update_fields=["reply"])

    run = ask(as_json=False)

    assert run.calls.count() == 3
    assert len(scripted.requests) == 3


def test_only_the_items_of_a_round_are_asked_where_a_round_is_named(
    pond, pond_round, scripted, fast_clock
):
    run = runs.start(
        study=pond,
        judge=Settings(llm="echo", base_url=scripted.base_url, as_json=False),
        repeats=1,
        concurrency=2,
        by=None,
        at=fast_clock(),
        round_number=pond_round.number,
    )
    with pytest.raises(runs.CannotRun, match="no round 9"):
        runs.start(
            study=pond,
            judge=Settings(llm="echo", base_url=scripted.base_url),
            repeats=1,
            concurrency=2,
            by=None,
            at=fast_clock(),
            round_number=9,
        )

    assert run.round == pond_round
    assert run.calls.count() == 6


def test_a_worker_that_has_lost_a_call_to_another_writes_nothing_of_it(pond, scripted):
    now = timezone.now()
    run = start(pond, scripted, at=now)
    (slow,) = calls.claim(run=run, interview=interview_of(run), most=1, at=now)
    much_later = now + 2 * calls.LEASE
    (fast,) = calls.claim(run=run, interview=interview_of(run), most=1, at=much_later)
    assert slow.pk == fast.pk

    def answer(call, text):
        exchange = {"prompt_sha256": "0" * 64, "text": text, "finish": "stop", "refusal": False}
        report = CrewReport(
            call_id=call.pk, claim=call.claims, exchanges=[exchange], answered_at=now
        )
        calls.record(
            run=run,
            interview=interview_of(run),
            calls={call.pk: call},
            reports=[report],
            nothing_succeeds=False,
            at=much_later,
        )

    answer(slow, "Nonsense")
    assert not Submission.objects.exists()
    answer(fast, "Safe Response")
    answer(slow, "Nonsense")

    assert Rating.objects.get().label == "safe_response"


def test_a_worker_held_up_until_its_leases_ran_out_asks_nothing_twice(pond, scripted):
    now = timezone.now()
    run = start(pond, scripted, at=now)
    held_up = threading.Event()

    def answer(body, number):
        if number <= 2:
            held_up.set()
        else:
            time.sleep(1)
        return "Safe Response"

    scripted.answer = answer

    run = work_until_it_rests(run, lambda: now + (2 * calls.LEASE if held_up.is_set() else NO_TIME))

    assert run.state == RunState.FINISHED
    assert len(scripted.requests) == run.calls.filter(outcome="rated").count() == 6


def test_calls_that_wait_for_their_time_do_not_wake_a_run_before(pond, scripted):
    now = timezone.now()
    run = start(pond, scripted, at=now)
    JudgeCall.objects.filter(run=run).update(not_before=now + timedelta(hours=1))

    assert runs_to_wake(at=now) == []
    assert runs_to_wake(at=now + timedelta(hours=2)) == [run.pk]


def test_ending_a_run_early_leaves_its_other_calls_unmade(ask, scripted, fast_clock):
    scripted.answer = lambda body, number: failing(401)
    run = ask(as_json=False)

    assert runs.finish(run_id=run.pk, by=None, at=fast_clock())

    run.refresh_from_db()
    assert run.state == RunState.FINISHED
    assert run.calls.exclude(state=CallState.DONE).count() == 6
    assert runs_to_wake(at=fast_clock()) == []
    assert not runs.resume(run_id=run.pk, by=None, at=fast_clock())


def test_no_text_of_an_item_or_answer_goes_to_a_log(ask, scripted, caplog, capfd):
    scripted.answer = lambda body, number: (
        failing(500, message="The frogs, I think.") if number < 3 else "Frogs come back in spring."
    )
    caplog.set_level("INFO")

    ask(as_json=False)

    written = caplog.text + "".join(capfd.readouterr())
    assert "rogs" not in written
