"""Which answers of a judge may stand without a person, and how often such answers are wrong."""

from collections.abc import Iterator

from django.utils.translation import gettext as _

from analytics.present.naming import Naming
from analytics.present.tables import Column, Line, Plain, Table, Value, by_judge, count, table
from analytics.routing.numbers import RoutingLine, RoutingReport, RoutingStep
from analytics.routing.page import SIGNALS, USUAL_ALPHA, percent, safe_step, sure_words, target_name


def tables(report: RoutingReport, naming: Naming) -> Iterator[Table]:
    """Every table of this part."""
    words = {"alpha": percent(USUAL_ALPHA), "sure": percent(1 - report.delta)}
    yield table(
        "routing",
        _("Answers that may stand without a person"),
        _(
            "Answers at least as sure as the threshold, so low that with %(sure)s confidence at "
            "most %(alpha)s of them are wrong: the thresholds are tested from the highest down "
            "with exact binomial limits, until the first fails. One item of each dialogue is "
            "checked, drawn with seed %(seed)s, against gold or most of the people."
        )
        % (words | {"seed": report.seed}),
        about=_about(),
        columns=[Column(key="checked", head=_("Checked")), *_of_threshold()],
        lines=(
            Line(
                about=_of(report, naming, one),
                values=(count(one.n_checked), *_step(one, safe_step(one, USUAL_ALPHA))),
            )
            for one in report.lines
        ),
    )
    yield table(
        "routing_thresholds",
        _("Every threshold that was tested"),
        _(
            "Wrong answers among the checked ones that are at least so sure, and the share of "
            "wrong ones that is ruled out above it with %(sure)s confidence."
        )
        % words,
        about=_about(),
        columns=_of_threshold(),
        lines=(
            Line(about=_of(report, naming, one), values=_step(one, step))
            for one in report.lines
            for step in one.steps
        ),
    )


def _about() -> list[Column]:
    return [
        *by_judge(),
        Column(key="target", head=_("Right is")),
        Column(key="signal", head=_("Sure if")),
    ]


def _of(report: RoutingReport, naming: Naming, one: RoutingLine) -> tuple[Plain, ...]:
    screened = next(each for each in report.screened if each.line.key == one.criterion)
    return (
        naming.criterion(one.criterion),
        naming.rater(one.judge),
        Plain(target_name(naming.rubric, screened, one.target), one.target.value),
        Plain(str(SIGNALS[one.signal]), one.signal.value),
    )


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
