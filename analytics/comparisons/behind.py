"""The ratings that a comparison was computed from, and what else is told of them."""

from collections.abc import Collection, Mapping

import numpy as np

from analytics.comparisons.estimating import with_notes_on
from analytics.comparisons.kinds import WITH_JUDGE, Comparison, Kind
from analytics.comparisons.raters import beside, with_people
from analytics.ratings import matrices
from analytics.ratings.matrices import Matrix, StudyRatings
from analytics.stats.estimates import Estimate
from analytics.stats.scales import Floats
from analytics.stats.severity import BlandAltman


def ratings_of_runs(study: StudyRatings, table: Matrix, comparison: Comparison) -> list[Floats]:
    """What `ratings_behind` gives, for each run of a judge beside others: figures are their mean."""
    if comparison.kind not in WITH_JUDGE:
        return [ratings_behind(study, table, comparison)]
    judge = next(rater for rater in table.raters if rater.id == comparison.raters[-1])
    runs = matrices.runs(study, table, judge).values.T
    return [ratings_behind(study, table, comparison, said=said) for said in runs]


def ratings_behind(
    study: StudyRatings, table: Matrix, comparison: Comparison, *, said: Floats | None = None
) -> Floats:
    """The ratings (n, k) that a comparison was computed from, a column a rater.

    Gold is the first column of a comparison with gold; of a judge beside itself every repeat is
    one, beside others what the first of its runs gave that count, or `said` (n,).
    Items with fewer than two values are NaN throughout, as are those of the judge's own family.
    """
    raters = {rater.id: rater for rater in table.raters}
    chosen = [raters[one] for one in comparison.raters]
    if comparison.kind is Kind.JUDGE_REPEATS:
        values = matrices.repeats(study, table.key, chosen[0], view=table.view)
    else:
        values = np.stack([table.of(rater) for rater in chosen], axis=1)
    if comparison.kind in WITH_JUDGE:
        first = matrices.runs(study, table, chosen[-1]).first
        values[:, -1] = first if said is None else said
    if comparison.kind is Kind.JUDGE_GOLD:
        values = np.column_stack([table.gold, values])
    used = (~np.isnan(values)).sum(axis=1) >= 2
    if comparison.kind in WITH_JUDGE:
        used &= ~np.isnan(values[:, -1])
        used &= matrices.of_other_generators(study, chosen[-1])
    return np.where(used[:, None], values, np.nan)


def of_runs(
    study: StudyRatings, table: Matrix, comparison: Comparison, only: Collection[str]
) -> Mapping[str, Estimate] | None:
    """Some statistics of a judge that was run several times; None of one run, or of people."""
    if comparison.kind not in WITH_JUDGE:
        return None
    raters = {rater.id: rater for rater in table.raters}
    *others, judge = (raters[one] for one in comparison.raters)
    if matrices.runs(study, table, judge).values.shape[1] == 1:
        return None
    if comparison.kind is Kind.JUDGE_GOLD:
        return beside(study, table, comparison.kind, (judge,), table.gold, only).estimates
    humans = {human: table.of(human) for human in others}
    return with_people(study, table, judge, humans, only).estimates


def said_of_runs(
    study: StudyRatings, table: Matrix, comparison: Comparison, found: Mapping[str, Estimate]
) -> Mapping[str, Estimate]:
    """The figures, with what their intervals leave out of a judge's runs."""
    if comparison.kind not in WITH_JUDGE:
        return found
    judge = next(rater for rater in table.raters if rater.id == comparison.raters[-1])
    return with_notes_on(matrices.runs(study, table, judge), found)


def around_bias(
    study: StudyRatings, plot: BlandAltman, comparison: Comparison
) -> dict[str, Estimate]:
    """What a plot tells around the bias of the comparison; where that is weighted, which the plot is
    not, around its own."""
    if study.weights is not None:
        return plot.estimates
    return plot.estimates | {"bias": comparison.estimates["bias"]}
