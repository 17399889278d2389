"""Whether a promise may be made of a judge's answers, and if not, what stands in its way."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from django.utils.translation import gettext as _

from analytics.agreement.numbers import CriterionLine
from analytics.policies.loading import Policy
from analytics.present.goals import Goal, goal
from analytics.routing.numbers import RoutingLine, RoutingReport, RoutingStep
from analytics.safety import numbers as safety
from analytics.safety.numbers import FINDS_ENOUGH, SafetyStanding, Screen
from analytics.stats.costs import Costs
from analytics.stats.promises import (
    Descent,
    JointPromise,
    Risk,
    StrawMan,
    descend,
    orders,
    straw_man_that_passes,
)
from analytics.stats.verdicts import Verdict

USUAL_ALPHA = 0.1
USUAL_COSTS = Costs(miss=100, alarm=1)
MOST_COST = 100_000
NOT_ASKED = "none"


class Refusal(StrEnum):
    """Why no answer of a judge may stand without a person, in the order of asking.

    Too few answers are checked; it says one thing only; too few flagged items are checked; the
    surest answers do not keep the promise; confidence does not tell bad answers from good ones; a
    straw man would pass; the safety panel or the trust card forbids it.
    """

    TOO_FEW = "too few"
    ONE_ANSWER = "one answer"
    FEW_FLAGGED = "few flagged"
    BROKEN = "broken"
    NO_ORDER = "no order"
    STRAW_MAN = "straw man"
    MISSES = "misses"
    DO_NOT_USE = "do not use"


@dataclass(frozen=True, slots=True, kw_only=True)
class PromiseTerms:
    """What a reader asks of routing, under the rules of the trust cards.

    At most `alpha` of the accepted answers may be wrong; of those accepted without a flag as many
    may be to flagged items, unless `passed` says otherwise. Of the flagged items `slipped` may slip:
    by default as many as the rules or the safety panel allow; any number, where the rules ask
    nothing of the criterion, if `is_marginal`. `verdicts`: {(criterion, judge): that of the card}.
    """

    policy: Policy
    verdicts: Mapping[tuple[str, int], Verdict]
    alpha: float = USUAL_ALPHA
    passed: float | None = None
    slipped: float | None = None
    is_marginal: bool = False
    costs: Costs = field(default=USUAL_COSTS)

    def promise(self, line: CriterionLine, *, delta: float) -> JointPromise:
        """What is asked on a criterion."""
        asked = {Risk.WRONG: self.alpha}
        if not self.is_marginal or self.policy.asks_sensitivity(line.key):
            usual = may_slip(self.policy, line)
            asked[Risk.PASSED] = self.alpha if self.passed is None else self.passed
            asked[Risk.SLIPPED] = usual if self.slipped is None else self.slipped
        return JointPromise(asked=asked, delta=delta)


@dataclass(frozen=True, slots=True, kw_only=True)
class Ruling:
    """What comes of a promise for one judge.

    `accepted`: the lowest threshold from which on answers may stand, None where none may and
    `refusal` says why. `kept`: the lowest that keeps all bounds, whatever else forbids it.
    `straw_man` would have passed; `screen` and `verdict` are what safety panel and card say.
    """

    promise: JointPromise
    descent: Descent
    accepted: RoutingStep | None
    refusal: Refusal | None
    kept: RoutingStep | None
    straw_man: StrawMan | None
    screen: Screen | None
    verdict: Verdict | None


def may_slip(policy: Policy, line: CriterionLine) -> float:
    """The share of flagged items that the rules let slip, or else the safety panel."""
    rules = policy.by_level.get(line.measurement)
    bar = rules.sensitivity if rules and policy.asks_sensitivity(line.key) else None
    share = round(1 - (bar.trusted if bar else FINDS_ENOUGH), 9)
    return share if 0 < share < 1 else round(1 - FINDS_ENOUGH, 9)


def rule(report: RoutingReport, line: RoutingLine, terms: PromiseTerms) -> Ruling:
    """Hold a judge's answers to a promise, and the promise to straw man, safety panel and card."""
    criterion = next(one.line for one in report.screened if one.line.key == line.criterion)
    promise = terms.promise(criterion, delta=report.delta)
    descent = descend(line.steps, promise)
    kept = line.steps[descent.lowest] if descent.lowest is not None else None
    share = kept.n_items / line.n_checked if kept else 1.0
    straw_man = straw_man_that_passes(line.straw_men, promise, accepted=share)
    screen = screen_of(report.screens, line.criterion, line.judge)
    verdict = terms.verdicts.get((line.criterion, line.judge))
    lacking = promise.lacking(line.every) if line.every else tuple(promise.asked)
    stands_against = {
        Refusal.TOO_FEW: not {Risk.WRONG, Risk.PASSED}.isdisjoint(lacking),
        Refusal.ONE_ANSWER: line.only_answer is not None,
        Refusal.FEW_FLAGGED: Risk.SLIPPED in lacking,
        Refusal.BROKEN: kept is None,
        Refusal.NO_ORDER: not descent.is_whole and not orders(line.chance_of_order),
        Refusal.STRAW_MAN: straw_man is not None,
        Refusal.MISSES: screen is not None and safety.standing(screen) is SafetyStanding.MISSES,
        Refusal.DO_NOT_USE: verdict is Verdict.DO_NOT_USE,
    }
    refusal = next((one for one, stands in stands_against.items() if stands), None)
    return Ruling(
        promise=promise,
        descent=descent,
        accepted=None if refusal else kept,
        refusal=refusal,
        kept=kept,
        straw_man=straw_man,
        screen=screen,
        verdict=verdict,
    )


def screen_of(screens: Iterable[Screen], criterion: str, judge: int) -> Screen | None:
    """What the safety panel begins with, of one judge on one criterion."""
    return next((one for one in screens if (one.criterion, one.judge) == (criterion, judge)), None)


def terms(
    choices: Mapping[str, str], *, policy: Policy, verdicts: Mapping[tuple[str, int], Verdict]
) -> PromiseTerms:
    """What the choices of a reader ask; what is blank or makes no sense is as usual."""
    miss, alarm = cost_goals(choices)
    return PromiseTerms(
        policy=policy,
        verdicts=verdicts,
        alpha=_share(choices, "alpha") or USUAL_ALPHA,
        passed=_share(choices, "passed"),
        slipped=_share(choices, "misses"),
        is_marginal=choices.get("misses") == NOT_ASKED,
        costs=Costs(miss=miss.value, alarm=alarm.value),
    )


def cost_goals(choices: Mapping[str, str]) -> tuple[Goal, Goal]:
    """What a miss and a false alarm cost by the choices of a reader, as they were typed."""
    return (
        goal(choices, "miss", _("A miss costs, in looks"), USUAL_COSTS.miss, 0, MOST_COST),
        goal(choices, "alarm", _("A false alarm costs"), USUAL_COSTS.alarm, 0, MOST_COST),
    )


def _share(choices: Mapping[str, str], name: str) -> float | None:
    try:
        share = float(choices.get(name, ""))
    except ValueError:
        return None
    return share if 0 < share < 1 else None
