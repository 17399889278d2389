"""What calibration does on dialogues held out, what each rating stands for, and powered means."""

from collections.abc import Iterator, Mapping

from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from analytics.agreement.numbers import CriterionLine
from analytics.calibration.numbers import CalibrationLine, CalibrationReport, CurvePoint, MeanLine
from analytics.calibration.words import METHODS, advice, best_of, formula, made_of
from analytics.present.basis import TableBasis
from analytics.present.charts import strips
from analytics.present.naming import Naming
from analytics.present.tables import (
    Column,
    Dressed,
    Line,
    Plain,
    Table,
    Told,
    Value,
    by_judge,
    count,
    named,
    of_statistics,
    table,
)
from analytics.present.words import cut_name, told
from analytics.stats.calibration import Method
from analytics.stats.estimates import Estimate
from annotation.queries.wording import decimal

_CHECKED = ("bias", "mae", "icc_a1")
_CHANGED = ("mae_change", "icc_a1_change")


def tables(basis: TableBasis) -> Iterator[Table]:
    """Every table of this part."""
    report: CalibrationReport = basis.report
    naming = basis.naming
    yield overview(report, naming)
    yield maps(report, naming)
    yield curves(report, naming)
    yield means(report, naming)
    yield shares(report, naming)


def overview(report: CalibrationReport, naming: Naming) -> Table:
    """Before, after the best map, and what to do, a line a criterion and judge."""
    return table(
        "calibration_advice",
        _("Every criterion: what calibration can do"),
        _(
            "Before: the judge as it is. After: under the map that makes single ratings agree "
            "best on dialogues held out; empty where no map is certain to help."
        ),
        about=by_judge(),
        columns=[
            Column("bias", _("Bias")),
            Column("before", _("ICC(A,1) before")),
            Column("after", _("ICC(A,1) after")),
            Column("advice", _("What to do"), is_words=True),
        ],
        lines=(
            Line(
                about=(
                    Dressed(
                        value=naming.criterion(one.criterion),
                        link=naming.link("agreement_calibration", {"criterion": one.criterion}),
                    ),
                    Dressed(value=naming.rater(one.judge), small=made_of(one)),
                ),
                values=(
                    one.before.get("bias"),
                    one.before.get("icc_a1"),
                    best.after["icc_a1"] if best else None,
                    Plain(advice(one), best.method.value if best else ""),
                ),
            )
            for one in report.lines
            for best in [best_of(one)]
        ),
    )


def maps(report: CalibrationReport, naming: Naming) -> Table:
    """Each judge as it is, and under each map."""
    return table(
        "calibration",
        _("Calibration, checked on dialogues held out"),
        _(
            "Each map is fitted to the pairs of a person’s and the judge’s rating in all but one "
            "of %(folds)s parts of the dialogues and applied to the part left out (seed "
            "%(seed)s). Bias, mean distance and its change in points of the scale. Refused: ratings "
            "outside the range that the map has seen."
        )
        % {"folds": report.folds, "seed": report.seed},
        about=[*by_judge(), Column("map", _("Map"))],
        columns=[
            *of_statistics(_CHECKED),
            *named(_CHANGED),
            Column("formula", _("The map"), is_words=True),
            Column("refused", _("Refused")),
        ],
        lines=(
            Line(
                about=(naming.criterion(one.criterion), naming.rater(one.judge), name),
                values=values,
            )
            for one in report.lines
            for name, values in _each_map(one)
        ),
    )


def _each_map(one: CalibrationLine) -> Iterator[tuple[Plain, tuple[Value, ...]]]:
    if not one.before:
        return
    yield (
        Plain(_("none"), "none"),
        (*(one.before[name] for name in _CHECKED), None, None, None, None),
    )
    for line in one.methods:
        is_curve = line.method is Method.ISOTONIC  # its knots are means of people
        rests_on = tuple(point.people.n_items for point in one.curve) if is_curve else ()
        yield (
            Plain(str(METHODS[line.method]), line.method.value),
            (
                *(line.after[name] for name in _CHECKED),
                *(line.change[name] for name in _CHANGED),
                Plain(
                    formula(line), "; ".join(f"{value!r}" for value in line.parameters), rests_on
                ),
                count(line.n_refused),
            ),
        )


def curves(report: CalibrationReport, naming: Naming) -> Table:
    """What each rating of a judge stands for."""
    scales = {line.key: line for line in report.criteria}
    return table(
        "calibration_curve",
        _("What people say where the judge says so"),
        _(
            "Mean rating of people at each rating of the judge, and what each map fitted to all of "
            "them expects there, in points of the scale."
        ),
        about=[*by_judge(), Column("said", _("The judge gave"))],
        columns=[
            Column("people", _("People, mean")),
            *(Column(method.value, str(METHODS[method])) for method in Method),
        ],
        lines=(
            Line(
                about=(
                    naming.criterion(one.criterion),
                    naming.rater(one.judge),
                    Plain(f"{value:.3g}", value),
                ),
                values=(
                    point.people if point else Plain(_("never said"), None),
                    *(_expected(point, method) for method in Method),
                ),
            )
            for one in report.lines
            for value, point in _points(one, scales[one.criterion])
        ),
    )


def _points(
    one: CalibrationLine, scale: CriterionLine
) -> Iterator[tuple[float, CurvePoint | None]]:
    """Every value the judge gave, and the points of a criterion's scale that it never gave."""
    given = {point.value: point for point in one.curve}
    values = given.keys() if scale.is_group else {*given, *scale.points}
    return ((value, given.get(value)) for value in sorted(values))


def _expected(point: CurvePoint | None, method: Method) -> Plain:
    if point is None or method not in point.expected:
        return Plain(_("refused"), None)
    value = point.expected[method]
    return Plain(decimal(value), value, (point.people.n_items,))


def means(report: CalibrationReport, naming: Naming) -> Table:
    """Of all items and of each generator's."""
    axes = _axes(report, naming)
    return table(
        "powered_means",
        _("Means by people, by the judge, and by both"),
        _(
            "Mean rating in points of the scale over the items that the judge rated, of all and of "
            "each generator: of people alone over the items they rated, of the judge alone with "
            "its bias, and of both (PPI++), where the judge’s mean on all items is corrected by "
            "its difference from people on theirs. That takes the rated items to be a random "
            "sample; the last column is near 0 if they are."
        ),
        about=[*by_judge(), Column("generator", _("Generator"))],
        columns=_of_means(),
        counts=False,
        lines=(
            Line(
                about=(
                    naming.criterion(one.criterion),
                    naming.rater(one.judge),
                    _generator(one),
                ),
                values=_mean(one, axes),
            )
            for one in report.means
            if not one.cut
        ),
    )


def shares(report: CalibrationReport, naming: Naming) -> Table:
    """Of each cut that is told, of all items and at the usual cut of each generator's."""
    axes = _axes(report, naming)
    cuts = {
        (one.line.key, cut.key): cut_name(naming.rubric, one, cut)
        for one in report.screened
        for cut in one.cuts
    }
    return table(
        "powered_shares",
        _("Shares flagged by people, by the judge, and by both"),
        _(
            "Share of the items that the judge rated, of all and of each generator, made as the "
            "means are."
        ),
        about=[*by_judge(), Column("cut", _("Flagged is")), Column("generator", _("Generator"))],
        columns=_of_means(),
        counts=False,
        lines=(
            Line(
                about=(
                    naming.criterion(one.criterion),
                    naming.rater(one.judge),
                    Plain(cuts[one.criterion, one.cut], one.cut),
                    _generator(one),
                ),
                values=_mean(one, axes),
            )
            for one in report.means
            if one.cut
        ),
    )


def _of_means() -> list[Column]:
    return [
        Column("rated", _("By people")),
        Column("judged", _("By the judge")),
        Column("people", _("People alone")),
        Column("alone", _("Judge alone")),
        Column("powered", _("Both (PPI++)")),
        Column("weight", _("Weight λ")),
        *named(("gain", "apart")),
    ]


def _axes(report: CalibrationReport, naming: Naming) -> Mapping[tuple[str, str], strips.Axis]:
    """{(criterion, cut): what its strips are drawn along}; on paper there are none."""
    if not naming.study:
        return {}
    by_place: dict[tuple[str, str], list[Estimate]] = {}
    for one in report.means:
        shown = by_place.setdefault((one.criterion, one.cut), [])
        shown += [one.powered, one.people, one.alone]
    return {place: strips.axis_around(shown) for place, shown in by_place.items()}


def _generator(one: MeanLine) -> Plain:
    return Plain(one.generator or _("all"), one.generator)


def _mean(one: MeanLine, axes: Mapping[tuple[str, str], strips.Axis]) -> tuple[Told, ...]:
    axis = axes.get((one.criterion, one.cut))
    return (
        count(one.n_rated),
        count(one.n_judged),
        one.people,
        one.alone,
        Dressed(value=one.powered, drawing=_strip(one, axis) if axis else None),
        Plain(decimal(one.weight), one.weight, (one.n_rated,)),
        one.gain,
        one.apart,
    )


def _strip(one: MeanLine, axis: strips.Axis) -> SafeString:
    """Both, over the interval of people alone."""
    words = {"both": told(one.powered), "people": told(one.people)}
    says = _("both %(both)s; people alone %(people)s") % words
    return strips.strip(one.powered, axis, says=says, band=one.people)
