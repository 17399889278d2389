"""How well people and judges flag, where nobody knows which items are truly to be flagged.

At the usual cut of every criterion. People are weighed by people alone; each judge by itself beside
the people, so that judges with the same blind spot never outvote them.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from analytics.figures.memo import remembered
from analytics.ratings import matrices
from analytics.ratings.matrices import Matrix, RaterColumn, StudyRatings, View
from analytics.safety.numbers import Cut, choices_of, in_cut, usual_cut
from analytics.stats.estimates import Estimate
from analytics.stats.latent import DOUBTFUL, LatentFlags, Untold, chance_of_flag, latent_flags
from analytics.stats.scales import Floats, Ints


@dataclass(frozen=True, slots=True, kw_only=True)
class LatentRater:
    """Sensitivity and specificity of one rater beside the class that the model finds."""

    rater: int
    estimates: Mapping[str, Estimate]


@dataclass(frozen=True, slots=True, kw_only=True)
class LatentFit:
    """One criterion, by people alone or by people and one `judge`; then only its line is kept.

    `untold`: why nothing can be told. Of the `n_items` that two or more rated, `n_doubtful` are flagged
    with a chance of neither 90 % nor 10 %. `strain`: as in `analytics.stats.latent.LatentFlags`.
    """

    criterion: str
    cut: Cut
    judge: int | None
    untold: Untold | None
    raters: tuple[LatentRater, ...]
    prevalence: Estimate | None
    n_items: int
    n_doubtful: int
    strain: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class DoubtfulItem:
    """An item of which raters leave open whether it is truly to be flagged: with which `chance` it is,
    how many of the `n_people` who rated it flag it, and in which share of its answers the judge does,
    None where people are alone."""

    item: int
    chance: float
    n_flags: int
    n_people: int
    by_judge: float | None


def doubtful_items(
    study: StudyRatings, criterion: str, *, view: View, judge: int | None
) -> tuple[DoubtfulItem, ...]:
    """Those that `LatentFit.n_doubtful` counts, the least sure first; none where nothing can be told."""
    one = next((one for one in _flagged(study, view) if one.table.key == criterion), None)
    rater = next((one for one in study.judges if one.id == judge), None)
    if one is None or (judge is not None and rater is None):
        return ()
    runs = matrices.runs(study, one.table, rater).as_flags(one.cut.points).values if rater else None
    flags = one.flags[:, :, None] if runs is None else _beside(one.flags, runs)
    chance = chance_of_flag(flags, clusters=study.clusters)
    if chance is None:
        return ()
    doubt = np.abs(chance - 0.5)
    return tuple(
        DoubtfulItem(
            item=int(study.items[place]),
            chance=float(chance[place]),
            n_flags=int(np.nansum(one.flags[place])),
            n_people=int(np.isfinite(one.flags[place]).sum()),
            by_judge=None if runs is None else _share(runs[place]),
        )
        for place in np.argsort(doubt, kind="stable")
        if doubt[place] < DOUBTFUL - 0.5
    )


def _share(answers: Floats) -> float | None:
    given = answers[np.isfinite(answers)]
    return float(given.mean()) if given.size else None


def of_people(study: StudyRatings, *, view: View) -> Iterator[LatentFit]:
    """A fit for each criterion that two people or more have rated."""
    for one in _flagged(study, view):
        if len(one.people) > 1:
            found = remembered(_found, one.flags[:, :, None], study.clusters)
            yield _fit(one, found, one.people, judge=None)


def of_judges(study: StudyRatings, *, view: View) -> Iterator[LatentFit]:
    """A fit for each criterion that people have rated and each judge that has."""
    for one in _flagged(study, view):
        for judge in study.judges if one.people else ():
            runs = matrices.runs(study, one.table, judge).as_flags(one.cut.points).values
            if np.isfinite(runs).any():
                found = remembered(_found, _beside(one.flags, runs), study.clusters)
                yield _fit(one, found, (*[None] * len(one.people), judge), judge=judge)


def _found(flags: Floats, clusters: Ints | None) -> LatentFlags:
    """Once for all views in which they flag the same."""
    return latent_flags(flags, clusters=clusters)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Flagged:
    """What the `people` (h,) who rated a criterion flag at its usual cut, `flags` (n, h)."""

    table: Matrix
    cut: Cut
    people: tuple[RaterColumn, ...]
    flags: Floats


def _flagged(study: StudyRatings, view: View) -> Iterator[_Flagged]:
    for criterion in study.rubric.with_levels:
        table = matrices.matrix(study, criterion.key, view=view)
        cut = usual_cut(choices_of(criterion, table))
        flags = in_cut(table.of_humans(), cut)
        rated = np.flatnonzero(np.isfinite(flags).any(axis=0))
        yield _Flagged(
            table=table,
            cut=cut,
            people=tuple(study.humans[place] for place in rated.tolist()),
            flags=flags[:, rated],
        )


def _beside(people: Floats, runs: Floats) -> Floats:
    """People (n, h) and the runs of a judge (n, t) as raters with several answers, (n, h + 1, t)."""
    flags = np.full((len(people), people.shape[1] + 1, runs.shape[1]), np.nan)
    flags[:, :-1, 0] = people
    flags[:, -1] = runs
    return flags


def _fit(
    one: _Flagged,
    found: LatentFlags,
    told: Sequence[RaterColumn | None],
    *,
    judge: RaterColumn | None,
) -> LatentFit:
    """What was `found` of the raters that are `told` of; None of one who is not."""
    lines = zip(told, found.raters, strict=True) if found.raters else ()
    chance = np.full(1, np.nan) if found.chance is None else found.chance
    return LatentFit(
        criterion=one.table.key,
        cut=one.cut,
        judge=judge.id if judge else None,
        untold=found.untold,
        raters=tuple(
            LatentRater(rater=rater.id, estimates=estimates) for rater, estimates in lines if rater
        ),
        prevalence=found.prevalence,
        n_items=int(np.isfinite(chance).sum()),
        n_doubtful=int(((chance < DOUBTFUL) & (chance > 1 - DOUBTFUL)).sum()),
        strain=found.strain,
    )
