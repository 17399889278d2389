"""Verdicts on judges under the policy of the study, the lines they rest on, and published tiers."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _

from analytics.agreement.numbers import CriterionLine
from analytics.present.naming import Naming
from analytics.present.tables import Column, Line, Plain, Table, Value, by_judge, count, table
from analytics.present.words import as_difference, number, size
from analytics.stats.tiers import Tiering
from analytics.stats.verdicts import Line as CardLine
from analytics.stats.verdicts import Topic, TrustCard
from analytics.trust import numbers as trust
from analytics.trust.numbers import Known, TrustReport
from analytics.trust.page import card_of, outcome_name, tier_name, verdict_name
from analytics.trust.policies import TOPICS, Held, asked


@dataclass(frozen=True, slots=True, kw_only=True)
class _Judged:
    """A judge on a criterion, and its card."""

    known: Known
    line: CriterionLine
    card: TrustCard


def tables(report: TrustReport, naming: Naming, held: Held) -> Iterator[Table]:
    """Every table of this part; under a policy of tiers there are no verdicts."""
    lines = {line.key: line for line in report.criteria}
    judged = [
        _Judged(known=known, line=line, card=card)
        for known in report.known
        for line in [lines[known.criterion]]
        if (card := card_of(known, line, held.policy))
    ]
    yield _verdicts(naming, held, judged)
    yield _lines(naming, held, judged)
    yield _tiers(report, naming)


def _verdicts(naming: Naming, held: Held, judged: Sequence[_Judged]) -> Table:
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
            Column(key="verdict", head=_("Verdict"), is_words=True),
            Column(key="because", head=_("Because of"), is_words=True),
            Column(key="measured_by", head=_("Measured by"), is_words=True),
            Column(key="expired", head=_("Expired"), is_words=True),
        ],
        lines=(
            Line(
                about=_of(naming, one.known),
                values=(
                    Plain(verdict_name(one.card.verdict), one.card.verdict.value),
                    Plain(
                        ", ".join(str(TOPICS[line.topic]) for line in one.card.decisive),
                        " ".join(line.topic.value for line in one.card.decisive),
                    ),
                    _measured_by(held, one),
                    Plain(_("yes"), True) if one.card.is_expired else None,
                ),
            )
            for one in judged
        ),
    )


def _measured_by(held: Held, one: _Judged) -> Plain:
    rules = held.policy.by_level[one.line.measurement]
    measured = trust.measured_by(one.known, rules.least_items, rules.statistic)
    is_gold = measured is not None and measured.is_gold
    return Plain(_("gold"), "gold") if is_gold else Plain(_("people"), "people")


def _lines(naming: Naming, held: Held, judged: Sequence[_Judged]) -> Table:
    return table(
        "trust_lines",
        _("What the verdicts rest on"),
        _("Each line of the policy “%(policy)s”: its figure, what is asked, and the outcome.")
        % {"policy": held.title},
        about=[*by_judge(), Column(key="line", head=_("Line"))],
        columns=[
            Column(key="figure", head=_("Figure")),
            Column(key="asked", head=_("The rules ask"), is_words=True),
            Column(key="outcome", head=_("Outcome"), is_words=True),
        ],
        lines=(
            Line(
                about=(*_of(naming, one.known), Plain(str(TOPICS[line.topic]), line.topic.value)),
                values=(
                    _figure(line),
                    _asked(held, one, line),
                    Plain(outcome_name(line.outcome), line.outcome.value),
                ),
            )
            for one in judged
            for line in one.card.lines
        ),
    )


def _figure(line: CardLine) -> Value:
    if line.topic is Topic.DATA and line.estimate:
        return Plain(size(line.estimate), line.estimate.n_items)
    if line.topic is Topic.ALTERNATIVE and line.value is not None:
        return Plain(f"ω = {number(line.value, 'exact')}", line.value)
    if line.topic is Topic.CEILING and line.estimate:
        return as_difference(line.estimate)
    return line.estimate


def _asked(held: Held, one: _Judged, line: CardLine) -> Plain:
    words = asked(held.policy, one.line.measurement, line.topic)
    return Plain(words or "–", words)


def _tiers(report: TrustReport, naming: Naming) -> Table:
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
            Column(key="tier", head=_("Tier"), is_words=True),
            Column(key="icc_c1", head=_("ICC(C,1)")),
            Column(key="low", head=_("Lower limit")),
            Column(key="high", head=_("Upper limit")),
            Column(key="width", head=_("Width")),
            Column(key="flips", head=_("Another tier")),
            Column(key="narrowest", head=_("Least width")),
            Column(key="widest", head=_("Greatest width")),
            Column(key="systems", head=_("Generators")),
        ],
        lines=(
            Line(about=_of(naming, known), values=_of_tier(known.tiering))
            for known in report.known
            if known.tiering
        ),
    )


def _of_tier(found: Tiering) -> tuple[Plain, ...]:
    return (
        Plain(f"{found.tier.value} ({tier_name(found.tier)})", found.tier.value),
        *(
            Plain(number(value, "icc_c1", 3) or "", value)
            for value in (found.icc_c1, found.low, found.high, found.high - found.low)
        ),
        Plain(number(found.flips, "exact") or "", found.flips),
        *(
            Plain(number(value, "icc_c1", 3) or "", value)
            for value in (found.narrowest, found.widest)
        ),
        count(found.n_systems),
    )


def _of(naming: Naming, known: Known) -> tuple[Plain, Plain]:
    return naming.criterion(known.criterion), naming.rater(known.judge)
