"""What the page of raters shows: people by key, each beside the others and with themselves."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

from django.utils.translation import gettext as _

from accounts.punctuation import clauses, in_turn, labelled
from analytics.agreement.numbers import CriterionLine
from analytics.measures import NAMES
from analytics.present.charts import trends
from analytics.present.charts.grids import GridMark, numbered, pairs_grid
from analytics.present.charts.showing import Chart
from analytics.present.grid import Grid
from analytics.present.naming import Naming
from analytics.present.page import Choice, FiguresPage, NoSuchPage, of_criteria, shown
from analytics.present.tables import Table
from analytics.present.viewing import items_of, looked_at
from analytics.present.words import Figure, figure, items, told
from analytics.raters import tables, words
from analytics.raters.numbers import (
    EVERY_CRITERION,
    LEAST_A_WEEK,
    LEAST_ITEMS,
    MOST_IN_MATRIX,
    PairLine,
    PersonLine,
    RatersReport,
    Week,
)
from analytics.stats.estimates import Estimate
from analytics.stats.raters import ERROR
from annotation.queries.wording import said


@dataclass(frozen=True, slots=True, kw_only=True)
class OverWeeks:
    name: str
    chart: Chart | None
    change: str
    words: str


@dataclass(frozen=True, kw_only=True)
class RatersPage(FiguresPage):
    room: ClassVar[str] = "raters"
    report: RatersReport
    criterion: CriterionLine

    def _here(self, whole: Table) -> Grid | None:
        return self.grid(whole, criterion=self.criterion.key)

    beside = shown(tables.people, _here)
    weeks = shown(tables.weeks, _here)
    pairs = shown(tables.pairs, _here)
    latent = shown(tables.latent, _here)
    defensible = shown(tables.defensible, _here)
    sure = shown(tables.sure, _here)
    grounds = shown(tables.grounds, _here)

    @property
    def has_people(self) -> bool:
        return any(not rater.is_judge for rater in self.report.raters)

    @property
    def criteria(self) -> list[Choice]:
        return of_criteria(self.report.criteria, self.criterion.key)

    @property
    def criterion_name(self) -> str:
        return said(self.criterion.name)

    @property
    def criterion_address(self) -> str:
        return self.naming.link("agreement_criterion", criterion=self.criterion.key)

    @property
    def has_order(self) -> bool:
        """Whether values are more or less of something, so that somebody can be severe."""
        return tables.has_order(self.report, self.criterion.key)

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
    def ends(self) -> Mapping[str, str]:
        """Between what the marks beside people are drawn."""
        axis = tables.axis_of(self.report, self.criterion.key)
        statistic = "severity" if self.has_order else "same_as_others"
        return {
            "low": words.end_of_axis(axis.low, statistic),
            "high": words.end_of_axis(axis.high, statistic),
        }

    @cached_property
    def courses(self) -> list[OverWeeks]:
        """Those who rated in rounds; of imported ratings nobody knows when they were given."""
        return [self._course(line) for line in self._people if line.weeks]

    @property
    def said_drift(self) -> str:
        """How many have moved beside the others, in a line; nothing where no course can be shown."""
        if not self.courses:
            return ""
        return words.of_courses([line.trend for line in self._people if line.trend])

    @property
    def has_marks(self) -> bool:
        """Whether anybody shares enough items to be drawn."""
        return any(line.n_items >= LEAST_ITEMS for line in self._people)

    @property
    def n_followed(self) -> int:
        """How many people are looked at together when a drift is named."""
        trends = [line.trend for line in self._people if line.trend]
        return max((round(ERROR / (1 - one.confidence)) for one in trends), default=0)

    @cached_property
    def again(self) -> Grid | None:
        """On the criterion, and on every one together."""
        chosen = [EVERY_CRITERION] if self.is_group else [EVERY_CRITERION, self.criterion.key]
        return self.grid(tables.again(self.report, self.naming), criterion=chosen)

    @property
    def has_repeats(self) -> bool:
        """Whether enough items came back to somebody."""
        return any(one.same for one in self.report.again)

    @property
    def between(self) -> Figure | None:
        """How often two people give the same: what to read repeats against."""
        found = self.report.between.get(EVERY_CRITERION)
        return figure(found, self.footnotes) if found and found.value is not None else None

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
        titled = {"statistic": self.agreement_name, "criterion": self.criterion_name}
        plot = pairs_grid(
            names,
            list(self._cells(raters, names)),
            title=_("%(criterion)s: %(statistic)s of every two raters") % titled,
            says=_(
                "%(criterion)s: %(statistic)s of every two raters. The table below has the same "
                "numbers."
            )
            % titled,
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
            both = {"first": self._names[line.first], "second": self._names[line.second]}
            yield self._cell(
                names,
                (places[line.second], places[line.first]),
                _("%(first)s and %(second)s") % both,
                line.agreement,
                line.n_items,
                href=self._items_of(line),
            )
        for again in self.report.again:
            if again.criterion == self.criterion.key and again.rater in places:
                place = places[again.rater]
                who = _("%(name)s with themselves") % {"name": self._names[again.rater]}
                yield self._cell(
                    names,
                    (place, place),
                    who,
                    again.agreement,
                    again.n_items,
                    href=looked_at(
                        self.report.view, "raters", again.criterion, again.rater, "again"
                    ),
                )

    def _items_of(self, line: PairLine) -> str:
        """The items of a pair; two judges have no list of their own."""
        place = tables.comparison_of(self.report, line)
        return items_of(self.report.view, *place) if place else ""

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

    def _course(self, line: PersonLine) -> OverWeeks:
        name = self._names[line.rater]
        course = words.of_course(line, has_order=self.has_order)
        return OverWeeks(
            name=name,
            chart=self._trend(line, name, course),
            change=words.of_change(line.trend.slope, has_order=self.has_order)
            if line.trend
            else "",
            words=course,
        )

    def _trend(self, line: PersonLine, name: str, course: str) -> Chart | None:
        moments = self._moments(line)
        if not moments:
            return None
        plot = trends.trend_line(
            moments,
            self._frame,
            around=0.0 if self.has_order else None,
            title=name,
            says=labelled(name, course) + f" {in_turn(one.says for one in moments)}",
            x_name=_("Week of"),
            y_name=_("Severity") if self.has_order else _("Same as the others"),
            tick="" if self.has_order else ".0%",
        )
        return Chart(key=f"weeks-{line.criterion}-{line.rater}", plot=plot)

    def _moments(self, line: PersonLine) -> list[trends.Moment]:
        return [moment for week in line.weeks if (moment := self._moment(line, week))]

    def _moment(self, line: PersonLine, week: Week) -> trends.Moment | None:
        """None for a week without a value."""
        found = week.value
        if found is None or found.value is None:
            return None
        day = words.day(week.monday)
        return trends.Moment(
            at=week.monday,
            value=found.value,
            low=found.low,
            high=found.high,
            n=week.n_items,
            says=labelled(day, in_turn((told(found), items(week.n_items)))),
            href=self._items_of_week(line, week),
        )

    def _items_of_week(self, line: PersonLine, week: Week) -> str:
        place = "raters", line.criterion, line.rater, week.monday.isoformat()
        return looked_at(self.report.view, *place)

    @cached_property
    def _frame(self) -> trends.Frame:
        moments = [one for line in self._people for one in self._moments(line)]
        return trends.frame_for(moments, around=0.0 if self.has_order else None)

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
        says = clauses((shown.text, items(n_items))) if shown else words.too_few(n_items)
        return GridMark(
            row=names[row],
            column=str(column + 1),
            value=value,
            shade=max(value or 0.0, 0.0),
            words=(shown and shown.value) or "·",
            small=f"n {n_items:,}",
            n=n_items,
            is_same=row == column,
            says=labelled(who, says),
            href=href,
        )


def page(report: RatersReport, naming: Naming, choices: Mapping[str, str]) -> RatersPage:
    """The page that an address asks for; a blank is the first criterion. NoSuchPage."""
    criterion = choices.get("criterion", "")
    chosen = next((line for line in report.criteria if criterion in ("", line.key)), None)
    if chosen is None:
        raise NoSuchPage
    return RatersPage(report=report, naming=naming, criterion=chosen)
