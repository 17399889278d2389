"""What came back for one request, and why some of it holds no answer."""

import re
from dataclasses import dataclass, replace

from annotation.rubric.answers import fold
from judging.rules.outcomes import Outcome

_THOUGHT = re.compile(r"<think(?:ing)?>.*?</think(?:ing)?>", re.DOTALL | re.IGNORECASE)
_OPEN_THOUGHT = re.compile(r"<think(?:ing)?>", re.IGNORECASE)
_REFUSAL = re.compile(
    r"(?:i m |i am )?(?:very |so )?sorry|i apologi[sz]e|my apologies"
    r"|(?:unfortunately )?i (?:can t|cannot|can not|am unable|m unable|won t|will not|must decline)"
    r"|as an ai(?: |$)|(?:很|非常|十分)?抱歉|对不起|我(?:无法|不能|不可以|没有办法)|作为(?:一个|一名)?(?:ai|人工智能)"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenAnswer:
    """An answer's text; `finish` is the endpoint's word for why it ended."""

    text: str
    finish: str = "stop"
    is_refusal: bool = False

    @property
    def was_cut_off(self) -> bool:
        return self.finish == "length"


def without_thoughts(written: WrittenAnswer) -> WrittenAnswer:
    """Leave out what a reasoning LLM thinks aloud before it answers."""
    return replace(written, text=_THOUGHT.sub("", written.text))


def reason_not_to_read(written: WrittenAnswer) -> Outcome | None:
    """Say why there is nothing to read, or None: withheld, still thinking, or empty."""
    if written.is_refusal or written.finish == "content_filter":
        return Outcome.REFUSED
    text = without_thoughts(written).text
    if _OPEN_THOUGHT.search(text) or not text.strip():
        return Outcome.TRUNCATED if written.was_cut_off else Outcome.EMPTY
    return None


def declines(text: str) -> bool:
    """Say whether a text begins by declining to answer."""
    return _REFUSAL.match(fold(text)) is not None


def reason_for_silence(written: WrittenAnswer) -> Outcome:
    """Say why a text holds no answer: it declines, was cut off before one, or has none."""
    if declines(written.text):
        return Outcome.REFUSED
    return Outcome.TRUNCATED if written.was_cut_off else Outcome.NO_ANSWER
