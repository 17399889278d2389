"""Which conversations wait for a reply, what generators would be sent, and how far they are."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from statistics import fmean, mean

from django.db.models import Count, Exists, F, OuterRef, Q, QuerySet
from django.db.models.fields.json import KeyTextTransform, KeyTransform
from django.http import Http404

from annotation.models import Item, Study
from annotation.queries.studies import StudyAccess
from annotation.queries.visibility import held_out
from judging.models import (
    CallState,
    Generation,
    JudgeCall,
    JudgeRun,
    LLMGenerator,
    Outcome,
    RunState,
    WrittenReply,
)
from judging.prompts import ItemText
from judging.queries.runs import item_text
from judging.rules.budget import Price
from judging.rules.outcomes import FAILED
from judging.writing import Writing

_WITHOUT_TEXT = (Outcome.EMPTY, Outcome.ONLY_REASONING)
_SAMPLED = 50


class NoSuchGeneration(Http404):
    """The study has no such generation."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WriterAsked:
    """What one generator would be sent about a conversation, and what all of it comes to."""

    name: str
    messages: Sequence[Mapping[str, str]]
    calls: int
    tokens_a_call: int
    money_a_call: Decimal | None
    currency: str

    @property
    def tokens(self) -> int:
        return self.calls * self.tokens_a_call

    @property
    def money(self) -> Decimal | None:
        """None where nobody has said what the LLM costs."""
        return None if self.money_a_call is None else self.calls * self.money_a_call


@dataclass(frozen=True, slots=True, kw_only=True)
class WriterProgress:
    """A generator's run: how many replies it wrote, and what became of the rest."""

    run: JudgeRun
    generator: LLMGenerator
    total: int
    done: int
    written: int
    cut_off: int
    refused: int
    empty: int
    failed: int
    is_retried: bool

    @property
    def may_be_retried(self) -> bool:
        return bool(self.failed) and not self.is_retried and self.run.state == RunState.FINISHED


@dataclass(frozen=True, slots=True, kw_only=True)
class GenerationStatus:
    """All that the page of a generation shows."""

    generation: Generation
    writers: Sequence[WriterProgress]
    n_items: int
    n_aside: int

    @property
    def is_running(self) -> bool:
        return any(one.run.state == RunState.RUNNING for one in self.writers)

    @property
    def is_over(self) -> bool:
        return all(one.run.state == RunState.FINISHED for one in self.writers)

    @property
    def total(self) -> int:
        return sum(one.total for one in self.writers)

    @property
    def done(self) -> int:
        return sum(one.done for one in self.writers)

    @property
    def mark(self) -> str:
        """Changes whenever the page would."""
        parts = (
            f"{one.run.pk}{one.run.state}{one.run.used_requests}-{one.done}" for one in self.writers
        )
        return ".".join(parts)


def conversations(study: Study) -> QuerySet[Item]:
    """The items that wait for a reply, one a dialogue, in order: they have none, and the last turn
    is of somebody else than is to reply. None of a dialogue of which an item is held out."""
    has_no_reply = Q(reply=None) | Q(reply__regex=r"^\s*$")
    apart = Item.objects.filter(pk__in=held_out(study)).values("dialogue")
    last = KeyTextTransform("speaker", KeyTransform("-1", "dialogue__turns"))
    first = (
        Item.objects.filter(has_no_reply, study=study)
        .annotate(last_speaker=last)
        .exclude(Q(last_speaker=None) | Q(last_speaker=F("reply_speaker")))
        .exclude(dialogue__in=apart)
        .order_by("dialogue", "position", "pk")
        .distinct("dialogue")
    )
    return Item.objects.filter(pk__in=first.values("pk")).order_by("position", "pk")


def asked_of(
    study_access: StudyAccess,
    *,
    name: str,
    system: str,
    max_tokens: int | None,
    price: Price | None,
    items: Sequence[int],
    repeats: int,
) -> WriterAsked:
    """What a generator would be sent about the first of some conversations that may be seen here."""
    writing = Writing(system=system)
    sample = items[:: -(-len(items) // _SAMPLED) or 1]
    texts = _texts(sample)
    uses = [writing.likely_use(one, max_tokens=max_tokens, price=price) for one in texts]
    visible = Item.objects.visible_to(study_access.access).filter(pk__in=items[:1])
    return WriterAsked(
        name=name,
        messages=writing.prompt(texts[0]).messages if visible.exists() else (),
        calls=len(items) * repeats,
        tokens_a_call=round(fmean(use.tokens for use in uses)) if uses else 0,
        money_a_call=mean(use.money for use in uses) if uses and price else None,
        currency=price.currency if price else "",
    )


def _texts(items: Sequence[int]) -> list[ItemText]:
    found = Item.objects.filter(pk__in=items).select_related("dialogue").order_by("position", "pk")
    return [item_text(item) for item in found]


def of_study(study: Study) -> list[GenerationStatus]:
    """The generations of a study, newest first."""
    found = Generation.objects.filter(study=study).select_related("started_by").order_by("-pk")
    return _statuses(list(found))


def numbered(study: Study, number: int) -> Generation:
    """A generation of a study, or NoSuchGeneration."""
    found = Generation.objects.filter(study=study, pk=number).select_related("started_by").first()
    if found is None:
        raise NoSuchGeneration
    return found


def status_of(generation: Generation) -> GenerationStatus:
    (status,) = _statuses([generation])
    return status


def _statuses(generations: Sequence[Generation]) -> list[GenerationStatus]:
    """Of all of them at once, in their order."""
    written = WrittenReply.objects.filter(call__run__generation__in=generations)
    made = {
        pk: counts
        for pk, *counts in written.values_list("call__run__generation").annotate(
            items=Count("pk"), aside=Count("pk", filter=~Q(doubts=[]))
        )
    }
    writers = _progress(generations)
    return [
        GenerationStatus(
            generation=one,
            writers=[writer for writer in writers if writer.run.generation_id == one.pk],
            n_items=n_items,
            n_aside=n_aside,
        )
        for one in generations
        for n_items, n_aside in [made.get(one.pk, (0, 0))]
    ]


def unfinished(generation: Generation) -> QuerySet[JudgeRun]:
    """Its runs that are to go on."""
    return JudgeRun.objects.filter(generation=generation).exclude(state=RunState.FINISHED)


def answered(generation: Generation) -> QuerySet[JudgeCall]:
    """The calls of its runs that an LLM answered, of which no item was made."""
    return JudgeCall.objects.filter(
        run__generation=generation, state=CallState.DONE, written_reply=None
    ).exclude(exchanges=[])


def _progress(generations: Sequence[Generation]) -> list[WriterProgress]:
    failed = [one.value for one in FAILED]
    runs = (
        JudgeRun.objects.filter(generation__in=generations)
        .select_related("judge__generator", "judge__endpoint")
        .annotate(
            total=Count("calls"),
            done=Count("calls", filter=Q(calls__state=CallState.DONE)),
            written=Count("calls", filter=Q(calls__outcome=Outcome.WRITTEN)),
            cut_off=Count("calls", filter=Q(calls__outcome=Outcome.TRUNCATED)),
            refused=Count("calls", filter=Q(calls__outcome=Outcome.REFUSED)),
            empty=Count("calls", filter=Q(calls__outcome__in=_WITHOUT_TEXT)),
            failed=Count("calls", filter=Q(calls__outcome__in=failed)),
        )
        .annotate(is_retried=Exists(JudgeRun.objects.filter(retry_of=OuterRef("pk"))))
        .order_by("pk")
    )
    return [
        WriterProgress(
            run=run,
            generator=run.judge.generator,
            total=run.total,
            done=run.done,
            written=run.written,
            cut_off=run.cut_off,
            refused=run.refused,
            empty=run.empty,
            failed=run.failed,
            is_retried=run.is_retried,
        )
        for run in runs
    ]
