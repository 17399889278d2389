"""May a judge be trusted on a criterion? The rules of the trust card, fixed beforehand.

Every line of the card stands for itself: strength in one does not make up for weakness in another,
for a judge that misses a risk is not saved by agreeing elsewhere. A line is met only when the
whole interval is on the good side of its bar, so a judge is not trusted for want of data. Nor is
it spared for want of data: the least numbers guard against trust, and an interval that lies wholly
where no use is allowed decides however few the items are that it comes from. How few they are is
in its width already.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import StrEnum

from analytics.stats.alternative import PASSING, Domain
from analytics.stats.ceiling import CeilingStanding, UnderCeiling, standing
from analytics.stats.drift import Drift, DriftCheck
from analytics.stats.estimates import Estimate, Note, Severity


class Verdict(StrEnum):
    """What a judge may be used for."""

    TRUSTED = "trusted"
    TRUSTED_WITH_CALIBRATION = "trusted with calibration"
    ASSIST_ONLY = "assist only"
    DO_NOT_USE = "do not use"
    NOT_ENOUGH_DATA = "not enough data"


class LineOutcome(StrEnum):
    """What a line says: `MET`, as it is or `MET_CALIBRATED`; `SHORT` of what trust takes;
    `RULED_OUT`, for sure below what any use takes; `OPEN` for want of data."""

    MET = "met"
    MET_CALIBRATED = "met once calibrated"
    SHORT = "short"
    RULED_OUT = "ruled out"
    OPEN = "open"


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
    `FINGERPRINT`, under another configuration, which may or may not answer otherwise."""

    NONE = "none"
    FINGERPRINT = "fingerprint"
    LLM = "llm"


class LineReason(StrEnum):
    """Why a line has its outcome."""

    ENOUGH = "enough"
    TOO_FEW_ITEMS = "too few items"
    TOO_FEW_DIALOGUES = "too few dialogues"
    TOO_FEW_POSITIVES = "too few positives"
    NOT_MEASURED = "not measured"
    NO_INTERVAL = "no interval"
    DOUBTFUL = "doubtful"
    CLEAR = "clear"
    CLEAR_CALIBRATED = "clear once calibrated"
    NOT_CLEAR = "not clear"
    BEYOND = "beyond"
    WITHIN_MARGIN = "within the margin"
    WITHIN_MARGIN_CALIBRATED = "within the margin once calibrated"
    NOT_WITHIN_MARGIN = "not within the margin"
    NOT_INFERIOR = "not inferior"
    INFERIOR = "inferior"
    NOT_SHOWN_TO_BE_NO_WORSE = "not shown to be no worse"
    STANDS_IN = "stands in"
    DOES_NOT_STAND_IN = "does not stand in"
    NOBODY_TO_TEST = "nobody to test"
    STEADY = "steady"
    DRIFTED = "drifted"
    MAY_HAVE_DRIFTED = "may have drifted"
    NOT_CHECKED = "not checked"
    SAME_LLM = "same llm"
    OTHER_LLM = "other llm"
    OTHER_FINGERPRINT = "other fingerprint"

    @property
    def sentence(self) -> str:
        """The reason in English; pages translate this text."""
        return _SENTENCES[self]


_SENTENCES: dict[LineReason, str] = {
    LineReason.ENOUGH: "Enough items and dialogues are rated by people and the judge.",
    LineReason.TOO_FEW_ITEMS: "Too few items are rated by people and the judge.",
    LineReason.TOO_FEW_DIALOGUES: "The rated items come from too few dialogues.",
    LineReason.TOO_FEW_POSITIVES: "People marked too few items to tell how many the judge misses.",
    LineReason.NOT_MEASURED: "The rules ask for this, and it has not been measured.",
    LineReason.NO_INTERVAL: "There is no interval yet, so nothing is certain.",
    LineReason.DOUBTFUL: "The interval hangs on too few ratings at an end of the scale.",
    LineReason.CLEAR: "The whole interval clears the bar.",
    LineReason.CLEAR_CALIBRATED: "The whole interval clears the bar once the judge is calibrated.",
    LineReason.NOT_CLEAR: "The interval does not clear the bar as a whole.",
    LineReason.BEYOND: "The whole interval is beyond the bar at which a judge must not be used.",
    LineReason.WITHIN_MARGIN: "The whole interval lies within the margin.",
    LineReason.WITHIN_MARGIN_CALIBRATED: (
        "The whole interval lies within the margin once the judge is calibrated."
    ),
    LineReason.NOT_WITHIN_MARGIN: "The interval does not lie within the margin as a whole.",
    LineReason.NOT_INFERIOR: "The judge is no worse than a person by more than the margin.",
    LineReason.INFERIOR: "The judge is worse than a person by more than the margin.",
    LineReason.NOT_SHOWN_TO_BE_NO_WORSE: (
        "The judge may be worse than a person by more than the margin."
    ),
    LineReason.STANDS_IN: "The judge stands in for at least half of the people.",
    LineReason.DOES_NOT_STAND_IN: "The judge stands in for fewer than half of the people.",
    LineReason.NOBODY_TO_TEST: "No person shares enough items with others for the test.",
    LineReason.STEADY: "The judge has not moved by more than the margin.",
    LineReason.DRIFTED: "The judge has moved by more than the margin: the card has expired.",
    LineReason.MAY_HAVE_DRIFTED: "The judge may have moved by more than the margin.",
    LineReason.NOT_CHECKED: "The last check for drift came to no result.",
    LineReason.SAME_LLM: "The endpoint names the same LLM in every answer.",
    LineReason.OTHER_LLM: "The endpoint names another LLM than before: the card has expired.",
    LineReason.OTHER_FINGERPRINT: (
        "The endpoint names another configuration than before, and no later check for drift was "
        "passed: the card has expired."
    ),
}


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

    def is_missed(self, low: float, high: float) -> bool:
        """Whether an interval lies wholly on the bad side of `unusable`."""
        return high < self.unusable if self.trusted > self.unusable else low > self.unusable


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """What the card asks, under a name that is printed with it. None: not asked.

    `least_items`, `least_dialogues`, `least_positives`: below these a judge is ruled out or else
    there is no verdict.
    `agreement`: bar of the leading statistic; `unscored`: of the share of items without a rating
    by the judge; `sensitivity`, `repeatability` likewise. `bias_margin`, `ceiling_margin`: in
    points and in the ceiling's statistic. `asks_alternative`: whether the alternative annotator
    test must be passed. `expires_with`: the changes behind an endpoint that end a card.
    """

    name: str
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
    `drift`: the last check after the card was first made. `change`: the gravest behind the
    endpoint, None where it does not say who answers.
    """

    agreement: Estimate
    calibrated_agreement: Estimate | None = None
    bias: Estimate | None = None
    calibrated_bias: Estimate | None = None
    unscored: Estimate | None = None
    ceiling: UnderCeiling | None = None
    alternative: Domain | None = None
    sensitivity: Estimate | None = None
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
    rules: Rules

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
    Verdict.ASSIST_ONLY: LineOutcome.SHORT,
    Verdict.DO_NOT_USE: LineOutcome.RULED_OUT,
    Verdict.NOT_ENOUGH_DATA: LineOutcome.OPEN,
}


def trust_card(evidence: Evidence, rules: Rules) -> TrustCard:
    """Hold the evidence against the rules.

    From the gravest: one line that is ruled out suffices not to use the judge; one that is open,
    as any is below the least data, not to say; one that is short, to let it assist only.
    """
    found = (write(evidence, rules) for write in _LINES)
    lines = tuple(line for line in found if line is not None)
    return TrustCard(verdict=_verdict(lines), lines=lines, rules=rules)


def _verdict(lines: tuple[CardLine, ...]) -> Verdict:
    outcomes = {line.outcome for line in lines}
    if LineOutcome.RULED_OUT in outcomes:
        return Verdict.DO_NOT_USE
    if LineOutcome.OPEN in outcomes:
        return Verdict.NOT_ENOUGH_DATA
    if LineOutcome.SHORT in outcomes:
        return Verdict.ASSIST_ONLY
    if LineOutcome.MET_CALIBRATED in outcomes:
        return Verdict.TRUSTED_WITH_CALIBRATION
    return Verdict.TRUSTED


def _data(evidence: Evidence, rules: Rules) -> CardLine:
    figure = evidence.agreement
    outcome, reason, asked = LineOutcome.MET, LineReason.ENOUGH, rules.least_items
    if figure.n_items < rules.least_items:
        outcome, reason = LineOutcome.OPEN, LineReason.TOO_FEW_ITEMS
    elif figure.n_clusters < rules.least_dialogues:
        outcome, reason, asked = (
            LineOutcome.OPEN,
            LineReason.TOO_FEW_DIALOGUES,
            rules.least_dialogues,
        )
    return CardLine(
        topic=Topic.DATA, outcome=outcome, reason=reason, estimate=figure, asked=float(asked)
    )


def _unscored(evidence: Evidence, rules: Rules) -> CardLine | None:
    return _held_against(Topic.UNSCORED, rules.unscored, evidence.unscored)


def _agreement(evidence: Evidence, rules: Rules) -> CardLine | None:
    raw = _held_against(Topic.AGREEMENT, rules.agreement, evidence.agreement)
    calibrated = _held_against(Topic.AGREEMENT, rules.agreement, evidence.calibrated_agreement)
    return _perhaps_calibrated(raw, calibrated, LineReason.CLEAR_CALIBRATED)


def _bias(evidence: Evidence, rules: Rules) -> CardLine | None:
    raw = _within_margin(evidence.bias, rules.bias_margin)
    calibrated = _within_margin(evidence.calibrated_bias, rules.bias_margin)
    return _perhaps_calibrated(raw, calibrated, LineReason.WITHIN_MARGIN_CALIBRATED)


def _ceiling(evidence: Evidence, rules: Rules) -> CardLine | None:
    if rules.ceiling_margin is None:
        return None
    if evidence.ceiling is None:
        return _not_measured(Topic.CEILING)
    figure = evidence.ceiling.difference
    if figure.low is None:
        outcome, reason = LineOutcome.OPEN, LineReason.NO_INTERVAL
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
    line = _held_against(Topic.SENSITIVITY, rules.sensitivity, evidence.sensitivity)
    if line is None or line.estimate is None or line.outcome is LineOutcome.RULED_OUT:
        return line
    if line.estimate.n_items >= rules.least_positives:
        return line
    return replace(
        line,
        outcome=LineOutcome.OPEN,
        reason=LineReason.TOO_FEW_POSITIVES,
        asked=float(rules.least_positives),
    )


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
    if evidence.change is None or not rules.expires_with:
        return None
    outcome, reason = LineOutcome.MET, LineReason.SAME_LLM
    if evidence.change in rules.expires_with:
        outcome, reason = LineOutcome.OPEN, _CHANGED[evidence.change]
    return CardLine(topic=Topic.ENDPOINT, outcome=outcome, reason=reason)


def _held_against(topic: Topic, bar: Bar | None, figure: Estimate | None) -> CardLine | None:
    if bar is None:
        return None
    if figure is None:
        return _not_measured(topic)
    outcome, reason, asked = _outcome(bar, figure)
    return CardLine(topic=topic, outcome=outcome, reason=reason, estimate=figure, asked=asked)


def _outcome(bar: Bar, figure: Estimate) -> tuple[LineOutcome, LineReason, float]:
    limits = _limits(figure)
    if limits is None:
        return LineOutcome.OPEN, LineReason.NO_INTERVAL, bar.trusted
    if any(note.severity is Severity.GREY for note in figure.notes):
        return LineOutcome.OPEN, LineReason.DOUBTFUL, bar.trusted
    if bar.is_cleared(*limits):
        return LineOutcome.MET, LineReason.CLEAR, bar.trusted
    if bar.is_missed(*limits):
        return LineOutcome.RULED_OUT, LineReason.BEYOND, bar.unusable
    return LineOutcome.SHORT, LineReason.NOT_CLEAR, bar.trusted


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
        outcome, reason = LineOutcome.OPEN, LineReason.NO_INTERVAL
    elif -margin <= limits[0] and limits[1] <= margin:
        outcome, reason = LineOutcome.MET, LineReason.WITHIN_MARGIN
    else:
        outcome, reason = LineOutcome.SHORT, LineReason.NOT_WITHIN_MARGIN
    return CardLine(topic=Topic.BIAS, outcome=outcome, reason=reason, estimate=figure, asked=margin)


def _perhaps_calibrated(
    raw: CardLine | None, calibrated: CardLine | None, reason: LineReason
) -> CardLine | None:
    """What falls short as it is may do once calibrated; what is open stays open."""
    if raw is None or calibrated is None or raw.outcome in (LineOutcome.MET, LineOutcome.OPEN):
        return raw
    if calibrated.outcome is not LineOutcome.MET:
        return raw
    return replace(calibrated, outcome=LineOutcome.MET_CALIBRATED, reason=reason)


def _not_measured(topic: Topic) -> CardLine:
    return CardLine(topic=topic, outcome=LineOutcome.OPEN, reason=LineReason.NOT_MEASURED)


_WITHOUT_SPREAD = frozenset({Note.NO_SPREAD, Note.NO_DISAGREEMENT})

_STANDINGS: dict[CeilingStanding, tuple[LineOutcome, LineReason]] = {
    CeilingStanding.NOT_INFERIOR: (LineOutcome.MET, LineReason.NOT_INFERIOR),
    CeilingStanding.INFERIOR: (LineOutcome.SHORT, LineReason.INFERIOR),
    CeilingStanding.UNDECIDED: (LineOutcome.SHORT, LineReason.NOT_SHOWN_TO_BE_NO_WORSE),
}

_TESTED: dict[bool | None, tuple[LineOutcome, LineReason]] = {
    True: (LineOutcome.MET, LineReason.STANDS_IN),
    False: (LineOutcome.SHORT, LineReason.DOES_NOT_STAND_IN),
    None: (LineOutcome.OPEN, LineReason.NOBODY_TO_TEST),
}

_CHECKED: dict[Drift, tuple[LineOutcome, LineReason]] = {
    Drift.PASSED: (LineOutcome.MET, LineReason.STEADY),
    Drift.FAILED: (LineOutcome.OPEN, LineReason.DRIFTED),
    Drift.INCONCLUSIVE: (LineOutcome.SHORT, LineReason.MAY_HAVE_DRIFTED),
    Drift.NOT_GRADED: (LineOutcome.OPEN, LineReason.NOT_CHECKED),
    Drift.NOT_CHECKED: (LineOutcome.OPEN, LineReason.NOT_CHECKED),
}

_CHANGED: dict[EndpointChange, LineReason] = {
    EndpointChange.LLM: LineReason.OTHER_LLM,
    EndpointChange.FINGERPRINT: LineReason.OTHER_FINGERPRINT,
}

_EXPIRING = frozenset({LineReason.DRIFTED, LineReason.OTHER_LLM, LineReason.OTHER_FINGERPRINT})

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
