"""Whose replies judges preferred, and what the place decided: the figures of each comparison."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from annotation.models import Study
from judging.models import JudgeRun, ReplyComparison, RunState
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
    for comparison, number in numbered(study).items():
        runs = JudgeRun.objects.filter(comparison=comparison).select_related(
            "judge__rater", "comparison"
        )
        if not runs or any(run.state != RunState.FINISHED for run in runs):
            continue
        asked, judge = runs[0].comparison, runs[0].judge.rater
        if asked is not None and (rows := preferences_of(runs[0])):
            found.append(
                PairsCompared(
                    number=number,
                    judge=judge.key,
                    judge_name=judge.name,
                    reference=asked.reference,
                    both_orders=asked.both_orders,
                    rows=tuple(rows),
                )
            )
    return found


def numbered(study: Study) -> dict[int, int]:
    """{comparison: its number in the study}."""
    made = ReplyComparison.objects.filter(study=study).order_by("pk").values_list("pk", flat=True)
    return {comparison: number for number, comparison in enumerate(made, start=1)}


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
