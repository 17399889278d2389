"""The same figures from published packages, to hold ours against.

pingouin and krippendorff take seconds to load and hundreds of megabytes, scikit-learn and
statsmodels come with pingouin: they are imported when somebody asks, never when a page starts.
"""

import warnings
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import pandas as pd

from analytics.stats.scales import Floats


class Reference(NamedTuple):
    """What a package makes of the same ratings; None where it returns or raises nothing usable."""

    package: str
    value: float | None


def reference(statistic: str, values: Floats, points: tuple[float, ...]) -> Reference | None:
    """Recompute a statistic from ratings (n, k), NaN where missing; None where no package has it.

    Of two columns the second is the judge: bias is second less first.
    """
    known = _KNOWN.get(statistic)
    if known is None:
        return None
    package, compute = known
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            value = float(compute(values, points))
        except (AssertionError, ValueError, ZeroDivisionError):
            return Reference(package, None)
    return Reference(package, value if np.isfinite(value) else None)


def _complete(values: Floats) -> Floats:
    """Items rated by every rater who has any rating."""
    present = values[:, ~np.isnan(values).all(axis=0)]
    return present[~np.isnan(present).any(axis=1)]


def _icc(form: str) -> Callable[[Floats, tuple[float, ...]], float]:
    def compute(values: Floats, points: tuple[float, ...]) -> float:
        import pingouin  # noqa: PLC0415 -- takes seconds to load

        complete = _complete(values)
        n, k = complete.shape
        long = pd.DataFrame(
            {
                "item": np.repeat(np.arange(n), k),
                "rater": np.tile(np.arange(k), n),
                "rating": complete.ravel(),
            }
        )
        found = pingouin.intraclass_corr(long, targets="item", raters="rater", ratings="rating")
        return found.set_index("Type")["ICC"][form]

    return compute


def _alpha(level: str) -> Callable[[Floats, tuple[float, ...]], float]:
    def compute(values: Floats, points: tuple[float, ...]) -> float:
        import krippendorff  # noqa: PLC0415 -- loaded only where somebody asks

        return krippendorff.alpha(
            reliability_data=values.T, level_of_measurement=level, value_domain=list(points)
        )

    return compute


def _kappa(weights: str | None) -> Callable[[Floats, tuple[float, ...]], float]:
    def compute(values: Floats, points: tuple[float, ...]) -> float:
        from sklearn.metrics import cohen_kappa_score  # noqa: PLC0415 -- comes with pingouin

        x, y = _complete(values).T
        # scikit-learn weighs by place in the list: without gaps that is by value.
        labels = np.arange(round(points[0]), round(points[-1]) + 1)
        return cohen_kappa_score(x.astype(int), y.astype(int), labels=labels, weights=weights)

    return compute


def _fleiss(values: Floats, points: tuple[float, ...]) -> float:
    from statsmodels.stats.inter_rater import fleiss_kappa  # noqa: PLC0415 -- comes with pingouin

    counts = (values[:, :, None] == np.array(points)).sum(axis=1)
    sizes = counts.sum(axis=1)
    found, often = np.unique(sizes[sizes >= 2], return_counts=True)
    return fleiss_kappa(counts[sizes == found[often == often.max()].max()])


def _accuracy_score(name: str) -> Callable[[Floats, tuple[float, ...]], float]:
    def compute(values: Floats, points: tuple[float, ...]) -> float:
        from sklearn import metrics  # noqa: PLC0415 -- comes with pingouin

        gold, rated = _complete(values).T.astype(int)
        if name == "accuracy":
            return metrics.accuracy_score(gold, rated)
        place = {"precision": 0, "recall": 1, "f1": 2}[name]
        found = metrics.precision_recall_fscore_support(
            gold, rated, average="weighted", zero_division=0
        )
        return found[place]

    return compute


def _differences(values: Floats) -> Floats:
    x, y = _complete(values).T
    return y - x


def _exact(values: Floats, points: tuple[float, ...]) -> float:
    """Mean over items of the share of pairs of ratings that are equal."""
    counts = (values[:, :, None] == np.array(points)).sum(axis=1)
    sizes = counts.sum(axis=1)
    paired = sizes >= 2
    equal = (counts * (counts - 1)).sum(axis=1)[paired]
    return (equal / (sizes * (sizes - 1))[paired]).mean()


def _within_one(values: Floats, points: tuple[float, ...]) -> float:
    places = np.searchsorted(points, _complete(values))
    return (np.abs(places[:, 1] - places[:, 0]) <= 1).mean()


_KNOWN: dict[str, tuple[str, Callable[[Floats, tuple[float, ...]], float]]] = {
    "icc_a1": ("pingouin", _icc("ICC(A,1)")),
    "icc_c1": ("pingouin", _icc("ICC(C,1)")),
    "alpha_nominal": ("krippendorff", _alpha("nominal")),
    "alpha_ordinal": ("krippendorff", _alpha("ordinal")),
    "alpha_interval": ("krippendorff", _alpha("interval")),
    "kappa": ("scikit-learn", _kappa(None)),
    "kappa_quadratic": ("scikit-learn", _kappa("quadratic")),
    "fleiss": ("statsmodels", _fleiss),
    **{
        name: ("scikit-learn", _accuracy_score(name))
        for name in ("accuracy", "precision", "recall", "f1")
    },
    "bias": ("numpy", lambda values, points: _differences(values).mean()),
    "mae": ("numpy", lambda values, points: np.abs(_differences(values)).mean()),
    "exact": ("numpy", _exact),
    "within_one": ("numpy", _within_one),
}
