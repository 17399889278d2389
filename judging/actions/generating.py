"""Have generators reply to conversations, and make items of their replies."""

import secrets
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction
from django.db.models import Max

from accounts import events
from accounts.models import User
from annotation.actions.imports.screening import Sieve
from annotation.actions.studies import note_change
from annotation.identifiers import Decisions, IdentifierKind
from annotation.models import Item, OpenItem, Quarantine, Study
from annotation.queries.wording import said
from annotation.readers.problems import Flaw
from annotation.readers.texts import PLACEHOLDERS, checked, content_sha256
from annotation.rubric.sentences import sentence
from annotation.rules.doubting import WORDS, TextDoubt, doubts_about
from annotation.rules.splitting import lot
from judging import writing
from judging.actions import judges, runs
from judging.actions.judges import Settings
from judging.actions.runs import CannotRun
from judging.models import Generation, JudgeCall, LLMGenerator, Outcome, WrittenReply
from judging.queries import generating as queries
from judging.queries.runs import granted_to
from judging.rules.budget import NO_LIMIT, Limit

MOST_GENERATORS = 8
UNDECIDED = Decisions(by_kind={})
_KEPT = ("llm", "base_url", "endpoint_id", "temperature", "max_tokens")
_WITH_TEXT = (Outcome.WRITTEN, Outcome.TRUNCATED, Outcome.REFUSED)
_OF_THE_ENDPOINT = {Outcome.TRUNCATED: TextDoubt.CUT_OFF, Outcome.REFUSED: TextDoubt.REFUSAL}
_ANSWERED = sentence("A conversation without a reply; generators have written replies to it.")


@dataclass(frozen=True, slots=True, kw_only=True)
class GeneratorSettings:
    """A generator under the name that its replies have it by; `asked` is how its LLM is asked."""

    name: str
    system: str
    asked: Settings


class CannotMakeItems(Exception):
    """A sentence that says why no items can be made of replies now."""


@transaction.atomic
def start(
    *,
    study: Study,
    generators: Sequence[GeneratorSettings],
    repeats: int,
    concurrency: int,
    by: User | None,
    at: datetime,
    conversations: int | None = None,
    limit: Limit = NO_LIMIT,
) -> Generation:
    """Have each generator reply to the conversations of a study, or to the first of them.

    `limit` is that of each generator.
    """
    Study.objects.select_for_update(no_key=True).get(pk=study.pk)
    waiting = granted_to(by, study, queries.conversations(study))
    items = list(waiting.values_list("pk", flat=True)[:conversations])
    if not items:
        raise CannotRun(sentence("There is no conversation that waits for a reply."))
    if not 0 < len({one.name for one in generators}) == len(generators) <= MOST_GENERATORS:
        raise CannotRun(
            sentence(
                "Name between 1 and {most} generators, each by its own name.", most=MOST_GENERATORS
            )
        )
    made = Generation.objects.create(
        study=study, seed=secrets.token_hex(16), started_at=at, started_by=by
    )
    for one in generators:
        runs.start_writing(
            generation=made,
            generator=_generator(study, one, at=at).asked,
            items=items,
            repeats=repeats,
            concurrency=concurrency,
            limit=limit,
        )
    events.record(
        "generation.started",
        subject=f"study:{study.pk}",
        by=by,
        at=at,
        facts={
            "generation": made.pk,
            "generators": len(generators),
            "conversations": len(items),
            "repeats": repeats,
        },
    )
    return made


@transaction.atomic
def end(*, generation: Generation, by: User | None, at: datetime) -> bool:
    """End its runs; replies that were not written stay unwritten. False where all have ended."""
    found = list(queries.unfinished(generation).values_list("pk", flat=True))
    ended = [runs.finish(run_id=pk, by=by, at=at) for pk in found]
    return any(ended)


@transaction.atomic
def take_in(
    *,
    generation: Generation,
    by: User | None,
    at: datetime,
    identifiers: Decisions = UNDECIDED,
) -> int:
    """Make an item of each reply, in an order and under keys that tell nothing of its generator.

    A reply in which something looks wrong becomes an item too, and is set aside at once; where
    there is no text, or more than an item may hold, there is no item. What could say who somebody
    is is treated as `identifiers` says. The conversations themselves are set aside. How many
    items were made; CannotMakeItems as long as a run goes on, or about an identifier nothing is
    decided.
    """
    held = Generation.objects.select_for_update(no_key=True).get(pk=generation.pk)
    if held.taken_in_at is not None:
        return 0
    if queries.unfinished(held).exists():
        raise CannotMakeItems(sentence("A generator is still writing. Wait for it, or end it."))
    Study.objects.select_for_update(no_key=True).get(pk=held.study_id)
    sieve = Sieve(identifiers)
    made = _make_items(held, list(_through(sieve, held)))
    _settle(sieve, held.study, by=by, at=at)
    _set_aside(made, by=by, at=at)
    held.taken_in_at, held.taken_in_by = at, by
    held.save(update_fields=["taken_in_at", "taken_in_by"])
    events.record(
        "generation.taken_in",
        subject=f"study:{held.study_id}",
        by=by,
        at=at,
        facts={
            "generation": held.pk,
            "items": len(made),
            "set_aside": sum(bool(one.doubts) for one in made),
            **sieve.facts(),
        },
    )
    note_change(study_id=held.study_id)
    return len(made)


def identifiers_in(generation: Generation) -> dict[str, object]:
    """What in the replies could say who somebody is, as `Sieve.shown` says it, without the places."""
    if generation.taken_in_at is not None:
        return {}
    sieve = Sieve(None)
    deque(_through(sieve, generation), maxlen=0)
    return sieve.shown() | {"hits": []}


def _through(sieve: Sieve, generation: Generation) -> Iterator[tuple[JudgeCall, str]]:
    """The calls with the replies that are to be stored, in the order of their items."""
    calls = [(call, reply) for call in _with_text(generation) if (reply := _storable_reply(call))]
    for call, reply in sorted(calls, key=lambda one: lot(generation.seed, str(one[0].pk))):
        stored = sieve.reply(_key_of(generation, call), reply)
        if stored is not None:
            yield call, stored


def _settle(sieve: Sieve, study: Study, *, by: User | None, at: datetime) -> None:
    if sieve.undecided:
        raise CannotMakeItems(
            sentence(
                "Nothing was decided about identifiers in the replies ({kinds}; in all {count}). "
                "Say what is to become of them.",
                count=sieve.undecided,
                kinds=", ".join(kind for kind in IdentifierKind if sieve.found[kind]),
            )
        )
    sieve.settle(study, by=by, at=at)


def _key_of(generation: Generation, call: JudgeCall) -> str:
    return f"{call.item.dialogue.key}/{lot(generation.seed, f'{call.pk} key')[:12]}"


def _generator(study: Study, described: GeneratorSettings, *, at: datetime) -> LLMGenerator:
    """The generator of this name, which is the same as before or is none yet."""
    name, asked = described.name, described.asked
    if reason := runs.reason_not_to_ask(asked):
        raise CannotRun(reason)
    known = LLMGenerator.objects.filter(study=study, name=name).select_related("asked").first()
    if known is None:
        if Item.objects.filter(study=study, generator=name).exists():
            raise CannotRun(
                sentence(
                    "The study has replies of “{name}” that were brought in. Choose another name.",
                    name=name,
                )
            )
        judge = judges.new_generator(study, asked, name=name, at=at)
        return LLMGenerator.objects.create(
            study=study, name=name, asked=judge, system=described.system
        )
    now = (asked.llm, asked.base_url, asked.endpoint, asked.temperature, asked.max_tokens)
    before = tuple(getattr(known.asked, field) for field in _KEPT)
    if (now, described.system) != (before, known.system):
        raise CannotRun(
            sentence(
                "“{name}” has written here with other settings. Give this generator another name.",
                name=name,
            )
        )
    return known


def _with_text(generation: Generation) -> Iterable[JudgeCall]:
    answered = queries.answered(generation).filter(outcome__in=_WITH_TEXT)
    return answered.select_related("item__dialogue", "item__opened", "run__judge__generator")


def _storable_reply(call: JudgeCall) -> str:
    """The reply as an item may have it; "" where it is none, as in a file of items."""
    reply = writing.reply_in(call.exchanges)
    try:
        checked("reply", reply)
    except Flaw:
        return ""
    return "" if reply.casefold() in PLACEHOLDERS else reply


def _make_items(
    generation: Generation, calls: Sequence[tuple[JudgeCall, str]]
) -> list[WrittenReply]:
    last = Item.objects.filter(study=generation.study_id).aggregate(last=Max("position"))["last"]
    items = Item.objects.bulk_create(
        Item(
            study_id=generation.study_id,
            dialogue=call.item.dialogue,
            key=_key_of(generation, call),
            position=position,
            reply=reply,
            reply_speaker=call.item.reply_speaker,
            generator=call.run.judge.generator.name,
            content_note=call.item.content_note,
            attributes=call.item.attributes,
            content_sha256=content_sha256(
                call.item.dialogue.turns, reply=reply, reply_speaker=call.item.reply_speaker
            ),
        )
        for position, (call, reply) in enumerate(calls, start=(last or 0) + 1)
    )
    pairs = list(zip(calls, items, strict=True))
    OpenItem.objects.bulk_create(
        OpenItem(item=item, division_id=call.item.opened.division_id)
        for (call, _reply), item in pairs
        if hasattr(call.item, "opened")
    )
    return WrittenReply.objects.bulk_create(
        WrittenReply(call=call, item=item, doubts=_doubts(call, reply))
        for (call, reply), item in pairs
    )


def _doubts(call: JudgeCall, reply: str) -> list[str]:
    """What looks wrong in a reply, by its text or by what the endpoint said of it."""
    found = {doubt for doubt, _shown in doubts_about((), reply)}
    if told := _OF_THE_ENDPOINT.get(Outcome(call.outcome)):
        found.add(told)
    return [doubt.value for doubt in TextDoubt if doubt in found]


def _set_aside(made: Sequence[WrittenReply], *, by: User | None, at: datetime) -> None:
    """Doubtful replies, and the conversations, each with its reason in the words of who does it."""
    why = {
        one.item_id: "; ".join(said(WORDS[TextDoubt(doubt)]) for doubt in one.doubts)
        for one in made
        if one.doubts
    }
    why |= {one.call.item_id: said(_ANSWERED) for one in made}
    aside = set(
        Quarantine.objects.filter(item__in=why, lifted_at=None).values_list("item", flat=True)
    )
    Quarantine.objects.bulk_create(
        Quarantine(item_id=item, reason=reason, quarantined_at=at, quarantined_by=by)
        for item, reason in why.items()
        if item not in aside
    )
