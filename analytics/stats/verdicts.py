"""May a judge be trusted on a criterion? The rules of the trust card, fixed beforehand.

Every line of the card stands for itself: strength in one does not make up for weakness in another,
for a judge that misses a risk is not saved by agreeing elsewhere. A line is met only when the
whole interval is on the good side of its bar, so a judge is not trusted for want of data. Nor is
it spared for want of data: the least numbers guard against trust, and an interval that lies wholly
where no use is allowed decides however few the items are that it comes from. How few they are is
in its width already.

Agreement is read against what these people make possible. A bar denies trust by itself, but it
rules a judge out only together with the people: where a second expert would surely have agreed
better. Two straw men stand beside every judge: one that says the same of every item is of no use
however it scores, and a bar that such a judge would clear certifies nobody.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import StrEnum

from analytics.stats.alternative import PASSING, Domain
from analytics.stats.ceiling import CeilingStanding, UnderCeiling, standing
from analytics.stats.drift import Drift, DriftCheck
from analytics.stats.estimates import Estimate, Note, Severity
from analytics.stats.reasons import LineOutcome, LineReason

NEGLIGIBLE = 0.05


class Verdict(StrEnum):
    """What is known of a judge under the rules; pages say what it may be used for."""

    TRUSTED = "trusted"
    TRUSTED_WITH_CALIBRATION = "trusted with calibration"
    NOT_YET_SHOWN = "not yet shown"
    CANNOT_BE_SHOWN = "cannot be shown with these data"
    SURELY_BELOW = "surely below the bar"
    DO_NOT_USE = "do not use"


class Topic(StrEnum):
    """What a line is about, in the order of the card."""

    DATA = "data"
    UNSCORED = "unscored"
    AGREEMENT = "agreement"
    BIAS = "bias"
    CEILING = "ceiling"
    ALTERNATIVE = "alternative"
    SENSITIVITY = "sensitivity"
    REPEATABILITY = "repeatability"
    DRIFT = "drift"
    ENDPOINT = "endpoint"


class EndpointChange(StrEnum):
    """What a judge's answers say of who gave them: `LLM`, by another name, so another one;
    `FINGERPRINT`, under another configuration, which may or may not answer otherwise;
    `SENTINELS`: it answers the same prompts otherwise, whoever it is."""

    NONE = "none"
    FINGERPRINT = "fingerprint"
    LLM = "llm"
    SENTINELS = "sentinels"


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    """Two thresholds of one figure; the good side is that of `trusted`, seen from `unusable`."""

    trusted: float
    unusable: float

    def __post_init__(self) -> None:
        if self.trusted == self.unusable:
            raise ValueError("The bars of trust and of use differ.")

    def is_cleared(self, low: float, high: float) -> bool:
        """Whether an interval lies wholly on the good side of `trusted`."""
        return low >= self.trusted if self.trusted > self.unusable else high <= self.trusted

    def is_short(self, low: float, high: float) -> bool:
        """Whether an interval lies wholly on the bad side of `trusted`."""
        return high < self.trusted if self.trusted > self.unusable else low > self.trusted

    def is_missed(self, low: float, high: float) -> bool:
        """Whether an interval lies wholly on the bad side of `unusable`."""
        return high < self.unusable if self.trusted > self.unusable else low > self.unusable


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """What the card asks. None: not asked.

    `least_items`, `least_dialogues`, `least_positives`: below these a judge is ruled out or else
    there is no verdict.
    `agreement`: bar of the leading statistic; `unscored`: of the share of items without a rating
    by the judge; `sensitivity`, `repeatability` likewise. `bias_margin`, `ceiling_margin`: in
    points and in the ceiling's statistic. `asks_alternative`: whether the alternative annotator
    test must be passed. `expires_with`: the changes behind an endpoint that end a card.
    """

    least_items: int
    least_dialogues: int
    agreement: Bar
    unscored: Bar | None = None
    bias_margin: float | None = None
    ceiling_margin: float | None = None
    asks_alternative: bool = False
    sensitivity: Bar | None = None
    least_positives: int = 0
    repeatability: Bar | None = None
    expires_with: frozenset[EndpointChange] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """What is known of a judge on a criterion; None where it was not measured.

    `agreement`: the leading statistic of judge and people, and its held-out value once calibrated;
    `bias` likewise. `sensitivity` is of the items people marked, so its `n_items` counts those.
    `by_gold`: it is measured by gold; `people`: how well single people agree by it; `attainable`: what a judge would reach that gives
    what they give on average;
    `constant`: the most that a judge reaches that says the same of every item; `only_answer`: what
    the judge itself says to every item, where it says the same. `people_find`: how many of the marked items a
    person finds whom the others' marks are held against. `drift`: the last check after the card was
    first made. `change`: the gravest behind the endpoint, None where it does not say who answers.
    """

    agreement: Estimate
    calibrated_agreement: Estimate | None = None
    bias: Estimate | None = None
    calibrated_bias: Estimate | None = None
    unscored: Estimate | None = None
    by_gold: bool = False
    people: Estimate | None = None
    attainable: Estimate | None = None
    constant: Estimate | None = None
    only_answer: float | None = None
    ceiling: UnderCeiling | None = None
    alternative: Domain | None = None
    sensitivity: Estimate | None = None
    people_find: Estimate | None = None
    repeatability: Estimate | None = None
    drift: DriftCheck | None = None
    change: EndpointChange | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CardLine:
    """One line of the card: `estimate` is its number, with interval and n; `value` where the
    number has no interval; `asked` the threshold or margin it is held against."""

    topic: Topic
    outcome: LineOutcome
    reason: LineReason
    estimate: Estimate | None = None
    value: float | None = None
    asked: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TrustCard:
    """The verdict and every line that the rules ask for."""

    verdict: Verdict
    lines: tuple[CardLine, ...]

    @property
    def is_expired(self) -> bool:
        """Whether the judge has moved, or been exchanged, since the card was made."""
        return any(line.reason in _EXPIRING for line in self.lines)

    @property
    def decisive(self) -> tuple[CardLine, ...]:
        """The lines that the verdict rests on; all where it is trusted."""
        outcome = _DECIDING[self.verdict]
        return tuple(line for line in self.lines if outcome in (None, line.outcome))


_DECIDING: dict[Verdict, LineOutcome | None] = {
    Verdict.TRUSTED: None,
    Verdict.TRUSTED_WITH_CALIBRATION: LineOutcome.MET_CALIBRATED,
    Verdict.NOT_YET_SHOWN: LineOutcome.NOT_YET,
    Verdict.CANNOT_BE_SHOWN: LineOutcome.MISSING,
    Verdict.SURELY_BELOW: LineOutcome.BELOW,
    Verdict.DO_NOT_USE: LineOutcome.RULED_OUT,
}
_FROM_THE_GRAVEST = (
    Verdict.DO_NOT_USE,
    Verdict.SURELY_BELOW,
    Verdict.CANNOT_BE_SHOWN,
    Verdict.NOT_YET_SHOWN,
    Verdict.TRUSTED_WITH_CALIBRATION,
)


def trust_card(evidence: Evidence, rules: Rules) -> TrustCard:
    """Hold the evidence against the rules.

    From the gravest: one line that is ruled out suffices not to use the judge; one that is surely
    below, to deny trust whatever else is found; one that these data cannot show, or do not show
    yet, to leave it open.
    """
    found = (write(evidence, rules) for write in _LINES)
    lines = tuple(line for line in found if line is not None)
    return TrustCard(verdict=_verdict(lines), lines=lines)


def _verdict(lines: tuple[CardLine, ...]) -> Verdict:
    outcomes = {line.outcome for line in lines}
    found = (one for one in _FROM_THE_GRAVEST if _DECIDING[one] in outcomes)
    return next(found, Verdict.TRUSTED)


def _data(evidence: Evidence, rules: Rules) -> CardLine:
    figure = evidence.agreement
    outcome, reason, asked = LineOutcome.MET, LineReason.ENOUGH, rules.least_items
    if figure.n_items < rules.least_items:
        outcome, reason = LineOutcome.NOT_YET, LineReason.TOO_FEW_ITEMS
    elif figure.n_clusters < rules.least_dialogues:
        outcome, reason, asked = (
            LineOutcome.NOT_YET,
            LineReason.TOO_FEW_DIALOGUES,
            rules.least_dialogues,
        )
    return CardLine(
        topic=Topic.DATA, outcome=outcome, reason=reason, estimate=figure, asked=float(asked)
    )


def _unscored(evidence: Evidence, rules: Rules) -> CardLine | None:
    return _held_against(Topic.UNSCORED, rules.unscored, evidence.unscored)


def _agreement(evidence: Evidence, rules: Rules) -> CardLine:
    """The leading figure against its bar, the straw men, and what people make possible."""
    bar = rules.agreement
    raw = _line(Topic.AGREEMENT, bar, evidence.agreement)
    if useless := _useless(evidence, rules):
        return replace(raw, outcome=LineOutcome.RULED_OUT, reason=useless)
    constant = evidence.constant and evidence.constant.value
    if constant is not None and constant >= bar.trusted:
        return replace(raw, outcome=LineOutcome.MISSING, reason=LineReason.CONSTANT_PASSES)
    if evidence.calibrated_agreement is not None and _is_told_short(raw):
        calibrated = _line(Topic.AGREEMENT, bar, evidence.calibrated_agreement)
        if calibrated.outcome is LineOutcome.MET:
            return _once_calibrated(calibrated, LineReason.CLEAR_CALIBRATED)
    if raw.outcome in _NOT_MET:
        outcome, reason = _beside_people(raw, evidence, rules)
        return replace(raw, outcome=outcome, reason=reason)
    return raw


def _useless(evidence: Evidence, rules: Rules) -> LineReason | None:
    """Why a judge is of no use whatever people are: it tells items no better apart than a constant.

    A figure surely below `NEGLIGIBLE` is held against how people agree among themselves, which is less
    than anything that a judge who knows the truth reaches in an intraclass correlation: people who
    hardly agree do not make a good judge look like a constant one, nor does one person of whom nobody
    knows it. Gold is not a person.
    """
    figure = evidence.agreement
    if figure.n_items < rules.least_items:
        return None
    if evidence.only_answer is not None:
        return LineReason.ALWAYS_THE_SAME
    if figure.high is None or figure.high >= NEGLIGIBLE:
        return None
    people = evidence.people
    surely_more = people is not None and people.low is not None and people.low > figure.high
    return LineReason.NO_BETTER_THAN_CONSTANT if evidence.by_gold or surely_more else None


def _beside_people(
    line: CardLine, evidence: Evidence, rules: Rules
) -> tuple[LineOutcome, LineReason]:
    """What a figure that does not clear the bar comes to, given how people stand themselves."""
    most = evidence.attainable
    stands = _standing_of(evidence, rules)
    is_out_of_reach = (
        most is not None and most.high is not None and most.high < rules.agreement.trusted
    )
    if is_out_of_reach and stands is not CeilingStanding.INFERIOR:
        return LineOutcome.MISSING, LineReason.OUT_OF_REACH
    if line.outcome is not LineOutcome.RULED_OUT or stands is CeilingStanding.INFERIOR:
        return line.outcome, line.reason
    if stands is None:
        return LineOutcome.BELOW, LineReason.SHORT_OF_UNKNOWN
    return LineOutcome.BELOW, LineReason.SHORT_LIKE_PEOPLE


def _standing_of(evidence: Evidence, rules: Rules) -> CeilingStanding | None:
    """How the judge stands to a second expert; None where nobody knows what one would reach."""
    if evidence.ceiling is None or evidence.ceiling.difference.low is None:
        return None
    return standing(evidence.ceiling, margin=rules.ceiling_margin or 0.0)


def _bias(evidence: Evidence, rules: Rules) -> CardLine | None:
    raw = _within_margin(evidence.bias, rules.bias_margin)
    calibrated = _within_margin(evidence.calibrated_bias, rules.bias_margin)
    if raw is None or calibrated is None or not _is_told_short(raw):
        return raw
    if calibrated.outcome is not LineOutcome.MET:
        return raw
    return _once_calibrated(calibrated, LineReason.WITHIN_MARGIN_CALIBRATED)


def _ceiling(evidence: Evidence, rules: Rules) -> CardLine | None:
    if rules.ceiling_margin is None:
        return None
    if evidence.ceiling is None:
        return _not_measured(Topic.CEILING)
    figure = evidence.ceiling.difference
    if figure.low is None:
        outcome, reason = LineOutcome.MISSING, LineReason.NO_INTERVAL
    else:
        outcome, reason = _STANDINGS[standing(evidence.ceiling, margin=rules.ceiling_margin)]
    return CardLine(
        topic=Topic.CEILING,
        outcome=outcome,
        reason=reason,
        estimate=figure,
        asked=rules.ceiling_margin,
    )


def _alternative(evidence: Evidence, rules: Rules) -> CardLine | None:
    if not rules.asks_alternative:
        return None
    domain = evidence.alternative
    if domain is None:
        return _not_measured(Topic.ALTERNATIVE)
    outcome, reason = _TESTED[domain.is_passed]
    return CardLine(
        topic=Topic.ALTERNATIVE,
        outcome=outcome,
        reason=reason,
        estimate=domain.advantage,
        value=domain.winning_rate,
        asked=PASSING,
    )


def _sensitivity(evidence: Evidence, rules: Rules) -> CardLine | None:
    """How many marked items are found. Missing them weighs more than a needless second opinion: a
    judge that surely misses too many is ruled out unless people are known to miss as many."""
    line = _held_against(Topic.SENSITIVITY, rules.sensitivity, evidence.sensitivity)
    if line is None or line.estimate is None:
        return line
    is_enough = line.estimate.n_items >= rules.least_positives
    if line.outcome is LineOutcome.RULED_OUT or (line.outcome is LineOutcome.BELOW and is_enough):
        return _beside_what_people_find(line, evidence.people_find, rules)
    if is_enough:
        return line
    return replace(
        line,
        outcome=LineOutcome.MISSING,
        reason=LineReason.TOO_FEW_POSITIVES,
        asked=float(rules.least_positives),
    )


def _beside_what_people_find(line: CardLine, people: Estimate | None, rules: Rules) -> CardLine:
    """A judge that surely misses too many, where people are known to miss as many."""
    limits = people and _limits(people)
    if line.estimate is None or line.estimate.high is None or not limits or not rules.sensitivity:
        return line
    if limits[0] > line.estimate.high:
        return line
    if rules.sensitivity.is_short(*limits):
        return replace(line, outcome=LineOutcome.MISSING, reason=LineReason.OUT_OF_REACH)
    if line.outcome is LineOutcome.RULED_OUT:
        return replace(line, outcome=LineOutcome.BELOW, reason=LineReason.SHORT_LIKE_PEOPLE)
    return line


def _repeatability(evidence: Evidence, rules: Rules) -> CardLine | None:
    return _held_against(Topic.REPEATABILITY, rules.repeatability, evidence.repeatability)


def _drift(evidence: Evidence, rules: Rules) -> CardLine | None:
    check = evidence.drift
    if check is None:
        return None
    outcome, reason = _CHECKED[check.drift]
    return CardLine(
        topic=Topic.DRIFT,
        outcome=outcome,
        reason=reason,
        estimate=check.residual,
        asked=check.margin,
    )


def _endpoint(evidence: Evidence, rules: Rules) -> CardLine | None:
    ends_any = evidence.change is EndpointChange.SENTINELS
    if evidence.change is None or not (ends_any or rules.expires_with):
        return None
    outcome, reason = LineOutcome.MET, LineReason.SAME_LLM
    if ends_any or evidence.change in rules.expires_with:
        outcome, reason = LineOutcome.MISSING, _CHANGED[evidence.change]
    return CardLine(topic=Topic.ENDPOINT, outcome=outcome, reason=reason)


def _held_against(topic: Topic, bar: Bar | None, figure: Estimate | None) -> CardLine | None:
    if bar is None:
        return None
    return _not_measured(topic) if figure is None else _line(topic, bar, figure)


def _line(topic: Topic, bar: Bar, figure: Estimate) -> CardLine:
    outcome, reason = _outcome(bar, figure)
    asked = bar.unusable if outcome is LineOutcome.RULED_OUT else bar.trusted
    return CardLine(topic=topic, outcome=outcome, reason=reason, estimate=figure, asked=asked)


def _outcome(bar: Bar, figure: Estimate) -> tuple[LineOutcome, LineReason]:
    limits = _limits(figure)
    if limits is None:
        return LineOutcome.NOT_YET, LineReason.NO_INTERVAL
    if any(note.severity is Severity.GREY for note in figure.notes):
        return LineOutcome.NOT_YET, LineReason.DOUBTFUL
    if bar.is_cleared(*limits):
        return LineOutcome.MET, LineReason.CLEAR
    if bar.is_missed(*limits):
        return LineOutcome.RULED_OUT, LineReason.BEYOND
    if bar.is_short(*limits):
        return LineOutcome.BELOW, LineReason.SURELY_SHORT
    return LineOutcome.NOT_YET, LineReason.NOT_CLEAR


def _limits(figure: Estimate) -> tuple[float, float] | None:
    """The interval; where nothing varies from dialogue to dialogue, the value alone."""
    if figure.low is not None and figure.high is not None:
        return figure.low, figure.high
    if figure.value is not None and figure.note in _WITHOUT_SPREAD:
        return figure.value, figure.value
    return None


def _within_margin(figure: Estimate | None, margin: float | None) -> CardLine | None:
    if margin is None:
        return None
    if figure is None:
        return _not_measured(Topic.BIAS)
    limits = _limits(figure)
    if limits is None:
        outcome, reason = LineOutcome.NOT_YET, LineReason.NO_INTERVAL
    elif -margin <= limits[0] and limits[1] <= margin:
        outcome, reason = LineOutcome.MET, LineReason.WITHIN_MARGIN
    elif limits[1] < -margin or margin < limits[0]:
        outcome, reason = LineOutcome.BELOW, LineReason.OUTSIDE_MARGIN
    else:
        outcome, reason = LineOutcome.NOT_YET, LineReason.NOT_WITHIN_MARGIN
    return CardLine(topic=Topic.BIAS, outcome=outcome, reason=reason, estimate=figure, asked=margin)


def _is_told_short(line: CardLine) -> bool:
    """Whether an interval says that a line is not met; calibration cannot stand in for one."""
    return line.outcome in _NOT_MET and line.reason not in _WITHOUT_WORD


def _once_calibrated(line: CardLine, reason: LineReason) -> CardLine:
    return replace(line, outcome=LineOutcome.MET_CALIBRATED, reason=reason)


def _not_measured(topic: Topic) -> CardLine:
    return CardLine(topic=topic, outcome=LineOutcome.MISSING, reason=LineReason.NOT_MEASURED)


_NOT_MET = frozenset({LineOutcome.BELOW, LineOutcome.NOT_YET, LineOutcome.RULED_OUT})
_WITHOUT_WORD = frozenset({LineReason.NO_INTERVAL, LineReason.DOUBTFUL})
_WITHOUT_SPREAD = frozenset({Note.NO_SPREAD, Note.NO_DISAGREEMENT})

_STANDINGS: dict[CeilingStanding, tuple[LineOutcome, LineReason]] = {
    CeilingStanding.BETTER: (LineOutcome.MET, LineReason.BETTER_THAN_PEOPLE),
    CeilingStanding.NOT_INFERIOR: (LineOutcome.MET, LineReason.NOT_INFERIOR),
    CeilingStanding.INFERIOR: (LineOutcome.BELOW, LineReason.INFERIOR),
    CeilingStanding.UNDECIDED: (LineOutcome.NOT_YET, LineReason.NOT_SHOWN_TO_BE_NO_WORSE),
}

_TESTED: dict[bool | None, tuple[LineOutcome, LineReason]] = {
    True: (LineOutcome.MET, LineReason.STANDS_IN),
    False: (LineOutcome.NOT_YET, LineReason.DOES_NOT_STAND_IN),
    None: (LineOutcome.MISSING, LineReason.NOBODY_TO_TEST),
}

_CHECKED: dict[Drift, tuple[LineOutcome, LineReason]] = {
    Drift.PASSED: (LineOutcome.MET, LineReason.STEADY),
    Drift.FAILED: (LineOutcome.MISSING, LineReason.DRIFTED),
    Drift.INCONCLUSIVE: (LineOutcome.NOT_YET, LineReason.MAY_HAVE_DRIFTED),
    Drift.NOT_GRADED: (LineOutcome.MISSING, LineReason.NOT_CHECKED),
    Drift.NOT_CHECKED: (LineOutcome.MISSING, LineReason.NOT_CHECKED),
}

_CHANGED: dict[EndpointChange, LineReason] = {
    EndpointChange.LLM: LineReason.OTHER_LLM,
    EndpointChange.FINGERPRINT: LineReason.OTHER_FINGERPRINT,
    EndpointChange.SENTINELS: LineReason.OTHER_ANSWERS,
}

_EXPIRING = frozenset({LineReason.DRIFTED, *_CHANGED.values()})

_LINES: tuple[Callable[[Evidence, Rules], CardLine | None], ...] = (
    _data,
    _unscored,
    _agreement,
    _bias,
    _ceiling,
    _alternative,
    _sensitivity,
    _repeatability,
    _drift,
    _endpoint,
)
