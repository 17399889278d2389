"""A latent class model: what raters say of items whose true class nobody knows.

Every item is of one class, and every rater has a table of how often they give each label to items
of each class (Dawid & Skene 1979, Applied Statistics 28(1), 20-28). The tables, the share of each
class and the chance of each class for each item are found by expectation and maximisation. It
supposes that raters err independently of each other once the class is known: raters with the same
blind spot, as two judges made of one LLM are, look right together.

With two raters nothing can be told: 5 unknowns of 3 shares. With three there are as many unknowns
as shares (Hui & Walter 1980, Biometrics 36(1), 167-171), with more the supposition shows strain.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from itertools import combinations

import numpy as np
import numpy.typing as npt
from scipy import sparse, special

from analytics.stats.estimates import Estimate, Note, in_order
from analytics.stats.intervals import FEW_CLUSTERS, LATENT_METHOD, SEED
from analytics.stats.scales import Floats, Ints, ratio

LEAST_RATERS = 3
LEAST_ITEMS = 20
LEAST_OF_A_CLASS = 5.0
TELLS_SOMETHING = 0.1
DOUBTFUL = 0.9
STRAINED = 3.0
STARTS = 8
DRAWS = 200

_RIGHT = 0.75
_AS_LIKELY = 1.92
_ALIKE = 1e-6
_APART = 0.1
_TOLERANCE = 1e-7
_ROUGH = 1e-4
_MOST_STEPS = 2_000
_MOST_STEPS_OF_A_DRAW = 100
_TINY = 1e-300


class Untold(StrEnum):
    """Why the model tells nothing of these ratings."""

    TOO_FEW_RATERS = "too few raters"
    TOO_FEW_OF_A_CLASS = "too few of a class"
    TOO_FEW_TELL = "too few tell"
    NOT_CONVERGED = "not converged"
    SEVERAL_TRUTHS = "several truths"


@dataclass(frozen=True, slots=True, kw_only=True)
class LatentClasses:
    """What ratings by r raters of n items are best explained by.

    `prevalence` (q,): the share of each class; `confusion` (r, q, q): of items of each class (in
    the rows) the share that a rater gives each label; `chances` (n, q): of each class for each item,
    from all of its ratings. `log_likelihood` is without the prior. `has_converged`: nothing moved by more
    than 1e-7 in the last step. `rivals`: other ends of other starts that explain the ratings about
    as well and are something else.
    """

    prevalence: Floats
    confusion: Floats
    chances: Floats
    log_likelihood: float
    has_converged: bool
    rivals: int


def votes_of(codes: Ints, q: int) -> Floats:
    """Labels (n, r, times), -1 missing, as votes (n, r, q): several answers of one rater to an
    item share one vote, for they are not independent of each other."""
    given = (codes[..., None] == np.arange(q)).sum(axis=2).astype(np.float64)
    return np.nan_to_num(ratio(given, given.sum(axis=-1, keepdims=True)))


def latent_classes(votes: Floats, *, prior: float = 1.0, starts: int = STARTS) -> LatentClasses:
    """Fit the model to votes (n, r, q), how often each rater gave each item each label.

    `prior` answers to each class are added to every rater's, three of four of them right, so that
    classes are named as raters name them and no share is 0 or 1 for want of items; 0 is the
    likelihood alone, as in the paper. The first start is the share of each label among an item's
    votes, the others are raters who are right by a share drawn between .5 and 1.
    """
    patterns, which, copies = _patterns(votes)
    model = _Model(patterns=sparse.csr_array(patterns), n_labels=votes.shape[2], prior=prior)
    weights = copies[:, None].astype(np.float64)
    ends = [model.climb(weights, start) for start in _starts(model, weights, starts)]
    scores = [float(model.score(weights, end)[0]) for end in ends]
    top = max(scores)
    # Starts that end in one place differ by rounding: the first of them, on every machine.
    best = next(end for end, score in zip(ends, scores, strict=True) if top - score < _ALIKE)
    chances, log_likelihood = model.expect(weights, best.prevalence, best.confusion)
    rivals = [
        end
        for end, score in zip(ends, scores, strict=True)
        if top - score < _AS_LIKELY and np.abs(end.confusion - best.confusion).max() > _APART
    ]
    return LatentClasses(
        prevalence=best.prevalence[0],
        confusion=model.by_rater(best.confusion[0]),
        chances=chances[:, 0][which],
        log_likelihood=float(log_likelihood[0]),
        has_converged=best.has_converged,
        rivals=len(rivals),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class LatentFlags:
    """Raters who flag items or do not, beside whether an item is truly to be flagged.

    `raters`: sensitivity and specificity of each; `prevalence`: of truly flagged items; `chance`
    (n,): that an item is one, NaN where fewer than two rated it. `strain`: of the pair of raters that agrees most against the model, by
    how many standard errors, None where three raters leave nothing to see. `untold`: why there is
    nothing; then the rest is empty.
    """

    untold: Untold | None
    raters: tuple[dict[str, Estimate], ...] = ()
    prevalence: Estimate | None = None
    chance: Floats | None = None
    strain: float | None = None


def latent_flags(
    flags: npt.ArrayLike, *, clusters: Ints | None = None, draws: int = DRAWS
) -> LatentFlags:
    """Sensitivity and specificity of raters without anybody who knows: flags (n, r, times), 1, 0 or
    NaN where missing; several `times` of one rater share a vote. Items that one of them rated tell
    nothing of any and are left out.

    The intervals are of logits, from `draws` of the dialogues (or items) with the model fitted to
    each anew, and at least as wide as Jeffreys' for as many items as are expected in the class:
    where no error is seen, drawing again shows none either.
    """
    votes, used, found = _found(flags, clusters)
    if isinstance(found, Untold):
        return LatentFlags(untold=found)
    votes = votes[used]
    owners = np.arange(len(votes)) if clusters is None else clusters[used]
    drawn = _drawn(votes, owners, found, draws)
    return LatentFlags(
        untold=None,
        raters=tuple(
            {
                name: _share(name, place, label, found, votes, owners, drawn)
                for name, label in (("sensitivity", 1), ("specificity", 0))
            }
            for place in range(votes.shape[1])
        ),
        prevalence=_prevalence(found, owners, drawn),
        chance=_chance(used, found),
        strain=_strain(votes, found),
    )


def chance_of_flag(flags: npt.ArrayLike, *, clusters: Ints | None = None) -> Floats | None:
    """The chance that each item is truly to be flagged, (n,), as `latent_flags` has it and without
    its intervals; None where nothing can be told."""
    _votes, used, found = _found(flags, clusters)
    return None if isinstance(found, Untold) else _chance(used, found)


def _found(
    flags: npt.ArrayLike, clusters: Ints | None
) -> tuple[Floats, npt.NDArray[np.bool_], LatentClasses | Untold]:
    """Votes (n, r, 2), the items that two raters or more have rated (n,), and what the model makes
    of them, or why nothing."""
    given = np.asarray(flags, dtype=np.float64)
    votes = votes_of(np.where(np.isnan(given), -1, given).astype(np.int64), 2)
    rated = votes.sum(axis=2) > 0
    used = rated.sum(axis=1) > 1
    if not _are_enough(rated[used], None if clusters is None else clusters[used]):
        return votes, used, Untold.TOO_FEW_RATERS
    found = latent_classes(votes[used])
    return votes, used, _untold(found) or found


def _chance(used: npt.NDArray[np.bool_], found: LatentClasses) -> Floats:
    chance = np.full(used.size, np.nan)
    chance[used] = found.chances[:, 1]
    return chance


@dataclass(frozen=True, slots=True, kw_only=True)
class _End:
    """Where a climb ended, for b sets of weights at once: `prevalence` (b, q), `confusion`
    (b, q, r * q)."""

    prevalence: Floats
    confusion: Floats
    has_converged: bool


@dataclass(frozen=True, kw_only=True)
class _Model:
    """The steps over distinct `patterns` (p, r * q) of votes, for b sets of weights (p, b).

    Most raters have not rated most items, so the patterns are sparse. Of chances and of what raters
    gave, the first class has what is left by the others: with two classes that halves the work.
    """

    patterns: sparse.csr_array
    n_labels: int
    prior: float

    @cached_property
    def by_vote(self) -> sparse.csr_array:
        """The patterns with votes in the rows, (r * q, p)."""
        return self.patterns.T.tocsr()

    @property
    def added(self) -> Floats:
        """The answers of the prior, (q, r * q)."""
        q = self.n_labels
        wrong = (1 - _RIGHT) / max(q - 1, 1)
        square = np.full((q, q), wrong) + (_RIGHT - wrong) * np.eye(q)
        return self.prior * np.tile(square, (1, self.patterns.shape[1] // q))

    def by_rater(self, confusion: Floats) -> Floats:
        """(q, r * q) as (r, q, q)."""
        q = self.n_labels
        return confusion.reshape(q, -1, q).transpose(1, 0, 2)

    def expect(
        self, weights: Floats, prevalence: Floats, confusion: Floats
    ) -> tuple[Floats, Floats]:
        """Chances (p, b, q), and the log likelihood (b,)."""
        b, q, n_votes = confusion.shape
        logs = _log(confusion).reshape(b * q, n_votes)
        each = (self.patterns @ logs.T).reshape(-1, b, q) + _log(prevalence)
        whole = special.logsumexp(each, axis=2, keepdims=True)
        return np.exp(each - whole), (weights * whole[:, :, 0]).sum(axis=0)

    def climb(
        self,
        weights: Floats,
        chances: Floats,
        *,
        tolerance: float = _TOLERANCE,
        most: int = _MOST_STEPS,
    ) -> _End:
        """Step from chances (p, b, q) until nothing moves by more than the tolerance."""
        given = self.by_vote @ weights
        prevalence, confusion = self._maximised(weights, given, chances[:, :, 1:])
        has_converged = False
        for _step in range(most):
            others = self._others(prevalence, confusion)
            newer, tables = self._maximised(weights, given, others)
            moved = max(np.abs(newer - prevalence).max(), np.abs(tables - confusion).max())
            prevalence, confusion = newer, tables
            if has_converged := bool(moved < tolerance):
                break
        return _End(prevalence=prevalence, confusion=confusion, has_converged=has_converged)

    def score(self, weights: Floats, end: _End) -> Floats:
        """What was climbed, at its end: the log likelihood with the prior, (b,)."""
        _, score = self.expect(weights, end.prevalence, end.confusion)
        if self.prior:
            score = score + (self.added * _log(end.confusion)).sum(axis=(1, 2))
            score = score + self.prior / self.n_labels * np.log(end.prevalence).sum(axis=1)
        return score

    def _others(self, prevalence: Floats, confusion: Floats) -> Floats:
        """Chances of the classes but the first, (p, b, q - 1)."""
        b, q, n_votes = confusion.shape
        logs, shares = _log(confusion), _log(prevalence)
        beyond = (logs[:, 1:] - logs[:, :1]).reshape(-1, n_votes)
        odds: Floats = (self.patterns @ np.ascontiguousarray(beyond.T)).reshape(-1, b, q - 1)
        odds += shares[:, 1:] - shares[:, :1]
        if q == 2:
            special.expit(odds, out=odds)
            return odds
        whole = np.logaddexp(0, special.logsumexp(odds, axis=2, keepdims=True))
        return np.exp(odds - whole)

    def _maximised(self, weights: Floats, given: Floats, others: Floats) -> tuple[Floats, Floats]:
        """Shares of classes (b, q) and tables (b, q, r * q), from chances of the classes but the
        first (p, b, q - 1) and from all that was `given` (r * q, b)."""
        p, b, n_others = others.shape
        q = n_others + 1
        each = others * weights[:, :, None]
        counts = np.empty((b, q, len(given)))
        counts[:, 1:] = (self.by_vote @ each.reshape(p, -1)).T.reshape(b, n_others, -1)
        counts[:, 0] = np.maximum(given.T - counts[:, 1:].sum(axis=1), 0)
        shares = np.empty((b, q))
        shares[:, 1:] = each.sum(axis=0)
        shares[:, 0] = np.maximum(weights.sum(axis=0) - shares[:, 1:].sum(axis=1), 0)
        shares += self.prior / q
        split = (counts + self.added).reshape(b, q, -1, q)
        tables = np.nan_to_num(ratio(split, split.sum(axis=-1, keepdims=True)), nan=1 / q)
        return shares / shares.sum(axis=1, keepdims=True), tables.reshape(b, q, -1)


def _log(shares: Floats) -> Floats:
    return np.log(np.maximum(shares, _TINY))


def _patterns(votes: Floats) -> tuple[Floats, Ints, Ints]:
    """Distinct rows (p, r * q), which of them each item has (n,), and how many items have each."""
    flat = votes.reshape(len(votes), -1)
    # Bytes that are in the order of the votes are sorted much faster than rows of numbers.
    ranks = np.searchsorted(np.unique(flat), flat).astype(">u2")
    _, first, which, copies = np.unique(
        ranks.view(f"S{2 * flat.shape[1]}").ravel(),
        return_index=True,
        return_inverse=True,
        return_counts=True,
    )
    return flat[first], which, copies


def _starts(model: _Model, weights: Floats, n: int) -> Iterator[Floats]:
    """Chances (p, 1, q) to begin from, the same at every call."""
    q = model.n_labels
    summed = model.patterns.toarray().reshape(len(weights), -1, q).sum(axis=1)
    yield (summed / summed.sum(axis=1, keepdims=True))[:, None]
    rng = np.random.default_rng(SEED)
    n_raters = model.patterns.shape[1] // q
    for _start in range(n - 1):
        right = rng.uniform(0.5, 1.0, (q, n_raters))[..., None]
        tables = np.where(np.eye(q)[:, None, :] == 1, right, (1 - right) / max(q - 1, 1))
        prevalence = rng.dirichlet(np.ones(q))
        yield model.expect(weights, prevalence[None], tables.reshape(1, q, -1))[0]


def _are_enough(rated: npt.NDArray[np.bool_], clusters: Ints | None) -> bool:
    """Whether three raters rated enough items, of as many dialogues."""
    several = rated.sum(axis=1) >= LEAST_RATERS
    n = int(several.sum()) if clusters is None else np.unique(clusters[several]).size
    return n >= LEAST_ITEMS


def _untold(found: LatentClasses) -> Untold | None:
    sensitivity, specificity = found.confusion[:, 1, 1], found.confusion[:, 0, 0]
    tell = sensitivity + specificity - 1 > TELLS_SOMETHING
    if not found.has_converged:
        return Untold.NOT_CONVERGED
    if found.chances.sum(axis=0).min() < LEAST_OF_A_CLASS:
        return Untold.TOO_FEW_OF_A_CLASS
    if tell.sum() < LEAST_RATERS:
        return Untold.TOO_FEW_TELL
    return Untold.SEVERAL_TRUTHS if found.rivals else None


def _drawn(votes: Floats, owners: Ints, found: LatentClasses, draws: int) -> _End:
    """The model fitted anew to draws of the owners, each from where all of them ended."""
    patterns, which, _ = _patterns(votes)
    model = _Model(patterns=sparse.csr_array(patterns), n_labels=votes.shape[2], prior=1.0)
    _, numbers = np.unique(owners, return_inverse=True)
    n = int(numbers.max()) + 1
    times = np.random.default_rng(SEED).multinomial(n, np.full(n, 1 / n), size=draws)
    order = np.argsort(which, kind="stable")
    begins = np.searchsorted(which[order], np.arange(len(patterns)))
    weights = np.add.reduceat(times.T[numbers[order]], begins, axis=0).astype(np.float64)
    first = np.zeros((len(patterns), votes.shape[2]))
    first[which] = found.chances
    chances = np.broadcast_to(first[:, None], (len(patterns), draws, votes.shape[2]))
    return model.climb(weights, chances, tolerance=_ROUGH, most=_MOST_STEPS_OF_A_DRAW)


def _share(
    name: str,
    place: int,
    label: int,
    found: LatentClasses,
    votes: Floats,
    owners: Ints,
    drawn: _End,
) -> Estimate:
    rated = votes[:, place].sum(axis=1) > 0
    value = float(found.confusion[place, label, label])
    expected = float((found.chances[:, label] * rated).sum())
    tables = drawn.confusion.reshape(*drawn.confusion.shape[:2], -1, votes.shape[2])
    return _estimate(
        name,
        value,
        tables[:, label, place, label],
        expected,
        n_items=int(rated.sum()),
        n_clusters=int(np.unique(owners[rated]).size),
        n_raters=votes.shape[1],
    )


def _prevalence(found: LatentClasses, owners: Ints, drawn: _End) -> Estimate:
    n = len(found.chances)
    return _estimate(
        "prevalence",
        float(found.prevalence[1]),
        drawn.prevalence[:, 1],
        float(n),
        n_items=n,
        n_clusters=int(np.unique(owners).size),
        n_raters=len(found.confusion),
    )


def _estimate(
    name: str,
    value: float,
    drawn: Floats,
    expected: float,
    *,
    n_items: int,
    n_clusters: int,
    n_raters: int,
) -> Estimate:
    doubts = {Note.FEW_CLUSTERS} if n_clusters < FEW_CLUSTERS else set()
    half = special.stdtrit(max(n_clusters - 1, 1), 0.975) * float(special.logit(drawn).std())
    low, high = special.expit(special.logit(value) + np.array([-half, half])).tolist()
    right, wrong = value * expected + 0.5, (1 - value) * expected + 0.5
    least, most = special.betaincinv(right, wrong, [0.025, 0.975]).tolist()
    return Estimate(
        statistic=name,
        value=value,
        low=min(low, least),
        high=max(high, most),
        n_items=n_items,
        n_pairs=n_items,
        n_clusters=n_clusters,
        n_raters=n_raters,
        method=LATENT_METHOD,
        notes=in_order(doubts),
    )


def _strain(votes: Floats, found: LatentClasses) -> float | None:
    """Agreement of pairs beyond what the model expects, in standard errors; None with three."""
    if votes.shape[1] <= LEAST_RATERS:
        return None
    n, r, q = votes.shape
    rated = (votes.sum(axis=2) > 0).astype(np.float64)
    n_both, flat = rated.T @ rated, votes.reshape(n, r * q)
    same = np.einsum("ikjk->ij", (flat.T @ flat).reshape(r, q, r, q))
    beyond = []
    for one, other in combinations(range(r), 2):
        n_shared = n_both[one, other]
        if n_shared < LEAST_ITEMS:
            continue
        seen = same[one, other] / n_shared
        alike = (found.confusion[one] * found.confusion[other]).sum(axis=1)
        expected = float(found.prevalence @ alike)
        beyond.append((seen - expected) / np.sqrt(expected * (1 - expected) / n_shared))
    return float(max(beyond)) if beyond else None
