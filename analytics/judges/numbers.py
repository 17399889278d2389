"""Judges against people: how far below people, where they err, whether they repeat themselves."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum
from itertools import combinations, permutations

import numpy as np
import numpy.typing as npt

from analytics.agreement.numbers import CriterionLine, RaterLine, criterion_line, rater_line
from analytics.comparisons.behind import around_bias
from analytics.comparisons.ceiling import alternatives, ceiling_of_runs, under_ceiling
from analytics.comparisons.constant import StrawMen, straw_men
from analytics.comparisons.estimating import with_notes_on
from analytics.comparisons.kinds import Comparison, Kind
from analytics.comparisons.raters import judge_comparisons, with_each_person
from analytics.comparisons.systems import SystemComparison, system_comparisons
from analytics.figures.part import Apart, Part, PartReport
from analytics.juries import numbers as juries
from analytics.juries.numbers import JuryLine
from analytics.latent import numbers as latent
from analytics.latent.numbers import LatentFit
from analytics.ratings import matrices
from analytics.ratings.matrices import Matrix, RaterColumn, StudyRatings, View
from analytics.stats.accuracy import accuracy
from analytics.stats.agreement import two_raters
from analytics.stats.alternative import Alignment, Domain
from analytics.stats.caution import dispute, held_back, more_held_back, steps
from analytics.stats.ceiling import UnderCeiling
from analytics.stats.constant import ConstantJudge, best_by_statistic, constant_judges
from analytics.stats.differences import differences
from analytics.stats.dispersion import Stratum, strata
from analytics.stats.estimates import Estimate
from analytics.stats.halo import halo_difference, halo_index
from analytics.stats.none_in_n import one_sided
from analytics.stats.preference import self_preference
from analytics.stats.repeatability import repeatability, votes
from analytics.stats.runs import mean_agreement
from analytics.stats.scales import Floats, Ints
from analytics.stats.severity import AtLevel, bland_altman, scale_use, severity_curve
from analytics.stats.verbosity import verbosity_slope
from annotation.rubric.schema import Measurement

_LABELS = ("kappa", "ac1", "exact")
_SCALES = ("icc_a1", "icc_c1", "mae", "exact")
OF_RUNS = {
    Measurement.NOMINAL: ("kappa", "accuracy", "precision", "recall", "f1"),
    Measurement.BINARY: ("kappa", "accuracy", "precision", "recall", "f1"),
    Measurement.ORDINAL: ("icc_a1", "icc_c1", "kappa_quadratic", "bias", "exact"),
}
OF_VERSIONS = {
    Measurement.NOMINAL: ("kappa", "ac1", "exact"),
    Measurement.BINARY: ("kappa", "ac1", "exact", "bias"),
    Measurement.ORDINAL: ("icc_a1", "icc_c1", "bias", "mae", "exact"),
}


class Reference(StrEnum):
    """What a judge is compared with."""

    PEOPLE = "people"
    GOLD = "gold"


@dataclass(frozen=True, slots=True, kw_only=True)
class DifferenceBubble:
    """A point of a Bland-Altman plot: `n` pairs with this mean and this difference."""

    mean: float
    difference: float
    n: int


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelUse:
    """One label (its code): of the `n` pairs of ratings in which the reference gives it the share that
    the judge finds, and of the `n_given` in which the judge does the share that is right. Pairs of
    one run, on average."""

    label: float
    n: int
    n_given: int
    recall: Estimate
    precision: Estimate

    @property
    def counts(self) -> tuple[int, ...]:
        """What its figures are made of: how often both give it, the reference alone, the judge alone."""
        both = round((self.recall.value or 0.0) * self.n)
        return (both, self.n - both, self.n_given - both)


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """Where on the scale, or at which label, a judge parts from the reference.

    `levels`: judge less reference at each level of the reference, `levels_of_people`: the same of
    one person and the others. `differences`, `bubbles`: a Bland-Altman plot. `use`: spread and top
    of the scale. `labels`: of a taxonomy, which has none of the others.
    """

    levels: tuple[AtLevel, ...] = ()
    levels_of_people: tuple[AtLevel, ...] = ()
    differences: Mapping[str, Estimate] = field(default_factory=dict)
    bubbles: tuple[DifferenceBubble, ...] = ()
    use: Mapping[str, Estimate] = field(default_factory=dict)
    labels: tuple[LabelUse, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Leanings:
    """What a judge favours: long replies (points more for one of twice the length), and those of
    its own family."""

    verbosity: Estimate | None = None
    preference: Mapping[str, Estimate] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Runs:
    """Every repeat of a judge beside the reference, the `mean` of the runs that count, and the
    commonest answer."""

    each: tuple[Mapping[str, Estimate], ...]
    mean: Mapping[str, Estimate]
    majority: Mapping[str, Estimate]


@dataclass(frozen=True, slots=True, kw_only=True)
class Against:
    """One judge on one criterion, beside people or gold.

    `item`: all pairs of ratings; `runs` where the judge was asked several times.
    """

    criterion: str
    judge: int
    reference: Reference
    item: Comparison
    systems: SystemComparison | None
    shape: Shape
    leanings: Leanings
    runs: Runs | None


@dataclass(frozen=True, slots=True, kw_only=True)
class StrawMenUnderCeiling:
    """{statistic: the judge that says the same of every item and comes to most} beside the
    consensus of people, each of them left out in turn."""

    criterion: str
    best: Mapping[str, ConstantJudge]


@dataclass(frozen=True, slots=True, kw_only=True)
class InStratum:
    """The judge with people on the items they agree about, or do not; `n` such items there are."""

    stratum: Stratum
    n: int
    estimates: Mapping[str, Estimate]


@dataclass(frozen=True, slots=True, kw_only=True)
class BesidePeople:
    """One judge on one criterion beside people who rated the same items.

    `people`: ids, in the order in which `ceiling` and `test` number them; empty figures where
    no two people share an item.
    """

    criterion: str
    judge: int
    people: tuple[int, ...]
    ceiling: Mapping[str, UnderCeiling]
    strata: tuple[InStratum, ...]
    test: Domain | None


@dataclass(frozen=True, slots=True, kw_only=True)
class CautionAt:
    """Items on which people differ from `low` to `high`, by `mean` on average: the share of the
    judge’s answers without a value, and of people’s."""

    low: float
    high: float
    mean: float
    of_judge: Estimate
    of_people: Estimate


@dataclass(frozen=True, slots=True, kw_only=True)
class Caution:
    """How often a judge gives no value, by how much people differ; `more`: where they differ less
    where they agree, `more_of_people` the same of themselves."""

    criterion: str
    judge: int
    steps: tuple[CautionAt, ...]
    more: Estimate
    more_of_people: Estimate


@dataclass(frozen=True, slots=True, kw_only=True)
class Repeats:
    """A judge asked again: `times`, how far it repeats itself, and items without a majority."""

    criterion: str
    judge: int
    times: int
    n_ties: int
    estimates: Mapping[str, Estimate]


@dataclass(frozen=True, slots=True, kw_only=True)
class Halo:
    """Share of items on which all of `criteria` get one rating; `more`: the judge's less people's."""

    judge: int
    criteria: tuple[str, ...]
    of_judge: Estimate
    of_people: Estimate | None
    more: Estimate | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Versus:
    """Two judges on the items that both rated: figures of `other` less those of `one`.

    `between`: their agreement with each other, of the first run of either.
    """

    criterion: str
    one: int
    other: int
    reference: Reference
    differences: Mapping[str, Estimate]
    between: Mapping[str, Estimate]


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgesReport(PartReport):
    """Every judge of a study at one revision.

    `n_lengths` counts the items whose reply can be measured; `each`: every judge with each person
    alone.
    """

    study: str
    revision: int
    n_items: int
    n_dialogues: int
    n_lengths: int
    raters: tuple[RaterLine, ...]
    criteria: tuple[CriterionLine, ...]
    against: tuple[Against, ...]
    each: tuple[Comparison, ...]
    beside: tuple[BesidePeople, ...]
    straw_men: tuple[StrawMen, ...]
    under_ceiling: tuple[StrawMenUnderCeiling, ...]
    cautions: tuple[Caution, ...]
    repeats: tuple[Repeats, ...]
    halos: tuple[Halo, ...]
    versions: tuple[Versus, ...]
    latent: tuple[LatentFit, ...]
    juries: tuple[JuryLine, ...] = ()

    @property
    def judges(self) -> tuple[RaterLine, ...]:
        return tuple(rater for rater in self.raters if rater.is_judge)


def make(study: StudyRatings, *, view: View, at: datetime) -> JudgesReport:
    """Compare every judge with people, with gold, with itself and with the other judges."""
    parts = study.rubric.scored
    tables = matrices.each_matrix(study, parts, view=view)
    single = [tables[criterion.key] for criterion in study.rubric.criteria]
    lengths = matrices.reply_lengths(study)
    judges = [judge for judge in study.judges if any(_any(one.of(judge)) for one in single)]
    return JudgesReport(
        study=study.key,
        revision=study.revision,
        computed_at=at,
        view=view,
        n_items=int(study.counted(view).sum()),
        n_dialogues=int(np.unique(study.dialogues[study.counted(view)]).size),
        n_lengths=int(np.isfinite(lengths).sum()),
        raters=tuple(map(rater_line, study.raters)),
        criteria=tuple(criterion_line(part, tables[part.key]) for part in parts),
        against=tuple(
            one for table in tables.values() for one in _against(study, table, judges, lengths)
        ),
        each=tuple(
            one
            for table in tables.values()
            for judge in judges
            for one in with_each_person(study, table, judge)
        ),
        beside=tuple(one for judge in judges for one in _beside(study, tables.values(), judge)),
        straw_men=tuple(
            straw_men(study, table, is_gold=is_gold)
            for table in tables.values()
            for is_gold in (False, True)
        ),
        under_ceiling=tuple(
            one for table in tables.values() for one in _straw_men_under_ceiling(study, table)
        ),
        cautions=tuple(one for table in single for one in _cautions(study, table, judges)),
        repeats=tuple(
            one for table in single for judge in judges for one in _repeats(study, table, judge)
        ),
        halos=tuple(one for judge in judges for one in _halos(study, single, judge)),
        versions=tuple(one for table in single for one in _versions(study, table, judges)),
        latent=tuple(latent.of_judges(study, view=view)),
        juries=tuple(juries.of_juries(study, view=view)),
    )


def _piece_of(report: JudgesReport) -> Callable[[Comparison], str]:
    keys = {judge.id: judge.key for judge in report.judges}
    return lambda one: keys[one.raters[-1]]


PART = Part(
    key="judges",
    kind=JudgesReport,
    make=make,
    apart=Apart(field="each", about="judge", piece_of=_piece_of),
    algorithm=2,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class _PairsOfRatings:
    """Every pair of a reference's rating and the judge's, one below the other, (m,).

    `places` (m,): the item of each; `clusters` (m,), None where each item stands alone.
    """

    reference: Floats
    judge: Floats
    places: Ints
    clusters: Ints | None

    @classmethod
    def of(cls, study: StudyRatings, references: Floats, judge: Floats) -> "_PairsOfRatings":
        """From ratings (n, h) of people, or gold in one column, and of the runs (n, r) of a judge."""
        both = np.isfinite(references)[:, :, None] & np.isfinite(judge)[:, None, :]
        places, column, run = np.nonzero(both)
        several = bool((both.sum(axis=(1, 2)) > 1).any())
        clusters = study.dialogues if several else study.clusters
        return cls(
            reference=references[places, column],
            judge=judge[places, run],
            places=places,
            clusters=None if clusters is None else clusters[places],
        )

    def at(self, level: float, estimate: Estimate) -> Estimate:
        """The estimate with the number of items, not of pairs, at a level of the reference."""
        return replace(estimate, n_items=_distinct(self.places[self.reference == level]))

    def among(self, which: npt.NDArray[np.bool_], share: Estimate) -> Estimate:
        """A share of these pairs (m,) with their numbers, one-sided where it is none or all."""
        units = self.places if self.clusters is None else self.clusters
        return one_sided(
            replace(
                share,
                n_items=_distinct(self.places[which]),
                n_pairs=int(which.sum()),
                n_clusters=int(np.unique(units[which]).size),
            )
        )

    def of_items(self, estimates: Mapping[str, Estimate]) -> dict[str, Estimate]:
        """The estimates with the number of items, not of pairs."""
        n = _distinct(self.places)
        return {name: replace(estimate, n_items=n) for name, estimate in estimates.items()}


def _against(
    study: StudyRatings, table: Matrix, judges: Iterable[RaterColumn], lengths: Floats
) -> Iterator[Against]:
    """Each judge beside people and beside gold, wherever they share an item."""
    systems = {one.judge: one for one in system_comparisons(study, table)}
    of_people = _levels_of_people(study, table)
    for judge in judges:
        found = list(judge_comparisons(study, table, judge))
        runs = matrices.runs(study, table, judge).values
        for reference, (kind, references) in _sides(table).items():
            if not (np.isfinite(references) & np.isfinite(runs).any(axis=1, keepdims=True)).any():
                continue
            is_people = reference is Reference.PEOPLE
            item = next(one for one in found if one.kind is kind)
            yield Against(
                criterion=table.key,
                judge=judge.id,
                reference=reference,
                item=item,
                systems=systems.get(judge.id) if is_people else None,
                shape=_shape(study, table, references, runs, item, of_people if is_people else ()),
                leanings=_leanings(study, table, judge, references, lengths),
                runs=_runs(study, table, judge, references),
            )


def _sides(table: Matrix) -> dict[Reference, tuple[Kind, Floats]]:
    """What is compared with people, and with gold: ratings (n, h)."""
    return {
        Reference.PEOPLE: (Kind.JUDGE_HUMANS, table.of_humans()),
        Reference.GOLD: (Kind.JUDGE_GOLD, table.gold[:, None]),
    }


def _shape(
    study: StudyRatings,
    table: Matrix,
    references: Floats,
    runs: Floats,
    item: Comparison,
    of_people: tuple[AtLevel, ...],
) -> Shape:
    """Of all runs; the bias is that of `item`, but where that is weighted."""
    pairs = _PairsOfRatings.of(study, references, runs)
    if table.measurement is Measurement.NOMINAL:
        return Shape(labels=_labels(pairs, table, n_runs=runs.shape[1]))
    if study.is_group(table.key):
        return Shape()
    plot = bland_altman(pairs.reference, pairs.judge, clusters=pairs.clusters, points=table.points)
    use = scale_use(pairs.reference, pairs.judge, clusters=pairs.clusters, points=table.points)
    return Shape(
        levels=_levels(pairs, table),
        levels_of_people=of_people,
        differences=pairs.of_items(around_bias(study, plot, item)),
        bubbles=tuple(
            DifferenceBubble(mean=mean, difference=difference, n=n)
            for mean, difference, n in zip(
                plot.means.tolist(), plot.differences.tolist(), plot.counts.tolist(), strict=True
            )
        ),
        use=pairs.of_items(use),
    )


def _labels(pairs: _PairsOfRatings, table: Matrix, *, n_runs: int) -> tuple[LabelUse, ...]:
    against = accuracy(pairs.judge, pairs.reference, clusters=pairs.clusters, points=table.points)
    return tuple(
        LabelUse(
            label=label,
            n=round(against.table[place].sum() / n_runs),
            n_given=round(against.table[:, place].sum() / n_runs),
            recall=pairs.among(pairs.reference == label, against.recall[label]),
            precision=pairs.among(pairs.judge == label, against.precision[label]),
        )
        for place, label in enumerate(against.points)
    )


def _levels(pairs: _PairsOfRatings, table: Matrix) -> tuple[AtLevel, ...]:
    found = severity_curve(
        pairs.reference, pairs.judge, clusters=pairs.clusters, points=table.points
    )
    return tuple(replace(one, gap=pairs.at(one.level, one.gap)) for one in found)


def _levels_of_people(study: StudyRatings, table: Matrix) -> tuple[AtLevel, ...]:
    """Each person beside each of the others: how steep the curve is without any judge."""
    several = np.stack([*table.by_person.values()], axis=1) if table.by_person else np.empty((0, 0))
    if (
        table.measurement is Measurement.NOMINAL
        or study.is_group(table.key)
        or several.shape[1] < 2
    ):
        return ()
    both = [
        (several[:, one], several[:, other])
        for one, other in permutations(range(several.shape[1]), 2)
    ]
    first, second = (np.concatenate(side) for side in zip(*both, strict=True))
    used = np.isfinite(first) & np.isfinite(second)
    places = np.tile(np.arange(study.items.size), len(both))[used]
    pairs = _PairsOfRatings(
        reference=first[used],
        judge=second[used],
        places=places,
        clusters=study.dialogues[places],
    )
    return _levels(pairs, table) if places.size else ()


def _leanings(
    study: StudyRatings,
    table: Matrix,
    judge: RaterColumn,
    references: Floats,
    lengths: Floats,
) -> Leanings:
    if table.measurement is Measurement.NOMINAL:
        return Leanings()
    truth = _mean(references)
    values = matrices.runs(study, table, judge).mean
    slope = verbosity_slope(truth, values, lengths, clusters=study.dialogues)
    peers = [_mean(matrices.runs(study, table, one).values) for one in study.others(judge)]
    preference: dict[str, Estimate] = {}
    if judge.own_generators and peers and not judge.is_jury:
        preference = self_preference(
            table.of(judge),
            np.stack(peers, axis=1),
            truth,
            own=~matrices.of_other_generators(study, judge),
            clusters=study.clusters,
        )
    return Leanings(verbosity=slope if slope.n_items else None, preference=preference)


def _runs(
    study: StudyRatings, table: Matrix, judge: RaterColumn, references: Floats
) -> Runs | None:
    if study.is_group(table.key):
        return None
    repeats = _measured_repeats(study, table, judge)
    if repeats.shape[1] < 2:
        return None
    voted = votes(repeats, points=table.points).majority
    counted = matrices.runs(study, table, judge)
    return Runs(
        each=tuple(_repeats_beside(study, table, references, one[:, None]) for one in repeats.T),
        mean=with_notes_on(counted, _repeats_beside(study, table, references, counted.values)),
        majority=_repeats_beside(study, table, references, voted[:, None]),
    )


def _repeats_beside(
    study: StudyRatings,
    table: Matrix,
    references: Floats,
    repeats: Floats,
    *,
    only: Collection[str] | None = None,
) -> dict[str, Estimate]:
    """Each repeat (n, r) beside the reference (n, h), on average."""
    said = np.where(np.isfinite(repeats).any(axis=1, keepdims=True), 0.0, np.nan)
    pairs = _PairsOfRatings.of(study, references, said)
    found = mean_agreement(
        pairs.reference,
        repeats[pairs.places],
        clusters=pairs.clusters,
        points=table.points,
        measurement=table.measurement.value,
        only=only or OF_RUNS[table.measurement],
        items=pairs.places,
    )
    return pairs.of_items(found)


def _measured_repeats(study: StudyRatings, table: Matrix, judge: RaterColumn) -> Floats:
    """The judge's repeats, (n, r), without replies of its own family."""
    repeats = matrices.repeats(study, table.key, judge, view=table.view)
    repeats[~matrices.of_other_generators(study, judge)] = np.nan
    return repeats


def _beside(
    study: StudyRatings, tables: Iterable[Matrix], judge: RaterColumn
) -> Iterator[BesidePeople]:
    """The judge under the ceiling of people, and in place of one of them."""
    shared = {table.key: table for table in tables if _shares_with_two(study, table, judge)}
    tests = {
        alignment: alternatives(
            study,
            judge,
            {
                key: table
                for key, table in shared.items()
                if _alignment(table) == alignment and not study.is_group(key)
            },
            {key: _people(table)[1] for key, table in shared.items()},
            alignment=alignment,
        )
        for alignment in {_alignment(table) for table in shared.values()}
    }
    for key, table in shared.items():
        raters, people = _people(table)
        yield BesidePeople(
            criterion=key,
            judge=judge.id,
            people=tuple(rater.id for rater in raters),
            ceiling=ceiling_of_runs(study, table, judge, people, only=_of_ceiling(table)),
            strata=_strata(study, table, judge, people),
            test=tests[_alignment(table)].get(key),
        )


def _of_ceiling(table: Matrix) -> tuple[str, ...]:
    return _SCALES if table.measurement is Measurement.ORDINAL else _LABELS


def _straw_men_under_ceiling(study: StudyRatings, table: Matrix) -> Iterator[StrawMenUnderCeiling]:
    """On every item that two people rated; of single criteria."""
    people = table.of_humans()
    if study.is_group(table.key) or not (np.isfinite(people).sum(axis=1) > 1).any():
        return

    def measure(said: Floats) -> dict[str, Estimate]:
        found = under_ceiling(study, table, said, people, only=_of_ceiling(table))
        return {name: one.judge for name, one in found.items()}

    found = constant_judges(table.mean_of_people(), points=table.points, measure=measure)
    best = best_by_statistic(found, _of_ceiling(table))
    yield StrawMenUnderCeiling(criterion=table.key, best=best)


def _strata(
    study: StudyRatings, table: Matrix, judge: RaterColumn, people: Floats
) -> tuple[InStratum, ...]:
    if study.is_group(table.key):
        return ()
    runs = matrices.runs(study, table, judge)
    found = []
    for stratum, which in strata(people).items():
        here = np.where(which[:, None], runs.values, np.nan)
        estimates = _repeats_beside(study, table, people, here, only=_of_ceiling(table))
        n = int(np.isfinite(here).any(axis=1).sum())
        found.append(InStratum(stratum=stratum, n=n, estimates=with_notes_on(runs, estimates)))
    return tuple(found)


def disputed_beside(study: StudyRatings, table: Matrix, judge: RaterColumn) -> Floats:
    """How much people differ, (n,), on the items that the judge answered and two people gave a value;
    NaN on all others."""
    return _where_answered(study, table, judge, _disputed(table))


def _disputed(table: Matrix) -> Floats:
    return dispute(table.of_humans(), are_labels=table.measurement is Measurement.NOMINAL)


def _where_answered(
    study: StudyRatings, table: Matrix, judge: RaterColumn, disputed: Floats
) -> Floats:
    may_count = study.counted(table.view) & matrices.of_other_generators(study, judge)
    is_answered = np.isfinite(matrices.without_value(study, table.key, [judge.id])).any(axis=1)
    return np.where(may_count & is_answered, disputed, np.nan)


def _cautions(
    study: StudyRatings, table: Matrix, judges: Iterable[RaterColumn]
) -> Iterator[Caution]:
    disputed = _disputed(table)
    for judge in judges:
        yield from _caution(study, table, judge, _where_answered(study, table, judge, disputed))


def _caution(
    study: StudyRatings, table: Matrix, judge: RaterColumn, disputed: Floats
) -> Iterator[Caution]:
    """Nothing where there is no item that people could differ on."""
    if not np.isfinite(disputed).any():
        return
    of_judge = matrices.without_value(study, table.key, [judge.id])
    of_people = matrices.without_value(study, table.key, [rater.id for rater in study.humans])
    yield Caution(
        criterion=table.key,
        judge=judge.id,
        steps=tuple(
            CautionAt(
                low=step.low,
                high=step.high,
                mean=step.mean,
                of_judge=held_back(of_judge, step.items, clusters=study.clusters, are_runs=True),
                of_people=held_back(of_people, step.items, clusters=study.clusters),
            )
            for step in steps(disputed)
        ),
        more=more_held_back(of_judge, disputed, clusters=study.clusters, are_runs=True),
        more_of_people=more_held_back(of_people, disputed, clusters=study.clusters),
    )


def _shares_with_two(study: StudyRatings, table: Matrix, judge: RaterColumn) -> bool:
    """Whether some item has ratings of the judge and of two people."""
    rated = np.isfinite(matrices.measured(study, table, judge))
    return bool((rated & (np.isfinite(table.of_humans()).sum(axis=1) > 1)).any())


def _people(table: Matrix) -> tuple[list[RaterColumn], Floats]:
    """Those who rated this criterion, with their ratings (n, h)."""
    raters = [rater for rater in table.raters if not rater.is_judge and _any(table.of(rater))]
    return raters, np.stack([table.of(rater) for rater in raters], axis=1)


def _alignment(table: Matrix) -> Alignment:
    return "neg_rmse" if table.measurement is Measurement.ORDINAL else "accuracy"


def _repeats(study: StudyRatings, table: Matrix, judge: RaterColumn) -> Iterator[Repeats]:
    repeats = matrices.repeats(study, table.key, judge, view=table.view)
    if repeats.shape[1] < 2:
        return
    yield Repeats(
        criterion=table.key,
        judge=judge.id,
        times=repeats.shape[1],
        n_ties=votes(repeats, points=table.points).n_ties,
        estimates=repeatability(
            repeats,
            clusters=study.clusters,
            points=table.points,
            measurement=table.measurement.value,
        ),
    )


def _halos(study: StudyRatings, tables: Iterable[Matrix], judge: RaterColumn) -> Iterator[Halo]:
    """One for each scale that several criteria share, of those that the judge rates."""
    alike: dict[tuple[float, ...], list[Matrix]] = {}
    for table in tables:
        if table.measurement is not Measurement.NOMINAL and _any(table.of(judge)):
            alike.setdefault(table.points, []).append(table)
    for members in alike.values():
        said = np.stack([table.of(judge) for table in members], axis=1)
        if len(members) < 2 or not np.isfinite(said).all(axis=1).any():
            continue
        people, judged, places = _beside_each_other(members, said)
        owners = study.dialogues[places]
        n = _distinct(places)
        yield Halo(
            judge=judge.id,
            criteria=tuple(table.key for table in members),
            of_judge=halo_index(said, clusters=study.clusters),
            of_people=replace(halo_index(people, clusters=owners), n_items=n) if n else None,
            more=replace(halo_difference(people, judged, clusters=owners), n_items=n)
            if n
            else None,
        )


def _beside_each_other(members: Collection[Matrix], said: Floats) -> tuple[Floats, Floats, Ints]:
    """Ratings (m, c) of each person with every criterion, the judge's, and the items' places."""
    given = np.stack([table.of_humans() for table in members], axis=2)
    is_whole = np.asarray(np.isfinite(said).all(axis=1))
    complete = np.isfinite(given).all(axis=2) & is_whole[:, None]
    places, person = np.nonzero(complete)
    return given[places, person], said[places], places


def _versions(
    study: StudyRatings, table: Matrix, judges: Collection[RaterColumn]
) -> Iterator[Versus]:
    """Any two judges on the items both rated, none of which either's family wrote."""
    wanted = OF_VERSIONS[table.measurement]
    for one, other in combinations(judges, 2):
        of_both = [matrices.runs(study, table, judge) for judge in (one, other)]
        first, second = (runs.values for runs in of_both)
        both = np.isfinite(first).any(axis=1) & np.isfinite(second).any(axis=1)
        if not both.any():
            continue
        fewest = min(of_both, key=lambda runs: runs.values.shape[1])
        between = two_raters(
            first[:, 0],
            second[:, 0],
            clusters=study.clusters,
            points=table.points,
            measurement=table.measurement.value,
            only=wanted,
        )
        for reference, (_kind, references) in _sides(table).items():
            shared = np.where(both, 0.0, np.nan)[:, None]
            pairs = _PairsOfRatings.of(study, references, shared)
            if not pairs.places.size:
                continue
            found = differences(
                pairs.reference,
                first[pairs.places],
                second[pairs.places],
                clusters=pairs.clusters,
                points=table.points,
                measurement=table.measurement.value,
                only=wanted,
            )
            yield Versus(
                criterion=table.key,
                one=one.id,
                other=other.id,
                reference=reference,
                differences=with_notes_on(fewest, pairs.of_items(found)),
                between=between,
            )


def _mean(references: Floats) -> Floats:
    """Mean of what there is in each row of (n, h); NaN where nothing is."""
    there = np.isfinite(references).sum(axis=1)
    return np.where(there > 0, np.nansum(references, axis=1) / np.maximum(there, 1), np.nan)


def _distinct(places: Ints) -> int:
    """How many items these places (m,) name."""
    return int(np.count_nonzero(np.bincount(places)))


def _any(values: Floats) -> bool:
    return bool(np.isfinite(values).any())
