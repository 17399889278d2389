"""What the routing page says: which answers may be accepted, with what promise, and what is left."""

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from urllib.parse import urlencode

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from analytics.items import page as cases
from analytics.items.page import CaseList
from analytics.present.charts.looks import looks_of
from analytics.present.charts.selective import Taken, selective_curve
from analytics.present.charts.showing import Chart
from analytics.present.page import Choice
from analytics.present.viewing import values_of
from analytics.present.words import cut_name
from analytics.ratings import matrices
from analytics.ratings.matrices import View
from analytics.routing import numbers as reports
from analytics.routing.numbers import RoutingLine, RoutingReport, RoutingStep, Signal, Target, Why
from analytics.safety.numbers import Screened, usual_cut
from analytics.stats.planning import items_for_bound
from analytics.stats.routing import LEAST_ITEMS, n_passed
from annotation.queries.studies import StudyAccess
from annotation.queries.wording import said
from annotation.rubric.schema import Measurement, Rubric

ALPHAS = (0.01, 0.05, 0.1, 0.2, 0.3)
USUAL_ALPHA = 0.1
AUDITS = (0.02, 0.05, 0.1)
USUAL_AUDIT = 0.05

SIGNALS: Mapping[Signal, Promise] = {
    Signal.REPEATS: gettext_lazy("its repeats agree"),
    Signal.JUDGES: gettext_lazy("other judges agree"),
    Signal.DISTANCE: gettext_lazy("far from the cut"),
}
_SHORT_SIGNALS: Mapping[Signal, Promise] = {
    Signal.REPEATS: gettext_lazy("Its repeats"),
    Signal.JUDGES: gettext_lazy("Other judges"),
    Signal.DISTANCE: gettext_lazy("Distance from the cut"),
}
WHYS: Mapping[Why, Promise] = {
    Why.NO_ANSWER: gettext_lazy("no answer of the judge that counts"),
    Why.UNKNOWN: gettext_lazy("how sure the judge is, is not known"),
    Why.UNSURE: gettext_lazy("the judge is not sure enough"),
    Why.AUDIT: gettext_lazy("audit: drawn at random from the accepted"),
}


class NoSuchRouting(Exception):
    """The address asks for a criterion, target, signal, judge or share that there is not."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StepRow:
    """One threshold: what it accepts, how that did, and whether the promise holds there."""

    words: str
    checked: str
    wrong: str
    agreeing: str
    at_least: str
    accepted: str
    verdict: str
    is_safe: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeCard:
    """One judge under the chosen target and signal."""

    id: int
    judge: str
    is_safe: bool
    verdict: str
    left: str
    rows: tuple[StepRow, ...]
    chart: Chart | None


@dataclass(frozen=True, slots=True, kw_only=True)
class OverviewRow:
    """One judge on one criterion: (signal, what share it lets accept, empty where none is)."""

    key: str
    criterion: str
    target: str
    judge: str
    accepted: tuple[tuple[str, str], ...]


@dataclass(frozen=True, kw_only=True)
class Page:
    """Routing on one criterion, for a target, a signal and the share that may disagree."""

    report: RoutingReport
    rubric: Rubric
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
    def charts(self) -> Mapping[str, Chart]:
        return {card.chart.key: card.chart for card in self.cards if card.chart}

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
    def cards(self) -> list[JudgeCard]:
        return [self._card(line) for line in self.lines]

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

    @property
    def overview_signals(self) -> list[str]:
        return [str(name) for name in _SHORT_SIGNALS.values()]

    @cached_property
    def overview(self) -> list[OverviewRow]:
        rows = []
        for screened in self.report.screened:
            target = self.target if self.target in targets_of(screened) else Target.SAME
            for judge, name in self.report.judges.items():
                lines = [
                    one
                    for one in self.report.lines
                    if (one.criterion, one.judge, one.target) == (screened.line.key, judge, target)
                ]
                if lines:
                    rows.append(self._overview(screened, target, name, lines))
        return rows

    @cached_property
    def lines(self) -> list[RoutingLine]:
        """The judges under the chosen target and signal."""
        asked = (self.criterion, self.target, self.signal)
        return [
            one for one in self.report.lines if (one.criterion, one.target, one.signal) == asked
        ]

    def _overview(
        self, screened: Screened, target: Target, judge: str, lines: list[RoutingLine]
    ) -> OverviewRow:
        by_signal = {one.signal: one for one in lines}
        return OverviewRow(
            key=screened.line.key,
            criterion=said(screened.line.name),
            target=target_name(self.rubric, screened, target),
            judge=judge,
            accepted=tuple(
                (str(name), self._accepted(by_signal[signal]) if signal in by_signal else "")
                for signal, name in _SHORT_SIGNALS.items()
            ),
        )

    def _accepted(self, line: RoutingLine) -> str:
        step = safe_step(line, self.alpha)
        return percent(step.n_accepted / line.n_answers) if step else _("none")

    def _target_name(self, target: Target) -> str:
        return target_name(self.rubric, self.screened, target)

    def _card(self, line: RoutingLine) -> JudgeCard:
        judge = self.report.judges[line.judge]
        step = safe_step(line, self.alpha)
        return JudgeCard(
            id=line.judge,
            judge=judge,
            is_safe=step is not None,
            verdict=self._promise(line, step) if step else self._no_promise(line),
            left=self._left(line, step),
            rows=tuple(self._rows(line)),
            chart=self._chart(line, judge) if line.steps else None,
        )

    def _promise(self, line: RoutingLine, step: RoutingStep) -> str:
        return _(
            "Accept %(accepted)s of %(answers)s answers (%(share)s): those where %(words)s. Of "
            "such answers at most %(alpha)s do not agree with people, with %(sure)s confidence: "
            "%(wrong)s of %(checked)s checked ones did not, which bounds the share at %(bound)s."
        ) % {
            "accepted": f"{step.n_accepted:,}",
            "answers": f"{line.n_answers:,}",
            "share": percent(step.n_accepted / line.n_answers),
            "words": self._words(step.threshold),
            "alpha": self.alpha_name,
            "sure": self.confidence_name,
            "wrong": f"{step.n_wrong:,}",
            "checked": f"{step.n_items:,}",
            "bound": percent(step.bound),
        }

    def _no_promise(self, line: RoutingLine) -> str:
        """Why nothing can be promised, and what to collect."""
        least = items_for_bound(0, alpha=self.alpha, delta=self.report.delta) or LEAST_ITEMS
        if not line.steps:
            return _(
                "Nothing can be promised: only %(checked)s answers could be checked, one a "
                "dialogue, and it takes %(least)s. Have people rate items of %(more)s more "
                "dialogues that the judge rated."
            ) % {
                "checked": f"{line.n_checked:,}",
                "least": max(least, LEAST_ITEMS),
                "more": max(least, LEAST_ITEMS) - line.n_checked,
            }
        first = line.steps[0]
        rate = first.n_wrong / first.n_items
        words = {
            "wrong": f"{first.n_wrong:,}",
            "checked": f"{first.n_items:,}",
            "words": self._words(first.threshold),
            "rate": percent(rate),
            "bound": percent(first.bound),
            "alpha": self.alpha_name,
        }
        needed = items_for_bound(rate, alpha=self.alpha, delta=self.report.delta)
        if needed is None and line.surest and line.surest.threshold > first.threshold:
            return self._too_few_sure(line.surest, words)
        if needed is None:
            return (
                _(
                    "Nothing can be promised, and more items will not help: even where %(words)s, "
                    "%(wrong)s of %(checked)s checked answers (%(rate)s) do not agree with people, "
                    "and %(alpha)s may. Every item needs a person, unless a better judge, another "
                    "signal or a milder target will do."
                )
                % words
            )
        return _(
            "Nothing can be promised yet: where %(words)s, %(wrong)s of %(checked)s checked "
            "answers (%(rate)s) do not agree with people, so at most %(bound)s; %(alpha)s may. If "
            "it stays like that, it takes %(needed)s such answers: have people rate items of "
            "%(more)s more dialogues of this kind."
        ) % (words | {"needed": f"{needed:,}", "more": f"{max(needed - first.n_items, 1):,}"})

    def _too_few_sure(self, surest: RoutingStep, words: Mapping[str, str]) -> str:
        """The surer answers might do, but are too few to be tested by themselves."""
        return _(
            "Nothing can be promised yet: where %(words)s, %(wrong)s of %(checked)s checked answers "
            "(%(rate)s) do not agree with people, and %(alpha)s may. Surer answers may do better, "
            "but too few were checked: where %(surer)s, %(n)s of them (%(n_wrong)s do not agree), "
            "and it takes %(least)s. Have people rate items of more dialogues."
        ) % (
            words
            | {
                "surer": self._words(surest.threshold),
                "n": f"{surest.n_items:,}",
                "n_wrong": f"{surest.n_wrong:,}",
                "least": LEAST_ITEMS,
            }
        )

    def _left(self, line: RoutingLine, step: RoutingStep | None) -> str:
        """How many of the unrated items go to a person, with the audit slice about."""
        waiting = self.report.waiting[self.criterion]
        if not waiting:
            return ""
        if step is None:
            return ngettext(
                "The %(n)s item that nobody has rated goes to a person.",
                "All %(n)s items that nobody has rated go to a person.",
                waiting,
            ) % {"n": f"{waiting:,}"}
        accepted = step.n_waiting
        audited = round(self.audited * accepted)
        return _(
            "Of the %(waiting)s items that nobody has rated, %(accepted)s are accepted and "
            "%(people)s go to a person; so do about %(audited)s of the accepted, as an audit."
        ) % {
            "waiting": f"{waiting:,}",
            "accepted": f"{accepted:,}",
            "people": f"{waiting - accepted:,}",
            "audited": f"{audited:,}",
        }

    def _rows(self, line: RoutingLine) -> list[StepRow]:
        safe = n_passed(line.steps, alpha=self.alpha)
        verdicts = {
            True: _("the promise holds"),
            False: _("not tried: an earlier one failed"),
        }
        return [
            StepRow(
                words=self._words(step.threshold),
                checked=f"{step.n_items:,}",
                wrong=f"{step.n_wrong:,}",
                agreeing=percent(1 - step.n_wrong / step.n_items),
                at_least=percent(1 - step.bound),
                accepted=percent(step.n_accepted / line.n_answers),
                verdict=_("fails: here it stops") if place == safe else verdicts[place < safe],
                is_safe=place < safe,
            )
            for place, step in enumerate(line.steps)
        ]

    def _chart(self, line: RoutingLine, judge: str) -> Chart:
        safe = n_passed(line.steps, alpha=self.alpha)
        rows = self._rows(line)
        told = "; ".join(
            _("%(accepted)s accepted: %(agreeing)s agree, at least %(least)s")
            % {"accepted": row.accepted, "agreeing": row.agreeing, "least": row.at_least}
            for row in rows
        )
        plot = selective_curve(
            [
                Taken(
                    accepted=100 * step.n_accepted / line.n_answers,
                    agreeing=100 * (1 - step.n_wrong / step.n_items),
                    at_least=100 * (1 - step.bound),
                    n=step.n_items,
                    is_safe=place < safe,
                    says=_taken_in_words(row),
                    href=f"routing/{line.criterion}/{line.judge}/?{self._asked}",
                )
                for place, (step, row) in enumerate(zip(line.steps, rows, strict=True))
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

    @property
    def _asked(self) -> str:
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

    def _words(self, threshold: float) -> str:
        """Which answers are at least so sure."""
        if threshold <= 0:
            return _("there is any answer")
        if self.signal is Signal.DISTANCE:
            return _("the answer is at least %(points)s points from the cut") % {
                "points": f"{threshold:g}"
            }
        if self.signal is Signal.REPEATS:
            return _("at least %(share)s of the judge’s other answers agree") % {
                "share": percent(threshold)
            }
        if self._is_near and threshold == 1:
            return _("all other judges give the same value")
        if self._is_near:
            points = self.screened.line.points
            return _("other judges are on average no more than %(points)s points away") % {
                "points": f"{(1 - threshold) * (points[-1] - points[0]):.2g}"
            }
        return _("at least %(share)s of the other judges agree") % {"share": percent(threshold)}

    @property
    def _is_near(self) -> bool:
        """Whether other judges are compared by distance."""
        is_scale = self.screened.line.measurement is Measurement.ORDINAL
        return is_scale and self.target is not Target.SAME_SIDE


@dataclass(frozen=True, slots=True, kw_only=True)
class Sorted:
    """The items that go to a person, for one judge: why, how many for which reason, and how sure
    the judge is of each item, NaN where that is not known."""

    page: Page
    judge: int
    judge_name: str
    revision: int
    whys: Mapping[int, Why]
    sure: Mapping[int, float]
    counts: tuple[tuple[str, str], ...]


def page(report: RoutingReport, rubric: Rubric, choices: Mapping[str, str]) -> Page:
    """The page that an address asks for; blanks are the defaults. NoSuchRouting otherwise."""
    criterion = choices.get("criterion") or report.screened[0].line.key
    screened = next((one for one in report.screened if one.line.key == criterion), None)
    if screened is None:
        raise NoSuchRouting
    targets = targets_of(screened)
    target = _one_of(targets, choices.get("target", ""), targets[0])
    lines = [one for one in report.lines if (one.criterion, one.target) == (criterion, target)]
    usual = lines[0].signal if lines else Signal.REPEATS
    return Page(
        report=report,
        rubric=rubric,
        screened=screened,
        target=target,
        signal=_one_of(tuple(Signal), choices.get("signal", ""), usual),
        alpha=_share_of(ALPHAS, choices.get("alpha", ""), USUAL_ALPHA),
        audited=_share_of(AUDITS, choices.get("audit", ""), USUAL_AUDIT),
    )


def for_people(study_access: StudyAccess, shown: Page, *, judge: int, view: View) -> Sorted:
    """The items that go to a person, read as they are now; NoSuchRouting."""
    line = next((one for one in shown.lines if one.judge == judge), None)
    study = matrices.read(study_access.study.pk)
    column = next((one for one in study.judges if one.id == judge), None)
    if line is None or column is None:
        raise NoSuchRouting
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


def _taken_in_words(row: StepRow) -> str:
    """One threshold: what it accepts, what of that agrees, at least how much, and of how many."""
    return _(
        "Where %(words)s: %(accepted)s accepted; %(agreeing)s of %(checked)s checked agree, at "
        "least %(least)s"
    ) % {
        "words": row.words,
        "accepted": row.accepted,
        "agreeing": row.agreeing,
        "checked": row.checked,
        "least": row.at_least,
    }


def safe_step(line: RoutingLine, alpha: float) -> RoutingStep | None:
    """The lowest threshold at which the promise holds."""
    passed = n_passed(line.steps, alpha=alpha)
    return line.steps[passed - 1] if passed else None


def targets_of(screened: Screened) -> tuple[Target, ...]:
    """The targets that suit a criterion, the usual one first."""
    return reports.TARGETS[screened.line.measurement]


def target_name(rubric: Rubric, screened: Screened, target: Target) -> str:
    """When an answer is right."""
    if target is Target.SAME:
        return _("same value")
    if target is Target.WITHIN_ONE:
        return _("within one point")
    return _("same side of the cut (%(cut)s)") % {
        "cut": cut_name(rubric, screened, usual_cut(screened))
    }


def sure_words(signal: Signal, sure: float) -> str:
    """How sure an answer is, in the unit of the signal."""
    if math.isnan(sure):
        return _("not known")
    if signal is Signal.DISTANCE:
        return _("%(points)s points from the cut") % {"points": f"{sure:g}"}
    return percent(sure)


def percent(share: float) -> str:
    """A share of 1 in percent, to a tenth."""
    return f"{round(100 * share, 1):g} %"


def _share_choice(share: float, current: float) -> Choice:
    return Choice(key=f"{share:g}", name=percent(share), is_current=share == current)


def _share_of(known: tuple[float, ...], typed: str, usual: float) -> float:
    return float(_one_of([f"{share:g}" for share in known], typed, f"{usual:g}"))


def _one_of(known, typed: str, usual):
    """The one that is asked for by name, the usual one where nothing is."""
    if not typed:
        return usual
    found = next((one for one in known if one == typed), None)
    if found is None:
        raise NoSuchRouting
    return found
