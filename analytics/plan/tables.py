"""What a narrower interval takes: more items, more raters, more flagged items."""

from collections.abc import Iterator
from math import ceil

from django.utils.translation import gettext as _

from analytics.measures import SHARES
from analytics.plan import words
from analytics.plan.goals import Goals, goals
from analytics.plan.numbers import AgreementNow, PlanReport, PositivesNow
from analytics.present.basis import TableBasis
from analytics.present.naming import Naming
from analytics.present.tables import (
    Column,
    Dressed,
    Line,
    Plain,
    Table,
    Told,
    by_judge,
    count,
    named,
    table,
)
from analytics.present.words import cut_name, short_name
from analytics.safety.numbers import usual_cut
from analytics.stats.estimates import Estimate
from analytics.stats.generalisability import VarianceShares
from analytics.stats.planning import (
    items_for_icc,
    needed_for_width,
    positives_for_share,
    raters_for_icc,
    raters_for_mean,
)

RELIABILITY = 0.8


def tables(basis: TableBasis) -> Iterator[Table]:
    """Every table of this part, for what the reader plans for."""
    chosen = goals(basis.choices)
    yield agreement(basis.report, basis.naming, chosen)
    yield positives(basis.report, basis.naming, chosen)
    yield variance(basis.report, basis.naming)


def agreement(report: PlanReport, naming: Naming, goals: Goals) -> Table:
    """What the width takes, a line a comparison."""
    width = goals.width.value
    return table(
        "plan",
        _("What an interval of width %(width)s takes") % {"width": f"{width:g}"},
        _(
            "Items in all: by the width of the present interval, which shrinks with the root of "
            "the number of dialogues; and by Bonett’s formula (2002) from ICC(A,1) and the "
            "raters of an item, as if items stood alone. Raters: how many it takes on the "
            "present items. Raters for a mean: how many it takes until their mean has a "
            "reliability of %(reliability)s (Spearman-Brown)."
        )
        % {"reliability": f"{RELIABILITY:g}"},
        about=[
            Column("criterion", _("Criterion")),
            Column("who", _("Who")),
            Column("statistic_of", _("Statistic")),
        ],
        columns=[
            Column("now", _("Now")),
            Column("width", _("Width")),
            Column("items", _("Items")),
            Column("items_by_bonett", _("Items, Bonett")),
            Column("raters", _("Raters")),
            Column("raters_for_mean", _("Raters for a mean")),
            Column("it_takes", _("It takes"), is_words=True),
        ],
        lines=(
            Line(
                about=(
                    naming.criterion(one.criterion),
                    _who(one.judge, naming, _("%(judge)s and people")),
                    Plain(short_name(one.estimate.statistic), one.estimate.statistic),
                ),
                values=_of_agreement(one, width),
            )
            for line in report.criteria
            for one in report.agreement
            if one.criterion == line.key
        ),
    )


def positives(report: PlanReport, naming: Naming, goals: Goals) -> Table:
    """What it takes to know how many flagged items a judge misses."""
    screened = {one.line.key: one for one in report.screened}
    return table(
        "plan_positives",
        _("What it takes to know sensitivity to within %(reach)s")
        % {"reach": f"±{goals.reach.value:g}"},
        _(
            "Flagged items at the usual cut of the criterion, in all; and whether a share of "
            "misses of %(miss)s can be ruled out by items without a miss."
        )
        % {"miss": f"{goals.miss.value:g}"},
        about=[*by_judge(), Column("cut", _("Flagged is"))],
        columns=[
            *named(["sensitivity"]),
            Column("flagged", _("Seen")),
            Column("missed", _("Missed")),
            Column("needed", _("Flagged items in all")),
            Column("it_takes", _("It takes"), is_words=True),
            Column("no_miss", _("Without a miss"), is_words=True),
        ],
        lines=(
            Line(
                about=(
                    naming.criterion(one.criterion),
                    naming.rater(one.judge),
                    Plain(cut_name(naming.rubric, screened[one.criterion], cut), cut.key),
                ),
                values=_of_positives(one, goals),
            )
            for one in report.positives
            for cut in [usual_cut(screened[one.criterion])]
        ),
        counts=False,
    )


def variance(report: PlanReport, naming: Naming) -> Table:
    """Whose the variance is, and what the mean of several would be worth."""
    return table(
        "plan_variance",
        _("Whose the variance of ratings is"),
        _(
            "How the variance of single ratings divides: between generators, between items, "
            "between people (or a judge’s runs), what one of them sees differently in one item "
            "(items × people), and the rest. Where nobody rated an item twice, the last two "
            "cannot be parted and stand in the rest. Dependability: how surely one rating, or "
            "the mean of three people or runs, says where an item stands; and how many it takes "
            "for %(reliability)s. Components by restricted maximum likelihood, whether or not "
            "ratings are missing; no intervals."
        )
        % {"reliability": f"{RELIABILITY:g}"},
        about=[Column("criterion", _("Criterion")), Column("who", _("Who"))],
        columns=[
            Column("generators", _("Generators")),
            Column("items", _("Items")),
            Column("raters", _("People or runs")),
            Column("by_item", _("Items × people")),
            Column("rest", _("Rest")),
            Column("dependability_one", _("Dependability of one")),
            Column("dependability_three", _("Of the mean of three")),
            Column("raters_for_mean", _("It takes, for the mean")),
            Column("n_items", _("Items rated")),
            Column("n_ratings", _("Ratings")),
        ],
        lines=(
            Line(
                about=(
                    naming.criterion(one.criterion),
                    _who(one.judge, naming, _("%(judge)s asked again")),
                ),
                values=_of_variance(one.shares),
            )
            for one in report.variance
        ),
        counts=False,
    )


def _of_variance(shares: VarianceShares) -> tuple[Told, ...]:
    parts = (shares.generators, shares.items, shares.severity, shares.by_item, shares.rest)
    needed, rests_on = shares.raters_for(RELIABILITY), (shares.n_items,)
    return (
        *(
            None
            if part is None
            else Plain(words.percent(share := part / shares.total), share, rests_on)
            for part in parts
        ),
        *(
            Plain(f"{value:.2f}", value, rests_on)
            for value in (shares.dependability(), shares.dependability(n_raters=3))
        ),
        None if needed is None else count(needed, rests_on),
        count(shares.n_items, rests_on),
        count(shares.n_ratings, rests_on),
    )


def _who(judge: int | None, naming: Naming, of_judge: str) -> Plain:
    """People among themselves, or a judge in these words."""
    if judge is None:
        return Plain(_("People among themselves"), "people")
    named = naming.rater(judge)
    return Plain(of_judge % {"judge": named.text}, named.exact)


def _of_agreement(one: AgreementNow, width: float) -> tuple[Told, ...]:
    needed = needed_for_width(one.estimate, width)
    is_reached = needed is not None and not needed.more_items
    rests_on = (one.estimate.n_items,)
    takes = Plain(words.it_takes(one, needed), needed and needed.more_items, rests_on)
    return (
        one.estimate,
        _width(one.estimate),
        count(needed.n_items, rests_on) if needed else None,
        *_by_formula(one, width),
        Dressed(value=takes, badge="done" if is_reached else ""),
    )


def _width(estimate: Estimate) -> Plain | None:
    if estimate.low is None or estimate.high is None:
        return None
    width = estimate.high - estimate.low
    said = words.percent(width) if estimate.statistic in SHARES else f"{width:.2f}"
    return Plain(said, width, (estimate.n_items,))


def _by_formula(one: AgreementNow, width: float) -> tuple[Plain | None, Plain | None, Plain | None]:
    """Items by Bonett, and raters in their stead or for a mean: only people can be more."""
    if one.icc is None or not 0 <= one.icc < 1:
        return None, None, None
    rests_on = (one.estimate.n_items,)
    per_item = max(2, round(one.raters_per_item))
    items = count(ceil(round(items_for_icc(one.icc, per_item, width), 9)), rests_on)
    if one.judge is not None:
        return items, None, None
    raters = raters_for_icc(one.icc, one.estimate.n_items, width)
    of_mean = raters_for_mean(one.icc, RELIABILITY)
    return (
        items,
        Plain(_("never enough"), "never enough") if raters is None else count(raters, rests_on),
        None if of_mean is None else count(of_mean, rests_on),
    )


def _of_positives(one: PositivesNow, goals: Goals) -> tuple[Told, ...]:
    seen = one.sensitivity.n_items
    needed = _needed_positives(one, goals.reach.value)
    more = max(0, needed - seen)
    sides = one.n_missed, seen - one.n_missed
    return (
        one.sensitivity,
        count(seen, (seen,)),
        count(one.n_missed, sides),
        count(needed, sides),
        Plain(words.more_positives(one, more), more, sides),
        Plain(no_miss := words.no_miss(one, goals.miss.value), no_miss, sides),
    )


def _needed_positives(one: PositivesNow, reach: float) -> int:
    """By the interval there is, or else as for items that stand alone and the worst share."""
    scaled = needed_for_width(one.sensitivity, 2 * reach)
    return scaled.n_items if scaled else positives_for_share(0.5, reach)
