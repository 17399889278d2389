"""The tables of a report: every number with its interval, what it was computed from, and how."""

from collections.abc import Iterable, Mapping, Sequence

from django.utils.translation import gettext as _

from analytics.matrices import PLAIN, RELEASED, View
from analytics.measures import FAMILIES, FAMILY_NAMES, NAMES
from analytics.queries.dashboard import (
    SUMMARIES,
    criterion_line,
    estimate_of,
    in_order_of,
)
from analytics.queries.wording import (
    Figure,
    Footnotes,
    figure,
    method_names,
    point_names,
    reason_name,
    who,
)
from analytics.reports.agreement import Comparison, Kind, Report, SystemComparison
from analytics.stats.estimates import Estimate
from analytics.writeup.curves import Curve
from analytics.writeup.numbers import Made, estimates
from analytics.writeup.typesetting import Table
from annotation.queries.wording import said
from annotation.rubric.schema import Rubric

_ESTIMATE = (
    "statistic",
    "value",
    "low",
    "high",
    "n_items",
    "n_pairs",
    "n_clusters",
    "n_raters",
    "method",
    "notes",
)
_SYSTEM = ("icc_c1", "icc_a1", "mean_x", "mean_y")
_VIEW_KEYS = {
    PLAIN: "plain",
    View(with_off_scale=True): "with off-scale values",
    View(with_quarantined=True): "with quarantined items",
    RELEASED: "as released",
}


def tables(
    made: Made, views: Iterable[View], rubric: Rubric, curves: Sequence[Curve]
) -> list[Table]:
    """Every table, those of the agreement part as people read them, then those of other parts."""
    shown = list(views)
    found = [made["agreement"][view] for view in shown]
    plain, most = found[0], found[-1]
    agreement = [item_level(plain), *_released(item_level, plain, most)]
    agreement += [system_level(plain), *_released(system_level, plain, most)]
    agreement += [confusion(plain, rubric), severity(plain, curves), differences(plain, curves)]
    agreement += [what_went_in(plain)]
    others = [
        of_part(key, reports[PLAIN], plain) for key, reports in made.items() if key != "agreement"
    ]
    return [table for table in agreement + others if table.rows] + [every_figure(made, shown)]


def _released(table, plain: Report, most: Report) -> list[Table]:
    return [] if most is plain else [table(most)]


def item_level(report: Report) -> Table:
    """A row a comparison, a column a family of statistics."""
    footnotes = Footnotes()
    chosen = [one for one in report.comparisons if one.kind in SUMMARIES]
    return Table(
        key=_key("item_level", report),
        title=_title(_("Agreement at item level"), report),
        head=(
            _("Criterion"),
            _("Who"),
            *(str(FAMILY_NAMES[family]) for family in FAMILIES),
            _("From"),
        ),
        n_headings=2,
        rows=tuple(_item_row(report, one, footnotes) for one in chosen),
        notes=(*_methods(chosen), _left_out(report), *_said(footnotes)),
        columns=("criterion", "kind", "raters", "own_left_out", *_ESTIMATE),
        values=tuple(
            (one.criterion, one.kind.value, _raters(one, report), one.own_left_out, *values)
            for one in report.comparisons
            for name in in_order_of(one, criterion_line(report, one.criterion))
            for values in [_values(one.estimates[name])]
        ),
    )


def system_level(report: Report) -> Table:
    """A row a judge and criterion: each generator's mean is a point."""
    footnotes = Footnotes()
    names = {rater.id: rater for rater in report.raters}
    return Table(
        key=_key("system_level", report),
        title=_title(_("Agreement at system level: means of generators"), report),
        head=(
            _("Judge"),
            _("Criterion"),
            *(str(NAMES[name]) for name in _SYSTEM),
            _("Generators"),
        ),
        n_headings=2,
        rows=tuple(
            (
                names[line.judge].name,
                said(criterion_line(report, line.criterion).name),
                *(_cell(line.estimates.get(name), footnotes, digits=3) for name in _SYSTEM),
                str(len(line.systems)),
            )
            for line in report.systems
        ),
        notes=(*_methods(report.systems), _left_out(report), *_said(footnotes)),
        columns=("judge", "criterion", "systems", *_ESTIMATE),
        values=tuple(
            (names[line.judge].key, line.criterion, " ".join(line.systems), *_values(estimate))
            for line in report.systems
            for estimate in line.estimates.values()
        ),
    )


def confusion(report: Report, rubric: Rubric) -> Table:
    """How often one side gave a value where the other gave another."""
    chosen = [
        one
        for one in report.comparisons
        if one.table is not None and one.kind in (Kind.JUDGE_HUMANS, Kind.JUDGE_GOLD)
    ]
    rows = [row for one in chosen for row in _confusion_rows(report, one, rubric)]
    return Table(
        key="confusion",
        title=_title(_("Confusion tables"), report),
        head=(
            _("Comparison"),
            _("People or gold"),
            _("Judge gave, how often"),
            _("Pairs"),
        ),
        n_headings=2,
        rows=tuple(shown for shown, _exact in rows),
        columns=("criterion", "kind", "raters", "first", "judge", "n"),
        values=tuple(values for _shown, exact in rows for values in exact),
    )


def severity(report: Report, curves: Sequence[Curve]) -> Table:
    """Judge less people at each value that people gave."""
    return _of_curves(
        report,
        "severity",
        _("Judge less people, at each value that people gave"),
        [
            (curve, f"{_('People gave')} {level.level:g}", level.gap)
            for curve in curves
            for level in curve.levels
        ],
    )


def differences(report: Report, curves: Sequence[Curve]) -> Table:
    """The numbers of the Bland-Altman plots."""
    return _of_curves(
        report,
        "bland_altman",
        _("Differences between judge and people (Bland-Altman)"),
        [
            (curve, "", estimate)
            for curve in curves
            for estimate in curve.differences.estimates.values()
        ],
    )


def _of_curves(
    report: Report, key: str, title: str, found: Sequence[tuple[Curve, str, Estimate]]
) -> Table:
    footnotes = Footnotes()
    shown = [
        (_what(report, curve.comparison), *_figure_cells(figure(estimate, footnotes), at))
        for curve, at, estimate in found
    ]
    return Table(
        key=key,
        title=title,
        head=_estimate_head(),
        n_headings=2,
        rows=tuple(shown),
        notes=(_left_out(report), *_said(footnotes)),
        columns=("criterion", "raters", "at", *_ESTIMATE),
        values=tuple(
            (curve.comparison.criterion, _raters(curve.comparison, report), at, *_values(estimate))
            for curve, at, estimate in found
        ),
    )


def what_went_in(report: Report) -> Table:
    """What each rater gave, and what was left out of it."""
    names = {rater.id: rater for rater in report.raters}
    return Table(
        key="what_went_in",
        title=_("What went in"),
        head=(_("Rater"), _("Values"), _("Without a value, by reason"), _("Off the scale")),
        rows=tuple(
            (
                names[line.rater].name,
                f"{line.n_values:,}",
                "; ".join(f"{n:,} {reason_name(reason)}" for reason, n in line.unscored.items())
                or "–",
                f"{line.n_off_scale:,}",
            )
            for line in report.quality
        ),
        columns=("rater", "kind", "values", "off_scale", "unscored", "n_unscored"),
        values=tuple(
            (
                names[line.rater].key,
                "judge" if names[line.rater].is_judge else "human",
                line.n_values,
                line.n_off_scale,
                reason,
                n,
            )
            for line in report.quality
            for reason, n in (line.unscored or {"": 0}).items()
        ),
    )


def of_part(key: str, report, agreement: Report) -> Table:
    """Every estimate of another part."""
    footnotes = Footnotes()
    found = list(estimates(report, _names(agreement)))
    shown = [(where, figure(one, footnotes)) for where, one in found]
    return Table(
        key=key,
        title=key.replace("_", " ").capitalize(),
        head=_estimate_head(),
        n_headings=2,
        rows=tuple((where, *_figure_cells(one)) for where, one in shown),
        notes=_said(footnotes),
        columns=("where", *_ESTIMATE),
        values=tuple((where, *_values(one)) for where, one in found),
    )


def every_figure(made: Made, views: Iterable[View]) -> Table:
    """All estimates of all parts in all views: for programs, with no words of its own."""
    shown = list(views)
    return Table(
        key="every_figure",
        title="",
        head=(),
        rows=(),
        columns=("part", "values", "where", *_ESTIMATE),
        values=tuple(
            (key, _VIEW_KEYS[view], where, *_values(one))
            for key, reports in made.items()
            for view in shown
            for where, one in estimates(reports[view], _names(made["agreement"][PLAIN]))
        ),
    )


def figure_text(shown: Figure | None) -> str:
    """A figure in one cell: its value, its interval, the letters of its notes."""
    if shown is None:
        return "·"
    limits = f" [{shown.low}, {shown.high}]" if shown.low is not None else ""
    marks = f" {' '.join(shown.marks)}" if shown.marks else ""
    return f"{shown.value or _('not defined')}{limits}{marks}"


def _cell(estimate: Estimate | None, footnotes: Footnotes, *, digits: int = 2) -> str:
    return figure_text(estimate and figure(estimate, footnotes, digits=digits))


def _item_row(report: Report, one: Comparison, footnotes: Footnotes) -> tuple[str, ...]:
    found = [estimate_of(report, one, family) for family in FAMILIES]
    figures = [estimate and figure(estimate, footnotes) for estimate in found]
    return (
        said(criterion_line(report, one.criterion).name),
        who(one, report),
        *map(figure_text, figures),
        next((shown.n for shown in figures if shown), ""),
    )


def _estimate_head() -> tuple[str, ...]:
    return (
        _("What"),
        _("Statistic"),
        _("Value"),
        _("Interval (95 %)"),
        _("From"),
        _("Interval made by"),
    )


def _figure_cells(shown: Figure, at: str = "") -> tuple[str, ...]:
    limits = _("no interval") if shown.low is None else f"{shown.low}, {shown.high}"
    marks = f" {' '.join(shown.marks)}" if shown.marks else ""
    value = f"{shown.value or _('not defined')}{marks}"
    method = ", ".join(method_names([shown.estimate.method])) if shown.estimate.method else "–"
    return at or shown.name, value, limits, shown.n, method


def _confusion_rows(report: Report, one: Comparison, rubric: Rubric):
    line = criterion_line(report, one.criterion)
    title = _what(report, one)
    points = point_names(rubric, one.criterion, line.points)
    for point, counts in zip(points, one.table, strict=True):
        if not any(counts):
            continue
        given = "; ".join(f"{name}: {n:,}" for name, n in zip(points, counts, strict=True) if n)
        exact = [
            (one.criterion, one.kind.value, _raters(one, report), point, name, n)
            for name, n in zip(points, counts, strict=True)
        ]
        yield (title, point, given, f"{sum(counts):,}"), exact


def _what(report: Report, one: Comparison) -> str:
    return f"{said(criterion_line(report, one.criterion).name)}: {who(one, report)}"


def _values(estimate: Estimate) -> tuple[object, ...]:
    return (
        estimate.statistic,
        estimate.value,
        estimate.low,
        estimate.high,
        estimate.n_items,
        estimate.n_pairs,
        estimate.n_clusters,
        estimate.n_raters,
        estimate.method,
        "; ".join(note.value for note in estimate.notes),
    )


def _methods(lines: Iterable[Comparison | SystemComparison]) -> tuple[str, ...]:
    used = {one.method for line in lines for one in line.estimates.values() if one.method}
    named = method_names(used)
    return (_("95 %% intervals: %(methods)s.") % {"methods": "; ".join(named)},) if named else ()


def _left_out(report: Report) -> str:
    if report.view == RELEASED:
        return _("Values off the scale and items that were set aside are in.")
    if report.view.with_off_scale:
        return _("Values off the scale are in.")
    if report.view.with_quarantined:
        return _("Items that were set aside are in.")
    return _("Values off the scale and items that were set aside are left out.")


def _said(footnotes: Footnotes) -> tuple[str, ...]:
    return tuple(f"{letter}  {note}" for letter, note in footnotes.said())


def _key(key: str, report: Report) -> str:
    return key if report.view == PLAIN else f"{key}_as_released"


def _title(title: str, report: Report) -> str:
    if report.view == PLAIN:
        return title
    return _("%(title)s, as released") % {"title": title}


def _names(report: Report) -> Mapping[int, str]:
    return {rater.id: rater.key for rater in report.raters}


def _raters(one: Comparison, report: Report) -> str:
    names = _names(report)
    return " ".join(names[rater] for rater in one.raters)
