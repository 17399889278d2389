"""Trust in words: verdicts, outcomes, tiers, and what is said of a judge that may have changed."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from django.utils.formats import date_format
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext, ngettext_lazy

from accounts.punctuation import in_turn, labelled, listed, running
from analytics.agreement.numbers import CriterionLine
from analytics.measures import NAMES, SHARES
from analytics.models import SentinelCheck
from analytics.policies.loading import Policy
from analytics.present.words import (
    answers,
    figure,
    items,
    number,
    percent,
    told,
    would_have_been_seen,
)
from analytics.ratings.history import Answerer, HoldOutUsed
from analytics.stats.attainable import (
    at_most,
    least_reliability_for,
    of_the_truth,
    reliability_for,
)
from analytics.stats.constant import ConstantJudge
from analytics.stats.drift import Drift
from analytics.stats.estimates import Estimate
from analytics.stats.reasons import LineOutcome, LineReason
from analytics.stats.tiers import Tier
from analytics.stats.verdicts import (
    CardLine,
    EndpointChange,
    Topic,
    TrustCard,
    Verdict,
)
from analytics.trust.numbers import (
    Known,
    Later,
    ReferenceTier,
    RestsOn,
    TrustReport,
    change_under,
)
from analytics.trust.policies import TOPICS
from annotation.models.gold import GoldOrigin
from annotation.queries.wording import decimal

VERDICTS: Mapping[Verdict, tuple[Promise, str, Promise]] = {
    Verdict.TRUSTED: (
        gettext_lazy("Trusted"),
        "badge--done",
        gettext_lazy("Every line is met: the judge may rate in the place of a person."),
    ),
    Verdict.TRUSTED_WITH_CALIBRATION: (
        gettext_lazy("Trusted with calibration"),
        "badge--part",
        gettext_lazy("Every line is met once the judge’s ratings are calibrated: use those."),
    ),
    Verdict.NOT_YET_SHOWN: (
        gettext_lazy("Not yet shown"),
        "badge--waiting",
        gettext_lazy(
            "On one line the bar lies within the interval: more of the same data would decide."
        ),
    ),
    Verdict.CANNOT_BE_SHOWN: (
        gettext_lazy("Cannot be shown with these data"),
        "badge--alert",
        gettext_lazy("More of the same data would not help: data of another kind are missing."),
    ),
    Verdict.SURELY_BELOW: (
        gettext_lazy("Surely below the bar"),
        "badge--below",
        gettext_lazy("One line is surely below the bar of trust, whatever else is found."),
    ),
    Verdict.DO_NOT_USE: (
        gettext_lazy("Do not use"),
        "badge--bad",
        gettext_lazy("A line is beyond what any use allows."),
    ),
}
USES: Mapping[Verdict, Promise] = {
    Verdict.TRUSTED: gettext_lazy(
        "It may rate items like these, under this rubric, in the place of one person. It may not "
        "rate other kinds of dialogue, other languages or other generators: that was not looked at."
    ),
    Verdict.TRUSTED_WITH_CALIBRATION: gettext_lazy(
        "Its calibrated ratings may stand for those of one person on items like these, under this "
        "rubric. Its ratings as they are may not."
    ),
    Verdict.NOT_YET_SHOWN: gettext_lazy(
        "It may suggest where a person reads the item and decides. It may not rate in the place of "
        "a person."
    ),
    Verdict.CANNOT_BE_SHOWN: gettext_lazy(
        "It may be studied further. It may not rate in the place of a person, nor decide what a "
        "person reads."
    ),
    Verdict.SURELY_BELOW: gettext_lazy(
        "It may at most suggest where a person reads every item and decides. It may not rate in "
        "the place of a person, nor decide what a person reads."
    ),
    Verdict.DO_NOT_USE: gettext_lazy(
        "It may not be used for this, not even to suggest. Another prompt or another LLM is another "
        "judge."
    ),
}
LOOK_AGAIN: Mapping[Verdict, Promise] = {
    Verdict.TRUSTED: gettext_lazy(
        "When the LLM or how it is asked changes, or the rubric, or the kind of dialogue, language or "
        "generator; and whenever it is asked again, for it may drift."
    ),
    Verdict.TRUSTED_WITH_CALIBRATION: gettext_lazy(
        "When the LLM or how it is asked changes, or the rubric, or the kind of dialogue, language or "
        "generator: then it is calibrated anew; and whenever it is asked again, for it may drift."
    ),
    Verdict.NOT_YET_SHOWN: gettext_lazy(
        "When people and the judge have rated more of the same items; the page Plan says how many."
    ),
    Verdict.CANNOT_BE_SHOWN: gettext_lazy(
        "When there are data of the kind that a line names as missing; not before."
    ),
    Verdict.SURELY_BELOW: gettext_lazy(
        "When another prompt or another LLM was run: that is another judge with a card of its own."
    ),
    Verdict.DO_NOT_USE: gettext_lazy(
        "When another prompt or another LLM was run: that is another judge with a card of its own."
    ),
}
OUTCOMES: Mapping[LineOutcome, tuple[Promise, str]] = {
    LineOutcome.MET: (gettext_lazy("Met"), "badge--done"),
    LineOutcome.MET_CALIBRATED: (gettext_lazy("Met once calibrated"), "badge--part"),
    LineOutcome.NOT_YET: (gettext_lazy("Not yet shown"), "badge--waiting"),
    LineOutcome.MISSING: (gettext_lazy("Cannot be shown"), "badge--alert"),
    LineOutcome.BELOW: (gettext_lazy("Surely below"), "badge--below"),
    LineOutcome.RULED_OUT: (gettext_lazy("Ruled out"), "badge--bad"),
}
TIERS: Mapping[Tier, Promise] = {
    Tier.GOOD: gettext_lazy("good"),
    Tier.MODERATE: gettext_lazy("moderate"),
    Tier.POOR: gettext_lazy("poor"),
}


_ORIGINS: Mapping[GoldOrigin, Promise] = {
    GoldOrigin.ADJUDICATED: ngettext_lazy(
        "%(n)s item adjudicated by an expert", "%(n)s items adjudicated by an expert", "count"
    ),
    GoldOrigin.CONSENSUS: ngettext_lazy(
        "%(n)s item agreed on in discussion", "%(n)s items agreed on in discussion", "count"
    ),
    GoldOrigin.UNANIMOUS: ngettext_lazy(
        "%(n)s item on which all raters agreed", "%(n)s items on which all raters agreed", "count"
    ),
    GoldOrigin.IMPORTED: ngettext_lazy(
        "%(n)s item with imported labels", "%(n)s items with imported labels", "count"
    ),
}
_TIERS_OF_GOLD: Mapping[GoldOrigin, Promise] = {
    GoldOrigin.ADJUDICATED: gettext_lazy("gold adjudicated by an expert"),
    GoldOrigin.CONSENSUS: gettext_lazy("gold agreed on in discussion"),
    GoldOrigin.UNANIMOUS: gettext_lazy("gold on which all raters agreed"),
    GoldOrigin.IMPORTED: gettext_lazy("imported labels"),
}
_NO_DIFFERENCE = frozenset(
    {
        LineReason.NOT_INFERIOR,
        LineReason.WITHIN_MARGIN,
        LineReason.WITHIN_MARGIN_CALIBRATED,
        LineReason.STEADY,
        LineReason.NOT_SHOWN_TO_BE_NO_WORSE,
        LineReason.MAY_HAVE_DRIFTED,
    }
)
_OF_MARGINS = frozenset({Topic.BIAS, Topic.CEILING, Topic.DRIFT})
_DIGITS = 12  # beyond which a number is told as it is kept
_CHANGES: Mapping[EndpointChange, Promise] = {
    EndpointChange.LLM: gettext_lazy("another LLM"),
    EndpointChange.FINGERPRINT: gettext_lazy("another configuration"),
}
_SECOND_PERSON = gettext_lazy("Have a second person rate some of the same items.")
NEXT_STEPS: Mapping[tuple[Topic, LineReason], Promise] = {
    (Topic.AGREEMENT, LineReason.NOT_CLEAR): gettext_lazy(
        "See the page Plan for how many it takes."
    ),
    (Topic.AGREEMENT, LineReason.SHORT_OF_UNKNOWN): _SECOND_PERSON,
    (Topic.AGREEMENT, LineReason.OUT_OF_REACH): gettext_lazy(
        "Train the raters, sharpen the rubric, or measure the judge against adjudicated gold."
    ),
    (Topic.AGREEMENT, LineReason.CONSTANT_PASSES): gettext_lazy(
        "Fix rules with a statistic that corrects for chance, such as kappa."
    ),
    (Topic.SENSITIVITY, LineReason.BEYOND): gettext_lazy(
        "Read what it missed on the page Safety before anything else."
    ),
    (Topic.DATA, LineReason.TOO_FEW_ITEMS): gettext_lazy(
        "See the page Plan for how many it takes."
    ),
    (Topic.SENSITIVITY, LineReason.TOO_FEW_POSITIVES): gettext_lazy(
        "See the page Plan for how many it takes."
    ),
    (Topic.CEILING, LineReason.NOT_MEASURED): _SECOND_PERSON,
    (Topic.CEILING, LineReason.NO_INTERVAL): gettext_lazy(
        "Have two people rate more of the same items."
    ),
    (Topic.ALTERNATIVE, LineReason.NOT_MEASURED): _SECOND_PERSON,
    (Topic.ALTERNATIVE, LineReason.NOBODY_TO_TEST): _SECOND_PERSON,
    (Topic.REPEATABILITY, LineReason.NOT_MEASURED): gettext_lazy(
        "Run the judge again on the same items."
    ),
    (Topic.DRIFT, LineReason.MAY_HAVE_DRIFTED): gettext_lazy("Run the judge again on more items."),
    (Topic.ENDPOINT, LineReason.OTHER_LLM): gettext_lazy(
        "Start a judge under the exact name of the LLM."
    ),
    (Topic.ENDPOINT, LineReason.OTHER_ANSWERS): gettext_lazy(
        "Look at its sentinels, and decide whether it may be used."
    ),
    (Topic.ENDPOINT, LineReason.OTHER_FINGERPRINT): gettext_lazy(
        "Run the judge again on the same items."
    ),
}


def verdict_name(verdict: Verdict) -> str:
    return str(VERDICTS[verdict][0])


def outcome_name(outcome: LineOutcome) -> str:
    return str(OUTCOMES[outcome][0])


def tier_name(tier: Tier) -> str:
    return str(TIERS[tier])


def said_value(line: CardLine, known: Known) -> str:
    """What a line says that has no interval: how much data, the share of the people that the judge
    wins against, or how many answers say who gave them."""
    if line.topic is Topic.DATA and line.estimate:
        items = ngettext("%(n)s item", "%(n)s items", line.estimate.n_items)
        dialogues = ngettext("%(n)s dialogue", "%(n)s dialogues", line.estimate.n_clusters)
        return _("%(items)s, %(dialogues)s") % {
            "items": items % {"n": f"{line.estimate.n_items:,}"},
            "dialogues": dialogues % {"n": f"{line.estimate.n_clusters:,}"},
        }
    if line.topic is Topic.ALTERNATIVE and line.value is not None:
        share = number(line.value, "exact")
        return _("ω = %(share)s") % {"share": share}
    if line.topic is Topic.ENDPOINT and not known.is_jury:
        return answers(sum(one.n_answers for one in known.answerers))
    return ""


def said_use(verdict: Verdict) -> str:
    """What a judge may and may not be used for."""
    return str(USES[verdict])


def said_reference(reference: ReferenceTier) -> str:
    """Whose word a judge is measured by, and how much it weighs."""
    of = {"items": items(reference.n_items)}
    if not reference.is_gold:
        if reference.people_an_item < 2:
            return _("one person’s ratings (%(items)s)") % of
        people = {"people": reference.people_an_item}
        return _("the ratings of %(people)s people an item (%(items)s)") % (of | people)
    parts = [
        str(_ORIGINS[GoldOrigin(origin)] % {"count": count, "n": f"{count:,}"})
        for origin, count in reference.origins.items()
    ]
    return _("gold: %(how)s") % {"how": in_turn(parts)} if parts else _("gold (%(items)s)") % of


def said_tier(reference: ReferenceTier) -> str:
    """The same without how many items, which differ from criterion to criterion."""
    if reference.is_gold:
        origins = [str(_TIERS_OF_GOLD[GoldOrigin(origin)]) for origin in reference.origins]
        return listed(origins) or _("gold")
    if reference.people_an_item < 2:
        return _("one person’s ratings")
    return _("the ratings of %(people)s people an item") % {"people": reference.people_an_item}


def said_attainable(people: Estimate | None, bar: float, statistic: str) -> str:
    """What people make possible who agree so; where one person rated each item, what a second would
    allow."""
    name = NAMES[statistic]
    if people is None:
        return _what_a_second_would_allow(bar, statistic)
    truth, most = of_the_truth(people, statistic), at_most(people, statistic)
    if truth is None or most is None:
        return ""
    words = {"name": name, "truth": told(truth), "most": told(most)}
    if truth == most:
        sentence = _(
            "As well as these people agree, no judge can reach more than %(name)s %(most)s."
        )
        return sentence % words
    sentence = _(
        "As well as these people agree, a judge that gives what they would give on average "
        "reaches %(name)s %(truth)s, and none can reach more than %(most)s."
    )
    return sentence % words


def _what_a_second_would_allow(bar: float, statistic: str) -> str:
    enough, least = reliability_for(bar, statistic), least_reliability_for(bar, statistic)
    if enough is None or least is None:
        return ""
    words = {
        "name": NAMES[statistic],
        "bar": number(bar, statistic),
        "enough": number(enough, statistic),
        "least": number(least, statistic),
    }
    if enough == least:
        sentence = _(
            "One person rated each item, so nobody knows how well people agree. Should a second "
            "person agree with the first by less than %(least)s, no judge can reach %(name)s "
            "%(bar)s."
        )
        return sentence % words
    sentence = _(
        "One person rated each item, so nobody knows how well people agree. Should a second "
        "person agree with the first by %(enough)s, a judge that gives what people would give on "
        "average could just reach %(name)s %(bar)s; with less than %(least)s no judge can."
    )
    return sentence % words


def said_constant(constant: ConstantJudge | None, statistic: str) -> str:
    """The straw man: what a judge comes to that says the same of every item."""
    figure = constant.estimates[statistic] if constant else None
    if constant is None or figure is None or figure.value is None:
        return ""
    words = {
        "value": f"{constant.says:g}",
        "name": NAMES[statistic],
        "figure": number(figure.value, statistic),
    }
    return _("A judge that always says %(value)s would come to %(name)s %(figure)s.") % words


def said_smallest(line: CardLine) -> str:
    """Where no difference was found: the smallest that would have been seen four times in five."""
    if line.reason not in _NO_DIFFERENCE or line.estimate is None:
        return ""
    statistic = "bias" if line.topic in (Topic.BIAS, Topic.DRIFT) else line.estimate.statistic
    return would_have_been_seen(line.estimate, statistic)


def said_unrounded(line: CardLine) -> str:
    """What a limit is before rounding, where rounded it falls on the bar: else a limit of 0.7494 that
    does not clear 0.75 stands there as 0.75."""
    if line.estimate is None or line.asked is None:
        return ""
    statistic = line.estimate.statistic
    bars = {line.asked, -line.asked} if line.topic in _OF_MARGINS else {line.asked}
    for limit in (line.estimate.low, line.estimate.high):
        for bar in bars:
            if limit is not None and limit != bar and _alike(limit, bar, statistic):
                words = {"bar": number(bar, statistic), "limit": _apart(limit, bar, statistic)}
                return _("The limit that rounds to %(bar)s is %(limit)s.") % words
    return ""


def _alike(one: float, other: float, statistic: str) -> bool:
    return number(one, statistic) == number(other, statistic)


def _apart(limit: float, bar: float, statistic: str) -> str:
    """The limit with as many digits as tell it from the bar."""
    share, unit = (100.0, " %") if statistic in SHARES else (1.0, "")
    texts = (
        [decimal(share * value, digits) for value in (limit, bar)] for digits in range(2, _DIGITS)
    )
    found = next((one for one, other in texts if one != other), f"{share * limit!r}")
    return found + unit


def said_leading(card: TrustCard) -> str:
    leading = next(line.estimate for line in card.lines if line.topic is Topic.DATA)
    if leading is None:
        return ""
    shown = figure(leading)
    words = {"name": shown.name, "value": shown.text, "n": shown.n}
    return _("%(name)s: %(value)s; %(n)s") % words


def because(card: TrustCard) -> Iterator[str]:
    """The lines that are not simply met, those of an outcome together."""
    for outcome in (
        LineOutcome.RULED_OUT,
        LineOutcome.BELOW,
        LineOutcome.MISSING,
        LineOutcome.NOT_YET,
        LineOutcome.MET_CALIBRATED,
    ):
        names = [str(TOPICS[line.topic]) for line in card.lines if line.outcome is outcome]
        if names:
            words = {"outcome": OUTCOMES[outcome][0], "lines": listed(names)}
            yield _("%(outcome)s: %(lines)s") % words


def flag(known: Known, line: CriterionLine, policy: Policy) -> str:
    change = change_under(known, line, policy)
    return str(_CHANGES.get(change, "")) if change else ""


def said_change(known: Known, change: EndpointChange | None) -> str:
    """Who answered, whether that is a proof or a hint that the judge is no longer the same, and how
    many answers figures leave out because of it; of a jury, what its members tell."""
    if known.is_jury:
        return _(
            "Which LLMs answered stands on the cards of its members; when one of those "
            "expires, so does this."
        )
    if not known.n_apart:
        return _said_change(known, change)
    apart = ngettext(
        "%(n)s answer came from another configuration of the LLM. No figure counts it until the "
        "judge has passed on its sentinels under that configuration.",
        "%(n)s answers came from another configuration of the LLM. No figure counts them until "
        "the judge has passed on its sentinels under that configuration.",
        known.n_apart,
    ) % {"n": f"{known.n_apart:,}"}
    return f"{_said_change(known, change)} {apart}"


def _said_change(known: Known, change: EndpointChange | None) -> str:
    match change:
        case None:
            return _("Nothing says which LLM answered.")
        case EndpointChange.LLM:
            return _said_other_llm(known.answerers)
        case EndpointChange.FINGERPRINT:
            return _said_other_configuration(known.answerers)
        case EndpointChange.SENTINELS:
            return _("Whoever answers, the same prompts are answered otherwise than before.")
    shown = {one.fingerprint for one in known.answerers} - {""}
    if len(shown) > 1 and len(shown - known.bridged) < 2:
        return _(
            "The same LLM under several configurations; the judge’s sentinels passed under each that "
            "came after the first."
        )
    if len(shown) > 1:
        return _(
            "The same LLM under several configurations; a check for drift was passed after the "
            "newest had shown."
        )
    n = sum(one.n_answers for one in known.answerers)
    return _("All %(n)s answers came from %(llm)s.") % {
        "n": f"{n:,}",
        "llm": known.answerers[0].llm,
    }


def _said_other_llm(answerers: Sequence[Answerer]) -> str:
    counts: Counter[str] = Counter()
    for one in answerers:  # in the order of their first answers
        counts[one.llm] += one.n_answers
    newest = list(counts)[-1]
    since = min(one.first_at for one in answerers if one.llm == newest)
    return _(
        "From %(date)s on %(after)s answers came from %(llm)s, %(before)s came from another LLM. "
        "That is a proof: it is not the same judge."
    ) % {
        "date": date_format(since, "DATETIME_FORMAT"),
        "llm": newest,
        "after": f"{counts[newest]:,}",
        "before": f"{counts.total() - counts[newest]:,}",
    }


def _said_other_configuration(answerers: Sequence[Answerer]) -> str:
    newest = [one for one in answerers if one.fingerprint][-1]
    n = sum(one.n_answers for one in answerers)
    return _(
        "From %(date)s on %(after)s answers came under another configuration than %(before)s "
        "others. That is a hint, not a proof: run the judge again on the same items, and the check "
        "for drift will tell."
    ) % {
        "date": date_format(newest.first_at, "DATETIME_FORMAT"),
        "after": f"{newest.n_answers:,}",
        "before": f"{n - newest.n_answers:,}",
    }


def said_basis(known: Known, report: TrustReport) -> str:
    """What a verdict rests on, and how often that was looked at before."""
    return say_basis(known.rests_on(report), n_held_out=report.n_held_out, used=known.used)


def say_basis(basis: RestsOn, *, n_held_out: int | None, used: HoldOutUsed | None) -> str:
    """The same from what was sealed of it."""
    if basis is RestsOn.BLINDED:
        return _("Told once the judges are named.")
    if basis is RestsOn.IMPORTED:
        return _(
            "Imported answers: nothing says which items were seen while the judge’s prompt "
            "was written."
        )
    if basis is RestsOn.ALL:
        return _("All items: none is held out.")
    if basis is RestsOn.SEEN:
        return _(
            "Items that were seen while the prompt was written: earlier versions of it had "
            "answered here."
        )
    n = n_held_out or 0
    items = ngettext("The hold-out, %(n)s item.", "The hold-out, %(n)s items.", n) % {"n": f"{n:,}"}
    return running([items, *_uses(used)])


def said_of_judges(report: TrustReport) -> tuple[str, ...]:
    """The same of each judge, once."""
    names = {one.id: one.name for one in report.raters}
    said = {names[one.judge]: said_basis(one, report) for one in report.known}
    return tuple(labelled(name, words) for name, words in said.items())


def _uses(used: HoldOutUsed | None) -> Iterator[str]:
    if used is None:
        return
    yield ngettext(
        "Hold-out used %(n)s time by judges of this family of prompts.",
        "Hold-out used %(n)s times by judges of this family of prompts.",
        used.by_family,
    ) % {"n": used.by_family}
    for reason in used.reasons:
        yield _("Used again: %(reason)s") % {"reason": reason}


_SENTINELS: Mapping[str, Promise] = {
    Drift.PASSED: gettext_lazy("Passed on %(day)s"),
    Drift.FAILED: gettext_lazy("Failed on %(day)s"),
    Drift.INCONCLUSIVE: gettext_lazy("Inconclusive on %(day)s"),
}


def said_sentinels(found: SentinelCheck | None, criterion: str) -> str:
    """What came of asking the judge about its sentinels again, on this criterion."""
    if found is None:
        return _("It has no sentinels that were asked again.")
    day = {"day": date_format(found.made_at, "DATE_FORMAT")}
    mine = found.figures["criteria"].get(criterion)
    if mine is None and found.figures["compared"]:
        return _("This criterion was not among those compared on %(day)s.") % day
    if mine is None:
        why = {name: f"{found.figures[name]:,}" for name in ("apart", "unanswered")}
        sentence = _(
            "Nothing could be compared on %(day)s: sentinels whose prompt is another now: "
            "%(apart)s; without an answer: %(unanswered)s."
        )
        return sentence % (day | why)
    limits = {name: percent(mine[name]) for name in ("low", "high", "margin")}
    told = _(
        "%(state)s: %(changed)s of %(n)s answers to the same prompts changed (%(low)s to %(high)s); "
        "the margin is %(margin)s."
    )
    state = _SENTINELS[Drift(mine["drift"])] % day
    return told % {"state": state, "changed": mine["n_flipped"], "n": mine["n_items"], **limits}


def said_drift(later: Later | None) -> str:
    if later is None:
        return _(
            "Its answers were imported, and nothing says when they were given: drift has not "
            "been checked. Run the judge here again later on the same items."
        )
    words = {
        "first": date_format(later.first_at, "DATE_FORMAT"),
        "last": date_format(later.last_at, "DATE_FORMAT"),
    }
    if later.check is None:
        sentence = _(
            "Asked on %(first)s; drift has not been checked since. Run the judge again on the "
            "same items."
        )
        return sentence % words
    if later.check.drift is Drift.NOT_CHECKED:
        sentence = _(
            "Asked on %(first)s and on %(last)s; no item has a value from both: drift is unknown."
        )
        return sentence % words
    compared = _("Asked on %(first)s and again on %(last)s; the same items are compared.") % words
    if later.check.residual.low is None:
        return compared
    wider = _(
        "The interval of this line is one of %(confidence)s, so that all criteria hold at once."
    )
    return f"{compared} {wider % {'confidence': f'{100 * later.check.confidence:.1f} %'}}"


def n_missed(found: Estimate) -> int:
    """How many flagged items a share found leaves."""
    return found.n_items - round((found.value or 0.0) * found.n_items)


def said_missed(found: Estimate) -> str:
    return _("%(missed)s of %(n)s") % {
        "missed": f"{n_missed(found):,}",
        "n": f"{found.n_items:,}",
    }
