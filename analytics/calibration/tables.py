"""What calibration does on dialogues held out, what each rating stands for, and powered means."""

from collections.abc import Iterator

from django.utils.translation import gettext as _

from analytics.calibration.numbers import CalibrationLine, CalibrationReport, MeanLine
from analytics.calibration.page import METHODS
from analytics.present.tables import (
    Column,
    Line,
    Naming,
    Plain,
    Value,
    by_judge,
    count,
    named,
    of_statistics,
    table,
)
from analytics.present.typesetting import Table
from analytics.safety.page import cut_name
from analytics.stats.calibration import Method

_CHECKED = ("bias", "mae", "icc_a1")
_CHANGED = ("mae_change", "icc_a1_change")


def tables(report: CalibrationReport, naming: Naming) -> Iterator[Table]:
    """Every table of this part."""
    yield _maps(report, naming)
    yield _curves(report, naming)
    yield _means(report, naming)
    yield _shares(report, naming)


def _maps(report: CalibrationReport, naming: Naming) -> Table:
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
        about=[*by_judge(), Column(key="map", head=_("Map"))],
        columns=[
            *of_statistics(_CHECKED),
            *named(_CHANGED),
            Column(key="refused", head=_("Refused")),
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
        (*(one.before[name] for name in _CHECKED), None, None, None),
    )
    for line in one.methods:
        yield (
            Plain(str(METHODS[line.method]), line.method.value),
            (
                *(line.after[name] for name in _CHECKED),
                *(line.change[name] for name in _CHANGED),
                count(line.n_refused),
            ),
        )


def _curves(report: CalibrationReport, naming: Naming) -> Table:
    return table(
        "calibration_curve",
        _("What people say where the judge says so"),
        _(
            "Mean rating of people at each rating of the judge, and what each map fitted to all of "
            "them expects there, in points of the scale."
        ),
        about=[*by_judge(), Column(key="said", head=_("The judge gave"))],
        columns=[
            Column(key="people", head=_("People, mean")),
            *(Column(key=method.value, head=str(METHODS[method])) for method in Method),
        ],
        lines=(
            Line(
                about=(
                    naming.criterion(one.criterion),
                    naming.rater(one.judge),
                    Plain(f"{point.value:.3g}", point.value),
                ),
                values=(
                    point.people,
                    *(_expected(point.expected.get(method)) for method in Method),
                ),
            )
            for one in report.lines
            for point in one.curve
        ),
    )


def _expected(value: float | None) -> Plain | None:
    return None if value is None else Plain(f"{value:.2f}".replace("-", "−"), value)


def _means(report: CalibrationReport, naming: Naming) -> Table:
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
        about=[*by_judge(), Column(key="generator", head=_("Generator"))],
        columns=_of_means(),
        lines=(
            Line(
                about=(
                    naming.criterion(one.criterion),
                    naming.rater(one.judge),
                    Plain(one.generator or _("all"), one.generator),
                ),
                values=_mean(one),
            )
            for one in report.means
            if not one.cut
        ),
    )


def _shares(report: CalibrationReport, naming: Naming) -> Table:
    cuts = {
        (one.line.key, cut.key): cut_name(naming.rubric, one, cut)
        for one in report.screened
        for cut in one.cuts
    }
    return table(
        "powered_shares",
        _("Shares flagged by people, by the judge, and by both"),
        _(
            "Share of the items that the judge rated, of all generators together, made as the "
            "means are."
        ),
        about=[*by_judge(), Column(key="cut", head=_("Flagged is"))],
        columns=_of_means(),
        lines=(
            Line(
                about=(
                    naming.criterion(one.criterion),
                    naming.rater(one.judge),
                    Plain(cuts[one.criterion, one.cut], one.cut),
                ),
                values=_mean(one),
            )
            for one in report.means
            if one.cut and not one.generator
        ),
    )


def _of_means() -> list[Column]:
    return [
        Column(key="rated", head=_("By people")),
        Column(key="judged", head=_("By the judge")),
        Column(key="people", head=_("People alone")),
        Column(key="alone", head=_("Judge alone")),
        Column(key="powered", head=_("Both (PPI++)")),
        Column(key="weight", head=_("Weight λ")),
        *named(("gain", "apart")),
    ]


def _mean(one: MeanLine) -> tuple[Value, ...]:
    return (
        count(one.n_rated),
        count(one.n_judged),
        one.people,
        one.alone,
        one.powered,
        Plain(f"{one.weight:.2f}".replace("-", "−"), one.weight),
        one.gain,
        one.apart,
    )
