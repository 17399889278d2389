"""Whose replies judges preferred, and what the place decided: the figures of each comparison."""

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from annotation.models import Rater, Study
from judging.models import ReplyComparison, RunState
from judging.queries.figures import preferences_of
from judging.rules.preferences import PlaceEffect, PreferenceRow, SourceWins, place_effects, wins


@dataclass(frozen=True, slots=True, kw_only=True)
class PairsCompared:
    """What a comparison found in each call; `number` counts those of its study from 1, `judge` is the
    key of who was asked."""

    number: int
    judge: str
    judge_name: str
    reference: str
    both_orders: bool
    rows: tuple[PreferenceRow, ...]

    @property
    def places(self) -> list[PlaceEffect]:
        return place_effects(self.rows)

    @property
    def wins(self) -> list[SourceWins]:
        return wins(self.rows, both_orders=self.both_orders, reference=self.reference)


def of_study(study: Study) -> list[PairsCompared]:
    """Every comparison that has ended and found something; none while judges are blinded, for they
    stand here under their names."""
    if study.judges_are_blinded:
        return []
    found = []
    for asked in ReplyComparison.objects.filter(study=study).order_by("pk"):
        runs = asked.runs.select_related("judge__rater", "comparison")
        if not runs or any(run.state != RunState.FINISHED for run in runs):
            continue
        if rows := preferences_of(runs[0]):
            found.append(compared(asked, runs[0].judge.rater, rows))
    return found


def compared(asked: ReplyComparison, judge: Rater, rows: Iterable[PreferenceRow]) -> PairsCompared:
    """What a judge that was asked to compare preferred."""
    return PairsCompared(
        number=numbered(asked.study_id)[asked.pk],
        judge=judge.key,
        judge_name=judge.name,
        reference=asked.reference,
        both_orders=asked.both_orders,
        rows=tuple(rows),
    )


def numbered(study_id: int) -> dict[int, int]:
    """{comparison: its number in the study}."""
    made = ReplyComparison.objects.filter(study=study_id).order_by("pk")
    return {pk: number for number, pk in enumerate(made.values_list("pk", flat=True), start=1)}


def as_json(found: Sequence[PairsCompared]) -> list[dict[str, Any]]:
    """Every figure, as JSON can hold it."""
    return [
        {
            "comparison": one.number,
            "judge": one.judge,
            "places": [asdict(place) for place in one.places],
            "wins": [asdict(won) for won in one.wins],
        }
        for one in found
    ]
