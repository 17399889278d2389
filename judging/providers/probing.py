"""Try an endpoint with a dialogue that nobody has had: what it answers, and what else it takes."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import TypeVar

from judging.interviews import Exchange
from judging.prompts import ItemText, PairText, Prompt
from judging.prompts.template import PromptSubject
from judging.providers.endpoint import OLD_LIMIT, Address, Endpoint, Sampling
from judging.providers.faults import Fault, Rejected
from judging.rules.endpoints import Rung

Came = TypeVar("Came")

_TRIALS = 3  # at a time, after the first
_SHORT = 200  # tokens

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
_CURT = {"en": "Just read it.", "zh-hans": "看就是了。"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Tried:
    """What came of each trial: an exchange, a yes or no, or the fault that ended it.

    Nothing else is tried where the first, a plain request, has no answer; it is sent without a
    temperature, or without a role for the system, where that is what stood in the way. `rungs` are the ways to JSON that were tried,
    up to the first whose answer could be read.
    """

    plain: Exchange | Fault
    seconds: float
    takes_temperature: bool | None = None
    takes_system: bool = True
    limit_is_called: str = OLD_LIMIT
    rungs: Mapping[Rung, Exchange | Fault] = field(default_factory=dict)
    seed: Exchange | Fault | None = None
    logprobs: bool | Fault | None = None
    effort: Exchange | Fault | None = None
    batches: bool | Fault | None = None


def made_up(language: str, subject: PromptSubject = PromptSubject.REPLY) -> ItemText:
    """The item that is put to an endpoint on trial; for a prompt about two, with a second reply."""
    *turns, (reply, speaker) = _MADE_UP[language]
    item = ItemText(
        turns=[{"speaker": who, "text": text} for text, who in turns],
        reply=reply,
        reply_speaker=speaker,
        sha256=f"made-up:{language}",
    )
    if subject is PromptSubject.REPLY:
        return item
    second = _CURT[language]
    return PairText(**{**asdict(item), "second": second, "second_speaker": speaker})


def probe(
    address: Address,
    sampling: Sampling,
    *,
    plain: Prompt,
    as_json: Prompt,
    can_be_read: Callable[[Exchange], bool],
) -> Tried:
    """Send the prompts, in JSON in one way after the other until an answer can be read, and what
    else an LLM may take: a seed, log probabilities, an effort of reasoning."""
    return asyncio.run(_probe(address, sampling, plain, as_json, can_be_read))


async def _probe(
    address: Address,
    sampling: Sampling,
    plain: Prompt,
    as_json: Prompt,
    can_be_read: Callable[[Exchange], bool],
) -> Tried:
    now = asyncio.get_running_loop().time
    asks_temperature = sampling.temperature is not None
    began = now()
    first, sampling = await _answered_at_all(address, sampling, plain)
    seconds = now() - began
    if isinstance(first, Fault):
        return Tried(plain=first, seconds=seconds)
    plain, as_json = sampling.put(plain), sampling.put(as_json)
    async with Endpoint(address, sampling, connections=_TRIALS) as endpoint:
        limit_is_called, rungs, seeded, probabilities, effort, batches = await asyncio.gather(
            _limit_is_called(address, sampling, plain),
            _climbed(address, sampling, as_json, can_be_read),
            _or_fault(endpoint.ask(plain, extra={"seed": 1})),
            _or_fault(endpoint.returns_logprobs(plain)),
            _or_fault(endpoint.ask(plain, extra={"reasoning_effort": "low"})),
            _or_fault(endpoint.offers_batches()),
        )
    return Tried(
        plain=first,
        seconds=seconds,
        takes_temperature=sampling.temperature is not None if asks_temperature else None,
        takes_system=sampling.takes_system,
        limit_is_called=limit_is_called,
        rungs=rungs,
        seed=seeded,
        logprobs=probabilities,
        effort=effort,
        batches=batches,
    )


async def _answered_at_all(
    address: Address, sampling: Sampling, plain: Prompt
) -> tuple[Exchange | Fault, Sampling]:
    """A plain answer, and the settings with which there is one: perhaps without a temperature, or
    without a role for the system, or without either."""
    first: Exchange | Fault | None = None
    learnt = sampling
    for tried in _less_and_less(sampling):
        asked = replace(tried, limit_is_called=learnt.limit_is_called)
        async with Endpoint(address, asked, connections=1) as endpoint:
            came = await _or_fault(endpoint.ask(asked.put(plain)))
            learnt = replace(sampling, limit_is_called=endpoint.limit_is_called)
        if not isinstance(came, Fault):
            return came, replace(asked, limit_is_called=learnt.limit_is_called)
        first = first or came
        if not isinstance(came, Rejected):
            break
    return first or Fault(), learnt


def _less_and_less(sampling: Sampling) -> Iterator[Sampling]:
    """The settings as they are, and then without what some LLMs refuse."""
    yield sampling
    bare = replace(sampling, temperature=None)
    if sampling.temperature is not None:
        yield bare
    yield replace(sampling, takes_system=False)
    if sampling.temperature is not None:
        yield replace(bare, takes_system=False)


async def _limit_is_called(address: Address, sampling: Sampling, plain: Prompt) -> str:
    """What the longest answer is called there, also where this judge sets none."""
    if sampling.max_tokens is not None:
        return sampling.limit_is_called
    async with Endpoint(address, replace(sampling, max_tokens=_SHORT), connections=1) as endpoint:
        await _or_fault(endpoint.ask(plain))
        return endpoint.limit_is_called


async def _climbed(
    address: Address, sampling: Sampling, as_json: Prompt, can_be_read: Callable[[Exchange], bool]
) -> dict[Rung, Exchange | Fault]:
    """Try the ways to an answer in JSON, the surest first, until one can be read or none can come."""
    tried: dict[Rung, Exchange | Fault] = {}
    for rung in Rung:
        async with Endpoint(address, replace(sampling, rung=rung), connections=1) as endpoint:
            tried[rung] = came = await _or_fault(endpoint.ask(as_json))
        if not isinstance(came, Rejected) and (isinstance(came, Fault) or can_be_read(came)):
            break
    return tried


async def _or_fault(coming: Awaitable[Came]) -> Came | Fault:
    try:
        return await coming
    except Fault as fault:
        return fault
