"""Leaves out what a reasoning LLM writes before it answers: thoughts, and calls of tools.

A tag counts where a chat template would have put it. One that is only spoken of, as in "the reply
is nothing but a `<think>` block", stays, and so does one inside an answer that is JSON as a whole.
"""

import json
import re

from judging.parsing.plain import of_top, visible
from judging.parsing.quotations import reports

_NAMES = (
    r"(?:think(?:ing)?|thoughts?|reasoning|reflection|analysis|scratchpad|inner_monologue|cot"
    r"|rationale|思考|推理|分析)"
)
_MARKED = re.compile(r"[<\[◁]")  # with which any tag begins
_OPEN = re.compile(rf"<\|?{_NAMES}\|?>|\[{_NAMES}\]|◁think▷|<\|begin_of_thought\|>", re.IGNORECASE)
_CLOSE = re.compile(
    rf"<\|?/{_NAMES}\|?>|\[/{_NAMES}\]|◁/think▷|<\|end_of_thought\|>", re.IGNORECASE
)
_CALLED = re.compile(
    r"<(tool_call|tool_use|function_call|function_calls|tool_response|invoke)\b[^>]*>.*?</\1>"
    r"|\[TOOL_CALLS?\].*?\[/TOOL_CALLS?\]|<\|tool_call_begin\|>.*?<\|tool_call_end\|>",
    re.DOTALL | re.IGNORECASE,
)
_CHANNEL = re.compile(r"(?:<\|start\|>\s*assistant\s*)?<\|channel\|>\s*(\w+)[^<]*<\|message\|>")
_TURN = re.compile(  # what ends a turn in a template of chats, or begins one
    r"(?:<\|(?:im_start|start_header_id|start)\|>|<start_of_turn>|<[|｜](?=\w+[|｜]>))[ \t]*(?P<role>system|user|assistant|model|tool|observation|ipython)"
    r"(?:<\|end_header_id\|>|[|｜]>|\b)|(?P<asks>\[INST\])|(?P<asked>\[/INST\])"
    r"|(?:<\|(?:im_end|eot_id|eom_id|end|return|endoftext|end_of_text)\|>|</s>|<eos>|<end_of_turn>|<｜end▁of▁sentence｜>)(?=[ \t]*(?:\Z|[\n<\[#{]|(?-i:[A-Z\d])))",
    re.IGNORECASE,
)
_ANALYSIS = re.compile(r"\s*analysis(?=[A-Z])")
_ANSWER = re.compile(
    r"^[ \t]*<(answer|final|final_answer|finalanswer|verdict|result|output|score|rating|label"
    r"|答案|结论)(?P<attributes>[ \t](?![^<>\n]*\b(?:criterion|name|dimension|key|id|attribute)\s*=)[^<>\n]*)?>(?P<inside>(?:(?!<\1\b).)*?)</\1>[ \t.]*(?:$|(?=<(?!\1\b)))",
    re.DOTALL | re.IGNORECASE | re.MULTILINE,
)
_STREAMED = re.compile(r"(?m)^data:[ \t]*(?=\{)|^data:[ \t]*\[DONE\]")
_SPOKEN_OF = "`'\"“”‘’「」『』"


def without_thoughts(text: str) -> str | None:
    """Return what was written as an answer, or None where a thought was begun and never ended."""
    said = said_aloud(_STREAMED.sub("", visible(text)))
    if said is None or not _MARKED.search(said):
        return said
    return _answer_in(_own_turn(_without_calls(said)))


def said_aloud(text: str) -> str | None:
    """The same, with all else as it was written."""
    text = _final_channel(text)
    while _MARKED.search(text) and not _is_json(text):
        shorter = _without_one_thought(text)
        if shorter is None:
            return None
        if shorter == text:
            break
        text = shorter
    return text


def _own_turn(text: str) -> str:
    """The first turn in which whoever judges says anything, without what a template sets before it
    and what is made up behind it."""
    is_own, begin = True, 0
    for mark in () if _is_json(text) else _TURN.finditer(text):
        is_said = is_own and text[begin : mark.start()].strip() != ""
        if is_said and _is_reported(mark, text):
            return _TURN.sub("", text[begin:])
        if is_said and (mark["asked"] or _is_spoken_of(mark, text)):
            continue
        if is_said:
            return text[begin : mark.start()]
        begin = mark.end()
        if mark["role"]:
            is_own = mark["role"].lower() in {"assistant", "model"}
        elif mark["asks"] or mark["asked"]:
            is_own = mark["asks"] is None
    return text[begin:]


def _without_calls(text: str) -> str:
    return text if _is_json(text) else _CALLED.sub("\n", text)


def _without_one_thought(text: str) -> str | None:
    opened, closed = _first(_OPEN, text), _first(_CLOSE, text)
    if closed and (opened is None or closed.start() < opened.start()):
        return text[closed.end() :]
    if opened is None:
        return text
    if closed:
        return text[: opened.start()] + text[closed.end() :]
    starts_a_line = not text[: opened.start()].rpartition("\n")[2].strip()
    return None if starts_a_line else text


def _first(tag: re.Pattern[str], text: str) -> re.Match[str] | None:
    """The first tag that is meant as one, not spoken of."""
    return next((found for found in tag.finditer(text) if not _is_spoken_of(found, text)), None)


def _is_spoken_of(found: re.Match[str], text: str) -> bool:
    mark, after = text[: found.start()][-1:], text[found.end() : found.end() + 1]
    is_between = bool(mark and after) and mark in _SPOKEN_OF and after in _SPOKEN_OF
    return is_between or _is_reported(found, text)


def _is_reported(found: re.Match[str], text: str) -> bool:
    """Say whether it is where somebody else's words begin: "The reply says: <think>"."""
    before = text[max(0, found.start() - 1000) : found.start()]
    line = _OPEN.split(before.rpartition("\n")[2], maxsplit=1)[0].rstrip()
    return line.endswith((":", "：")) and reports(line[-200:])


def _final_channel(text: str) -> str:
    """Of an answer in channels, the last one that is not for thoughts; all where there is none.

    Where the marks of channels were left out, their names run on: "analysisWe need …assistantfinal4".
    """
    *thought, said = text.split("assistantfinal")
    if thought or _ANALYSIS.match(text):
        return said if thought else "<think>"
    channels = list(_CHANNEL.finditer(text))
    finals = [one for one in channels if one[1] == "final"]
    if not channels:
        return text
    if not finals:
        return "<think>"
    return text[finals[-1].end() :]


def _answer_in(text: str) -> str:
    """What stands between the tags of an answer, where all such tags hold the same, and what is said
    behind them."""
    found = list(_ANSWER.finditer(text))
    inside = {of_top(one["inside"].strip(), one["attributes"]) for one in found}
    if len(inside) != 1 or inside == {""}:
        return text
    behind = text[found[-1].end() :].strip()
    return f"{inside.pop()}\n\n{'' if behind.startswith('<') else behind}".rstrip()


def _is_json(text: str) -> bool:
    if text.lstrip()[:1] not in {"{", "["}:
        return False
    try:
        return isinstance(json.loads(text), dict | list)
    except (ValueError, RecursionError):
        return False
