"""What the page of raters shows: people by key, each beside the others and with themselves."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from functools import cached_property

from django.utils.formats import date_format
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from analytics.agreement.numbers import CriterionLine, Kind
from analytics.measures import NAMES
from analytics.present.charts import strips, trends
from analytics.present.charts.grids import GridMark, numbered, pairs_grid
from analytics.present.charts.showing import Chart
from analytics.present.page import Choice
from analytics.present.viewing import items_of
from analytics.present.words import Figure, Footnoted, Footnotes, figure, method_names, number
from analytics.raters.numbers import (
    EVERY_CRITERION,
    LEAST_A_WEEK,
    LEAST_AGAIN,
    LEAST_ITEMS,
    MOST_IN_MATRIX,
    AgainLine,
    PairLine,
    PersonLine,
    RatersReport,
    Week,
)
from analytics.stats.estimates import Estimate
from analytics.stats.raters import Course
from analytics.stats.several import clear_together
from annotation.queries.wording import said
from annotation.rubric.schema import Measurement


class NoSuchCriterion(Exception):
    """The address asks for a criterion that there is not."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BesideOthers:
    """One person beside the others; `too_few` says why there is no number."""

    name: str
    items: str
    others: str
    severity: Figure | None
    same: Figure | None
    drawing: SafeString
    words: str
    too_few: str


@dataclass(frozen=True, slots=True, kw_only=True)
class WeekRow:
    week: str
    n: str
    figure: Figure | None


@dataclass(frozen=True, slots=True, kw_only=True)
class CourseRow:
    """One person over the weeks."""

    name: str
    chart: Chart | None
    change: str
    words: str
    weeks: tuple[WeekRow, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class AgainRow:
    """One person when items came back; on every criterion together and on the chosen one."""

    name: str
    items: str
    every: Figure | None
    drawing: SafeString
    same: Figure | None
    shift: Figure | None
    agreement: Figure | None
    too_few: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PairRow:
    who: str
    items: str
    agreement: Figure | None
    exact: Figure | None
    too_few: str


@dataclass(frozen=True, kw_only=True)
class RatersPage(Footnoted):
    """The page of raters for one criterion."""

    report: RatersReport
    criterion: CriterionLine

    @property
    def computed_at(self) -> datetime:
        return self.report.computed_at

    @property
    def has_people(self) -> bool:
        return any(not rater.is_judge for rater in self.report.raters)

    @property
    def criteria(self) -> list[Choice]:
        return [
            Choice(key=line.key, name=said(line.name), is_current=line is self.criterion)
            for line in self.report.criteria
        ]

    @property
    def criterion_name(self) -> str:
        return said(self.criterion.name)

    @property
    def has_order(self) -> bool:
        """Whether values are more or less of something, so that somebody can be severe."""
        return self.criterion.measurement is not Measurement.NOMINAL

    @property
    def is_group(self) -> bool:
        """Whether the criterion is the mean or sum of several, which nobody was asked again."""
        return self.criterion.is_group

    @property
    def least_items(self) -> int:
        return LEAST_ITEMS

    @property
    def least_a_week(self) -> int:
        return LEAST_A_WEEK

    @property
    def least_again(self) -> int:
        return LEAST_AGAIN

    @property
    def methods(self) -> list[str]:
        """How the intervals on the page were made."""
        return method_names({one.method for one in self._estimates() if one.method})

    @cached_property
    def beside(self) -> list[BesideOthers]:
        tested = [line for line in self._people if line.severity]
        are_clear = clear_together([line.severity for line in tested if line.severity])
        clear = {line.rater for line, is_clear in zip(tested, are_clear, strict=True) if is_clear}
        return [self._beside(line, is_clear=line.rater in clear) for line in self._people]

    @property
    def beside_scale(self) -> SafeString:
        statistic = "severity" if self.has_order else "same_as_others"
        labels = [number(tick, statistic) or "" for tick in self._axis.ticks]
        return strips.scale(self._axis, labels=[_without_decimals(label) for label in labels])

    @cached_property
    def courses(self) -> list[CourseRow]:
        """Those who rated in rounds; of imported ratings nobody knows when they were given."""
        return [self._course(line) for line in self._people if line.weeks]

    @property
    def n_followed(self) -> int:
        """How many people are looked at together when a drift is named."""
        return sum(line.n_items >= LEAST_ITEMS for line in self._people)

    @cached_property
    def again(self) -> list[AgainRow]:
        return [
            self._again(line) for line in self.report.again if line.criterion == EVERY_CRITERION
        ]

    @property
    def has_repeats(self) -> bool:
        """Whether enough items came back to somebody."""
        return any(row.every for row in self.again)

    @property
    def again_scale(self) -> SafeString:
        axis = strips.axis_for([])
        return strips.scale(axis, labels=[f"{100 * tick:.0f} %" for tick in axis.ticks])

    @property
    def between(self) -> Figure | None:
        """How often two people give the same: what to read repeats against."""
        found = self._between
        return figure(found, self.footnotes) if found and found.value is not None else None

    @property
    def _between(self) -> Estimate | None:
        return self.report.between.get(EVERY_CRITERION)

    @cached_property
    def pairs(self) -> list[PairRow]:
        return [self._pair(line) for line in self._pairs]

    @property
    def agreement_name(self) -> str:
        """The statistic in the matrix of pairs."""
        found = next((line.agreement for line in self._pairs if line.agreement), None)
        return str(NAMES[found.statistic]) if found else ""

    @property
    def is_crowded(self) -> bool:
        """Whether there are too many raters for a matrix."""
        return len(self.report.raters) > MOST_IN_MATRIX

    @property
    def most_in_matrix(self) -> int:
        return MOST_IN_MATRIX

    @cached_property
    def matrix(self) -> Chart | None:
        """Every two raters in a cell, each with itself on the diagonal; None without a pair."""
        present = {line.first for line in self._pairs} | {line.second for line in self._pairs}
        raters = [rater.id for rater in self.report.raters if rater.id in present]
        if not raters:
            return None
        names = numbered([self._names[rater] for rater in raters])
        words = {"statistic": self.agreement_name, "criterion": self.criterion_name}
        plot = pairs_grid(
            names,
            list(self._cells(raters, names)),
            title=_("%(criterion)s: %(statistic)s of every two raters") % words,
            says=_(
                "%(criterion)s: %(statistic)s of every two raters. The table below has the same "
                "numbers."
            )
            % words,
            x_name=_("The other rater, by number"),
            y_name=_("Rater"),
        )
        return Chart(key=f"pairs-{self.criterion.key}", plot=plot)

    @property
    def charts(self) -> Mapping[str, Chart]:
        shown = (*(row.chart for row in self.courses), self.matrix)
        return {one.key: one for one in shown if one}

    def _cells(self, raters: Sequence[int], names: Sequence[str]) -> Iterator[GridMark]:
        """Of every pair, the later in the row; and of each with itself where items came back."""
        places = {rater: place for place, rater in enumerate(raters)}
        for line in self._pairs:
            yield self._cell(
                names,
                (places[line.second], places[line.first]),
                self._pair_name(line),
                line.agreement,
                line.n_items,
                href=self._items_of(line),
            )
        for again in self.report.again:
            if again.criterion == self.criterion.key and again.rater in places:
                place = places[again.rater]
                who = _("%(name)s with themselves") % {"name": self._names[again.rater]}
                yield self._cell(names, (place, place), who, again.agreement, again.n_items)

    def _items_of(self, line: PairLine) -> str:
        """The items of a pair; two judges have no list of their own."""
        judges = {rater.id for rater in self.report.raters if rater.is_judge}
        match line.first in judges, line.second in judges:
            case False, False:
                kind = Kind.HUMAN_PAIR
            case False, True:
                kind = Kind.JUDGE_HUMAN
            case _:
                return ""
        pair = f"{line.first}-{line.second}"
        return items_of(self.report.view, line.criterion, kind.value, pair)

    @cached_property
    def _names(self) -> Mapping[int, str]:
        return {
            rater.id: _("%(name)s (judge)") % {"name": rater.name} if rater.is_judge else rater.name
            for rater in self.report.raters
        }

    @cached_property
    def _people(self) -> list[PersonLine]:
        return [line for line in self.report.people if line.criterion == self.criterion.key]

    @cached_property
    def _pairs(self) -> list[PairLine]:
        return [line for line in self.report.pairs if line.criterion == self.criterion.key]

    def _shown(self, line: PersonLine) -> Estimate | None:
        """What is drawn of a person: severity, of labels sameness."""
        return line.severity if self.has_order else line.same

    @cached_property
    def _axis(self) -> strips.Axis:
        shown = [one for line in self._people if (one := self._shown(line))]
        return (
            strips.axis_for(shown, low=None, high=None)
            if self.has_order
            else strips.axis_for(shown)
        )

    def _beside(self, line: PersonLine, *, is_clear: bool) -> BesideOthers:
        name, shown = self._names[line.rater], self._shown(line)
        severity = line.severity and figure(line.severity, self.footnotes)
        same = line.same and figure(line.same, self.footnotes)
        drawn = severity if self.has_order else same
        return BesideOthers(
            name=name,
            items=_items(line.n_items),
            others=ngettext("%(n)s other", "%(n)s others", line.n_others) % {"n": line.n_others},
            severity=severity,
            same=same,
            drawing=strips.strip(shown, self._axis, says=f"{name}: {drawn.name} {drawn.text}")
            if shown and drawn
            else SafeString(),
            words=_severity_words(line.severity, is_clear=is_clear),
            too_few="" if shown else _too_few(line.n_items),
        )

    def _course(self, line: PersonLine) -> CourseRow:
        name = self._names[line.rater]
        words = self._course_words(line)
        return CourseRow(
            name=name,
            chart=self._trend(line, name, words),
            change=self._change(line.trend.slope) if line.trend else "",
            words=words,
            weeks=tuple(self._week(week) for week in line.weeks),
        )

    def _trend(self, line: PersonLine, name: str, words: str) -> Chart | None:
        moments = self._moments(line)
        if not moments:
            return None
        plot = trends.trend_line(
            moments,
            self._frame,
            around=0.0 if self.has_order else None,
            title=name,
            says=f"{name}: {words} " + "; ".join(one.says for one in moments),
            x_name=_("Week of"),
            y_name=_("Severity") if self.has_order else _("Same as the others"),
            tick="" if self.has_order else ".0%",
        )
        return Chart(key=f"weeks-{line.criterion}-{line.rater}", plot=plot)

    def _moments(self, line: PersonLine) -> list[trends.Moment]:
        return [moment for week in line.weeks if (moment := _moment(week))]

    def _change(self, slope: Estimate) -> str:
        """The change a week with its interval and n, in points or in percentage points."""
        if slope.value is None or slope.low is None or slope.high is None:
            return ""
        scale, digits = (1, 2) if self.has_order else (100, 1)
        value, low, high = (
            number(scale * one, "change_a_week", digits)
            for one in (slope.value, slope.low, slope.high)
        )
        words = {"value": value, "low": low, "high": high, "items": _items(slope.n_items)}
        if self.has_order:
            return (
                _("Change a week: %(value)s, 95 %% interval %(low)s to %(high)s, %(items)s.")
                % words
            )
        return (
            _(
                "Change a week in percentage points: %(value)s, 95 %% interval %(low)s to "
                "%(high)s, %(items)s."
            )
            % words
        )

    def _course_words(self, line: PersonLine) -> str:
        n_items = sum(week.n_items for week in line.weeks)
        if n_items < LEAST_ITEMS:
            return _too_few(n_items)
        if line.trend is None:
            return _("All within one week: drift cannot be told yet.")
        is_apart = line.trend.course is not Course.NOT_TOLD and line.trend.n_others == 1
        if is_apart and self.has_order:
            return _("Has moved apart from the only other one: which of the two cannot be told.")
        if is_apart:
            return _("The two have moved: which of them cannot be told.")
        match line.trend.course, self.has_order:
            case Course.UP, True:
                return _("Has moved up beside the others.")
            case Course.DOWN, True:
                return _("Has moved down beside the others.")
            case Course.UP, False:
                return _("Gives the same as the others more often than at first.")
            case Course.DOWN, False:
                return _("Gives the same as the others less often than at first.")
        return _("No drift can be told.")

    def _week(self, week: Week) -> WeekRow:
        return WeekRow(
            week=_day(week.monday),
            n=_items(week.n_items),
            figure=week.value and figure(week.value, self.footnotes),
        )

    @cached_property
    def _frame(self) -> trends.Frame:
        moments = [one for line in self._people for one in self._moments(line)]
        return trends.frame_for(moments, around=0.0 if self.has_order else None)

    def _again(self, line: AgainLine) -> AgainRow:
        name = self._names[line.rater]
        chosen = next(
            (
                one
                for one in self.report.again
                if (one.rater, one.criterion) == (line.rater, self.criterion.key)
            ),
            None,
        )
        every = line.same and figure(line.same, self.footnotes)
        return AgainRow(
            name=name,
            items=_items(line.n_items),
            every=every,
            drawing=strips.strip(
                line.same,
                strips.axis_for([]),
                says=f"{name}: {every.name} {every.text}",
                band=self._between,
            )
            if line.same and every
            else SafeString(),
            same=_figure(chosen.same, self.footnotes) if chosen else None,
            shift=_figure(chosen.shift, self.footnotes) if chosen else None,
            agreement=_figure(chosen.agreement, self.footnotes) if chosen else None,
            too_few="" if every else _too_few(line.n_items),
        )

    def _pair(self, line: PairLine) -> PairRow:
        return PairRow(
            who=self._pair_name(line),
            items=_items(line.n_items),
            agreement=_figure(line.agreement, self.footnotes),
            exact=_figure(line.exact, self.footnotes),
            too_few="" if line.agreement else _too_few(line.n_items),
        )

    def _pair_name(self, line: PairLine) -> str:
        words = {"first": self._names[line.first], "second": self._names[line.second]}
        return _("%(first)s and %(second)s") % words

    def _cell(
        self,
        names: Sequence[str],
        at: tuple[int, int],
        who: str,
        found: Estimate | None,
        n_items: int,
        *,
        href: str = "",
    ) -> GridMark:
        row, column = at
        shown = figure(found, self.footnotes) if found else None
        value = found.value if found else None
        told = f"{shown.text}, {_items(n_items)}" if shown else _too_few(n_items)
        return GridMark(
            row=names[row],
            column=str(column + 1),
            value=value,
            shade=max(value or 0.0, 0.0),
            words=(shown and shown.value) or "·",
            small=f"n {n_items:,}",
            n=n_items,
            is_same=row == column,
            says=f"{who}: {told}",
            href=href,
        )

    def _estimates(self) -> Iterator[Estimate]:
        for person in self._people:
            yield from filter(None, (person.severity, person.same))
            yield from (week.value for week in person.weeks if week.value)
        for pair in self._pairs:
            yield from filter(None, (pair.agreement, pair.exact))
        for line in self.report.again:
            if line.criterion in (EVERY_CRITERION, self.criterion.key):
                yield from filter(None, (line.same, line.shift, line.agreement))


def page(report: RatersReport, *, criterion: str) -> RatersPage:
    """The page that an address asks for; a blank is the first criterion. NoSuchCriterion."""
    chosen = next(
        (line for line in report.criteria if criterion in ("", line.key)),
        None,
    )
    if chosen is None:
        raise NoSuchCriterion
    return RatersPage(report=report, criterion=chosen)


def _figure(estimate: Estimate | None, footnotes: Footnotes) -> Figure | None:
    return figure(estimate, footnotes) if estimate else None


def _items(n: int) -> str:
    return ngettext("%(n)s item", "%(n)s items", n) % {"n": f"{n:,}"}


def _too_few(n_items: int) -> str:
    if n_items == 0:
        return _("no shared item yet")
    return ngettext(
        "%(n)s item: too few to say anything", "%(n)s items: too few to say anything", n_items
    ) % {"n": n_items}


def _severity_words(severity: Estimate | None, *, is_clear: bool) -> str:
    """What a severity tells, without a judgement on who is right."""
    if severity is None or severity.value is None:
        return ""
    if not is_clear:
        return _("no difference can be told")
    return (
        _("rates higher than the others")
        if severity.value > 0
        else _("rates lower than the others")
    )


def _moment(week: Week) -> trends.Moment | None:
    """None for a week without a value."""
    found = week.value
    if found is None or found.value is None:
        return None
    text = figure(found, Footnotes()).text
    return trends.Moment(
        at=week.monday,
        value=found.value,
        low=found.low,
        high=found.high,
        n=week.n_items,
        says=f"{_day(week.monday)}: {text}; {_items(week.n_items)}",
    )


def _day(at: date) -> str:
    return date_format(at, "SHORT_DATE_FORMAT")


def _without_decimals(label: str) -> str:
    """“20.0 %” as “20 %”, “+0.50” as “+0.5”, “+0.0” as “0”: as an axis has it."""
    if label.endswith("%"):
        return label.replace(".0 %", " %")
    short = label.rstrip("0").rstrip(".")
    return "0" if short == "+0" else short
