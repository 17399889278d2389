"""What symbols and statistics mean: one sentence each, for every page and for the glossary."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """`symbol` as it stands on pages."""

    key: str
    symbol: Promise
    sentence: Promise


_ENTRIES = (
    Entry(
        key="kappa",
        symbol=_("κ"),
        sentence=_(
            "Kappa: how often raters give the same answer, beyond what chance alone would bring; 0 "
            "is chance, 1 is always."
        ),
    ),
    Entry(
        key="alpha",
        symbol=_("α"),
        sentence=_(
            "Krippendorff’s alpha: agreement beyond chance for any number of raters, also where "
            "ratings are missing; 0 is chance, 1 is always."
        ),
    ),
    Entry(
        key="icc_a1",
        symbol=_("ICC(A,1)"),
        sentence=_(
            "Whether single raters give the same values: a rater who is always one point higher "
            "lowers it; 1 is perfect."
        ),
    ),
    Entry(
        key="icc_c1",
        symbol=_("ICC(C,1)"),
        sentence=_(
            "Whether single raters put items in the same order and equally far apart: a rater "
            "who is always one point higher does not lower it, a rater who spreads the items "
            "wider does."
        ),
    ),
    Entry(
        key="icc_ak",
        symbol=_("ICC(A,k)"),
        sentence=_(
            "The same as ICC(A,1) for the mean of k raters: it is higher, for errors of several "
            "raters cancel out."
        ),
    ),
    Entry(
        key="ac",
        symbol=_("AC1, AC2"),
        sentence=_(
            "Gwet’s coefficients: agreement beyond chance, with chance taken to be small; where "
            "a label is rare they look good even for a judge that never gives it."
        ),
    ),
    Entry(
        key="exact",
        symbol=_("Exact agreement"),
        sentence=_("The share of ratings that are the same, chance included."),
    ),
    Entry(
        key="bias",
        symbol=_("Bias"),
        sentence=_("The mean difference, judge minus people, in points of the scale; 0 is none."),
    ),
    Entry(
        key="sensitivity",
        symbol=_("Sensitivity"),
        sentence=_("Of the items that people flag, the share that the judge flags too."),
    ),
    Entry(
        key="specificity",
        symbol=_("Specificity"),
        sentence=_("Of the items that people do not flag, the share that the judge lets pass."),
    ),
    Entry(
        key="latent",
        symbol=_("Beside a truth that nobody knows"),
        sentence=_(
            "A latent class model: the sensitivity and specificity that explain best how all raters "
            "flag, where nobody, gold included, is taken for the truth; three raters or more have "
            "to err independently of each other."
        ),
    ),
    Entry(
        key="omega",
        symbol=_("ω"),
        sentence=_(
            "Winning rate of the alternative annotator test: the share of people whom the judge "
            "is shown to trail by less than ε; at least half is asked."
        ),
    ),
    Entry(
        key="epsilon",
        symbol=_("ε"),
        sentence=_(
            "How far a judge may fall behind a person in the alternative annotator test, because "
            "it is cheaper."
        ),
    ),
    Entry(
        key="rho",
        symbol=_("ρ"),
        sentence=_(
            "Advantage probability: how often the judge is at least as close to the other people "
            "as the person it is compared with."
        ),
    ),
    Entry(
        key="n",
        symbol=_("n"),
        sentence=_("On how many items a figure rests, and in brackets on how many pairs."),
    ),
    Entry(
        key="interval",
        symbol=_("Interval"),
        sentence=_(
            "If this were done again and again with other dialogues of the same kind, 95 of 100 "
            "such intervals would contain the true figure."
        ),
    ),
)
ENTRIES: Mapping[str, Entry] = {entry.key: entry for entry in _ENTRIES}
_OF_STATISTICS: Mapping[str, str] = {
    "fleiss": "kappa",
    "kappa_quadratic": "kappa",
    "kappa_linear": "kappa",
    "fleiss_varying": "kappa",
    "conger": "kappa",
    "alpha_nominal": "alpha",
    "alpha_ordinal": "alpha",
    "alpha_interval": "alpha",
    "icc_a1_reml": "icc_a1",
    "icc_c1_reml": "icc_c1",
    "ac1": "ac",
    "ac2": "ac",
    "advantage": "rho",
}
SYMBOLS: Mapping[str, str] = {
    "κ": "kappa",
    "α": "alpha",
    "ICC(A,1)": "icc_a1",
    "ICC(C,1)": "icc_c1",
    "ICC(A,k)": "icc_ak",
    "AC1": "ac",
    "AC2": "ac",
    "ω": "omega",
    "ε": "epsilon",
    "ρ": "rho",
}
A_SYMBOL = re.compile("|".join(map(re.escape, SYMBOLS)))


def spoken_of(texts: Iterable[str]) -> list[Entry]:
    """What explains the symbols that stand in texts, each once, in the order of the glossary."""
    keys = {SYMBOLS[symbol] for text in texts for symbol in A_SYMBOL.findall(text)}
    return [entry for key, entry in ENTRIES.items() if key in keys]


def entry_of(statistic: str) -> Entry | None:
    """What explains a statistic, or the column that is called like one."""
    return ENTRIES.get(_OF_STATISTICS.get(statistic, statistic))
