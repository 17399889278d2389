"""What a plan starts from: the intervals there are now, and the positives seen so far."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime

import numpy as np
import numpy.typing as npt

from analytics.agreement import numbers as agreement
from analytics.agreement.numbers import CriterionLine
from analytics.comparisons.estimating import with_notes_on
from analytics.comparisons.kinds import Comparison, Kind
from analytics.comparisons.raters import summaries
from analytics.figures.memo import remembered
from analytics.figures.part import Part, PartReport
from analytics.measures import suited
from analytics.ratings import matrices
from analytics.ratings.matrices import Matrix, RaterColumn, StudyRatings, View
from analytics.safety import numbers as safety
from analytics.safety.numbers import Cut, Screened
from analytics.stats.estimates import Estimate
from analytics.stats.generalisability import VarianceShares, variance_shares
from analytics.stats.scales import Floats, Ints
from analytics.stats.screening import screening
from annotation.rubric.schema import Measurement

_MARKED = (1.0,)
_MARKS = (0.0, 1.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class AgreementNow:
    """One comparison: its leading statistic, and what Bonett's formula starts from.

    `judge`: None for people among themselves. `icc`: ICC(A,1), by variance components where
    raters take turns; None where there is none. `raters_per_item`: harmonic mean over items with
    two ratings or more.
    """

    criterion: str
    judge: int | None
    estimate: Estimate
    icc: float | None
    raters_per_item: float


@dataclass(frozen=True, slots=True, kw_only=True)
class PositivesNow:
    """How many of the items to find a judge found in the mean of its runs, how many it missed when
    first asked, and how rare they are.

    The cut, and who says what is to be found, are those that the safety page begins with.
    `prevalence` is over all items of which that is known, whether the judge rated them or not, and
    weighted where items were drawn with unequal chances, as the safety page has both.
    """

    criterion: str
    judge: int
    sensitivity: Estimate
    n_missed: int
    prevalence: float


@dataclass(frozen=True, slots=True, kw_only=True)
class VarianceNow:
    """Whose the variance of ratings is, among people, or among the runs of a judge."""

    criterion: str
    judge: int | None
    shares: VarianceShares


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanReport(PartReport):
    """What is known now; `n_items` in `n_dialogues` count, `n_set_aside` others do not."""

    n_items: int
    n_dialogues: int
    n_set_aside: int
    criteria: tuple[CriterionLine, ...]
    screened: tuple[Screened, ...]
    judges: Mapping[int, str]
    agreement: tuple[AgreementNow, ...]
    positives: tuple[PositivesNow, ...]
    variance: tuple[VarianceNow, ...]


def make(study: StudyRatings, *, view: View, at: datetime) -> PlanReport:
    """What is known now of every criterion."""
    parts = study.rubric.scored
    tables = matrices.each_matrix(study, parts, view=view)
    screened = tuple(safety.screened(study, tables).values())
    counted = study.counted(view)
    return PlanReport(
        view=view,
        computed_at=at,
        n_items=int(counted.sum()),
        n_dialogues=int(np.unique(study.dialogues[counted]).size),
        n_set_aside=int((~counted).sum()),
        criteria=tuple(agreement.criterion_line(part, tables[part.key]) for part in parts),
        judges={judge.id: judge.name for judge in study.judges},
        agreement=tuple(line for table in tables.values() for line in _agreement(study, table)),
        screened=screened,
        positives=tuple(
            line for one in screened for line in _positives(study, tables[one.line.key], one)
        ),
        variance=tuple(line for table in tables.values() for line in _variance(study, table)),
    )


PART = Part(key="plan", kind=PlanReport, make=make)


def _agreement(study: StudyRatings, table: Matrix) -> Iterator[AgreementNow]:
    known = suited(table.measurement, is_group=study.is_group(table.key))
    names = {name for key in known.leading for name in known.families[key]}
    for one in summaries(study, table, only=names | {"icc_a1", "icc_a1_reml"}):
        place = 0 if one.kind is Kind.HUMANS else 1
        leading = [
            found for key in known.leading if (found := _of(one, known.families[key][place]))
        ]
        if not leading:
            continue
        icc = _of(one, "icc_a1")
        yield AgreementNow(
            criterion=table.key,
            judge=None if one.kind is Kind.HUMANS else one.raters[-1],
            estimate=next((found for found in leading if found.value is not None), leading[0]),
            icc=icc.value if icc else None,
            raters_per_item=_raters_per_item(table) if one.kind is Kind.HUMANS else 2.0,
        )


def _of(one: Comparison, name: str) -> Estimate | None:
    """A statistic of a comparison; where raters rotate, the ICC of all items."""
    return one.estimates.get(f"{name}_reml") or one.estimates.get(name)


def _raters_per_item(table: Matrix) -> float:
    each = (~np.isnan(table.of_humans())).sum(axis=1)
    several = each[each > 1]
    return float(several.size / (1 / several).sum()) if several.size else 2.0


def _variance(study: StudyRatings, table: Matrix) -> Iterator[VarianceNow]:
    """Of values that are more or less of something."""
    if table.measurement is Measurement.NOMINAL:
        return
    of_people = [matrices.repeats(study, table.key, one, view=table.view) for one in study.humans]
    if (found := _shares(study, of_people)) is not None:
        yield VarianceNow(criterion=table.key, judge=None, shares=found)
    for judge in study.judges:
        runs = matrices.runs(study, table, judge).values
        if (found := _shares(study, list(runs.T[:, :, None]))) is not None:
            yield VarianceNow(criterion=table.key, judge=judge.id, shares=found)


def _shares(study: StudyRatings, given: list[Floats]) -> VarianceShares | None:
    """From what each rater, or each run, gave every item at each repeat, (n, times)."""
    found = [np.nonzero(~np.isnan(values)) for values in given]
    sizes = [item.size for item, _repeat in found]
    if not sum(sizes):
        return None
    items = np.concatenate([item for item, _repeat in found])
    return remembered(
        _variance_shares,
        np.concatenate([values[where] for values, where in zip(given, found, strict=True)]),
        items,
        np.repeat(np.arange(len(given)), sizes),
        study.generators[items],
    )


def _variance_shares(
    values: Floats, items: Ints, raters: Ints, generators: npt.NDArray[np.str_]
) -> VarianceShares | None:
    return variance_shares(values, items=items, raters=raters, generators=generators)


def _positives(study: StudyRatings, table: Matrix, one: Screened) -> Iterator[PositivesNow]:
    cut = safety.usual_cut(one)
    for reference in one.references[:1]:
        for judge in study.judges:
            marked, said = safety.flags_of(study, table, judge, reference=reference, cut=cut)
            if not np.isnan(said + marked).all():
                yield _positives_of(study, table, judge, marked, said, cut)


def _positives_of(
    study: StudyRatings, table: Matrix, judge: RaterColumn, marked: Floats, said: Floats, cut: Cut
) -> PositivesNow:
    runs = matrices.runs(study, table, judge)
    found = screening(
        runs.as_flags(cut.points).values,
        marked,
        positive=_MARKED,
        clusters=study.clusters,
        points=_MARKS,
        weights=study.weights,
    )
    is_known = ~np.isnan(marked)
    each = None if study.weights is None else study.weights[is_known]
    return PositivesNow(
        criterion=table.key,
        judge=judge.id,
        sensitivity=with_notes_on(runs, found)["sensitivity"],
        n_missed=int(((said == 0) & (marked == 1)).sum()),
        prevalence=float(np.average(marked[is_known], weights=each)),
    )
