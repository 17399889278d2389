"""What the page of one judge shows."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from accounts.punctuation import in_turn, labelled, listed
from analytics.agreement.numbers import CriterionLine, RaterLine
from analytics.judges import lookup, tables, words
from analytics.judges.disputed import written
from analytics.judges.numbers import Against, Caution, CautionAt, JudgesReport, Reference
from analytics.judges.page import (
    HowAsked,
    JudgesPage,
    reference_named,
    settings_of,
    statistic_named,
)
from analytics.present import straw_men
from analytics.present.charts import beside as charts
from analytics.present.charts import strips
from analytics.present.charts.curves import Step, curve_beside_people
from analytics.present.charts.parts import Spec
from analytics.present.charts.showing import Chart
from analytics.present.grid import Grid
from analytics.present.naming import Naming
from analytics.present.page import Choice, NoSuchPage, of_criteria, shown
from analytics.present.tables import Table, only
from analytics.present.viewing import looked_at
from analytics.present.words import Figure, figure, items, number, short_name
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

    def _of_judge(self, whole: Table, **chosen: str | Sequence[str]) -> Grid | None:
        judge = str(self.naming.rater(self.judge.id).exact)
        return self.grid(whole, judge=judge, **chosen)

    def _beside_people(self, whole: Table) -> Grid | None:
        return self._of_judge(whole) if self.reference is Reference.PEOPLE else None

    def _here(self, whole: Table, **chosen: str) -> Grid | None:
        return self._of_judge(whole, reference=self.reference.value, **chosen)

    def _in_focus(self, whole: Table) -> Grid | None:
        return self._here(whole, criterion=self.criterion)

    with_each = shown(tables.with_each, _beside_people)
    systems = shown(tables.systems, _beside_people)
    tests = shown(tables.tests, _of_judge)
    tests_by_person = shown(tables.tests_by_person, _of_judge)
    strata = shown(tables.strata, _beside_people)
    caution_more = shown(tables.caution_more, _beside_people)
    halos = shown(tables.halos, _of_judge)
    leanings = shown(tables.leanings, _here)
    repeats = shown(tables.repeats, _of_judge)
    runs = shown(tables.runs, _in_focus)

    @property
    def in_view(self) -> tuple[RaterLine, ...]:
        return (self.judge,)

    @property
    def how(self) -> HowAsked:
        return self.settings.get(self.judge.id, HowAsked())

    @property
    def criteria(self) -> list[Choice]:
        """What can be seen closely: single criteria, where there are several."""
        return of_criteria(self._single if len(self._single) > 1 else (), self.criterion)

    @property
    def criterion_in_view(self) -> str:
        return self.criterion_name(self.criterion)

    @property
    def said_agreement(self) -> str:
        return words.of_agreement(self._agreements, self.reference_name)

    @property
    def _agreements(self) -> list[tuple[str, Estimate]]:
        return [
            (said(line.name), estimate)
            for line in self._single
            if (estimate := self.agreement(self.judge.id, line))
        ]

    @property
    def _single(self) -> list[CriterionLine]:
        return [line for line in self.report.criteria if not line.is_group]

    @property
    def said_standings(self) -> str:
        """Of what is graded: a distance has no margin."""
        found = (self.under_ceiling(self.judge.id, line) for line in self._single)
        return words.of_standings([one for one in found if one and words.is_graded(one)])

    @property
    def said_systems(self) -> str:
        """How well it ranks generators, where it does so worst and best."""
        means = [
            (self.criterion_name(one.criterion), one.systems.estimates["icc_c1"])
            for one in self._against_single
            if one.systems
        ]
        return words.of_agreement(means, self.reference_name)

    @property
    def said_tests(self) -> str:
        tests = [one.test for one in self.report.beside if one.judge == self.judge.id and one.test]
        return words.of_tests(tests) if self.reference is Reference.PEOPLE else ""

    @property
    def said_bias(self) -> str:
        return words.of_biases(self._biases, self.reference_name, self.family)

    @property
    def said_repeats(self) -> str:
        return words.of_repeats(
            [
                (self.criterion_name(one.criterion), one.estimates["unanimous"])
                for one in self.report.repeats
                if one.judge == self.judge.id
            ]
        )

    @property
    def _biases(self) -> list[tuple[str, Estimate]]:
        return [
            (self.criterion_name(one.criterion), one.item.estimates["bias"])
            for one in self._against_single
            if "bias" in one.item.estimates
        ]

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
        return listed(self.judge.own_generators)

    @property
    def forest(self) -> list[Strip]:
        return [
            self._strip(line, estimate)
            for line in self.report.criteria
            if (estimate := self.agreement(self.judge.id, line))
        ]

    def _strip(self, line: CriterionLine, estimate: Estimate) -> Strip:
        under = self.under_ceiling(self.judge.id, line)
        shown = self.figure(estimate)
        return Strip(
            criterion=said(line.name),
            statistic=short_name(estimate.statistic),
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
        shown = (*shown, self.caution_curve)
        return {one.key: one for one in shown if one}

    @cached_property
    def ceilings(self) -> Grid | None:
        if not self.has_ceiling:
            return None
        whole = tables.ceilings(self.report, self.naming)
        return self._of_judge(whole, statistic_of=self.in_table["statistic_of"])

    @cached_property
    def item_level(self) -> list[Grid]:
        both = (str(self.naming.rater(self.judge.id).exact), straw_men.KEY)
        found = (
            self.grid(whole, judge=both, reference=self.reference.value)
            for whole in tables.item_level(self.report, self.naming)
            if only(whole, judge=both[0], reference=self.reference.value).lines
        )
        return [grid for grid in found if grid]

    @property
    def said_caution(self) -> str:
        return words.of_caution(
            [(self.criterion_name(one.criterion), one) for one in self._cautions], self.family
        )

    @property
    def _cautions(self) -> list[Caution]:
        """Beside people only: gold has no dispute."""
        is_people = self.reference is Reference.PEOPLE
        return [one for one in self.report.cautions if one.judge == self.judge.id and is_people]

    @cached_property
    def cautions(self) -> Grid | None:
        """The curve of the criterion in close view in numbers."""
        if self.reference is not Reference.PEOPLE:
            return None
        return self._of_judge(tables.cautions(self.report, self.naming), criterion=self.criterion)

    @cached_property
    def caution_curve(self) -> Chart | None:
        """Of the criterion in close view; nothing below two steps."""
        found = next((one for one in self._cautions if one.criterion == self.criterion), None)
        if found is None or len(found.steps) < 2:
            return None
        name, judge = self.criterion_name(self.criterion), self.judge.name
        judged = self._held_back(found, judge, [one.of_judge for one in found.steps])
        people = self._held_back(found, _("people"), [one.of_people for one in found.steps])
        spec = curve_beside_people(
            judged,
            people,
            look=charts.looks(self.report)[self.judge.id],
            title=labelled(name, judge),
            says=in_turn(one.says for one in (*judged, *people)),
            x_name=_("How much people differ"),
            y_name=_("Without a value, %"),
        )
        return self._chart("caution", spec)

    def _held_back(self, caution: Caution, who: str, shares: Sequence[Estimate]) -> list[Step]:
        """A mark a step; both curves lead to the items of the step."""
        view, place = self.report.view, ("caution", caution.criterion, caution.judge)
        return [
            _held_back(
                who, step, share, value, looked_at(view, *place, written(step.low, step.high))
            )
            for step, share in zip(caution.steps, shares, strict=True)
            if (value := share.value) is not None
        ]

    @cached_property
    def behind_plots(self) -> list[Grid]:
        """The numbers that the plots of the close view draw, then those of all criteria."""
        found = [
            self._in_focus(tables.severity(self.report, self.naming)),
            self._here(tables.differences(self.report, self.naming)),
            self._here(tables.scale_use(self.report, self.naming)),
        ]
        return [grid for grid in found if grid]

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
        yield words.of_bias(found.item.estimates["bias"], self.reference_name)
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
                    drawing=strips.strip(bias, axis, says=labelled(name, shown.text), look=look),
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
            words.of_halo(one.of_judge, one.more, self.family)
            for one in self.report.halos
            if one.judge == self.judge.id
        ]

    @property
    def said_verbosity(self) -> str:
        """Blank where nothing can be said of length."""
        slopes = self._slopes
        return words.of_verbosity(slopes, self.reference_name, self.family) if slopes else ""

    @property
    def _slopes(self) -> list[tuple[str, Estimate]]:
        return [
            (self.criterion_name(one.criterion), one.leanings.verbosity)
            for one in self._against_single
            if one.leanings.verbosity
        ]

    @property
    def why_no_verbosity(self) -> str:
        return words.why_no_verbosity(
            has_lengths=bool(self.report.n_lengths),
            has_replies_to_compare=self.report.n_dialogues < self.report.n_items,
        )

    @property
    def said_preference(self) -> str:
        """Blank where nothing can be said of the judge’s own family."""
        found = self._preferences
        if not found:
            return ""
        return words.of_preference(
            found,
            self.family,
            n_generators=len(self.judge.own_generators),
            n_peers=max(one.n_raters for _criterion, one in found) - 2,
        )

    @property
    def _preferences(self) -> list[tuple[str, Estimate]]:
        return [
            (self.criterion_name(one.criterion), one.leanings.preference["self_preference"])
            for one in self._against_single
            if one.leanings.preference
        ]

    @property
    def why_no_preference(self) -> str:
        return words.why_no_preference(
            is_jury=self.judge.is_jury,
            has_family=bool(self.judge.own_generators),
            has_peers=bool(self._peers),
        )

    @property
    def _peers(self) -> list[RaterLine]:
        return [one for one in self.report.judges if one != self.judge and not one.is_jury]

    @property
    def compared_with(self) -> Collection[int]:
        return (self.judge.id,)

    @property
    def tested(self) -> list[Estimate]:
        found = (*self._biases, *self._slopes, *self._preferences)
        told = [one for _criterion, one in found if one.low is not None]
        more = [one.more for one in self._cautions]
        more += [one.more for one in self.report.halos if one.judge == self.judge.id and one.more]
        return [*super().tested, *told, *more]


def judge_page(
    report: JudgesReport, naming: Naming, choices: Mapping[str, str], *, judge: str
) -> JudgePage:
    """The page that an address asks for; blanks are the defaults. NoSuchPage otherwise."""
    found = next((one for one in report.judges if one.key == judge), None)
    single = [line.key for line in report.criteria if not line.is_group]
    criterion = choices.get("criterion") or single[0]
    if found is None or criterion not in single:
        raise NoSuchPage
    return JudgePage(
        report=report,
        naming=naming,
        reference=reference_named(report, choices.get("reference", "")),
        statistic=statistic_named(choices.get("statistic", "")),
        settings=settings_of(report),
        judge=found,
        criterion=criterion,
    )


def _held_back(who: str, step: CautionAt, share: Estimate, value: float, href: str) -> Step:
    return Step(
        at=step.mean,
        value=100 * value,
        low=None if share.low is None else 100 * share.low,
        high=None if share.high is None else 100 * share.high,
        n=share.n_pairs,
        says=_("%(who)s, where people differ by %(dispute)s: %(share)s without a value; %(n)s")
        % {
            "who": who,
            "dispute": words.dispute(step.low, step.high).text,
            "share": figure(share).brief,
            "n": items(share.n_items),
        },
        href=href,
    )


def _tick_label(tick: float, statistic: str = "") -> str:
    """A number under a plot; zero has neither sign nor digits."""
    return (number(round(tick, 2), statistic) or "") if tick else "0"
