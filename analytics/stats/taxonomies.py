"""Agreement of labels that are reached question by question.

A taxonomy asks its nodes in order. Each node ends at some labels and otherwise leads on to the
next, so a label tells every answer on its way. Raters who part early disagree on something else
than raters who part at the last question.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from analytics.stats.agreement import many_raters, two_raters
from analytics.stats.cells import cell_of_rows
from analytics.stats.estimates import Estimate
from analytics.stats.intervals import IntervalScale, Kind, Statistic
from analytics.stats.scales import Floats, Ints, points_of, positions, ratio

Paths: TypeAlias = Mapping[str, Sequence[float]]

_LEADS_ON = -1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class AtNode:
    """Agreement at one node, over pairs of raters who both reach it.

    `answers`: the labels at which the node ends, and None for leading on, where it does.
    `n_items`: items that two raters or more reach here.
    """

    node: str
    answers: tuple[float | None, ...]
    n_items: int
    estimates: dict[str, Estimate]


def by_node(
    values: npt.ArrayLike,
    *,
    paths: Paths,
    clusters: npt.ArrayLike | None = None,
    only: Collection[str] | None = None,
    kind: Kind = "jackknife",
) -> tuple[AtNode, ...]:
    """Agreement at each node of label codes `values` (n, r), NaN where missing.

    `paths`: the nodes in the order they are asked, each with the codes of the labels that end
    there; every code stands at one node. Two raters get the statistics of `two_raters` for
    labels, more those of `many_raters`; otherwise as there. A later node is reached by those
    items alone on which both raters led on, which are seldom like the others.
    """
    placed, ends, codes = _placed(values, paths)
    found = []
    for place, (node, labels) in enumerate(paths.items()):
        answers = _answers(placed, ends, codes, place)
        reached = np.isfinite(answers).sum(axis=1) >= 2
        answers[~reached] = np.nan
        is_last = place == len(paths) - 1
        found.append(
            AtNode(
                node=node,
                answers=tuple(labels) if is_last else (*labels, None),
                n_items=int(reached.sum()),
                estimates=_agreement(answers, _points(labels, is_last), clusters, only, kind),
            )
        )
    return tuple(found)


def divergence(
    values: npt.ArrayLike,
    *,
    paths: Paths,
    clusters: npt.ArrayLike | None = None,
    kind: Kind = "jackknife",
) -> dict[str | None, Estimate]:
    """At which node raters part: {node: share of pairs}, and None: the share that never does.

    Of each item the share of its pairs of raters counts, so items with many raters weigh no more;
    the shares add up to 1. Arguments as for `by_node`.
    """
    placed, ends, _ = _placed(values, paths)
    rows, n_pairs = _parting(placed, ends, len(paths))
    used = n_pairs > 0
    cell = cell_of_rows(
        rows[used],
        None if clusters is None else np.asarray(clusters)[used],
        n_pairs=int(n_pairs.sum()),
        n_raters=int((placed >= 0).any(axis=0).sum()),
        kind=kind,
    )
    return {
        node: cell.estimate(
            "divergence", _share(1 + place), scale=IntervalScale.LOGIT, beyond_chance=False
        )
        for place, node in enumerate([*paths, None])
    }


def _placed(values: npt.ArrayLike, paths: Paths) -> tuple[Ints, Ints, Floats]:
    """Positions (n, r) of the labels among all codes, -1 missing; the node (q,) at which each code
    ends; the codes (q,)."""
    owners = {label: place for place, labels in enumerate(paths.values()) for label in labels}
    if len(owners) != sum(len(labels) for labels in paths.values()) or _LEADS_ON in owners:
        raise ValueError("Every label ends at one node, and no code is below 0.")
    codes = points_of(list(owners))
    placed = positions(values, codes)
    if placed.ndim != 2:
        raise ValueError("Labels are an array of items by raters.")
    return placed, np.array([owners[code] for code in codes.tolist()]), codes


def _answers(placed: Ints, ends: Ints, codes: Floats, place: int) -> Floats:
    """What raters answer at a node: a code, `_LEADS_ON`, or NaN where they do not get there."""
    depth = np.where(placed >= 0, ends[placed], -1)
    said = np.where(depth == place, codes[placed], _LEADS_ON)
    return np.where(depth >= place, said, np.nan)


def _points(labels: Sequence[float], is_last: bool) -> list[float]:
    """The answers of a node as points; a node with a single answer has one that nobody gives."""
    points = [*labels] if is_last else [*labels, _LEADS_ON]
    return points if len(points) > 1 else [*points, points[0] - 1]


def _agreement(
    answers: Floats,
    points: Sequence[float],
    clusters: npt.ArrayLike | None,
    only: Collection[str] | None,
    kind: Kind,
) -> dict[str, Estimate]:
    if answers.shape[1] != 2:
        return many_raters(
            answers, clusters=clusters, points=points, measurement="nominal", only=only, kind=kind
        )
    return two_raters(
        answers[:, 0],
        answers[:, 1],
        clusters=clusters,
        points=points,
        measurement="nominal",
        only=only,
        kind=kind,
    )


def _parting(placed: Ints, ends: Ints, n_nodes: int) -> tuple[Floats, Ints]:
    """Of each item 1 and the shares of its pairs that part at each node or never, (n, 2 + nodes),
    and how many pairs it has, (n,)."""
    n, r = placed.shape
    counts = np.zeros((n, n_nodes + 1))
    n_pairs = np.zeros(n, dtype=np.int64)
    for one in range(r):
        for other in range(one + 1, r):
            first, second = placed[:, one], placed[:, other]
            both = np.flatnonzero((first >= 0) & (second >= 0))
            depth = np.minimum(ends[first[both]], ends[second[both]])
            node = np.where(first[both] == second[both], n_nodes, depth)
            counts[both, node] += 1
            n_pairs[both] += 1
    shares = ratio(counts, n_pairs[:, None].astype(np.float64))
    return np.concatenate([np.ones((n, 1)), shares], axis=1), n_pairs


def _share(column: int) -> Statistic:
    return lambda sums: ratio(sums[..., column], sums[..., 0])
