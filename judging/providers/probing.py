"""Try an endpoint with a dialogue that nobody has had: what it answers, and what else it takes."""

import asyncio
from collections.abc import Awaitable
from dataclasses import dataclass
from typing import TypeVar

from judging.interviews import Exchange
from judging.prompts import ItemText, Prompt
from judging.providers.endpoint import Address, Endpoint, Sampling
from judging.providers.faults import Fault

Came = TypeVar("Came")

_TRIALS = 3  # at a time, after the first

# Made up for this purpose, in the language of the prompt.
_MADE_UP = {
    "en": (
        ("My exam is on Friday and I keep losing the thread when I study.", "seeker"),
        ("What happens just before you lose it?", "supporter"),
        ("I think of all that I have not read yet.", "seeker"),
        ("That sounds tiring. Would it help to choose one chapter for tonight?", "supporter"),
    ),
    "zh-hans": (
        ("我周五要考试，可一看书就走神。", "seeker"),
        ("走神之前，你一般在想什么？", "supporter"),
        ("想到还有很多内容没看。", "seeker"),
        ("听起来挺累的。今晚先只看一章，会不会轻松一些？", "supporter"),
    ),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Tried:
    """What came of each trial: an exchange, a yes or no, or the fault that ended it.

    Nothing else is tried where the first, a plain request, has no answer.
    """

    plain: Exchange | Fault
    seconds: float
    json: Exchange | Fault | None = None
    seed: Exchange | Fault | None = None
    logprobs: bool | Fault | None = None


def made_up(language: str) -> ItemText:
    """The item that is put to an endpoint on trial."""
    *turns, (reply, speaker) = _MADE_UP[language]
    return ItemText(
        turns=[{"speaker": who, "text": text} for text, who in turns],
        reply=reply,
        reply_speaker=speaker,
        sha256=f"made-up:{language}",
    )


def probe(address: Address, sampling: Sampling, *, plain: Prompt, as_json: Prompt) -> Tried:
    """Send the prompts, and one with a seed and one that asks for log probabilities."""
    return asyncio.run(_probe(address, sampling, plain, as_json))


async def _probe(address: Address, sampling: Sampling, plain: Prompt, as_json: Prompt) -> Tried:
    async with Endpoint(address, sampling, connections=_TRIALS) as endpoint:
        began = asyncio.get_running_loop().time()
        first = await _or_fault(endpoint.ask(plain))
        seconds = asyncio.get_running_loop().time() - began
        if isinstance(first, Fault):
            return Tried(plain=first, seconds=seconds)
        structured, seeded, probabilities = await asyncio.gather(
            _or_fault(endpoint.ask(as_json)),
            _or_fault(endpoint.ask(plain, extra={"seed": 1})),
            _or_fault(endpoint.returns_logprobs(plain)),
        )
    return Tried(plain=first, seconds=seconds, json=structured, seed=seeded, logprobs=probabilities)


async def _or_fault(coming: Awaitable[Came]) -> Came | Fault:
    try:
        return await coming
    except Fault as fault:
        return fault
