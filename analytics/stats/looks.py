"""When one looks at results, and what looking more than once costs.

A limit that holds in 19 of 20 studies when one looks once does not when one looks whenever one
likes: with the truth exactly at a bar, some look in 46 shows it cleared in one study of five. So
looks are planned, and the chance of error is shared among them in equal parts (Bonferroni; Jennison
& Turnbull, 2000, Group Sequential Methods with Applications to Clinical Trials, section 1.3): with k
looks each interval holds in all but 0.05 / k of studies. That is wider than looks that depend on each
other would need, and it holds whatever they depend on. A figure between looks is not a test.
"""

from dataclasses import dataclass, replace
from datetime import date
from enum import StrEnum

from scipy import special

from analytics.stats.alternative import (
    FALSE_DISCOVERIES,
    PASSING,
    Domain,
    benjamini_yekutieli,
)
from analytics.stats.ceiling import UnderCeiling
from analytics.stats.drift import DriftCheck, verdict
from analytics.stats.estimates import Estimate
from analytics.stats.intervals import (
    NONE_IN_N_METHOD,
    SCORE_METHOD,
    IntervalScale,
    Unit,
    jackknife_method,
    runs_method,
)
from analytics.stats.none_in_n import highest_rate_with_none, tries_of
from analytics.stats.planning import carries_of
from analytics.stats.runs import LEAST_RUNS
from analytics.stats.verdicts import Evidence, Rules, Topic

ERROR = 0.05
_OVER_RUNS = {runs_method(unit, scale) for unit in Unit for scale in IntervalScale}


@dataclass(frozen=True, slots=True, kw_only=True)
class LookPlan:
    """Looks fixed beforehand, and what there will be to look at.

    `items`: how many items people and the judge will have rated at each look, rising; `dates`: the
    day before which each is not taken, or empty. `people`: who rate the same item; `repeats`: how
    often the judge is asked; `flagged`: the share of items that people are expected to flag.
    """

    items: tuple[int, ...]
    dates: tuple[date, ...] = ()
    people: int
    repeats: int
    flagged: float

    @property
    def n_looks(self) -> int:
        return len(self.items)

    def is_due(self, look: int, *, n_items: int, today: date) -> bool:
        """Whether look 1, 2, ... may be taken: the items are there, and its day has come."""
        if not 1 <= look <= self.n_looks:
            return False
        return n_items >= self.items[look - 1] and (not self.dates or today >= self.dates[look - 1])


class Lacking(StrEnum):
    """What a plan has too little of."""

    ITEMS = "items"
    PEOPLE = "people"
    REPEATS = "repeats"
    FLAGGED = "flagged items"


@dataclass(frozen=True, slots=True, kw_only=True)
class Unreachable:
    """A line that can never be met as planned: it takes `needed` of what it `lacks`."""

    topic: Topic
    lacks: Lacking
    needed: int
    planned: int


def unreachable(rules: Rules, plan: LookPlan) -> tuple[Unreachable, ...]:
    """Every line of the rules that even a flawless judge could not meet at the last look."""
    n = plan.items[-1]
    found: list[Unreachable] = []

    def asks(topic: Topic, lacks: Lacking, needed: int, planned: int) -> None:
        if planned < needed:
            found.append(Unreachable(topic=topic, lacks=lacks, needed=needed, planned=planned))

    asks(Topic.DATA, Lacking.ITEMS, max(rules.least_items, rules.least_dialogues), n)
    if rules.ceiling_margin is not None:
        asks(Topic.CEILING, Lacking.PEOPLE, 2, plan.people)
    if rules.asks_alternative:
        asks(Topic.ALTERNATIVE, Lacking.PEOPLE, 2, plan.people)
    if rules.repeatability is not None:
        asks(Topic.REPEATABILITY, Lacking.REPEATS, 2, plan.repeats)
    if rules.sensitivity is not None:
        positives = max(
            rules.least_positives, positives_for(rules.sensitivity.trusted, plan.n_looks)
        )
        asks(Topic.SENSITIVITY, Lacking.FLAGGED, positives, int(n * plan.flagged))
    if rules.unscored is not None:
        none_lacks = positives_for(1 - rules.unscored.trusted, plan.n_looks)
        asks(Topic.UNSCORED, Lacking.ITEMS, none_lacks, n)
    return tuple(found)


def positives_for(bar: float, n_looks: int) -> int:
    """How many flagged items a judge must find, all of them, so that its lower limit reaches a
    bar at each of so many looks."""
    n = 1
    while 1 - highest_rate_with_none(n, chance=ERROR / n_looks) < bar:
        n += 1
    return n


def at_a_look(evidence: Evidence, n_looks: int) -> Evidence:
    """The same evidence with the intervals that a planned look takes, one of `n_looks`."""

    def wide(found: Estimate | None) -> Estimate | None:
        return None if found is None else widened(found, n_looks)

    return replace(
        evidence,
        agreement=widened(evidence.agreement, n_looks),
        calibrated_agreement=wide(evidence.calibrated_agreement),
        bias=wide(evidence.bias),
        calibrated_bias=wide(evidence.calibrated_bias),
        unscored=wide(evidence.unscored),
        people=wide(evidence.people),
        attainable=wide(evidence.attainable),
        ceiling=_wider_ceiling(evidence.ceiling, n_looks),
        alternative=_stricter_test(evidence.alternative, n_looks),
        drift=_wider_drift(evidence.drift, n_looks),
        sensitivity=wide(evidence.sensitivity),
        people_find=wide(evidence.people_find),
        repeatability=wide(evidence.repeatability),
    )


def widened(found: Estimate, n_looks: int) -> Estimate:
    """An estimate whose 95 % interval becomes one that is right at all of `n_looks` looks, or of as
    many estimates, at once.

    Widened on the scale that the interval was made on; an exact limit of none in n is made anew.
    """
    if n_looks < 2 or found.value is None or found.low is None or found.high is None:
        return found
    if found.method == NONE_IN_N_METHOD:
        reach = found.high if found.value == 0 else 1 - found.low
        rate = highest_rate_with_none(tries_of(reach), chance=ERROR / n_looks)
        return (
            replace(found, low=0.0, high=rate) if found.value == 0 else replace(found, low=1 - rate)
        )
    there, back = carries_of(found.method or jackknife_method(Unit.ITEM, IntervalScale.PLAIN))
    freedom = _freedom(found)
    times = _quantile(ERROR / n_looks, freedom) / _quantile(ERROR, freedom)
    middle = there(found.value)
    low = back(middle - times * (middle - there(found.low)))
    high = back(middle + times * (there(found.high) - middle))
    if found.method == SCORE_METHOD:  # of a kappa, but on the plain scale, which has no ends
        low, high = max(low, -1.0), min(high, 1.0)
    return replace(found, low=low, high=high)


def _wider_ceiling(found: UnderCeiling | None, n_looks: int) -> UnderCeiling | None:
    return found and replace(found, difference=widened(found.difference, n_looks))


def _stricter_test(found: Domain | None, n_looks: int) -> Domain | None:
    """Whom the judge wins against with false discoveries among the people of the criterion held to
    their share of 5 %; never somebody whom it does not win against at one look."""
    if found is None or n_looks < 2 or not found.against:
        return found
    p_values = [one.p_value for one in found.against]
    still = benjamini_yekutieli(p_values, q=FALSE_DISCOVERIES / n_looks)
    against = tuple(
        replace(one, is_won=one.is_won and bool(is_won))
        for one, is_won in zip(found.against, still, strict=True)
    )
    rate = sum(one.is_won for one in against) / len(against)
    return replace(found, against=against, winning_rate=rate, is_passed=rate >= PASSING)


def _wider_drift(found: DriftCheck | None, n_looks: int) -> DriftCheck | None:
    """The check at its share of the error, which several criteria may share already."""
    if found is None or n_looks < 2:
        return found
    residual, error = found.residual, 1 - found.confidence
    if residual.value is None or residual.low is None or residual.high is None:
        return found
    freedom = residual.n_clusters - 1
    times = _quantile(error / n_looks, freedom) / _quantile(error, freedom)
    wider = replace(
        residual,
        low=residual.value - times * (residual.value - residual.low),
        high=residual.value + times * (residual.high - residual.value),
    )
    return DriftCheck(
        drift=verdict(wider, found.margin),
        residual=wider,
        margin=found.margin,
        confidence=1 - error / n_looks,
    )


def _freedom(found: Estimate) -> int:
    """Degrees of freedom of an interval. Of one that speaks of other runs they are not kept; those
    of the fewest runs are taken, so that it is never too narrow."""
    return LEAST_RUNS - 1 if found.method in _OVER_RUNS else found.n_clusters - 1


def _quantile(error: float, freedom: int) -> float:
    """How many standard errors an interval reaches that errs so often."""
    return float(special.stdtrit(max(freedom, 1), 1 - error / 2))
