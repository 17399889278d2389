"""Agreement question by question, where an answer decides which question comes next.

Raters who part at an early question disagree on something else than raters who part at the last
one. Ways that have parted may meet again: at each question agreement is that of all who reach it,
and conditional on that; where two ways part is the first question that they answer differently.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from analytics.stats.agreement import many_raters, two_raters
from analytics.stats.cells import cell_of_rows, owners_of
from analytics.stats.estimates import Estimate
from analytics.stats.intervals import SHARE
from analytics.stats.scales import Floats, Ints, quotient, ratio

Steps: TypeAlias = Mapping[str, npt.NDArray[np.float64]]
"""{question: the number of the answer (n, r) that each rater gave each item there, from 0; NaN where
they do not get there}, each question after all that lead to it; the first is asked of everybody."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AtNode:
    """Agreement at one node, over pairs of raters who both reach it.

    `n_items`: items that two raters or more reach here.
    """

    node: str
    n_items: int
    estimates: dict[str, Estimate]


def by_node(
    steps: Steps,
    *,
    options: Mapping[str, int],
    clusters: npt.ArrayLike | None = None,
    only: Collection[str] | None = None,
) -> tuple[AtNode, ...]:
    """Agreement at each node; `options`: how many answers each has.

    Two raters get the statistics of `two_raters` for labels, more those of `many_raters`; otherwise
    as there. A later node is reached by some items alone, which are seldom like the others.
    """
    found = []
    for node, given in _checked(steps).items():
        if (given >= options[node]).any():
            raise ValueError(f"There is an answer to “{node}” that it does not have.")
        reached = np.isfinite(given).sum(axis=1) >= 2
        answers = np.where(reached[:, None], given, np.nan)
        # A node with a single answer has another that nobody gives.
        points = [float(point) for point in range(max(options[node], 2))]
        found.append(
            AtNode(
                node=node,
                n_items=int(reached.sum()),
                estimates=_agreement(answers, points, clusters, only),
            )
        )
    return tuple(found)


def divergence(
    steps: Steps, *, clusters: npt.ArrayLike | None = None
) -> dict[str | None, Estimate]:
    """At which node raters part: {node: share of pairs}, and None: the share that never does.

    Of each item the share of its pairs of raters counts, so items with many raters weigh no more;
    the shares add up to 1. Arguments as for `by_node`.
    """
    stacked = np.stack([*_checked(steps).values()])
    rows, n_pairs = _parting(stacked)
    used = n_pairs > 0
    cell = cell_of_rows(
        rows[used],
        owners_of(clusters, used),
        n_pairs=int(n_pairs.sum()),
        n_raters=int(np.isfinite(stacked[0]).any(axis=0).sum()),
    )
    return {
        node: cell.estimate("divergence", quotient(1 + place), SHARE)
        for place, node in enumerate([*steps, None])
    }


def _checked(steps: Steps) -> dict[str, Floats]:
    found = {node: np.asarray(given, dtype=np.float64) for node, given in steps.items()}
    shapes = {given.shape for given in found.values()}
    if len(shapes) != 1 or len(shapes.pop()) != 2:
        raise ValueError("Answers are arrays of items by raters, alike for all nodes.")
    asked = np.isfinite(next(iter(found.values())))
    if any((np.isfinite(given) & ~asked).any() for given in found.values()):
        raise ValueError("Who answers a node answers the first one too.")
    return found


def _agreement(
    answers: Floats,
    points: list[float],
    clusters: npt.ArrayLike | None,
    only: Collection[str] | None,
) -> dict[str, Estimate]:
    if answers.shape[1] != 2:
        return many_raters(
            answers, clusters=clusters, points=points, measurement="nominal", only=only
        )
    return two_raters(
        answers[:, 0],
        answers[:, 1],
        clusters=clusters,
        points=points,
        measurement="nominal",
        only=only,
    )


def _parting(stacked: Floats) -> tuple[Floats, Ints]:
    """Of each item 1 and the shares of its pairs that part at each node or never, (n, 2 + nodes),
    and how many pairs it has, (n,); from all answers (nodes, n, r)."""
    n_nodes, n, r = stacked.shape
    counts = np.zeros((n, n_nodes + 1))
    n_pairs = np.zeros(n, dtype=np.int64)
    for one in range(r):
        for other in range(one + 1, r):
            first, second = stacked[:, :, one], stacked[:, :, other]
            both = np.flatnonzero(np.isfinite(first[0]) & np.isfinite(second[0]))
            first, second = first[:, both], second[:, both]
            apart = (first != second) & np.isfinite(first) & np.isfinite(second)
            node = np.where(apart.any(axis=0), apart.argmax(axis=0), n_nodes)
            counts[both, node] += 1
            n_pairs[both] += 1
    shares = ratio(counts, n_pairs[:, None].astype(np.float64))
    return np.concatenate([np.ones((n, 1)), shares], axis=1), n_pairs
