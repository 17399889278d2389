"""One answer as it was recorded, and how each layout of a file names its parts."""

import json
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from annotation.readers.problems import CannotRead, FilePlace, FileReason, Flaw
from annotation.rubric.sentences import Sentence, sentence
from judging.rules.budget import is_count
from judging.rules.outcomes import BROKEN_OFF

LONGEST = 200_000  # characters of an answer
MOST_REPEATS = 1000
_REPEATED = re.compile(r"(?P<item>.+)#(?P<repeat>\d{1,4})")
_IN_A_TABLE = re.compile(r"\s*\d{1,4}\s*")  # where every number is text
_MISSING = sentence("It is missing.")
_FINISHED = {"completed": "stop", "max_output_tokens": "length"}
_FAILED = sentence("The request failed: it has no answer.")

Fields = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Completion:
    """What one LLM answered to one item once; `repeat` counts from 1, None where a file has none."""

    place: FilePlace
    item: str
    repeat: int | None
    text: str
    finish: str = ""
    is_refusal: bool = False
    llm: str = ""
    id: str = ""
    fingerprint: str = ""
    usage: Mapping[str, int] = field(default_factory=dict)
    answered_at: datetime | None = None

    @property
    def exchange(self) -> dict[str, Any]:
        """As a call keeps it; which prompt was sent is not known."""
        return {
            "prompt_sha256": "",
            "text": self.text,
            "finish": self.finish,
            "refusal": self.is_refusal,
            "id": self.id,
            "llm": self.llm,
            "fingerprint": self.fingerprint,
            "usage": dict(self.usage),
        }


def of_replay(fields: Fields, place: FilePlace, *, first_run: int = 0) -> Completion:
    """{item, run, model, content, finish_reason, usage, created}; runs count from `first_run`. A
    `repeat` in the place of the run counts from 1; without either they are counted."""
    repeat = _repeat("repeat", _whole(fields.get("repeat")))
    if "run" in fields and "repeat" not in fields:
        run = _whole(fields["run"])
        if not is_count(run) or not first_run <= run < MOST_REPEATS + first_run:
            raise _wrong("run", sentence("A run is a whole number from 0 on."))
        repeat = run + 1 - first_run
    return Completion(
        place=place,
        item=_key("item", fields.get("item")),
        repeat=repeat,
        text=_text("content", fields.get("content")),
        finish=_finish("finish_reason", fields.get("finish_reason")),
        llm=_word(fields.get("model")),
        usage=_counts(fields.get("usage")),
        answered_at=_moment("created", fields.get("created")),
    )


def first_run_of(rows: Iterable[Fields]) -> int:
    """Whether the runs of a file count from 0 or from 1; CannotRead where they begin later."""
    runs = (_whole(fields.get("run")) for fields in rows if "repeat" not in fields)
    first = min(filter(is_count, runs), default=0)
    if first > 1:
        raise CannotRead(
            sentence(
                "The runs of this file begin at {first}, and not at 0 or 1, so it is not known which "
                "is the first. Write a field “repeat” instead, which counts from 1.",
                first=first,
            )
        )
    return first


def _whole(raw: Any) -> Any:
    """The whole number that stands in a cell of a table; what is none is as it was."""
    return int(raw) if isinstance(raw, str) and _IN_A_TABLE.fullmatch(raw) else raw


def of_openai_batch(fields: Fields, place: FilePlace) -> Completion:
    """{custom_id, response: {status_code, body}}; "item-7#2" is the second answer to item-7."""
    item, repeat = _asked("custom_id", fields)
    response = fields.get("response")
    if not isinstance(response, Mapping) or response.get("status_code") != 200:
        raise _wrong("response", _FAILED)
    body = response.get("body")
    body = body if isinstance(body, Mapping) else {}
    read = _of_response if body.get("object") == "response" else _of_body
    return read(body, place, "response.body", item=item, repeat=repeat)


def of_anthropic_batch(fields: Fields, place: FilePlace) -> Completion:
    """{custom_id, result: {type, message: {content, stop_reason, model, usage}}}."""
    item, repeat = _asked("custom_id", fields)
    result = fields.get("result")
    message = result.get("message") if isinstance(result, Mapping) else None
    if not isinstance(message, Mapping) or not isinstance(message.get("content"), list):
        raise _wrong("result", _FAILED)
    return Completion(
        place=place,
        item=item,
        repeat=repeat,
        text=_text("result.message", "".join(_parts(message["content"]))),
        finish=_finish("result.message", message.get("stop_reason")),
        llm=_word(message.get("model")),
        id=_word(message.get("id")),
        usage=_counts(message.get("usage")),
    )


def of_gemini_batch(fields: Fields, place: FilePlace) -> Completion:
    """{key, response: {candidates: [{content: {parts}, finishReason}], modelVersion, usageMetadata}}."""
    item, repeat = _asked("key", fields)
    response = fields.get("response")
    if not isinstance(response, Mapping) or not response.get("candidates"):
        raise _wrong("response", _FAILED)
    answer = _only("response.candidates", response["candidates"])
    content = answer.get("content")
    parts = content.get("parts") if isinstance(content, Mapping) else None
    said = [
        str(part.get("text") or "")
        for part in (parts if isinstance(parts, list) else [])
        if isinstance(part, Mapping) and not part.get("thought")
    ]
    return Completion(
        place=place,
        item=item,
        repeat=repeat,
        text=_text("response.candidates", "".join(said)),
        finish=_finish("response.candidates", answer.get("finishReason")),
        llm=_word(response.get("modelVersion")),
        id=_word(response.get("responseId")),
        usage=_counts(response.get("usageMetadata")),
    )


def _named_within(whole: str, fields: Fields, names: Sequence[str]) -> tuple[str, object]:
    """(the field that names the item, what it says): one beside the object that has such a name, as
    whoever brings the file says it, or else one within."""
    if "item" in fields:
        return "item", fields["item"]
    within = fields.get(whole)
    within = within if isinstance(within, Mapping) else {}
    named = next((name for name in names if name in within), names[0])
    return f"{whole}.{named}", within.get(named)


def _asked(name: str, fields: Fields) -> tuple[str, int | None]:
    """(the item that was asked about, the repeat where there are several)."""
    key = _key(name, fields.get(name))
    repeated = _REPEATED.fullmatch(key)
    return (repeated["item"], _repeat(name, int(repeated["repeat"]))) if repeated else (key, None)


def of_inspect(fields: Fields, place: FilePlace) -> Completion:
    """A sample of an inspect_ai log: {id, epoch, output: {model, choices, usage}}."""
    output = fields.get("output")
    if not isinstance(output, Mapping) or not output.get("choices"):
        raise _wrong("output", sentence("The sample has no answer."))
    choice = _only("output.choices", output["choices"])
    return Completion(
        place=place,
        item=_key("id", fields.get("id")),
        repeat=_repeat("epoch", fields.get("epoch", 1)),
        text=_text("output.choices", _content(choice)),
        finish=_finish("output.choices", choice.get("stop_reason")),
        llm=_word(output.get("model")),
        usage=_counts(output.get("usage")),
        answered_at=None,
    )


def of_lm_eval(fields: Fields, place: FilePlace) -> Completion:
    """A sample of lm-evaluation-harness: {doc_id, doc, resps}; the `key` or `item` of the document
    names the item, or else its number."""
    named, item = _named_within("doc", fields, ("key", "item"))
    answers = fields.get("resps")
    while isinstance(answers, list):
        _refuse_several("resps", answers)
        answers = answers[0] if answers else None
    if item is None:
        named, item = "doc_id", fields.get("doc_id")
    return Completion(
        place=place, item=_key(named, item), repeat=None, text=_text("resps", answers)
    )


def of_langfuse(fields: Fields, place: FilePlace) -> Completion:
    """A generation of a Langfuse export; `metadata` names the item, and the repeat if there are more."""
    metadata = fields.get("metadata")
    metadata = metadata if isinstance(metadata, Mapping) else {}
    named, item = _named_within("metadata", fields, ("item", "item_id", "itemId"))
    repeat = _repeat("metadata.repeat", metadata.get("repeat"))
    output = fields.get("output")
    usage = fields.get("usageDetails") or fields.get("usage")
    if isinstance(output, Mapping) and output.get("choices"):
        return _of_body(
            output,
            place,
            "output",
            item=_key(named, item),
            repeat=repeat,
        )
    return Completion(
        place=place,
        item=_key(named, item),
        repeat=repeat,
        text=_text("output", output.get("content") if isinstance(output, Mapping) else output),
        llm=_word(fields.get("model")),
        id=_word(fields.get("id")),
        usage=_counts(usage),
        answered_at=_moment("endTime", fields.get("endTime")),
    )


def of_promptfoo(fields: Fields, place: FilePlace) -> Completion:
    """A result of promptfoo: {vars, provider, response: {output, tokenUsage}}; a variable names the
    item. What was read as JSON there is written as JSON again."""
    named, item = _named_within("vars", fields, ("item", "key", "item_id"))
    response, provider = fields.get("response"), fields.get("provider")
    if fields.get("error") or not isinstance(response, Mapping) or response.get("error"):
        raise _wrong("response", _FAILED)
    output = response.get("output")
    return Completion(
        place=place,
        item=_key(named, item),
        repeat=None,
        text=_text("response.output", output if _is_said(output) else json.dumps(output)),
        finish=_finish("response.finishReason", response.get("finishReason")),
        llm=_word(provider.get("id") if isinstance(provider, Mapping) else provider),
        id=_word(fields.get("id")),
        usage=_counts(response.get("tokenUsage")),
    )


def _is_said(output: object) -> bool:
    return output is None or isinstance(output, str)


def of_vera(fields: Fields, place: FilePlace) -> Completion:
    """A row of VERA-MH's results.csv: a conversation, and what the judge said of each dimension. What
    it gave as its reason stands beside the value, as in an answer in JSON."""
    said = {
        name: str(value).strip()
        for name, value in fields.items()
        if name not in _VERA_ABOUT and str(value).strip()
    }
    reasons = {
        name: said.pop(f"{name}{_VERA_WHY}") for name in [*said] if f"{name}{_VERA_WHY}" in said
    }
    said = {name: value for name, value in said.items() if not name.endswith(_VERA_WHERE)}
    if not said:
        raise _wrong("", sentence("The row has no value of any dimension."))
    repeat = str(fields.get("judge_instance") or "").strip()
    return Completion(
        place=place,
        item=_key("filename", fields.get("filename")).removesuffix(".txt"),
        repeat=_repeat("judge_instance", int(repeat)) if repeat.isdecimal() else None,
        text=_as_json(said, reasons) if reasons else "\n".join(map(": ".join, said.items())),
        llm=_word(fields.get("judge_model")),
    )


def _as_json(said: Mapping[str, str], reasons: Mapping[str, str]) -> str:
    whole = {
        name: {"reasoning": reasons.get(name, ""), "score": value} for name, value in said.items()
    }
    return json.dumps(whole, ensure_ascii=False)


_VERA_WHY, _VERA_WHERE = "_yes_reasoning", "_yes_question_id"
_VERA_ABOUT = {
    *("filename", "run_id", "persona_name", "judge_model", "judge_instance", "judge_id"),
    *("conversation_file", "timestamp", ""),
}


def _of_body(
    body: Fields, place: FilePlace, name: str, *, item: str, repeat: int | None
) -> Completion:
    """The body of a chat completion."""
    choice = _only(f"{name}.choices", body.get("choices"))
    message = choice.get("message")
    message = message if isinstance(message, Mapping) else {}
    refusal = message.get("refusal")
    return Completion(
        place=place,
        item=item,
        repeat=repeat,
        text=_text(f"{name}.choices", refusal or _content(choice)),
        finish=_finish(f"{name}.choices", choice.get("finish_reason")),
        is_refusal=bool(refusal),
        llm=_word(body.get("model")),
        id=_word(body.get("id")),
        fingerprint=_word(body.get("system_fingerprint")),
        usage=_counts(body.get("usage")),
        answered_at=_moment(f"{name}.created", body.get("created")),
    )


def _of_response(
    body: Fields, place: FilePlace, name: str, *, item: str, repeat: int | None
) -> Completion:
    """A response of OpenAI's newer interface: {status, output: [{type: "message", content}, …]}."""
    output = body.get("output")
    said = [
        part
        for one in (output if isinstance(output, list) else [])
        if isinstance(one, Mapping) and one.get("type") == "message"
        for part in (one.get("content") or [])
        if isinstance(part, Mapping)
    ]
    refusal = "".join(str(part.get("refusal") or "") for part in said)
    why = body.get("incomplete_details")
    reason = why.get("reason") if isinstance(why, Mapping) else body.get("status")
    return Completion(
        place=place,
        item=item,
        repeat=repeat,
        text=_text(
            f"{name}.output", refusal or "".join(str(part.get("text") or "") for part in said)
        ),
        finish=_FINISHED.get(str(reason)) or _finish(f"{name}.status", reason),
        is_refusal=bool(refusal),
        llm=_word(body.get("model")),
        id=_word(body.get("id")),
        usage=_counts(body.get("usage")),
        answered_at=_moment(f"{name}.created_at", body.get("created_at")),
    )


def _only(name: str, choices: object) -> Fields:
    """The one answer."""
    if not isinstance(choices, list) or not choices:
        return {}
    _refuse_several(name, choices)
    return choices[0] if isinstance(choices[0], Mapping) else {}


def _refuse_several(name: str, answers: Sequence[object]) -> None:
    """Of several answers all would count, and not the first."""
    if len(answers) > 1:
        raise _wrong(
            name,
            sentence(
                "It holds {count} answers. Write a row for each, so that they are repeats.",
                count=len(answers),
            ),
        )


def _content(choice: Fields) -> object:
    message = choice.get("message")
    content = message.get("content") if isinstance(message, Mapping) else None
    if isinstance(content, list):
        return "".join(_parts(content))
    return content


def _parts(content: Sequence[object]) -> Iterator[str]:
    for part in content:
        if isinstance(part, Mapping) and part.get("type") == "text":
            yield str(part.get("text") or "")


def _finish(name: str, raw: object) -> str:
    """The endpoint's word for why the answer ended, whatever it is; "" where the file has none."""
    word = _word(raw).lower()
    if word in BROKEN_OFF:
        raise _wrong(name, sentence("The answer was broken off before its end. Drop the row."))
    return "length" if word == "model_length" else word


def _repeat(name: str, raw: object) -> int | None:
    """The how-manieth answer to the item; None where the file does not count."""
    if raw is None:
        return None
    if not isinstance(raw, int) or isinstance(raw, bool) or not 0 < raw <= MOST_REPEATS:
        raise Flaw(
            name,
            FileReason.NOT_A_REPEAT,
            sentence("A repeat is a whole number from 1 to {most}.", most=MOST_REPEATS),
        )
    return raw


def _wrong(name: str, why: Sentence) -> Flaw:
    return Flaw(name, FileReason.WRONG_SHAPE, why)


def _key(name: str, raw: object) -> str:
    key = str(raw).strip() if isinstance(raw, str | int) and not isinstance(raw, bool) else ""
    key = unicodedata.normalize("NFC", key)
    if not key:
        raise Flaw(name, FileReason.MISSING, sentence("It must name the item: a key or a number."))
    return key


def _text(name: str, raw: object) -> str:
    if raw is None:
        raise Flaw(name, FileReason.MISSING, _MISSING)
    if not isinstance(raw, str):
        raise Flaw(name, FileReason.NOT_TEXT, sentence("The answer must be a text."))
    if len(raw) > LONGEST:
        raise Flaw(
            name,
            FileReason.TOO_LONG,
            sentence("The answer has more than {most} characters.", most=LONGEST),
        )
    return raw.replace("\0", "\N{REPLACEMENT CHARACTER}").encode("utf-8", "replace").decode()


def _word(raw: object) -> str:
    return _text("", raw)[:200] if isinstance(raw, str) else ""


def _counts(raw: object) -> dict[str, int]:
    """Tokens under the names of an endpoint, whatever the file calls them."""
    if not isinstance(raw, Mapping):
        return {}
    named = {
        "prompt_tokens": (
            "prompt_tokens",
            "input_tokens",
            "input",
            "promptTokens",
            "prompt",
            "promptTokenCount",
        ),
        "completion_tokens": (
            "completion_tokens",
            "output_tokens",
            "output",
            "completionTokens",
            "completion",
            "candidatesTokenCount",
        ),
        "total_tokens": ("total_tokens", "total", "totalTokens", "totalTokenCount"),
    }
    found = {
        name: next((raw[one] for one in names if is_count(raw.get(one))), None)
        for name, names in named.items()
    }
    return {name: count for name, count in found.items() if count is not None}


def _moment(name: str, raw: object) -> datetime | None:
    """Seconds since 1970, or a time as ISO 8601 writes it; without a zone it is UTC."""
    if raw is None or raw == "":
        return None
    try:
        if isinstance(raw, str):
            found = datetime.fromisoformat(raw)
            return (found if found.tzinfo else found.replace(tzinfo=UTC)).astimezone(UTC)
        if isinstance(raw, int | float) and not isinstance(raw, bool):
            return datetime.fromtimestamp(raw, UTC)
    except (ValueError, OverflowError, OSError):
        pass
    raise _wrong(name, sentence("This is not a time."))
