"""What the pages about judges share, and the page that lists them side by side."""

import math
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime

from django.utils.functional import cached_property
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from analytics.agreement.charts import looks
from analytics.agreement.numbers import CriterionLine, RaterLine
from analytics.agreement.places import place_of
from analytics.judges.numbers import (
    OF_VERSIONS,
    Against,
    BesidePeople,
    JudgesReport,
    Reference,
    Versus,
)
from analytics.measures import FAMILY_NAMES, NAMES
from analytics.present.charts import strips
from analytics.present.charts.forest import Band, Line, ends_of, forest_plot
from analytics.present.charts.showing import Chart
from analytics.present.page import Choice
from analytics.present.viewing import items_of
from analytics.present.words import (
    Figure,
    Footnoted,
    as_difference,
    counted,
    figure,
    number,
    short_name,
)
from analytics.stats.ceiling import SMALLER_IS_BETTER, UnderCeiling
from analytics.stats.estimates import Estimate, Note
from analytics.stats.several import clear_together
from annotation.queries.wording import said
from annotation.rubric.schema import Measurement, Rubric
from judging.models import Judge
from judging.queries.wording import asked_how

LEADING = {
    Measurement.NOMINAL: "kappa",
    Measurement.BINARY: "kappa",
    Measurement.ORDINAL: "icc_a1",
}
STATISTICS = {
    Measurement.NOMINAL: ("kappa", "ac1", "exact"),
    Measurement.BINARY: ("kappa", "ac1", "exact"),
    Measurement.ORDINAL: ("icc_a1", "icc_c1", "mae"),
}
REFERENCES = {
    Reference.PEOPLE: gettext_lazy("people"),
    Reference.GOLD: gettext_lazy("gold"),
}


class NoSuchJudge(Exception):
    """The address asks for a judge, criterion, statistic or reference that there is not."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """How a judge is asked; blank for one whose ratings were imported."""

    llm: str = ""
    how: str = ""
    is_stand_in: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeLine:
    """A judge in a list."""

    key: str
    name: str
    settings: Settings
    left_out: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Strip:
    """A judge's line in the forest plot; `share` of what people reach on the same items."""

    who: str
    key: str
    figure: Figure
    drawing: SafeString
    share: Figure | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ForestPart:
    """The judges on one criterion, or why there are none."""

    name: str
    statistic: str
    strips: tuple[Strip, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class HeatCell:
    """One judge; `shade` from 0 to 5; `ceiling` is what people reach on the same items."""

    judge: str
    figure: Figure | None
    ceiling: Figure | None
    shade: int


@dataclass(frozen=True, slots=True, kw_only=True)
class HeatRow:
    """One criterion with the figure of each judge."""

    criterion: str
    statistic: str
    cells: tuple[HeatCell, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class VersusRow:
    """One criterion: what the second judge has more than the first; `between` the two."""

    criterion: str
    figures: tuple[tuple[str, Figure], ...]
    between: Figure
    between_name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class VersusPart:
    """Two judges on the same items, `is_family` where they are editions of the same LLM."""

    one: str
    other: str
    one_key: str
    other_key: str
    is_family: bool
    columns: tuple[str, ...]
    rows: tuple[VersusRow, ...]
    sentence: str
    n: str


@dataclass(frozen=True, kw_only=True)
class JudgesPage(Footnoted):
    """What every page about judges knows: the report, and what the reader chose."""

    report: JudgesReport
    rubric: Rubric
    reference: Reference
    statistic: str
    settings: Mapping[int, Settings]

    @property
    def revision(self) -> int:
        return self.report.revision

    @property
    def computed_at(self) -> datetime:
        return self.report.computed_at

    @property
    def made_of(self) -> str:
        """What the figures were computed from, in words."""
        return counted(self.report.n_items, self.report.n_dialogues)

    @property
    def has_figures(self) -> bool:
        return bool(self.report.against)

    @property
    def reference_name(self) -> str:
        return str(REFERENCES[self.reference])

    @property
    def references(self) -> list[Choice]:
        """What judges can be compared with here."""
        there = {one.reference for one in self.report.against}
        return [
            Choice(key=key.value, name=str(name), is_current=key is self.reference)
            for key, name in REFERENCES.items()
            if key in there
        ]

    @property
    def statistics(self) -> list[Choice]:
        """What the forest plot can show; where it does not suit a criterion another stands in."""
        measured = {line.measurement for line in self.report.criteria}
        known = dict.fromkeys(
            name for level, names in STATISTICS.items() if level in measured for name in names
        )
        chosen = self.statistic or next(iter(known), "")
        return [
            Choice(key=name, name=str(NAMES[name]), is_current=name == chosen) for name in known
        ]

    @cached_property
    def general_notes(self) -> frozenset[Note]:
        """What holds for every figure at item level: said once, above."""
        notes = [
            frozenset(estimate.notes)
            for one in self.report.against
            for estimate in one.item.estimates.values()
        ]
        return frozenset.intersection(*notes) if notes else frozenset()

    @property
    def said_general_notes(self) -> list[str]:
        return [_(note.sentence) for note in self.general_notes]

    def figure(self, estimate: Estimate, digits: int = 2) -> Figure:
        return figure(estimate, self.footnotes, digits=digits, said_above=self.general_notes)

    def difference(self, estimate: Estimate) -> Figure:
        """A difference with its sign; one of shares in percentage points."""
        return self.figure(as_difference(estimate))

    def criterion_name(self, key: str) -> str:
        return said(self.line(key).name)

    def line(self, key: str) -> CriterionLine:
        return next(line for line in self.report.criteria if line.key == key)

    def rater(self, rater_id: int) -> RaterLine:
        return next(rater for rater in self.report.raters if rater.id == rater_id)

    def statistic_of(self, line: CriterionLine) -> str:
        """The statistic in view, or the leading one where it does not suit the criterion."""
        if self.statistic in STATISTICS[line.measurement]:
            return self.statistic
        return LEADING[line.measurement]

    def against(self, judge: int, criterion: str) -> Against | None:
        """The judge beside the reference in view."""
        return next(
            (
                one
                for one in self.report.against
                if (one.judge, one.criterion, one.reference) == (judge, criterion, self.reference)
            ),
            None,
        )

    def beside(self, judge: int, criterion: str) -> BesidePeople | None:
        return next(
            (one for one in self.report.beside if (one.judge, one.criterion) == (judge, criterion)),
            None,
        )

    def under_ceiling(self, judge: int, line: CriterionLine) -> UnderCeiling | None:
        """The judge under the ceiling of people, where one can be told."""
        if self.reference is not Reference.PEOPLE:
            return None
        beside = self.beside(judge, line.key)
        found = beside and beside.ceiling.get(self.statistic_of(line))
        return found if found and found.people.value is not None else None

    def agreement(self, judge: int, line: CriterionLine) -> Estimate | None:
        """The statistic in view of one judge: under the ceiling where there is one."""
        under = self.under_ceiling(judge, line)
        if under:
            return under.judge
        against = self.against(judge, line.key)
        return against.item.estimates.get(self.statistic_of(line)) if against else None

    @property
    def has_ceiling(self) -> bool:
        """Whether any figure of the forest plot stands under a ceiling."""
        return any(
            self.under_ceiling(judge.id, line)
            for judge in self.in_view
            for line in self.report.criteria
        )

    @property
    def in_view(self) -> tuple[RaterLine, ...]:
        """The judges that the page is about."""
        return self.report.judges

    @property
    def why_no_ceiling(self) -> str:
        """Why people cannot be set beside the judges; empty where they are."""
        if self.has_ceiling:
            return ""
        if self.reference is Reference.GOLD:
            return _(
                "Gold is one decided value an item: it does not show how far single people differ."
            )
        shared = {judge.id for judge in self.in_view} & {one.judge for one in self.report.beside}
        if shared:
            return _(
                "Too few items have ratings of a judge and of two people to say how far people "
                "agree."
            )
        return _(
            "No item that a judge rated has ratings of more than one person, so nobody knows how "
            "far people agree with one another. A judge at 0.4 may be poor, or as good as a second "
            "person would be."
        )

    @cached_property
    def axis(self) -> strips.Axis:
        shown = []
        for line in self.report.criteria:
            for judge in self.report.judges:
                under = self.under_ceiling(judge.id, line)
                estimate = self.agreement(judge.id, line)
                shown += [one for one in (under and under.people, estimate) if one]
        return strips.axis_for(shown)

    @property
    def forest_scale(self) -> SafeString:
        return strips.scale(self.axis, labels=[tick_label(tick) for tick in self.axis.ticks])

    def forest_part(self, line: CriterionLine, judges: Iterable[RaterLine]) -> ForestPart:
        found = [(judge, self.agreement(judge.id, line)) for judge in judges]
        return ForestPart(
            name=said(line.name),
            statistic=str(
                FAMILY_NAMES.get(self.statistic_of(line), NAMES[self.statistic_of(line)])
            ),
            strips=tuple(self._strip(judge, line, one) for judge, one in found if one),
        )

    def _strip(self, judge: RaterLine, line: CriterionLine, estimate: Estimate) -> Strip:
        under = self.under_ceiling(judge.id, line)
        shown = self.figure(estimate)
        return Strip(
            who=judge.name,
            key=judge.key,
            figure=shown,
            drawing=strips.strip(
                estimate,
                self.axis,
                says=self._says(judge, line, shown),
                look=looks(self.report)[judge.id],
                band=under.people if under else None,
            ),
            share=self._share(under),
        )

    def _says(self, judge: RaterLine, line: CriterionLine, shown: Figure) -> str:
        """The figure of a judge, with what people reach and how much of that this is."""
        words = {"criterion": said(line.name), "judge": judge.name, "figure": shown.text}
        says = _("%(criterion)s, %(judge)s: %(figure)s") % words
        says = f"{says}; {shown.n}"
        under = self.under_ceiling(judge.id, line)
        if under is None:
            return says
        people = self.figure(under.people).text
        says = _("%(says)s. People: %(people)s") % {"says": says, "people": people}
        share = self._share(under)
        if share is None or share.value is None:
            return says
        return f"{says}. " + _("%(share)s of the ceiling") % {"share": share.value}

    def _share(self, under: UnderCeiling | None) -> Figure | None:
        if under is None:
            return None
        return self.figure(replace(under.share, statistic="share_of_ceiling"))

    def versus(self, judges: Collection[int]) -> list[VersusPart]:
        """Each pair of judges with all of these in it, criterion by criterion."""
        pairs: dict[tuple[int, int], list[Versus]] = {}
        for one in self.report.versions:
            if one.reference is self.reference and set(judges) <= {one.one, one.other}:
                pairs.setdefault((one.one, one.other), []).append(one)
        return [self._versus_part(*pair, found) for pair, found in pairs.items()]

    def _versus_part(self, one: int, other: int, found: list[Versus]) -> VersusPart:
        first, second = self.rater(one), self.rater(other)
        names = dict.fromkeys(
            name
            for line in found
            for name in OF_VERSIONS[self.line(line.criterion).measurement]
            if name in line.differences
        )
        llms = [self.settings.get(judge, Settings()).llm for judge in (one, other)]
        sizes = [next(iter(line.differences.values())).n_items for line in found]
        return VersusPart(
            one=first.name,
            other=second.name,
            one_key=first.key,
            other_key=second.key,
            is_family=bool(llms[0]) and llms[0] == llms[1],
            columns=tuple(map(short_name, names)),
            rows=tuple(self._versus_row(line, names) for line in found),
            sentence=self._verdict(first.name, second.name, found),
            n=_range(min(sizes), max(sizes)),
        )

    def _versus_row(self, line: Versus, names: Iterable[str]) -> VersusRow:
        leading = LEADING[self.line(line.criterion).measurement]
        return VersusRow(
            criterion=self.criterion_name(line.criterion),
            figures=tuple(
                (short_name(name), self.difference(line.differences[name]))
                for name in names
                if name in line.differences
            ),
            between=self.figure(line.between[leading]),
            between_name=short_name(leading),
        )

    def _verdict(self, one: str, other: str, found: list[Versus]) -> str:
        """On how many criteria the second judge clearly agrees better, or worse."""
        differences = [
            line.differences[LEADING[self.line(line.criterion).measurement]] for line in found
        ]
        sides = [
            side_of(difference) if is_clear else 0
            for difference, is_clear in zip(differences, clear_together(differences), strict=True)
        ]
        words = {
            "one": one,
            "other": other,
            "better": sides.count(1),
            "worse": sides.count(-1),
            "open": sides.count(0),
            "n": len(sides),
            "reference": self.reference_name,
        }
        return (
            _(
                "Of %(n)s criteria, %(other)s agrees with %(reference)s better than %(one)s on "
                "%(better)s, worse on %(worse)s; on %(open)s the difference may be chance. False "
                "discoveries among these criteria are held to 5 percent (Benjamini–Yekutieli)."
            )
            % words
        )


@dataclass(frozen=True, kw_only=True)
class Glance(JudgesPage):
    """The page that lists the judges of a study side by side."""

    @property
    def judges(self) -> list[JudgeLine]:
        return [
            JudgeLine(
                key=judge.key,
                name=judge.name,
                settings=self.settings.get(judge.id, Settings()),
                left_out=", ".join(judge.own_generators),
            )
            for judge in self.report.judges
        ]

    @cached_property
    def forest(self) -> Chart | None:
        found = [
            (judge, line, estimate)
            for line in self.report.criteria
            for judge in self.report.judges
            if (estimate := self.agreement(judge.id, line)) and estimate.value is not None
        ]
        if not found:
            return None
        lines = [self._forest_line(*one) for one in found]
        bands = [band for judge, line, _one in found if (band := self._band(judge, line))]
        known = looks(self.report)
        spec = forest_plot(
            lines,
            bands,
            {judge.name: known[judge.id] for judge in self.report.judges},
            ends=ends_of(lines),
            title=_("Every criterion"),
            says="; ".join(line.says for line in lines),
            x_name=_("Agreement with %(reference)s") % {"reference": self.reference_name},
            y_name=_("Criterion"),
            who=_("Judge"),
        )
        return Chart(key="forest", plot=spec)

    @property
    def charts(self) -> Mapping[str, Chart]:
        return {self.forest.key: self.forest} if self.forest else {}

    def _forest_line(self, judge: RaterLine, line: CriterionLine, estimate: Estimate) -> Line:
        shown = self.figure(estimate)
        against = self.against(judge.id, line.key)
        return Line(
            criterion=self._criterion_in_plot(line),
            who=judge.name,
            value=estimate.value or 0.0,
            low=estimate.low,
            high=estimate.high,
            n=estimate.n_items,
            says=self._says(judge, line, shown),
            href=items_of(self.report.view, *place_of(against.item)) if against else "",
        )

    def _band(self, judge: RaterLine, line: CriterionLine) -> Band | None:
        under = self.under_ceiling(judge.id, line)
        if under is None or under.people.low is None or under.people.high is None:
            return None
        words = {"criterion": said(line.name), "people": self.figure(under.people).text}
        return Band(
            criterion=self._criterion_in_plot(line),
            who=judge.name,
            low=under.people.low,
            high=under.people.high,
            says=_("%(criterion)s, people: %(people)s") % words,
        )

    def _criterion_in_plot(self, line: CriterionLine) -> str:
        return f"{said(line.name)}, {short_name(self.statistic_of(line))}"

    @property
    def heat(self) -> list[HeatRow]:
        return [self._heat_row(line) for line in self.report.criteria]

    def _heat_row(self, line: CriterionLine) -> HeatRow:
        return HeatRow(
            criterion=said(line.name),
            statistic=short_name(self.statistic_of(line)),
            cells=tuple(self._heat_cell(judge, line) for judge in self.report.judges),
        )

    def _heat_cell(self, judge: RaterLine, line: CriterionLine) -> HeatCell:
        under = self.under_ceiling(judge.id, line)
        found = self.agreement(judge.id, line)
        return HeatCell(
            judge=judge.name,
            figure=self.figure(found) if found else None,
            ceiling=self.figure(under.people) if under else None,
            shade=shade(found),
        )

    @property
    def comparisons(self) -> list[VersusPart]:
        return self.versus(())


def tick_label(tick: float, statistic: str = "") -> str:
    """A number under a plot; zero has neither sign nor digits."""
    return (number(round(tick, 2), statistic) or "") if tick else "0"


def side_of(difference: Estimate) -> int:
    """1 where the interval of a difference lies on the better side of zero, -1 on the worse."""
    if difference.low is None or difference.high is None:
        return 0
    side = (difference.low > 0) - (difference.high < 0)
    return -side if difference.statistic in SMALLER_IS_BETTER else side


def glance(report: JudgesReport, rubric: Rubric, *, reference: str, statistic: str) -> Glance:
    """The list that an address asks for; blanks are the defaults. NoSuchJudge otherwise."""
    return Glance(
        report=report,
        rubric=rubric,
        reference=reference_named(report, reference),
        statistic=statistic_named(statistic),
        settings=settings_of(report),
    )


def reference_named(report: JudgesReport, name: str) -> Reference:
    """People by default, gold where no people rated what a judge rated."""
    there = {one.reference for one in report.against}
    if not name:
        return next((one for one in Reference if one in there), Reference.PEOPLE)
    if name not in there:
        raise NoSuchJudge
    return Reference(name)


def statistic_named(name: str) -> str:
    if name and not any(name in names for names in STATISTICS.values()):
        raise NoSuchJudge
    return name


def settings_of(report: JudgesReport) -> dict[int, Settings]:
    """How each judge that Concord itself asks is asked."""
    judges = Judge.objects.filter(rater__in=[judge.id for judge in report.judges])
    return {
        judge.rater_id: Settings(
            llm=judge.llm, how=", ".join(asked_how(judge)), is_stand_in=judge.is_stand_in
        )
        for judge in judges
    }


def shade(estimate: Estimate | None) -> int:
    """How dark a cell is, from its value between 0 and 1; distances are not shaded."""
    if estimate is None or estimate.value is None or estimate.statistic in SMALLER_IS_BETTER:
        return 0
    return min(5, max(0, math.ceil(5 * estimate.value)))


def _range(low: int, high: int) -> str:
    if low == high:
        return ngettext("%(n)s item", "%(n)s items", low) % {"n": f"{low:,}"}
    return _("%(low)s to %(high)s items") % {"low": f"{low:,}", "high": f"{high:,}"}
