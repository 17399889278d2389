"""What the safety panel shows: the judges at one cut of one criterion, and the items they miss."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar, TypeVar
from urllib.parse import urlencode

import numpy as np
import numpy.typing as npt
from django.utils.translation import gettext as _

from accounts.punctuation import headed
from analytics.policies.loading import DEFAULT, shipped
from analytics.present import asides
from analytics.present.asides import Aside
from analytics.present.charts.found import FoundShare, found_bars
from analytics.present.charts.looks import looks_of
from analytics.present.charts.showing import Chart
from analytics.present.grid import Grid
from analytics.present.listing import ItemList, ListAsked
from analytics.present.naming import Naming
from analytics.present.page import Choice, FiguresPage, NoSuchPage, choices, of_criteria, shown
from analytics.present.tables import Table
from analytics.present.viewing import Side, asked_of
from analytics.present.words import (
    Figure,
    counted,
    cut_name,
    figure,
    reference_name,
    without_a_miss,
)
from analytics.ratings import matrices
from analytics.routing.numbers import RoutingReport
from analytics.routing.promises import PromiseTerms
from analytics.safety import numbers as safety
from analytics.safety import tables, words
from analytics.safety.numbers import (
    Cut,
    FlagReference,
    SafetyReport,
    Screen,
    Screened,
)
from analytics.safety.words import FIELDS, Which
from analytics.stats.estimates import Note
from analytics.stats.scales import Floats
from annotation.queries.wording import said

Keyed = TypeVar("Keyed")
MISS_RATES = (0.05, 0.01)


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeRow:
    """One judge at the cut; `few` is said where it misses nothing, or nothing can be told yet."""

    id: int
    name: str
    positives: str
    badge: str
    standing: str
    verdict: str
    people: str
    asides: tuple[Aside, ...]
    warning: str
    few: str
    elsewhere: str


def _at_cut(
    make: Callable[[SafetyReport, Naming], Table],
) -> "cached_property[Grid | None]":
    """The lines of a table at the cut and by the reference of the panel."""

    def made(panel: "SafetyPanel") -> Grid | None:
        return panel.grid(
            make(panel.in_view, panel.naming),
            criterion=panel.criterion,
            cut=panel.cut.key,
            reference=panel.reference.value,
        )

    return cached_property(made)


@dataclass(frozen=True, kw_only=True)
class SafetyPanel(FiguresPage):
    """The safety panel for one criterion, cut and reference."""

    room: ClassVar[str] = "safety"
    report: SafetyReport
    screened: Screened
    cut: Cut
    reference: FlagReference
    routed: RoutingReport
    terms: PromiseTerms

    shares = _at_cut(tables.every_cut)
    people = _at_cut(tables.people)
    side_by_side = _at_cut(tables.agreement)
    elsewhere = shown(tables.hidden)

    @cached_property
    def in_view(self) -> SafetyReport:
        """What the tables in view are made of: of all criteria there may be thousands of lines."""
        found = (
            screen
            for screen in self.report.screens
            if (screen.criterion, screen.reference) == (self.criterion, self.reference)
        )
        return replace(self.report, screens=tuple(found))

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
        return cut_name(self.naming.rubric, self.screened, self.cut)

    @property
    def reference_name(self) -> str:
        return reference_name(self.screened, self.reference)

    @property
    def criteria(self) -> list[Choice]:
        return of_criteria((one.line for one in self.report.criteria), self.criterion)

    @property
    def cuts(self) -> list[Choice]:
        rubric, screened = self.naming.rubric, self.screened
        named = ((cut.key, cut_name(rubric, screened, cut)) for cut in screened.cuts)
        return choices(named, self.cut.key)

    @property
    def references(self) -> list[Choice]:
        named = ((one, reference_name(self.screened, one)) for one in self.screened.references)
        return choices(named, self.reference)

    @property
    def prevalence(self) -> Figure | None:
        """Of the judge with the most items, for all share most of them."""
        most = max(self._screens, key=lambda one: one.estimates["prevalence"].n_items, default=None)
        return self._figure(most, "prevalence") if most else None

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
        named = {"criterion": self.criterion_name, "cut": self.cut_name}
        plot = found_bars(
            shares,
            {self.naming.rater(one.judge).text: looks[one.judge] for one in self._screens},
            title=_("%(criterion)s: %(cut)s") % named,
            says=" ".join(share.says for share in shares),
            x_name=_("Flagged items"),
            y_name=_("Judge"),
        )
        return Chart(key=f"found-{self.criterion}", plot=plot)

    @property
    def charts(self) -> Mapping[str, Chart]:
        return {self.chart.key: self.chart} if self.chart else {}

    def _shares(self, screen: Screen) -> Iterator[FoundShare]:
        judge = self.naming.rater(screen.judge).text
        named = {"judge": judge, "n": f"{screen.n_positives:,}"}
        asked = {
            "cut": self.cut.key,
            "reference": self.reference.value,
            **asked_of(self.report.view),
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
                yield FoundShare(
                    judge=judge,
                    is_found=which is Which.FOUND,
                    n=n,
                    says=says % (named | {which.value: f"{n:,}"}),
                    href=f"safety/{self.criterion}/{screen.judge}/{which.value}/?{urlencode(asked)}",
                )

    @cached_property
    def each_cut(self) -> Grid | None:
        """Every cut of the criterion, judge by judge."""
        every = tables.every_cut(self.in_view, self.naming)
        return self.grid(every, criterion=self.criterion, reference=self.reference.value)

    @property
    def is_weighted(self) -> bool:
        """Whether items count by the chance that each had to be drawn."""
        return any(
            Note.WEIGHTED in one.notes
            for screen in self._screens
            for one in screen.estimates.values()
        )

    @property
    def has_repeats(self) -> bool:
        """Whether shares of some judge are means over several runs."""
        flagged = (screen.estimates["flagged"] for screen in self._screens)
        return any(one.n_pairs > one.n_items for one in flagged)

    @property
    def warnings(self) -> list[str]:
        return [row.warning for row in self.rows if row.warning]

    @property
    def people_of_all(self) -> str:
        """What is said of people beside the judges, where it is the same beside each of several."""
        said_of = {row.people for row in self.rows}
        return said_of.pop() if len(said_of) == 1 < len(self.rows) else ""

    @property
    def without_reference(self) -> list[str]:
        """What each judge flags where nobody says what is to be flagged."""
        return [row.elsewhere for row in self.rows if row.elsewhere]

    @property
    def needed(self) -> list[str]:
        """What it takes to rule out that some are missed."""
        return [without_a_miss(rate) for rate in MISS_RATES]

    @cached_property
    def _screens(self) -> list[Screen]:
        return screens_at(self.report, self.criterion, self.cut.key, self.reference)

    def _figure(self, screen: Screen, name: str) -> Figure:
        return figure(screen.estimates[name], self.footnotes)

    def _row(self, screen: Screen) -> JudgeRow:
        name, found = self.naming.rater(screen.judge).text, safety.standing(screen)
        return JudgeRow(
            id=screen.judge,
            name=name,
            positives=words.positives(screen),
            badge=asides.badge_of(found),
            standing=str(words.STANDINGS[found]),
            verdict=words.verdict_of(self.screened, screen, name),
            people=words.said_beside_people(self.screened, screen),
            asides=tuple(self._asides(screen)),
            warning=words.warning_of(self.report, self.screened, screen, name),
            few=words.few(screen),
            elsewhere=words.elsewhere(screen, name),
        )

    def _asides(self, screen: Screen) -> Iterator[Aside]:
        if self.report.view.within:
            return  # what routing and cards certify is not about a slice
        place = screen.criterion, screen.judge
        yield asides.of_routing(self.routed, *place, self.terms, self.naming)
        if verdict := self.terms.verdicts.get(place):
            yield asides.of_card(verdict, *place, self.naming)


def panel(
    report: SafetyReport,
    naming: Naming,
    choices: Mapping[str, str],
    *,
    routed: RoutingReport,
    terms: PromiseTerms,
) -> SafetyPanel:
    """The panel that an address asks for; blanks are the defaults. NoSuchPage otherwise."""
    screened = _screened(report, choices.get("criterion", ""))
    cut = choices.get("cut") or screened.usual_cut
    chosen = _one_of({one.key: one for one in screened.cuts}, cut)
    references = {one.value: one for one in screened.references}
    reference = choices.get("reference", "")
    if reference and reference not in references:
        raise NoSuchPage
    usual = screened.references[0] if screened.references else FlagReference.HALF
    return SafetyPanel(
        report=report,
        naming=naming,
        screened=screened,
        cut=chosen,
        reference=references.get(reference, usual),
        routed=routed,
        terms=terms,
    )


def in_field(asked: ListAsked, *, shown: SafetyPanel, judge: int, which: str) -> ItemList:
    """The items of one field, read as they are now; NoSuchPage."""
    if which not in FIELDS:
        raise NoSuchPage
    study, column, here = asked.study, asked.judge(judge), Which(which)
    table = asked.table(shown.criterion)
    meant, flagged = safety.flags_of(study, table, column, reference=shown.reference, cut=shown.cut)
    answers = matrices.runs(study, table, column).first
    fields = {one: _in_field(one, meant, flagged) for one in Which}
    is_gold = shown.reference is FlagReference.GOLD
    given = table.gold[:, None] if is_gold else table.of_humans()
    found = {
        int(study.items[place]): (
            asked.words(table.key, given[place]),
            asked.words(table.key, answers[[place]]),
        )
        for place in np.flatnonzero(fields[here])
    }
    chosen = {"cut": shown.cut.key, "reference": shown.reference.value}
    return ItemList(
        title=_("%(name)s: %(judge)s") % {"name": FIELDS[here], "judge": column.name},
        says=headed(shown.criterion_name, _sentence(shown, here, column.name)),
        back=asked.address("agreement_safety", criterion=shown.criterion, **chosen),
        back_to=_("Safety"),
        cases=asked.cases(found, _("Gold") if is_gold else _("People"), column.name),
        beside=tuple(
            Side(
                name=f"{name} {int(fields[one].sum()):,}",
                address=asked.address("agreement_safety_items", shown.criterion, judge, one.value),
                is_current=one is here,
            )
            for one, name in FIELDS.items()
        ),
    )


def screens_at(
    report: SafetyReport, criterion: str, cut: str, reference: FlagReference
) -> list[Screen]:
    """One screen a judge, in the order of the judges."""
    return [
        screen
        for screen in report.screens
        if (screen.criterion, screen.cut, screen.reference) == (criterion, cut, reference)
    ]


def hides_misses(report: SafetyReport, screened: Screened) -> bool:
    """Whether AC looks good beside misses of a judge at the usual cut of a criterion."""
    return any(
        safety.contradicts(screen, safety.on_values_of(report, screen))
        for reference in screened.references[:1]
        for screen in screens_at(report, screened.line.key, screened.usual_cut, reference)
    )


def _screened(report: SafetyReport, criterion: str) -> Screened:
    """The criterion asked for; by default the first on which a judge must find what is flagged,
    else the first on which agreement hides misses."""
    if criterion:
        return _one_of({one.line.key: one for one in report.criteria}, criterion)
    rules = shipped()[DEFAULT]
    asked = [one for one in report.criteria if rules.asks_sensitivity(one.line.key)]
    hiding = [one for one in report.criteria if hides_misses(report, one)]
    return [*asked, *hiding, *report.criteria][0]


def _one_of(known: Mapping[str, Keyed], key: str) -> Keyed:
    """The criterion or cut with this key."""
    if key not in known:
        raise NoSuchPage
    return known[key]


def _in_field(which: Which, meant: Floats, flagged: Floats) -> npt.NDArray[np.bool_]:
    both = ~np.isnan(meant + flagged)
    is_meant, is_flagged = which.flags
    return np.asarray(both & ((meant == 1) == is_meant) & ((flagged == 1) == is_flagged))


def _sentence(shown: SafetyPanel, which: Which, judge: str) -> str:
    named = {"judge": judge, "reference": shown.reference_name, "cut": shown.cut_name}
    return {
        Which.MISSED: _("Flagged by %(reference)s (%(cut)s), not by %(judge)s."),
        Which.ALARMS: _("Flagged by %(judge)s (%(cut)s), not by %(reference)s."),
        Which.FOUND: _("Flagged (%(cut)s) by %(judge)s and by %(reference)s."),
        Which.PASSED: _("Flagged (%(cut)s) neither by %(judge)s nor by %(reference)s."),
    }[which] % named
