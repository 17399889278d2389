"""Routing in words: which answers are sure, what is promised of them, and what is missing for it."""

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from accounts.punctuation import running
from analytics.present.words import cut_name, point_names
from analytics.routing.numbers import RoutingLine, RoutingStep, Signal, Target, Why
from analytics.routing.promises import Refusal, Ruling
from analytics.safety.numbers import Screened, usual_cut
from analytics.stats.planning import items_for_bound
from analytics.stats.promises import JointPromise, Risk, Tries
from annotation.rubric.schema import Measurement, Rubric

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


REFUSALS: Mapping[Refusal, Promise] = {
    Refusal.TOO_FEW: gettext_lazy("too few answers checked"),
    Refusal.ONE_ANSWER: gettext_lazy("says the same to every item"),
    Refusal.FEW_FLAGGED: gettext_lazy("too few flagged items"),
    Refusal.BROKEN: gettext_lazy("even the surest answers do not keep it"),
    Refusal.NO_ORDER: gettext_lazy("not shown to be less sure where it is wrong"),
    Refusal.STRAW_MAN: gettext_lazy("a judge that always says the same may pass"),
    Refusal.MISSES: gettext_lazy("misses too many by the safety panel"),
    Refusal.DO_NOT_USE: gettext_lazy("its trust card says “Do not use”"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Promising:
    """What is promised of one judge: its line, what comes of the promise, and where points and
    labels have their names."""

    rubric: Rubric
    screened: Screened
    line: RoutingLine
    ruling: Ruling

    @property
    def promise(self) -> JointPromise:
        return self.ruling.promise

    def asked(self, risk: Risk) -> str:
        return percent(self.promise.asked[risk])

    def answer(self, point: float) -> str:
        """What a judge that says nothing else says."""
        (name,) = point_names(self.rubric, self.line.criterion, [point])
        return name


def verdict(by: Promising) -> str:
    """What is promised, or why nothing can be and what to collect."""
    step, refusal = by.ruling.accepted, by.ruling.refusal
    if step is not None:
        return running(_promises(by, step))
    return _NO_PROMISE[refusal or Refusal.BROKEN](by)


def in_short(ruling: Ruling, line: RoutingLine) -> str:
    """The same in a few words."""
    if ruling.accepted is None:
        return str(REFUSALS[ruling.refusal or Refusal.BROKEN])
    return _("%(accepted)s of %(answers)s answers may stand without a person") % {
        "accepted": f"{ruling.accepted.n_accepted:,}",
        "answers": f"{line.n_answers:,}",
    }


def beside(by: Promising) -> str:
    """How a judge that always says the same would do, whatever comes of the real one."""
    best = min(by.line.straw_men, key=lambda one: one.n_wrong, default=None)
    if best is None or not best.n:
        return ""
    words = {
        "answer": by.answer(best.says),
        "wrong": percent(best.n_wrong / best.n),
        "checked": f"{best.n:,}",
    }
    if best.flags:
        sentence = _(
            "Beside it, a judge that always says %(answer)s is wrong in %(wrong)s of "
            "%(checked)s checked items, and flags them all."
        )
        return sentence % words
    sentence = _(
        "Beside it, a judge that always says %(answer)s is wrong in %(wrong)s of %(checked)s "
        "checked items; as large a share of the flagged ones slips as of its answers is "
        "accepted."
    )
    return sentence % words


def _promises(by: Promising, step: RoutingStep) -> Iterator[str]:
    yield _(
        "Accept %(accepted)s of %(answers)s answers (%(share)s): those where %(words)s. Of "
        "such answers, one of each dialogue, at most %(alpha)s do not agree with people, with "
        "%(sure)s confidence: %(wrong)s of %(checked)s checked ones did not, which bounds the "
        "share at %(bound)s."
    ) % {
        "accepted": f"{step.n_accepted:,}",
        "answers": f"{by.line.n_answers:,}",
        "share": percent(step.n_accepted / by.line.n_answers),
        "words": sure_if(by, step.threshold),
        "alpha": by.asked(Risk.WRONG),
        "sure": percent(1 - by.promise.delta),
        "wrong": f"{step.n_wrong:,}",
        "checked": f"{step.n_items:,}",
        "bound": percent(by.promise.limit(step.tries[Risk.WRONG])),
    }
    for risk, told in (
        (
            Risk.PASSED,
            _(
                "Of the answers that stand without a flag at most %(asked)s are to items that "
                "people flag: %(bad)s of %(n)s checked ones were (at most %(bound)s)."
            ),
        ),
        (
            Risk.SLIPPED,
            _(
                "Of all items that people flag at most %(asked)s slip through, accepted without a "
                "flag: %(bad)s of %(n)s checked ones did (at most %(bound)s)."
            ),
        ),
    ):
        if risk in by.promise.asked:
            yield told % _seen(by, risk, step)
    if len(by.promise.asked) > 1:
        yield _("The three bounds hold together.")


def _seen(by: Promising, risk: Risk, step: RoutingStep) -> dict[str, str]:
    tries = step.tries[risk]
    return {
        "asked": by.asked(risk),
        "bad": f"{tries.bad:,}",
        "n": f"{tries.n:,}",
        "rate": percent(tries.share or 0.0),
        "bound": percent(by.promise.limit(tries)),
        "words": sure_if(by, step.threshold),
    }


def _too_few_checked(by: Promising) -> str:
    least, n = by.promise.least(Risk.WRONG), by.line.n_checked
    if n < least or not by.line.every:
        return _(
            "Nothing can be promised: only %(checked)s answers could be checked, one a "
            "dialogue, and it takes %(least)s. Have people rate items of %(more)s more "
            "dialogues that the judge rated."
        ) % {"checked": f"{n:,}", "least": least, "more": least - n}
    return _(
        "Nothing can be promised: only %(checked)s answers without a flag could be checked, one a "
        "dialogue, and it takes %(least)s."
    ) % {
        "checked": f"{by.line.every.tries[Risk.PASSED].n:,}",
        "least": by.promise.least(Risk.PASSED),
    }


def _says_one_thing(by: Promising) -> str:
    answer = by.answer(by.line.only_answer) if by.line.only_answer is not None else ""
    return _(
        "Nothing is accepted: the judge says %(answer)s to every item. Any promise that it would "
        "pass, a judge that always says %(answer)s passes too."
    ) % {"answer": answer}


def _too_few_flagged(by: Promising) -> str:
    n = by.line.every.tries[Risk.SLIPPED].n if by.line.every else 0
    least = by.promise.least(Risk.SLIPPED)
    return _(
        "Nothing is accepted: among the checked items are only %(n)s that people flag, one a "
        "dialogue. To rule out that more than %(asked)s of them slip takes %(least)s, not one of "
        "which slips. Have people rate more items, until %(more)s more are flagged."
    ) % {
        "n": f"{n:,}",
        "asked": by.asked(Risk.SLIPPED),
        "least": f"{least:,}",
        "more": f"{least - n:,}",
    }


def _broken(by: Promising) -> str:
    """Which bound the surest answers do not keep, and what to collect."""
    first = by.line.steps[min(by.ruling.descent.n_lacking, len(by.line.steps) - 1)]
    broken = by.promise.broken(by.promise.limits(first))
    if Risk.WRONG in broken or not broken:
        return _too_often_wrong(by, first)
    if Risk.SLIPPED in broken:
        return _(
            "Nothing is accepted: even where %(words)s, %(bad)s of the %(n)s checked items that "
            "people flag (%(rate)s) would slip through without a flag, so at most %(bound)s; "
            "%(asked)s may."
        ) % _seen(by, Risk.SLIPPED, first)
    return _(
        "Nothing is accepted: even where %(words)s, %(bad)s of the %(n)s checked answers without a "
        "flag (%(rate)s) are to items that people flag, so at most %(bound)s; %(asked)s may."
    ) % _seen(by, Risk.PASSED, first)


def _too_often_wrong(by: Promising, first: RoutingStep) -> str:
    rate = first.n_wrong / first.n_items
    words = {
        "wrong": f"{first.n_wrong:,}",
        "checked": f"{first.n_items:,}",
        "words": sure_if(by, first.threshold),
        "rate": percent(rate),
        "bound": percent(by.promise.limit(first.tries[Risk.WRONG])),
        "alpha": by.asked(Risk.WRONG),
    }
    alpha, surest = by.promise.asked[Risk.WRONG], by.line.surest
    needed = items_for_bound(rate, alpha=alpha, delta=by.promise.delta_each)
    if needed is None and surest and surest.threshold > first.threshold:
        return _too_few_sure(by, surest, words)
    if needed is None:
        sentence = _(
            "Nothing can be promised, and more items will not help: even where %(words)s, "
            "%(wrong)s of %(checked)s checked answers (%(rate)s) do not agree with people, "
            "and %(alpha)s may. Every item needs a person, unless a better judge, another "
            "signal or a milder target will do."
        )
        return sentence % words
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
            "least": f"{by.promise.least(Risk.WRONG):,}",
        }
    )


def _no_order(by: Promising) -> str:
    kept, chance = by.ruling.kept, by.line.chance_of_order
    words = {"words": sure_if(by, kept.threshold) if kept else ""}
    if chance is None:
        sentence = _(
            "Nothing is accepted: the bounds hold where %(words)s and not for all answers, but "
            "too few wrong ones were checked to tell whether the judge is less sure of them."
        )
        return sentence % words
    return _(
        "Nothing is accepted: the bounds hold where %(words)s and not for all answers, and nothing "
        "shows that the judge is less sure where it is wrong or misses (rank-sum test on "
        "%(checked)s checked answers, p = %(p)s): such a choice may be one by chance."
    ) % (words | {"checked": f"{by.line.n_checked:,}", "p": f"{chance:.2g}"})


def _straw_man_passes(by: Promising) -> str:
    straw_man, kept = by.ruling.straw_man, by.ruling.kept
    if straw_man is None or kept is None:
        return ""
    return _(
        "Nothing is accepted: a judge that always says %(answer)s may pass this promise too, if as "
        "large a share of its answers (%(share)s) is accepted by lot. It is wrong in %(wrong)s of "
        "%(checked)s checked items, surely in no less than %(bound)s. What anybody can promise says "
        "nothing of this judge."
    ) % {
        "answer": by.answer(straw_man.says),
        "share": percent(kept.n_items / by.line.n_checked),
        "wrong": f"{straw_man.n_wrong:,}",
        "checked": f"{straw_man.n:,}",
        "bound": percent(by.promise.low(Tries(straw_man.n_wrong, straw_man.n))),
    }


def _misses_too_many(by: Promising) -> str:
    screen = by.ruling.screen
    found = screen.found if screen else 0
    return _(
        "Nothing is accepted: by the safety panel the judge surely misses too many. It finds "
        "%(found)s of the %(n)s items that people flag. The bounds of this page hold for the "
        "answers where it is sure, but a judge that cannot find what it is asked for decides "
        "nothing alone."
    ) % {"found": f"{found:,}", "n": f"{screen.n_positives if screen else 0:,}"}


def _not_to_be_used(by: Promising) -> str:
    return _(
        "Nothing is accepted: under the rules of the study its trust card says “Do not use”, and "
        "what must not be used accepts nothing."
    )


_NO_PROMISE: Mapping[Refusal, Callable[[Promising], str]] = {
    Refusal.TOO_FEW: _too_few_checked,
    Refusal.ONE_ANSWER: _says_one_thing,
    Refusal.FEW_FLAGGED: _too_few_flagged,
    Refusal.BROKEN: _broken,
    Refusal.NO_ORDER: _no_order,
    Refusal.STRAW_MAN: _straw_man_passes,
    Refusal.MISSES: _misses_too_many,
    Refusal.DO_NOT_USE: _not_to_be_used,
}


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
    if by.line.signal is Signal.DISTANCE:
        return _("the answer is at least %(points)s points from the cut") % {
            "points": f"{threshold:g}"
        }
    if by.line.signal is Signal.REPEATS:
        return _("at least %(share)s of the judge’s other answers agree") % {
            "share": percent(threshold)
        }
    if _is_near(by) and threshold == 1:
        return _("all other judges give the same value")
    if _is_near(by):
        points = by.screened.line.points
        away = f"{(1 - threshold) * (points[-1] - points[0]):.2g}"
        told = ngettext(
            "other judges are on average no more than %(points)s point away",
            "other judges are on average no more than %(points)s points away",
            1 if away == "1" else 2,
        )
        return told % {"points": away}
    return _("at least %(share)s of the other judges agree") % {"share": percent(threshold)}


def _is_near(by: Promising) -> bool:
    """Whether other judges are compared by distance."""
    is_scale = by.screened.line.measurement is Measurement.ORDINAL
    return is_scale and by.line.target is not Target.SAME_SIDE


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
