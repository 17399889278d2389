"""What the calibration page shows: before and after, what to do, the curve, powered means and
shares."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property

from django.utils.functional import Promise
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from analytics.agreement.numbers import CriterionLine
from analytics.agreement.page import Choice
from analytics.calibration.numbers import (
    CalibrationLine,
    CalibrationReport,
    CurvePoint,
    MeanLine,
    MethodLine,
)
from analytics.present.charts import strips
from analytics.present.charts.calibration import Seen, calibration_curve
from analytics.present.charts.looks import looks_of
from analytics.present.charts.parts import whole
from analytics.present.charts.showing import Chart
from analytics.present.viewing import items_of
from analytics.present.words import Figure, Footnoted, Footnotes, figure, number
from analytics.safety.numbers import Cut, Screened, usual_cut
from analytics.safety.page import cut_name
from analytics.stats.calibration import LEAST_DIALOGUES, LEAST_ITEMS, Method
from analytics.stats.estimates import Estimate
from analytics.stats.ppi import LEAST_LABELS
from annotation.queries.wording import said
from annotation.rubric.schema import Rubric

METHODS: Mapping[Method, Promise] = {
    Method.SHIFT: gettext_lazy("Shift"),
    Method.LINEAR: gettext_lazy("Linear"),
    Method.ISOTONIC: gettext_lazy("Isotonic"),
    Method.ORDINAL: gettext_lazy("Ordinal"),
}
_CHECKED = ("bias", "mae", "icc_a1")
_CHANGED = ("mae_change", "icc_a1_change")


class NoSuchCalibration(Exception):
    """The address asks for a criterion or method that there is not."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Overview:
    """One judge on one criterion in a line: before, after the best map, and what to do."""

    key: str
    criterion: str
    judge: str
    made_of: str
    bias: Figure | None
    before: Figure | None
    after: Figure | None
    advice: str
    is_good: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class MethodRow:
    """One map: its figures on dialogues held out, in the order of the columns; none changed."""

    name: str
    formula: str
    checked: tuple[Figure, ...]
    changed: tuple[Figure, ...]
    n_refused: str
    is_drawn: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class PointRow:
    """One value of the judge: what people said there, what each map expects, or a refusal."""

    value: str
    people: Figure | None
    expected: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeCard:
    """One judge on the chosen criterion."""

    judge: str
    made_of: str
    reason: str
    support: str
    advice: str
    is_good: bool
    ceiling: Figure | None
    before: tuple[Figure, ...]
    methods: tuple[MethodRow, ...]
    points: tuple[PointRow, ...]
    chart: Chart


@dataclass(frozen=True, slots=True, kw_only=True)
class MeanStrip:
    name: str
    made_of: str
    figure: Figure
    drawing: SafeString


@dataclass(frozen=True, slots=True, kw_only=True)
class PartRow:
    """The mean of one generator's items, or the share of one answer, three ways; drawn by both
    over people alone."""

    name: str
    drawing: SafeString
    people: Figure
    alone: Figure
    powered: Figure
    made_of: str
    gain: Figure | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """Every generator, or every answer; `scale` goes under their drawings."""

    rows: tuple[PartRow, ...]
    scale: SafeString


@dataclass(frozen=True, slots=True, kw_only=True)
class MeanCard:
    """A mean or share three ways for one judge, then of each generator and of every answer."""

    judge: str
    strips: tuple[MeanStrip, ...]
    gain: str
    generators: Parts | None
    answers: Parts | None
    apart: Figure | None
    is_apart: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Powered:
    """The mean of a criterion, or the share of what is marked in it (`cut`), for every judge."""

    key: str
    title: str
    cut: str
    cards: tuple[MeanCard, ...]
    scale: SafeString


@dataclass(frozen=True, kw_only=True)
class Page(Footnoted):
    """The calibration of one criterion, with a line a judge and criterion above."""

    report: CalibrationReport
    rubric: Rubric
    line: CriterionLine
    method: Method

    @property
    def computed_at(self) -> datetime:
        return self.report.computed_at

    @property
    def criterion_name(self) -> str:
        return said(self.line.name)

    @property
    def method_name(self) -> str:
        return str(METHODS[self.method])

    @property
    def criteria(self) -> list[Choice]:
        return [
            Choice(key=one.key, name=said(one.name), is_current=one is self.line)
            for one in self.report.criteria
        ]

    @property
    def methods(self) -> list[Choice]:
        return [
            Choice(key=method.value, name=str(name), is_current=method is self.method)
            for method, name in METHODS.items()
        ]

    @property
    def method_names(self) -> list[str]:
        return [str(name) for name in METHODS.values()]

    @property
    def least(self) -> str:
        return _("at least %(items)s ratings and %(dialogues)s dialogues") % {
            "items": LEAST_ITEMS,
            "dialogues": LEAST_DIALOGUES,
        }

    @cached_property
    def overview(self) -> list[Overview]:
        names = {line.key: said(line.name) for line in self.report.criteria}
        return [self._overview(one, names[one.criterion]) for one in self.report.lines]

    @cached_property
    def cards(self) -> list[JudgeCard]:
        return [self._card(one) for one in self._lines]

    @property
    def charts(self) -> Mapping[str, Chart]:
        return {card.chart.key: card.chart for card in self.cards}

    @cached_property
    def powered(self) -> list[Powered]:
        """The mean where there is one, then the share at the cut that the safety page begins
        with."""
        usual = self._screened and usual_cut(self._screened)
        found = (self._powered(None), self._powered(usual) if usual else None)
        return [one for one in found if one]

    @property
    def least_rated(self) -> int:
        return LEAST_LABELS

    @cached_property
    def _lines(self) -> list[CalibrationLine]:
        return [one for one in self.report.lines if one.criterion == self.line.key]

    @cached_property
    def _means(self) -> list[MeanLine]:
        return [one for one in self.report.means if one.criterion == self.line.key]

    @cached_property
    def _screened(self) -> Screened | None:
        """The cuts of the criterion; a group has none."""
        return next((one for one in self.report.screened if one.line.key == self.line.key), None)

    def _powered(self, cut: Cut | None) -> Powered | None:
        """The mean, or the share of a cut; None where there is nothing to tell."""
        key = cut.key if cut else ""
        lines = [one for one in self._means if one.cut == key and not one.generator]
        if not lines:
            return None
        axis = _axis_for(lines)
        words = {"criterion": self.criterion_name, "cut": self._cut_name(cut)}
        title = _("%(criterion)s: the share of all items with %(cut)s")
        return Powered(
            key=key or "mean",
            title=(title if cut else _("%(criterion)s: the mean over all items")) % words,
            cut=key,
            cards=tuple(self._mean_card(one, axis) for one in lines),
            scale=_scale(axis, lines[0]),
        )

    def _cut_name(self, cut: Cut | None) -> str:
        return cut_name(self.rubric, self._screened, cut) if cut and self._screened else ""

    def _figure(self, estimate: Estimate) -> Figure:
        return figure(estimate, self.footnotes)

    def _overview(self, line: CalibrationLine, name: str) -> Overview:
        best = best_of(line)
        return Overview(
            key=line.criterion,
            criterion=name,
            judge=self.report.judges[line.judge],
            made_of=_made_of(line),
            bias=(line.before and self._figure(line.before["bias"])) or None,
            before=(line.before and self._figure(line.before["icc_a1"])) or None,
            after=self._figure(best.after["icc_a1"]) if best else None,
            advice=advice(line),
            is_good=best is not None,
        )

    def _card(self, line: CalibrationLine) -> JudgeCard:
        return JudgeCard(
            judge=self.report.judges[line.judge],
            made_of=_made_of(line),
            reason=_too_few(line) if line.note else "",
            support=self._support(line),
            advice=advice(line),
            is_good=best_of(line) is not None,
            ceiling=self._figure(line.before["icc_c1"]) if line.before else None,
            before=tuple(self._figure(line.before[name]) for name in _CHECKED if line.before),
            methods=tuple(self._method(one) for one in line.methods),
            points=tuple(self._points(line)),
            chart=self._chart(line),
        )

    def _method(self, one: MethodLine) -> MethodRow:
        return MethodRow(
            name=str(METHODS[one.method]),
            formula=_formula(one),
            checked=tuple(self._figure(one.after[name]) for name in _CHECKED),
            changed=tuple(self._figure(one.change[name]) for name in _CHANGED),
            n_refused=f"{one.n_refused:,}" if one.n_refused else "",
            is_drawn=one.method is self.method,
        )

    def _points(self, line: CalibrationLine) -> list[PointRow]:
        """Every value the judge gave, and the points of a criterion's scale that it never gave."""
        given = {point.value: point for point in line.curve}
        values = given.keys() if self.line.is_group else {*given, *self.line.points}
        return [
            PointRow(
                value=f"{value:.3g}",
                people=self._figure(given[value].people) if value in given else None,
                expected=_expected(given.get(value)),
            )
            for value in sorted(values)
        ]

    def _support(self, line: CalibrationLine) -> str:
        words = {"low": f"{line.low:.3g}", "high": f"{line.high:.3g}"}
        outside = [f"{point:g}" for point in self.line.points if not line.low <= point <= line.high]
        if self.line.is_group or not outside:
            return (
                _(
                    "Where people rated, the judge gave %(low)s to %(high)s; a rating outside is refused."
                )
                % words
            )
        return _(
            "Where people rated, the judge gave %(low)s to %(high)s and never %(outside)s: there "
            "is nothing to go by, so such a rating is refused."
        ) % (words | {"outside": ", ".join(outside)})

    def _chart(self, line: CalibrationLine) -> Chart:
        judge = self.report.judges[line.judge]
        expected = [
            (point.value, point.expected[self.method])
            for point in line.curve
            if self.method in point.expected
        ]
        curve = calibration_curve(
            [self._seen(line, point) for point in line.curve if point.people.value is not None],
            expected,
            points=self.line.points,
            look=looks_of(self.report.judges)[line.judge],
            title=f"{self.criterion_name}: {judge}",
            says=self._says(line),
            x_name=_("What %(judge)s said") % {"judge": judge},
            y_name=_("What people said, on average"),
        )
        return Chart(key=f"calibration-{line.criterion}-{line.judge}", spec=whole(curve))

    def _seen(self, line: CalibrationLine, point: CurvePoint) -> Seen:
        told = figure(point.people, Footnotes())
        words = {"value": f"{point.value:.3g}", "people": told.text, "n": told.n}
        is_point = point.value in self.line.points and not self.line.is_group
        return Seen(
            value=point.value,
            mean=point.people.value,
            low=point.people.low,
            high=point.people.high,
            n=point.people.n_pairs,
            says=_("The judge said %(value)s: people %(people)s; %(n)s") % words,
            href=items_of(
                self.report.view,
                line.criterion,
                "judge_humans",
                line.judge,
                column=f"{point.value:g}",
            )
            if is_point
            else "",
        )

    def _says(self, line: CalibrationLine) -> str:
        told = [
            _("%(value)s: %(people)s")
            % {
                "value": f"{point.value:.3g}",
                "people": figure(point.people, Footnotes()).text,
            }
            for point in line.curve
        ]
        words = {"judge": self.report.judges[line.judge], "told": "; ".join(told)}
        return _("Mean rating of people by what %(judge)s said. %(told)s.") % words

    def _mean_card(self, line: MeanLine, axis: strips.Axis) -> MeanCard:
        rated, judged = _items(line.n_rated), _items(line.n_judged)
        named = (
            (_("People alone"), rated, line.people),
            (_("Judge alone"), judged, line.alone),
            (_("Both (PPI++)"), _rated_of(line), line.powered),
        )
        theirs = [one for one in self._means if one.judge == line.judge]
        return MeanCard(
            judge=self.report.judges[line.judge],
            strips=tuple(self._strip(*one, axis, place) for place, one in enumerate(named)),
            gain=self._gain(line),
            generators=self._parts(
                [(one, one.generator) for one in theirs if one.cut == line.cut and one.generator]
            ),
            answers=self._parts(list(self._answers(theirs))) if line.cut else None,
            apart=self._figure(line.apart) if line.apart else None,
            is_apart=_excludes_zero(line.apart),
        )

    def _gain(self, line: MeanLine) -> str:
        """What the judge adds to the ratings of people, in words."""
        if line.n_rated == line.n_judged:
            return _nothing_to_gain(line)
        counts = _("People rated %(rated)s of the %(judged)s items that the judge rated.") % {
            "rated": f"{line.n_rated:,}",
            "judged": f"{line.n_judged:,}",
        }
        if not line.weight:
            unheard = _(
                "The judge is not listened to (weight 0): it would not make the interval narrower."
            )
            return f"{counts} {unheard}"
        if line.gain is None:
            return counts
        worth = _(
            "Worth of the judge: as if people had rated this many times as many items: %(gain)s "
            "(correlation %(r)s, weight of the judge %(weight)s)."
        )
        words = {
            "gain": self._figure(line.gain).text,
            "r": number(line.correlation, "") or "–",
            "weight": f"{line.weight:.2f}",
        }
        return f"{counts} {worth % words}"

    def _answers(self, lines: list[MeanLine]) -> Iterator[tuple[MeanLine, str]]:
        """Every answer, in the order of the rubric; nothing where only one cut is told."""
        found = {one.cut: one for one in lines if one.cut and not one.generator}
        if self._screened and len(found) > 1:
            for cut in self._screened.cuts:
                if cut.key in found:
                    yield found[cut.key], self._cut_name(cut)

    def _parts(self, named: list[tuple[MeanLine, str]]) -> Parts | None:
        if not named:
            return None
        lines = [line for line, _name in named]
        axis = _axis_for(lines)
        rows = tuple(self._part(line, name, axis) for line, name in named)
        return Parts(rows=rows, scale=_scale(axis, lines[0]))

    def _part(self, line: MeanLine, name: str, axis: strips.Axis) -> PartRow:
        people, powered = self._figure(line.people), self._figure(line.powered)
        words = {"name": name, "both": powered.text, "people": people.text}
        says = _("%(name)s: both %(both)s; people alone %(people)s") % words
        return PartRow(
            name=name,
            drawing=strips.strip(line.powered, axis, says=says, series=2, band=line.people),
            people=people,
            alone=self._figure(line.alone),
            powered=powered,
            made_of=_("%(rated)s of %(judged)s")
            % {"rated": f"{line.n_rated:,}", "judged": f"{line.n_judged:,}"},
            gain=self._figure(line.gain) if line.gain else None,
        )

    def _strip(
        self, name: str, made_of: str, estimate: Estimate, axis: strips.Axis, place: int
    ) -> MeanStrip:
        shown = self._figure(estimate)
        return MeanStrip(
            name=name,
            made_of=made_of,
            figure=shown,
            drawing=strips.strip(estimate, axis, says=f"{name}: {shown.text}", series=place),
        )


def page(report: CalibrationReport, rubric: Rubric, *, criterion: str, method: str) -> Page:
    """The page that an address asks for; blanks are the defaults. NoSuchCalibration otherwise."""
    known = {line.key: line for line in report.criteria}
    first = next(iter(report.lines or report.means), None)
    key = criterion or (first.criterion if first else next(iter(known), ""))
    if key not in known or (method and method not in list(Method)):
        raise NoSuchCalibration
    chosen = Method(method or Method.SHIFT)
    return Page(report=report, rubric=rubric, line=known[key], method=chosen)


def best_of(line: CalibrationLine) -> MethodLine | None:
    """The map that makes single ratings agree surely more and not surely farther from people's;
    the one that agrees most where there are several. None where a judge is best left alone."""
    good = [
        one
        for one in line.methods
        if _is_above_zero(one.change["icc_a1_change"])
        and not _is_above_zero(one.change["mae_change"])
    ]
    return max(good, key=lambda one: one.after["icc_a1"].value or 0, default=None)


def advice(line: CalibrationLine) -> str:
    """What to do, in a sentence."""
    if line.note:
        return _too_few(line)
    best = best_of(line)
    if best:
        return _(
            "%(method)s: single ratings agree more with people (ICC %(before)s to %(after)s)."
        ) % {
            "method": METHODS[best.method],
            "before": number(line.before["icc_a1"].value, "icc_a1"),
            "after": number(best.after["icc_a1"].value, "icc_a1"),
        }
    if _excludes_zero(line.before["bias"]):
        return _(
            "Correct means only: a map takes the bias away, but none surely makes single ratings "
            "agree better, ICC(A,1), without taking them farther from people’s."
        )
    return _(
        "Leave as it is: there is no sure bias, and no map surely makes single ratings agree "
        "better, ICC(A,1), without taking them farther from people’s."
    )


def _is_above_zero(estimate: Estimate) -> bool:
    return estimate.low is not None and estimate.low > 0


def _excludes_zero(estimate: Estimate | None) -> bool:
    if estimate is None or estimate.low is None or estimate.high is None:
        return False
    return estimate.low > 0 or estimate.high < 0


def _too_few(line: CalibrationLine) -> str:
    return _(
        "Too little to calibrate on: %(pairs)s in %(dialogues)s are rated by people and the judge; "
        "it takes %(least_pairs)s ratings and %(least_dialogues)s dialogues."
    ) % {
        "pairs": _ratings(line.n_pairs),
        "dialogues": _dialogues(line.n_dialogues),
        "least_pairs": LEAST_ITEMS,
        "least_dialogues": LEAST_DIALOGUES,
    }


def _made_of(line: CalibrationLine) -> str:
    return _("%(pairs)s of people on %(items)s in %(dialogues)s") % {
        "pairs": _ratings(line.n_pairs),
        "items": _items(line.n_items),
        "dialogues": _dialogues(line.n_dialogues),
    }


def _items(n: int) -> str:
    return ngettext("%(n)s item", "%(n)s items", n) % {"n": f"{n:,}"}


def _rated_of(line: MeanLine) -> str:
    return _("%(rated)s of %(judged)s items rated by people") % {
        "rated": f"{line.n_rated:,}",
        "judged": f"{line.n_judged:,}",
    }


def _ratings(n: int) -> str:
    return ngettext("%(n)s rating", "%(n)s ratings", n) % {"n": f"{n:,}"}


def _dialogues(n: int) -> str:
    return ngettext("%(n)s dialogue", "%(n)s dialogues", n) % {"n": f"{n:,}"}


def _formula(one: MethodLine) -> str:
    """The map as it can be written in a line; the others are read off the table of points."""
    if one.method is Method.SHIFT:
        return _("judge %(shift)s") % {"shift": _term(one.parameters[0])}
    if one.method is Method.LINEAR:
        start, slope = one.parameters
        return _("%(start)s %(slope)s × judge") % {
            "start": number(start, ""),
            "slope": _term(slope),
        }
    return _("see the table of points")


def _term(value: float) -> str:
    """“+ 0.50” or “− 0.50”."""
    return f"{'−' if value < 0 else '+'} {abs(value):.2f}"


def _expected(point: CurvePoint | None) -> tuple[str, ...]:
    if point is None or not point.expected:
        return tuple(_("refused") for _method in METHODS)
    return tuple(f"{point.expected[method]:.2f}" for method in METHODS)


def _nothing_to_gain(line: MeanLine) -> str:
    rated_all = _("People have rated every item that the judge rated: nothing is to be gained.")
    if line.correlation is None:
        return rated_all
    were_few = _(
        "Had they rated a few of very many, it would be as if they had rated %(most)s times as "
        "many (correlation %(r)s)."
    )
    words = {"most": _at_most(line), "r": number(line.correlation, "")}
    return f"{rated_all} {were_few % words}"


def _axis_for(lines: list[MeanLine]) -> strips.Axis:
    shown = [one for line in lines for one in (line.powered, line.people, line.alone)]
    ends = [end for one in shown for end in (one.value, one.low, one.high) if end is not None]
    return strips.axis_for(shown, low=min(ends, default=0.0), high=max(ends, default=0.0))


def _scale(axis: strips.Axis, line: MeanLine) -> SafeString:
    return strips.scale(axis, labels=[_tick(tick, line) for tick in axis.ticks])


def _tick(value: float, line: MeanLine) -> str:
    return f"{100 * value:.3g} %" if line.cut else number(value, "") or ""


def _at_most(line: MeanLine) -> str:
    shared = min((line.correlation or 0) ** 2, 0.99)
    return f"{1 / (1 - shared):.2f}"
