"""Runs and calls as one account may see them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from decimal import Decimal
from statistics import fmean, mean

from django.core.paginator import Page
from django.db.models import Count, Q, QuerySet
from django.http import Http404
from django.utils.translation import gettext

from accounts.models import User
from accounts.operations import heartbeat
from annotation.models import Item, Rating, RoundItem, Study
from annotation.queries import readers
from annotation.queries.studies import StudyAccess
from annotation.queries.visibility import held_out, reader_of
from annotation.rubric.schema import Rubric
from annotation.rubric.sentences import Sentence
from annotation.rules.visibility import BLINDED_FIGURES, reason_to_withhold_judges
from judging import parsing, queue
from judging.interviews import Interview
from judging.models import (
    BatchState,
    CallReading,
    CallState,
    HandReading,
    JudgeCall,
    JudgeRun,
    LLMBatch,
    Outcome,
    Preference,
    RunState,
    SentinelSet,
    SentText,
)
from judging.prompts import fingerprint_of
from judging.prompts.template import Template, built_in
from judging.queries import batches, figures, searching
from judging.queries.runs import (
    granted_to,
    interview_of,
    item_text,
    items_to_judge,
    text_of,
    which_rate,
    without_reply,
)
from judging.recorded import RECORDED
from judging.rules.budget import Price
from judging.rules.preferences import PlaceEffect, PreferenceRow, SourceWins, place_effects
from judging.rules.questions import every_request

WAITING = "waiting"  # the calls that a person may still read
SAMPLED = 30  # items from which tokens are reckoned


class NoSuchRun(Http404):
    """The study has no such run or call."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Worker:
    """Whether somebody is there to make calls, and when they were last seen."""

    seconds_ago: int | None

    @property
    def is_there(self) -> bool:
        return self.seconds_ago is not None and self.seconds_ago < 15


@dataclass(frozen=True, slots=True, kw_only=True)
class RunStatus:
    """A run as its page shows it."""

    run: JudgeRun
    progress: figures.RunProgress
    unscored: Sequence[tuple[Outcome, int]]
    accuracies: Sequence[figures.Accuracy]
    pace: Mapping[str, int] | None
    worker: Worker
    batches: Sequence[LLMBatch] = ()
    preferred: Sequence[PreferenceRow] = ()
    quotations: figures.QuotationCount | None = None

    @property
    def places(self) -> list[PlaceEffect]:
        return place_effects(self.preferred)

    @property
    def wins(self) -> list[SourceWins]:
        return figures.wins_in(self.run, self.preferred)

    @property
    def is_running(self) -> bool:
        return self.run.state == RunState.RUNNING

    @property
    def is_paused(self) -> bool:
        return self.run.state == RunState.PAUSED

    @property
    def is_finished(self) -> bool:
        return self.run.state == RunState.FINISHED

    @property
    def scored_nothing(self) -> bool:
        return self.is_finished and not self.progress.rated

    @property
    def n_unscored(self) -> int:
        return sum(count for _reason, count in self.unscored)

    @property
    def time_left(self) -> str:
        seconds = self.progress.seconds_left
        is_known = self.is_running and not self.run.by_batch
        return _duration(seconds) if is_known and seconds is not None else ""

    @property
    def has_open_batches(self) -> bool:
        return any(one.state != BatchState.ENDED for one in self.batches)

    @property
    def sets_aside(self) -> bool:
        """Whether what calls under way may take at most is counted as used."""
        return self.progress.under_way > 0 and (self.run.limit.is_set or self.run.by_batch)

    @property
    def projected_money(self) -> Decimal | None:
        """What the run comes to if its other calls cost as those so far; None while not known."""
        if self.run.price is None or not self.progress.done or self.is_finished:
            return None
        before = self.run.retry_of.used_money if self.run.retry_of else Decimal(0)
        n_counted = self.progress.done + (self.progress.under_way if self.sets_aside else 0)
        each = (self.run.used_money - before) / n_counted
        return before + each * self.progress.total

    @property
    def mark(self) -> str:
        """Changes whenever the page would."""
        parts = [self.run.state, self.run.pause_reason, self.progress.done, self.progress.waiting]
        parts += [self.run.used_requests]
        parts += [f"{one.state}{one.n_answered}{bool(one.cancel_asked_at)}" for one in self.batches]
        parts += [self.worker.is_there, (self.pace or {}).get("limit"), bool(self.pace)]
        return ".".join(map(str, parts))


@dataclass(frozen=True, slots=True, kw_only=True)
class CallListed:
    """A run in a list."""

    run: JudgeRun
    done: int
    total: int
    rated: int

    @property
    def scored_nothing(self) -> bool:
        return self.run.state == RunState.FINISHED and not self.rated


@dataclass(frozen=True, slots=True, kw_only=True)
class CostEstimate:
    """What a run would come to: items, requests at least and at most, and about how many tokens.

    The tokens are reckoned from the texts of some of the items, all questions asked. `is_tried`:
    whether a trial has shown what its LLM takes; None where no LLM is named yet.
    """

    items: int
    without_reply: int
    calls: int
    most_requests: int
    tokens_a_call: int
    sampled: int
    money_a_call: Decimal | None = None
    currency: str = ""
    is_tried: bool | None = None

    @property
    def tokens(self) -> int:
        return self.calls * self.tokens_a_call

    @property
    def money(self) -> Decimal | None:
        """None where nobody has said what the LLM costs."""
        return None if self.money_a_call is None else self.calls * self.money_a_call


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeAsked:
    """One request of a call as it was sent, and what came back; texts only if they may be seen."""

    messages: Sequence[Mapping[str, str]]
    exchange: Mapping[str, object]
    is_as_sent: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class CallShown:
    """A call with all that explains it; `withheld` says why its answers are not told."""

    call: JudgeCall
    rubric: Rubric
    items: Sequence[Item]
    may_see_item: bool
    withheld: Sentence | None
    ratings: Sequence[Rating]
    preferences: Sequence[Preference]
    asked: Sequence[JudgeAsked]
    readings: Sequence[CallReading]
    by_hand: Sequence[HandReading]


def runs_of(study: Study) -> list[CallListed]:
    """The runs of the judges of a study, newest first."""
    runs = (
        JudgeRun.objects.filter(study=study, generation=None)
        .select_related(
            *("judge__rater", "judge__template", "round", "hold_out_use", "comparison"),
            "sentinels__judge__rater",
        )
        .order_by("-pk")
    )
    # By themselves: joined to each of a million calls, a run and its judge are sorted a million times.
    calls = JudgeCall.objects.filter(run__study=study, run__generation=None)
    counts = {
        pk: told
        for pk, *told in calls.values_list("run").annotate(
            done=Count("pk", filter=Q(state=CallState.DONE)),
            total=Count("pk"),
            rated=Count("pk", filter=Q(outcome=Outcome.RATED)),
        )
    }
    return [
        CallListed(run=run, done=done, total=total, rated=rated)
        for run in runs
        for done, total, rated in [counts.get(run.pk, (0, 0, 0))]
    ]


def run_of(study: Study, run_id: int) -> JudgeRun:
    """A run of a study, or NoSuchRun."""
    run = run_numbered(run_id)
    if run is None or run.study_id != study.pk:
        raise NoSuchRun
    return run


def run_numbered(number: int) -> JudgeRun | None:
    """A run of whatever study, for those who work on the server itself."""
    related = [
        "judge__rater",
        "judge__template",
        "rubric_version__rubric",
        "round",
        "started_by",
        "study",
        "probe",
        "comparison",
    ]
    return JudgeRun.objects.select_related(*related).filter(pk=number).first()


def reason_to_keep_figures(study_access: StudyAccess) -> Sentence | None:
    """Say why an account may not see how a judge compares, or None."""
    if study_access.study.judges_are_blinded:
        return BLINDED_FIGURES
    return readers.reason_not_to_see(study_access)


def status_of(run: JudgeRun, *, at: datetime, kept: Sentence | None = None) -> RunStatus:
    """All that the page of a run shows; `kept`: why its figures are not for who looks. Of blinded
    judges nothing is said that figures tell under letters, and of preferences before a run has ended."""
    is_blinded = run.study.judges_are_blinded
    is_told = kept is None and not is_blinded
    return RunStatus(
        run=run,
        progress=figures.progress_of(run, at=at),
        unscored=[] if is_blinded else figures.unscored_by_reason(run),
        accuracies=figures.accuracies(run) if is_told else [],
        pace=queue.pace_of(run.pk) if run.state == RunState.RUNNING else None,
        worker=worker(at=at),
        batches=batches.shown(run) if run.by_batch else [],
        preferred=figures.preferences_of(run) if is_told and run.state == RunState.FINISHED else [],
        quotations=figures.quotations_of(run) if is_told else None,
    )


def worker(*, at: datetime) -> Worker:
    seen = heartbeat.seen_at(queue.OF_RUNS)
    return Worker(seconds_ago=None if seen is None else max(0, round((at - seen).total_seconds())))


def calls_of(
    run: JudgeRun, *, outcome: str, page: str, words: str, study_access: StudyAccess
) -> Page[JudgeCall]:
    """A page of the calls that were made; with `words`, those in whose answers they stand, of all
    whose answers this account is told."""
    calls = calls_with(run, outcome)
    if words:
        calls = searching.saying(calls, words, study_access)
    return searching.page_of(calls.order_by("repeat", "position"), page=page)


def calls_with(run: JudgeRun, outcome: str) -> QuerySet[JudgeCall]:
    """The calls that were made: all, the unscored ones, those that wait, or those with one outcome."""
    made = JudgeCall.objects.filter(run=run, state=CallState.DONE)
    calls = made.select_related("item", "second")
    if outcome == "unscored":
        calls = calls.exclude(outcome=Outcome.RATED)
    elif outcome == WAITING:
        calls = calls.filter(pk__in=waiting_for_a_person(run).values("pk"))
    elif outcome in Outcome.values:
        calls = calls.filter(outcome=outcome)
    return calls


def reason_not_to_search(run: JudgeRun, study_access: StudyAccess) -> Sentence | None:
    """Say why nothing is told of what was answered in a run, or None."""
    return None if run.generation_id else reason_to_withhold_judges(reader_of(study_access))


def read_before(study: Study) -> int:
    """How many answers an earlier edition of the parser read, and might be read again."""
    return (
        JudgeCall.objects.filter(run__study=study, run__generation=None, state=CallState.DONE)
        .exclude(parser_edition=parsing.EDITION)
        .exclude(exchanges=[])
        .count()
    )


def outcomes_of(run: JudgeRun) -> list[tuple[Outcome, int]]:
    """How many calls ended how, most frequent first; of a blinded judge nothing, as figures tell it."""
    if run.study.judges_are_blinded:
        return []
    counts = (
        JudgeCall.objects.filter(run=run, state=CallState.DONE)
        .values_list("outcome")
        .annotate(n=Count("pk"))
        .order_by("-n", "outcome")
    )
    return [(Outcome(outcome), count) for outcome, count in counts]


def call_of(run: JudgeRun, call_id: int, study_access: StudyAccess) -> CallShown:
    """A call, with item and answers for those who may see them."""
    related = ("item__dialogue", "second__dialogue")
    call = JudgeCall.objects.filter(run=run, pk=call_id).select_related(*related).first()
    if call is None or call.state != CallState.DONE:
        raise NoSuchRun
    items = [one for one in (call.item, call.second) if one is not None]
    asked_about = [one.pk for one in items]
    visible = Item.objects.visible_to(study_access.access).filter(pk__in=asked_about)
    may_see_item = visible.count() == len(items)
    is_held_out = held_out(run.study).filter(item__in=asked_about).exists()
    reader = reader_of(study_access)
    if call.outcome != Outcome.RATED:  # no figure tells what could not be read, and somebody must
        reader = replace(reader, judges_are_blinded=False)
    withheld = reason_to_withhold_judges(reader, is_held_out=is_held_out)
    is_told = may_see_item and withheld is None
    return CallShown(
        call=call,
        rubric=run.rubric_version.content,
        items=items,
        may_see_item=may_see_item,
        withheld=withheld,
        ratings=list(call.submission.ratings.all()) if is_told and call.submission else [],
        preferences=list(call.preferences.order_by("pk")) if is_told else [],
        asked=_asked(run, call) if is_told else [],
        readings=list(call.readings.order_by("-pk")) if is_told else [],
        by_hand=list(call.hand_readings.select_related("read_by").order_by("pk"))
        if is_told
        else [],
    )


def waiting_for_a_person(run: JudgeRun) -> QuerySet[JudgeCall]:
    """The calls that were answered, that the parser could not read and nobody has read yet."""
    answered = JudgeCall.objects.filter(which_rate("run__"), run=run, state=CallState.DONE).exclude(
        exchanges=[]
    )
    unread = answered.exclude(outcome=Outcome.RATED).filter(hand_readings=None)
    return unread.order_by("repeat", "position")


def read_by_hand(run: JudgeRun) -> int:
    """How many answers of a run a person has read that the parser could not."""
    readings = HandReading.objects.filter(call__run=run).values("call", "criterion_key")
    return readings.distinct().count()


def estimate(
    study: Study,
    *,
    by: User | None,
    round_number: int | None,
    repeats: int,
    template: Template,
    max_tokens: int | None,
    price: Price | None = None,
    of_hold_out: bool = False,
    sentinels: SentinelSet | None = None,
) -> CostEstimate:
    """Count what a run of an account would ask, and reckon the tokens from items spread over all."""
    if sentinels is None:
        to_judge = items_to_judge(study, round_number, of_hold_out=of_hold_out)
        passed_over = without_reply(study, round_number, by=by, of_hold_out=of_hold_out)
    else:
        to_judge = Item.objects.filter(pk__in=sentinels.members.values("call__item"))
        passed_over = 0
    items = list(granted_to(by, study, to_judge).values_list("pk", flat=True))
    sample = items[:: -(-len(items) // SAMPLED) or 1]
    interview = Interview(rubric=study.rubric_version.content, template=template)
    uses = [
        interview.likely_use(item_text(item), max_tokens=max_tokens, price=price)
        for item in Item.objects.filter(pk__in=sample).select_related("dialogue")
    ]
    requests = len(every_request(interview.rubric, template.manner))
    return CostEstimate(
        items=len(items),
        without_reply=passed_over,
        calls=len(items) * repeats,
        most_requests=len(items) * repeats * requests,
        tokens_a_call=round(fmean(use.tokens for use in uses)) if uses else 0,
        sampled=len(sample),
        money_a_call=mean(use.money for use in uses) if uses and price else None,
        currency=price.currency if price else "",
    )


def first_estimate(study: Study, *, by: User) -> CostEstimate:
    """What a run over all items would come to, asked once and flat, with answers in JSON."""
    return estimate(
        study,
        by=by,
        round_number=None,
        repeats=1,
        template=built_in(language=study.language),
        max_tokens=None,
    )


def rounds_of(study: Study) -> list[tuple[int, int]]:
    """(number, items) of each round, newest first."""
    counts = RoundItem.objects.filter(round__study=study).values_list("round__number")
    return list(counts.annotate(n=Count("pk")).order_by("-round__number"))


def generators_of(study: Study) -> list[str]:
    """The sources of the replies in a study."""
    names = (
        Item.objects.filter(study=study).exclude(generator="").values_list("generator", flat=True)
    )
    return sorted(set(names.distinct()))


def _asked(run: JudgeRun, call: JudgeCall) -> list[JudgeAsked]:
    """Each prompt as it was kept; before prompts were kept it is rebuilt, and compared by hash."""
    if run.judge.prompt_edition == RECORDED:
        return [JudgeAsked(messages=[], exchange=one, is_as_sent=False) for one in call.exchanges]
    if not all("messages" in exchange for exchange in call.exchanges):
        prompts = interview_of(run).prompts(text_of(call), call.exchanges)
        messages = [prompt.messages for prompt in prompts]
    else:
        messages = _kept(call)
    return [
        JudgeAsked(
            messages=sent,
            exchange=exchange,
            is_as_sent=fingerprint_of(sent) == exchange["prompt_sha256"],
        )
        for sent, exchange in zip(messages, call.exchanges, strict=False)
    ]


def _kept(call: JudgeCall) -> list[tuple[Mapping[str, str], ...]]:
    """The messages of each request, word for word."""
    named = [exchange["messages"] for exchange in call.exchanges]
    known = {sha256 for messages in named for _role, sha256 in messages}
    texts = dict(SentText.objects.filter(pk__in=known).values_list("sha256", "text"))
    return [
        tuple({"role": role, "content": texts.get(sha256, "")} for role, sha256 in messages)
        for messages in named
    ]


def _duration(seconds: float) -> str:
    """Roughly how long: seconds, minutes or hours."""
    if seconds < 90:
        return gettext("%(count)s s") % {"count": round(seconds)}
    if seconds < 90 * 60:
        return gettext("%(count)s min") % {"count": round(seconds / 60)}
    return gettext("%(count)s h") % {"count": round(seconds / 3600)}
