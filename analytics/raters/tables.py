"""Raters beside each other: severity, how often two give the same, and every pair."""

from collections.abc import Iterator

from django.utils.translation import gettext as _

from analytics.present.naming import Naming
from analytics.present.tables import Column, Line, Plain, Table, count, named, table
from analytics.present.words import short_name
from analytics.raters.numbers import LEAST_ITEMS, RatersReport


def tables(report: RatersReport, naming: Naming) -> Iterator[Table]:
    """Every table of this part."""
    yield _people(report, naming)
    yield _between(report, naming)
    yield _pairs(report, naming)


def _people(report: RatersReport, naming: Naming) -> Table:
    return table(
        "raters",
        _("People beside the others"),
        _(
            "Severity: the mean of the person’s ratings less the mean of the others’ of the same "
            "item, in points of the scale. Gives the same: how often another person does. No "
            "figure below %(n)s shared items, and no ranking."
        )
        % {"n": LEAST_ITEMS},
        about=[
            Column(key="criterion", head=_("Criterion")),
            Column(key="rater", head=_("Person")),
        ],
        columns=[
            Column(key="shared_items", head=_("Shared items")),
            Column(key="others", head=_("Others")),
            *named(("severity", "same_as_others")),
        ],
        lines=(
            Line(
                about=(naming.criterion(one.criterion), naming.rater(one.rater)),
                values=(count(one.n_items), count(one.n_others), one.severity, one.same),
            )
            for one in report.people
            if one.n_others
        ),
    )


def _between(report: RatersReport, naming: Naming) -> Table:
    return table(
        "raters_same",
        _("How often two people give the same"),
        _("Mean over items of the share of pairs of people who gave the same value."),
        about=[Column(key="criterion", head=_("Criterion"))],
        columns=named(["same_as_others"]),
        lines=(
            Line(about=(naming.criterion(criterion),), values=(estimate,))
            for criterion, estimate in report.between.items()
            if estimate.value is not None
        ),
    )


def _pairs(report: RatersReport, naming: Naming) -> Table:
    return table(
        "raters_pairs",
        _("Every pair of raters"),
        _(
            "The leading statistic of the criterion and exact agreement, over the items that both "
            "rated; no figure below %(n)s of them."
        )
        % {"n": LEAST_ITEMS},
        about=[
            Column(key="criterion", head=_("Criterion")),
            Column(key="first", head=_("One")),
            Column(key="second", head=_("Other")),
        ],
        columns=[
            Column(key="shared_items", head=_("Shared items")),
            Column(key="statistic_of", head=_("Statistic"), is_words=True),
            Column(key="agreement", head=_("Agreement")),
            *named(["exact"]),
        ],
        lines=(
            Line(
                about=(
                    naming.criterion(one.criterion),
                    naming.rater(one.first),
                    naming.rater(one.second),
                ),
                values=(
                    count(one.n_items),
                    one.agreement and _statistic(one.agreement.statistic),
                    one.agreement,
                    one.exact,
                ),
            )
            for one in report.pairs
            if one.n_items
        ),
    )


def _statistic(name: str) -> Plain:
    return Plain(short_name(name), name)
