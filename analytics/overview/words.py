"""The first page in words that a clinician uses: may a judge be used, for what, why not, what next.

What a judge may be used for is said by the verdicts of its trust cards and by nothing else; the
lines that a verdict rests on give the reason and the next step.
"""

from collections.abc import Mapping, Sequence

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from accounts.punctuation import labelled, listed
from analytics.present.words import number
from analytics.stats.estimates import Estimate
from analytics.stats.reasons import LineReason
from analytics.stats.verdicts import CardLine, Topic, TrustCard, Verdict
from analytics.trust.policies import TOPICS
from analytics.trust.words import NEXT_STEPS, n_missed, outcome_name

FROM_THE_GRAVEST = tuple(reversed(Verdict))
MAY: Mapping[Verdict, Promise] = {
    Verdict.TRUSTED: gettext_lazy("May rate %(criteria)s in the place of one person"),
    Verdict.TRUSTED_WITH_CALIBRATION: gettext_lazy(
        "May rate %(criteria)s in the place of one person, once calibrated"
    ),
    Verdict.NOT_YET_SHOWN: gettext_lazy(
        "May suggest on %(criteria)s, where a person reads the item and decides; no more yet"
    ),
    Verdict.CANNOT_BE_SHOWN: gettext_lazy("May only be studied further on %(criteria)s"),
    Verdict.SURELY_BELOW: gettext_lazy(
        "May at most suggest on %(criteria)s, where a person reads every item and decides"
    ),
    Verdict.DO_NOT_USE: gettext_lazy("May not be used for %(criteria)s, not even to suggest"),
}
_BY_THEMSELVES: Mapping[Verdict, Promise] = {
    Verdict.TRUSTED: gettext_lazy(
        "Look again when the LLM, the rubric or the kind of dialogue changes."
    ),
    Verdict.TRUSTED_WITH_CALIBRATION: gettext_lazy("Use its calibrated ratings, not the raw ones."),
    Verdict.NOT_YET_SHOWN: gettext_lazy("See the page Plan for how many more items it takes."),
    Verdict.CANNOT_BE_SHOWN: gettext_lazy("Open the card: it names what is missing."),
    Verdict.SURELY_BELOW: gettext_lazy("Try another prompt or another LLM; people go on rating."),
    Verdict.DO_NOT_USE: gettext_lazy("Try another prompt or another LLM; people go on rating."),
}
# What weighs most with somebody who answers for patients comes first.
_WEIGHT = (
    Topic.SENSITIVITY,
    Topic.AGREEMENT,
    Topic.DATA,
    Topic.CEILING,
    Topic.BIAS,
    Topic.ENDPOINT,
    Topic.DRIFT,
    Topic.REPEATABILITY,
    Topic.UNSCORED,
    Topic.ALTERNATIVE,
)
_PLACES: Mapping[Topic | LineReason, str] = {
    LineReason.BEYOND: "agreement_safety",
    LineReason.CONSTANT_PASSES: "agreement_trust",
    Topic.REPEATABILITY: "judges",
    Topic.DRIFT: "judges",
    Topic.ENDPOINT: "judges",
}
_PLACES_OF_VERDICTS: Mapping[Verdict, str] = {
    Verdict.TRUSTED: "agreement_routing",
    Verdict.TRUSTED_WITH_CALIBRATION: "agreement_calibration",
    Verdict.CANNOT_BE_SHOWN: "agreement_trust",
    Verdict.SURELY_BELOW: "judges",
    Verdict.DO_NOT_USE: "judges",
}

_WHY: Mapping[LineReason, Promise] = {
    LineReason.TOO_FEW_ITEMS: gettext_lazy("too few items have been rated by people and the judge"),
    LineReason.TOO_FEW_DIALOGUES: gettext_lazy("the rated items come from too few dialogues"),
    LineReason.OUT_OF_REACH: gettext_lazy(
        "people agree so little with one another that even a flawless judge would stay below the bar"
    ),
    LineReason.ALWAYS_THE_SAME: gettext_lazy("it says the same of every item"),
    LineReason.NO_BETTER_THAN_CONSTANT: gettext_lazy(
        "it agrees with people no better than a judge that says the same of every item"
    ),
    LineReason.CONSTANT_PASSES: gettext_lazy(
        "a judge that says the same of every item would pass here too"
    ),
    LineReason.INFERIOR: gettext_lazy("a second person would agree better with people"),
    LineReason.NOT_SHOWN_TO_BE_NO_WORSE: gettext_lazy(
        "a second person might agree better with people"
    ),
    LineReason.DOES_NOT_STAND_IN: gettext_lazy(
        "it does not come as close to people as they come to each other"
    ),
    LineReason.NOBODY_TO_TEST: gettext_lazy("too few people rated the same items"),
    LineReason.DRIFTED: gettext_lazy("its ratings have moved since it was first asked"),
    LineReason.MAY_HAVE_DRIFTED: gettext_lazy(
        "its ratings may have moved since it was first asked"
    ),
    LineReason.NOT_CHECKED: gettext_lazy("nobody knows whether its ratings have moved"),
    LineReason.OTHER_LLM: gettext_lazy("another LLM answers under its name now"),
    LineReason.OTHER_FINGERPRINT: gettext_lazy(
        "the LLM behind it runs under another configuration"
    ),
    LineReason.OTHER_ANSWERS: gettext_lazy("it answers its sentinels otherwise than before"),
}
_WHY_OF: Mapping[tuple[Topic, LineReason], Promise] = {
    (Topic.AGREEMENT, LineReason.BEYOND): gettext_lazy(
        "it agrees too little with people for any use, and a second person would agree better"
    ),
    (Topic.AGREEMENT, LineReason.SURELY_SHORT): gettext_lazy(
        "it agrees with people less than the rules ask"
    ),
    (Topic.AGREEMENT, LineReason.SHORT_OF_UNKNOWN): gettext_lazy(
        "it agrees with people less than the rules ask, and nobody yet knows whether a second "
        "person would agree better"
    ),
    (Topic.AGREEMENT, LineReason.SHORT_LIKE_PEOPLE): gettext_lazy(
        "it agrees with people less than the rules ask, as people may with one another"
    ),
    (Topic.AGREEMENT, LineReason.NOT_CLEAR): gettext_lazy(
        "it may agree with people well enough, or less than the rules ask"
    ),
    (Topic.SENSITIVITY, LineReason.NOT_MEASURED): gettext_lazy("nobody has counted what it misses"),
    (Topic.CEILING, LineReason.NOT_MEASURED): gettext_lazy(
        "one person rated each item, so nobody knows how well a second would do"
    ),
    (Topic.CEILING, LineReason.NO_INTERVAL): gettext_lazy(
        "the items that two people rated are too few, or rated too much alike, to tell how well a "
        "second person would do"
    ),
    (Topic.ALTERNATIVE, LineReason.NOT_MEASURED): gettext_lazy(
        "too few people rated the same items"
    ),
    (Topic.REPEATABILITY, LineReason.NOT_MEASURED): gettext_lazy(
        "nobody knows whether it says the same when it is asked again"
    ),
}
_WHY_IN: Mapping[Topic, Promise] = {
    Topic.REPEATABILITY: gettext_lazy("it may not say the same when it is asked again"),
    Topic.AGREEMENT: gettext_lazy("these ratings do not tell how well it agrees with people"),
}


def weightiest(card: TrustCard) -> CardLine | None:
    """The line that says most about why a judge is not simply trusted."""
    if card.verdict in (Verdict.TRUSTED, Verdict.TRUSTED_WITH_CALIBRATION):
        return None
    return min(card.decisive, key=weight_of)


def weight_of(line: CardLine | None) -> int:
    """The less, the more it weighs; a judge that says one thing only needs no other reason."""
    if line is None:
        return len(_WEIGHT)
    return -1 if line.reason is LineReason.ALWAYS_THE_SAME else _WEIGHT.index(line.topic)


def said_may(verdict: Verdict, names: Sequence[str], *, is_every: bool) -> str:
    """What a judge may do on criteria of these names, which may be all of them."""
    every = _("any criterion") if verdict is Verdict.DO_NOT_USE else _("every criterion")
    criteria = every if is_every else listed(names)
    return str(MAY[verdict]) % {"criteria": criteria}


def said_use_and_why(may: str, why: str, *, criterion: str = "") -> str:
    """One sentence; the reason is that of a `criterion` among several, where that is named."""
    if not why:
        return _("%(may)s.") % {"may": may}
    words = {"may": may, "why": why, "criterion": criterion}
    if criterion:
        return _("%(may)s: on %(criterion)s, for one, %(why)s.") % words
    return _("%(may)s: %(why)s.") % words


def said_why(
    line: CardLine, *, has_second_person: bool, only_answer: str = "", by_gold: bool = False
) -> str:
    """Why, as a clause without a capital or a full stop; `only_answer` is all that the judge says,
    `by_gold` whether it is measured by gold and not by people."""
    if line.reason is LineReason.ALWAYS_THE_SAME and only_answer:
        return _("it says %(answer)s to every item") % {"answer": only_answer}
    if line.topic is Topic.SENSITIVITY and line.estimate and line.estimate.n_items:
        return _of_misses(line, line.estimate, has_second_person=has_second_person, by_gold=by_gold)
    if line.topic is Topic.BIAS and line.estimate and line.estimate.value:
        return _of_bias(line.estimate.value)
    if line.topic is Topic.UNSCORED and line.estimate:
        share = number(line.estimate.value, "unscored")
        return _("it leaves %(share)s of the items without a value") % {"share": share}
    told = (
        _WHY_OF.get((line.topic, line.reason)) or _WHY.get(line.reason) or _WHY_IN.get(line.topic)
    )
    if told is None:
        return labelled(TOPICS[line.topic], outcome_name(line.outcome))
    return str(told)


def misses_beside(line: CardLine, card: TrustCard) -> Estimate | None:
    """What the judge finds, where it misses something and another `line` is what decides."""
    finding = next((one for one in card.lines if one.topic is Topic.SENSITIVITY), line)
    if finding is line or finding.estimate is None or not n_missed(finding.estimate):
        return None
    return finding.estimate


def with_misses(
    why: str, found: Estimate | None, *, criterion: str = "", by_gold: bool = False
) -> str:
    """A reason, and what the judge misses: of that a clinician hears even where it is not what
    decides. The `criterion` of the misses is named where the reason is that of several."""
    if found is None:
        return why
    words = {"why": why, "misses": _misses(found, by_gold=by_gold), "criterion": criterion}
    if criterion:
        return _("%(why)s; on %(criterion)s %(misses)s") % words
    return _("%(why)s; %(misses)s") % words


def said_next(verdict: Verdict, line: CardLine | None) -> tuple[str, str]:
    """(what to do next, the name of the page where)."""
    step = NEXT_STEPS.get((line.topic, line.reason)) if line else None
    if line is None or step is None:
        return str(_BY_THEMSELVES[verdict]), _PLACES_OF_VERDICTS.get(verdict, "agreement_plan")
    place = _PLACES.get(line.reason) or _PLACES.get(line.topic, "agreement_plan")
    return str(step), place


def _of_misses(line: CardLine, found: Estimate, *, has_second_person: bool, by_gold: bool) -> str:
    told = _misses(found, by_gold=by_gold)
    match line.reason:
        case LineReason.TOO_FEW_POSITIVES:
            return _("%(told)s: too few to tell how many it would miss") % {"told": told}
        case LineReason.SHORT_LIKE_PEOPLE:
            return _("%(told)s, and people may miss as many") % {"told": told}
        case LineReason.BEYOND | LineReason.SURELY_SHORT if not has_second_person:
            if by_gold:
                return _("%(told)s, and nobody yet knows how many a person would find") % {
                    "told": told
                }
            return _("%(told)s, and nobody yet knows whether a second person would find more") % {
                "told": told
            }
    return told


def _misses(found: Estimate, *, by_gold: bool) -> str:
    told = _missed_of_gold(found) if by_gold else _missed_of_people(found)
    return told % {"missed": f"{n_missed(found):,}", "n": f"{found.n_items:,}"}


def _missed_of_gold(found: Estimate) -> str:
    return ngettext(
        "it misses %(missed)s of %(n)s item that is flagged in gold",
        "it misses %(missed)s of %(n)s items that are flagged in gold",
        found.n_items,
    )


def _missed_of_people(found: Estimate) -> str:
    return ngettext(
        "it misses %(missed)s of %(n)s item that people flag",
        "it misses %(missed)s of %(n)s items that people flag",
        found.n_items,
    )


def _of_bias(bias: float) -> str:
    words = {"points": number(abs(bias), "mae")}
    if bias > 0:
        return _("on average it rates %(points)s points higher than people") % words
    return _("on average it rates %(points)s points lower than people") % words
