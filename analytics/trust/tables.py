"""Verdicts on judges under the policy of the study, the lines they rest on, and published tiers."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime

from django.utils.formats import date_format
from django.utils.timezone import localtime
from django.utils.translation import gettext as _

from accounts.punctuation import bracketed, labelled, listed, running
from analytics.agreement.numbers import CriterionLine
from analytics.comparisons.kinds import Kind
from analytics.policies.loading import CriterionRules
from analytics.present.basis import TableBasis
from analytics.present.charts import strips
from analytics.present.naming import Naming
from analytics.present.tables import (
    Column,
    Dressed,
    Line,
    Plain,
    Table,
    Told,
    by_judge,
    count,
    table,
)
from analytics.present.words import as_difference, number, percent, told
from analytics.stats.estimates import Estimate
from analytics.stats.reasons import LineOutcome
from analytics.stats.tiers import Tiering
from analytics.stats.verdicts import CardLine, Topic, TrustCard
from analytics.trust import numbers as trust
from analytics.trust.numbers import Known, ReferenceTier, TrustReport
from analytics.trust.policies import TOPICS, Held, asked, bar_of, rendered
from analytics.trust.words import (
    NEXT_STEPS,
    OUTCOMES,
    TIERS,
    VERDICTS,
    because,
    flag,
    n_missed,
    said_basis,
    said_leading,
    said_missed,
    said_reference,
    said_smallest,
    said_unrounded,
    said_use,
    said_value,
    tier_name,
    verdict_name,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Judged:
    """A judge on a criterion, and its card."""

    known: Known
    line: CriterionLine
    card: TrustCard
    reference: ReferenceTier

    @property
    def is_gold(self) -> bool:
        return self.reference.is_gold


def tables(basis: TableBasis) -> Iterator[Table]:
    """Every table of this part; under a policy of tiers there are no verdicts."""
    report: TrustReport = basis.report
    naming, held = basis.naming, basis.held
    yield glance(report, naming, held)
    yield misses(report, naming, held)
    yield verdicts(report, naming, held)
    yield lines(report, naming, held)
    yield tiers(report, naming)
    yield rules(report, held)
    yield answerers(report, naming)


def _judged(report: TrustReport, held: Held) -> list[_Judged]:
    by_key = {line.key: line for line in report.criteria}
    return [
        _Judged(known=known, line=line, card=card, reference=measured[0].reference)
        for known in report.known
        for line in [by_key[known.criterion]]
        if (card := trust.card_of(known, line, held.policy))
        and (measured := trust.applied(known, line, held.policy))
    ]


def glance(report: TrustReport, naming: Naming, held: Held) -> Table:
    """A column a judge: the verdict, or the tier of a policy of tiers, and what it comes from."""
    known = {(one.criterion, one.judge): one for one in report.known}
    judges = dict.fromkeys(judge for _criterion, judge in known)
    return table(
        "trust_glance",
        _("Verdicts at a glance"),
        _("Under the policy “%(policy)s”.") % {"policy": held.title},
        about=[Column("criterion", _("Criterion"))],
        columns=[
            Column(str(name.exact), name.text, is_words=True) for name in map(naming.rater, judges)
        ],
        lines=(
            Line(
                about=(naming.criterion(line.key),),
                values=tuple(
                    _at_a_glance(one, line, naming, held) or Plain(_("not rated"), None)
                    for judge in judges
                    for one in [known.get((line.key, judge))]
                ),
            )
            for line in report.criteria
            if known
        ),
        is_for_screen=True,
    )


def _at_a_glance(
    one: Known | None, line: CriterionLine, naming: Naming, held: Held
) -> Dressed | None:
    if one is None:
        return None
    link = naming.link(
        "agreement_trust_card",
        {"policy": held.policy.key} if held.is_preview else {},
        criterion=one.criterion,
        judge_id=one.judge,
    )
    warning = flag(one, line, held.policy)
    if held.policy.tiers:
        return _tier_at_a_glance(one.tiering, link, warning) if one.tiering else None
    card = trust.card_of(one, line, held.policy)
    if card is None:
        return None
    label, badge, _about = VERDICTS[card.verdict]
    words = str(label)
    if card.is_expired:
        words, badge, warning = _("%(verdict)s, expired") % {"verdict": label}, "bad", ""
    return Dressed(
        value=Plain(words, card.verdict.value),
        link=link,
        badge=badge.removeprefix("badge--"),
        small="\n".join(filter(None, (warning, said_leading(card), *because(card)))),
    )


def _tier_at_a_glance(found: Tiering, link: str, warning: str) -> Dressed:
    words = {"width": number(found.high - found.low, "icc_c1", 3), "flips": percent(found.flips)}
    width = _("width %(width)s; another tier with %(flips)s of seeds") % words
    return Dressed(
        value=Plain(f"{found.tier.value} · {TIERS[found.tier]}", found.tier.value),
        link=link,
        badge="plain",
        small="\n".join(filter(None, (warning, width))),
    )


def misses(report: TrustReport, naming: Naming, held: Held) -> Table:
    """How many of the items that are flagged each judge misses, and the share that it finds."""
    return table(
        "trust_misses",
        _("Flagged items that a judge misses"),
        _("On the criteria on which the policy “%(policy)s” asks that flagged items are found.")
        % {"policy": held.title},
        about=by_judge(),
        columns=[Column("missed", _("Missed"), is_field=True), Column("sensitivity", _("Finds"))],
        lines=(
            Line(
                about=_of(naming, known),
                values=(
                    Dressed(
                        value=Plain(said_missed(found), n_missed(found)),
                        link=naming.link(
                            "agreement_safety_items",
                            criterion=known.criterion,
                            judge_id=known.judge,
                            which="missed",
                        ),
                    ),
                    found,
                ),
                made_of=(n_missed(found), found.n_items - n_missed(found)),
            )
            for known, found in trust.found_of_flagged(report, held.policy)
        ),
        is_for_screen=True,
    )


def verdicts(report: TrustReport, naming: Naming, held: Held) -> Table:
    """What the rules say of each judge, and because of which lines."""
    return table(
        "trust",
        _("Verdicts on judges"),
        _(
            "Under the policy “%(policy)s”: every line of it has to be met by the whole interval "
            "of its figure. The lines named are those that the verdict rests on."
        )
        % {"policy": held.title},
        about=by_judge(),
        columns=[
            Column("verdict", _("Verdict"), is_words=True),
            Column("because", _("Because of"), is_words=True),
            Column("measured_by", _("Measured by"), is_words=True),
            Column("rests_on", _("Rests on"), is_words=True),
            Column("use", _("What it may be used for"), is_words=True),
            Column("expired", _("Expired"), is_words=True),
        ],
        lines=(
            Line(
                about=_of(naming, one.known),
                values=(
                    Plain(verdict_name(one.card.verdict), one.card.verdict.value),
                    Plain(
                        listed(str(TOPICS[line.topic]) for line in one.card.decisive),
                        " ".join(line.topic.value for line in one.card.decisive),
                    ),
                    _measured_by(one),
                    Plain(said_basis(one.known, report), one.known.rests_on(report).value),
                    Plain(said_use(one.card.verdict), one.card.verdict.value),
                    Plain(_("yes"), True) if one.card.is_expired else None,
                ),
            )
            for one in _judged(report, held)
        ),
    )


def _measured_by(one: _Judged) -> Plain:
    return Plain(said_reference(one.reference), "gold" if one.is_gold else "people")


def lines(report: TrustReport, naming: Naming, held: Held) -> Table:
    """Each line of each card: its figure, what is asked, and the outcome."""
    return table(
        "trust_lines",
        _("What the verdicts rest on"),
        _("Each line of the policy “%(policy)s”: its figure, what is asked, and the outcome.")
        % {"policy": held.title},
        about=[*by_judge(), Column("line", _("Line"))],
        columns=[
            Column("outcome", _("Outcome"), is_words=True),
            Column("figure", _("Figure")),
            Column("asked", _("The rules ask"), is_words=True),
            Column("why", _("Why"), is_words=True),
        ],
        lines=(
            Line(
                about=(*_of(naming, one.known), Plain(str(TOPICS[line.topic]), line.topic.value)),
                values=(
                    _outcome(line),
                    _figure(held, one, line, naming),
                    _asked(held, one, line),
                    _why(one, line, naming),
                ),
                made_of=trust.made_of(one.known, one.line, held.policy),
            )
            for one in _judged(report, held)
            for line in one.card.lines
        ),
    )


def _outcome(line: CardLine) -> Dressed:
    label, badge = OUTCOMES[line.outcome]
    return Dressed(value=Plain(str(label), line.outcome.value), badge=badge.removeprefix("badge--"))


def _figure(held: Held, one: _Judged, line: CardLine, naming: Naming) -> Told:
    """The figure over the stretch between the bars; words where it has no interval."""
    if words := said_value(line, one.known):
        exact = line.estimate.n_items if line.topic is Topic.DATA and line.estimate else line.value
        return Plain(words, words if exact is None else exact)
    if line.estimate is None:
        return Plain(_("not measured"), None)
    estimate = as_difference(line.estimate) if line.topic is Topic.CEILING else line.estimate
    rules = trust.applied(one.known, one.line, held.policy)
    if not naming.study or estimate.value is None or rules is None:
        return estimate
    low, high = _stretch(line, rules[1])
    band = replace(estimate, value=low, low=low, high=high)
    axis = strips.axis_for([estimate, band], low=min(low, 0.0), high=max(high, 0.0))
    says = labelled(TOPICS[line.topic], told(estimate))
    return Dressed(value=estimate, drawing=strips.strip(estimate, axis, says=says, band=band))


def _stretch(line: CardLine, rules: CriterionRules) -> tuple[float, float]:
    """From the bar of use to the bar of trust, or within the margin."""
    margins = {
        Topic.BIAS: rules.bias_margin,
        Topic.CEILING: rules.ceiling_margin,
        Topic.DRIFT: rules.drift_margin,
    }
    if line.topic in margins:
        margin = margins[line.topic] or 0.0
        return -margin, 0.0 if line.topic is Topic.CEILING else margin
    bar = bar_of(line.topic, rules)
    if bar is None:
        return 0.0, 0.0
    return min(bar.trusted, bar.unusable), max(bar.trusted, bar.unusable)


def _why(one: _Judged, line: CardLine, naming: Naming) -> Dressed:
    """The reason and what to do about it, with the way to where the figure comes from."""
    step = NEXT_STEPS.get((line.topic, line.reason), "")
    said = (_(line.reason.sentence), said_unrounded(line), said_smallest(line), str(step))
    said_why = running(filter(None, said))
    return Dressed(value=Plain(said_why, line.reason.value), link=_source(one, line, naming))


def _source(one: _Judged, line: CardLine, naming: Naming) -> str:
    """Where the number of a line comes from."""
    criterion = {"criterion": one.known.criterion}
    if line.outcome is LineOutcome.MET_CALIBRATED:
        return naming.link("agreement_calibration", criterion)
    match line.topic:
        case Topic.UNSCORED:
            return naming.link("agreement_overview")
        case Topic.CEILING | Topic.ALTERNATIVE:
            return naming.link("agreement_judge", judge=naming.rater(one.known.judge).exact)
        case Topic.SENSITIVITY:
            return naming.link("agreement_safety", criterion)
        case Topic.REPEATABILITY if one.known.repeats:
            return _comparison(one, Kind.JUDGE_REPEATS, naming)
        case Topic.REPEATABILITY | Topic.DRIFT | Topic.ENDPOINT:
            return naming.link("judges")
    return _comparison(one, Kind.JUDGE_GOLD if one.is_gold else Kind.JUDGE_HUMANS, naming)


def _comparison(one: _Judged, kind: Kind, naming: Naming) -> str:
    return naming.link(
        "agreement_comparison",
        criterion=one.known.criterion,
        kind=kind.value,
        raters=str(one.known.judge),
    )


def _asked(held: Held, one: _Judged, line: CardLine) -> Plain:
    words = asked(held.policy, one.line.measurement, line.topic)
    return Plain(words or "–", words)


def tiers(report: TrustReport, naming: Naming) -> Table:
    """The tiers that a published study would print, and how firm they are."""
    return table(
        "trust_tiers",
        _("Tiers of a published study"),
        _(
            "Badawi et al. (2025) grade the width of the bootstrap interval of ICC(C,1) between "
            "means of generators: good (GR) up to 0.355, moderate (MR) up to 0.560, else poor "
            "(PR); the level of agreement plays no part. Another tier: share of other seeds that "
            "give one."
        ),
        about=by_judge(),
        columns=[
            Column("tier", _("Tier"), is_words=True),
            Column("icc_c1", _("ICC(C,1)")),
            Column("low", _("Lower limit")),
            Column("high", _("Upper limit")),
            Column("width", _("Width")),
            Column("flips", _("Another tier")),
            Column("narrowest", _("Least width")),
            Column("widest", _("Greatest width")),
            Column("systems", _("Generators")),
        ],
        lines=(
            Line(about=_of(naming, known), values=_of_tier(known.tiering, naming))
            for known in report.known
            if known.tiering
        ),
    )


def _of_tier(found: Tiering, naming: Naming) -> tuple[Told, ...]:
    return (
        Plain(bracketed(found.tier.value, tier_name(found.tier)), found.tier.value),
        *(
            Plain(number(value, "icc_c1", 3) or "", value)
            for value in (found.icc_c1, found.low, found.high)
        ),
        _width(found, naming),
        Plain(number(found.flips, "exact") or "", found.flips),
        *(
            Plain(number(value, "icc_c1", 3) or "", value)
            for value in (found.narrowest, found.widest)
        ),
        count(found.n_systems),
    )


def _width(found: Tiering, naming: Naming) -> Told:
    """The width of the interval; drawn with those of other seeds over the moderate tier."""
    width = found.high - found.low
    words = Plain(number(width, "icc_c1", 3) or "", width)
    if not naming.study:
        return words
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
    band = replace(shown, value=None, low=found.policy.good_width, high=found.policy.moderate_width)
    named = {"tier": tier_name(found.tier), "flips": percent(found.flips)}
    says = _("%(tier)s; another tier with %(flips)s of seeds") % named
    return Dressed(
        value=words, drawing=strips.strip(shown, strips.axis_for([]), says=says, band=band)
    )


def _of(naming: Naming, known: Known) -> tuple[Plain, Plain]:
    return naming.criterion(known.criterion), naming.rater(known.judge)


def rules(report: TrustReport, held: Held) -> Table:
    """What the policy in view asks, a column a kind of criteria."""
    asked_for = rendered(held.policy, report.criteria)
    return table(
        "trust_rules",
        _("What “%(title)s” asks") % {"title": held.title},
        " ".join(asked_for.notes),
        about=[Column("line", _("Line"))],
        columns=[
            Column(f"criteria_{place}", head, is_words=True)
            for place, head in enumerate(asked_for.heads, start=1)
        ],
        lines=(
            Line(
                about=(Plain(name, name),),
                values=tuple(Plain(words, words) if words else None for words in cells),
            )
            for name, cells in asked_for.rows
        ),
    )


def fixings(naming: Naming, held: Held) -> Table:
    """Which rules held since when; for pages alone, as it names people."""
    return table(
        "trust_fixings",
        _("Which rules held since when"),
        "",
        about=[Column("fixed", _("Fixed"))],
        columns=[
            Column("rules", _("Rules"), is_words=True),
            Column("by", _("By"), is_words=True),
            Column("judged", _("Judges’ ratings of items then")),
            Column("sha256", "SHA-256", is_words=True),
        ],
        lines=(
            Line(
                about=(_moment(one.at),),
                values=(
                    Dressed(
                        value=Plain(one.title, one.key),
                        link=naming.link("agreement_trust_policy_file", policy=one.key),
                    ),
                    Plain(one.by, one.by),
                    count(one.n_judged),
                    Plain(f"{one.sha256[:12]}…", one.sha256),
                ),
            )
            for one in held.fixings
        ),
    )


def answerers(report: TrustReport, naming: Naming) -> Table:
    """Who answered as a judge, by the account of the endpoint."""
    return table(
        "trust_answerers",
        _("Who answered"),
        _(
            "By the endpoint’s own account, which comes with every answer. Another LLM is another "
            "judge. Another configuration (system fingerprint) of the same LLM may or may not "
            "answer otherwise."
        ),
        about=[*by_judge(), Column("llm", _("LLM"))],
        columns=[
            Column("fingerprint", _("System fingerprint"), is_words=True),
            Column("first", _("First answer"), is_words=True),
            Column("last", _("Last answer"), is_words=True),
            Column("answers", _("Answers")),
            Column("in_figures", _("In the figures")),
        ],
        lines=(
            Line(
                about=(*_of(naming, known), Plain(one.llm, one.llm)),
                values=(
                    Plain(one.fingerprint or "—", one.fingerprint),
                    _moment(one.first_at),
                    _moment(one.last_at),
                    count(one.n_answers),
                    count(0 if (one.llm, one.fingerprint) in known.apart else one.n_first),
                ),
            )
            for known in report.known
            for one in known.answerers
        ),
        is_for_screen=True,
    )


def _moment(at: datetime) -> Plain:
    return Plain(date_format(localtime(at), "DATETIME_FORMAT"), at.isoformat())
