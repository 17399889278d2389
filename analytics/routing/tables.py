"""Which answers of a judge may stand without a person, and how often such answers are wrong."""

from collections.abc import Iterator
from itertools import accumulate

from django.utils.translation import gettext as _

from analytics.present.naming import Naming
from analytics.present.tables import (
    Column,
    Dressed,
    Line,
    Plain,
    Table,
    Value,
    by_judge,
    count,
    table,
)
from analytics.routing.numbers import RoutingLine, RoutingReport, RoutingStep
from analytics.routing.words import (
    SIGNALS,
    Promising,
    percent,
    safe_step,
    sure_if,
    sure_words,
    target_name,
)
from analytics.safety.numbers import Screened


def tables(report: RoutingReport, naming: Naming, *, alpha: float) -> Iterator[Table]:
    """Every table of this part, for answers of which at most the share `alpha` may be wrong."""
    yield accepted(report, naming, alpha=alpha)
    yield thresholds(report, naming, alpha=alpha)


def accepted(report: RoutingReport, naming: Naming, *, alpha: float) -> Table:
    """What may be accepted, a line a judge, target and signal."""
    return table(
        "routing",
        _("Answers that may stand without a person"),
        _(
            "Answers at least as sure as the threshold, so low that with %(sure)s confidence at "
            "most %(alpha)s of them are wrong: the thresholds are tested from the highest down "
            "with exact binomial limits, until the first fails. One item of each dialogue is "
            "checked, drawn with seed %(seed)s, against gold or most of the people."
        )
        % _words(report, alpha),
        about=_about(),
        columns=[Column(key="checked", head=_("Checked")), *_of_threshold()],
        lines=(
            Line(
                about=_of(report, naming, one),
                values=(count(one.n_checked), *_step(one, safe_step(one, alpha))),
            )
            for one in report.lines
        ),
    )


def thresholds(report: RoutingReport, naming: Naming, *, alpha: float) -> Table:
    """Every threshold that was tested, the surest answers first."""
    return table(
        "routing_thresholds",
        _("Every threshold that was tested"),
        _(
            "Wrong answers among the checked ones that are at least so sure, and the share of "
            "wrong ones that is ruled out above it with %(sure)s confidence. The promise holds "
            "from the greatest such share on, of this threshold and those before it."
        )
        % _words(report, alpha),
        about=[*_about(), Column(key="answers", head=_("Answers where"))],
        columns=[
            *_of_threshold(),
            Column(key="agreeing", head=_("Agree")),
            Column(key="at_least", head=_("At least")),
            Column(key="holds_from", head=_("The promise holds from")),
        ],
        lines=(
            Line(
                about=(*_of(report, naming, one), Plain(words, step.threshold)),
                values=(*_step(one, step), *_right(step), _holds(greatest, alpha)),
            )
            for one in report.lines
            for step, words, greatest in _in_order(report, one, alpha)
        ),
    )


def _words(report: RoutingReport, alpha: float) -> dict[str, object]:
    return {"alpha": percent(alpha), "sure": percent(1 - report.delta), "seed": report.seed}


def _in_order(
    report: RoutingReport, one: RoutingLine, alpha: float
) -> Iterator[tuple[RoutingStep, str, float]]:
    """Each test, which answers it is about, and the greatest bound as far as that."""
    by = Promising(
        screened=_screened(report, one),
        target=one.target,
        signal=one.signal,
        alpha=alpha,
        delta=report.delta,
    )
    for step, greatest in zip(
        one.steps, accumulate((step.bound for step in one.steps), max), strict=True
    ):
        yield step, sure_if(by, step.threshold), greatest


def _right(step: RoutingStep) -> tuple[Value, ...]:
    agreeing = 1 - step.n_wrong / step.n_items
    return Plain(percent(agreeing), agreeing), Plain(percent(1 - step.bound), 1 - step.bound)


def _holds(greatest: float, alpha: float) -> Dressed:
    """The least share for which the promise holds; marked where that is within what is asked."""
    return Dressed(
        value=Plain(percent(greatest), greatest), badge="done" if greatest <= alpha else ""
    )


def _about() -> list[Column]:
    return [
        *by_judge(),
        Column(key="target", head=_("Right is")),
        Column(key="signal", head=_("Sure if")),
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
        Column(key="threshold", head=_("Threshold")),
        Column(key="accepted", head=_("Accepted")),
        Column(key="share_accepted", head=_("Of all answers")),
        Column(key="wrong", head=_("Wrong")),
        Column(key="checked_accepted", head=_("Of checked")),
        Column(key="bound", head=_("At most wrong")),
    ]


def _step(one: RoutingLine, step: RoutingStep | None) -> tuple[Value, ...]:
    if step is None:
        return Plain(_("none"), None), count(0), Plain(percent(0), 0.0), None, None, None
    share = step.n_accepted / one.n_answers
    return (
        Plain(sure_words(one.signal, step.threshold), step.threshold),
        count(step.n_accepted),
        Plain(percent(share), share),
        count(step.n_wrong),
        count(step.n_items),
        Plain(percent(step.bound), step.bound),
    )
