"""The same figures from published packages, to hold ours against.

pingouin and krippendorff take seconds to load and hundreds of megabytes, scikit-learn and
statsmodels come with pingouin: they are imported when somebody asks, never when a page starts.
"""

import warnings
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from importlib.metadata import version
from statistics import fmean
from typing import Literal, NamedTuple

import numpy as np
from django.utils.translation import gettext_noop

from analytics.frames import pd
from analytics.stats.scales import Floats

NO_PACKAGE = gettext_noop(
    "None of the packages here computes this; it is tested against published values instead."
)
REFUSES = gettext_noop("The package refuses these ratings with an error.")
NO_NUMBER = gettext_noop("The package gives no number for these ratings.")


class PackageFigure(NamedTuple):
    """What a package makes of the same ratings; `reason` says why where `value` is None."""

    package: str
    value: float | None
    reason: str = ""

    @property
    def version(self) -> str:
        return version(self.package) if self.package else ""


class Ratings:
    """Ratings (n, k), NaN where missing, on the points of a scale; of two columns the second is
    the judge: bias is second less first."""

    def __init__(self, values: Floats, points: tuple[float, ...]) -> None:
        self.values = values
        self.points = points

    @cached_property
    def complete(self) -> Floats:
        """Items rated by every rater who has any rating."""
        present = self.values[:, ~np.isnan(self.values).all(axis=0)]
        return present[~np.isnan(present).any(axis=1)]

    @cached_property
    def differences(self) -> Floats:
        x, y = self.complete.T
        return np.asarray(y - x)

    @cached_property
    def counts(self) -> Floats:
        """How often each item, (n, q), was rated at each point."""
        counts: Floats = (self.values[:, :, None] == np.array(self.points)).sum(axis=1)
        return counts

    @cached_property
    def iccs(self) -> "pd.Series[float]":
        """pingouin's, by its name of the form: one call makes all six."""
        import pingouin  # noqa: PLC0415 -- takes seconds to load

        n, k = self.complete.shape
        long = pd.DataFrame(
            {
                "item": np.repeat(np.arange(n), k),
                "rater": np.tile(np.arange(k), n),
                "rating": self.complete.ravel(),
            }
        )
        found = pingouin.intraclass_corr(long, targets="item", raters="rater", ratings="rating")
        iccs: pd.Series[float] = found.set_index("Type")["ICC"]
        return iccs


Compute = Callable[[Ratings], float]


def references(
    statistics: Iterable[str], values: Floats, points: tuple[float, ...]
) -> Iterator[tuple[str, PackageFigure]]:
    """Recompute each statistic from ratings (n, k), NaN where missing."""
    ratings = Ratings(values, points)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for statistic in statistics:
            yield statistic, _reference(statistic, ratings)


def mean(figures: Iterable[PackageFigure]) -> PackageFigure:
    """The mean of what a package makes of several runs; none where one has no value."""
    found = list(figures)
    values = [one.value for one in found if one.value is not None]
    if len(values) < len(found):
        return next(one for one in found if one.value is None)
    return found[0]._replace(value=fmean(values))


def _reference(statistic: str, ratings: Ratings) -> PackageFigure:
    if statistic not in _KNOWN:
        return PackageFigure("", None, NO_PACKAGE)
    package, compute = _KNOWN[statistic]
    try:
        value = float(compute(ratings))
    except (AssertionError, ValueError, ZeroDivisionError):
        return PackageFigure(package, None, REFUSES)
    return (
        PackageFigure(package, value)
        if np.isfinite(value)
        else PackageFigure(package, None, NO_NUMBER)
    )


def _alpha(level: Literal["nominal", "ordinal", "interval"]) -> Compute:
    def compute(ratings: Ratings) -> float:
        import krippendorff  # noqa: PLC0415 -- loaded only where somebody asks

        return krippendorff.alpha(
            reliability_data=ratings.values.T,
            level_of_measurement=level,
            value_domain=list(ratings.points),
        )

    return compute


def _kappa(weights: str | None) -> Compute:
    def compute(ratings: Ratings) -> float:
        from sklearn.metrics import cohen_kappa_score  # noqa: PLC0415 -- comes with pingouin

        x, y = ratings.complete.T
        # scikit-learn weighs by place in the list: without gaps that is by value.
        labels = np.arange(round(ratings.points[0]), round(ratings.points[-1]) + 1)
        kappa = cohen_kappa_score(x.astype(int), y.astype(int), labels=labels, weights=weights)
        return float(kappa)

    return compute


def _fleiss(ratings: Ratings) -> float:
    from statsmodels.stats.inter_rater import fleiss_kappa  # noqa: PLC0415 -- comes with pingouin

    sizes = ratings.counts.sum(axis=1)
    found, often = np.unique(sizes[sizes >= 2], return_counts=True)
    return float(fleiss_kappa(ratings.counts[sizes == found[often == often.max()].max()]))


def _accuracy_score(name: str) -> Compute:
    def compute(ratings: Ratings) -> float:
        from sklearn import metrics  # noqa: PLC0415 -- comes with pingouin

        gold, rated = ratings.complete.T.astype(int)
        if name == "accuracy":
            return float(metrics.accuracy_score(gold, rated))
        place = {"precision": 0, "recall": 1, "f1": 2}[name]
        found = metrics.precision_recall_fscore_support(
            gold, rated, average="weighted", zero_division=0
        )
        return float(found[place])

    return compute


def _correlation(name: str) -> Compute:
    def compute(ratings: Ratings) -> float:
        from scipy import stats  # noqa: PLC0415 -- takes a second to load

        x, y = ratings.complete.T
        return float(getattr(stats, name)(x, y).statistic)

    return compute


def _concordance(ratings: Ratings) -> float:
    """Lin (1989), moments over n."""
    x, y = ratings.complete.T
    together = np.cov(x, y, bias=True)
    return float(2 * together[0, 1] / (np.trace(together) + (x.mean() - y.mean()) ** 2))


def _exact(ratings: Ratings) -> float:
    """Mean over items of the share of pairs of ratings that are equal."""
    sizes = ratings.counts.sum(axis=1)
    paired = sizes >= 2
    equal = (ratings.counts * (ratings.counts - 1)).sum(axis=1)[paired]
    return float((equal / (sizes * (sizes - 1))[paired]).mean())


def _within_one(ratings: Ratings) -> float:
    places = np.searchsorted(ratings.points, ratings.complete)
    return float((np.abs(places[:, 1] - places[:, 0]) <= 1).mean())


def _limit(sign: int) -> Compute:
    """Of agreement, Bland & Altman (1986)."""

    def compute(ratings: Ratings) -> float:
        from scipy import stats  # noqa: PLC0415 -- takes a second to load

        reach = stats.norm.ppf(0.975) * ratings.differences.std(ddof=1)
        return float(ratings.differences.mean() + sign * reach)

    return compute


_ICCS = {
    "icc_11": "ICC(1,1)",
    "icc_a1": "ICC(A,1)",
    "icc_c1": "ICC(C,1)",
    "icc_1k": "ICC(1,k)",
    "icc_ak": "ICC(A,k)",
    "icc_ck": "ICC(C,k)",
}


def _icc(form: str) -> Compute:
    return lambda ratings: float(ratings.iccs[form])


_KNOWN: dict[str, tuple[str, Compute]] = {
    **{name: ("pingouin", _icc(form)) for name, form in _ICCS.items()},
    **{
        f"alpha_{level}": ("krippendorff", _alpha(level))
        for level in ("nominal", "ordinal", "interval")
    },
    "kappa": ("scikit-learn", _kappa(None)),
    "kappa_linear": ("scikit-learn", _kappa("linear")),
    "kappa_quadratic": ("scikit-learn", _kappa("quadratic")),
    "fleiss": ("statsmodels", _fleiss),
    **{
        name: ("scikit-learn", _accuracy_score(name))
        for name in ("accuracy", "precision", "recall", "f1")
    },
    "pearson": ("scipy", _correlation("pearsonr")),
    "spearman": ("scipy", _correlation("spearmanr")),
    "kendall_b": ("scipy", _correlation("kendalltau")),
    "ccc": ("numpy", _concordance),
    "bias": ("numpy", lambda ratings: ratings.differences.mean()),
    "mae": ("numpy", lambda ratings: np.abs(ratings.differences).mean()),
    "mse": ("numpy", lambda ratings: (ratings.differences**2).mean()),
    "rmse": ("numpy", lambda ratings: np.sqrt((ratings.differences**2).mean())),
    "loa_low": ("scipy", _limit(-1)),
    "loa_high": ("scipy", _limit(1)),
    "exact": ("numpy", _exact),
    "within_one": ("numpy", _within_one),
    "mean_x": ("numpy", lambda ratings: ratings.complete[:, 0].mean()),
    "mean_y": ("numpy", lambda ratings: ratings.complete[:, 1].mean()),
}
