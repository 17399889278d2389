"""What the trust pages show: a verdict on each judge and criterion, and the lines it rests on."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property

from django.urls import reverse
from django.utils.formats import date_format
from django.utils.functional import Promise
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from analytics.agreement.numbers import CriterionLine, Kind
from analytics.policies.loading import CriterionRules, Policy
from analytics.present.charts import strips
from analytics.present.words import Figure, Footnoted, Footnotes, figure, method_names, number
from analytics.ratings.history import Answerer
from analytics.stats.drift import Drift
from analytics.stats.estimates import Estimate
from analytics.stats.tiers import Tier, Tiering
from analytics.stats.verdicts import (
    Change,
    Line,
    Outcome,
    Reason,
    Topic,
    TrustCard,
    Verdict,
    trust_card,
)
from analytics.trust import numbers as trust
from analytics.trust import policies
from analytics.trust.numbers import Known, Later, Measured, TrustReport
from analytics.trust.policies import TOPICS, Held, PolicyChoice, Rendered
from annotation.models import Study
from annotation.queries.wording import said
from judging.models import Judge
from judging.queries.wording import asked_how

_VERDICTS: Mapping[Verdict, tuple[Promise, str, Promise]] = {
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
_OUTCOMES: Mapping[Outcome, tuple[Promise, str]] = {
    Outcome.MET: (gettext_lazy("Met"), "badge--done"),
    Outcome.MET_CALIBRATED: (gettext_lazy("Met once calibrated"), "badge--part"),
    Outcome.SHORT: (gettext_lazy("Falls short"), "badge--waiting"),
    Outcome.RULED_OUT: (gettext_lazy("Ruled out"), "badge--bad"),
    Outcome.OPEN: (gettext_lazy("Undecided"), "badge--alert"),
}
_TIERS: Mapping[Tier, Promise] = {
    Tier.GOOD: gettext_lazy("good"),
    Tier.MODERATE: gettext_lazy("moderate"),
    Tier.POOR: gettext_lazy("poor"),
}


_CHANGES: Mapping[Change, Promise] = {
    Change.LLM: gettext_lazy("another LLM"),
    Change.FINGERPRINT: gettext_lazy("another configuration"),
}
_NEXT_STEPS: Mapping[tuple[Topic, Reason], Promise] = {
    (Topic.DATA, Reason.TOO_FEW_ITEMS): gettext_lazy("See the page Plan for how many it takes."),
    (Topic.SENSITIVITY, Reason.TOO_FEW_POSITIVES): gettext_lazy(
        "See the page Plan for how many it takes."
    ),
    (Topic.CEILING, Reason.NOT_MEASURED): gettext_lazy("Have several people rate the same items."),
    (Topic.ALTERNATIVE, Reason.NOT_MEASURED): gettext_lazy(
        "Have several people rate the same items."
    ),
    (Topic.REPEATABILITY, Reason.NOT_MEASURED): gettext_lazy(
        "Run the judge again on the same items."
    ),
    (Topic.DRIFT, Reason.MAY_HAVE_DRIFTED): gettext_lazy("Run the judge again on more items."),
    (Topic.ENDPOINT, Reason.OTHER_LLM): gettext_lazy(
        "Start a judge under the exact name of the LLM."
    ),
    (Topic.ENDPOINT, Reason.OTHER_FINGERPRINT): gettext_lazy(
        "Run the judge again on the same items."
    ),
}


class NoSuchCard(Exception):
    """There is no such judge or criterion."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """One judge on one criterion: the verdict, or the tier of a policy of tiers.

    `leading` is the figure of agreement in words, `because` the lines that are not met, by outcome;
    `flag` says that somebody else answers now.
    """

    judge: int
    judge_name: str
    label: str
    badge: str
    leading: str
    because: tuple[str, ...]
    is_expired: bool
    flag: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One criterion; a cell is None where the judge has not rated it."""

    key: str
    name: str
    cells: tuple[Cell | None, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class TierRow:
    """The source study's tier of one judge and criterion, and how firm it is."""

    criterion: str
    judge: str
    tier: str
    name: str
    icc: str
    interval: str
    width: str
    flips: str
    widths: str
    n_systems: int
    drawing: SafeString


@dataclass(frozen=True, kw_only=True)
class Grid:
    """The verdicts on all judges and criteria under one policy."""

    report: TrustReport
    held: Held
    study: Study

    @property
    def computed_at(self) -> datetime:
        return self.report.computed_at

    @cached_property
    def policies(self) -> list[PolicyChoice]:
        return policies.choices(self.study, self.held)

    @cached_property
    def rules(self) -> Rendered:
        return policies.rendered(self.held.policy, self.report.criteria)

    @cached_property
    def judges(self) -> list[tuple[int, str]]:
        asked = {known.judge for known in self.report.known}
        return [(one.id, one.name) for one in self.report.raters if one.id in asked]

    @property
    def rows(self) -> list[Row]:
        return [
            Row(
                key=line.key,
                name=said(line.name),
                cells=tuple(self._cell(line, judge, name) for judge, name in self.judges),
            )
            for line in self.report.criteria
        ]

    @property
    def summary(self) -> list[tuple[str, str, int]]:
        """(verdict, badge, how many cells), in the order of the verdicts."""
        if self.held.policy.tiers:
            return []
        cards = [
            card_of(known, self._line(known.criterion), self.held.policy)
            for known in self.report.known
        ]
        return [
            (str(label), badge, sum(card.verdict is verdict for card in cards if card))
            for verdict, (label, badge, _about) in _VERDICTS.items()
        ]

    @property
    def tiers(self) -> list[TierRow]:
        names = dict(self.judges)
        return [
            _tier_row(known.tiering, said(self._line(known.criterion).name), names[known.judge])
            for known in self.report.known
            if known.tiering
        ]

    @property
    def flips(self) -> str:
        """How many tiers would not be the same with every seed."""
        tiers = [known.tiering for known in self.report.known if known.tiering]
        loose = sum(one.flips > 0 for one in tiers)
        words = {"n": loose, "of": len(tiers), "seeds": tiers[0].n_seeds if tiers else 0}
        return (
            ngettext(
                "%(n)s of %(of)s tiers is another with at least one of %(seeds)s other seeds.",
                "%(n)s of %(of)s tiers are others with at least one of %(seeds)s other seeds.",
                loose,
            )
            % words
        )

    def _line(self, key: str) -> CriterionLine:
        return next(line for line in self.report.criteria if line.key == key)

    def _cell(self, line: CriterionLine, judge: int, name: str) -> Cell | None:
        known = _known(self.report, line.key, judge)
        if known is None:
            return None
        if self.held.policy.tiers:
            return _tier_cell(known, name, flag=_flag(known, line, self.held.policy))
        card = card_of(known, line, self.held.policy)
        if card is None:
            return None
        label, badge, _about = _VERDICTS[card.verdict]
        return Cell(
            judge=judge,
            judge_name=name,
            label=str(label),
            badge=badge,
            leading=_said_leading(card),
            because=tuple(_because(card)),
            is_expired=card.is_expired,
            flag="" if card.is_expired else _flag(known, line, self.held.policy),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class LineShown:
    """One line of a card as it is read: number, interval, n, bar, outcome, reason, what to do about
    it, and where the number comes from."""

    topic: str
    outcome: str
    badge: str
    reason: str
    next_step: str
    is_open: bool
    figure: Figure | None
    value: str
    asked: str
    drawing: SafeString | str
    address: str
    link: str


@dataclass(frozen=True, kw_only=True)
class CardPage(Footnoted):
    """One judge on one criterion, line by line."""

    report: TrustReport
    held: Held
    study: Study
    line: CriterionLine
    known: Known
    judge_key: str
    judge_name: str

    @property
    def computed_at(self) -> datetime:
        return self.report.computed_at

    @property
    def criterion(self) -> str:
        return self.line.key

    @property
    def criterion_name(self) -> str:
        return said(self.line.name)

    @cached_property
    def card(self) -> TrustCard | None:
        return card_of(self.known, self.line, self.held.policy)

    @property
    def verdict(self) -> str:
        """Empty where there is no card, as are the badge and what it is about."""
        return verdict_name(self.card.verdict) if self.card else ""

    @property
    def badge(self) -> str:
        return _VERDICTS[self.card.verdict][1] if self.card else ""

    @property
    def about(self) -> str:
        return str(_VERDICTS[self.card.verdict][2]) if self.card else ""

    @property
    def before_expiry(self) -> str:
        """What the verdict was, had the judge not moved; empty where it has not."""
        if not self.card or not self.card.is_expired:
            return ""
        steady = card_of(replace(self.known, later=None, answerers=()), self.line, self.held.policy)
        return verdict_name(steady.verdict) if steady else ""

    @property
    def measured_by(self) -> str:
        """Empty where nobody else has rated, or where nothing is asked."""
        applied = _applied(self.known, self.line, self.held.policy)
        if applied is None:
            return ""
        measured, _rules = applied
        return _("gold") if measured.is_gold else _("people")

    @property
    def edition(self) -> str:
        """Which edition of the judge this is about: its LLM and how that is asked."""
        judge = Judge.objects.filter(rater=self.known.judge).first()
        if judge is None:
            return _("Imported: its settings are not known here.")
        return "; ".join([judge.llm, *asked_how(judge)])

    @property
    def fixed_beforehand(self) -> str:
        """How many answers of the judge were in when the rules were fixed; empty in a preview."""
        if self.held.fixed is None or self.held.is_preview:
            return ""
        n = policies.n_answers_before(self.study, self.known.judge, self.held.fixed.at)
        if not n:
            return _("Yes: no answer of this judge was in when the rules were fixed.")
        late = ngettext(
            "No: %(n)s answer of this judge was in when the rules were fixed.",
            "No: %(n)s answers of this judge were in when the rules were fixed.",
            n,
        )
        return late % {"n": f"{n:,}"}

    @property
    def drift(self) -> str:
        return _said_drift(self.known.later)

    @property
    def answerers(self) -> tuple[Answerer, ...]:
        return self.known.answerers

    @property
    def change(self) -> Change | None:
        return _change(self.known, self.line, self.held.policy)

    @property
    def change_in_words(self) -> str:
        return _said_change(self.known, self.change)

    @property
    def is_a_proof(self) -> bool:
        """Whether another LLM has answered: another configuration is a hint."""
        return self.change is Change.LLM

    @property
    def tiers(self) -> list[TierRow]:
        """The one tier of this judge and criterion, where it has any."""
        found = self.known.tiering
        return [_tier_row(found, self.criterion_name, self.judge_name)] if found else []

    @property
    def methods(self) -> list[str]:
        lines = self.card.lines if self.card else ()
        return method_names(
            {line.estimate.method for line in lines if line.estimate and line.estimate.method}
        )

    @cached_property
    def lines(self) -> list[LineShown]:
        applied = _applied(self.known, self.line, self.held.policy)
        if applied is None or self.card is None:
            return []
        return [self._shown(line, *applied) for line in self.card.lines]

    def _shown(self, line: Line, measured: Measured, rules: CriterionRules) -> LineShown:
        label, badge = _OUTCOMES[line.outcome]
        estimate = _renamed(line)
        shown = figure(estimate, self.footnotes) if estimate else None
        address, link = self._source(line, measured)
        return LineShown(
            topic=str(TOPICS[line.topic]),
            outcome=str(label),
            badge=badge,
            reason=_(line.reason.sentence),
            next_step=str(_NEXT_STEPS.get((line.topic, line.reason), "")),
            is_open=line.outcome is Outcome.OPEN,
            figure=None if line.topic is Topic.DATA else shown,
            value=_said_value(line, self.known),
            asked=policies.asked(self.held.policy, self.line.measurement, line.topic),
            drawing=_drawn(line, estimate, rules, shown),
            address=address,
            link=link,
        )

    def _source(self, line: Line, measured: Measured) -> tuple[str, str]:
        """Where the number of a line comes from: (address, its name)."""
        kind = Kind.JUDGE_GOLD if measured.is_gold else Kind.JUDGE_HUMANS
        if line.outcome is Outcome.MET_CALIBRATED:
            return self._address("agreement_calibration"), _("Calibration")
        match line.topic:
            case Topic.UNSCORED:
                return self._address("agreement_overview"), _("Overview")
            case Topic.CEILING | Topic.ALTERNATIVE:
                return self._address("agreement_judge", judge=self.judge_key), _("Judge")
            case Topic.SENSITIVITY:
                return (
                    f"{self._address('agreement_safety')}?criterion={self.criterion}",
                    _("Safety"),
                )
            case Topic.REPEATABILITY if self.known.repeats:
                return self._comparison(Kind.JUDGE_REPEATS), _("Repeats")
            case Topic.REPEATABILITY | Topic.DRIFT | Topic.ENDPOINT:
                return self._address("judges"), _("Runs of judges")
        return self._comparison(kind), _("All statistics and the table")

    def _comparison(self, kind: Kind) -> str:
        return self._address(
            "agreement_comparison",
            criterion=self.criterion,
            kind=kind.value,
            raters=str(self.known.judge),
        )

    def _address(self, name: str, **named: str) -> str:
        return reverse(name, kwargs={"key": self.study.key, **named})


def card_page(
    report: TrustReport, held: Held, *, study: Study, criterion: str, judge: int
) -> CardPage:
    """The card of one judge on one criterion; NoSuchCard."""
    line = next((one for one in report.criteria if one.key == criterion), None)
    known = _known(report, criterion, judge)
    if line is None or known is None:
        raise NoSuchCard
    rater = next(one for one in report.raters if one.id == judge)
    return CardPage(
        report=report,
        held=held,
        study=study,
        line=line,
        known=known,
        judge_key=rater.key,
        judge_name=rater.name,
    )


def verdict_name(verdict: Verdict) -> str:
    return str(_VERDICTS[verdict][0])


def outcome_name(outcome: Outcome) -> str:
    return str(_OUTCOMES[outcome][0])


def tier_name(tier: Tier) -> str:
    return str(_TIERS[tier])


def card_of(known: Known, line: CriterionLine, policy: Policy) -> TrustCard | None:
    """The card under a policy; None under one of tiers, or where nobody else has rated."""
    applied = _applied(known, line, policy)
    if applied is None:
        return None
    measured, rules = applied
    return trust_card(
        trust.evidence(known, measured, rules), policy.rules(line.measurement, line.key)
    )


def _applied(
    known: Known, line: CriterionLine, policy: Policy
) -> tuple[Measured, CriterionRules] | None:
    """Whom the judge is measured by and the rules of the criterion."""
    rules = policy.by_level.get(line.measurement)
    if rules is None:
        return None
    measured = trust.measured_by(known, rules.least_items, rules.statistic)
    return None if measured is None else (measured, rules)


def _known(report: TrustReport, criterion: str, judge: int) -> Known | None:
    return next(
        (one for one in report.known if (one.criterion, one.judge) == (criterion, judge)), None
    )


def _renamed(line: Line) -> Estimate | None:
    """The estimate under the name of what it says here."""
    if line.estimate is None or line.topic is not Topic.CEILING:
        return line.estimate
    return replace(line.estimate, statistic="difference")


def _said_value(line: Line, known: Known) -> str:
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


def _said_leading(card: TrustCard) -> str:
    leading = next(line.estimate for line in card.lines if line.topic is Topic.DATA)
    if leading is None:
        return ""
    shown = figure(leading, Footnotes())
    words = {"name": shown.name, "value": shown.text, "n": shown.n}
    return _("%(name)s: %(value)s; %(n)s") % words


def _because(card: TrustCard) -> Iterator[str]:
    """The lines that are not simply met, those of an outcome together."""
    for outcome in (Outcome.RULED_OUT, Outcome.SHORT, Outcome.OPEN, Outcome.MET_CALIBRATED):
        names = [str(TOPICS[line.topic]) for line in card.lines if line.outcome is outcome]
        if names:
            words = {"outcome": _OUTCOMES[outcome][0], "lines": ", ".join(names)}
            yield _("%(outcome)s: %(lines)s") % words


def _change(known: Known, line: CriterionLine, policy: Policy) -> Change | None:
    rules = policy.by_level.get(line.measurement)
    return trust.change_of(known, rules.drift_margin if rules else None)


def _flag(known: Known, line: CriterionLine, policy: Policy) -> str:
    change = _change(known, line, policy)
    return str(_CHANGES.get(change, "")) if change else ""


def _said_change(known: Known, change: Change | None) -> str:
    """Who answered, and whether that is a proof or a hint that the judge is no longer the same."""
    match change:
        case None:
            return _("Nothing says which LLM answered.")
        case Change.LLM:
            return _said_other_llm(known.answerers)
        case Change.FINGERPRINT:
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


def _drawn(
    line: Line, estimate: Estimate | None, rules: CriterionRules, shown: Figure | None
) -> SafeString | str:
    """The interval over the stretch between the bars, or within the margin."""
    stretch = _stretch(line, rules)
    if stretch is None or estimate is None or estimate.value is None or shown is None:
        return ""
    low, high = stretch
    band = replace(estimate, value=low, low=low, high=high)
    return strips.strip(
        estimate,
        strips.axis_for([estimate, band], low=min(low, 0.0), high=max(high, 0.0)),
        says=f"{TOPICS[line.topic]}: {shown.text}",
        band=band,
    )


def _stretch(line: Line, rules: CriterionRules) -> tuple[float, float] | None:
    """From bar to bar, or the margin; None for a line that has neither."""
    margins = {
        Topic.BIAS: rules.bias_margin,
        Topic.CEILING: rules.ceiling_margin,
        Topic.DRIFT: rules.drift_margin,
    }
    if line.topic in margins:
        margin = margins[line.topic] or 0.0
        return -margin, 0.0 if line.topic is Topic.CEILING else margin
    bar = policies.bar_of(line.topic, rules)
    return (min(bar.trusted, bar.unusable), max(bar.trusted, bar.unusable)) if bar else None


def _said_drift(later: Later | None) -> str:
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


def _tier_cell(known: Known, name: str, *, flag: str) -> Cell | None:
    found = known.tiering
    if found is None:
        return None
    words = {"width": number(found.high - found.low, "icc_c1", 3), "flips": _percent(found.flips)}
    return Cell(
        judge=known.judge,
        judge_name=name,
        label=f"{found.tier.value} · {_TIERS[found.tier]}",
        badge="badge--plain",
        leading="",
        because=(_("width %(width)s; another tier with %(flips)s of seeds") % words,),
        is_expired=False,
        flag=flag,
    )


def _tier_row(found: Tiering, criterion: str, judge: str) -> TierRow:
    width = found.high - found.low
    words = {
        "low": number(found.low, "icc_c1"),
        "high": number(found.high, "icc_c1"),
        "narrowest": number(found.narrowest, "icc_c1", 3),
        "widest": number(found.widest, "icc_c1", 3),
    }
    return TierRow(
        criterion=criterion,
        judge=judge,
        tier=found.tier.value,
        name=str(_TIERS[found.tier]),
        icc=number(found.icc_c1, "icc_c1") or "",
        interval=_("%(low)s to %(high)s") % words,
        width=number(width, "icc_c1", 3) or "",
        flips=_percent(found.flips),
        widths=_("%(narrowest)s to %(widest)s") % words,
        n_systems=found.n_systems,
        drawing=_tier_drawing(found, width, criterion, judge),
    )


def _tier_drawing(found: Tiering, width: float, criterion: str, judge: str) -> SafeString:
    """Widths with other seeds over the stretch of the moderate tier."""
    shown = Estimate(
        statistic="icc_c1",
        value=width,
        low=found.narrowest,
        high=found.widest,
        n_items=found.n_systems,
        n_pairs=found.n_systems,
        n_clusters=found.n_systems,
        n_raters=2,
    )
    policy = found.policy
    band = replace(shown, value=None, low=policy.good_width, high=policy.moderate_width)
    words = {
        "criterion": criterion,
        "judge": judge,
        "tier": _TIERS[found.tier],
        "flips": _percent(found.flips),
    }
    says = _("%(criterion)s, %(judge)s: %(tier)s; another tier with %(flips)s of seeds") % words
    return strips.strip(shown, strips.axis_for([]), says=says, band=band)


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"
