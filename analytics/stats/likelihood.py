"""Restricted likelihood of y = mean + item + rater + rest, and where it is highest.

Many samples are fitted at once, each from its sums: what is left out for an interval differs from
the whole by so little that Newton's method needs a few steps, of matrices as large as there are
raters, however many items there are. The mean and the variance of the rest are profiled out; what
is looked for are the logarithms of item / rest and rater / rest. With H = V / rest the deviance
is (n - 1) log(rest) + log |H| + log(1' H^-1 1), Patterson & Thompson (1971).
"""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from analytics.stats.scales import Floats, Ints

_BOUNDS = (-14.0, 14.0)
_STARTS = ((0.0, -2.0), (2.0, 0.0), (-3.0, -3.0))
_MOST_STEPS = 100
_LONGEST_STEP = 3.0
_SETTLED = 1e-7
_ROUNDING = 1e-12
_LITTLE = -5.0  # a ratio that goes below this with a step as long as the next is tried as none
_LEAP = -0.5


class Sums(NamedTuple):
    """All that the likelihood needs of the items, put together by how many ratings they have.

    `sizes` (m,): the numbers of ratings an item has. The others have a first axis of samples:
    `n` (b, m): how many items have so many; `total`, `square` (b, m): sums of the items' totals
    and of their squares; `rated`, `crossed` (b, m, r): how often each rater rated them, and the
    totals of what they rated; `together` (b, m, r, r): how often two raters rated the same one;
    `by_rater` (b, r): each rater's total; `squares` (b,): of all ratings.
    """

    sizes: Floats
    n: Floats
    total: Floats
    square: Floats
    rated: Floats
    crossed: Floats
    together: Floats
    by_rater: Floats
    squares: Floats

    def whole(self, times: int) -> Sums:
        """The sums of all samples together, as so many samples."""
        summed = (part.sum(axis=0, keepdims=True) for part in self[1:])
        return Sums(self.sizes, *(np.repeat(part, times, axis=0) for part in summed))

    def without_each(self) -> Sums:
        """The sums of all samples but one, for each."""
        return Sums(self.sizes, *(part.sum(axis=0) - part for part in self[1:]))


class Fit(NamedTuple):
    """`logs` (b, 2) of item / rest and rater / rest; `deviance` and `rest` (b,)."""

    logs: Floats
    deviance: Floats
    rest: Floats


def sums_of(values: Floats, blocks: Ints, n_blocks: int) -> Sums:
    """Sums of ratings (n, r), NaN where missing, in blocks (n,), numbered from 0: the samples."""
    rated = np.isfinite(values)
    level = values[rated].mean()
    centred = np.where(rated, values - level, 0.0)
    incidence, totals = rated.astype(np.float64), centred.sum(axis=1)
    each = rated.sum(axis=1)
    sizes = np.unique(each[each > 0])
    chosen = [[(blocks == block) & (each == size) for size in sizes] for block in range(n_blocks)]
    return Sums(
        sizes.astype(np.float64),
        _each(chosen, lambda items: items.sum()),
        _each(chosen, lambda items: totals[items].sum()),
        _each(chosen, lambda items: (totals[items] ** 2).sum()),
        _each(chosen, lambda items: incidence[items].sum(axis=0)),
        _each(chosen, lambda items: totals[items] @ incidence[items]),
        _each(chosen, lambda items: incidence[items].T @ incidence[items]),
        np.stack([centred[blocks == block].sum(axis=0) for block in range(n_blocks)]),
        np.array([(centred[blocks == block] ** 2).sum() for block in range(n_blocks)]),
    )


def _each(
    chosen: list[list[npt.NDArray[np.bool_]]], of: Callable[[npt.NDArray[np.bool_]], Any]
) -> Floats:
    return np.array([[of(items) for items in block] for block in chosen], dtype=np.float64)


def fitted_whole(sums: Sums) -> Fit:
    """The fit of all samples together, (1, ...): the best from some starts."""
    found = fitted(sums.whole(len(_STARTS)), np.array(_STARTS))
    best = [int(found.deviance.argmin())]
    return Fit(*(part[best] for part in found))


def fitted(sums: Sums, logs: Floats) -> Fit:
    """Every sample's fit, by Newton's method from `logs` (b, 2) on.

    A step that does not lower the deviance is tried again at a quarter; a variance that becomes
    little by long steps is tried as none. Samples that have settled wait for the others.
    """
    likelihood = _Likelihood(sums)
    here, rest = likelihood.at(logs)
    reach = np.ones((len(logs), 1))
    for _ in range(_MOST_STEPS):
        step = reach * _newton(here)
        vanishes = (step < _LEAP) & (logs + step < _LITTLE)
        tried = np.clip(np.where(vanishes, _BOUNDS[0], logs + step), *_BOUNDS)
        moving = np.flatnonzero(np.abs(tried - logs).max(axis=1) >= _SETTLED)
        if not moving.size:
            break
        there, rest_there = likelihood.at(tried[moving], moving)
        before = here.value[moving]
        lower = there.value <= before + _ROUNDING * np.abs(before)
        better = moving[lower]
        here = _Bent(*(_put(old, better, new[lower]) for new, old in zip(there, here, strict=True)))
        logs, rest = _put(logs, better, tried[better]), _put(rest, better, rest_there[lower])
        reach = _put(reach / 4, better, 1.0)
    return Fit(logs, here.value, rest)


def _put(old: Floats, where: Ints, new: Floats | float) -> Floats:
    changed = old.copy()
    changed[where] = new
    return changed


def _newton(at: _Bent) -> Floats:
    """The step (b, 2) to where the deviance is least, were it a bowl as steep as it is."""
    bends, axes = np.linalg.eigh(at.curvature)
    along = np.einsum("bij,bi->bj", axes, at.slope)
    far = -along / np.maximum(np.abs(bends), np.finfo(np.float64).tiny)
    step = np.einsum("bij,bj->bi", axes, far)
    clipped: Floats = np.clip(step, -_LONGEST_STEP, _LONGEST_STEP)
    return clipped


class _Bent(NamedTuple):
    """A number (b,) with its `slope` (b, 2) and `curvature` (b, 2, 2) by the two logarithms."""

    value: Floats
    slope: Floats
    curvature: Floats

    def times(self, other: _Bent) -> _Bent:
        one, both = self.value[:, None], _outer(self.slope, other.slope)
        two = other.value[:, None]
        return _Bent(
            self.value * other.value,
            one * other.slope + two * self.slope,
            one[..., None] * other.curvature
            + two[..., None] * self.curvature
            + both
            + _turned(both),
        )

    def log(self) -> _Bent:
        slope = self.slope / self.value[:, None]
        curvature = self.curvature / self.value[:, None, None] - _outer(slope, slope)
        return _Bent(np.log(self.value), slope, curvature)

    def sum(self, *others: tuple[Floats, _Bent]) -> _Bent:
        """This and each of the others so many times, (b,)."""
        found = self
        for times, other in others:
            found = _Bent(
                *(
                    part + times.reshape(-1, *[1] * (part.ndim - 1)) * more
                    for part, more in zip(found, other, strict=True)
                )
            )
        return found


class _Likelihood:
    """The deviance and its derivatives.

    Items are absorbed first: of an item with k ratings, `shrink` = item / (1 + item k) of what it
    shares is taken away. Then, with S the raters' sums of ones and of ratings (2, r), M their
    matrix and G = (1 + rater M)^-1, the products of ones and ratings in H^-1 are P - rater S G S'.
    """

    def __init__(self, sums: Sums) -> None:
        self.n_raters = sums.by_rater.shape[-1]
        self.sizes, self.n_items = sums.sizes, sums.n
        rated = sums.rated.sum(axis=1)
        self.n = rated.sum(axis=1)
        total = sums.total.sum(axis=1)
        sizes, weighted = sums.sizes, sums.sizes * sums.total
        self.before = _flat(
            1,
            np.stack([self.n, total, total, sums.squares], axis=-1),
            np.stack([rated, sums.by_rater], axis=1),
            np.eye(self.n_raters) * rated[:, None],
        )
        self.shared = _flat(
            2,
            np.stack([sizes**2 * sums.n, weighted, weighted, sums.square], axis=-1),
            np.stack([sizes[:, None] * sums.rated, sums.crossed], axis=2),
            sums.together,
        )

    def at(self, logs: Floats, which: Ints | None = None) -> tuple[_Bent, Floats]:
        """Minus twice the restricted log-likelihood, less a constant, and the rest's variance; of
        all samples or of `which` of them."""
        if which is not None and which.size < self.n.size:
            return self._of(which).at(logs)
        item, rater = np.exp(logs).T
        grown = 1 + item[:, None] * self.sizes
        parts = self._absorbed(item[:, None] / grown, grown)
        inverse = np.linalg.inv(np.eye(self.n_raters) + rater[:, None, None] * parts.between[0])
        products = _products(parts, inverse, rater[:, None, None])
        ones, ratings, shared = (_entry(products, *place) for place in ((0, 0), (1, 1), (0, 1)))
        determinant = ones.times(ratings).sum((-np.ones_like(self.n), shared.times(shared)))
        unexplained = determinant.value / ones.value / (self.n - 1)
        deviance = self._volume(parts, inverse, rater, grown).sum(
            (self.n - 1, determinant.log()), (2 - self.n, ones.log())
        )
        return deviance, unexplained

    def _of(self, which: Ints) -> _Likelihood:
        """Of some samples alone."""
        some = copy(self)
        for name in ("n_items", "n", "before", "shared"):
            setattr(some, name, getattr(self, name)[which])
        return some

    def _absorbed(self, shrink: Floats, grown: Floats) -> _Absorbed:
        slope = shrink / grown
        shrinks = np.stack([shrink, slope, slope * (2 / grown - 1)], axis=1)
        left = -shrinks @ self.shared
        left[:, 0] += self.before
        r, b = self.n_raters, len(left)
        each = np.split(left, [4, 4 + 2 * r], axis=-1)
        shapes = ((2, 2), (2, r), (r, r))
        return _Absorbed(
            *(
                np.moveaxis(part.reshape(b, 3, *shape), 1, 0)
                for part, shape in zip(each, shapes, strict=True)
            )
        )

    def _volume(self, parts: _Absorbed, inverse: Floats, rater: Floats, grown: Floats) -> _Bent:
        """log |H|."""
        _between, slope, bend = parts.between
        turned = inverse @ slope
        share = self.n_items * (1 - 1 / grown)
        trace = np.trace(inverse, axis1=1, axis2=2)
        both = rater * _inner(inverse, turned)
        of_items = rater * np.trace(turned, axis1=1, axis2=2)
        of_items_twice = rater * _inner(inverse, bend) - rater**2 * _inner(turned, _turned(turned))
        return _Bent(
            (self.n_items * np.log(grown)).sum(axis=1) - np.linalg.slogdet(inverse)[1],
            np.stack([share.sum(axis=1) + of_items, self.n_raters - trace], axis=1),
            _symmetric(
                (share / grown).sum(axis=1) + of_items_twice,
                both,
                trace - _inner(inverse, inverse),
            ),
        )


class _Absorbed(NamedTuple):
    """What is left without items, each with its first and second derivative by log(item / rest):
    (3, b, 2, 2), (3, b, 2, r), (3, b, r, r)."""

    products: Floats
    sums: Floats
    between: Floats


def _products(parts: _Absorbed, inverse: Floats, rater: Floats) -> _Bent:
    """P - rater S G S' with its derivatives: (b, 2, 2), each with further axes in front."""
    (plain, plain_i, plain_ii), (sums, sums_i, sums_ii) = parts.products, parts.sums
    _between, slope, bend = parts.between
    once = inverse @ _turned(sums)
    once_t, twice = _turned(once), inverse @ once
    left = _turned(sums_i) - rater * slope @ once
    left_t = _turned(left)
    lost = rater * once_t @ once
    return _Bent(
        plain - rater * sums @ once,
        np.stack(
            [plain_i - rater * _both(sums_i @ once) + rater**2 * once_t @ slope @ once, -lost]
        ),
        np.stack(
            [
                plain_ii
                - rater * _both(sums_ii @ once)
                + rater**2 * once_t @ bend @ once
                - 2 * rater * left_t @ inverse @ left,
                -rater * _both(left_t @ twice),
                lost - 2 * rater * once_t @ twice,
            ]
        ),
    )


def _entry(products: _Bent, row: int, column: int) -> _Bent:
    """One number of the products."""
    return _Bent(
        products.value[:, row, column],
        products.slope[..., row, column].T,
        _symmetric(*products.curvature[..., row, column]),
    )


def _flat(leading: int, *parts: Floats) -> Floats:
    """The parts beside each other, their axes after the leading ones as one."""
    return np.concatenate([part.reshape(*part.shape[:leading], -1) for part in parts], axis=-1)


def _symmetric(first: Floats, both: Floats, second: Floats) -> Floats:
    return np.stack([first, both, both, second], axis=-1).reshape(-1, 2, 2)


def _outer(one: Floats, other: Floats) -> Floats:
    return one[:, :, None] * other[:, None, :]


def _turned(matrices: Floats) -> Floats:
    return np.swapaxes(matrices, -1, -2)


def _both(matrices: Floats) -> Floats:
    return matrices + _turned(matrices)


def _inner(one: Floats, other: Floats) -> Floats:
    """Sums of the products of what stands in the same place, (b,)."""
    found: Floats = np.einsum("bij,bij->b", one, other)
    return found
