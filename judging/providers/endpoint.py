"""One request to an OpenAI-compatible endpoint: an answer as it can be stored, or a Fault.

Nothing is retried here and nothing is logged: when to ask again is the run's decision, and every
request and answer holds what people said in confidence.
"""

import asyncio
import contextlib
import json
import ssl
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cache
from types import TracebackType
from typing import TYPE_CHECKING, Any

import httpx2
from django.utils.module_loading import import_string

from judging.prompts import Prompt
from judging.prompts.answering import Schema
from judging.providers import refusals
from judging.providers.faults import (
    TIMED_OUT,
    Blocked,
    Denied,
    Fault,
    RateLimited,
    Rejected,
    Transient,
    Unended,
)
from judging.providers.refusals import EndpointRefusal, refusal_in
from judging.rules.budget import is_count
from judging.rules.endpoints import Dialect, Rung, version_of, without_version
from judging.rules.outcomes import BROKEN_OFF, Outcome, Pause
from judging.rules.patience import LONGEST_WAIT, wait_asked_for

if TYPE_CHECKING:
    import openai
    from openai._types import RequestOptions

_TOOL = "give_ratings"
LONGEST_TEXT = 200_000  # characters that are kept of an answer
OLD_LIMIT, NEW_LIMIT = "max_tokens", "max_completion_tokens"
_PASSING = {408, 409, 424, 425, 498, 499}  # TGI fails with 424, Groq is full with 498
_DECLINED = {
    *(refusals.DECLINED, "content_policy_violation", "data_inspection_failed", "invalid_prompt"),
}
_TOO_LONG = {refusals.TOO_LONG, "string_above_max_length"}
_OUT_OF_QUOTA = {refusals.NO_QUOTA, "billing_hard_limit_reached", "billing_not_active"}

Answered = dict[str, Any]
Body = dict[str, object]


@dataclass(frozen=True, slots=True, kw_only=True)
class Address:
    """Where requests go; `timeout` in seconds is for one request from start to end.

    `headers` and `body` go along with each of them.
    """

    base_url: str
    api_key: str
    timeout: float
    dialect: Dialect = Dialect.OPENAI
    headers: Mapping[str, str] = field(default_factory=dict)
    body: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sampling:
    """Which LLM answers, and with which settings; None leaves a setting to the endpoint.

    `rung` is how it is made to answer in JSON, `limit_is_called` what it calls its longest answer, and
    `takes_system` whether it knows a role for the system: what a trial has found out.
    """

    llm: str
    temperature: float | None
    max_tokens: int | None
    rung: Rung = Rung.JSON_SCHEMA
    limit_is_called: str = OLD_LIMIT
    takes_system: bool = True

    def put(self, prompt: Prompt) -> Prompt:
        """The prompt as it is sent to this LLM."""
        return prompt if self.takes_system else prompt.without_system


class Endpoint:
    """A client for one address; used within one event loop, as an async context manager."""

    def __init__(self, address: Address, sampling: Sampling, *, connections: int) -> None:
        import openai  # noqa: PLC0415 -- megabytes that only those need who ask an endpoint

        self._problem = openai.APIError
        self._torn: type[Exception] = import_string("aiohttp.ClientError")
        self._timeout = address.timeout
        self._sampling = sampling
        self._extra = address.body
        self._options = left_out_for(address.dialect)
        self._limit_is_called = sampling.limit_is_called
        self._client = openai.AsyncOpenAI(
            base_url=without_version(address.base_url),
            default_query=version_of(address.base_url),
            api_key=address.api_key,
            max_retries=0,
            timeout=address.timeout,
            default_headers=headers_of(address),
            # Sends by aiohttp: a request costs two thirds of the CPU.
            http_client=openai.DefaultAioHttpClient(
                follow_redirects=False,
                trust_env=False,
                verify=trusted(),
                timeout=address.timeout,
                limits=httpx2.Limits(
                    max_connections=connections, max_keepalive_connections=connections
                ),
            ),
        )

    async def __aenter__(self) -> "Endpoint":
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self._client.close()

    async def ask(self, prompt: Prompt, *, extra: Mapping[str, object] = {}) -> Answered:
        """Send a prompt; return text, finish, refusal, id, llm, fingerprint and usage."""
        response = await self._respond_to(prompt, extra)
        return answered(response.status_code, response.content)

    async def returns_logprobs(self, prompt: Prompt) -> bool:
        """Say whether log probabilities come along where they are asked for."""
        response = await self._respond_to(prompt, {"logprobs": True})
        _body, choice, _message = _opened(response.status_code, response.content)
        return bool(choice.get("logprobs"))

    async def offers_batches(self) -> bool:
        """Say whether there is a list of batches, which whoever takes any has."""
        options: RequestOptions = {**self._options, "params": {"limit": 1}}
        try:
            async with self._in_time():
                response = await self._client.get(
                    "/batches", cast_to=httpx2.Response, options=options
                )
            return isinstance(json.loads(response.content)["data"], list)
        except self._problem as error:
            fault = fault_of(error)
            if isinstance(fault, Blocked) and fault.reason is Pause.NOT_FOUND:
                return False
            raise fault from None
        except (ValueError, LookupError, TypeError):
            return False

    async def _respond_to(self, prompt: Prompt, extra: Mapping[str, object]) -> httpx2.Response:
        limit_is_called = self._limit_is_called
        try:
            body = body_of(prompt, self._sampling, limit_is_called, self._extra)
            return await self._send({**body, **extra})
        except self._problem as error:
            # Newer LLMs know the limit by another name, and say so.
            if refusal_in(error.body).param != OLD_LIMIT or limit_is_called != OLD_LIMIT:
                raise fault_of(error) from None
        self._limit_is_called = NEW_LIMIT
        return await self._respond_to(prompt, extra)

    async def _send(self, body: Body) -> httpx2.Response:
        async with self._in_time():
            # The response as it comes: building the SDK's objects would cost more than the
            # request, and they would be taken apart again to be stored.
            return await self._client.post(
                "/chat/completions", cast_to=httpx2.Response, body=body, options=self._options
            )

    @contextlib.asynccontextmanager
    async def _in_time(self) -> AsyncIterator[None]:
        """One request; HTTP that cannot be read is a lost connection, of which nothing is told on:
        the error would quote what came."""
        try:
            async with asyncio.timeout(self._timeout):
                yield
        except TimeoutError:
            raise Transient(TIMED_OUT) from None
        except (self._torn, ValueError):  # a header that cannot be sent is one of these
            raise Transient("connection") from None

    @property
    def limit_is_called(self) -> str:
        """What the endpoint calls its longest answer, as far as it has said."""
        return self._limit_is_called


@cache
def trusted() -> ssl.SSLContext:
    """Whose certificates are believed: those the system trusts, read once a process.

    Reading them takes longer than a client does for all else. What the environment names is not
    among them, and who runs the server may add their own to the system's.
    """
    return httpx2.create_ssl_context(trust_env=False)


def body_of(
    prompt: Prompt, sampling: Sampling, limit_is_called: str, extra: Mapping[str, object]
) -> Body:
    """What a request says; `extra` are members that go along with each."""
    body: Body = {**extra, "model": sampling.llm, "messages": prompt.messages}
    if sampling.temperature is not None:
        body["temperature"] = sampling.temperature
    if sampling.max_tokens is not None:
        body[limit_is_called] = sampling.max_tokens
    if prompt.schema is not None:
        body |= _form_of(prompt.schema, sampling.rung)
    return body


def _form_of(schema: Schema, rung: Rung) -> Body:
    """What makes an endpoint answer in JSON."""
    match rung:
        case Rung.JSON_SCHEMA:
            form = {"name": "ratings", "strict": True, "schema": schema}
            return {"response_format": {"type": "json_schema", "json_schema": form}}
        case Rung.JSON_OBJECT:
            return {"response_format": {"type": "json_object"}}
        case Rung.TOOL:
            tool = {"name": _TOOL, "description": "Give the ratings.", "parameters": schema}
            return {
                "tools": [{"type": "function", "function": tool}],
                "tool_choice": {"type": "function", "function": {"name": _TOOL}},
            }
        case Rung.PLAIN:
            return {}


def headers_of(address: Address) -> Mapping[str, str]:
    """Azure takes the key in a header of its own."""
    if address.dialect is not Dialect.AZURE:
        return dict(address.headers)
    return {**address.headers, "api-key": address.api_key}


def left_out_for(dialect: Dialect) -> "RequestOptions":
    """What the client is to leave out of each request, where it says so explicitly."""
    import openai  # noqa: PLC0415 -- as above

    return {"headers": {"Authorization": openai.Omit()}} if dialect is Dialect.AZURE else {}


def fault_of(error: "openai.APIError") -> Fault:
    """What an error of the client means."""
    import openai  # noqa: PLC0415 -- as above

    if isinstance(error, openai.APIStatusError):
        return fault_of_status(error.status_code, refusal_in(error.body), error.response.headers)
    if isinstance(error, openai.APITimeoutError) and not _was_cut_off(error):
        return Transient(TIMED_OUT)
    return Transient("connection")


def _was_cut_off(error: "openai.APITimeoutError") -> bool:
    """Whether there was no connection, or it ended: the client has these for timeouts too."""
    return isinstance(error.__cause__, httpx2.ConnectTimeout)


def fault_of_status(status: int, told: EndpointRefusal, headers: Mapping[str, str]) -> Fault:
    """What a status means, with what was told beside it and the headers that came with it."""
    code = told.code
    named = f"{status} {code if code != str(status) else ''}".strip()
    if code in _DECLINED:
        return Rejected(Outcome.REFUSED, named)
    if code in _OUT_OF_QUOTA or status == 402:
        return Blocked(Pause.OUT_OF_QUOTA, named)
    if code in _TOO_LONG or status == 413:
        return Rejected(Outcome.TOO_LONG, named)
    wait = wait_asked_for(headers, at=datetime.now(UTC)) or told.wait
    if status == 429:
        if wait is not None and wait > LONGEST_WAIT:
            return Blocked(Pause.OUT_OF_QUOTA, named)
        return RateLimited(named, wait=wait)
    if status in {404, 405, 410} or code == refusals.NO_LLM:
        return Blocked(Pause.NOT_FOUND, named)
    if status == 401 or code == refusals.BAD_KEY:
        return Blocked(Pause.KEY_REFUSED, named)
    if status == 403:
        return Denied(Pause.KEY_REFUSED, named)
    if 300 <= status < 400:
        return Blocked(Pause.REDIRECTED, named)
    if status >= 500 or status in _PASSING:
        return Transient(named, wait=min(wait or 0.0, LONGEST_WAIT))
    return Rejected(Outcome.REQUEST_REFUSED, named)


def _opened(status: int, content: bytes) -> tuple[Answered, Answered, Answered]:
    """The body of a completion, its first choice, and the message in that."""
    body: Any = None
    try:
        body = json.loads(content)
        _look_for_error(body, body)
        choice = body["choices"][0]
        _look_for_error(choice, body)
        message = choice["message"]
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        message = None
    if not isinstance(message, dict):
        raise _lost(Transient(f"{status} without an answer"), body)
    return body, choice, message


def _look_for_error(where: Answered, body: Answered) -> None:
    """Raise what an error means that came in place of an answer, as OpenRouter sends it with 200."""
    if where.get("error"):
        raise _lost(fault_of_status(refusals.status_in(where), refusal_in(where), {}), body)


def _lost(fault: Fault, body: object) -> Fault:
    """A fault that may pass, with the tokens that were counted all the same."""
    usage = _counts(body.get("usage")) if isinstance(body, dict) else {}
    is_billed = isinstance(fault, Transient) and any(usage.values())
    return Unended(fault.code, usage=usage) if is_billed else fault


def answered(status: int, content: bytes) -> Answered:
    """A completion as it can be stored, from a body in JSON."""
    body, choice, message = _opened(status, content)
    finish, refusal = str(choice.get("finish_reason") or ""), message.get("refusal")
    usage = _counts(body.get("usage"))
    if finish in BROKEN_OFF:
        raise Unended(f"{status} {finish}", usage=usage)
    return {
        "text": _storable(
            _called_with(message) or _text_of(message.get("content")) or str(refusal or "")
        ),
        "finish": _storable(finish),
        "refusal": bool(refusal),
        "id": _storable(str(body.get("id") or "")),
        "llm": _storable(str(body.get("model") or "")),
        "fingerprint": _storable(str(body.get("system_fingerprint") or "")),
        "usage": usage,
    }


def _text_of(content: object) -> str:
    """Join the parts of an answer that are not thoughts; most endpoints send one string."""
    if isinstance(content, list):
        parts = [part for part in content if isinstance(part, dict)]
        said = [part for part in parts if part.get("type", "text") in {"text", "output_text"}]
        return "".join(str(part.get("text") or "") for part in said)
    return content if isinstance(content, str) else ""


def _called_with(message: Answered) -> str:
    """What the one tool that was offered was called with."""
    calls = message.get("tool_calls")
    try:
        function = calls[0]["function"] if calls else {}
        return str(function["arguments"]) if function.get("name") == _TOOL else ""
    except (LookupError, TypeError, AttributeError):
        return ""


def _storable(text: str) -> str:
    """Replace what PostgreSQL cannot hold: NUL, and halves of surrogate pairs."""
    plain = text[:LONGEST_TEXT].replace("\0", "\ufffd")
    return plain.encode("utf-8", "replace").decode("utf-8")


def _counts(usage: object) -> dict[str, int]:
    """Those of a prompt that were `cached_tokens` are told in one of three places."""
    if not isinstance(usage, dict):
        return {}
    details = usage.get("prompt_tokens_details")
    told = {
        "cached_tokens": usage.get("prompt_cache_hit_tokens"),
        **usage,
        **(details if isinstance(details, dict) else {}),
    }
    return {
        name: told[name]
        for name in ("prompt_tokens", "completion_tokens", "total_tokens", "cached_tokens")
        if is_count(told.get(name))
    }
