"""Which statistics suit a level of measurement, and what they are called."""

from dataclasses import dataclass, replace

from django.utils.translation import gettext_lazy as _

from analytics.stats import pairs, panels
from annotation.rubric.schema import Measurement


@dataclass(frozen=True, slots=True, kw_only=True)
class Suited:
    """Statistics of `analytics.stats` for a whole panel, for two raters, and against gold.

    `families` gives a statistic of each kind the same place on a page: {family: (of a panel, of
    two raters)}. The first of `leading` that is defined heads the figures of the criterion.
    """

    panel: tuple[str, ...]
    pair: tuple[str, ...]
    gold: tuple[str, ...] = ()
    families: dict[str, tuple[str, str]]
    leading: tuple[str, ...]

    @property
    def at_a_glance(self) -> "Suited":
        """What pages tell of a comparison that is one of many: a statistic of each family."""
        of_panel, of_pair = map(set, zip(*self.families.values(), strict=True))
        return replace(
            self,
            panel=tuple(name for name in self.panel if name in of_panel or name in _ROTATING),
            pair=tuple(name for name in self.pair if name in of_pair),
            gold=tuple(name for name in self.gold if name in _OF_GOLD_AT_A_GLANCE),
        )


FAMILIES = ("kappa", "alpha", "icc_a1", "icc_c1", "bias", "exact")

_ROTATING = ("icc_a1_reml", "icc_c1_reml")
_OF_GOLD_AT_A_GLANCE = ("accuracy",)

_LABELS = Suited(
    panel=("fleiss", "alpha_nominal", "ac1", "exact"),
    pair=("kappa", "alpha_nominal", "ac1", "exact"),
    gold=("accuracy", "precision", "recall", "f1"),
    families={
        "kappa": ("fleiss", "kappa"),
        "alpha": ("alpha_nominal", "alpha_nominal"),
        "exact": ("exact", "exact"),
    },
    leading=("kappa",),
)

_SUITED: dict[Measurement, Suited] = {
    Measurement.NOMINAL: _LABELS,
    Measurement.BINARY: Suited(
        panel=(*_LABELS.panel, "icc_a1", "icc_c1", *_ROTATING),
        pair=(*_LABELS.pair, "icc_a1", "icc_c1", "bias"),
        gold=_LABELS.gold,
        families=_LABELS.families
        | {"icc_a1": ("icc_a1", "icc_a1"), "icc_c1": ("icc_c1", "icc_c1"), "bias": ("", "bias")},
        leading=("kappa",),
    ),
    Measurement.ORDINAL: Suited(
        panel=(
            "fleiss",
            "alpha_ordinal",
            "alpha_interval",
            "icc_a1",
            "icc_c1",
            *_ROTATING,
            "ac2",
            "exact",
        ),
        pair=(
            "kappa",
            "kappa_quadratic",
            "alpha_ordinal",
            "alpha_interval",
            "icc_a1",
            "icc_c1",
            "ac2",
            "exact",
            "within_one",
            "bias",
            "mae",
        ),
        families={
            "kappa": ("fleiss", "kappa"),
            "alpha": ("alpha_ordinal", "alpha_ordinal"),
            "icc_a1": ("icc_a1", "icc_a1"),
            "icc_c1": ("icc_c1", "icc_c1"),
            "bias": ("", "bias"),
            "exact": ("exact", "exact"),
        },
        leading=("icc_a1", "alpha"),
    ),
}

# The mean or sum of several criteria has too many points for labels to agree by chance.
_SUMMARY = Suited(
    panel=("alpha_interval", "icc_a1", "icc_c1", *_ROTATING),
    pair=("alpha_interval", "icc_a1", "icc_c1", "bias", "mae"),
    families={
        "alpha": ("alpha_interval", "alpha_interval"),
        "icc_a1": ("icc_a1", "icc_a1"),
        "icc_c1": ("icc_c1", "icc_c1"),
        "bias": ("", "bias"),
    },
    leading=("icc_a1", "alpha"),
)


_MORE_OF_SCORES = ("ccc", "pearson", "spearman", "kendall_b", "mse", "rmse", "loa_low", "loa_high")
_ICCS = ("icc_11", "icc_ak", "icc_ck", "icc_1k")


def whole(measurement: Measurement, *, is_group: bool, is_panel: bool) -> tuple[str, ...]:
    """Every statistic that can be told of a criterion, those that suit it best first."""
    best = suited(measurement, is_group=is_group)
    if is_group:
        more = _ICCS if is_panel else (*_ICCS, *_MORE_OF_SCORES)
    else:
        known = panels.SUITED if is_panel else pairs.SUITED
        iccs = _ICCS if is_panel and measurement is not Measurement.NOMINAL else ()
        more = (*known[measurement.value], *iccs)
    first = best.panel if is_panel else best.pair
    return tuple(dict.fromkeys((*first, *more)))


def suited(measurement: Measurement, *, is_group: bool = False) -> Suited:
    """What suits a criterion, or the mean or sum of a group of them."""
    return _SUMMARY if is_group else _SUITED[measurement]


FAMILY_NAMES = {
    "kappa": _("κ"),
    "alpha": _("α"),
    "icc_a1": _("ICC(A,1)"),
    "icc_c1": _("ICC(C,1)"),
    "bias": _("Bias"),
    "exact": _("Exact agreement"),
}

NAMES = {
    "fleiss": _("Fleiss’ κ"),
    "kappa": _("Cohen’s κ"),
    "kappa_quadratic": _("Cohen’s κ, quadratic weights"),
    "alpha_nominal": _("Krippendorff’s α, nominal"),
    "alpha_ordinal": _("Krippendorff’s α, ordinal"),
    "alpha_interval": _("Krippendorff’s α, interval"),
    "icc_a1": _("ICC(A,1), agreement"),
    "icc_c1": _("ICC(C,1), consistency"),
    "icc_a1_reml": _("ICC(A,1), agreement, from variance components"),
    "icc_c1_reml": _("ICC(C,1), consistency, from variance components"),
    "icc_11": _("ICC(1,1), one-way"),
    "icc_ak": _("ICC(A,k), agreement of the mean"),
    "icc_ck": _("ICC(C,k), consistency of the mean"),
    "icc_1k": _("ICC(1,k), one-way, of the mean"),
    "ccc": _("Lin’s concordance"),
    "pearson": _("Pearson’s r"),
    "spearman": _("Spearman’s ρ"),
    "kendall_b": _("Kendall’s τ-b"),
    "mse": _("Mean squared difference (MSE)"),
    "rmse": _("Root mean square difference"),
    "loa_low": _("Lower limit of agreement"),
    "loa_high": _("Upper limit of agreement"),
    "kappa_linear": _("Cohen’s κ, linear weights"),
    "fleiss_varying": _("Fleiss’ κ, any number of ratings an item"),
    "conger": _("Conger’s κ"),
    "ac1": _("Gwet’s AC1"),
    "ac2": _("Gwet’s AC2, quadratic weights"),
    "exact": _("Exact agreement"),
    "divergence": _("Pairs that part here"),
    "within_one": _("Agreement within one point"),
    "bias": _("Bias"),
    "mae": _("Mean absolute difference"),
    "accuracy": _("Accuracy"),
    "precision": _("Precision, weighted by label"),
    "recall": _("Recall, weighted by label"),
    "f1": _("F1, weighted by label"),
    "mean_x": _("Mean of people"),
    "mean_y": _("Mean of the judge"),
    "powered_mean": _("Mean by people and judge, PPI++"),
    "powered_share": _("Share by people and judge, PPI++"),
    "share_people": _("Share by people"),
    "share_judge": _("Share by the judge"),
    "gain": _("Worth of the judge, times the ratings of people"),
    "apart": _("Judge’s mean on rated minus other items"),
    "mae_change": _("Change of the mean absolute difference"),
    "icc_a1_change": _("Change of ICC(A,1)"),
    "slope": _("Slope of the difference on the mean"),
    "sd": _("Standard deviation of the differences"),
    "gap": _("Judge minus people"),
    "sensitivity": _("Sensitivity"),
    "specificity": _("Specificity"),
    "ppv": _("Positive predictive value"),
    "npv": _("Negative predictive value"),
    "prevalence": _("Prevalence"),
    "flagged": _("Flagged by the judge"),
    "unscored": _("Without a value"),
    "share_won": _("Share won"),
    "share_first": _("Of those preferred the first"),
    "share_higher": _("Of those moved, higher as the first"),
    "unscored_difference": _("Without a value: where people differ, minus where they agree"),
    "cost": _("Cost of a thousand items"),
    "residual": _("Newest run minus first run"),
    "difference": _("Difference"),
    "difference_of_shares": _("Difference, in percentage points"),
    "share_of_ceiling": _("Share of the ceiling"),
    "advantage": _("ρ, advantage probability"),
    "shortfall": _("Behind the person"),
    "sd_human": _("Standard deviation of people"),
    "sd_judge": _("Standard deviation of the judge"),
    "sd_ratio": _("Spread, judge over people"),
    "top_human": _("Top of the scale, people"),
    "top_judge": _("Top of the scale, judge"),
    "top_difference": _("Top of the scale, judge minus people"),
    "halo": _("Halo index"),
    "halo_difference": _("Halo index, judge minus people"),
    "per_doubling": _("Points more for twice the length"),
    "own_gap": _("Own family minus others, the judge"),
    "peers_gap": _("Own family minus others, its peers"),
    "self_preference": _("Self-preference"),
    "flip_rate": _("Flip rate"),
    "unanimous": _("Always the same answer"),
    "entropy": _("Entropy of the answers, bits"),
    "severity": _("Severity"),
    "same_as_others": _("Gives the same as another person"),
    "same_or_defensible": _("Gives the same, or one that either would defend"),
    "told_apart": _("Differs as the item allows"),
    "change_a_week": _("Change a week"),
    "same_again": _("Gives the same again"),
    "shift_again": _("Second time minus first"),
}

# Beside the consensus of people a statistic has another value than beside each of them.
_WITH_CONSENSUS = {
    "icc_a1": _("ICC(A,1) with the consensus"),
    "icc_c1": _("ICC(C,1) with the consensus"),
    "ccc": _("Lin’s concordance with the consensus"),
    "pearson": _("Pearson’s r with the consensus"),
    "mae": _("Mean absolute difference from the consensus"),
    "mse": _("Mean squared difference from the consensus (MSE)"),
    "rmse": _("Root mean square difference from the consensus"),
    "kappa": _("Cohen’s κ with the consensus"),
    "alpha_nominal": _("Krippendorff’s α with the consensus, nominal"),
    "ac1": _("Gwet’s AC1 with the consensus"),
    "exact": _("Exact agreement with the consensus"),
}
NAMES |= {f"{name}_consensus": called for name, called in _WITH_CONSENSUS.items()}

# Shares are shown in percent; differences carry their sign.
_OF_FLAGS = {"sensitivity", "specificity", "ppv", "npv", "prevalence", "flagged", "unscored"}
_OF_RATERS = {"same_as_others", "same_or_defensible", "told_apart", "same_again"}
_OF_JUDGES = {"share_of_ceiling", "advantage", "top_human", "top_judge", "halo"}
_OF_REPEATS = {"flip_rate", "unanimous"}
_OF_PAIRS = {"share_won", "share_first", "share_higher"}
# Of so many items: such a share gives back of how many it is.
COUNTED = frozenset(_OF_FLAGS - {"unscored"} | _OF_PAIRS)
DIFFERENCES = ("bias", "sd", "mse", "loa_low", "loa_high", "slope")  # of Bland and Altman
_OF_DIFFERENCES = {
    "difference_of_shares",
    "shortfall",
    "top_difference",
    "halo_difference",
    "unscored_difference",
}
_LEANINGS = {"difference", "per_doubling", "own_gap", "peers_gap", "self_preference"}
_POWERED = {"powered_share", "share_people", "share_judge"}
_OF_CALIBRATION = {"apart", "mae_change", "icc_a1_change"}
SHARES = frozenset(
    {
        "exact",
        "exact_consensus",
        "divergence",
        "within_one",
        "accuracy",
        "precision",
        "recall",
        "f1",
    }
    | _OF_FLAGS
    | _OF_RATERS
    | _OF_JUDGES
    | _OF_REPEATS
    | _OF_PAIRS
    | _OF_DIFFERENCES
    | _POWERED
)
SIGNED = frozenset(
    {
        "loa_low",
        "loa_high",
        "bias",
        "gap",
        "slope",
        "severity",
        "change_a_week",
        "shift_again",
        "residual",
    }
    | _OF_DIFFERENCES
    | _LEANINGS
    | _OF_CALIBRATION
)
