"""What the pages of agreement show: tiles, every comparison, generators, and what went in."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import chain
from typing import ClassVar

from django.utils.functional import cached_property
from django.utils.translation import gettext as _

from accounts.punctuation import listed
from analytics.agreement import tables, words
from analytics.agreement.numbers import CriterionLine, Report
from analytics.comparisons.kinds import Comparison, Kind
from analytics.measures import FAMILIES, FAMILY_NAMES
from analytics.present.charts import beside as charts
from analytics.present.charts.showing import Chart
from analytics.present.grid import MOST_LINES, Grid, GridNote
from analytics.present.naming import Naming
from analytics.present.page import Choice, FiguresPage, NoSuchPage, choices, of_criteria, shown
from analytics.present.places import (
    criterion_line,
    estimate_of,
    leading,
    straw_man_beside,
    suited_to,
)
from analytics.present.straw_men import nothing_certified
from analytics.present.tables import Table, only
from analytics.present.viewing import distinct_views
from analytics.present.words import Figure, counted, figure, shared_notes, who
from analytics.ratings.matrices import View
from analytics.stats.estimates import Estimate, Note, in_order
from analytics.stats.looks import widened
from annotation.queries.wording import said


@dataclass(frozen=True, slots=True, kw_only=True)
class Tile:
    label: str
    figure: Figure | None
    about: str
    reason: str = ""


def _readable(page: "AgreementPage", whole: Table) -> Grid | None:
    """Of a table of many lines those of the criterion in view, if it has any; the files have all."""
    if len(whole.lines) <= MOST_LINES:
        return page.grid(whole)
    of_criterion = only(whole, criterion=[page.criterion]).lines
    found = page.grid(replace(whole, lines=of_criterion or whole.lines))
    if found is None:
        return None
    found = replace(found, n_more=len(whole.lines) - len(found.rows))
    if not of_criterion:
        return found
    words = _("Here are the rows about %(criterion)s alone; another is chosen above.")
    note = GridNote(text=words % {"criterion": page.criterion_name})
    return replace(found, notes=(note, *found.notes))


@dataclass(frozen=True, kw_only=True)
class AgreementPage(FiguresPage):
    """One view of a study's figures.

    `reports` are in every view, `report` in the one that was asked for; `criterion` is in the
    tiles, `statistic` a family of `measures`.
    """

    room: ClassVar[str] = "agreement"
    report: Report
    reports: Mapping[View, Report]
    criterion: str
    statistic: str

    item_level = shown(tables.item_level, _readable)
    systems = shown(tables.system_level, _readable)
    quality = shown(tables.what_went_in)
    derived = shown(tables.derived_scores)

    @property
    def values_in(self) -> list[str]:
        return words.values_in(self.report)

    @property
    def n_ratings(self) -> str:
        return f"{self.report.n_ratings:,}"

    @property
    def made_of(self) -> str:
        """What the figures were computed from, in words."""
        aside = 0 if self.report.view.with_quarantined else self.report.n_quarantined
        n_items = self.report.n_items - aside
        return counted(n_items, n_items, n_set_aside=aside)

    @property
    def has_figures(self) -> bool:
        return bool(self.report.comparisons)

    @property
    def views(self) -> list[View]:
        """The views that differ, from as released to the plain one."""
        held = words.held_by(self.report)
        return [
            view for view in distinct_views(held, self.report.view.within) if view in self.reports
        ]

    @cached_property
    def _at_item_level(self) -> frozenset[Note]:
        """What holds for every figure at item level: said once, above."""
        every = (one.estimates.values() for one in self.report.comparisons)
        return shared_notes(chain.from_iterable(every))

    @property
    def general_notes(self) -> frozenset[Note]:
        return self._at_item_level | {Note.FEW_SYSTEMS}

    @property
    def said_general_notes(self) -> list[str]:
        return [_(note.sentence) for note in in_order(self._at_item_level)]

    @property
    def few_systems(self) -> str:
        """What holds for figures over few generators: said beside them."""
        few = any(
            Note.FEW_SYSTEMS in one.notes
            for line in self.report.systems
            for one in line.estimates.values()
        )
        return _(Note.FEW_SYSTEMS.sentence) if few else ""

    def figure_of(self, estimate: Estimate) -> Figure:
        """An estimate in words, its notes among the footnotes of the page."""
        return figure(estimate, self.footnotes, said_above=self.general_notes)

    @property
    def criteria(self) -> list[Choice]:
        return of_criteria(self.report.criteria, self.criterion)

    @property
    def statistics(self) -> list[Choice]:
        families = suited_to(self.line).families
        known = ((key, FAMILY_NAMES[key]) for key in FAMILIES if key in families)
        return choices(known, self.statistic)

    @property
    def statistic_name(self) -> str:
        return str(FAMILY_NAMES[self.statistic])

    @property
    def criterion_name(self) -> str:
        return said(self.line.name)

    @property
    def line(self) -> CriterionLine:
        return criterion_line(self.report, self.criterion)

    @cached_property
    def tiles(self) -> list[Tile]:
        found = [one for one in self.report.comparisons if one.criterion == self.criterion]
        return [self._humans_tile(found), self._judge_tile(found), self._gold_tile(found)]

    def _humans_tile(self, found: list[Comparison]) -> Tile:
        humans = next((one for one in found if one.kind is Kind.HUMANS), None)
        return Tile(
            label=_("People among themselves"),
            figure=self._headline(humans),
            about=who(humans, self.report) if humans else "",
            reason=_("Fewer than two people have rated this, so their agreement is not known."),
        )

    def _judge_tile(self, found: list[Comparison]) -> Tile:
        judges = [one for one in found if one.kind is Kind.JUDGE_HUMANS]
        best = max(judges, key=self._rank, default=None)
        return Tile(
            label=_("Judge and people"),
            figure=self._headline(best, n_judges=len(judges)),
            about=self._best_of(best, len(judges)),
            reason=_("No judge has rated what people have rated."),
        )

    def _gold_tile(self, found: list[Comparison]) -> Tile:
        judges = [one for one in found if one.kind is Kind.JUDGE_GOLD]
        accuracy = "accuracy" in suited_to(self.line).gold
        best = max(judges, key=self._rank_on_gold if accuracy else self._rank, default=None)
        shown = self._headline(best, n_judges=len(judges))
        if best is not None and accuracy:
            shown = self.figure_of(widened(best.estimates["accuracy"], len(judges)))
        return Tile(
            label=_("Judge against gold"),
            figure=shown,
            about=self._best_of(best, len(judges), is_accuracy=accuracy),
            reason=_("No judge has rated an item that has gold."),
        )

    def _best_of(self, best: Comparison | None, n_judges: int, *, is_accuracy: bool = False) -> str:
        if best is None:
            return ""
        name = next(rater.name for rater in self.report.raters if rater.id == best.raters[-1])
        if n_judges == 1:
            return name
        if self.statistic == "bias" and not is_accuracy:
            return _(
                "%(judge)s, the nearest to 0 of %(n)s judges. The nearest of several is partly "
                "nearest by chance, so the interval is widened to hold for all of them at once "
                "(Bonferroni)"
            ) % {"judge": name, "n": n_judges}
        return _(
            "%(judge)s, the highest of %(n)s judges. The highest of several is partly highest by "
            "chance, so the interval is widened to hold for all of them at once (Bonferroni)"
        ) % {"judge": name, "n": n_judges}

    def _rank(self, comparison: Comparison) -> float:
        estimate = self._estimate(comparison)
        if estimate is None or estimate.value is None:
            return float("-inf")
        return -abs(estimate.value) if self.statistic == "bias" else estimate.value

    def _rank_on_gold(self, comparison: Comparison) -> float:
        value = comparison.estimates["accuracy"].value
        return float("-inf") if value is None else value

    def _estimate(self, comparison: Comparison | None) -> Estimate | None:
        if comparison is None:
            return None
        return estimate_of(self.report, comparison, self.statistic)

    def _headline(self, comparison: Comparison | None, *, n_judges: int = 1) -> Figure | None:
        """The figure of the best of so many judges, whose interval holds for any of them."""
        estimate = self._estimate(comparison)
        return self.figure_of(widened(estimate, n_judges)) if estimate else None

    @cached_property
    def nothing_certified(self) -> list[str]:
        """Where a straw man comes as far as judges by the statistic in view."""
        found: dict[tuple[str, bool], list[Comparison]] = {}
        for one in self.report.comparisons:
            if one.kind in (Kind.JUDGE_HUMANS, Kind.JUDGE_GOLD):
                found.setdefault((one.criterion, one.kind is Kind.JUDGE_GOLD), []).append(one)
        said_of = (self._nothing_certified(several) for several in found.values())
        return [sentence for sentence in said_of if sentence]

    def _nothing_certified(self, several: list[Comparison]) -> str:
        names = {rater.id: rater.name for rater in self.report.raters}
        figures = [
            (names[one.raters[-1]], estimate)
            for one in several
            if (estimate := self._estimate(one)) is not None
        ]
        straw_man = straw_man_beside(self.report, several[0], self.statistic)
        return nothing_certified(self.naming, several[0].criterion, straw_man, figures)

    @property
    def not_compared(self) -> str:
        """The criteria that nobody can be compared on yet."""
        compared = {one.criterion for one in self.report.comparisons}
        return listed(said(line.name) for line in self.report.criteria if line.key not in compared)

    @cached_property
    def of_criterion(self) -> list[Grid]:
        """Every comparison of the criterion, those of single people too."""
        found = (
            self.grid(every(self.report, self.naming), criterion=self.criterion)
            for every in (tables.item_level, tables.single_raters)
        )
        return [grid for grid in found if grid]

    @cached_property
    def forest(self) -> Chart | None:
        spec = charts.forest(self.report, self.statistic)
        return Chart(key=f"forest-{self.statistic}", plot=spec) if spec else None

    @property
    def charts(self) -> Mapping[str, Chart]:
        return {self.forest.key: self.forest} if self.forest else {}

    @cached_property
    def systems_with_and_without(self) -> Grid | None:
        return _readable(self, tables.systems_with_and_without(self._in_every_view, self.naming))

    @cached_property
    def with_and_without(self) -> Grid | None:
        return self.grid(tables.with_and_without(self._in_every_view, self.naming))

    @cached_property
    def the_same_without(self) -> Grid | None:
        return self.grid(tables.the_same_without(self._in_every_view, self.naming))

    @property
    def _in_every_view(self) -> Mapping[View, Report]:
        return {self.report.view: self.report} | dict(self.reports)


def page(
    found: Mapping[View, Report], naming: Naming, choices: Mapping[str, str], *, view: View
) -> AgreementPage:
    """The page that an address asks for; blanks are the defaults. NoSuchPage otherwise."""
    report = found[view]
    line = criterion_line(report, choices.get("criterion") or report.criteria[0].key)
    statistic = choices.get("statistic", "")
    families = suited_to(line).families
    if statistic and statistic not in FAMILIES:
        raise NoSuchPage
    if statistic not in families:
        statistic = leading(report, line)
    return AgreementPage(
        report=report,
        reports=found,
        naming=naming,
        criterion=line.key,
        statistic=statistic,
    )
