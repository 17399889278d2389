"""What the page of one judge shows."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from django.utils.functional import cached_property
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from analytics.agreement import charts
from analytics.agreement.numbers import Comparison, CriterionLine, RaterLine, SystemComparison
from analytics.judges import words as readings
from analytics.judges.numbers import OF_RUNS, Against, BesidePeople, JudgesReport, Reference
from analytics.judges.page import (
    JudgesPage,
    NoSuchJudge,
    Settings,
    Strip,
    VersusPart,
    reference_named,
    settings_of,
    shade,
    statistic_named,
    tick_label,
)
from analytics.measures import suited
from analytics.present.charts import strips
from analytics.present.charts.parts import Spec
from analytics.present.charts.showing import Chart
from analytics.present.page import Choice
from analytics.present.words import Figure, number, point_names, short_name
from analytics.stats.alternative import PASSING, SWEEP, AgainstPerson, Domain
from analytics.stats.ceiling import UnderCeiling
from analytics.stats.dispersion import Stratum
from analytics.stats.estimates import Estimate
from annotation.queries.wording import said
from annotation.rubric.schema import Rubric

_OF_PLOT = ("bias", "sd", "loa_low", "loa_high", "slope")
_OF_USE = ("sd_human", "sd_judge", "sd_ratio", "top_human", "top_judge", "top_difference")
_OF_PREFERENCE = ("own_gap", "peers_gap", "self_preference")
_OF_REPEATS = ("flip_rate", "unanimous", "entropy", "icc_11", "alpha_ordinal", "fleiss")
_FINE_DIGITS = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class CeilingRow:
    """A judge and a person, each beside the consensus of the other people."""

    criterion: str
    statistic: str
    people: Figure
    judge: Figure
    difference: Figure
    share: Figure
    standing: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemRow:
    """One criterion at item level; `kind` and `raters` are its place in addresses."""

    criterion: str
    key: str
    kind: str
    raters: str
    figures: tuple[Figure, ...]
    n: str
    own_left_out: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemBlock:
    """The criteria that the same statistics suit."""

    columns: tuple[str, ...]
    rows: tuple[ItemRow, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemRow:
    """One criterion over generators; the ranges say what leaving out one of them does."""

    criterion: str
    consistency: Figure
    consistency_range: str
    agreement: Figure
    agreement_range: str
    people: Figure
    judge: Figure
    item: Figure | None
    n: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PersonRow:
    """The judge against one person; `at`: (won, p-value) at each epsilon."""

    name: str
    n: str
    advantage: Figure
    shortfall: Figure
    test: str
    at: tuple[tuple[bool, str], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class TestRow:
    """The alternative-annotator test on one criterion; `omegas`: (won of m, passed) at each."""

    criterion: str
    key: str
    people: int
    n: str
    rho: Figure
    omegas: tuple[tuple[str, bool], ...]
    verdict: str
    persons: tuple[PersonRow, ...]
    skipped: str


@dataclass(frozen=True, slots=True, kw_only=True)
class InStratum:
    n: str
    agreement: Figure
    exact: Figure


@dataclass(frozen=True, slots=True, kw_only=True)
class StratumRow:
    """One criterion where people all say the same, and where they differ."""

    criterion: str
    statistic: str
    strata: tuple[InStratum, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class LevelRow:
    """Judge less reference at one level; `people` is the same of one person and the others."""

    level: str
    figure: Figure
    n: str
    people: Figure | None


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelRow:
    label: str
    n: str
    n_given: str
    recall: Figure
    precision: Figure


@dataclass(frozen=True, slots=True, kw_only=True)
class Focus:
    """One criterion in close view: where on the scale, or at which label, the judge errs."""

    criterion: str
    sentences: tuple[str, ...]
    curve: Chart | None
    has_people_curve: bool
    plot: Chart | None
    levels: tuple[LevelRow, ...]
    spread: tuple[Figure, ...]
    labels: tuple[LabelRow, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class BiasRow:
    criterion: str
    figure: Figure
    drawing: SafeString


@dataclass(frozen=True, slots=True, kw_only=True)
class PersonsRow:
    """One criterion: (place in addresses, name, figure, shade) of the judge with each person."""

    criterion: str
    key: str
    statistic: str
    cells: tuple[tuple[str, str, Figure | None, int], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class HaloRow:
    criteria: str
    of_judge: Figure
    of_people: Figure | None
    more: Figure | None
    sentence: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LeaningRow:
    """Verbosity, or self-preference, on one criterion."""

    criterion: str
    figures: tuple[Figure, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class RepeatRow:
    """How far a judge repeats itself on one criterion."""

    criterion: str
    times: int
    figures: tuple[tuple[str, Figure | None], ...]
    ties: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RunBlock:
    """Each repeat of a judge against the reference, their mean, and their majority."""

    criterion: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, tuple[Figure, ...]], ...]


@dataclass(frozen=True, kw_only=True)
class JudgePage(JudgesPage):
    """One judge. `criterion` is the one in close view."""

    judge: RaterLine
    criterion: str

    @property
    def in_view(self) -> tuple[RaterLine, ...]:
        return (self.judge,)

    @property
    def how(self) -> Settings:
        return self.settings.get(self.judge.id, Settings())

    @property
    def criteria(self) -> list[Choice]:
        """What can be seen closely: single criteria."""
        return [
            Choice(key=line.key, name=said(line.name), is_current=line.key == self.criterion)
            for line in self.report.criteria
            if not line.is_group
        ]

    @property
    def in_short(self) -> list[str]:
        """What to know of the judge before any table."""
        found = [
            (line, estimate)
            for line in self.report.criteria
            if not line.is_group and (estimate := self.agreement(self.judge.id, line))
        ]
        sentences = [
            readings.of_agreement(
                [(said(line.name), estimate) for line, estimate in found], self.reference_name
            ),
            readings.of_standings(
                [
                    under
                    for line, _estimate in found
                    if (under := self.under_ceiling(self.judge.id, line))
                ]
            ),
            readings.of_tests(
                [one.test for one in self._beside if one.test]
                if self.reference is Reference.PEOPLE
                else []
            ),
            readings.of_biases(
                [
                    (self.criterion_name(one.criterion), one.item.estimates["bias"])
                    for one in self._against_single
                    if "bias" in one.item.estimates
                ],
                self.reference_name,
            ),
            *(
                readings.of_halo(one.of_judge, one.more)
                for one in self.report.halos
                if one.judge == self.judge.id
            ),
            readings.of_repeats(
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
        return [one for one in self._against if not self.line(one.criterion).is_group]

    @cached_property
    def _beside(self) -> list[BesidePeople]:
        return [one for one in self.report.beside if one.judge == self.judge.id]

    @property
    def left_out(self) -> str:
        return ", ".join(self.judge.own_generators)

    @property
    def forest(self) -> list[tuple[str, str, Strip]]:
        """(criterion, statistic, the judge's strip) of each criterion."""
        parts = [self.forest_part(line, [self.judge]) for line in self.report.criteria]
        return [(part.name, part.statistic, strip) for part in parts for strip in part.strips]

    @property
    def ceilings(self) -> list[CeilingRow]:
        return [
            self._ceiling_row(line, under)
            for line in self.report.criteria
            if (under := self.under_ceiling(self.judge.id, line))
        ]

    def _ceiling_row(self, line: CriterionLine, under: UnderCeiling) -> CeilingRow:
        return CeilingRow(
            criterion=said(line.name),
            statistic=short_name(self.statistic_of(line)),
            people=self.figure(under.people),
            judge=self.figure(under.judge),
            difference=self.difference(under.difference),
            share=self.figure(replace(under.share, statistic="share_of_ceiling")),
            standing=readings.of_ceiling(under),
        )

    @property
    def items(self) -> list[ItemBlock]:
        blocks: dict[tuple[str, ...], list[ItemRow]] = {}
        for one in self._against:
            line = self.line(one.criterion)
            known = suited(line.measurement, is_group=line.is_group)
            wanted = (
                known.pair if self.reference is Reference.PEOPLE else (*known.gold, *known.pair)
            )
            names = tuple(name for name in wanted if name in one.item.estimates)
            blocks.setdefault(names, []).append(self._item_row(one, names))
        return [
            ItemBlock(columns=tuple(short_name(name) for name in names), rows=tuple(rows))
            for names, rows in blocks.items()
        ]

    def _item_row(self, one: Against, names: Iterable[str]) -> ItemRow:
        figures = tuple(self.figure(one.item.estimates[name]) for name in names)
        return ItemRow(
            criterion=self.criterion_name(one.criterion),
            key=one.criterion,
            kind=one.item.kind.value,
            raters=str(self.judge.id),
            figures=figures,
            n=figures[0].n,
            own_left_out=f"{one.item.own_left_out:,}" if one.item.own_left_out else "",
        )

    @property
    def systems(self) -> list[SystemRow]:
        return [self._system_row(one.systems, one.item) for one in self._against if one.systems]

    def _system_row(self, level: SystemComparison, item: Comparison) -> SystemRow:
        def shown(name: str) -> Figure:
            return self.figure(level.estimates[name], _FINE_DIGITS)

        return SystemRow(
            criterion=self.criterion_name(level.criterion),
            consistency=shown("icc_c1"),
            consistency_range=_without_one(level, "icc_c1"),
            agreement=shown("icc_a1"),
            agreement_range=_without_one(level, "icc_a1"),
            people=shown("mean_x"),
            judge=shown("mean_y"),
            item=self.figure(item.estimates["icc_c1"]) if "icc_c1" in item.estimates else None,
            n=ngettext("%(n)s generator", "%(n)s generators", len(level.systems))
            % {"n": len(level.systems)},
        )

    @property
    def epsilons(self) -> list[str]:
        return [f"{epsilon:g}" for epsilon in SWEEP]

    @property
    def tests(self) -> list[TestRow]:
        return [self._test_row(one, one.test) for one in self._beside if one.test is not None]

    def _test_row(self, one: BesidePeople, domain: Domain) -> TestRow:
        m = len(domain.against)
        passed_from = next(
            (epsilon for epsilon, omega in domain.sweep if omega is not None and omega >= PASSING),
            None,
        )
        if not m:
            verdict = _("Too few shared items to test.")
        elif passed_from is None:
            verdict = _("Does not pass at any of these margins.")
        else:
            verdict = _("Passes from ε = %(epsilon)s on.") % {"epsilon": f"{passed_from:g}"}
        skipped = [f"{self._person(one, each.person)} ({each.n_items})" for each in domain.skipped]
        return TestRow(
            criterion=self.criterion_name(one.criterion),
            key=one.criterion,
            people=m,
            n=_range([each.advantage.n_items for each in domain.against]),
            rho=self.figure(domain.advantage),
            omegas=tuple(
                ("–", False)
                if omega is None
                else (
                    _("%(won)s of %(m)s") % {"won": round(omega * m), "m": m},
                    omega >= PASSING,
                )
                for _epsilon, omega in domain.sweep
            ),
            verdict=verdict,
            persons=tuple(self._person_row(one, each) for each in domain.against),
            skipped=", ".join(skipped),
        )

    def _person(self, one: BesidePeople, place: int) -> str:
        return self.rater(one.people[place]).name

    def _person_row(self, one: BesidePeople, each: AgainstPerson) -> PersonRow:
        return PersonRow(
            name=self._person(one, each.person),
            n=f"{each.advantage.n_items:,}",
            advantage=self.figure(each.advantage),
            shortfall=self.figure(each.shortfall),
            test=_("t-test") if each.test == "t" else _("Wilcoxon’s signed-rank test"),
            at=tuple((is_won, _p_value(p_value)) for _epsilon, p_value, is_won in each.sweep),
        )

    @property
    def strata(self) -> list[StratumRow]:
        """How the judge does where people agree, and where they do not."""
        if self.reference is not Reference.PEOPLE:
            return []
        return [self._stratum_row(one) for one in self._beside if one.strata]

    def _stratum_row(self, one: BesidePeople) -> StratumRow:
        line = self.line(one.criterion)
        leading = self.statistic_of(line)
        return StratumRow(
            criterion=said(line.name),
            statistic=short_name(leading),
            strata=tuple(
                InStratum(
                    n=f"{each.n:,}",
                    agreement=self.figure(each.estimates[leading]),
                    exact=self.figure(each.estimates["exact"]),
                )
                for stratum in Stratum
                for each in one.strata
                if each.stratum is stratum
            ),
        )

    @cached_property
    def focus(self) -> Focus | None:
        found = self.against(self.judge.id, self.criterion)
        return self._focus(found) if found else None

    @property
    def charts(self) -> Mapping[str, Chart]:
        shown = (self.focus.curve, self.focus.plot) if self.focus else ()
        return {one.key: one for one in shown if one}

    def _focus(self, found: Against) -> Focus:
        people = {one.level: one.gap for one in found.shape.levels_of_people}
        points = self.line(found.criterion).points
        names = dict(zip(points, point_names(self.rubric, found.criterion, points), strict=True))
        return Focus(
            criterion=self.criterion_name(found.criterion),
            sentences=tuple(self._sentences(found)),
            curve=self._curve(found),
            has_people_curve=bool(people),
            plot=self._plot(found),
            levels=tuple(
                LevelRow(
                    level=names[one.level],
                    figure=self.figure(one.gap),
                    n=f"{one.gap.n_pairs:,}",
                    people=self.figure(people[one.level]) if one.level in people else None,
                )
                for one in found.shape.levels
            ),
            spread=tuple(
                self.figure(estimate)
                for known, names in (
                    (found.shape.differences, _OF_PLOT),
                    (found.shape.use, _OF_USE),
                )
                for name in names
                if (estimate := known.get(name))
            ),
            labels=tuple(
                LabelRow(
                    label=names[one.label],
                    n=f"{one.n:,}",
                    n_given=f"{one.n_given:,}",
                    recall=self.figure(one.recall),
                    precision=self.figure(one.precision),
                )
                for one in found.shape.labels
            ),
        )

    def _sentences(self, found: Against) -> Iterable[str]:
        if not found.shape.levels:
            return
        yield readings.of_bias(found.shape.differences["bias"], self.reference_name)
        yield from readings.of_levels(
            found.shape.levels, found.shape.levels_of_people, self.reference_name
        )
        use = found.shape.use
        if spread := readings.of_spread(
            use["sd_ratio"], use["top_difference"], self.reference_name
        ):
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
    def biases(self) -> list[BiasRow]:
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
                BiasRow(
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
        return strips.scale(axis, labels=[tick_label(tick, "bias") for tick in axis.ticks])

    @property
    def halos(self) -> list[HaloRow]:
        return [
            HaloRow(
                criteria=", ".join(map(self.criterion_name, one.criteria)),
                of_judge=self.figure(one.of_judge),
                of_people=self.figure(one.of_people) if one.of_people else None,
                more=self.figure(one.more) if one.more else None,
                sentence=readings.of_halo(one.of_judge, one.more),
            )
            for one in self.report.halos
            if one.judge == self.judge.id
        ]

    @property
    def verbosity(self) -> list[LeaningRow]:
        return [
            LeaningRow(
                criterion=self.criterion_name(one.criterion),
                figures=(self.figure(one.leanings.verbosity),),
            )
            for one in self._against
            if one.leanings.verbosity
        ]

    @property
    def said_verbosity(self) -> str:
        slopes = [
            (self.criterion_name(one.criterion), one.leanings.verbosity)
            for one in self._against_single
            if one.leanings.verbosity
        ]
        return readings.of_verbosity(slopes, self.reference_name)

    @property
    def why_no_verbosity(self) -> str:
        """Why nothing can be said of length, and what it would take."""
        if not self.report.n_lengths:
            return _(
                "The replies’ texts are not in this study, so their lengths are not known. Import "
                "them to see whether longer replies are rated higher."
            )
        if self.report.n_dialogues == self.report.n_items:
            return _(
                "Every dialogue has one reply only. Length is compared within dialogues, so several "
                "replies to the same dialogue are needed."
            )
        return _("Length is compared with scores; labels have none, or too few replies are rated.")

    @property
    def preference(self) -> list[LeaningRow]:
        return [
            LeaningRow(
                criterion=self.criterion_name(one.criterion),
                figures=tuple(
                    self.figure(one.leanings.preference[name]) for name in _OF_PREFERENCE
                ),
            )
            for one in self._against
            if one.leanings.preference
        ]

    @property
    def said_preference(self) -> str:
        found = [
            (self.criterion_name(one.criterion), one.leanings.preference["self_preference"])
            for one in self._against_single
            if one.leanings.preference
        ]
        return readings.of_preference(
            found,
            n_generators=len(self.judge.own_generators),
            n_peers=len(self.report.judges) - 1,
        )

    @property
    def why_no_preference(self) -> str:
        if not self.judge.own_generators:
            return _(
                "No generator is marked as of this judge’s own family. Where one is, name it when the "
                "judge is started or imported."
            )
        if len(self.report.judges) < 2:
            return _(
                "Self-preference is told from what other judges give the same replies: have another "
                "judge rate them."
            )
        return _("Too few replies of its own family are rated by people and by other judges.")

    @property
    def repeats(self) -> list[RepeatRow]:
        return [
            RepeatRow(
                criterion=self.criterion_name(one.criterion),
                times=one.times,
                figures=tuple(
                    (short_name(name), self.figure(estimate, _FINE_DIGITS) if estimate else None)
                    for name in self._repeat_names
                    for estimate in [one.estimates.get(name)]
                ),
                ties=f"{one.n_ties:,}",
            )
            for one in self.report.repeats
            if one.judge == self.judge.id
        ]

    @property
    def _repeat_names(self) -> list[str]:
        known = {
            name
            for one in self.report.repeats
            if one.judge == self.judge.id
            for name in one.estimates
        }
        return [name for name in _OF_REPEATS if name in known]

    @property
    def repeat_columns(self) -> list[str]:
        return [short_name(name) for name in self._repeat_names]

    @property
    def runs(self) -> RunBlock | None:
        """Each repeat on the criterion in close view."""
        found = self.against(self.judge.id, self.criterion)
        if found is None or found.runs is None:
            return None
        names = OF_RUNS[self.line(found.criterion).measurement]

        def shown(estimates: Mapping[str, Estimate]) -> tuple[Figure, ...]:
            return tuple(self.figure(estimates[name], _FINE_DIGITS) for name in names)

        rows = [
            (_("Repeat %(n)s") % {"n": place}, shown(one))
            for place, one in enumerate(found.runs.each, start=1)
        ]
        rows.append((_("Mean of the repeats"), shown(found.runs.mean)))
        rows.append((_("Majority of the repeats"), shown(found.runs.majority)))
        return RunBlock(
            criterion=self.criterion_name(found.criterion),
            columns=tuple(map(short_name, names)),
            rows=tuple(rows),
        )

    @property
    def comparisons(self) -> list[VersusPart]:
        return self.versus({self.judge.id})

    @property
    def persons(self) -> list[str]:
        """Those who share items with the judge, where there are several."""
        return [self.rater(person).name for person in self._persons]

    @cached_property
    def _persons(self) -> list[int]:
        found = dict.fromkeys(pair.raters[0] for one in self._against for pair in one.each)
        return [rater.id for rater in self.report.raters if rater.id in found]

    @property
    def with_each(self) -> list[PersonsRow]:
        """The judge with each person alone."""
        return [self._persons_row(one) for one in self._against if one.each]

    def _persons_row(self, one: Against) -> PersonsRow:
        line = self.line(one.criterion)
        name = self.statistic_of(line)
        pairs = {pair.raters[0]: pair.estimates.get(name) for pair in one.each}
        found = [(person, pairs.get(person)) for person in self._persons]
        return PersonsRow(
            criterion=said(line.name),
            key=line.key,
            statistic=short_name(name),
            cells=tuple(
                (
                    f"{person}-{self.judge.id}",
                    self.rater(person).name,
                    self.figure(each) if each else None,
                    shade(each),
                )
                for person, each in found
            ),
        )


def judge_page(
    report: JudgesReport,
    rubric: Rubric,
    *,
    judge: str,
    reference: str,
    statistic: str,
    criterion: str,
) -> JudgePage:
    """The page that an address asks for; blanks are the defaults. NoSuchJudge otherwise."""
    found = next((one for one in report.judges if one.key == judge), None)
    single = [line.key for line in report.criteria if not line.is_group]
    if found is None or (criterion and criterion not in single):
        raise NoSuchJudge
    return JudgePage(
        report=report,
        rubric=rubric,
        reference=reference_named(report, reference),
        statistic=statistic_named(statistic),
        settings=settings_of(report),
        judge=found,
        criterion=criterion or single[0],
    )


def _without_one(level: SystemComparison, statistic: str) -> str:
    """The range when any one generator is left out."""
    values = [value for value in level.without[statistic].values() if value is not None]
    if not values:
        return ""
    return _("%(low)s to %(high)s") % {
        "low": number(min(values), statistic),
        "high": number(max(values), statistic),
    }


def _p_value(value: float) -> str:
    return "< 0.001" if value < 0.001 else f"{value:.3f}"


def _range(sizes: list[int]) -> str:
    if not sizes:
        return "–"
    low, high = min(sizes), max(sizes)
    return f"{low:,}" if low == high else f"{low:,}–{high:,}"
