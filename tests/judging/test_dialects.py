"""The dialects of endpoints, each against a server that behaves as its documentation says.

What they take, pass over and refuse is as published by Azure, vLLM, Ollama, and for the
OpenAI-compatible addresses of Anthropic and Gemini; nothing of theirs is in reach of tests.
"""

import json
import re
from dataclasses import replace

import pytest
from django.utils import timezone

from judging.actions import endpoints, probes, runs
from judging.actions.judges import Settings
from judging.models import RunState
from judging.prompts import Prompt
from judging.providers.refusals import refusal_in
from judging.queries import runs as engine
from judging.queries import showing
from judging.queries.wording import probe_in_words
from judging.rules.endpoints import Dialect
from judging.rules.outcomes import Pause
from tests.analytics.test_cases import access_to
from tests.judging.conftest import SECRET, failing, work_until_it_rests

pytestmark = pytest.mark.django_db(transaction=True)

PLAIN = "Safe Response"
IN_JSON = json.dumps({"safety": {"reasoning": "It is calm.", "answer": "safe_response"}})
FENCED = f"Here is my rating:\n\n```json\n{IN_JSON}\n```"
THOUGHT = "The reply might be Nonsense. No: it answers."


def completion(text, *, finish="stop", beside=None, **body):
    """What came of a request; `beside` are further members of the message."""
    message = {"role": "assistant", **({} if text is None else {"content": text}), **(beside or {})}
    choice = {"index": 0, "message": message, "finish_reason": finish}
    usage = {"prompt_tokens": 40, "completion_tokens": 9, "total_tokens": 49}
    told = {"id": "c1", "object": "chat.completion", "usage": usage, "choices": [choice], **body}
    return 200, {}, json.dumps(told).encode()


def refused(status, body, **headers):
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return status, named, json.dumps(body).encode()


def wants_json(body):
    return "response_format" in body or "tools" in body


def asks_for_json(body):
    """Whether the prompt does, which is all that there is where the form is passed over."""
    return "JSON object" in body["messages"][0]["content"]


def about(body):
    """The number of the item in the pond that a prompt is about; 0 on trial."""
    found = re.search(r"\((\d)\)", body["messages"][-1]["content"])
    return int(found[1]) if found else 0


class Served:
    """A server of one dialect. `seen` counts requests about each item, a trial's among 0."""

    def __init__(self, scripted):
        self.scripted = scripted
        self.seen = {}
        scripted.answer = self

    def __call__(self, body, number):
        item = about(body)
        self.seen[item] = self.seen.get(item, 0) + 1
        with self.scripted.lock:
            headers = self.scripted.headers[number - 1]
        return self.answer(body, headers, item, again=self.seen[item] > 1)


class AzureServed(Served):
    """A deployment of a reasoning LLM: the key in `api-key`, `max_completion_tokens`, no temperature."""

    def answer(self, body, headers, item, *, again):
        if headers["api-key"] != SECRET or headers["Authorization"]:
            told = {"code": "401", "message": "Access denied due to invalid subscription key."}
            return refused(401, {"error": told})
        for member in ("max_tokens", "logprobs"):
            if member in body:
                return self.not_taken(member, "unsupported_parameter")
        if body.get("temperature", 1) != 1:
            return self.not_taken("temperature", "unsupported_value")
        if item == 1 and not again:
            told = {"code": "429", "message": "Please retry after 1 second."}
            return refused(429, {"error": told}, retry_after_ms="40", retry_after="1")
        if item == 2:
            inner = {"code": "ResponsibleAIPolicyViolation"}
            told = {"message": "The response was filtered", "param": "prompt", "type": None}
            return refused(
                400,
                {"error": {**told, "code": "content_filter", "status": 400, "innererror": inner}},
            )
        who = {"model": "o4-mini-2025-04-16", "system_fingerprint": "fp_azure"}
        if item == 3:
            return completion(None, finish="content_filter", **who)
        return completion(IN_JSON if wants_json(body) else PLAIN, beside={"refusal": None}, **who)

    def not_taken(self, param, code):
        message = f"Unsupported parameter: '{param}' is not supported with this model."
        told = {"message": message, "type": "invalid_request_error", "param": param, "code": code}
        return refused(400, {"error": told})


class VllmServed(Served):
    """A reasoning LLM, whose parser of reasoning misses what has no opening tag; short of context."""

    def answer(self, body, headers, item, *, again):
        if headers["Authorization"] != f"Bearer {SECRET}":
            return refused(401, {"error": "Unauthorized"})
        who = {"model": body["model"], "system_fingerprint": None}
        if item == 2:
            message = (
                "This model's maximum context length is 4096 tokens. However, you requested 4210 "
                "tokens in the messages, Please reduce the length of the messages."
            )
            flat = {"object": "error", "message": message, "type": "BadRequestError"}
            return refused(400, {**flat, "param": None, "code": 400})
        if item == 3:
            thinking = {"reasoning_content": THOUGHT, "tool_calls": []}
            return completion(None, finish="length", beside=thinking, **who)
        if item == 4:
            return completion(f"{THOUGHT}\n</think>\n\n{self.said(body)}", **who)
        choice_of_logs = {"logprobs": {"content": [{"token": "Safe", "logprob": -0.1}]}}
        status, head, raw = completion(
            self.said(body), beside={"reasoning_content": THOUGHT, "tool_calls": []}, **who
        )
        if body.get("logprobs"):
            told = json.loads(raw)
            told["choices"][0] |= choice_of_logs
            raw = json.dumps(told).encode()
        return status, head, raw

    def said(self, body):
        return IN_JSON if wants_json(body) else PLAIN


class OllamaServed(Served):
    """It asks for no key, passes over what it does not know, and thinks aloud."""

    def answer(self, body, headers, item, *, again):
        if "reasoning_effort" in body:
            message = '"llama3" does not support thinking'
            told = {
                "message": message,
                "type": "invalid_request_error",
                "param": None,
                "code": None,
            }
            return refused(400, {"error": told})
        who = {"model": "llama3", "system_fingerprint": "fp_ollama"}
        said = IN_JSON if "response_format" in body else FENCED if asks_for_json(body) else PLAIN
        if item == 1:
            return completion(f"<think>\n{THOUGHT}\n</think>\n\n{said}", **who)
        if item == 2:
            return completion(said[:9], finish="length", **who)
        if item == 3 and not again:
            told = {"message": "model is overloaded", "type": "api_error"}
            return refused(503, {"error": {**told, "param": None, "code": None}})
        return completion(said, beside={"reasoning": THOUGHT}, **who)


class AnthropicServed(Served):
    """It passes over the form of JSON, seed, probabilities and effort, and answers as the prompt says."""

    def answer(self, body, headers, item, *, again):
        if headers["Authorization"] != f"Bearer {SECRET}":
            told = {"type": "authentication_error", "message": "invalid x-api-key"}
            return refused(401, {"type": "error", "error": told})
        if body.get("n", 1) != 1 or body.get("temperature", 0) > 2:
            told = {"type": "invalid_request_error", "message": "n: must be 1"}
            return refused(400, {"type": "error", "error": told})
        who = {"model": "claude-opus-4-6", "system_fingerprint": ""}
        if item == 1 and not again:
            told = {"type": "rate_limit_error", "message": "This request would exceed your limit."}
            soon = timezone.now().isoformat()
            return refused(
                429,
                {"type": "error", "error": told},
                x_ratelimit_remaining_requests="0",
                x_ratelimit_reset_requests=soon,
            )
        if item == 2 and not again:
            told = {"type": "overloaded_error", "message": "Overloaded"}
            return refused(529, {"type": "error", "error": told})
        if item == 3:
            message = "prompt is too long: 210000 tokens > 200000 maximum"
            told = {"type": "invalid_request_error", "message": message}
            return refused(400, {"type": "error", "error": told})
        said = FENCED if asks_for_json(body) else PLAIN
        return completion(said, beside={"refusal": ""}, **who)


class GeminiServed(Served):
    """It names members that it does not know, refuses in a list, and may think all its tokens away."""

    known = {
        *("model", "messages", "temperature", "max_tokens", "max_completion_tokens"),
        *("response_format", "tools", "tool_choice", "reasoning_effort", "n", "stream"),
    }

    def answer(self, body, headers, item, *, again):
        if headers["Authorization"] != f"Bearer {SECRET}":
            return self.no(400, "API key not valid. Please pass a valid API key.")
        if unknown := sorted(set(body) - self.known):
            return self.no(400, f'Invalid JSON payload received. Unknown name "{unknown[0]}"')
        if item == 1 and not again:
            kind = "type.googleapis.com/google.rpc.RetryInfo"
            return self.no(429, "Quota exceeded.", {"@type": kind, "retryDelay": "0.04s"})
        if item == 2:
            return completion(None, finish="length", model="gemini-2.5-flash")
        if item == 3:
            return completion(None, finish="content_filter", model="gemini-2.5-flash")
        if item == 4:
            return self.no(
                400,
                "The input token count (1200000) exceeds the maximum number of tokens allowed "
                "(1048576).",
            )
        return completion(IN_JSON if wants_json(body) else PLAIN, model="gemini-2.5-flash")

    def no(self, status, message, *details):
        named = {400: "INVALID_ARGUMENT", 429: "RESOURCE_EXHAUSTED"}[status]
        told = {"code": status, "message": message, "status": named, "details": list(details)}
        return refused(status, [{"error": told}])


class GemmaServed(VllmServed):
    """An older template, which knows no role for the system and wants user and assistant in turn."""

    def answer(self, body, headers, item, *, again):
        roles = [message["role"] for message in body["messages"]]
        if "system" in roles:
            message = "System role not supported"
            flat = {"object": "error", "message": message, "type": "BadRequestError"}
            return refused(400, {**flat, "param": None, "code": 400})
        if roles != [("user", "assistant")[place % 2] for place in range(len(roles))]:
            message = "Conversation roles must alternate user/assistant/user/assistant/..."
            return refused(400, {"object": "error", "message": message, "code": 400})
        return completion(self.said(body), model="gemma-2-9b-it")


class OpenAIServed(Served):
    """It answers; what a test wants otherwise, it says."""

    def answer(self, body, headers, item, *, again):
        return completion(PLAIN)


SERVED = {
    Dialect.OPENAI: OpenAIServed,
    Dialect.AZURE: AzureServed,
    Dialect.VLLM: VllmServed,
    Dialect.OLLAMA: OllamaServed,
    Dialect.ANTHROPIC: AnthropicServed,
    Dialect.GEMINI: GeminiServed,
}


def described(elsewhere, dialect, **changes):
    return endpoints.EndpointSettings(
        **{
            "key": "there",
            "name": "There",
            "base_url": elsewhere.base_url,
            "dialect": dialect.value,
            "key_reference": "env:CONCORD_LLM_KEY_OWN",
            "processor": "own",
        }
        | changes
    )


@pytest.fixture
def asked_at(pond, elsewhere):
    """asked_at(dialect) is how an LLM is asked at an endpoint of that dialect, which is served."""

    def at(dialect, **judge):
        SERVED[dialect](elsewhere)
        record = endpoints.add(described=described(elsewhere, dialect), by=None, at=timezone.now())
        return Settings(llm="llama3", base_url=record.base_url, endpoint=record.pk, **judge)

    return at


def try_out(study, judge):
    return probes.try_out(study=study, judge=judge, by=None, at=timezone.now())


# Dialect, with a temperature or not, and what a trial finds.
LEARNT = [
    (
        *(Dialect.AZURE, 0.0),
        {
            "plain": "rated",
            "rung": "json_schema",
            "limit": "max_completion_tokens",
            "temperature": "no",
            "seed": "yes",
            "logprobs": "no",
            "effort": "yes",
        },
    ),
    (
        *(Dialect.VLLM, 0.0),
        {
            "plain": "rated",
            "rung": "json_schema",
            "limit": "max_tokens",
            "temperature": "yes",
            "seed": "yes",
            "logprobs": "yes",
            "effort": "yes",
        },
    ),
    (
        *(Dialect.OLLAMA, 0.0),
        {
            "plain": "rated",
            "rung": "json_schema",
            "limit": "max_tokens",
            "temperature": "yes",
            "seed": "yes",
            "logprobs": "no",
            "effort": "no",
        },
    ),
    (
        *(Dialect.ANTHROPIC, 0.0),
        {
            "plain": "rated",
            "rung": "json_schema",
            "limit": "max_tokens",
            "temperature": "yes",
            "logprobs": "no",
            "effort": "yes",
        },
    ),
    (
        *(Dialect.GEMINI, 0.0),
        {
            "plain": "rated",
            "rung": "json_schema",
            "limit": "max_tokens",
            "temperature": "yes",
            "seed": "no",
            "logprobs": "no",
            "effort": "yes",
        },
    ),
]


@pytest.mark.parametrize(("dialect", "temperature", "found"), LEARNT)
def test_a_trial_learns_what_is_taken(pond, asked_at, dialect, temperature, found):
    probe = try_out(pond, asked_at(dialect, temperature=temperature))

    assert probe.findings | found == probe.findings
    assert probe.findings["batches"] == "no"
    assert all(came for _tried, came in probe_in_words(probe))


@pytest.mark.parametrize("temperature", [None, 0.0])
def test_an_llm_that_knows_no_system_role_is_given_its_words_before_the_first_of_the_users(
    pond, ada, elsewhere, asked_at, fast_clock, temperature
):
    judge = asked_at(Dialect.VLLM, as_json=False, temperature=temperature)
    GemmaServed(elsewhere)
    before = try_out(pond, replace(judge, llm="other"))
    assert before.findings["system"] == "no"
    assert try_out(pond, judge).findings["rung"] == "json_schema"
    elsewhere.requests.clear()
    run = runs.start(study=pond, judge=judge, repeats=1, concurrency=2, by=None, at=fast_clock())
    work_until_it_rests(run, fast_clock)

    assert set(run.calls.values_list("outcome", flat=True)) == {"rated"}
    system, user = built_in_words(run)
    for body in elsewhere.requests:
        (message,) = body["messages"]
        assert message["role"] == "user"
        assert message["content"].startswith(f"{system}\n\n{user}")
    (asked,) = showing.call_of(run, run.calls.first().pk, access_to(pond, ada)).asked
    assert asked.is_as_sent
    assert [dict(one) for one in asked.messages] in [
        body["messages"] for body in elsewhere.requests
    ]


def built_in_words(run):
    """What stands in the prompt of a run's first call: the system's words, and how the user's begin."""
    call = run.calls.first()
    prompt = engine.interview_of(run).first_prompt(engine.text_of(call))
    system, user = (message["content"] for message in prompt.messages)
    return system, user[:4]


def test_examples_stay_turns_where_no_system_role_is_known():
    """As the templates of such LLMs do it: before the first of the user's words, once."""
    said = (("system", "Be fair."), ("user", "One?"), ("assistant", "A."), ("user", "Two?"))
    prompt = Prompt(messages=tuple({"role": r, "content": t} for r, t in said), schema=None)
    told = [(one["role"], one["content"]) for one in prompt.without_system.messages]
    assert told == [("user", "Be fair.\n\nOne?"), *said[2:]]
    assert prompt.without_system.sha256 != prompt.sha256
    alone = Prompt(messages=prompt.messages[:1] + prompt.messages[2:3], schema=None)
    assert [one["role"] for one in alone.without_system.messages] == ["user", "assistant"]
    plain = Prompt(messages=prompt.messages[1:], schema=None)
    assert plain.without_system is plain


def test_what_is_no_matter_of_the_system_role_is_not_taken_for_one(pond, elsewhere, asked_at):
    judge = asked_at(Dialect.VLLM, temperature=0.0)
    elsewhere.answer = lambda _body, _number: failing(400)
    found = try_out(pond, judge).findings
    assert found["plain"] == "request_refused"
    assert "system" not in found


def test_an_address_of_azure_may_name_the_version_of_its_protocol(
    pond, elsewhere, asked_at, fast_clock
):
    AzureServed(elsewhere)
    address = elsewhere.base_url.replace("/v1", "/openai/deployments/frog?api-version=2024-10-21")
    record = endpoints.add(
        described=described(elsewhere, Dialect.AZURE, base_url=address), by=None, at=timezone.now()
    )
    judge = Settings(llm="frog", base_url=record.base_url, endpoint=record.pk, as_json=False)
    assert try_out(pond, judge).findings["plain"] == "rated"
    run = runs.start(study=pond, judge=judge, repeats=1, concurrency=2, by=None, at=fast_clock())
    work_until_it_rests(run, fast_clock)

    assert run.state == RunState.FINISHED
    path = "/openai/deployments/frog/chat/completions?api-version=2024-10-21"
    assert set(elsewhere.targets) == {path}


# How a call about each of the six items ends; all else is rated.
ENDED = {
    Dialect.AZURE: {2: "refused", 3: "refused"},
    Dialect.VLLM: {2: "too_long", 3: "truncated"},
    Dialect.OLLAMA: {2: "truncated"},
    Dialect.ANTHROPIC: {3: "too_long"},
    Dialect.GEMINI: {2: "truncated", 3: "refused", 4: "too_long"},
}


@pytest.mark.parametrize("as_json", [False, True], ids=["plain", "json"])
@pytest.mark.parametrize("dialect", ENDED)
def test_a_run_is_read_right(pond, asked_at, fast_clock, dialect, as_json):
    judge = asked_at(dialect, as_json=as_json, max_tokens=300)
    try_out(pond, judge)
    run = runs.start(study=pond, judge=judge, repeats=1, concurrency=2, by=None, at=fast_clock())
    work_until_it_rests(run, fast_clock)

    calls = {about_item(call): call for call in run.calls.select_related("submission")}
    assert run.state == RunState.FINISHED
    assert {n: call.outcome for n, call in calls.items()} == {
        n: ENDED[dialect].get(n, "rated") for n in range(1, 7)
    }
    labels = {rating.label for call in calls.values() for rating in call.submission.ratings.all()}
    assert labels == {"safe_response", None}, "what was thought aloud is no verdict"


# What filters say where they keep a text from the LLM, each in the words of its endpoint.
FILTERED = {
    "OpenRouter": (403, {
        "code": 403,
        "message": "Your input was flagged.",
        "metadata": {"reasons": ["self-harm"], "flagged_input": "…"},
    }),
    "DashScope": (400, {
        "code": "data_inspection_failed",
        "type": "data_inspection_failed",
        "message": "Input data may contain inappropriate content.",
    }),
    "DeepSeek": (400, {
        "code": "invalid_request_error",
        "type": "invalid_request_error",
        "message": "Content Exists Risk",
    }),
    "Moonshot": (400, {
        "code": 400,
        "type": "content_filter",
        "param": "prompt",
        "message": "The request was rejected because it was considered high risk",
    }),
    "Zhipu": (400, {
        "code": "1301",
        "message": "系统检测到输入或生成内容可能包含不安全或敏感内容，请您避免输入易产生敏感内容的提示语，感谢您的配合。",
    }),
}  # fmt: skip


@pytest.mark.parametrize("whose", FILTERED)
def test_what_a_filter_keeps_from_an_llm_is_refused_and_holds_up_no_run(
    pond, elsewhere, asked_at, fast_clock, whose
):
    status, told = FILTERED[whose]
    judge = asked_at(Dialect.OPENAI, as_json=False)
    elsewhere.answer = lambda body, _number: (
        refused(status, {"error": told}) if about(body) in {1, 4} else completion(PLAIN)
    )
    run = runs.start(study=pond, judge=judge, repeats=1, concurrency=1, by=None, at=fast_clock())
    work_until_it_rests(run, fast_clock)

    assert (run.state, run.pause_reason) == (RunState.FINISHED, "")
    assert len(elsewhere.requests) == 6
    ended = {about_item(call): call.outcome for call in run.calls.all()}
    assert ended == {n: "refused" if n in {1, 4} else "rated" for n in range(1, 7)}
    assert not engine.failed_calls(run).exists()


def about_item(call):
    return int(re.search(r"\((\d)\)", call.item.reply + str(call.item.dialogue.turns))[1])


NO_KEY = {
    Dialect.AZURE: Pause.KEY_REFUSED,
    Dialect.VLLM: Pause.KEY_REFUSED,
    Dialect.ANTHROPIC: Pause.KEY_REFUSED,
    Dialect.GEMINI: Pause.KEY_REFUSED,
}


@pytest.mark.parametrize("dialect", NO_KEY)
def test_a_key_that_is_refused_is_told_so(pond, asked_at, monkeypatch, dialect):
    monkeypatch.setenv("CONCORD_LLM_KEY_OWN", "another")

    probe = try_out(pond, asked_at(dialect))

    assert probe.findings["plain"] == NO_KEY[dialect]
    assert "another" not in str(probe.findings)


# A body as it comes, and what it is taken to say: a code, a parameter, a time to wait.
BODIES = [
    ({"error": {"code": "context_length_exceeded", "message": "…"}}, "context_length_exceeded", ""),
    ({"error": {"message": "The prompt is too long", "code": None}}, "context_length_exceeded", ""),
    ({"error": {"message": "the request exceeds the available context size"}},
     "context_length_exceeded", ""),
    ({"error": {"type": "invalid_request_error",
                "message": "Your credit balance is too low to access the API."}},
     "insufficient_quota", ""),
    ({"error": {"message": "Use 'max_completion_tokens' instead of it: 'max_tokens' is not "
                           "supported. 'max_tokens' → max_completion_tokens"}}, "", "max_tokens"),
    ({"error": {"code": "model_not_found", "param": "model"}}, "model_not_found", "model"),
    ({"error": {"code": "1113", "message": "您的账户已欠费，请充值后重试。"}}, "insufficient_quota", ""),
    ({"error": {"code": "1113", "message": "余额不足或无可用资源包,请充值。"}}, "insufficient_quota", ""),
    ({"error": {"type": "exceeded_current_quota_error",
                "message": "Your account is not active, organization exceeded current quota"}},
     "insufficient_quota", ""),
    ({"code": 30011, "message": "Your paid balance is insufficient."}, "insufficient_quota", ""),
    ({"error": {"code": "Arrearage",
                "message": "Access denied, please make sure your account is in good standing."}},
     "insufficient_quota", ""),
    ({"error": {"code": "invalid_request_error", "message": "Invalid max_tokens value"}},
     "invalid_request_error", ""),
    ({"code": 429, "message": "Rate limit exceeded: free-models-per-day. Add 10 credits"},
     "insufficient_quota", ""),
    ({"message": "You exceeded your current quota", "type": "insufficient_quota", "code": None},
     "insufficient_quota", ""),
    ({"code": "AllocationQuota.FreeTierOnly",
      "message": "The free tier of the model has been exhausted."}, "insufficient_quota", ""),
    ({"code": "400", "message": "litellm.ContentPolicyViolationError: The response was filtered due "
      "to the prompt triggering Azure OpenAI's content management policy."}, "content_filter", ""),
    ({"type": "content_filter", "message": "no"}, "content_filter", ""),
    ({"detail": "Not Found"}, "", ""),
    ({"error": "Unauthorized"}, "", ""),
    ("404 page not found", "", ""),
    ([], "", ""),
    (None, "", ""),
]  # fmt: skip


@pytest.mark.parametrize(("body", "code", "param"), BODIES)
def test_what_a_refusal_says(body, code, param):
    told = refusal_in(body)

    assert (told.code, told.param, told.wait) == (code, param, None)


def test_a_quota_of_a_day_is_no_busy_moment():
    """Gemini's free tier refuses with 429 for the rest of a day, and names a short delay."""
    violation = {"quotaId": "GenerateRequestsPerDayPerProjectPerModel-FreeTier"}
    details = [{"violations": [violation]}, {"retryDelay": "37s"}]
    told = refusal_in([{"error": {"code": 429, "message": "Quota exceeded", "details": details}}])

    assert (told.code, told.wait) == ("insufficient_quota", 37.0)
