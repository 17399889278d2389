"""What the routing page says: which answers may be accepted, with what promise, and what is left."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar, TypeVar
from urllib.parse import urlencode

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from accounts.punctuation import in_turn, labelled
from analytics.policies.loading import Policy
from analytics.present import asides
from analytics.present.asides import Aside
from analytics.present.charts.looks import looks_of
from analytics.present.charts.selective import SelectivePoint, selective_curve
from analytics.present.charts.showing import Chart
from analytics.present.goals import Goal
from analytics.present.grid import Grid
from analytics.present.listing import ItemList, ListAsked
from analytics.present.naming import Naming
from analytics.present.page import Choice, FiguresPage, NoSuchPage, choices, of_criteria
from analytics.present.tables import Table
from analytics.present.viewing import asked_of
from analytics.present.words import cut_name
from analytics.ratings import matrices
from analytics.ratings.matrices import View
from analytics.routing import numbers as reports
from analytics.routing import tables, words
from analytics.routing.numbers import RoutingLine, RoutingReport, RoutingStep, Signal, Target, Why
from analytics.routing.promises import (
    NOT_ASKED,
    USUAL_ALPHA,
    PromiseTerms,
    Ruling,
    cost_goals,
    may_slip,
    rule,
    terms,
)
from analytics.routing.words import SIGNALS, WHYS, Promising, percent, sure_words, target_name
from analytics.safety.numbers import Screened, usual_cut
from analytics.stats.promises import Risk
from analytics.stats.verdicts import Verdict
from annotation.queries.studies import StudyAccess
from annotation.queries.wording import said

Named = TypeVar("Named", bound=str)
ALPHAS = (0.01, 0.05, 0.1, 0.2, 0.3)
PASSED = (0.001, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2)
MISSES = (0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5)
TYPED = ("passed", "misses", "miss", "alarm")
AUDITS = (0.02, 0.05, 0.1)
USUAL_AUDIT = 0.05


@dataclass(frozen=True, slots=True, kw_only=True)
class RoutingCard:
    """One judge under the chosen target and signal."""

    id: int
    judge: str
    is_safe: bool
    in_short: str
    verdict: str
    left: str
    straw_man: str
    asides: tuple[Aside, ...]
    costs: Grid | None
    tests: Grid | None
    chart: Chart | None


@dataclass(frozen=True, kw_only=True)
class RoutingPage(FiguresPage):
    """Routing on one criterion, for a target, a signal and what is asked of the accepted answers;
    `typed` are the reader's choices."""

    room: ClassVar[str] = "routing"
    report: RoutingReport
    screened: Screened
    target: Target
    signal: Signal
    terms: PromiseTerms
    typed: Mapping[str, str]
    audited: float

    @property
    def alpha(self) -> float:
        return self.terms.alpha

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
    def alpha_name(self) -> str:
        return percent(self.alpha)

    @property
    def confidence_name(self) -> str:
        return percent(1 - self.report.delta)

    @property
    def criteria(self) -> list[Choice]:
        return of_criteria((one.line for one in self.report.screened), self.criterion)

    @property
    def targets(self) -> list[Choice]:
        named = ((one, self._target_name(one)) for one in targets_of(self.screened))
        return choices(named, self.target)

    @property
    def signals(self) -> list[Choice]:
        offered = {one.signal for one in self.report.lines if one.criterion == self.criterion}
        named = ((one, name) for one, name in SIGNALS.items() if one in {*offered, self.signal})
        return choices(named, self.signal)

    @property
    def alphas(self) -> list[Choice]:
        return [_share_choice(one, self.alpha) for one in ALPHAS]

    @property
    def misses(self) -> list[Choice]:
        """How many of the flagged items may slip: as the rules say, so many, or any number where
        nothing on this criterion is flagged."""
        line, policy = self.screened.line, self.terms.policy
        usual = may_slip(policy, line)
        known = sorted({*MISSES, usual})
        may_be_any = [] if policy.asks_sensitivity(line.key) else [(NOT_ASKED, _("any number"))]
        current = self._asked_of.get(Risk.SLIPPED)
        return [
            Choice(
                key="" if share == usual else f"{share:g}",
                name=percent(share),
                is_current=share == current,
            )
            for share in known
        ] + [Choice(key=key, name=name, is_current=current is None) for key, name in may_be_any]

    @property
    def among(self) -> list[Choice]:
        """How many of the answers accepted without a flag may be to flagged items."""
        current = self.terms.passed
        as_wrong = Choice(key="", name=_("as many as may disagree"), is_current=current is None)
        return [as_wrong, *(_share_choice(one, current) for one in PASSED)]

    @property
    def costs(self) -> tuple[Goal, ...]:
        return cost_goals(self.typed)

    @property
    def promise_in_words(self) -> str:
        """What is asked of the accepted answers on this criterion."""
        asked = self._asked_of
        words = {
            "alpha": self.alpha_name,
            "sure": self.confidence_name,
            "passed": percent(asked.get(Risk.PASSED, 0.0)),
            "slipped": percent(asked.get(Risk.SLIPPED, 0.0)),
            "cut": cut_name(self.naming.rubric, self.screened, usual_cut(self.screened)),
        }
        if Risk.SLIPPED not in asked:
            sentence = _(
                "Asked: at most %(alpha)s of the accepted answers disagree with people, with "
                "%(sure)s confidence. What is flagged (%(cut)s) is not promised for."
            )
            return sentence % words
        sentence = _(
            "Asked, all at once with %(sure)s confidence: at most %(alpha)s of the accepted "
            "answers disagree with people; at most %(passed)s of those accepted without a flag "
            "are to items that people flag (%(cut)s); at most %(slipped)s of all that people "
            "flag slips through."
        )
        return sentence % words

    @property
    def _asked_of(self) -> Mapping[Risk, float]:
        return self.terms.promise(self.screened.line, delta=self.report.delta).asked

    @property
    def audits(self) -> list[Choice]:
        return [_share_choice(one, self.audited) for one in AUDITS]

    @cached_property
    def cards(self) -> list[RoutingCard]:
        return [self._card(line) for line in self.lines]

    @property
    def first_to_read(self) -> RoutingCard | None:
        """The first judge of which answers may stand, or else the first."""
        return next((card for card in self.cards if card.is_safe), next(iter(self.cards), None))

    @property
    def in_short(self) -> str:
        """For how much of what was tried a promise can be made."""
        promised = [one for one in self.report.lines if rule(self.report, one, self.terms).accepted]
        return _("A promise holds on %(good)s of %(n)s lines.") % {
            "good": len(promised),
            "n": len(self.report.lines),
        }

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
                "Every item has gold or a person’s rating already: the promise is for further "
                "items like these."
            )
        return ngettext(
            "%(n)s item of this study has neither a rating of a person nor gold.",
            "%(n)s items of this study have neither a rating of a person nor gold.",
            n,
        ) % {"n": f"{n:,}"}

    @property
    def held_out(self) -> str:
        """On how many items alone answers are checked; empty where nothing is held out."""
        n = self.report.n_held_out
        if n is None:
            return ""
        return ngettext(
            "Answers are checked on the hold-out alone, %(n)s item: the others were seen while "
            "prompts were written.",
            "Answers are checked on the hold-out alone, %(n)s items: the others were seen while "
            "prompts were written.",
            n,
        ) % {"n": f"{n:,}"}

    @property
    def picked(self) -> str:
        """How many items no answer is checked on; empty where a list picked none."""
        n = self.report.n_picked
        if not n:
            return ""
        return ngettext(
            "%(n)s item was given to people from a list that chose some items rather than "
            "others, such as the one of this page. It does not stand for the rest, so no answer "
            "is checked on it.",
            "%(n)s items were given to people from a list that chose some items rather than "
            "others, such as the one of this page. They do not stand for the rest, so no answer "
            "is checked on them.",
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
        return {"alpha": f"{self.alpha:g}"} | {
            name: self.typed[name] for name in TYPED if self.typed.get(name)
        }

    @cached_property
    def overview(self) -> Grid | None:
        return self.grid(tables.accepted(self.report, self.naming, self.terms))

    def _target_name(self, target: Target) -> str:
        return target_name(self.naming.rubric, self.screened, target)

    def _of_line(
        self,
        made: Callable[[RoutingReport, Naming, PromiseTerms], Table],
        line: RoutingLine,
    ) -> Grid | None:
        """The lines of a table that are about one judge, target and signal."""
        return self.grid(
            made(replace(self.report, lines=(line,)), self.naming, self.terms),
            criterion=line.criterion,
            judge=str(self.naming.rater(line.judge).exact),
            target=line.target.value,
            signal=line.signal.value,
        )

    def promising(self, line: RoutingLine) -> Promising:
        ruling = rule(self.report, line, self.terms)
        return tables.promising(self.report, self.naming, line, ruling)

    def _card(self, line: RoutingLine) -> RoutingCard:
        judge = self.report.judges[line.judge]
        by = self.promising(line)
        step = by.ruling.accepted
        return RoutingCard(
            id=line.judge,
            judge=judge,
            is_safe=step is not None,
            in_short=words.in_short(by.ruling, line),
            verdict=words.verdict(by),
            left=words.left(self.report.waiting[self.criterion], step, audited=self.audited),
            straw_man=words.beside(by),
            asides=tuple(self._asides(line, by.ruling)),
            costs=self._of_line(tables.costs, line),
            tests=self._of_line(tables.thresholds, line),
            chart=self._chart(by, judge) if line.steps else None,
        )

    def _asides(self, line: RoutingLine, ruling: Ruling) -> Iterator[Aside]:
        if ruling.screen:
            yield asides.of_safety(self.report, ruling.screen, self.naming)
        if ruling.verdict:
            yield asides.of_card(ruling.verdict, line.criterion, line.judge, self.naming)

    def _chart(self, by: Promising, judge: str) -> Chart:
        line, descent, promise = by.line, by.ruling.descent, by.promise
        last = descent.lowest if by.ruling.accepted else None
        bounds = [promise.limit(step.tries[Risk.WRONG]) for step in line.steps]
        told = in_turn(
            _("%(accepted)s accepted: %(agreeing)s agree, at least %(least)s")
            % {
                "accepted": percent(step.n_accepted / line.n_answers),
                "agreeing": percent(1 - step.n_wrong / step.n_items),
                "least": percent(1 - bound),
            }
            for step, bound in zip(line.steps, bounds, strict=True)
        )
        plot = selective_curve(
            [
                SelectivePoint(
                    accepted=100 * step.n_accepted / line.n_answers,
                    agreeing=100 * (1 - step.n_wrong / step.n_items),
                    at_least=100 * (1 - bound),
                    n=step.n_items,
                    tells_of=(step.n_wrong, step.n_items - step.n_wrong),
                    is_safe=last is not None and descent.n_lacking <= place <= last,
                    says=self._taken_in_words(by, step, bound),
                    href=f"routing/{line.criterion}/{line.judge}/?{self._address_of_choices}",
                )
                for place, (step, bound) in enumerate(zip(line.steps, bounds, strict=True))
            ],
            target=100 * (1 - self.alpha),
            look=looks_of(self.report.judges)[line.judge],
            title=labelled(self.criterion_name, judge),
            says=_("Agreement with people by how many answers of %(judge)s are accepted. %(told)s.")
            % {"judge": judge, "told": told},
            x_name=_("Accepted, in percent of all answers"),
            y_name=_("Agree with people, %"),
        )
        return Chart(key=f"routing-{line.criterion}-{line.judge}", plot=plot)

    def _taken_in_words(self, by: Promising, step: RoutingStep, bound: float) -> str:
        """What a threshold accepts, what of that agrees, at least how much, and of how many."""
        return _(
            "Where %(words)s: %(accepted)s accepted; %(agreeing)s of %(checked)s checked agree, at "
            "least %(least)s"
        ) % {
            "words": words.sure_if(by, step.threshold),
            "accepted": percent(step.n_accepted / by.line.n_answers),
            "agreeing": percent(1 - step.n_wrong / step.n_items),
            "checked": f"{step.n_items:,}",
            "least": percent(1 - bound),
        }

    @property
    def _address_of_choices(self) -> str:
        """What was chosen, for addresses; the criterion is in their path."""
        return urlencode(
            {
                "target": self.target.value,
                "signal": self.signal.value,
                **self.asked,
                "audit": f"{self.audited:g}",
                **asked_of(self.report.view),
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


@dataclass(frozen=True, slots=True, kw_only=True)
class SortedList(ItemList):
    """How many go to a person for which reason, and where the same list is as a `file`."""

    counts: tuple[tuple[str, str], ...]
    file: str


def page(
    report: RoutingReport,
    naming: Naming,
    choices: Mapping[str, str],
    *,
    policy: Policy,
    verdicts: Mapping[tuple[str, int], Verdict],
) -> RoutingPage:
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
        terms=_terms(choices, policy, verdicts),
        typed=choices,
        audited=_share_of(AUDITS, choices.get("audit", ""), USUAL_AUDIT),
    )


def _terms(
    choices: Mapping[str, str], policy: Policy, verdicts: Mapping[tuple[str, int], Verdict]
) -> PromiseTerms:
    """What the choices ask; NoSuchPage where one is none of those offered."""
    _share_of(ALPHAS, choices.get("alpha", ""), USUAL_ALPHA)
    _share_of(PASSED, choices.get("passed", ""), USUAL_ALPHA)
    if choices.get("misses") != NOT_ASKED:
        _share_of(MISSES, choices.get("misses", ""), USUAL_ALPHA)
    return terms(choices, policy=policy, verdicts=verdicts)


def for_people(study_access: StudyAccess, shown: RoutingPage, *, judge: int, view: View) -> Sorted:
    """The items that go to a person, read as they are now; NoSuchPage."""
    line = next((one for one in shown.lines if one.judge == judge), None)
    study = matrices.read(study_access.study.pk)
    column = next((one for one in study.judges if one.id == judge), None)
    if line is None or column is None:
        raise NoSuchPage
    step = shown.promising(line).ruling.accepted
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


def listed(asked: ListAsked, *, found: Sorted) -> SortedList:
    """The items that go to a person, each with the reason."""
    page = found.page
    chosen = {
        "target": page.target.value,
        "signal": page.signal.value,
        "alpha": f"{page.alpha:g}",
        "audit": f"{page.audited:g}",
    }
    says = _(
        "%(criterion)s, judge %(judge)s: right when %(target)s; at most %(alpha)s of the accepted answers may "
        "disagree, with %(sure)s confidence. Items that a person has rated, or that have gold, are not listed."
    )
    return SortedList(
        title=_("The items that need a person"),
        says=says
        % {
            "criterion": page.criterion_name,
            "judge": found.judge_name,
            "target": page.target_name,
            "alpha": page.alpha_name,
            "sure": page.confidence_name,
        },
        back=asked.address("agreement_routing", criterion=page.criterion, **chosen),
        back_to=_("Routing"),
        cases=asked.cases(
            {
                item: (str(WHYS[why]), sure_words(page.signal, found.sure[item]))
                for item, why in found.whys.items()
            },
            _("Why a person"),
            _("How sure the judge is"),
        ),
        counts=found.counts,
        file=asked.address("agreement_routing_table", page.criterion, found.judge),
    )


def targets_of(screened: Screened) -> tuple[Target, ...]:
    """The targets that suit a criterion, the usual one first."""
    return reports.TARGETS[screened.line.measurement]


def _share_choice(share: float, current: float | None) -> Choice:
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
