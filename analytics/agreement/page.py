"""What the agreement pages show: reports turned into tiles, rows and strips."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import get_args
from urllib.parse import urlencode

from django.utils.functional import cached_property
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from analytics.agreement import charts
from analytics.agreement.detail import in_full
from analytics.agreement.numbers import (
    Comparison,
    CriterionLine,
    Kind,
    RaterLine,
    Report,
    SystemComparison,
)
from analytics.agreement.places import (
    PANELS,
    ComparisonPlace,
    NoSuchView,
    comparison_at,
    criterion_line,
    estimate_of,
    place_of,
    suited_to,
)
from analytics.measures import FAMILIES, FAMILY_NAMES, whole
from analytics.present.charts.showing import Chart
from analytics.present.page import Choice
from analytics.present.viewing import Doubtful, distinct_views, view_name
from analytics.present.words import (
    Figure,
    Footnoted,
    counted,
    figure,
    method_names,
    point_names,
    reason_name,
    who,
)
from analytics.ratings import matrices
from analytics.ratings.matrices import View
from analytics.stats.estimates import Estimate, Note, in_order
from analytics.stats.intervals import Kind as IntervalKind
from annotation.queries.wording import said
from annotation.rubric.schema import Rubric

SUMMARIES = (Kind.HUMANS, Kind.JUDGE_HUMANS, Kind.JUDGE_GOLD, Kind.JUDGE_REPEATS)
INTERVALS = {
    "": gettext_lazy("The statistics that suit, as on the matrix"),
    "jackknife": gettext_lazy("All statistics; intervals by jackknife"),
    "bootstrap": gettext_lazy("All statistics; intervals by bootstrap (1,000, fixed weights)"),
    "f": gettext_lazy("All statistics; intervals of ICCs from the F distribution"),
}
_SYSTEM_DIGITS = 3
_OFF_SCALE = {
    False: gettext_lazy("Values off the scale are left out."),
    True: gettext_lazy("Values off the scale are in."),
}
_QUARANTINED = {
    False: gettext_lazy("Items set aside are left out."),
    True: gettext_lazy("Items set aside are in."),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Tile:
    label: str
    figure: Figure | None
    about: str
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One comparison in the table: (family, its figure, None if unsuited) for each family."""

    who: str
    place: ComparisonPlace
    cells: tuple[tuple[str, Figure | None], ...]
    n: str
    own_left_out: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """The rows of one criterion."""

    key: str
    name: str
    is_group: bool
    rows: tuple[Row, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfusionCount:
    """A cell of a confusion table; `shade` from 0 to 5 goes by its share of the row.

    `items` is the end of the address of its items, "" where it has none.
    """

    n: str
    shade: int
    is_same: bool
    items: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Confusion:
    """How often the one in the rows gave a value where the one in the columns gave another.

    `rows`: (value, its counts, their sum).
    """

    rows_name: str
    columns_name: str
    points: tuple[str, ...]
    rows: tuple[tuple[str, tuple[ConfusionCount, ...], str], ...]
    totals: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Detail:
    """One comparison with every statistic that suits it."""

    who: str
    place: ComparisonPlace
    figures: tuple[Figure, ...]
    methods: tuple[str, ...]
    intervals: tuple[Choice, ...]
    is_f_based: bool
    own_left_out: int
    confusion: Confusion | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemLine:
    """The figures of one criterion in one view: over generators, and beside them over items."""

    view: str
    is_current: bool
    systems: Mapping[str, Figure]
    item: Mapping[str, Figure]


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemLevelRow:
    """One criterion over generators, in every view that differs."""

    key: str
    criterion: str
    lines: tuple[SystemLine, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemPart:
    """The rows of one judge; `left_out` names the generators of its own family."""

    judge: str
    n_systems: int
    left_out: str
    rows: tuple[SystemLevelRow, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class QualityRow:
    rater: str
    n_values: str
    unscored: str
    off_scale: str


@dataclass(frozen=True, kw_only=True)
class Dashboard(Footnoted):
    """The agreement page for one view of a study's figures.

    `reports` are in every view, `report` in the one that was asked for; `criterion` is in the
    tiles, `statistic` a family of `measures`.
    """

    report: Report
    reports: Mapping[View, Report]
    rubric: Rubric
    criterion: str
    statistic: str

    @property
    def values_in(self) -> list[str]:
        """What becomes of doubtful values, for those kinds that the study holds."""
        view, held = self.report.view, self.held
        said_of = [
            (held.n_off_scale, view.with_off_scale, _OFF_SCALE),
            (held.n_quarantined, view.with_quarantined, _QUARANTINED),
        ]
        return [str(words[is_in]) for n, is_in, words in said_of if n]

    @property
    def held(self) -> Doubtful:
        return Doubtful(self.report.n_off_scale, self.report.n_quarantined)

    @property
    def revision(self) -> int:
        return self.report.revision

    @property
    def computed_at(self) -> datetime:
        return self.report.computed_at

    @property
    def n_ratings(self) -> str:
        return f"{self.report.n_ratings:,}"

    @property
    def has_figures(self) -> bool:
        return bool(self.report.comparisons)

    @cached_property
    def general_notes(self) -> frozenset[Note]:
        """What holds for every figure at item level: said once, above."""
        notes = [
            frozenset(estimate.notes)
            for one in self.report.comparisons
            for estimate in one.estimates.values()
        ]
        return frozenset.intersection(*notes) if notes else frozenset()

    @property
    def said_general_notes(self) -> list[str]:
        return [_(note.sentence) for note in in_order(self.general_notes)]

    def figure_of(self, estimate: Estimate) -> Figure:
        """An estimate in words, its notes among the footnotes of the page."""
        return figure(estimate, self.footnotes, said_above=self.general_notes)

    @property
    def criteria(self) -> list[Choice]:
        return [
            Choice(key=line.key, name=said(line.name), is_current=line.key == self.criterion)
            for line in self.report.criteria
        ]

    @property
    def statistics(self) -> list[Choice]:
        families = suited_to(self._focus).families
        return [
            Choice(key=key, name=str(FAMILY_NAMES[key]), is_current=key == self.statistic)
            for key in FAMILIES
            if key in families
        ]

    @property
    def statistic_name(self) -> str:
        return str(FAMILY_NAMES[self.statistic])

    @property
    def criterion_name(self) -> str:
        return said(self._focus.name)

    @property
    def _focus(self) -> CriterionLine:
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
            figure=self._headline(best),
            about=self._best_of(best, len(judges)),
            reason=_("No judge has rated what people have rated."),
        )

    def _gold_tile(self, found: list[Comparison]) -> Tile:
        judges = [one for one in found if one.kind is Kind.JUDGE_GOLD]
        accuracy = "accuracy" in suited_to(self._focus).gold
        best = max(judges, key=self._rank_on_gold if accuracy else self._rank, default=None)
        shown = self._headline(best)
        if best is not None and accuracy:
            shown = self.figure_of(best.estimates["accuracy"])
        return Tile(
            label=_("Judge against gold"),
            figure=shown,
            about=self._best_of(best, len(judges)),
            reason=_("No judge has rated an item that has gold."),
        )

    def _best_of(self, best: Comparison | None, n_judges: int) -> str:
        if best is None:
            return ""
        name = next(rater.name for rater in self.report.raters if rater.id == best.raters[-1])
        if n_judges == 1:
            return name
        return _("%(judge)s, the best of %(n)s judges") % {"judge": name, "n": n_judges}

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

    def _headline(self, comparison: Comparison | None) -> Figure | None:
        estimate = self._estimate(comparison)
        return self.figure_of(estimate) if estimate else None

    @cached_property
    def sections(self) -> list[Section]:
        return [
            self._section(line, [one for one in self._of(line) if one.kind in SUMMARIES])
            for line in self.report.criteria
        ]

    def section(self, key: str) -> Section:
        """One criterion with all its comparisons, those of single people too."""
        line = criterion_line(self.report, key)
        return self._section(line, self._of(line))

    def _of(self, line: CriterionLine) -> list[Comparison]:
        return [one for one in self.report.comparisons if one.criterion == line.key]

    def _section(self, line: CriterionLine, found: list[Comparison]) -> Section:
        return Section(
            key=line.key,
            name=said(line.name),
            is_group=line.is_group,
            rows=tuple(self._row(one) for one in found),
        )

    def _row(self, comparison: Comparison) -> Row:
        estimates = [estimate_of(self.report, comparison, family) for family in FAMILIES]
        figures = tuple(one and self.figure_of(one) for one in estimates)
        return Row(
            who=who(comparison, self.report),
            place=place_of(comparison),
            cells=tuple(zip(self.families, figures, strict=True)),
            n=next((one.n for one in figures if one), ""),
            own_left_out=f"{comparison.own_left_out:,}" if comparison.own_left_out else "",
        )

    @property
    def families(self) -> list[str]:
        return [str(FAMILY_NAMES[family]) for family in FAMILIES]

    def detail(self, kind: str, raters: str, *, study_id: int, intervals: str = "") -> Detail:
        """The comparison of the criterion in view with this address, or NoSuchView.

        With `intervals` all its statistics are computed now, else those that suit it are shown as
        they are kept.
        """
        comparison = comparison_at(self.report, self.criterion, kind, raters)
        line = self._focus
        if intervals:
            comparison = _in_full(study_id, self.report, comparison, intervals)
        order = in_order_of(comparison, line)
        return Detail(
            who=who(comparison, self.report),
            place=place_of(comparison),
            figures=tuple(self.figure_of(comparison.estimates[name]) for name in order),
            methods=tuple(_methods(comparison.estimates.values())),
            intervals=tuple(
                Choice(key=key, name=str(name), is_current=key == intervals)
                for key, name in INTERVALS.items()
            ),
            is_f_based=intervals == "f",
            own_left_out=comparison.own_left_out,
            confusion=self._confusion(comparison, line),
        )

    def _confusion(self, comparison: Comparison, line: CriterionLine) -> Confusion | None:
        if comparison.table is None:
            return None
        names = {rater.id: rater.name for rater in self.report.raters}
        rows = {
            Kind.JUDGE_GOLD: _("Gold"),
            Kind.JUDGE_HUMANS: _("People"),
        }
        points = point_names(self.rubric, line.key, line.points)
        return Confusion(
            rows_name=rows.get(comparison.kind, names[comparison.raters[0]]),
            columns_name=names[comparison.raters[-1]],
            points=tuple(points),
            rows=tuple(
                (
                    point,
                    tuple(
                        ConfusionCount(
                            n=f"{n:,}",
                            shade=_shade(n, sum(counts)),
                            is_same=place == column,
                            items=_cell_address(line, place, column) if n else "",
                        )
                        for column, n in enumerate(counts)
                    ),
                    f"{sum(counts):,}",
                )
                for place, (point, counts) in enumerate(zip(points, comparison.table, strict=True))
            ),
            totals=tuple(f"{sum(column):,}" for column in zip(*comparison.table, strict=True)),
        )

    @cached_property
    def forest(self) -> Chart | None:
        spec = charts.forest(self.report, self.statistic)
        return Chart(key=f"forest-{self.statistic}", plot=spec) if spec else None

    @property
    def charts(self) -> Mapping[str, Chart]:
        return {self.forest.key: self.forest} if self.forest else {}

    @cached_property
    def systems(self) -> list[SystemPart]:
        return [
            self._system_part(judge, rows)
            for judge in self.report.raters
            if (rows := [one for one in self.report.systems if one.judge == judge.id])
        ]

    @property
    def few_systems(self) -> str:
        few = any(
            Note.FEW_SYSTEMS in one.notes
            for line in self.report.systems
            for one in line.estimates.values()
        )
        return _(Note.FEW_SYSTEMS.sentence) if few else ""

    def _system_part(self, judge: RaterLine, rows: list[SystemComparison]) -> SystemPart:
        return SystemPart(
            judge=judge.name,
            n_systems=max(len(one.systems) for one in rows),
            left_out=", ".join(judge.own_generators),
            rows=tuple(map(self._system_row, rows)),
        )

    def _system_row(self, line: SystemComparison) -> SystemLevelRow:
        return SystemLevelRow(
            key=line.criterion,
            criterion=said(criterion_line(self.report, line.criterion).name),
            lines=tuple(self._system_line(line, view) for view in self.views),
        )

    def _system_line(self, line: SystemComparison, view: View) -> SystemLine:
        place = (line.judge, line.criterion)
        report = self.reports[view]
        systems = [one for one in report.systems if (one.judge, one.criterion) == place]
        items = [
            one
            for one in report.comparisons
            if one.kind is Kind.JUDGE_HUMANS and (one.raters[-1], one.criterion) == place
        ]
        return SystemLine(
            view=view_name(view, self.held),
            is_current=self.effective == view,
            systems=self._figures(systems[0].estimates) if systems else {},
            item=self._figures(items[0].estimates) if items else {},
        )

    @property
    def views(self) -> list[View]:
        """The views that differ, from as released to the plain one."""
        return [view for view in distinct_views(self.held) if view in self.reports]

    @property
    def view_names(self) -> list[tuple[str, bool]]:
        """(what a view that differs is called, whether it is in use)."""
        return [(view_name(view, self.held), view == self.effective) for view in self.views]

    @property
    def effective(self) -> View:
        """The view in use, without what the study does not hold."""
        return View(
            with_off_scale=self.report.view.with_off_scale and bool(self.held.n_off_scale),
            with_quarantined=self.report.view.with_quarantined and bool(self.held.n_quarantined),
        )

    def _figures(self, estimates: Mapping[str, Estimate]) -> dict[str, Figure]:
        return {
            name: figure(
                estimate,
                self.footnotes,
                digits=_SYSTEM_DIGITS,
                said_above={Note.FEW_SYSTEMS, *self.general_notes},
            )
            for name, estimate in estimates.items()
            if name in ("icc_c1", "icc_a1", "bias", "mean_x", "mean_y")
        }

    @property
    def quality(self) -> list[QualityRow]:
        names = {rater.id: rater.name for rater in self.report.raters}
        return [
            QualityRow(
                rater=names[line.rater],
                n_values=f"{line.n_values:,}",
                unscored="; ".join(
                    f"{n:,} {reason_name(reason)}" for reason, n in line.unscored.items()
                ),
                off_scale=f"{line.n_off_scale:,}" if line.n_off_scale else "",
            )
            for line in self.report.quality
        ]

    @property
    def methods(self) -> list[str]:
        used = {
            estimate.method
            for group in (self.report.comparisons, self.report.systems)
            for one in group
            for estimate in one.estimates.values()
            if estimate.method
        }
        return method_names(used)

    @property
    def made_of(self) -> str:
        """What the figures were computed from, in words."""
        aside = 0 if self.report.view.with_quarantined else self.report.n_quarantined
        n_items = self.report.n_items - aside
        return counted(n_items, n_items, n_set_aside=aside)


def dashboard(
    found: Mapping[View, Report], rubric: Rubric, *, view: View, criterion: str, statistic: str
) -> Dashboard:
    """The page that an address asks for; blanks are the defaults. NoSuchView otherwise."""
    report = found[view]
    line = criterion_line(report, criterion or report.criteria[0].key)
    families = suited_to(line).families
    if statistic and statistic not in FAMILIES:
        raise NoSuchView
    if statistic not in families:
        statistic = leading(report, line)
    return Dashboard(
        report=report,
        reports=found,
        rubric=rubric,
        criterion=line.key,
        statistic=statistic,
    )


def in_order_of(comparison: Comparison, line: CriterionLine) -> list[str]:
    """The statistics of a comparison in the order of `measures`, whatever order they come in."""
    is_panel = comparison.kind in PANELS
    every = whole(line.measurement, is_group=line.is_group, is_panel=is_panel)
    order = every if is_panel else (*suited_to(line).gold, *every)
    return [name for name in order if name in comparison.estimates]


def _in_full(study_id: int, report: Report, comparison: Comparison, intervals: str) -> Comparison:
    kinds: tuple[IntervalKind, ...] = get_args(IntervalKind)
    if intervals not in kinds:
        raise NoSuchView
    study = matrices.read(study_id)
    table = matrices.matrix(study, comparison.criterion, view=report.view)
    return in_full(study, table, comparison, intervals=intervals)


def _methods(estimates: Iterable[Estimate]) -> list[str]:
    return method_names({estimate.method for estimate in estimates if estimate.method})


def leading(report: Report, line: CriterionLine) -> str:
    """The first leading family that is defined wherever ratings are compared, else the first."""
    compared = [
        one
        for one in report.comparisons
        if one.criterion == line.key and one.kind in (Kind.HUMANS, Kind.JUDGE_HUMANS)
    ]
    leading = suited_to(line).leading
    for family in leading:
        found = [estimate_of(report, one, family) for one in compared]
        if all(estimate and estimate.value is not None for estimate in found):
            return family
    return leading[0]


def family_name(family: str) -> str:
    return str(FAMILY_NAMES[family])


def _cell_address(line: CriterionLine, row: int, column: int) -> str:
    return urlencode({"row": f"{line.points[row]:g}", "column": f"{line.points[column]:g}"})


def _shade(n: int, whole: int) -> int:
    return math.ceil(5 * n / whole) if whole else 0
