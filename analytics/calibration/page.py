"""What the calibration page shows: before and after, what to do, the curve, means and shares."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

from django.utils.translation import gettext as _

from accounts.punctuation import in_turn, labelled
from analytics.agreement.numbers import CriterionLine
from analytics.calibration import tables, words
from analytics.calibration.numbers import CalibrationLine, CalibrationReport, CurvePoint, MeanLine
from analytics.calibration.words import METHODS, made_of
from analytics.present.charts.calibration import Seen, calibration_curve
from analytics.present.charts.looks import looks_of
from analytics.present.charts.showing import Chart
from analytics.present.grid import Grid
from analytics.present.naming import Naming
from analytics.present.page import Choice, FiguresPage, NoSuchPage, choices, of_criteria, shown
from analytics.present.tables import Table
from analytics.present.viewing import items_of
from analytics.present.words import cut_name, excludes_zero, size, told
from analytics.safety.numbers import usual_cut
from analytics.stats.calibration import LEAST_DIALOGUES, LEAST_ITEMS, Method
from analytics.stats.ppi import LEAST_LABELS
from annotation.queries.wording import said


@dataclass(frozen=True, slots=True, kw_only=True)
class CalibrationCard:
    """One judge on the chosen criterion; `ceiling` is about how far a map can bring it."""

    judge: str
    made_of: str
    advice: str
    is_good: bool
    support: str
    ceiling: str
    chart: Chart
    points: Grid | None
    maps: Grid | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Worth:
    """What one judge adds to people's ratings, and whether these were drawn as the others."""

    judge: str
    gain: str
    apart: str
    is_apart: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Powered:
    """The mean of a criterion, or its shares: `cut` is the one that `title` speaks of, `safety`
    where the panel about it is."""

    key: str
    title: str
    cut: str
    safety: str
    worths: tuple[Worth, ...]
    grid: Grid

    @property
    def is_apart(self) -> bool:
        """Whether what people rated is unlike the rest, for any of the judges."""
        return any(worth.is_apart for worth in self.worths)

    @property
    def in_short(self) -> str:
        """What the first judge adds."""
        return " ".join(labelled(worth.judge, worth.gain) for worth in self.worths[:1])


@dataclass(frozen=True, kw_only=True)
class CalibrationPage(FiguresPage):
    """The calibration of one criterion, with a line a judge and criterion below."""

    room: ClassVar[str] = "calibration"
    report: CalibrationReport
    line: CriterionLine
    method: Method

    overview = shown(tables.overview)

    @property
    def criterion_name(self) -> str:
        return said(self.line.name)

    @property
    def method_name(self) -> str:
        return str(METHODS[self.method])

    @property
    def criteria(self) -> list[Choice]:
        return of_criteria(self.report.criteria, self.line.key)

    @property
    def methods(self) -> list[Choice]:
        return choices(METHODS.items(), self.method)

    @property
    def least(self) -> str:
        return _("at least %(items)s ratings and %(dialogues)s dialogues") % {
            "items": LEAST_ITEMS,
            "dialogues": LEAST_DIALOGUES,
        }

    @property
    def least_rated(self) -> int:
        return LEAST_LABELS

    @cached_property
    def cards(self) -> list[CalibrationCard]:
        points = tables.curves(self.report, self.naming)
        maps = tables.maps(self.report, self.naming)
        return [
            self._card(one, self._of(points, one), self._of(maps, one))
            for one in self.report.lines
            if one.criterion == self.line.key
        ]

    @property
    def first_to_read(self) -> CalibrationCard | None:
        """The first judge that a map is worth it for, or else the first."""
        return next((card for card in self.cards if card.is_good), next(iter(self.cards), None))

    @property
    def in_short(self) -> str:
        """For how many judges and criteria a map is worth it."""
        return _("A map is worth it on %(good)s of %(n)s lines.") % {
            "good": sum(words.best_of(line) is not None for line in self.report.lines),
            "n": len(self.report.lines),
        }

    @property
    def charts(self) -> Mapping[str, Chart]:
        return {card.chart.key: card.chart for card in self.cards}

    @cached_property
    def powered(self) -> list[Powered]:
        """The mean where there is one, then the shares, of the usual cut first."""
        return [*self._mean(), *self._shares()]

    def _of(self, whole: Table, line: CalibrationLine) -> Grid | None:
        judge = self.naming.rater(line.judge)
        return self.grid(whole, criterion=line.criterion, judge=str(judge.exact))

    def _card(
        self, line: CalibrationLine, points: Grid | None, maps: Grid | None
    ) -> CalibrationCard:
        return CalibrationCard(
            judge=self.naming.rater(line.judge).text,
            made_of=made_of(line),
            advice=words.advice(line),
            is_good=words.best_of(line) is not None,
            support=words.support(line, self._unsaid(line)),
            ceiling=told(line.before["icc_c1"]) if line.before else "",
            chart=self._chart(line),
            points=points,
            maps=maps if line.methods else None,
        )

    def _unsaid(self, line: CalibrationLine) -> list[float]:
        """The points of the scale outside what the judge gave; a group has no points."""
        if self.line.is_group:
            return []
        return [point for point in self.line.points if not line.low <= point <= line.high]

    def _chart(self, line: CalibrationLine) -> Chart:
        judge = self.report.judges[line.judge]
        expected = [
            (point.value, point.expected[self.method])
            for point in line.curve
            if self.method in point.expected
        ]
        curve = calibration_curve(
            [
                self._seen(line, point, mean)
                for point in line.curve
                if (mean := point.people.value) is not None
            ],
            expected,
            points=self.line.points,
            look=looks_of(self.report.judges)[line.judge],
            title=labelled(self.criterion_name, judge),
            says=_says(line, judge),
            x_name=_("What %(judge)s said") % {"judge": judge},
            y_name=_("What people said, on average"),
        )
        return Chart(key=f"calibration-{line.criterion}-{line.judge}", plot=curve)

    def _seen(self, line: CalibrationLine, point: CurvePoint, mean: float) -> Seen:
        words = {
            "value": f"{point.value:.3g}",
            "people": told(point.people),
            "n": size(point.people),
        }
        is_point = point.value in self.line.points and not self.line.is_group
        return Seen(
            value=point.value,
            mean=mean,
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

    def _lines(self, cut: str) -> list[MeanLine]:
        """Of each judge over all items."""
        return [
            one
            for one in self.report.means
            if one.criterion == self.line.key and one.cut == cut and not one.generator
        ]

    def _mean(self) -> Iterator[Powered]:
        grid = self.grid(tables.means(self.report, self.naming), criterion=self.line.key)
        if grid:
            title = _("%(criterion)s: the mean over all items")
            yield Powered(
                key="mean",
                title=title % {"criterion": self.criterion_name},
                cut="",
                safety="",
                worths=tuple(map(self._worth, self._lines(""))),
                grid=grid,
            )

    def _shares(self) -> Iterator[Powered]:
        grid = self.grid(tables.shares(self.report, self.naming), criterion=self.line.key)
        screened = next(
            (one for one in self.report.screened if one.line.key == self.line.key), None
        )
        if grid and screened:
            usual = usual_cut(screened)
            title = _("%(criterion)s: the share of all items with %(cut)s")
            name = cut_name(self.naming.rubric, screened, usual)
            yield Powered(
                key=usual.key,
                title=title % {"criterion": self.criterion_name, "cut": name},
                cut=usual.key,
                safety=self.naming.link(
                    "agreement_safety", {"criterion": self.line.key, "cut": usual.key}
                ),
                worths=tuple(map(self._worth, self._lines(usual.key))),
                grid=grid,
            )

    def _worth(self, line: MeanLine) -> Worth:
        return Worth(
            judge=self.naming.rater(line.judge).text,
            gain=words.gain(line, told(line.gain) if line.gain else ""),
            apart=told(line.apart) if line.apart else "",
            is_apart=excludes_zero(line.apart),
        )


def page(report: CalibrationReport, naming: Naming, choices: Mapping[str, str]) -> CalibrationPage:
    """The page that an address asks for; blanks are the defaults. NoSuchPage otherwise."""
    known = {line.key: line for line in report.criteria}
    measured = [line.criterion for line in report.lines] + [line.criterion for line in report.means]
    key = choices.get("criterion") or next(iter([*measured, *known]), "")
    method = choices.get("method") or Method.SHIFT
    if key not in known or method not in list(Method):
        raise NoSuchPage
    return CalibrationPage(report=report, naming=naming, line=known[key], method=Method(method))


def _says(line: CalibrationLine, judge: str) -> str:
    points = [
        _("%(value)s: %(people)s") % {"value": f"{point.value:.3g}", "people": told(point.people)}
        for point in line.curve
    ]
    named = {"judge": judge, "told": in_turn(points)}
    return _("Mean rating of people by what %(judge)s said. %(told)s.") % named
