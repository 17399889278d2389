"""What endpoints say where they refuse, each in its own form, in the words that OpenAI has for it.

OpenAI and Azure name a code. vLLM puts the status there, Ollama, Anthropic, Moonshot and DeepSeek a
type, Zhipu a number, Gemini the name of a status in a list, and what stood in the way is in the
message: it is looked at, and never kept.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from judging.rules.patience import duration

TOO_LONG = "context_length_exceeded"
BAD_KEY = "invalid_api_key"
NO_QUOTA = "insufficient_quota"
DECLINED = "content_filter"
NO_LLM = "model_not_found"
_BUSY = "rate_limit_exceeded"

_STATUS = re.compile(r"[45]\d\d")
_NAMED = re.compile(r"[a-z][a-z_]{2,60}")
_TYPE = re.compile(r"[a-z_]+_error")
_MEANINGS = (
    (
        DECLINED,
        re.compile(
            r"content exists risk|inappropriate content|considered high risk|敏感内容"
            r"|your input was flagged|flagged as potentially violating|content management policy"
        ),
    ),
    (
        TOO_LONG,
        re.compile(
            r"maximum (?:context|prompt|model) length|prompt is too long|input is too long"
            r"|context size|model's context length|context length of only|than the context length"
            r"|exceed context limit|exceeded model token limit|range of input length|prompt 超长"
            r"|request too large|`inputs` (?:tokens|must have less)"
            r"|token count \(?\d* ?\)? ?exceeds|exceeds the maximum number of tokens"
        ),
    ),
    (BAD_KEY, re.compile(r"api key not valid|api_key_invalid|api key expired")),
    (
        NO_QUOTA,
        re.compile(
            r"credit balance is too low|per-?day|exceeded current quota|account is in good standing"
            r"|insufficient balance|balance is insufficient|余额不足|欠费|free tier .*exhausted"
        ),
    ),
    (
        NO_LLM,
        re.compile(
            r"model(?: code)?:? ?(?:[`'\"“][^`'\"”]{1,200}[`'\"”])? (?:does not|not) exist|invalid model(?: name\b|:| ['`\"“])"
            r"|not a valid model|unknown model|模型不存在"
        ),
    ),
)
_LIMIT = re.compile(r"'?max_tokens'?\W.*max_completion_tokens", re.DOTALL)
_AGAIN = re.compile(
    r"(?:try again|retry) (?:in|after) (\d[\dhms.]*[hms]\b|\d+(?:\.\d+)?(?= seconds?\b))"
)
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
    if told.get("type") in {NO_QUOTA, DECLINED}:
        code = told["type"]
    message = str(told.get("message") or "").lower()
    # A status, a number, a type, or the word for a request that is larger than a minute's limit too.
    if not _NAMED.fullmatch(code) or _TYPE.fullmatch(code) or code == _BUSY:
        details = str(told.get("details") or "").lower()
        code = next((word for word, told in _MEANINGS if told.search(message + details)), code)
    if not param and _LIMIT.search(message):
        param = "max_tokens"
    wait = next(_delays(told.get("details")), None) or _wait_in(message)
    return EndpointRefusal(code=code, param=param, wait=wait)


def status_in(body: object) -> int:
    """The status that an error names which came as an answer; 500 where it names none."""
    code = str(_told(body).get("code"))
    return int(code) if _STATUS.fullmatch(code) else 500


def _told(body: object) -> Mapping[str, Any]:
    if isinstance(body, list) and body:
        body = body[0]
    if not isinstance(body, Mapping):
        return {"message": body} if isinstance(body, str) else {}
    inner = body.get("error", body)
    return inner if isinstance(inner, Mapping) else {"message": inner}


def _wait_in(message: str) -> float | None:
    """The time that stands in words alone, “please try again in 7m12.5s”."""
    found = _AGAIN.search(message)
    return duration(found[1]) if found else None


def _delays(details: object) -> Iterator[float]:
    """The times to wait that Google names among its details, “37s”."""
    for one in details if isinstance(details, list) else ():
        delay = one.get("retryDelay") if isinstance(one, Mapping) else None
        if isinstance(delay, str) and (found := _DELAY.fullmatch(delay)):
            yield float(found[1])
