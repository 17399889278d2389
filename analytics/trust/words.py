"""Trust in words: verdicts, outcomes, tiers, and what is said of a judge that may have changed."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from django.utils.formats import date_format
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from analytics.agreement.numbers import CriterionLine
from analytics.policies.loading import Policy
from analytics.present.words import Footnotes, figure, number
from analytics.ratings.history import Answerer
from analytics.stats.drift import Drift
from analytics.stats.tiers import Tier
from analytics.stats.verdicts import (
    CardLine,
    EndpointChange,
    LineOutcome,
    LineReason,
    Topic,
    TrustCard,
    Verdict,
)
from analytics.trust.numbers import Known, Later, change_under
from analytics.trust.policies import TOPICS

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
    Verdict.ASSIST_ONLY: (
        gettext_lazy("Assist only"),
        "badge--waiting",
        gettext_lazy("A line falls short: the judge may suggest, and a person decides."),
    ),
    Verdict.DO_NOT_USE: (
        gettext_lazy("Do not use"),
        "badge--bad",
        gettext_lazy("A line is beyond what any use allows."),
    ),
    Verdict.NOT_ENOUGH_DATA: (
        gettext_lazy("Not enough data"),
        "badge--alert",
        gettext_lazy("A line that the rules ask for cannot be told yet."),
    ),
}
OUTCOMES: Mapping[LineOutcome, tuple[Promise, str]] = {
    LineOutcome.MET: (gettext_lazy("Met"), "badge--done"),
    LineOutcome.MET_CALIBRATED: (gettext_lazy("Met once calibrated"), "badge--part"),
    LineOutcome.SHORT: (gettext_lazy("Falls short"), "badge--waiting"),
    LineOutcome.RULED_OUT: (gettext_lazy("Ruled out"), "badge--bad"),
    LineOutcome.OPEN: (gettext_lazy("Undecided"), "badge--alert"),
}
TIERS: Mapping[Tier, Promise] = {
    Tier.GOOD: gettext_lazy("good"),
    Tier.MODERATE: gettext_lazy("moderate"),
    Tier.POOR: gettext_lazy("poor"),
}


_CHANGES: Mapping[EndpointChange, Promise] = {
    EndpointChange.LLM: gettext_lazy("another LLM"),
    EndpointChange.FINGERPRINT: gettext_lazy("another configuration"),
}
NEXT_STEPS: Mapping[tuple[Topic, LineReason], Promise] = {
    (Topic.DATA, LineReason.TOO_FEW_ITEMS): gettext_lazy(
        "See the page Plan for how many it takes."
    ),
    (Topic.SENSITIVITY, LineReason.TOO_FEW_POSITIVES): gettext_lazy(
        "See the page Plan for how many it takes."
    ),
    (Topic.CEILING, LineReason.NOT_MEASURED): gettext_lazy(
        "Have several people rate the same items."
    ),
    (Topic.ALTERNATIVE, LineReason.NOT_MEASURED): gettext_lazy(
        "Have several people rate the same items."
    ),
    (Topic.REPEATABILITY, LineReason.NOT_MEASURED): gettext_lazy(
        "Run the judge again on the same items."
    ),
    (Topic.DRIFT, LineReason.MAY_HAVE_DRIFTED): gettext_lazy("Run the judge again on more items."),
    (Topic.ENDPOINT, LineReason.OTHER_LLM): gettext_lazy(
        "Start a judge under the exact name of the LLM."
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
    if line.topic is Topic.ENDPOINT:
        n = sum(one.n_answers for one in known.answerers)
        return ngettext("%(n)s answer", "%(n)s answers", n) % {"n": f"{n:,}"}
    return ""


def said_leading(card: TrustCard) -> str:
    leading = next(line.estimate for line in card.lines if line.topic is Topic.DATA)
    if leading is None:
        return ""
    shown = figure(leading, Footnotes())
    words = {"name": shown.name, "value": shown.text, "n": shown.n}
    return _("%(name)s: %(value)s; %(n)s") % words


def because(card: TrustCard) -> Iterator[str]:
    """The lines that are not simply met, those of an outcome together."""
    for outcome in (
        LineOutcome.RULED_OUT,
        LineOutcome.SHORT,
        LineOutcome.OPEN,
        LineOutcome.MET_CALIBRATED,
    ):
        names = [str(TOPICS[line.topic]) for line in card.lines if line.outcome is outcome]
        if names:
            words = {"outcome": OUTCOMES[outcome][0], "lines": ", ".join(names)}
            yield _("%(outcome)s: %(lines)s") % words


def flag(known: Known, line: CriterionLine, policy: Policy) -> str:
    change = change_under(known, line, policy)
    return str(_CHANGES.get(change, "")) if change else ""


def said_change(known: Known, change: EndpointChange | None) -> str:
    """Who answered, and whether that is a proof or a hint that the judge is no longer the same."""
    match change:
        case None:
            return _("Nothing says which LLM answered.")
        case EndpointChange.LLM:
            return _said_other_llm(known.answerers)
        case EndpointChange.FINGERPRINT:
            return _said_other_configuration(known.answerers)
    if len({one.fingerprint for one in known.answerers} - {""}) > 1:
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
    told = _(
        "From %(date)s on %(after)s answers came from %(llm)s, %(before)s came from another LLM. "
        "That is a proof: it is not the same judge."
    ) % {
        "date": date_format(since, "DATETIME_FORMAT"),
        "llm": newest,
        "after": f"{counts[newest]:,}",
        "before": f"{counts.total() - counts[newest]:,}",
    }
    if len({one.llm for one in answerers if one.n_first}) < 2:
        return told
    return f"{told} {_('The figures of this card mix answers of both.')}"


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
        return (
            _(
                "Asked on %(first)s; drift has not been checked since. Run the judge again on the "
                "same items."
            )
            % words
        )
    if later.check.drift is Drift.NOT_CHECKED:
        return _("Asked on %(first)s and on %(last)s, on no item twice: drift is unknown.") % words
    compared = _("Asked on %(first)s and again on %(last)s; the same items are compared.") % words
    if later.check.residual.low is None:
        return compared
    wider = _(
        "The interval of this line is one of %(confidence)s, so that all criteria hold at once."
    )
    return f"{compared} {wider % {'confidence': f'{100 * later.check.confidence:.1f} %'}}"


def percent(share: float) -> str:
    return f"{100 * share:.0f} %"
