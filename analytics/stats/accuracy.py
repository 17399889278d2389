"""A rater against gold: accuracy, precision, recall and F1, from the table of gold x rater."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from analytics.stats import pairs
from analytics.stats.cells import Cell, notes_on_size, numbered, table_clusters
from analytics.stats.estimates import Estimate, Note
from analytics.stats.intervals import SHARE, Statistic, Unit
from analytics.stats.scales import Floats, points_of, ratio


@dataclass(frozen=True, slots=True, kw_only=True)
class AgainstGold:
    """How a rater does against gold.

    `points` (q): the labels; `table` (q, q): gold in the rows, the rater in the columns;
    `overall`: `accuracy` and the means of precision, recall and F1 weighted by how often gold has
    each label; `recall`, `precision`: one a label, None where there is nothing to divide by.
    """

    points: tuple[float, ...]
    table: npt.NDArray[np.int64]
    overall: dict[str, Estimate]
    recall: dict[float, Estimate]
    precision: dict[float, Estimate]


def accuracy(
    x: npt.ArrayLike,
    gold: npt.ArrayLike,
    *,
    clusters: npt.ArrayLike | None = None,
    points: Sequence[float] | npt.NDArray[Any],
) -> AgainstGold:
    """Compare ratings `x` (n,) with `gold` (n,), NaN where missing; items with both count.

    `clusters` and `points` as in `agreement.two_raters`. A label that the rater never gives has
    precision 0 in the weighted means, as scikit-learn has it.
    """
    scale = points_of(points)
    numbers, size = numbered(clusters, np.size(x))
    if clusters is None:
        numbers, size = np.zeros_like(numbers), 1
    tables = pairs.cluster_counts(gold, x, scale, numbers, size)
    unit = Unit.ITEM if clusters is None else Unit.DIALOGUE
    whole = tables.sum(axis=0)
    n = int(whole.sum())
    cell = Cell(
        clusters=table_clusters(tables, unit),
        reasons=frozenset() if n else frozenset({Note.NO_OVERLAP}),
        doubts=notes_on_size(n),
        ends=frozenset(),
        n_items=n,
        n_pairs=n,
        n_raters=2 if n else 0,
    )
    return AgainstGold(
        points=tuple(scale.tolist()),
        table=whole.astype(np.int64),
        overall={name: _share(cell, name, compute) for name, compute in OVERALL.items()},
        recall=_by_label(cell, "recall", recalls, scale),
        precision=_by_label(cell, "precision", precisions, scale),
    )


def recalls(tables: Floats) -> Floats:
    """Of the items gold gives a label, the share the rater gives it too: (..., q, q) -> (..., q)."""
    return ratio(_hits(tables), tables.sum(axis=-1))


def precisions(tables: Floats) -> Floats:
    """Of the items the rater gives a label, the share gold gives it too: (..., q, q) -> (..., q)."""
    return ratio(_hits(tables), tables.sum(axis=-2))


def f1s(tables: Floats) -> Floats:
    """Harmonic mean of precision and recall: (..., q, q) -> (..., q)."""
    return ratio(2 * _hits(tables), tables.sum(axis=-1) + tables.sum(axis=-2))


def _weighted(tables: Floats, each: Floats) -> Floats:
    support = tables.sum(axis=-1)
    return ratio((support * np.nan_to_num(each)).sum(axis=-1), support.sum(axis=-1))


def weighted_precision(tables: Floats) -> Floats:
    """Precision per label, weighted by how often gold has the label."""
    return _weighted(tables, precisions(tables))


def weighted_recall(tables: Floats) -> Floats:
    """Recall per label weighted likewise: the same number as accuracy."""
    return _weighted(tables, recalls(tables))


def weighted_f1(tables: Floats) -> Floats:
    """F1 per label, weighted likewise."""
    return _weighted(tables, f1s(tables))


OVERALL = {
    "accuracy": pairs.exact,
    "precision": weighted_precision,
    "recall": weighted_recall,
    "f1": weighted_f1,
}


def _hits(tables: Floats) -> Floats:
    return np.diagonal(tables, axis1=-2, axis2=-1)


def _square(flat: Floats) -> Floats:
    q = round(flat.shape[-1] ** 0.5)
    return flat.reshape(*flat.shape[:-1], q, q)


def _share(cell: Cell, name: str, compute: Statistic) -> Estimate:
    return cell.estimate(name, lambda flat: compute(_square(flat)), SHARE)


def _by_label(cell: Cell, name: str, compute: Statistic, points: Floats) -> dict[float, Estimate]:
    return {
        float(point): _share(cell, name, _at(compute, place)) for place, point in enumerate(points)
    }


def _at(compute: Statistic, place: int) -> Statistic:
    return lambda tables: np.asarray(compute(tables)[..., place])
