"""Agreement at item and at system level, confusion, severity, differences, and what went in."""

from collections.abc import Iterator, Mapping, Sequence

from django.utils.translation import gettext as _

from analytics.agreement.curves import Curve
from analytics.agreement.numbers import Comparison, Kind, RaterQuality, Report, SystemComparison
from analytics.agreement.page import SUMMARIES, in_order_of
from analytics.agreement.places import criterion_line, estimate_of
from analytics.measures import FAMILIES, FAMILY_NAMES, NAMES
from analytics.present.naming import Naming
from analytics.present.tables import (
    OF_ESTIMATE,
    Column,
    Line,
    Plain,
    Records,
    Table,
    Value,
    by_judge,
    count,
    exact,
    named,
    table,
)
from analytics.present.words import number, point_names, reason_name, who
from analytics.ratings.matrices import PLAIN, RELEASED
from annotation.rubric.schema import Rubric, Taxonomy

_SYSTEM = ("icc_c1", "icc_a1", "mean_x", "mean_y", "bias")
_DIFFERENCES = ("bias", "sd", "loa_low", "loa_high", "slope")
_FINE = 3  # digits that the means of few generators are told with


def tables(
    found: Sequence[Report], naming: Naming, curves: Sequence[Curve] = ()
) -> Iterator[Table]:
    """Every table of this part; `found` are its reports in the views that differ, plain first."""
    plain, released = found[0], found[-1]
    yield item_level(plain, naming)
    yield system_level(plain, naming)
    if released is not plain:
        yield item_level(released, naming)
        yield system_level(released, naming)
    yield from _confusions(plain, naming)
    yield _severity(plain, naming, curves)
    yield _differences(plain, naming, curves)
    yield what_went_in(plain, naming)


def item_level(report: Report, naming: Naming) -> Table:
    """A row a comparison, a column a family of statistics; for programs every comparison."""
    return table(
        _key("item_level", report),
        _title(_("Agreement at item level"), report),
        _(
            "Each rated item is a point. κ is Fleiss’ among people and Cohen’s between two; α is "
            "Krippendorff’s, of the level of measurement; bias in points of the scale, the judge "
            "less people or gold. In brackets intervals (95 %)."
        ),
        about=[Column(key="criterion", head=_("Criterion")), Column(key="who", head=_("Who"))],
        columns=[Column(key=family, head=str(FAMILY_NAMES[family])) for family in FAMILIES],
        lines=(
            Line(
                about=(
                    naming.criterion(one.criterion),
                    Plain(who(one, report), f"{one.kind.value} {_raters(naming, one)}"),
                ),
                values=tuple(estimate_of(report, one, family) for family in FAMILIES),
            )
            for one in report.comparisons
            if one.kind in SUMMARIES
        ),
        notes=[_left_out(report)],
        records=Records(
            columns=("criterion", "kind", "raters", "own_left_out", *OF_ESTIMATE),
            values=tuple(
                (one.criterion, one.kind.value, raters, one.own_left_out, *exact(each))
                for one in report.comparisons
                for raters in [_raters(naming, one)]
                for name in in_order_of(one, criterion_line(report, one.criterion))
                for each in [one.estimates[name]]
            ),
        ),
    )


def system_level(report: Report, naming: Naming) -> Table:
    """A row a judge and criterion: each generator's mean is a point."""
    columns = [
        Column(key=name, head=str(FAMILY_NAMES.get(name) or NAMES[name]), digits=_FINE)
        for name in _SYSTEM
    ]
    columns[1:1] = [Column(key="icc_c1_without_one", head=_("ICC(C,1) without one generator"))]
    return table(
        _key("system_level", report),
        _title(_("Agreement at system level: means of generators"), report),
        _(
            "Each generator is a point: its mean over the items that both rated. Means and bias in "
            "points of the scale. The range is that of ICC(C,1) when any one generator is left out."
        ),
        about=by_judge()[::-1],
        columns=[*columns, Column(key="generators", head=_("Generators"))],
        lines=(
            Line(
                about=(naming.rater(one.judge), naming.criterion(one.criterion)),
                values=_of_systems(one),
            )
            for one in report.systems
        ),
        notes=[_left_out(report)],
    )


def what_went_in(report: Report, naming: Naming) -> Table:
    """What each rater gave, and what was left out of it."""
    return table(
        "what_went_in",
        _("What went in"),
        _(
            "Ratings of each rater over all criteria. Off the scale: values that the rubric does "
            "not have, among the values."
        ),
        about=[Column(key="rater", head=_("Rater"))],
        columns=[
            Column(key="values", head=_("Values")),
            Column(key="off_scale", head=_("Off the scale")),
            Column(key="unscored", head=_("Without a value")),
            Column(key="reasons", head=_("Reasons for no value"), is_words=True),
        ],
        lines=(
            Line(about=(naming.rater(one.rater),), values=_of_quality(one))
            for one in report.quality
        ),
    )


def _confusions(report: Report, naming: Naming) -> Iterator[Table]:
    """How often one side gave a value where the other gave another: a table a kind of scale."""
    by_points: dict[tuple[float, ...], list[Comparison]] = {}
    for one in report.comparisons:
        if one.table is not None and one.kind in (Kind.JUDGE_HUMANS, Kind.JUDGE_GOLD):
            points = criterion_line(report, one.criterion).points
            by_points.setdefault(points, []).append(one)
    for place, (points, chosen) in enumerate(by_points.items(), start=1):
        names = point_names(naming.rubric, chosen[0].criterion, points)
        keys = _point_keys(naming.rubric, chosen[0].criterion, points)
        yield table(
            "confusion" if place == 1 else f"confusion_{place}",
            _("How often which values meet"),
            _(
                "Pairs of ratings. In the rows what people or gold gave, in the columns what the "
                "judge gave. The counts are exact and have no interval."
            ),
            about=[
                Column(key="criterion", head=_("Criterion")),
                Column(key="raters", head=_("Who")),
                Column(key="given", head=_("People or gold")),
            ],
            columns=[
                *(Column(key=key, head=name) for key, name in zip(keys, names, strict=True)),
                Column(key="all", head=_("All")),
            ],
            lines=(
                Line(
                    about=(
                        naming.criterion(one.criterion),
                        Plain(who(one, report), _raters(naming, one)),
                        Plain(name, key),
                    ),
                    values=(*map(count, counts), count(sum(counts))),
                )
                for one in chosen
                for key, name, counts in zip(keys, names, one.table or (), strict=True)
                if any(counts)
            ),
            notes=[_left_out(report)],
        )


def _severity(report: Report, naming: Naming, curves: Sequence[Curve]) -> Table:
    """Judge less people at each value that people gave."""
    return table(
        "severity",
        _("Judge less people, at each value that people gave"),
        _(
            "Mean difference in points of the scale over the pairs in which the person gave the "
            "value; above 0 the judge rates higher. Chance alone tilts the curve (regression to "
            "the mean): also a judge without bias lies above people at the low end and below them "
            "at the high end."
        ),
        about=[*by_judge(), Column(key="level", head=_("People gave"))],
        columns=named(["gap"]),
        lines=(
            Line(
                about=(*_of_curve(naming, curve), Plain(f"{level.level:g}", level.level)),
                values=(level.gap,),
            )
            for curve in curves
            for level in curve.levels
        ),
        notes=[_left_out(report)],
    )


def _differences(report: Report, naming: Naming, curves: Sequence[Curve]) -> Table:
    """The numbers of the Bland-Altman plots."""
    return table(
        "bland_altman",
        _("Differences between judge and people (Bland-Altman)"),
        _(
            "In points of the scale, judge less people. The limits of agreement are the bias minus "
            "and plus 1.96 standard deviations of the differences."
        ),
        about=by_judge(),
        columns=named(_DIFFERENCES),
        lines=(
            Line(
                about=_of_curve(naming, curve),
                values=tuple(curve.differences.estimates[name] for name in _DIFFERENCES),
            )
            for curve in curves
        ),
        notes=[_left_out(report)],
    )


def _of_curve(naming: Naming, curve: Curve) -> tuple[Plain, Plain]:
    return naming.criterion(curve.comparison.criterion), naming.rater(curve.judge)


def _of_systems(one: SystemComparison) -> tuple[Value, ...]:
    first, *others = (one.estimates.get(name) for name in _SYSTEM)
    return (
        first,
        _without_one(one.without["icc_c1"]),
        *others,
        Plain(f"{len(one.systems)}", " ".join(one.systems)),
    )


def _without_one(values: Mapping[str, float | None]) -> Plain | None:
    """The least and the greatest of them."""
    known = [value for value in values.values() if value is not None]
    if not known:
        return None
    words = {"low": number(min(known), "icc_c1"), "high": number(max(known), "icc_c1")}
    return Plain(_("%(low)s to %(high)s") % words, f"{min(known)!r} {max(known)!r}")


def _of_quality(one: RaterQuality) -> tuple[Value, ...]:
    reasons = "; ".join(f"{reason_name(reason)}: {n:,}" for reason, n in one.unscored.items())
    return (
        count(one.n_values),
        count(one.n_off_scale),
        count(sum(one.unscored.values())),
        Plain(reasons or "–", " ".join(f"{reason}={n}" for reason, n in one.unscored.items())),
    )


def _point_keys(rubric: Rubric, key: str, points: Sequence[float]) -> list[str]:
    """What programs read for the values of a criterion: keys of labels, or the numbers."""
    criterion = next((one for one in rubric.criteria if one.key == key), None)
    labels = criterion.labels if isinstance(criterion, Taxonomy) else ()
    keys = {float(label.code): label.key for label in labels}
    return [keys.get(point, f"{point:g}") for point in points]


def _raters(naming: Naming, one: Comparison) -> str:
    return " ".join(str(naming.rater(rater).exact) for rater in one.raters)


def _left_out(report: Report) -> str:
    if report.view == RELEASED:
        return _("Values off the scale and items that were set aside are in.")
    if report.view.with_off_scale:
        return _("Values off the scale are in.")
    if report.view.with_quarantined:
        return _("Items that were set aside are in.")
    return _("Values off the scale and items that were set aside are left out.")


def _key(key: str, report: Report) -> str:
    return key if report.view == PLAIN else f"{key}_as_released"


def _title(title: str, report: Report) -> str:
    if report.view == PLAIN:
        return title
    return _("%(title)s, as released") % {"title": title}
