"""One request to an OpenAI-compatible endpoint: an answer as it can be stored, or a Fault.

Nothing is retried here and nothing is logged: when to ask again is the run's decision, and every
request and answer holds what people said in confidence.
"""

import asyncio
import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from types import TracebackType
from typing import Any

import httpx2
import openai

from judging.prompts import Prompt
from judging.providers.faults import Blocked, Fault, RateLimited, Rejected, Transient
from judging.rules.outcomes import Outcome, Pause
from judging.rules.patience import LONGEST_WAIT, wait_asked_for

LONGEST_TEXT = 200_000  # characters that are kept of an answer
_OLD_LIMIT, _NEW_LIMIT = "max_tokens", "max_completion_tokens"
_DECLINED = {"content_filter", "content_policy_violation"}
_TOO_LONG = {"context_length_exceeded", "string_above_max_length"}
_OUT_OF_QUOTA = {"insufficient_quota", "billing_hard_limit_reached", "billing_not_active"}

Answered = dict[str, Any]
Body = dict[str, object]


@dataclass(frozen=True, slots=True, kw_only=True)
class Address:
    """Where requests go; `timeout` in seconds is for one request from start to end."""

    base_url: str
    api_key: str
    timeout: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Sampling:
    """Which LLM answers, and with which settings; None leaves a setting to the endpoint."""

    llm: str
    temperature: float | None
    max_tokens: int | None


class Endpoint:
    """A client for one address; used within one event loop, as an async context manager."""

    def __init__(self, address: Address, sampling: Sampling, *, connections: int) -> None:
        self._timeout = address.timeout
        self._sampling = sampling
        self._limit_is_called = _OLD_LIMIT
        self._client = openai.AsyncOpenAI(
            base_url=address.base_url,
            api_key=address.api_key,
            max_retries=0,
            timeout=address.timeout,
            http_client=httpx2.AsyncClient(
                follow_redirects=False,
                trust_env=False,
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
        return _answered(await self._respond_to(prompt, extra))

    async def returns_logprobs(self, prompt: Prompt) -> bool:
        """Say whether log probabilities come along where they are asked for."""
        response = await self._respond_to(prompt, {"logprobs": True})
        _body, choice, _message = _opened(response)
        return bool(choice.get("logprobs"))

    async def _respond_to(self, prompt: Prompt, extra: Mapping[str, object]) -> httpx2.Response:
        limit_is_called = self._limit_is_called
        try:
            return await self._send({**self._body(prompt, limit_is_called), **extra})
        except openai.APIError as error:
            # Newer LLMs know the limit by another name, and say so.
            if error.param != _OLD_LIMIT or limit_is_called != _OLD_LIMIT:
                raise _fault_of(error) from None
        except TimeoutError:
            raise Transient("timeout") from None
        self._limit_is_called = _NEW_LIMIT
        return await self._respond_to(prompt, extra)

    async def _send(self, body: Body) -> httpx2.Response:
        async with asyncio.timeout(self._timeout):
            # The response as it comes: building the SDK's objects would cost more than the
            # request, and they would be taken apart again to be stored.
            return await self._client.post("/chat/completions", cast_to=httpx2.Response, body=body)

    def _body(self, prompt: Prompt, limit_is_called: str) -> Body:
        body: Body = {"model": self._sampling.llm, "messages": prompt.messages}
        if self._sampling.temperature is not None:
            body["temperature"] = self._sampling.temperature
        if self._sampling.max_tokens is not None:
            body[limit_is_called] = self._sampling.max_tokens
        if prompt.schema is not None:
            form = {"name": "ratings", "strict": True, "schema": prompt.schema}
            body["response_format"] = {"type": "json_schema", "json_schema": form}
        return body


def _fault_of(error: openai.APIError) -> Fault:
    if isinstance(error, openai.APIStatusError):
        return _fault_of_status(error.status_code, error.code or "", error.response.headers)
    if isinstance(error, openai.APITimeoutError):
        return Transient("timeout")
    return Transient("connection")


def _fault_of_status(status: int, code: str, headers: Mapping[str, str]) -> Fault:
    named = f"{status} {code}".strip()
    if code in _OUT_OF_QUOTA or status == 402:
        return Blocked(Pause.OUT_OF_QUOTA, named)
    if status == 429:
        wait = wait_asked_for(headers, at=datetime.now(UTC))
        if wait is not None and wait > LONGEST_WAIT:
            return Blocked(Pause.OUT_OF_QUOTA, named)
        return RateLimited(named, wait=wait)
    if status in {401, 403}:
        return Blocked(Pause.KEY_REFUSED, named)
    if status in {404, 405, 410}:
        return Blocked(Pause.NOT_FOUND, named)
    if 300 <= status < 400:
        return Blocked(Pause.REDIRECTED, named)
    if status >= 500 or status in {408, 409, 425}:
        return Transient(named)
    if code in _TOO_LONG or status == 413:
        return Rejected(Outcome.TOO_LONG, named)
    return Rejected(Outcome.REFUSED if code in _DECLINED else Outcome.REQUEST_REFUSED, named)


def _opened(response: httpx2.Response) -> tuple[Answered, Answered, Answered]:
    """The body of a completion, its first choice, and the message in that."""
    try:
        body = json.loads(response.content)
        choice = body["choices"][0]
        message = choice["message"]
    except (ValueError, LookupError, TypeError):
        raise Transient(f"{response.status_code} without an answer") from None
    if not isinstance(message, dict):
        raise Transient(f"{response.status_code} without an answer")
    return body, choice, message


def _answered(response: httpx2.Response) -> Answered:
    body, choice, message = _opened(response)
    refusal = message.get("refusal")
    return {
        "text": _storable(_text_of(message.get("content")) or str(refusal or "")),
        "finish": _storable(str(choice.get("finish_reason") or "")),
        "refusal": bool(refusal),
        "id": _storable(str(body.get("id") or "")),
        "llm": _storable(str(body.get("model") or "")),
        "fingerprint": _storable(str(body.get("system_fingerprint") or "")),
        "usage": _counts(body.get("usage")),
    }


def _text_of(content: object) -> str:
    """Join the parts of an answer; most endpoints send one string."""
    if isinstance(content, list):
        return "".join(str(part.get("text") or "") for part in content if isinstance(part, dict))
    return content if isinstance(content, str) else ""


def _storable(text: str) -> str:
    """Replace what PostgreSQL cannot hold: NUL, and halves of surrogate pairs."""
    plain = text[:LONGEST_TEXT].replace("\0", "\ufffd")
    return plain.encode("utf-8", "replace").decode("utf-8")


def _counts(usage: object) -> dict[str, int]:
    if not isinstance(usage, dict):
        return {}
    return {
        name: usage[name]
        for name in ("prompt_tokens", "completion_tokens", "total_tokens")
        if isinstance(usage.get(name), int)
    }
