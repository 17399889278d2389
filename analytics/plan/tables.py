"""What a narrower interval takes: more items, more raters, more flagged items."""

from collections.abc import Iterator

from django.utils.translation import gettext as _

from analytics.plan.numbers import PlanReport
from analytics.plan.page import RELIABILITY, Plan, plan
from analytics.present.naming import Naming
from analytics.present.tables import Column, Line, Plain, Table, by_judge, table
from analytics.stats.estimates import Estimate


def tables(report: PlanReport, naming: Naming) -> Iterator[Table]:
    """Every table of this part."""
    shown = plan(report, naming.rubric, {})
    yield _agreement(report, naming, shown)
    yield _positives(report, naming, shown)


def _agreement(report: PlanReport, naming: Naming, shown: Plan) -> Table:
    rows = [row for section in shown.sections for row in section.rows]
    order = [
        one for line in report.criteria for one in report.agreement if one.criterion == line.key
    ]
    return table(
        "plan",
        _("What an interval of width %(width)s takes") % {"width": f"{shown.width.value:g}"},
        _(
            "Items in all: by the width of the interval there is, which shrinks with the root of "
            "the number of dialogues; and by Bonett’s formula (2002) from ICC(A,1) and the "
            "raters of an item, as if items stood alone. Raters: on the items there are. Raters "
            "for a mean: whose mean has a reliability of %(reliability)s (Spearman-Brown)."
        )
        % {"reliability": f"{RELIABILITY:g}"},
        about=[
            Column(key="criterion", head=_("Criterion")),
            Column(key="who", head=_("Who")),
            Column(key="statistic_of", head=_("Statistic")),
        ],
        columns=[
            Column(key="now", head=_("Now")),
            Column(key="width", head=_("Width")),
            Column(key="items", head=_("Items")),
            Column(key="items_by_bonett", head=_("Items, Bonett")),
            Column(key="raters", head=_("Raters")),
            Column(key="raters_for_mean", head=_("Raters for a mean")),
        ],
        lines=(
            Line(
                about=(
                    naming.criterion(one.criterion),
                    Plain(
                        row.who, "people" if one.judge is None else naming.rater(one.judge).exact
                    ),
                    Plain(row.figure.name, one.estimate.statistic),
                ),
                values=(
                    one.estimate,
                    _width(row.width, one.estimate),
                    *map(_counted, (row.scaled, row.bonett, row.raters, row.mean_of)),
                ),
            )
            for one, row in zip(order, rows, strict=True)
        ),
    )


def _positives(report: PlanReport, naming: Naming, shown: Plan) -> Table:
    return table(
        "plan_positives",
        _("What it takes to know sensitivity to within %(reach)s")
        % {"reach": f"±{shown.reach.value:g}"},
        _(
            "Flagged items at the usual cut of the criterion, in all; and whether a share of "
            "misses of %(miss)s can be ruled out by items without a miss."
        )
        % {"miss": f"{shown.miss.value:g}"},
        about=[*by_judge(), Column(key="cut", head=_("Flagged is"))],
        columns=[
            Column(key="now", head=_("Sensitivity now")),
            Column(key="missed", head=_("Seen and missed"), is_words=True),
            Column(key="needed", head=_("Flagged items in all")),
            Column(key="no_miss", head=_("Without a miss"), is_words=True),
        ],
        lines=(
            Line(
                about=(
                    naming.criterion(one.criterion),
                    naming.rater(one.judge),
                    Plain(row.counts, row.counts),
                ),
                values=(
                    one.sensitivity,
                    Plain(row.seen, one.n_missed),
                    _counted(row.needed),
                    Plain(row.no_miss, row.no_miss),
                ),
            )
            for one, row in zip(report.positives, shown.positives, strict=True)
        ),
    )


def _width(shown: str, estimate: Estimate) -> Plain | None:
    if estimate.low is None or estimate.high is None:
        return None
    return Plain(shown, estimate.high - estimate.low)


def _counted(shown: str) -> Plain | None:
    """A number of the page, or words in its place."""
    plain = shown.replace(",", "")
    return Plain(shown, int(plain) if plain.isdigit() else shown) if shown else None
