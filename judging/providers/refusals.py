"""What endpoints say where they refuse, each in its own form, in the words that OpenAI has for it.

OpenAI and Azure name a code. vLLM puts the status there, Ollama, Anthropic, Moonshot and DeepSeek a
type, Zhipu a number, Gemini the name of a status in a list, and what stood in the way is in the
message: it is looked at, and never kept.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

TOO_LONG = "context_length_exceeded"
BAD_KEY = "invalid_api_key"
NO_QUOTA = "insufficient_quota"
DECLINED = "content_filter"

_NAMED = re.compile(r"[a-z][a-z_]{2,60}")
_TYPE = re.compile(r"[a-z_]+_error")
_MEANINGS = (
    (
        DECLINED,
        re.compile(
            r"content exists risk|inappropriate content|considered high risk|敏感内容"
            r"|your input was flagged"
        ),
    ),
    (
        TOO_LONG,
        re.compile(
            r"maximum context length|prompt is too long|input is too long|context size"
            r"|token count \(?\d* ?\)? ?exceeds|exceeds the maximum number of tokens"
        ),
    ),
    (BAD_KEY, re.compile(r"api key not valid|api_key_invalid|api key expired")),
    (
        NO_QUOTA,
        re.compile(
            r"credit balance is too low|perday|exceeded current quota|account is in good standing"
            r"|insufficient balance|balance is insufficient|余额不足|欠费"
        ),
    ),
)
_LIMIT = re.compile(r"'?max_tokens'?\W.*max_completion_tokens", re.DOTALL)
_DELAY = re.compile(r"(\d{1,6}(?:\.\d{1,9})?)s")


@dataclass(frozen=True, slots=True)
class EndpointRefusal:
    """`param` is the member that was refused, and `wait` the seconds after which to ask again."""

    code: str = ""
    param: str = ""
    wait: float | None = None


def refusal_in(body: object) -> EndpointRefusal:
    """Read the body of an answer that is none, as JSON or as what stands in its `error`."""
    told = _told(body)
    code, param = str(told.get("code") or ""), str(told.get("param") or "")
    message = str(told.get("message") or "").lower()
    if not _NAMED.fullmatch(code) or _TYPE.fullmatch(code):  # a status, a number, or a type
        details = str(told.get("details") or "").lower()
        code = next((word for word, told in _MEANINGS if told.search(message + details)), code)
    if not param and _LIMIT.search(message):
        param = "max_tokens"
    return EndpointRefusal(code=code, param=param, wait=next(_delays(told.get("details")), None))


def _told(body: object) -> Mapping[str, Any]:
    if isinstance(body, list) and body:
        body = body[0]
    if not isinstance(body, Mapping):
        return {}
    inner = body.get("error", body)
    return inner if isinstance(inner, Mapping) else {"message": inner}


def _delays(details: object) -> Iterator[float]:
    """The times to wait that Google names among its details, “37s”."""
    for one in details if isinstance(details, list) else ():
        delay = one.get("retryDelay") if isinstance(one, Mapping) else None
        if isinstance(delay, str) and (found := _DELAY.fullmatch(delay)):
            yield float(found[1])
