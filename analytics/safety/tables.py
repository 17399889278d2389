"""Whether judges find what people flag: at the usual cut, at every cut, and beside agreement."""

from collections.abc import Iterable, Iterator

from django.utils.translation import gettext as _

from analytics.present.naming import Naming
from analytics.present.tables import (
    Column,
    Line,
    Plain,
    Table,
    Value,
    by_judge,
    count,
    named,
    table,
)
from analytics.present.words import cut_name, number, reference_name
from analytics.safety.numbers import SafetyReport, Screen, Screened, usual_cut
from analytics.safety.page import on_values_of

_SHARES = ("sensitivity", "specificity", "ppv", "npv")
_BESIDE = ("kappa", "ac1", "exact")


def tables(report: SafetyReport, naming: Naming) -> Iterator[Table]:
    """Every table of this part."""
    usual = [
        (one, screen)
        for one, screen in _screens(report)
        if screen.cut == usual_cut(one).key and screen.reference is one.references[0]
    ]
    yield _table(
        "safety",
        _("Flagged items: what judges find"),
        _(
            "At the usual cut of each criterion, against gold or, where there is none, at least "
            "half of the people who rated the item."
        ),
        naming,
        usual,
    )
    yield _agreement(report, naming, usual)
    yield _prevalence(naming, usual)
    yield _table(
        "safety_every_cut",
        _("Flagged items: every cut and reference"),
        _("Every way to divide the values of a criterion, against every reference."),
        naming,
        list(_screens(report)),
    )


def _screens(report: SafetyReport) -> Iterator[tuple[Screened, Screen]]:
    """Every screen with what can be chosen of its criterion."""
    for one in report.criteria:
        for screen in report.screens:
            if screen.criterion == one.line.key:
                yield one, screen


def _table(
    key: str,
    title: str,
    caption: str,
    naming: Naming,
    screens: Iterable[tuple[Screened, Screen]],
) -> Table:
    counts = (
        ("found", _("Found")),
        ("missed", _("Missed")),
        ("alarms", _("False alarms")),
        ("passed", _("Rightly not flagged")),
    )
    return table(
        key,
        title,
        caption
        + " "
        + _(
            "Counts are items. A share of none or all of its items has an exact one-sided interval."
        ),
        about=_about(),
        columns=[*(Column(key=name, head=head) for name, head in counts), *named(_SHARES)],
        lines=(
            Line(
                about=_of(naming, one, screen),
                values=(
                    *(count(getattr(screen, name)) for name, _head in counts),
                    *(screen.estimates[name] for name in _SHARES),
                ),
            )
            for one, screen in screens
        ),
    )


def _agreement(
    report: SafetyReport, naming: Naming, screens: Iterable[tuple[Screened, Screen]]
) -> Table:
    def values(screen: Screen) -> Iterator[Value]:
        yield screen.estimates["sensitivity"]
        yield from (screen.estimates[name] for name in _BESIDE)
        on_values = on_values_of(report, screen)
        of_values = on_values.estimates if on_values else {}
        yield of_values.get("kappa")
        yield of_values.get("ac2") or of_values.get("ac1")

    return table(
        "safety_agreement",
        _("Flagged items: sensitivity beside agreement"),
        _(
            "Where nearly nothing is flagged, a judge that flags nothing agrees almost perfectly, "
            "most of all by Gwet’s AC: read agreement beside sensitivity. Of flags: flagged or "
            "not; of values: all values, AC2 with quadratic weights on a scale, else AC1."
        ),
        about=_about(),
        columns=[
            *named(["sensitivity"]),
            Column(key="kappa_of_flags", head=_("κ of flags")),
            Column(key="ac1_of_flags", head=_("AC1 of flags")),
            Column(key="exact_of_flags", head=_("Exact, flags")),
            Column(key="kappa_of_values", head=_("κ of values")),
            Column(key="ac_of_values", head=_("AC of values")),
        ],
        lines=(
            Line(about=_of(naming, one, screen), values=tuple(values(screen)))
            for one, screen in screens
        ),
    )


def _prevalence(naming: Naming, screens: Iterable[tuple[Screened, Screen]]) -> Table:
    return table(
        "safety_prevalence",
        _("How common flagged items are"),
        _(
            "Prevalence: share of items that the reference flags. Elsewhere: items that only the "
            "judge rated, the share that it flags, and that share corrected for its misses and "
            "false alarms by the formula of Rogan and Gladen, with its interval (95 %)."
        ),
        about=_about(),
        columns=[
            *named(("prevalence", "flagged")),
            Column(key="n_elsewhere", head=_("Items elsewhere")),
            Column(key="flagged_elsewhere", head=_("Flagged there")),
            Column(key="corrected_elsewhere", head=_("Corrected")),
        ],
        lines=(
            Line(
                about=_of(naming, one, screen),
                values=(
                    screen.estimates["prevalence"],
                    screen.estimates["flagged"],
                    *_elsewhere(screen),
                ),
            )
            for one, screen in screens
        ),
    )


def _elsewhere(screen: Screen) -> tuple[Value, ...]:
    there = screen.elsewhere
    if there is None:
        return None, None, None
    share = there.flagged / there.n_items
    value, low, high = (number(end, "prevalence") for end in (there.value, there.low, there.high))
    corrected = f"{value} [{low}, {high}]" if value else _("cannot be corrected")
    return (
        count(there.n_items),
        Plain(number(share, "prevalence") or "", share),
        Plain(corrected, there.value),
    )


def _about() -> list[Column]:
    return [
        *by_judge(),
        Column(key="cut", head=_("Flagged is")),
        Column(key="reference", head=_("By")),
    ]


def _of(naming: Naming, one: Screened, screen: Screen) -> tuple[Plain, ...]:
    cut = next(cut for cut in one.cuts if cut.key == screen.cut)
    return (
        naming.criterion(screen.criterion),
        naming.rater(screen.judge),
        Plain(cut_name(naming.rubric, one, cut), cut.key),
        Plain(reference_name(one, screen.reference), screen.reference.value),
    )
