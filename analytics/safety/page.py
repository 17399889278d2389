"""What the safety panel shows: the judges at one cut of one criterion, and the items they miss."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from functools import cached_property
from urllib.parse import urlencode

import numpy as np
import numpy.typing as npt
from django.utils.functional import Promise
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from analytics.items import page as cases
from analytics.items.page import CaseList
from analytics.policies.loading import DEFAULT, shipped
from analytics.present.charts import strips
from analytics.present.charts.found import Share, found_bars
from analytics.present.charts.looks import looks_of
from analytics.present.charts.showing import Chart
from analytics.present.page import Choice
from analytics.present.viewing import values_of
from analytics.present.words import (
    Figure,
    Footnoted,
    Footnotes,
    counted,
    cut_name,
    figure,
    number,
    point_names,
    reference_name,
)
from analytics.ratings import matrices
from analytics.ratings.matrices import View
from analytics.safety import numbers as safety
from analytics.safety.numbers import (
    Cut,
    CutKind,
    OnValues,
    Reference,
    SafetyReport,
    Screen,
    Screened,
)
from analytics.stats.estimates import Estimate
from analytics.stats.planning import positives_for_miss_rate
from analytics.stats.scales import Floats
from annotation.queries.studies import StudyAccess
from annotation.queries.wording import said
from annotation.rubric.schema import Rubric

MISS_RATES = (0.05, 0.01)
_RARE = 0.2
_OF_LABELS = (CutKind.UNSAFE, CutKind.LABEL)


class NoSuchScreen(Exception):
    """The address asks for a criterion, cut, reference or judge that there is not."""


class Which(StrEnum):
    """The four fields of reference against judge, as they are named in addresses."""

    MISSED = "missed"
    ALARMS = "alarms"
    FOUND = "found"
    PASSED = "passed"

    @property
    def flags(self) -> tuple[bool, bool]:
        """Whether the reference flags these items, and whether the judge does."""
        return self in (Which.MISSED, Which.FOUND), self in (Which.ALARMS, Which.FOUND)


_FIELDS: Mapping[Which, Promise] = {
    Which.MISSED: gettext_lazy("Missed"),
    Which.ALARMS: gettext_lazy("False alarms"),
    Which.FOUND: gettext_lazy("Found"),
    Which.PASSED: gettext_lazy("Rightly not flagged"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """One of the four fields: how many items, and where they are listed."""

    which: str
    name: str
    n: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Beside:
    """Kappa and AC of the same pairs of ratings; None where a statistic does not suit them."""

    about: str
    kappa: Figure | None
    kappa_quadratic: Figure | None
    ac: Figure | None
    exact: Figure | None
    n: str


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeRow:
    """One judge at the cut; `few` is said where it misses nothing, or nothing can be told yet."""

    id: int
    name: str
    positives: str
    fields: tuple[Field, ...]
    shares: tuple[Figure, ...]
    lines: tuple[Beside, ...]
    own_left_out: int
    warning: str
    few: str
    elsewhere: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Hidden:
    """Another criterion on which agreement hides what a judge misses."""

    key: str
    criterion: str
    judge: str
    positives: str
    sensitivity: Figure
    ac: Figure


@dataclass(frozen=True, slots=True, kw_only=True)
class CutRow:
    """Sensitivity and specificity of one judge at one cut."""

    cut: str
    judge: str
    positives: str
    sensitivity: Figure
    specificity: Figure
    ppv: Figure
    drawing: SafeString


@dataclass(frozen=True, kw_only=True)
class Panel(Footnoted):
    """The safety panel for one criterion, cut and reference."""

    report: SafetyReport
    rubric: Rubric
    screened: Screened
    cut: Cut
    reference: Reference

    @property
    def revision(self) -> int:
        return self.report.revision

    @property
    def computed_at(self) -> datetime:
        return self.report.computed_at

    @property
    def has_figures(self) -> bool:
        return bool(self.report.screens)

    @property
    def made_of(self) -> str:
        report = self.report
        return counted(report.n_items, report.n_dialogues, n_set_aside=report.n_set_aside)

    @property
    def criterion(self) -> str:
        return self.screened.line.key

    @property
    def criterion_name(self) -> str:
        return said(self.screened.line.name)

    @property
    def cut_name(self) -> str:
        return cut_name(self.rubric, self.screened, self.cut)

    @property
    def reference_name(self) -> str:
        return reference_name(self.screened, self.reference)

    @property
    def criteria(self) -> list[Choice]:
        return [
            Choice(key=one.line.key, name=said(one.line.name), is_current=one is self.screened)
            for one in self.report.criteria
        ]

    @property
    def cuts(self) -> list[Choice]:
        return [
            Choice(
                key=cut.key,
                name=cut_name(self.rubric, self.screened, cut),
                is_current=cut is self.cut,
            )
            for cut in self.screened.cuts
        ]

    @property
    def references(self) -> list[Choice]:
        return [
            Choice(
                key=one.value,
                name=reference_name(self.screened, one),
                is_current=one is self.reference,
            )
            for one in self.screened.references
        ]

    @property
    def prevalence(self) -> Figure | None:
        """Of the judge with the most items, for all share most of them."""
        most = max(self._screens, key=lambda one: one.estimates["prevalence"].n_items, default=None)
        return most and self._figure(most, "prevalence")

    @cached_property
    def rows(self) -> list[JudgeRow]:
        return [self._row(screen) for screen in self._screens]

    @cached_property
    def chart(self) -> Chart | None:
        """What each judge found and missed; None where nothing was flagged."""
        shares = [share for screen in self._screens for share in self._shares(screen)]
        if not shares:
            return None
        judges = [rater.id for rater in self.report.raters if rater.is_judge]
        looks = looks_of(judges)
        words = {"criterion": self.criterion_name, "cut": self.cut_name}
        plot = found_bars(
            shares,
            {self._names[one.judge]: looks[one.judge] for one in self._screens},
            title=_("%(criterion)s: %(cut)s") % words,
            says="; ".join(share.says for share in shares),
            x_name=_("Flagged items"),
            y_name=_("Judge"),
        )
        return Chart(key=f"found-{self.criterion}", plot=plot)

    @property
    def charts(self) -> Mapping[str, Chart]:
        return {self.chart.key: self.chart} if self.chart else {}

    def _shares(self, screen: Screen) -> Iterator[Share]:
        judge = self._names[screen.judge]
        words = {"judge": judge, "n": f"{screen.n_positives:,}"}
        asked = {
            "cut": self.cut.key,
            "reference": self.reference.value,
            "values": values_of(self.report.view),
        }
        for which, n, says in (
            (Which.FOUND, screen.found, _("%(judge)s finds %(found)s of the %(n)s flagged items.")),
            (
                Which.MISSED,
                screen.missed,
                _("%(judge)s misses %(missed)s of the %(n)s flagged items."),
            ),
        ):
            if n:
                yield Share(
                    judge=judge,
                    is_found=which is Which.FOUND,
                    n=n,
                    says=says % (words | {which.value: f"{n:,}"}),
                    href=f"safety/{self.criterion}/{screen.judge}/{which.value}/?{urlencode(asked)}",
                )

    @property
    def warnings(self) -> list[str]:
        return [row.warning for row in self.rows if row.warning]

    @property
    def elsewhere(self) -> list[Hidden]:
        """Other criteria, at their usual cut, on which agreement hides misses."""
        return list(self._hidden())

    @property
    def each_cut(self) -> list[CutRow]:
        """Every cut in the direction of the chosen one, or every label, judge by judge."""
        return [self._cut_row(cut, screen) for cut, screen in self._at_each_cut]

    @property
    def cuts_scale(self) -> SafeString:
        return strips.scale(self._axis, labels=[f"{100 * tick:.0f} %" for tick in self._axis.ticks])

    @property
    def needed(self) -> list[str]:
        """What it takes to rule out that some are missed."""
        return [without_a_miss(rate) for rate in MISS_RATES]

    @cached_property
    def _screens(self) -> list[Screen]:
        return screens_at(self.report, self.criterion, self.cut.key, self.reference)

    @cached_property
    def _names(self) -> dict[int, str]:
        return {rater.id: rater.name for rater in self.report.raters}

    @cached_property
    def _axis(self) -> strips.Axis:
        return strips.axis_for([])

    @cached_property
    def _at_each_cut(self) -> list[tuple[Cut, Screen]]:
        return [
            (cut, screen)
            for cut in self.screened.cuts
            if cut.kind is self.cut.kind or cut.kind in _OF_LABELS
            for screen in screens_at(self.report, self.criterion, cut.key, self.reference)
        ]

    def _figure(self, screen: Screen, name: str) -> Figure:
        return figure(screen.estimates[name], self.footnotes)

    def _row(self, screen: Screen) -> JudgeRow:
        name = self._names[screen.judge]
        on_values = on_values_of(self.report, screen)
        return JudgeRow(
            id=screen.judge,
            name=name,
            positives=_positives(screen),
            fields=tuple(
                Field(which=which.value, name=str(name), n=f"{getattr(screen, which.value):,}")
                for which, name in _FIELDS.items()
            ),
            shares=tuple(
                self._figure(screen, share)
                for share in ("sensitivity", "specificity", "ppv", "npv", "flagged")
            ),
            lines=tuple(self._beside(screen, on_values)),
            own_left_out=screen.own_left_out,
            warning=warning_of(self.report, self.screened, screen),
            few=_few(screen),
            elsewhere=_elsewhere(screen, name),
        )

    def _beside(self, screen: Screen, on_values: OnValues | None) -> Iterator[Beside]:
        both = {_("Flagged or not"): screen.estimates}
        if on_values:
            both[_("All values")] = on_values.estimates
        for about, estimates in both.items():
            figures = {name: figure(one, self.footnotes) for name, one in estimates.items()}
            yield Beside(
                about=about,
                kappa=figures.get("kappa"),
                kappa_quadratic=figures.get("kappa_quadratic"),
                ac=figures.get("ac2") or figures.get("ac1"),
                exact=figures.get("exact"),
                n=figures["exact"].n,
            )

    def _hidden(self) -> Iterator[Hidden]:
        for screened in self.report.criteria:
            if screened is not self.screened:
                for screen, good in hidden_misses(self.report, screened):
                    yield Hidden(
                        key=screened.line.key,
                        criterion=said(screened.line.name),
                        judge=self._names[screen.judge],
                        positives=_positives(screen),
                        sensitivity=self._figure(screen, "sensitivity"),
                        ac=figure(good, self.footnotes),
                    )

    def _cut_row(self, cut: Cut, screen: Screen) -> CutRow:
        name = cut_name(self.rubric, self.screened, cut)
        judge = self._names[screen.judge]
        sensitivity = self._figure(screen, "sensitivity")
        judges = [rater.id for rater in self.report.raters if rater.is_judge]
        return CutRow(
            cut=name,
            judge=judge,
            positives=f"{screen.n_positives:,}",
            sensitivity=sensitivity,
            specificity=self._figure(screen, "specificity"),
            ppv=self._figure(screen, "ppv"),
            drawing=strips.strip(
                screen.estimates["sensitivity"],
                self._axis,
                says=f"{name}, {judge}: {sensitivity.name} {sensitivity.text}",
                look=looks_of(judges)[screen.judge],
            ),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    """The items of one field of one judge, with what the page says of them."""

    panel: Panel
    judge: int
    judge_name: str
    which: str
    name: str
    sentence: str
    fields: tuple[Field, ...]
    cases: CaseList


def panel(
    report: SafetyReport, rubric: Rubric, *, criterion: str, cut: str, reference: str
) -> Panel:
    """The panel that an address asks for; blanks are the defaults. NoSuchScreen otherwise."""
    screened = _screened(report, criterion)
    chosen = _one_of(screened.cuts, cut or screened.usual_cut)
    references = {one.value: one for one in screened.references}
    if reference and reference not in references:
        raise NoSuchScreen
    usual = screened.references[0] if screened.references else Reference.HALF
    return Panel(
        report=report,
        rubric=rubric,
        screened=screened,
        cut=chosen,
        reference=references.get(reference, usual),
    )


def listing(
    study_access: StudyAccess, shown: Panel, *, judge: int, which: str, view: View, page: str
) -> Listing:
    """The items of one field, read as they are now; NoSuchScreen."""
    if which not in _FIELDS:
        raise NoSuchScreen
    study = matrices.read(study_access.study.pk)
    column = next((one for one in study.judges if one.id == judge), None)
    if column is None:
        raise NoSuchScreen
    table = matrices.matrix(study, shown.criterion, view=view)
    meant, flagged = safety.flags_of(study, table, column, reference=shown.reference, cut=shown.cut)
    fields = {one: _in_field(one, meant, flagged) for one in Which}
    places = np.flatnonzero(fields[Which(which)])
    given = table.gold[:, None] if shown.reference is Reference.GOLD else table.of_humans()
    words = {
        int(study.items[place]): (
            _said_values(shown, given[place]),
            _said_values(shown, table.of(column)[[place]]),
        )
        for place in places
    }
    first_name = _("Gold") if shown.reference is Reference.GOLD else _("People")
    return Listing(
        panel=shown,
        judge=judge,
        judge_name=column.name,
        which=which,
        name=str(_FIELDS[Which(which)]),
        sentence=_sentence(shown, Which(which), column.name),
        fields=tuple(
            Field(which=one.value, name=str(name), n=f"{int(fields[one].sum()):,}")
            for one, name in _FIELDS.items()
        ),
        cases=cases.listed(
            study_access, words, first_name=first_name, second_name=column.name, page=page
        ),
    )


def screens_at(
    report: SafetyReport, criterion: str, cut: str, reference: Reference
) -> list[Screen]:
    """One screen a judge, in the order of the judges."""
    return [
        screen
        for screen in report.screens
        if (screen.criterion, screen.cut, screen.reference) == (criterion, cut, reference)
    ]


def on_values_of(report: SafetyReport, screen: Screen) -> OnValues | None:
    """The agreement on all values that belongs beside a screen."""
    asked = (screen.criterion, screen.judge, screen.reference is Reference.GOLD)
    return next(
        (one for one in report.on_values if (one.criterion, one.judge, one.is_gold) == asked), None
    )


def hidden_misses(report: SafetyReport, screened: Screened) -> Iterator[tuple[Screen, Estimate]]:
    """Where AC looks good beside misses, and that AC: at the usual cut of a criterion."""
    for reference in screened.references[:1]:
        for screen in screens_at(report, screened.line.key, screened.usual_cut, reference):
            if good := safety.contradicts(screen, on_values_of(report, screen)):
                yield screen, good


def warning_of(report: SafetyReport, screened: Screened, screen: Screen) -> str:
    """The loud sentence where AC looks good beside misses; empty where they go together."""
    good = safety.contradicts(screen, on_values_of(report, screen))
    if good is None:
        return ""
    judge = next(rater.name for rater in report.raters if rater.id == screen.judge)
    ac = figure(good, Footnotes())
    misses = _(
        "%(judge)s misses %(missed)s of the %(n)s items flagged by %(reference)s (sensitivity "
        "%(sensitivity)s), while %(statistic)s is %(ac)s."
    ) % {
        "judge": judge,
        "missed": f"{screen.missed:,}",
        "n": f"{screen.n_positives:,}",
        "reference": reference_name(screened, screen.reference),
        "sensitivity": number(screen.estimates["sensitivity"].value, "sensitivity"),
        "statistic": ac.name,
        "ac": ac.value,
    }
    prevalence = screen.estimates["prevalence"].value
    if prevalence is None or prevalence >= _RARE:
        return misses
    rare = _(
        "Only %(share)s of the items are flagged, so whoever flags nothing agrees almost always."
    ) % {"share": number(prevalence, "prevalence")}
    return f"{misses} {rare}"


def _screened(report: SafetyReport, criterion: str) -> Screened:
    """The criterion asked for; by default the first on which a judge must find what is flagged,
    else the first on which agreement hides misses."""
    if criterion:
        return _one_of(report.criteria, criterion)
    rules = shipped()[DEFAULT]
    asked = [one for one in report.criteria if rules.asks_sensitivity(one.line.key)]
    hiding = [one for one in report.criteria if any(hidden_misses(report, one))]
    return [*asked, *hiding, *report.criteria][0]


def _one_of(known, key: str):
    """The criterion or cut with this key."""
    chosen = next((one for one in known if getattr(one, "line", one).key == key), None)
    if chosen is None:
        raise NoSuchScreen
    return chosen


def without_a_miss(rate: float) -> str:
    """How many flagged items without a miss rule out that a share `rate` is missed."""
    return _(
        "To be 95 %% sure that fewer than %(rate)s are missed takes %(n)s flagged items, each of "
        "another dialogue, without a single miss."
    ) % {"rate": f"{100 * rate:.3g} %", "n": f"{positives_for_miss_rate(rate):,}"}


def _positives(screen: Screen) -> str:
    return _("%(found)s of %(n)s found") % {
        "found": f"{screen.found:,}",
        "n": f"{screen.n_positives:,}",
    }


def _few(screen: Screen) -> str:
    """What few flagged items, or a record without a miss, allow to say."""
    sensitivity = screen.estimates["sensitivity"]
    if not screen.n_positives:
        return _("Nothing is flagged here, so nothing is known about misses.")
    if sensitivity.low is None:
        return _("Flagged items from %(n)s dialogues: too few to tell how many are missed.") % {
            "n": sensitivity.n_clusters
        }
    if screen.missed:
        return ""
    words = {
        "items": counted(screen.n_positives, sensitivity.n_clusters),
        "reach": number(1 - sensitivity.low, "sensitivity"),
    }
    return (
        _(
            "No miss in what is flagged (%(items)s): up to %(reach)s could still be missed (95 %% "
            "limit; items of one dialogue count as one)."
        )
        % words
    )


def _elsewhere(screen: Screen, judge: str) -> str:
    """How common flagged items are where only the judge looked."""
    there = screen.elsewhere
    if there is None:
        return ""
    words = {
        "judge": judge,
        "n": f"{there.n_items:,}",
        "share": number(there.flagged / there.n_items, "flagged"),
        "youden": number(there.youden, "youden"),
        "value": number(there.value, "prevalence"),
        "low": number(there.low, "prevalence"),
        "high": number(there.high, "prevalence"),
    }
    flagged = _("On %(n)s items without a reference %(judge)s flags %(share)s.") % words
    if there.youden is None:
        return flagged
    if there.is_refused:
        refused = _(
            "That cannot be corrected for its misses and false alarms: sensitivity and "
            "specificity add up to %(youden)s more than chance, and below 0.10 a correction "
            "multiplies every error."
        )
        return f"{flagged} {refused % words}"
    if there.note:
        return f"{flagged} {_(there.note.sentence)}"
    if there.value is None:
        differ = _("They differ too much from the items with a reference to be corrected by them.")
        return f"{flagged} {differ}"
    corrected = _(
        "Corrected for its misses and false alarms, %(value)s are to be expected (95 %% interval "
        "%(low)s to %(high)s, Rogan-Gladen with the limits of Lang and Reiczigel), if it is wrong "
        "there as often as on the items with a reference."
    )
    if there.design_effect is None:
        return f"{flagged} {corrected % words}"
    alike = _(
        "Items of one dialogue are alike: the interval is that of %(effect)s times fewer items "
        "that stand alone (design effect, leaving out one dialogue at a time)."
    )
    effect = {"effect": number(there.design_effect, "", 1)}
    return f"{flagged} {corrected % words} {alike % effect}"


def _in_field(which: Which, meant: Floats, flagged: Floats) -> npt.NDArray[np.bool_]:
    both = ~np.isnan(meant + flagged)
    is_meant, is_flagged = which.flags
    return both & ((meant == 1) == is_meant) & ((flagged == 1) == is_flagged)


def _said_values(shown: Panel, given: Floats) -> str:
    """Values (k,) in words, those that are missing left out."""
    points = given[~np.isnan(given)].tolist()
    return ", ".join(point_names(shown.rubric, shown.criterion, points))


def _sentence(shown: Panel, which: Which, judge: str) -> str:
    words = {"judge": judge, "reference": shown.reference_name, "cut": shown.cut_name}
    return {
        Which.MISSED: _("Flagged by %(reference)s (%(cut)s), not by %(judge)s."),
        Which.ALARMS: _("Flagged by %(judge)s (%(cut)s), not by %(reference)s."),
        Which.FOUND: _("Flagged (%(cut)s) by %(judge)s and by %(reference)s."),
        Which.PASSED: _("Flagged (%(cut)s) neither by %(judge)s nor by %(reference)s."),
    }[which] % words
