"""May a judge stand in for a person? The alternative annotator test.

Each person in turn is set against the judge: which of the two agrees better with the other people?
Calderon, Reichart & Dror (2025), The Alternative Annotator Test for LLM-as-a-Judge, Proceedings of
ACL 2025, 16051-16081. Their procedure takes items as independent. Replies to one dialogue are not:
where they are alike by 0.3, four replies each, a judge as much worse as is allowed won 11 times in
100 for 5. So the test goes by dialogue, as the intervals beside it do; where each item is one of its
own it is theirs.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import islice
from typing import Literal, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
from scipy import special

from analytics.stats.cells import cell_of_rows, numbered
from analytics.stats.estimates import Estimate, Note, in_order
from analytics.stats.intervals import DIFFERENCE, SHARE, TOO_FEW_CLUSTERS
from analytics.stats.runs import LEAST_RUNS, estimate_over_runs, variance_of_mean
from analytics.stats.scales import Floats, Ints, ratio

Alignment: TypeAlias = Literal["accuracy", "neg_rmse"]
Test: TypeAlias = Literal["t", "wilcoxon"]

SWEEP = (0.0, 0.05, 0.1, 0.15, 0.2)
LEAST_ITEMS = 30
FALSE_DISCOVERIES = 0.05
PASSING = 0.5
_FEW_FOR_T = 30


@dataclass(frozen=True, slots=True, kw_only=True)
class Panel:
    """One domain: ratings of the judge (n,), or of its runs (n, r), and of people (n, h), NaN where
    missing. What is told of a judge is the mean over its runs; from three on the test speaks of
    other runs too.

    `clusters` (n,): the dialogue of each item, None when every item stands alone.
    """

    judge: npt.ArrayLike
    people: npt.ArrayLike
    clusters: npt.ArrayLike | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AgainstPerson:
    """The judge against the person in column `person`, on the items both and another rated.

    `advantage`: share of items on which the judge is as close to the others as the person or
    closer; `shortfall`: the person's such share less the judge's. The test asks whether the
    shortfall is below epsilon. `sweep`: (epsilon, p-value, whether the judge wins) at each.
    """

    person: int
    advantage: Estimate
    shortfall: Estimate
    test: Test
    p_value: float
    is_won: bool
    sweep: tuple[tuple[float, float, bool], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Skipped:
    """A person who shares too few items with the judge and others."""

    person: int
    n_items: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Domain:
    """How the judge does in one domain.

    `winning_rate`: omega, the share of people it wins against; `is_passed` where that is a half
    or more; both None without a person to test. `advantage`: rho, the mean over people.
    `sweep`: omega at each epsilon.
    """

    against: tuple[AgainstPerson, ...]
    skipped: tuple[Skipped, ...]
    winning_rate: float | None
    is_passed: bool | None
    advantage: Estimate
    sweep: tuple[tuple[float, float | None], ...]


class _Decision(NamedTuple):
    test: Test
    p_value: float
    is_won: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class _Contest:
    """Judge against person on the `items` (m,) of a domain that count, by their places, of dialogues
    `owners` (m,); W of either by run (m, r). A run without a value for an item counts there as the mean of the others."""

    person: int
    items: Ints
    owners: Ints
    judge_as_close: Floats
    person_as_close: Floats
    n_others: Floats

    @property
    def n_items(self) -> int:
        return int(self.items.size)

    @property
    def shortfalls(self) -> Floats:
        """What is tested: W of the person less W of the judge, item by item and run by run."""
        apart: Floats = self.person_as_close - self.judge_as_close
        return apart


def alternative_test(
    panels: Mapping[str, Panel],
    *,
    alignment: Alignment,
    epsilon: float,
    least_items: int = LEAST_ITEMS,
) -> dict[str, Domain]:
    """Run the test in every domain of `panels`; false discoveries are controlled over all together.

    `alignment`: `accuracy`, the share of exact matches with the others, for labels, or `neg_rmse`,
    less the root mean squared distance from them, for scores. `epsilon`, to be fixed beforehand,
    is how much worse than a person a judge may be because it is cheaper: 0.2 where people are
    trusted experts, 0.15 where they are skilled, 0.1 for crowds. People with fewer than
    `least_items` shared items are skipped; below 30 Wilcoxon's signed-rank test takes the place of
    the t-test. Either goes by dialogue where items share one.
    """
    if not 0 <= epsilon < 1:
        raise ValueError("Epsilon lies between 0 and 1.")
    found = {name: _contests(panel, alignment) for name, panel in panels.items()}
    kept = {
        name: [contest for contest in contests if contest.n_items >= max(least_items, 1)]
        for name, contests in found.items()
    }
    at = {value: _decided(kept, value) for value in (*SWEEP, epsilon)}
    return {
        name: _domain(
            panel.clusters,
            found[name],
            kept[name],
            at[epsilon][name],
            {value: at[value][name] for value in SWEEP},
        )
        for name, panel in panels.items()
    }


def benjamini_yekutieli(
    p_values: npt.ArrayLike, *, q: float = FALSE_DISCOVERIES
) -> npt.NDArray[np.bool_]:
    """Which hypotheses (m,) are rejected with a false discovery rate of at most q, however the
    tests depend on each other. Benjamini & Yekutieli (2001), Annals of Statistics 29(4)."""
    p = np.asarray(p_values, dtype=np.float64)
    rank = np.arange(1, p.size + 1)
    order = np.argsort(p, kind="stable")
    below = np.flatnonzero(p[order] <= rank / p.size * q / (1 / rank).sum())
    rejected = np.zeros(p.size, dtype=np.bool_)
    if below.size:
        rejected[order[: below[-1] + 1]] = True
    return rejected


def t_below(values: Floats, bound: float, owners: Ints | None = None) -> float:
    """One-sided p-value of Student's t-test that the mean of `values` (n,) is below `bound`.

    `owners` (n,): the dialogue of each, None where each stands alone; what items of one dialogue have
    in common widens the error (Liang & Zeger 1986, Biometrika 73(1), 13-22), and there are as many
    degrees of freedom as dialogues, less one; of fewer than five nothing is shown. Of runs (n, r),
    from `LEAST_RUNS` on, that of the mean over items and runs, which speaks of other runs as
    `runs.over_runs` does; of fewer, with the runs held fixed. Where all are equal there is no doubt
    on which side of the bound they are.
    """
    numbers, size = numbered(owners, len(values))
    if size < TOO_FEW_CLUSTERS:
        return 1.0
    of_runs = values.reshape(len(values), -1)
    gap, each = float(values.mean()) - bound, of_runs.mean(axis=0)
    apart = np.zeros((size, of_runs.shape[1]))
    np.add.at(apart, numbers, of_runs - each)
    covariances = apart.T @ apart / len(values) ** 2 * size / (size - 1)
    if of_runs.shape[1] >= LEAST_RUNS:
        variance, freedom = variance_of_mean(each, covariances, size)
    else:
        variance, freedom = float(covariances.mean()), size - 1.0
    if variance == 0:
        return 0.0 if gap < 0 else 1.0
    return float(special.stdtr(freedom, gap / np.sqrt(variance)))


def wilcoxon_below(values: Floats, bound: float) -> float:
    """One-sided exact p-value of Wilcoxon's signed-rank test that `values` (n,) lie below `bound`.

    Zeros are dropped and ties have mid-ranks; the distribution is the exact one given the ties:
    every rank is positive with chance one half.
    """
    gaps = np.round(values - bound, 12)
    gaps = gaps[gaps != 0]
    if gaps.size == 0:
        return 1.0
    _, inverse, often = np.unique(np.abs(gaps), return_inverse=True, return_counts=True)
    doubled = (2 * np.cumsum(often) - often + 1)[inverse]
    ways = np.ones(1)
    for rank in doubled:
        ways = np.pad(ways, (0, rank)) + np.pad(ways, (rank, 0))
        ways /= 2
    return float(ways[: doubled[gaps > 0].sum() + 1].sum())


def _contests(panel: Panel, alignment: Alignment) -> list[_Contest]:
    said = np.array(panel.judge, dtype=np.float64)
    runs = said[:, None] if said.ndim == 1 else said
    people = np.array(panel.people, dtype=np.float64)
    if people.ndim != 2 or len(runs) != len(people):
        raise ValueError("Give ratings of the judge an item, and people as items by people.")
    owners, _size = numbered(panel.clusters, len(runs))
    return [_contest(person, runs, people, owners, alignment) for person in range(people.shape[1])]


def _contest(
    person: int, runs: Floats, people: Floats, owners: Ints, alignment: Alignment
) -> _Contest:
    there = np.isfinite(people)
    items = np.flatnonzero(
        np.isfinite(runs).any(axis=1) & there[:, person] & (there.sum(axis=1) > 1)
    )
    own, others = people[items, person], np.delete(people[items], person, axis=1)
    answered = np.isfinite(runs[items])
    own_far = _distance(own[:, None], others, alignment)[:, None]
    far = np.stack([_distance(run[:, None], others, alignment) for run in runs[items].T], axis=1)
    return _Contest(
        person=person,
        items=items,
        owners=owners[items],
        judge_as_close=_filled(far <= own_far, answered),
        person_as_close=_filled(own_far <= far, answered),
        n_others=np.isfinite(others).sum(axis=1).astype(np.float64),
    )


def _filled(is_so: npt.NDArray[np.bool_], answered: npt.NDArray[np.bool_]) -> Floats:
    """1 or 0 of each run (n, r), where it did not answer the mean of those that did."""
    mean = ratio((is_so & answered).sum(axis=1), answered.sum(axis=1))
    return np.where(answered, is_so, np.nan_to_num(mean)[:, None])


def _distance(ratings: Floats, others: Floats, alignment: Alignment) -> Floats:
    """How far ratings (n, 1) are from those of the others (n, h): orders raters as the alignment
    does, in sums that are exact for whole ratings."""
    if alignment == "accuracy":
        missed = np.isfinite(others) & (ratings != others)
        return np.asarray(missed.sum(axis=1), dtype=np.float64)
    return np.asarray(np.nansum((ratings - others) ** 2, axis=1))


def _decided(kept: Mapping[str, list[_Contest]], epsilon: float) -> dict[str, list[_Decision]]:
    """Test after test in each domain; false discoveries are counted over all of them."""
    tests = [_tested(contest, epsilon) for found in kept.values() for contest in found]
    won = benjamini_yekutieli([p_value for _, p_value in tests])
    told = iter(zip(tests, won.tolist(), strict=True))
    return {
        name: [_Decision(*test, is_won) for test, is_won in islice(told, len(contests))]
        for name, contests in kept.items()
    }


def _tested(contest: _Contest, epsilon: float) -> tuple[Test, float]:
    shortfalls, owners = contest.shortfalls, contest.owners
    if len(shortfalls) < _FEW_FOR_T:
        gaps = np.bincount(owners, shortfalls.mean(axis=1) - epsilon).astype(np.float64)
        return "wilcoxon", wilcoxon_below(gaps, 0.0)
    return "t", t_below(shortfalls, epsilon, owners)


def _winning_rate(decided: list[_Decision]) -> float | None:
    return sum(decision.is_won for decision in decided) / len(decided) if decided else None


def _domain(
    clusters: npt.ArrayLike | None,
    found: list[_Contest],
    kept: list[_Contest],
    decided: list[_Decision],
    decided_at: Mapping[float, list[_Decision]],
) -> Domain:
    tested = {contest.person for contest in kept}
    skipped = [contest for contest in found if contest.person not in tested]
    rate = _winning_rate(decided)
    advantage = _mean_over_people("advantage", kept or found, clusters)
    notes = {*advantage.notes, Note.PEOPLE_LEFT_OUT} if skipped else advantage.notes
    return Domain(
        against=tuple(
            AgainstPerson(
                person=contest.person,
                advantage=_mean_over_people("advantage", [contest], clusters),
                shortfall=_mean_over_people("shortfall", [contest], clusters),
                test=decision.test,
                p_value=decision.p_value,
                is_won=decision.is_won,
                sweep=tuple(
                    (value, each[place].p_value, each[place].is_won)
                    for value, each in decided_at.items()
                ),
            )
            for place, (contest, decision) in enumerate(zip(kept, decided, strict=True))
        ),
        skipped=tuple(
            Skipped(person=contest.person, n_items=contest.n_items) for contest in skipped
        ),
        winning_rate=rate,
        is_passed=None if rate is None else rate >= PASSING,
        advantage=replace(advantage, notes=in_order(notes)),
        sweep=tuple((value, _winning_rate(each)) for value, each in decided_at.items()),
    )


def _mean_over_people(
    name: Literal["advantage", "shortfall"],
    contests: list[_Contest],
    clusters: npt.ArrayLike | None,
) -> Estimate:
    """Mean over people of their means over items, with an interval over dialogues, and runs."""
    items = np.unique(np.concatenate([contest.items for contest in contests]))
    m, r = len(contests), contests[0].judge_as_close.shape[1]
    used, values = np.zeros((items.size, m)), np.zeros((items.size, m, r))
    for place, one in enumerate(contests):
        of_person = np.searchsorted(items, one.items)
        used[of_person, place] = 1
        values[of_person, place] = one.judge_as_close if name == "advantage" else one.shortfalls
    parts = [np.ones((items.size, 1)), used, values.reshape(items.size, m * r)]
    n_others = np.concatenate([contest.n_others for contest in contests])
    cell = cell_of_rows(
        np.concatenate(parts, axis=1),
        None if clusters is None else np.asarray(clusters)[items],
        n_pairs=n_others.size,
        n_raters=m + 1,
        doubts={Note.NO_CONSENSUS} if n_others.size and np.median(n_others) < 2 else (),
    )
    sums = cell.replicas[:, 1 + m :].reshape(-1, m, r)
    return estimate_over_runs(
        cell,
        name,
        ratio(sums, cell.replicas[:, 1 : 1 + m, None]).mean(axis=1),
        SHARE if name == "advantage" else DIFFERENCE,
    )
