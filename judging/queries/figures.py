"""How far a run is, what it could not read, and how often it gave the gold value."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import groupby
from statistics import fmean

from django.db.models import Count, F, Func, IntegerField, Max, Min, Q, QuerySet, Sum
from django.db.models.functions import Coalesce

from annotation.models import Item, Rating, RatingGrounds
from annotation.rubric.schema import Criterion, Ground
from judging.models import (
    CallState,
    JudgeCall,
    JudgeRun,
    Outcome,
    Preference,
)
from judging.queries.runs import FAILED_AND_COUNTS
from judging.rules.preferences import PreferenceRow, SourceWins, wins


class Cardinality(Func):
    """How many an array has; of an empty one none, where its length would not be known."""

    function = "cardinality"
    output_field = IntegerField()


_SPEED_OVER = timedelta(seconds=20)


@dataclass(frozen=True, slots=True, kw_only=True)
class RunProgress:
    """Calls of a run: all, made, under way, waiting for a time; and the speed of late."""

    total: int
    done: int
    under_way: int
    waiting: int
    repeat: int | None
    per_second: float | None
    problem: str
    rated: int
    failed: int

    @property
    def left(self) -> int:
        return self.total - self.done

    @property
    def seconds_left(self) -> float | None:
        return self.left / self.per_second if self.per_second else None


@dataclass(frozen=True, slots=True, kw_only=True)
class QuotationCount:
    """Words that were quoted: found in the texts of their item, and in none of them."""

    found: int
    unverified: int

    @property
    def all(self) -> int:
        return self.found + self.unverified


@dataclass(frozen=True, slots=True, kw_only=True)
class OutcomeShare:
    """How many of the rated items that have gold were given its value, in one repeat."""

    repeat: int
    right: int
    of: int

    @property
    def percent(self) -> float:
        return 100 * self.right / self.of


@dataclass(frozen=True, slots=True, kw_only=True)
class Accuracy:
    """The same for one criterion, repeat by repeat, with the mean of the repeats."""

    criterion: Criterion
    shares: Sequence[OutcomeShare]

    @property
    def mean(self) -> float:
        return fmean(share.percent for share in self.shares)


def progress_of(run: JudgeRun, *, at: datetime) -> RunProgress:
    """Count the calls of a run by what they wait for."""
    calls = JudgeCall.objects.filter(run=run)
    under_way = Q(state=CallState.LEASED, leased_until__gte=at) | Q(state=CallState.BATCHED)
    counts = calls.aggregate(
        total=Count("pk"),
        done=Count("pk", filter=Q(state=CallState.DONE)),
        under_way=Count("pk", filter=under_way),
        waiting=Count("pk", filter=Q(state=CallState.PENDING, not_before__gt=at)),
        rated=Count("pk", filter=Q(outcome=Outcome.RATED)),
        failed=Count("pk", filter=FAILED_AND_COUNTS),
        repeat=Min("repeat", filter=~Q(state=CallState.DONE)),
        problem=Max("problem", filter=~Q(state=CallState.DONE), default=""),
    )
    return RunProgress(**counts, per_second=_speed(calls, at))


def unscored_by_reason(run: JudgeRun) -> list[tuple[Outcome, int]]:
    """Ratings or preferences of a run without a value, by reason, most frequent first."""
    given: QuerySet[Rating] | QuerySet[Preference]
    given = Rating.objects.filter(submission__judge_call__run=run)
    if run.comparison_id is not None:
        given = Preference.objects.filter(call__run=run, edition=F("call__parser_edition"))
    counts = (
        given.exclude(unscored="")
        .values_list("unscored")
        .annotate(n=Count("pk"))
        .order_by("-n", "unscored")
    )
    return [(Outcome(reason), count) for reason, count in counts]


def quotations_of(run: JudgeRun) -> QuotationCount | None:
    """What a judge quoted beside its values, where the rubric asks for evidence."""
    if not any(Ground.EVIDENCE in one.grounds for one in run.rubric_version.content.asked):
        return None
    found = RatingGrounds.objects.filter(submission__judge_call__run=run).aggregate(
        found=Coalesce(Sum(Cardinality("evidence")), 0),
        unverified=Coalesce(Sum(Cardinality("unverified")), 0),
    )
    return QuotationCount(**found)


def accuracies(run: JudgeRun) -> list[Accuracy]:
    """Compare a run with the gold there is; unscored ratings are left out, and counted elsewhere."""
    gold = "submission__item__gold"
    is_same = Q(label=F(f"{gold}__label")) | Q(score=F(f"{gold}__score"))
    rows = (
        Rating.objects.filter(
            **{
                "submission__judge_call__run": run,
                "unscored": "",
                f"{gold}__superseded_at": None,
                f"{gold}__criterion_key": F("criterion_key"),
            }
        )
        .values_list("criterion_key", "submission__repeat")
        .annotate(of=Count("pk"), right=Count("pk", filter=is_same))
        .order_by("criterion_key", "submission__repeat")
    )
    found = {
        key: [OutcomeShare(repeat=repeat, right=right, of=of) for _, repeat, of, right in group]
        for key, group in groupby(rows, key=lambda row: row[0])
    }
    criteria = run.rubric_version.content.criteria
    return [
        Accuracy(criterion=each, shares=found[each.key]) for each in criteria if each.key in found
    ]


def preferences_of(run: JudgeRun) -> list[PreferenceRow]:
    """What a comparison found in each call, as its newest reading has it, without replies that are
    set aside now; where the endpoint failed and is asked again in another run, what came there."""
    if run.comparison is None:
        return []
    counted = Item.objects.filter(study=run.study_id).not_set_aside().values("pk")
    rows = (
        Preference.objects.filter(
            call__run__comparison=run.comparison,
            call__item__in=counted,
            call__second__in=counted,
            edition=F("call__parser_edition"),
        )
        .order_by("call__position", "call__repeat", "pk")
        .values_list(
            *("criterion_key", "call__item__dialogue", "call__item", "call__second"),
            *("call__item__generator", "call__second__generator", "call__repeat", "preferred"),
            *("first_score", "second_score"),
        )
    )
    found = [PreferenceRow(*row) for row in rows]
    return list({(row.criterion, row.first, row.second, row.repeat): row for row in found}.values())


def wins_in(run: JudgeRun, rows: Sequence[PreferenceRow]) -> list[SourceWins]:
    """Whose replies a comparison prefers."""
    if run.comparison is None:
        return []
    asked = run.comparison
    return wins(rows, both_orders=asked.both_orders, reference=asked.reference)


def _speed(calls: QuerySet[JudgeCall], at: datetime) -> float | None:
    """Calls a second since the first answer of the last moments."""
    recent = calls.filter(answered_at__gt=at - _SPEED_OVER).aggregate(
        count=Count("pk"), first=Min("answered_at")
    )
    if recent["count"] < 2:
        return None
    return float(recent["count"] / max(1.0, (at - recent["first"]).total_seconds()))
