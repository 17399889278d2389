"""What the routing page says: which answers may be accepted, with what promise, and what is left."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import ClassVar, TypeVar
from urllib.parse import urlencode

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from analytics.items import page as cases
from analytics.items.page import CaseList
from analytics.present.charts.looks import looks_of
from analytics.present.charts.selective import SelectivePoint, selective_curve
from analytics.present.charts.showing import Chart
from analytics.present.grid import Grid
from analytics.present.naming import Naming
from analytics.present.page import Choice, FiguresPage, NoSuchPage
from analytics.present.viewing import values_of
from analytics.ratings import matrices
from analytics.ratings.matrices import View
from analytics.routing import numbers as reports
from analytics.routing import tables, words
from analytics.routing.numbers import RoutingLine, RoutingReport, RoutingStep, Signal, Target, Why
from analytics.routing.words import (
    SIGNALS,
    USUAL_ALPHA,
    WHYS,
    Promising,
    percent,
    safe_step,
    sure_words,
    target_name,
)
from analytics.safety.numbers import Screened
from analytics.stats.routing import n_passed
from annotation.queries.studies import StudyAccess
from annotation.queries.wording import said

Named = TypeVar("Named", bound=str)
ALPHAS = (0.01, 0.05, 0.1, 0.2, 0.3)
AUDITS = (0.02, 0.05, 0.1)
USUAL_AUDIT = 0.05


@dataclass(frozen=True, slots=True, kw_only=True)
class RoutingCard:
    """One judge under the chosen target and signal."""

    id: int
    judge: str
    is_safe: bool
    verdict: str
    left: str
    tests: Grid | None
    chart: Chart | None


@dataclass(frozen=True, kw_only=True)
class RoutingPage(FiguresPage):
    """Routing on one criterion, for a target, a signal and the share that may disagree."""

    room: ClassVar[str] = "routing"
    report: RoutingReport
    screened: Screened
    target: Target
    signal: Signal
    alpha: float
    audited: float

    @property
    def computed_at(self) -> datetime:
        return self.report.computed_at

    @property
    def criterion(self) -> str:
        return self.screened.line.key

    @property
    def criterion_name(self) -> str:
        return said(self.screened.line.name)

    @property
    def target_name(self) -> str:
        return self._target_name(self.target)

    @property
    def signal_name(self) -> str:
        return str(SIGNALS[self.signal])

    @property
    def alpha_name(self) -> str:
        return percent(self.alpha)

    @property
    def confidence_name(self) -> str:
        return percent(1 - self.report.delta)

    @property
    def audited_name(self) -> str:
        return percent(self.audited)

    @property
    def criteria(self) -> list[Choice]:
        return [
            Choice(key=one.line.key, name=said(one.line.name), is_current=one is self.screened)
            for one in self.report.screened
        ]

    @property
    def targets(self) -> list[Choice]:
        return [
            Choice(key=one.value, name=self._target_name(one), is_current=one is self.target)
            for one in targets_of(self.screened)
        ]

    @property
    def signals(self) -> list[Choice]:
        offered = {one.signal for one in self.report.lines if one.criterion == self.criterion}
        return [
            Choice(key=one.value, name=str(name), is_current=one is self.signal)
            for one, name in SIGNALS.items()
            if one in offered or one is self.signal
        ]

    @property
    def alphas(self) -> list[Choice]:
        return [_share_choice(one, self.alpha) for one in ALPHAS]

    @property
    def audits(self) -> list[Choice]:
        return [_share_choice(one, self.audited) for one in AUDITS]

    @cached_property
    def cards(self) -> list[RoutingCard]:
        return [self._card(line) for line in self.lines]

    @property
    def charts(self) -> Mapping[str, Chart]:
        return {card.chart.key: card.chart for card in self.cards if card.chart}

    @property
    def nothing(self) -> str:
        """Why there is no curve at all, and what to collect."""
        if self.lines:
            return ""
        if not any(one.criterion == self.criterion for one in self.report.lines):
            return _(
                "There is no sign of how sure a judge is: ask a judge at least twice for each "
                "item, or let a second judge rate the same items."
            )
        return _("This signal does not suit this target: choose another.")

    @property
    def waiting(self) -> str:
        n = self.report.waiting[self.criterion]
        if not n:
            return _(
                "Every item has a rating of a person or gold already: the promise is for further "
                "items like these."
            )
        return ngettext(
            "%(n)s item of this study has neither a rating of a person nor gold.",
            "%(n)s items of this study have neither a rating of a person nor gold.",
            n,
        ) % {"n": f"{n:,}"}

    @cached_property
    def lines(self) -> list[RoutingLine]:
        """The judges under the chosen target and signal."""
        asked = (self.criterion, self.target, self.signal)
        return [
            one for one in self.report.lines if (one.criterion, one.target, one.signal) == asked
        ]

    @property
    def asked(self) -> dict[str, str]:
        return {"alpha": f"{self.alpha:g}"}

    @cached_property
    def overview(self) -> Grid | None:
        return self.grid(tables.accepted(self.report, self.naming, alpha=self.alpha))

    @cached_property
    def _promising(self) -> Promising:
        return Promising(
            screened=self.screened,
            target=self.target,
            signal=self.signal,
            alpha=self.alpha,
            delta=self.report.delta,
        )

    def _target_name(self, target: Target) -> str:
        return target_name(self.naming.rubric, self.screened, target)

    def _tests(self, line: RoutingLine) -> Grid | None:
        return self.grid(
            tables.thresholds(self.report, self.naming, alpha=self.alpha),
            criterion=line.criterion,
            judge=str(self.naming.rater(line.judge).exact),
            target=line.target.value,
            signal=line.signal.value,
        )

    def _card(self, line: RoutingLine) -> RoutingCard:
        judge = self.report.judges[line.judge]
        step = safe_step(line, self.alpha)
        return RoutingCard(
            id=line.judge,
            judge=judge,
            is_safe=step is not None,
            verdict=words.verdict(self._promising, line),
            left=words.left(self.report.waiting[self.criterion], step, audited=self.audited),
            tests=self._tests(line),
            chart=self._chart(line, judge) if line.steps else None,
        )

    def _chart(self, line: RoutingLine, judge: str) -> Chart:
        safe = n_passed(line.steps, alpha=self.alpha)
        told = "; ".join(
            _("%(accepted)s accepted: %(agreeing)s agree, at least %(least)s")
            % {
                "accepted": percent(step.n_accepted / line.n_answers),
                "agreeing": percent(1 - step.n_wrong / step.n_items),
                "least": percent(1 - step.bound),
            }
            for step in line.steps
        )
        plot = selective_curve(
            [
                SelectivePoint(
                    accepted=100 * step.n_accepted / line.n_answers,
                    agreeing=100 * (1 - step.n_wrong / step.n_items),
                    at_least=100 * (1 - step.bound),
                    n=step.n_items,
                    is_safe=place < safe,
                    says=self._taken_in_words(line, step),
                    href=f"routing/{line.criterion}/{line.judge}/?{self._address_of_choices}",
                )
                for place, step in enumerate(line.steps)
            ],
            target=100 * (1 - self.alpha),
            look=looks_of(self.report.judges)[line.judge],
            title=f"{self.criterion_name}: {judge}",
            says=_("Agreement with people by how many answers of %(judge)s are accepted. %(told)s.")
            % {"judge": judge, "told": told},
            x_name=_("Accepted, in percent of all answers"),
            y_name=_("Agree with people, %"),
        )
        return Chart(key=f"routing-{line.criterion}-{line.judge}", plot=plot)

    def _taken_in_words(self, line: RoutingLine, step: RoutingStep) -> str:
        """What a threshold accepts, what of that agrees, at least how much, and of how many."""
        return _(
            "Where %(words)s: %(accepted)s accepted; %(agreeing)s of %(checked)s checked agree, at "
            "least %(least)s"
        ) % {
            "words": words.sure_if(self._promising, step.threshold),
            "accepted": percent(step.n_accepted / line.n_answers),
            "agreeing": percent(1 - step.n_wrong / step.n_items),
            "checked": f"{step.n_items:,}",
            "least": percent(1 - step.bound),
        }

    @property
    def _address_of_choices(self) -> str:
        """What was chosen, for addresses; the criterion is in their path."""
        return urlencode(
            {
                "target": self.target.value,
                "signal": self.signal.value,
                "alpha": f"{self.alpha:g}",
                "audit": f"{self.audited:g}",
                "values": values_of(self.report.view),
            }
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Sorted:
    """The items that go to a person, for one judge: why, how many for which reason, and how sure
    the judge is of each item, NaN where that is not known."""

    page: RoutingPage
    judge: int
    judge_name: str
    revision: int
    whys: Mapping[int, Why]
    sure: Mapping[int, float]
    counts: tuple[tuple[str, str], ...]


def page(report: RoutingReport, naming: Naming, choices: Mapping[str, str]) -> RoutingPage:
    """The page that an address asks for; blanks are the defaults. NoSuchPage otherwise."""
    criterion = choices.get("criterion") or report.screened[0].line.key
    screened = next((one for one in report.screened if one.line.key == criterion), None)
    if screened is None:
        raise NoSuchPage
    targets = targets_of(screened)
    target = _one_of(targets, choices.get("target", ""), targets[0])
    lines = [one for one in report.lines if (one.criterion, one.target) == (criterion, target)]
    usual = lines[0].signal if lines else Signal.REPEATS
    return RoutingPage(
        report=report,
        naming=naming,
        screened=screened,
        target=target,
        signal=_one_of(tuple(Signal), choices.get("signal", ""), usual),
        alpha=_share_of(ALPHAS, choices.get("alpha", ""), USUAL_ALPHA),
        audited=_share_of(AUDITS, choices.get("audit", ""), USUAL_AUDIT),
    )


def for_people(study_access: StudyAccess, shown: RoutingPage, *, judge: int, view: View) -> Sorted:
    """The items that go to a person, read as they are now; NoSuchPage."""
    line = next((one for one in shown.lines if one.judge == judge), None)
    study = matrices.read(study_access.study.pk)
    column = next((one for one in study.judges if one.id == judge), None)
    if line is None or column is None:
        raise NoSuchPage
    step = safe_step(line, shown.alpha)
    threshold = step.threshold if step else None
    table = matrices.matrix(study, shown.criterion, view=view)
    found = reports.answers(study, table, column, target=shown.target, signal=shown.signal)
    whys = reports.for_people(study, found, threshold=threshold, audited=shown.audited)
    often = Counter(whys.values())
    return Sorted(
        page=shown,
        judge=judge,
        judge_name=column.name,
        revision=study.revision,
        whys=whys,
        sure=dict(zip(study.items.tolist(), found.confidence.tolist(), strict=True)),
        counts=tuple((str(name), f"{often[why]:,}") for why, name in WHYS.items() if often[why]),
    )


def listed(study_access: StudyAccess, found: Sorted, *, page: str) -> CaseList:
    """A page of the items that go to a person, each with the reason."""
    return cases.listed(
        study_access,
        {
            item: (str(WHYS[why]), sure_words(found.page.signal, found.sure[item]))
            for item, why in found.whys.items()
        },
        first_name=_("Why a person"),
        second_name=_("How sure the judge is"),
        page=page,
    )


def targets_of(screened: Screened) -> tuple[Target, ...]:
    """The targets that suit a criterion, the usual one first."""
    return reports.TARGETS[screened.line.measurement]


def _share_choice(share: float, current: float) -> Choice:
    return Choice(key=f"{share:g}", name=percent(share), is_current=share == current)


def _share_of(known: tuple[float, ...], typed: str, usual: float) -> float:
    return float(_one_of([f"{share:g}" for share in known], typed, f"{usual:g}"))


def _one_of(known: Iterable[Named], typed: str, usual: Named) -> Named:
    """The one that is asked for by name, the usual one where nothing is."""
    if not typed:
        return usual
    found = next((one for one in known if one == typed), None)
    if found is None:
        raise NoSuchPage
    return found
