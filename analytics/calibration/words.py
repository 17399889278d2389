"""Calibration in words: what maps are called, what to do, and why there is nothing to do."""

from collections.abc import Mapping

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from accounts.punctuation import listed
from analytics.calibration.numbers import CalibrationLine, MeanLine, MethodLine
from analytics.present.words import dialogues, excludes_zero, items, number, ratings
from analytics.stats.calibration import LEAST_DIALOGUES, LEAST_ITEMS, Method
from analytics.stats.estimates import Estimate

METHODS: Mapping[Method, Promise] = {
    Method.SHIFT: gettext_lazy("Shift"),
    Method.LINEAR: gettext_lazy("Linear"),
    Method.ISOTONIC: gettext_lazy("Isotonic"),
    Method.ORDINAL: gettext_lazy("Ordinal"),
}


def best_of(line: CalibrationLine) -> MethodLine | None:
    """The map that makes single ratings agree surely more and not surely farther from people's;
    the one that agrees most where there are several. None where a judge is best left alone."""
    good = [
        one
        for one in line.methods
        if _is_above_zero(one.change["icc_a1_change"])
        and not _is_above_zero(one.change["mae_change"])
    ]
    return max(good, key=lambda one: one.after["icc_a1"].value or 0, default=None)


def advice(line: CalibrationLine) -> str:
    """What to do, in a sentence."""
    if line.note:
        return too_few(line)
    best = best_of(line)
    if best:
        return _(
            "%(method)s: single ratings agree more with people (ICC %(before)s to %(after)s)."
        ) % {
            "method": METHODS[best.method],
            "before": number(line.before["icc_a1"].value, "icc_a1"),
            "after": number(best.after["icc_a1"].value, "icc_a1"),
        }
    if excludes_zero(line.before["bias"]):
        return _(
            "Correct means only: a map takes the bias away, but none is certain to make single "
            "ratings agree better, by ICC(A,1), without moving them farther from people’s."
        )
    return _(
        "Leave as it is: no bias is certain, and no map is certain to make single ratings agree "
        "better, by ICC(A,1), without moving them farther from people’s."
    )


def too_few(line: CalibrationLine) -> str:
    """Why there is no map."""
    return _(
        "Too little to calibrate on: %(pairs)s in %(dialogues)s are rated by people and the judge; "
        "it takes %(least_pairs)s ratings and %(least_dialogues)s dialogues."
    ) % {
        "pairs": ratings(line.n_pairs),
        "dialogues": dialogues(line.n_dialogues),
        "least_pairs": LEAST_ITEMS,
        "least_dialogues": LEAST_DIALOGUES,
    }


def made_of(line: CalibrationLine) -> str:
    return _("%(pairs)s of people on %(items)s in %(dialogues)s") % {
        "pairs": ratings(line.n_pairs),
        "items": items(line.n_items),
        "dialogues": dialogues(line.n_dialogues),
    }


def formula(one: MethodLine) -> str:
    """The map as it can be written in a line; the others are read off the table of points."""
    if one.method is Method.SHIFT:
        return _("judge %(shift)s") % {"shift": _term(one.parameters[0])}
    if one.method is Method.LINEAR:
        start, slope = one.parameters
        return _("%(start)s %(slope)s × judge") % {
            "start": number(start, ""),
            "slope": _term(slope),
        }
    return _("see the table of points")


def support(line: CalibrationLine, unsaid: list[float]) -> str:
    """Within what ratings of the judge a map holds; `unsaid`: points of the scale outside."""
    words = {"low": f"{line.low:.3g}", "high": f"{line.high:.3g}"}
    if not unsaid:
        text = _(
            "Where people rated, the judge gave %(low)s to %(high)s; a rating outside is refused."
        )
        return text % words
    return _(
        "Where people rated, the judge gave %(low)s to %(high)s and never %(outside)s: there "
        "is nothing to go by, so such a rating is refused."
    ) % (words | {"outside": listed(f"{point:g}" for point in unsaid)})


def gain(line: MeanLine, told: str) -> str:
    """What the judge adds to the ratings of people; `told`: its worth with its interval."""
    if line.n_rated == line.n_judged:
        return _nothing_to_gain(line)
    counts = _("People rated %(rated)s of the %(judged)s items that the judge rated.") % {
        "rated": f"{line.n_rated:,}",
        "judged": f"{line.n_judged:,}",
    }
    if not line.weight:
        unheard = _(
            "The judge is not listened to (weight 0): it would not make the interval narrower."
        )
        return f"{counts} {unheard}"
    if not told:
        return counts
    worth = _(
        "Worth of the judge: as if people had rated this many times as many items: %(gain)s "
        "(correlation %(r)s, weight of the judge %(weight)s)."
    )
    words = {
        "gain": told,
        "r": number(line.correlation, "") or "–",
        "weight": f"{line.weight:.2f}",
    }
    return f"{counts} {worth % words}"


def _nothing_to_gain(line: MeanLine) -> str:
    rated_all = _("People have rated every item that the judge rated: nothing is to be gained.")
    if line.correlation is None:
        return rated_all
    were_few = _(
        "Had they rated a few of very many, it would be as if they had rated %(most)s times as "
        "many (correlation %(r)s)."
    )
    words = {"most": _at_most(line), "r": number(line.correlation, "")}
    return f"{rated_all} {were_few % words}"


def _at_most(line: MeanLine) -> str:
    shared = min((line.correlation or 0) ** 2, 0.99)
    return f"{1 / (1 - shared):.2f}"


def _is_above_zero(estimate: Estimate) -> bool:
    return estimate.low is not None and estimate.low > 0


def _term(value: float) -> str:
    """“+ 0.50” or “− 0.50”."""
    return f"{'−' if value < 0 else '+'} {abs(value):.2f}"
