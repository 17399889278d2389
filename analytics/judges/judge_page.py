"""What the page of one judge shows."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from django.utils.safestring import SafeString

from analytics.agreement import charts
from analytics.agreement.numbers import CriterionLine, RaterLine
from analytics.judges import lookup, tables, words
from analytics.judges.numbers import Against, JudgesReport, Reference
from analytics.judges.page import (
    HowAsked,
    JudgesPage,
    Rivals,
    reference_named,
    settings_of,
    statistic_named,
)
from analytics.measures import FAMILY_NAMES, NAMES
from analytics.present.charts import strips
from analytics.present.charts.parts import Spec
from analytics.present.charts.showing import Chart
from analytics.present.grid import Grid
from analytics.present.naming import Naming
from analytics.present.page import Choice, NoSuchPage
from analytics.present.tables import Table
from analytics.present.words import Figure, number
from analytics.stats.estimates import Estimate
from annotation.queries.wording import said


@dataclass(frozen=True, slots=True, kw_only=True)
class Focus:
    """One criterion in close view: where on the scale, or at which label, the judge errs."""

    criterion: str
    sentences: tuple[str, ...]
    curve: Chart | None
    has_people_curve: bool
    plot: Chart | None
    labels: Grid | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Strip:
    """A criterion in a plot that is a row of strips; `statistic` where these differ."""

    criterion: str
    figure: Figure
    drawing: SafeString
    statistic: str = ""


@dataclass(frozen=True, kw_only=True)
class JudgePage(JudgesPage):
    """One judge. `criterion` is the one in close view."""

    judge: RaterLine
    criterion: str

    @property
    def in_view(self) -> tuple[RaterLine, ...]:
        return (self.judge,)

    @property
    def how(self) -> HowAsked:
        return self.settings.get(self.judge.id, HowAsked())

    @property
    def criteria(self) -> list[Choice]:
        """What can be seen closely: single criteria, where there are several."""
        single = [line for line in self.report.criteria if not line.is_group]
        return [
            Choice(key=line.key, name=said(line.name), is_current=line.key == self.criterion)
            for line in single
            if len(single) > 1
        ]

    @property
    def criterion_in_view(self) -> str:
        return self.criterion_name(self.criterion)

    @property
    def in_short(self) -> list[str]:
        """What to know of the judge before any table."""
        found = [
            (line, estimate)
            for line in self.report.criteria
            if not line.is_group and (estimate := self.agreement(self.judge.id, line))
        ]
        sentences = [
            words.of_agreement(
                [(said(line.name), estimate) for line, estimate in found], self.reference_name
            ),
            words.of_standings(
                [
                    under
                    for line, _estimate in found
                    if (under := self.under_ceiling(self.judge.id, line))
                ]
            ),
            words.of_tests(
                [one.test for one in self.report.beside if one.judge == self.judge.id and one.test]
                if self.reference is Reference.PEOPLE
                else []
            ),
            words.of_biases(
                [
                    (self.criterion_name(one.criterion), one.item.estimates["bias"])
                    for one in self._against_single
                    if "bias" in one.item.estimates
                ],
                self.reference_name,
            ),
            *self.said_halos,
            words.of_repeats(
                [
                    (self.criterion_name(one.criterion), one.estimates["unanimous"])
                    for one in self.report.repeats
                    if one.judge == self.judge.id
                ]
            ),
        ]
        return [sentence for sentence in sentences if sentence]

    @cached_property
    def _against(self) -> list[Against]:
        return [
            one
            for one in self.report.against
            if one.judge == self.judge.id and one.reference is self.reference
        ]

    @property
    def _against_single(self) -> list[Against]:
        """Without groups, whose figures say again what those of their criteria say."""
        return [
            one for one in self._against if not lookup.line_of(self.report, one.criterion).is_group
        ]

    @property
    def left_out(self) -> str:
        return ", ".join(self.judge.own_generators)

    @property
    def forest(self) -> list[Strip]:
        return [
            self._strip(line, estimate)
            for line in self.report.criteria
            if (estimate := self.agreement(self.judge.id, line))
        ]

    def _strip(self, line: CriterionLine, estimate: Estimate) -> Strip:
        under = self.under_ceiling(self.judge.id, line)
        statistic = self.statistic_of(line)
        shown = self.figure(estimate)
        return Strip(
            criterion=said(line.name),
            statistic=str(FAMILY_NAMES.get(statistic, NAMES[statistic])),
            figure=shown,
            drawing=strips.strip(
                estimate,
                self.axis,
                says=self._says(self.judge, line, shown),
                look=charts.looks(self.report)[self.judge.id],
                band=under.people if under else None,
            ),
        )

    @cached_property
    def axis(self) -> strips.Axis:
        """Of all judges, so that their pages can be laid beside each other."""
        shown = []
        for line in self.report.criteria:
            for judge in self.report.judges:
                under = self.under_ceiling(judge.id, line)
                estimate = self.agreement(judge.id, line)
                shown += [one for one in (under and under.people, estimate) if one]
        return strips.axis_for(shown)

    @property
    def forest_scale(self) -> SafeString:
        return strips.scale(self.axis, labels=[_tick_label(tick) for tick in self.axis.ticks])

    @property
    def charts(self) -> Mapping[str, Chart]:
        shown = (self.focus.curve, self.focus.plot) if self.focus else ()
        return {one.key: one for one in shown if one}

    @cached_property
    def ceilings(self) -> Grid | None:
        if not self.has_ceiling:
            return None
        whole = tables.ceilings(self.report, self.naming)
        return self._of_judge(whole, statistic_of=self.in_table["statistic"])

    @cached_property
    def item_level(self) -> list[Grid]:
        found = map(self._here, tables.item_level(self.report, self.naming))
        return [grid for grid in found if grid]

    @cached_property
    def with_each(self) -> Grid | None:
        return self._beside_people(tables.with_each(self.report, self.naming))

    @cached_property
    def systems(self) -> Grid | None:
        return self._beside_people(tables.systems(self.report, self.naming))

    @cached_property
    def tests(self) -> Grid | None:
        return self._of_judge(tables.tests(self.report, self.naming))

    @cached_property
    def tests_by_person(self) -> Grid | None:
        return self._of_judge(tables.tests_by_person(self.report, self.naming))

    @cached_property
    def strata(self) -> Grid | None:
        """How the judge does where people agree, and where they do not."""
        return self._beside_people(tables.strata(self.report, self.naming))

    @cached_property
    def behind_plots(self) -> list[Grid]:
        """The numbers that the plots of the close view draw, then those of all criteria."""
        found = [
            self._in_focus(tables.severity(self.report, self.naming)),
            self._here(tables.differences(self.report, self.naming)),
            self._here(tables.scale_use(self.report, self.naming)),
        ]
        return [grid for grid in found if grid]

    def _of_judge(self, whole: Table, **chosen: str | Sequence[str]) -> Grid | None:
        judge = str(self.naming.rater(self.judge.id).exact)
        return self.grid(whole, judge=judge, **chosen)

    def _beside_people(self, whole: Table) -> Grid | None:
        return self._of_judge(whole) if self.reference is Reference.PEOPLE else None

    def _here(self, whole: Table, **chosen: str) -> Grid | None:
        return self._of_judge(whole, reference=self.reference.value, **chosen)

    def _in_focus(self, whole: Table) -> Grid | None:
        return self._here(whole, criterion=self.criterion)

    @cached_property
    def focus(self) -> Focus | None:
        found = lookup.against(self.report, self.judge.id, self.criterion, self.reference)
        if found is None or not (found.shape.levels or found.shape.labels):
            return None
        return Focus(
            criterion=self.criterion_name(found.criterion),
            sentences=tuple(self._sentences(found)),
            curve=self._curve(found),
            has_people_curve=bool(found.shape.levels_of_people),
            plot=self._plot(found),
            labels=self._in_focus(tables.labels(self.report, self.naming)),
        )

    def _sentences(self, found: Against) -> Iterable[str]:
        if not found.shape.levels:
            return
        yield words.of_bias(found.shape.differences["bias"], self.reference_name)
        yield from words.of_levels(
            found.shape.levels, found.shape.levels_of_people, self.reference_name
        )
        use = found.shape.use
        if spread := words.of_spread(use["sd_ratio"], use["top_difference"], self.reference_name):
            yield spread

    def _curve(self, found: Against) -> Chart | None:
        shape = found.shape
        of = charts.beside(self.report, found.item)
        spec = charts.severity(of, shape.levels, shape.levels_of_people)
        return self._chart("severity", spec)

    def _plot(self, found: Against) -> Chart | None:
        of = charts.beside(self.report, found.item)
        spec = charts.bland_altman(of, found.shape.bubbles, found.shape.differences)
        return self._chart("bland-altman", spec)

    def _chart(self, kind: str, spec: Spec | None) -> Chart | None:
        key = f"{kind}-{self.criterion}-{self.judge.id}"
        return Chart(key=key, plot=spec) if spec else None

    @property
    def biases(self) -> list[Strip]:
        found = [
            (one, one.item.estimates["bias"])
            for one in self._against
            if "bias" in one.item.estimates
        ]
        axis = strips.axis_for([bias for _one, bias in found], low=None, high=None)
        look = charts.looks(self.report)[self.judge.id]
        rows = []
        for one, bias in found:
            shown = self.figure(bias)
            name = self.criterion_name(one.criterion)
            rows.append(
                Strip(
                    criterion=name,
                    figure=shown,
                    drawing=strips.strip(bias, axis, says=f"{name}: {shown.text}", look=look),
                )
            )
        return rows

    @property
    def bias_scale(self) -> SafeString:
        biases = [
            one.item.estimates["bias"] for one in self._against if "bias" in one.item.estimates
        ]
        axis = strips.axis_for(biases, low=None, high=None)
        return strips.scale(axis, labels=[_tick_label(tick, "bias") for tick in axis.ticks])

    @property
    def said_halos(self) -> list[str]:
        return [
            words.of_halo(one.of_judge, one.more)
            for one in self.report.halos
            if one.judge == self.judge.id
        ]

    @cached_property
    def halos(self) -> Grid | None:
        return self._of_judge(tables.halos(self.report, self.naming))

    @cached_property
    def leanings(self) -> Grid | None:
        return self._here(tables.leanings(self.report, self.naming))

    @property
    def said_verbosity(self) -> str:
        """Blank where nothing can be said of length."""
        slopes = [
            (self.criterion_name(one.criterion), one.leanings.verbosity)
            for one in self._against_single
            if one.leanings.verbosity
        ]
        return words.of_verbosity(slopes, self.reference_name) if slopes else ""

    @property
    def why_no_verbosity(self) -> str:
        return words.why_no_verbosity(
            has_lengths=bool(self.report.n_lengths),
            has_replies_to_compare=self.report.n_dialogues < self.report.n_items,
        )

    @property
    def said_preference(self) -> str:
        """Blank where nothing can be said of the judge’s own family."""
        found = [
            (self.criterion_name(one.criterion), one.leanings.preference["self_preference"])
            for one in self._against_single
            if one.leanings.preference
        ]
        if not found:
            return ""
        return words.of_preference(
            found,
            n_generators=len(self.judge.own_generators),
            n_peers=len(self.report.judges) - 1,
        )

    @property
    def why_no_preference(self) -> str:
        return words.why_no_preference(
            has_family=bool(self.judge.own_generators), has_peers=len(self.report.judges) > 1
        )

    @cached_property
    def repeats(self) -> Grid | None:
        return self._of_judge(tables.repeats(self.report, self.naming))

    @cached_property
    def runs(self) -> Grid | None:
        """Each repeat on the criterion in close view."""
        return self._in_focus(tables.runs(self.report, self.naming))

    @cached_property
    def comparisons(self) -> list[Rivals]:
        return self.versus({self.judge.id})


def judge_page(
    report: JudgesReport,
    naming: Naming,
    *,
    judge: str,
    reference: str,
    statistic: str,
    criterion: str,
) -> JudgePage:
    """The page that an address asks for; blanks are the defaults. NoSuchPage otherwise."""
    found = next((one for one in report.judges if one.key == judge), None)
    single = [line.key for line in report.criteria if not line.is_group]
    if found is None or (criterion and criterion not in single):
        raise NoSuchPage
    return JudgePage(
        report=report,
        naming=naming,
        reference=reference_named(report, reference),
        statistic=statistic_named(statistic),
        settings=settings_of(report),
        judge=found,
        criterion=criterion or single[0],
    )


def _tick_label(tick: float, statistic: str = "") -> str:
    """A number under a plot; zero has neither sign nor digits."""
    return (number(round(tick, 2), statistic) or "") if tick else "0"
