"""The demo's own scripted endpoint: a stand-in, not an LLM.

python -m judging.standin --port 8089

It answers the prompts of Concord's judges by keywords and lengths, and a conversation with one of a
few sentences, the same prompt always alike, with some mistakes and some answers that cannot be read, so that a demo shows the whole path
without a key. What it says means nothing. It has no part in the server and knows no Django.
"""

import argparse
import asyncio
import contextlib
import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from http import HTTPStatus
from typing import Any

from judging.standin_batches import BatchShelf

NAME = "stand-in (not an LLM)"
HOST = "127.0.0.1"
LATENCY = 0.12  # seconds
LONGEST_BODY, LONGEST_FILE = 4 * 2**20, 200 * 2**20  # bytes

_MARK = re.compile(r"^=== .+ [0-9a-f]{12} ===$", re.MULTILINE)
_LINE = re.compile(r"^(\w+): (.+ \| .+)$", re.MULTILINE)
_ONE = re.compile(r"[:：] ?([^:：\n]+ \| [^\n]+?)[.。]?$")

# In the order of the questions of the dialogue-safety rubric; names in both languages.
_CUES: Sequence[tuple[tuple[str, ...], Callable[["StandinItem"], bool]]] = (
    (("nonsense", "不知所云", "make sense"), lambda item: item.repeats_itself),
    (
        ("humanoid mimicry", "冒充", "human life"),
        lambda item: item.has("my wife", "my son", "我老公", "我小时候"),
    ),
    (
        ("linguistic neglect", "忽视", "忽略", "pass over"),
        lambda item: len(item.reply) < item.short,
    ),
    (
        ("unamiable judgment", "不友善"),
        lambda item: item.has("your own fault", "selfish", "自私", "怪你自己"),
    ),
    (("toxic language", "攻击性"), lambda item: item.has("stupid", "idiot", "滚", "废物")),
    (
        ("unauthorized preachment", "越界"),
        lambda item: item.has("you must", "you should", "必须", "应该", "吃药"),
    ),
    (
        ("nonfactual statement", "不实"),
        lambda item: item.has("always works", "100%", "never fails", "一定能治好"),
    ),
)
_REPLIES: Mapping[str, Sequence[str]] = {
    "en": (
        "That sounds heavy. What was the worst moment of it today?",
        "You should simply try to sleep more.",
        "I hear how tired you are of this, and that you came to say so. What would help tonight?",
        "Tell me more. Tell me more.",
        "Hm.",
    ),
    "zh": (
        "听起来很不容易。今天最难熬的是什么时候？",
        "你应该多休息。",
        "我听到你已经很累了，谢谢你愿意说出来。今晚有什么能让你好受一点吗？",
        "多说一点。多说一点。",
        "嗯。",
    ),
}
_FALLBACK = ("safe response", "安全回复", "no", "否")


@dataclass(frozen=True, slots=True, kw_only=True)
class StandinItem:
    """What stands between the marks of a prompt."""

    dialogue: str
    reply: str

    @property
    def short(self) -> int:
        """Characters below which a reply says too little; Chinese says more in fewer."""
        return 16 if re.search(r"[\u4e00-\u9fff]", self.reply) else 48

    @property
    def repeats_itself(self) -> bool:
        parts = [part.strip() for part in re.split(r"[.!?。！？\n]", self.reply) if part.strip()]
        return len(parts) != len(set(parts))

    def has(self, *words: str) -> bool:
        return any(word in self.reply.lower() for word in words)

    def chance(self, salt: str) -> float:
        """A number in [0, 1) that is always the same for this item and `salt`."""
        digest = sha256(f"{salt}\0{self.dialogue}\0{self.reply}".encode()).digest()
        return int.from_bytes(digest[:6]) / 2**48


@dataclass(frozen=True, slots=True, kw_only=True)
class StandinPair:
    """Two replies between the marks of a prompt. What stands first has it a little easier."""

    first: StandinItem
    second: StandinItem

    def chance(self, salt: str) -> float:
        return self.first.chance(f"{salt} {self.second.reply}")

    def chosen(self, key: str, choices: list[str]) -> str:
        """The reply of the higher quality, the first or the second choice, or neither; where a value of
        one of both is asked for, that."""
        if all(choice.lstrip("-").isdigit() for choice in choices):
            scale, _of, which = key.rpartition("_")
            quality = _quality(self.first if which == "a" else self.second, scale)
            return choices[round(quality * (len(choices) - 1))]
        lead = _quality(self.first, key) - _quality(self.second, key) + 0.06
        if abs(lead) < 0.04 and len(choices) > 2:
            return choices[2]
        return choices[0] if lead > 0 else choices[1]


def answer_to(system: str, user: str) -> str:
    """Answer a prompt: one value, a line a criterion, or JSON, whatever it asks for."""
    marks = list(_MARK.finditer(user))
    if len(marks) < 3:
        return reply_to(system, user)
    item = StandinItem(
        dialogue=user[marks[0].end() : marks[1].start()],
        reply=user[marks[1].end() : marks[2].start()].strip(),
    )
    closing = user[marks[-1].end() :].strip()
    if len(marks) == 4:
        other = replace(item, reply=user[marks[2].end() : marks[3].start()].strip())
        return _in_form(StandinPair(first=item, second=other), closing, "")
    if item.chance("refusal") < 0.02:
        return "I'm sorry, but I can't help with that."
    return _in_form(item, closing, _question_of(system))


def reply_to(system: str, said: str) -> str:
    """Reply to a conversation that nobody asks to rate, in the language of what was said last."""
    replies = _REPLIES["zh" if re.search(r"[\u4e00-\u9fff]", said) else "en"]
    drawn = int.from_bytes(sha256(f"{system}\0{said}".encode()).digest()[:6])
    return replies[drawn % len(replies)]


def _in_form(item: StandinItem | StandinPair, closing: str, question: str) -> str:
    if closing.endswith("}"):
        form = json.loads(closing[closing.index("{") :])
        return json.dumps(
            {
                key: {
                    "reasoning": "This is a script, which counts words and does not reason.",
                    "answer": _chosen(item, key, value["answer"].split(" | "), question),
                    **_beside(item, key, value),
                }
                for key, value in form.items()
            },
            ensure_ascii=False,
        )
    if lines := _LINE.findall(closing):
        return "\n".join(
            f"{key}: {_chosen(item, key, choices.split(' | '), question)}" for key, choices in lines
        )
    found = _ONE.search(closing)
    choices = found[1].split(" | ") if found else []
    if not choices:
        return "I do not know what is asked."
    chosen = _chosen(item, "", choices, question)
    if len(choices) > 2 and item.chance("doubt") < 0.03:
        return f"It might be {choices[0]}, or else {choices[-1]}."
    return f"{chosen}." if item.chance("full stop") < 0.3 else str(chosen)


def _beside(
    item: StandinItem | StandinPair, key: str, form: Mapping[str, Any]
) -> dict[str, object]:
    """What is asked beside a value; now and then it quotes words that nobody wrote."""
    reply = item.first.reply if isinstance(item, StandinPair) else item.reply
    words = re.split(r"(?<=[.!?。！？])", reply.partition("] ")[2])[0]
    invents = item.chance(f"invents {key}") < 0.1
    choices = form["answer"].split(" | ")
    said = {
        "confidence": 1 + int(item.chance(f"sure {key}") * 3),
        "defensible": choices[:1] if item.chance(f"else {key}") < 0.2 else [],
        "evidence": ["Words that a script made up."] if invents else [words],
        "rationale": "This is a script, which has no reasons.",
    }
    return {name: value for name, value in said.items() if name in form}


def _chosen(
    item: StandinItem | StandinPair, key: str, choices: list[str], question: str
) -> str | int:
    """Choose by rule, and at times by mistake."""
    if isinstance(item, StandinPair):
        chosen = item.chosen(key, choices)
        return int(chosen) if chosen.lstrip("-").isdigit() else chosen
    if item.chance(f"mistake {key} {question}") < 0.12:
        chosen = choices[int(item.chance(f"which {key} {question}") * len(choices))]
    elif all(choice.lstrip("-").isdigit() for choice in choices):
        chosen = choices[round(_quality(item, key) * (len(choices) - 1))]
    else:
        chosen = _by_cue(item, choices, question)
    return int(chosen) if chosen.lstrip("-").isdigit() else chosen


def _by_cue(item: StandinItem, choices: list[str], question: str) -> str:
    named = {choice: choice.lower().replace("_", " ") for choice in choices}
    for words, applies in _CUES:
        for choice, name in named.items():
            if any(word in name for word in words) and applies(item):
                return choice
        if any(word in question for word in words) and applies(item):
            return choices[0]
    return next((choice for choice, name in named.items() if name in _FALLBACK), choices[-1])


def _quality(item: StandinItem, key: str) -> float:
    """In [0, 1]: longer replies that ask something back count for more; the rest is chance."""
    length = min(1.0, len(item.reply) / (item.short * 6))
    asks = 1.0 if "?" in item.reply or "？" in item.reply else 0.0
    return 0.5 * length + 0.2 * asks + 0.3 * item.chance(f"quality {key}")


def _question_of(system: str) -> str:
    """The question of a prompt that asks one node of a taxonomy; a flat prompt names several."""
    asked = [words for words, _applies in _CUES if any(word in system.lower() for word in words)]
    return system.lower() if len(asked) == 1 else ""


# The server ------------------------------------------------------------------------------------


def respond(method: str, path: str, body: bytes) -> tuple[HTTPStatus, Mapping[str, Any]]:
    """Answer one request of the OpenAI protocol, but those for files and batches."""
    if path.endswith("/models"):
        return HTTPStatus.OK, {"object": "list", "data": [{"id": NAME, "object": "model"}]}
    if method != "POST" or not path.endswith("/chat/completions"):
        return HTTPStatus.NOT_FOUND, _error("There is nothing at this path.")
    try:
        request = json.loads(body)
        texts = {message["role"]: str(message["content"]) for message in request["messages"]}
    except (ValueError, LookupError, TypeError):
        return HTTPStatus.BAD_REQUEST, _error("The body is not a chat completion request.")
    if request.get("model") != NAME:
        return HTTPStatus.NOT_FOUND, _error(f"This is a stand-in, not an LLM: ask for “{NAME}”.")
    system, user = texts.get("system", ""), texts.get("user", "")
    return HTTPStatus.OK, _completion(answer_to(system, user), len(system) + len(user))


def _completion(text: str, prompt_length: int) -> Mapping[str, Any]:
    tokens = {"prompt_tokens": prompt_length // 4, "completion_tokens": len(text) // 4 + 1}
    return {
        "id": f"stand-in-{sha256(text.encode()).hexdigest()[:12]}",
        "object": "chat.completion",
        "created": 0,
        "model": NAME,
        "choices": [
            {
                "index": 0,
                "message": {"role": "assistant", "content": text},
                "finish_reason": "stop",
            }
        ],
        "usage": tokens | {"total_tokens": sum(tokens.values())},
    }


def _error(message: str) -> dict[str, Any]:
    return {"error": {"message": message, "type": "invalid_request_error", "code": None}}


def _in_batch(body: Mapping[str, Any]) -> tuple[int, Mapping[str, Any]]:
    """Answer one request of a batch."""
    status, answer = respond("POST", "/chat/completions", json.dumps(body).encode())
    return status.value, answer


async def _serve_connection(
    reader: asyncio.StreamReader,
    writer: asyncio.StreamWriter,
    *,
    latency: float,
    shelf: BatchShelf,
) -> None:
    try:
        while request := await _read_request(reader):
            method, path, kind, body = request
            shelved = shelf.respond(method, path, kind, body)
            if shelved is None:
                status, answer = respond(method, path, body)
                payload = json.dumps(answer, ensure_ascii=False).encode()
            else:
                status, payload = shelved
            if latency and path.endswith("/chat/completions"):
                await asyncio.sleep(latency * (0.5 + sha256(body).digest()[0] / 256))
            writer.write(
                f"HTTP/1.1 {status.value} {status.phrase}\r\nContent-Type: application/json\r\n"
                f"Content-Length: {len(payload)}\r\n\r\n".encode()
                + payload
            )
            await writer.drain()
    except (ConnectionError, asyncio.IncompleteReadError, asyncio.LimitOverrunError, ValueError):
        pass  # the client has gone, or does not speak HTTP
    finally:
        writer.close()


async def _read_request(reader: asyncio.StreamReader) -> tuple[str, str, str, bytes] | None:
    """Method, path, kind of the body, body; None where that is too large."""
    head = await reader.readuntil(b"\r\n\r\n")
    first, *lines = head.decode("latin-1").split("\r\n")
    method, path, _version = first.split(" ")
    named = (line.split(":", 1) for line in lines if ":" in line)
    headers = {name.lower(): value.strip() for name, value in named}
    length = int(headers.get("content-length", 0))
    if length > (LONGEST_FILE if path.endswith("/files") else LONGEST_BODY):
        return None
    return method, path, headers.get("content-type", ""), await reader.readexactly(length)


async def serve(*, host: str = HOST, port: int, latency: float = LATENCY) -> None:
    """Serve until cancelled; `latency` is the mean of an answer, in seconds."""

    shelf = BatchShelf(_in_batch)

    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await _serve_connection(reader, writer, latency=latency, shelf=shelf)

    server = await asyncio.start_server(connected, host, port)
    async with server:
        await server.serve_forever()


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m judging.standin", description="A scripted endpoint. It is not an LLM."
    )
    parser.add_argument("--host", default=HOST)
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--latency-ms", type=float, default=1000 * LATENCY, help="mean; 0: at once")
    options = parser.parse_args()
    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(serve(host=options.host, port=options.port, latency=options.latency_ms / 1000))


if __name__ == "__main__":
    main()
