"""Routing in words: which answers are sure, what is promised of them, and what is missing for it."""

import math
from collections.abc import Mapping
from dataclasses import dataclass

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from analytics.present.words import cut_name
from analytics.routing.numbers import RoutingLine, RoutingStep, Signal, Target, Why
from analytics.safety.numbers import Screened, usual_cut
from analytics.stats.planning import items_for_bound
from analytics.stats.routing import LEAST_ITEMS, n_passed
from annotation.rubric.schema import Measurement, Rubric

USUAL_ALPHA = 0.1

SIGNALS: Mapping[Signal, Promise] = {
    Signal.REPEATS: gettext_lazy("its repeats agree"),
    Signal.JUDGES: gettext_lazy("other judges agree"),
    Signal.DISTANCE: gettext_lazy("far from the cut"),
}
WHYS: Mapping[Why, Promise] = {
    Why.NO_ANSWER: gettext_lazy("no answer of the judge that counts"),
    Why.UNKNOWN: gettext_lazy("how sure the judge is, is not known"),
    Why.UNSURE: gettext_lazy("the judge is not sure enough"),
    Why.AUDIT: gettext_lazy("audit: drawn at random from the accepted"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Promising:
    """What is promised: on a criterion, by a target and a signal, that at most the share `alpha`
    disagrees, with confidence 1 - `delta`."""

    screened: Screened
    target: Target
    signal: Signal
    alpha: float
    delta: float


def verdict(by: Promising, line: RoutingLine) -> str:
    """What is promised, or why nothing can be and what to collect."""
    step = safe_step(line, by.alpha)
    return _promise(by, line, step) if step else _no_promise(by, line)


def _promise(by: Promising, line: RoutingLine, step: RoutingStep) -> str:
    return _(
        "Accept %(accepted)s of %(answers)s answers (%(share)s): those where %(words)s. Of "
        "such answers at most %(alpha)s do not agree with people, with %(sure)s confidence: "
        "%(wrong)s of %(checked)s checked ones did not, which bounds the share at %(bound)s."
    ) % {
        "accepted": f"{step.n_accepted:,}",
        "answers": f"{line.n_answers:,}",
        "share": percent(step.n_accepted / line.n_answers),
        "words": sure_if(by, step.threshold),
        "alpha": percent(by.alpha),
        "sure": percent(1 - by.delta),
        "wrong": f"{step.n_wrong:,}",
        "checked": f"{step.n_items:,}",
        "bound": percent(step.bound),
    }


def _no_promise(by: Promising, line: RoutingLine) -> str:
    """Why nothing can be promised, and what to collect."""
    least = items_for_bound(0, alpha=by.alpha, delta=by.delta) or LEAST_ITEMS
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
        "words": sure_if(by, first.threshold),
        "rate": percent(rate),
        "bound": percent(first.bound),
        "alpha": percent(by.alpha),
    }
    needed = items_for_bound(rate, alpha=by.alpha, delta=by.delta)
    if needed is None and line.surest and line.surest.threshold > first.threshold:
        return _too_few_sure(by, line.surest, words)
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


def _too_few_sure(by: Promising, surest: RoutingStep, words: Mapping[str, str]) -> str:
    """The surer answers might do, but are too few to be tested by themselves."""
    return _(
        "Nothing can be promised yet: where %(words)s, %(wrong)s of %(checked)s checked answers "
        "(%(rate)s) do not agree with people, and %(alpha)s may. Surer answers may do better, "
        "but too few were checked: where %(surer)s, %(n)s of them (%(n_wrong)s do not agree), "
        "and it takes %(least)s. Have people rate items of more dialogues."
    ) % (
        dict(words)
        | {
            "surer": sure_if(by, surest.threshold),
            "n": f"{surest.n_items:,}",
            "n_wrong": f"{surest.n_wrong:,}",
            "least": LEAST_ITEMS,
        }
    )


def left(waiting: int, step: RoutingStep | None, *, audited: float) -> str:
    """How many of the unrated items go to a person, with the audit slice about."""
    if not waiting:
        return ""
    if step is None:
        return ngettext(
            "The %(n)s item that nobody has rated goes to a person.",
            "All %(n)s items that nobody has rated go to a person.",
            waiting,
        ) % {"n": f"{waiting:,}"}
    accepted = step.n_waiting
    n_audited = round(audited * accepted)
    return _(
        "Of the %(waiting)s items that nobody has rated, %(accepted)s are accepted and "
        "%(people)s go to a person; so do about %(audited)s of the accepted, as an audit."
    ) % {
        "waiting": f"{waiting:,}",
        "accepted": f"{accepted:,}",
        "people": f"{waiting - accepted:,}",
        "audited": f"{n_audited:,}",
    }


def sure_if(by: Promising, threshold: float) -> str:
    """Which answers are at least so sure."""
    if threshold <= 0:
        return _("there is any answer")
    if by.signal is Signal.DISTANCE:
        return _("the answer is at least %(points)s points from the cut") % {
            "points": f"{threshold:g}"
        }
    if by.signal is Signal.REPEATS:
        return _("at least %(share)s of the judge’s other answers agree") % {
            "share": percent(threshold)
        }
    if _is_near(by) and threshold == 1:
        return _("all other judges give the same value")
    if _is_near(by):
        points = by.screened.line.points
        return _("other judges are on average no more than %(points)s points away") % {
            "points": f"{(1 - threshold) * (points[-1] - points[0]):.2g}"
        }
    return _("at least %(share)s of the other judges agree") % {"share": percent(threshold)}


def _is_near(by: Promising) -> bool:
    """Whether other judges are compared by distance."""
    is_scale = by.screened.line.measurement is Measurement.ORDINAL
    return is_scale and by.target is not Target.SAME_SIDE


def safe_step(line: RoutingLine, alpha: float) -> RoutingStep | None:
    """The lowest threshold at which the promise holds."""
    passed = n_passed(line.steps, alpha=alpha)
    return line.steps[passed - 1] if passed else None


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
