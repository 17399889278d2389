"""Which answers of a judge may stand without a person, what such answers hide, and what it costs."""

from collections.abc import Iterator
from itertools import accumulate

from django.utils.translation import gettext as _

from analytics.present.basis import TableBasis
from analytics.present.naming import Naming
from analytics.present.tables import (
    Column,
    Dressed,
    Line,
    Plain,
    Table,
    Told,
    Value,
    by_judge,
    count,
    table,
)
from analytics.routing.numbers import RoutingLine, RoutingReport, RoutingStep
from analytics.routing.promises import PromiseTerms, Ruling, rule
from analytics.routing.promises import terms as terms_of
from analytics.routing.words import (
    REFUSALS,
    SIGNALS,
    Promising,
    percent,
    sure_if,
    sure_words,
    target_name,
)
from analytics.safety.numbers import Screened
from analytics.stats.costs import PER_ITEMS, Costs, Outcomes, expected_cost
from analytics.stats.promises import Risk, StrawMan
from analytics.trust.numbers import verdicts


def tables(basis: TableBasis) -> Iterator[Table]:
    """Every table of this part, for what the reader asks."""
    report, naming, policy = basis.report, basis.naming, basis.held.policy
    cards = verdicts(basis.beside["trust"], policy)
    asked = terms_of(basis.choices, policy=policy, verdicts=cards)
    yield accepted(report, naming, asked)
    yield costs(report, naming, asked)
    yield thresholds(report, naming, asked)


def accepted(report: RoutingReport, naming: Naming, terms: PromiseTerms) -> Table:
    """What may be accepted, a line a judge, target and signal, beside a judge that always says
    the same."""
    return table(
        "routing",
        _("Answers that may stand without a person"),
        _(
            "Answers at least as sure as the threshold, so low that with %(sure)s confidence at "
            "most %(alpha)s of them are wrong and as few flagged items as are asked are accepted "
            "without a flag or slip, all at once: the thresholds are tested from the highest down "
            "with exact binomial limits (Bonferroni over the bounds), until the first fails. One "
            "item of each dialogue is checked, drawn with seed %(seed)s, against gold or most of "
            "the people; a promise is not made where a judge that always says the same may pass."
        )
        % _words(report, terms),
        about=_about(),
        columns=[
            Column("checked", _("Checked")),
            Column("flagged", _("Flagged")),
            *_of_threshold(),
            Column("why_not", _("Why nothing"), is_words=True),
            Column("straw_man", _("Straw man says"), is_words=True),
            Column("straw_man_wrong", _("It would be wrong")),
            Column("straw_man_bound", _("At most")),
        ],
        lines=(_accepted(report, naming, one, rule(report, one, terms)) for one in report.lines),
    )


def thresholds(report: RoutingReport, naming: Naming, terms: PromiseTerms) -> Table:
    """Every threshold that was tested, the surest answers first."""
    return table(
        "routing_thresholds",
        _("Every threshold that was tested"),
        _(
            "Of the checked answers that are at least so sure: how many are wrong, how many "
            "without a flag are to flagged items, and how many of all flagged items slip. Beside "
            "each stands the largest share that is not ruled out, for all three together with "
            "%(sure)s confidence. The bound that holds for wrong answers is the greatest of this "
            "threshold and those before."
        )
        % _words(report, terms),
        about=[*_about(), Column("answers", _("Answers where"))],
        columns=[
            *_of_threshold(),
            Column("agreeing", _("Agree")),
            Column("at_least", _("At least")),
            Column("holds_from", _("Bound that holds")),
        ],
        lines=(
            line
            for one in report.lines
            for line in _tested(report, naming, one, rule(report, one, terms))
        ),
    )


def costs(report: RoutingReport, naming: Naming, terms: PromiseTerms) -> Table:
    """What a thousand items cost by each way of working."""
    return table(
        "routing_costs",
        _("What a thousand items cost"),
        _(
            "Costs are counted in looks by a person: a miss costs %(miss)s looks, a false alarm "
            "%(alarm)s. Compared are the judge alone, routing as far as the promise goes, people "
            "alone, and the cheapest judge that always says the same. Flagged is what gold or at "
            "least half of the people flag, so people alone miss nothing here by definition; the "
            "audit is left out."
        )
        % {"miss": f"{terms.costs.miss:g}", "alarm": f"{terms.costs.alarm:g}"},
        about=[*_about(), Column("way", _("Decided by"))],
        columns=[
            Column("cost", _("Cost"), digits=0),
            Column("misses", _("Misses")),
            Column("alarms", _("False alarms")),
            Column("looks", _("Looks by people")),
        ],
        lines=(
            line
            for one in report.lines
            if one.every
            for line in _costs(report, naming, one, one.every, rule(report, one, terms), terms)
        ),
    )


def promising(report: RoutingReport, naming: Naming, one: RoutingLine, ruling: Ruling) -> Promising:
    """What the words about a line are made from."""
    return Promising(rubric=naming.rubric, screened=_screened(report, one), line=one, ruling=ruling)


def _words(report: RoutingReport, terms: PromiseTerms) -> dict[str, object]:
    return {
        "alpha": percent(terms.alpha),
        "sure": percent(1 - report.delta),
        "seed": report.seed,
    }


def _accepted(report: RoutingReport, naming: Naming, one: RoutingLine, ruling: Ruling) -> Line:
    why = ruling.refusal
    by = promising(report, naming, one, ruling)
    best = min(one.straw_men, key=lambda straw_man: straw_man.n_wrong, default=None)
    n_flagged = one.every.tries[Risk.SLIPPED].n if one.every else 0
    return Line(
        about=_of(report, naming, one),
        values=(
            count(one.n_checked),
            count(n_flagged, (n_flagged, one.n_checked - n_flagged)),
            *_step(one, ruling, ruling.accepted),
            Plain(str(REFUSALS[why]), why.value) if why else None,
            *(_straw_man(by, best) if best and best.n else (None, None, None)),
        ),
    )


def _straw_man(by: Promising, best: StrawMan) -> tuple[Value, ...]:
    share, bound = best.n_wrong / best.n, by.ruling.promise
    sides = best.n_wrong, best.n - best.n_wrong
    limit = best.limits(bound, accepted=1.0)[Risk.WRONG]
    return (
        Plain(by.answer(best.says), best.says),
        Plain(percent(share), share, sides),
        Plain(percent(limit), limit, sides),
    )


def _tested(
    report: RoutingReport, naming: Naming, one: RoutingLine, ruling: Ruling
) -> Iterator[Line]:
    """Each test, which answers it is about, and the greatest bound as far as that."""
    by = promising(report, naming, one, ruling)
    bounds = (ruling.promise.limit(step.tries[Risk.WRONG]) for step in one.steps)
    last = ruling.descent.lowest if ruling.accepted else None
    for place, (step, greatest) in enumerate(zip(one.steps, accumulate(bounds, max), strict=True)):
        sides = step.n_wrong, step.n_items - step.n_wrong
        is_kept = last is not None and ruling.descent.n_lacking <= place <= last
        agreeing = 1 - step.n_wrong / step.n_items
        least = 1 - ruling.promise.limit(step.tries[Risk.WRONG])
        yield Line(
            about=(
                *_of(report, naming, one),
                Plain(sure_if(by, step.threshold), step.threshold),
            ),
            values=(
                *_step(one, ruling, step),
                Plain(percent(agreeing), agreeing, sides),
                Plain(percent(least), least, sides),
                Dressed(
                    value=Plain(percent(greatest), greatest, sides),
                    badge="done" if is_kept else "",
                ),
            ),
        )


def _about() -> list[Column]:
    return [
        *by_judge(),
        Column("target", _("Right is")),
        Column("signal", _("Sure if")),
    ]


def _of(report: RoutingReport, naming: Naming, one: RoutingLine) -> tuple[Plain | Dressed, ...]:
    link = naming.link("agreement_routing", {"criterion": one.criterion})
    return (
        Dressed(value=naming.criterion(one.criterion), link=link),
        naming.rater(one.judge),
        Plain(target_name(naming.rubric, _screened(report, one), one.target), one.target.value),
        Plain(str(SIGNALS[one.signal]), one.signal.value),
    )


def _screened(report: RoutingReport, one: RoutingLine) -> Screened:
    return next(each for each in report.screened if each.line.key == one.criterion)


def _of_threshold() -> list[Column]:
    return [
        Column("threshold", _("Threshold")),
        Column("accepted", _("Accepted")),
        Column("share_accepted", _("Of all answers")),
        Column("wrong", _("Wrong")),
        Column("checked_accepted", _("Of checked")),
        Column("bound", _("At most wrong")),
        Column("passed", _("Flagged, accepted without a flag")),
        Column("checked_passed", _("Of those without a flag")),
        Column("bound_passed", _("At most flagged")),
        Column("slipped", _("Slip")),
        Column("checked_slipped", _("Of the flagged")),
        Column("bound_slipped", _("At most slip")),
    ]


def _step(one: RoutingLine, ruling: Ruling, step: RoutingStep | None) -> tuple[Value, ...]:
    if step is None:
        return Plain(_("none"), None), count(0), Plain(percent(0), 0.0), *[None] * 9
    share = step.n_accepted / one.n_answers
    return (
        Plain(sure_words(one.signal, step.threshold), step.threshold),
        count(step.n_accepted),
        Plain(percent(share), share),
        *_tries(ruling, step, Risk.WRONG),
        *_tries(ruling, step, Risk.PASSED),
        *_tries(ruling, step, Risk.SLIPPED),
    )


def _tries(ruling: Ruling, step: RoutingStep, risk: Risk) -> tuple[Value, ...]:
    """How often a risk came true, of how many, and its bound where one is asked."""
    tries = step.tries[risk]
    bound = ruling.promise.limit(tries) if risk in ruling.promise.asked else None
    sides = tries.bad, tries.n - tries.bad
    return (
        count(tries.bad, sides),
        count(tries.n, (tries.n,)),
        None if bound is None else Plain(percent(bound), bound, sides),
    )


def _costs(
    report: RoutingReport,
    naming: Naming,
    one: RoutingLine,
    every: RoutingStep,
    ruling: Ruling,
    terms: PromiseTerms,
) -> Iterator[Line]:
    n = one.n_checked
    step = ruling.accepted
    routed = (
        Outcomes(step.tries[Risk.PASSED].bad, step.alarms, n - step.n_items, n)
        if step
        else Outcomes(0, 0, n, n)
    )
    alone = Outcomes(every.tries[Risk.PASSED].bad, every.alarms, None, n)
    ways: list[tuple[Plain, Outcomes]] = [
        (Plain(_("the judge alone"), "judge"), alone),
        (Plain(_("routing"), "routing"), routed),
        (Plain(_("people alone"), "people"), Outcomes(0, 0, n, n)),
    ]
    if constant := _cheapest(one, terms.costs):
        answer = promising(report, naming, one, ruling).answer(constant[0].says)
        named = _("always %(answer)s") % {"answer": answer}
        ways.append((Plain(named, "constant"), constant[1]))
    about = _of(report, naming, one)
    for way, found in ways:
        yield Line(
            about=(*about, way),
            values=_cost(found, terms.costs),
            made_of=(found.missed, found.alarms),
        )


def _cheapest(one: RoutingLine, costs: Costs) -> tuple[StrawMan, Outcomes] | None:
    """The straw man that costs least; it has no person look at anything."""
    outcomes = [
        (
            straw_man,
            Outcomes(0, straw_man.n - straw_man.n_flagged, None, straw_man.n)
            if straw_man.flags
            else Outcomes(straw_man.n_flagged, 0, None, straw_man.n),
        )
        for straw_man in one.straw_men
        if straw_man.n
    ]
    return min(
        outcomes,
        key=lambda each: (expected_cost(each[1], costs).value or 0.0, each[0].n_wrong),
        default=None,
    )


def _cost(found: Outcomes, costs: Costs) -> tuple[Told, ...]:
    is_certain = found.seen == found.n
    return (
        Plain(f"{PER_ITEMS:,}", float(PER_ITEMS)) if is_certain else expected_cost(found, costs),
        _of_a_thousand(found.missed, found.n),
        _of_a_thousand(found.alarms, found.n),
        _of_a_thousand(found.seen or 0, found.n),
    )


def _of_a_thousand(k: int, n: int) -> Plain:
    share = PER_ITEMS * k / n
    return Plain(f"{share:,.1f}", share, (k, n - k))
