"""What a study has agreed to do with what its raters answer: the protocol of a round, as data.

It is fixed when the round opens. Agreement is always computed from the answers that were given
before anybody read another's.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from typing import Any

from annotation.rubric.schema import Criterion, Measurement, Taxonomy, Text
from annotation.rubric.sentences import Sentence, sentence
from annotation.rules import closing
from annotation.rules.closing import GateVerdict, Progress
from annotation.rules.lifecycle import RoundState, RoundStep


class GateMeasure(StrEnum):
    """What a gate measures the independent answers by."""

    FLEISS = "fleiss"
    WEIGHTED = "weighted"
    ALPHA = "alpha"
    GWET = "gwet"
    EXACT = "exact"


class GateScope(StrEnum):
    """Which criteria must reach the gate."""

    EACH = "each"
    MEAN = "mean"


class GateBound(StrEnum):
    """Which end of the estimate is held against the gate."""

    VALUE = "value"
    LOW = "low"


class Sight(StrEnum):
    """What an adjudicator has in view while deciding."""

    VOTES = "votes"
    NOTHING = "nothing"


class OnSplit(StrEnum):
    """What becomes of an item on which two adjudicators decide differently."""

    THIRD = "third"
    TALK = "talk"


@dataclass(frozen=True, slots=True, kw_only=True)
class Protocol:
    """The steps of a round after its rating, each of which may be left out.

    `gate_first`: nobody reads or decides anything before all have answered and the gate has looked.
    `sight`: what an adjudicator sees of the raters' answers before the decision. A second one
    decides as well on `second_percent` of the items, where the first is `second_overruling` most
    raters, and where one of `second_values` ("CRITERION:VALUE") was answered or decided.
    `qualified_only`: who has not passed a round to qualify rates only if let in.
    `agreed_percent`: of the items on which all agree an adjudicator decides as well, unknowingly.
    """

    gate_first: bool = True
    re_review: bool = True
    discussion: bool = True
    adjudication: bool = True
    measure: str = GateMeasure.WEIGHTED.value
    scope: str = GateScope.EACH.value
    bound: str = GateBound.VALUE.value
    sight: str = Sight.VOTES.value
    second_percent: int = 0
    second_overruling: bool = False
    second_values: tuple[str, ...] = ()
    on_split: str = OnSplit.THIRD.value
    qualified_only: bool = False
    agreed_percent: int = 0

    @property
    def has_second(self) -> bool:
        """Whether there are items that two adjudicators decide."""
        return bool(self.second_percent or self.second_overruling or self.second_values)

    @property
    def decides_unseen(self) -> bool:
        """Whether an adjudicator decides first and sees after it what the raters answered."""
        return self.sight == Sight.NOTHING


WHOLE = Protocol()
"""All steps."""
AT_ONCE = Protocol(
    gate_first=False, re_review=False, discussion=False, measure=GateMeasure.FLEISS.value
)
"""An item is decided as soon as its raters differ; the gate looks when the round closes."""
TO_QUALIFY = replace(AT_ONCE, adjudication=False)
"""Nothing is decided: gold is known."""

# Alpha with squared distances is Fleiss' kappa with quadratic weights, for any number of ratings.
_OF_LABELS: Mapping[GateMeasure, str] = {
    GateMeasure.FLEISS: "fleiss",
    GateMeasure.WEIGHTED: "fleiss",
    GateMeasure.ALPHA: "alpha_nominal",
    GateMeasure.GWET: "ac1",
    GateMeasure.EXACT: "exact",
}
_OF_SCALES = {
    **_OF_LABELS,
    GateMeasure.WEIGHTED: "alpha_interval",
    GateMeasure.ALPHA: "alpha_ordinal",
    GateMeasure.GWET: "ac2",
}
MEASURES: Mapping[GateMeasure, Sentence] = {
    GateMeasure.WEIGHTED: sentence(
        "Fleiss’ κ for labels, Krippendorff’s α with squared distances for ordinal scales"
    ),
    GateMeasure.FLEISS: sentence("Fleiss’ κ without weights"),
    GateMeasure.ALPHA: sentence("Krippendorff’s α, ordinal for ordinal scales"),
    GateMeasure.GWET: sentence("Gwet’s AC1, and AC2 for ordinal scales"),
    GateMeasure.EXACT: sentence("the share of pairs of ratings that are the same"),
}
_STATISTICS: Mapping[str, Sentence] = {
    "fleiss": MEASURES[GateMeasure.FLEISS],
    "alpha_nominal": sentence("Krippendorff’s α, nominal"),
    "alpha_ordinal": sentence("Krippendorff’s α, ordinal"),
    "alpha_interval": sentence("Krippendorff’s α with squared distances"),
    "ac1": sentence("Gwet’s AC1"),
    "ac2": sentence("Gwet’s AC2, quadratic weights"),
    "exact": MEASURES[GateMeasure.EXACT],
}
SCOPES: Mapping[GateScope, Sentence] = {
    GateScope.EACH: sentence("every criterion"),
    GateScope.MEAN: sentence("the mean of all criteria"),
}
BOUNDS: Mapping[GateBound, Sentence] = {
    GateBound.VALUE: sentence("the value itself"),
    GateBound.LOW: sentence("the lower end of its interval"),
}
SIGHTS: Mapping[Sight, Sentence] = {
    Sight.VOTES: sentence("with the raters’ answers beside each other, without their names"),
    Sight.NOTHING: sentence("on their own, and sees the raters’ answers after it"),
}
ON_SPLIT: Mapping[OnSplit, Sentence] = {
    OnSplit.THIRD: sentence("a third adjudicator decides"),
    OnSplit.TALK: sentence(
        "the two talk, and one of them decides; a third where neither may decide any more"
    ),
}


def statistic_for(protocol: Protocol, measurement: Measurement) -> str:
    """The statistic by which the gate measures a criterion."""
    named = _OF_SCALES if measurement is Measurement.ORDINAL else _OF_LABELS
    return named[GateMeasure(protocol.measure)]


def measured_by(protocol: Protocol, criteria: Iterable[Criterion]) -> Sentence:
    """What the gate measures these by: one statistic, where it is the same for all of them."""
    found = {statistic_for(protocol, criterion.measurement) for criterion in criteria}
    if len(found) == 1:
        return _STATISTICS[found.pop()]
    return MEASURES[GateMeasure(protocol.measure)]


def as_data(protocol: Protocol) -> dict[str, Any]:
    return asdict(protocol)


def from_data(data: Mapping[str, Any]) -> Protocol:
    values = tuple(data.get("second_values", ()))
    return Protocol(**{**data, "second_values": values})


def problem_with_protocol(protocol: Protocol) -> Sentence | None:
    """Say what does not fit together, or None."""
    if not protocol.gate_first and (protocol.re_review or protocol.discussion):
        return sentence("A re-review or a discussion needs a gate that looks before any decision.")
    if protocol.has_second and not protocol.adjudication:
        return sentence("A second adjudicator needs a first one: leave adjudication in.")
    if protocol.agreed_percent and not (
        protocol.gate_first and protocol.adjudication and protocol.decides_unseen
    ):
        return sentence(
            "An audit of what raters agree on needs a gate that looks first, and an adjudicator "
            "who decides before seeing the raters’ answers: otherwise they would see that the "
            "item is an audit."
        )
    return None


def steps_of(protocol: Protocol, criteria: Iterable[Criterion] = ()) -> Iterator[Sentence]:
    """The protocol in sentences, in the order of its steps; values by the words of `criteria`."""
    if protocol.qualified_only:
        yield sentence(
            "Only raters who have passed a round to qualify sit on the panel, and those who were let "
            "in for a reason. What was answered to qualify is in no agreement."
        )
    yield sentence("All raters answer independently of each other; these answers are kept.")
    measured = {
        "measure": MEASURES[GateMeasure(protocol.measure)],
        "scope": SCOPES[GateScope(protocol.scope)],
        "bound": BOUNDS[GateBound(protocol.bound)],
    }
    if protocol.gate_first:
        yield sentence("When all have answered, the gate looks at {measure}: {scope}.", **measured)
    else:
        yield sentence("When the round closes, the gate looks at {measure}: {scope}.", **measured)
    yield sentence("The gate is compared with {bound}.", bound=measured["bound"])
    if protocol.re_review:
        yield sentence(
            "Below the gate, the panel rates the items it differs on once more, independently, "
            "before anybody has seen a decision."
        )
    if protocol.discussion:
        yield sentence("The raters discuss the items on which they still differ, and vote again.")
    if protocol.adjudication:
        yield sentence("An adjudicator who did not rate an item decides what is left.")
        yield sentence("They decide {sight}.", sight=SIGHTS[Sight(protocol.sight)])
        if not protocol.gate_first:
            yield sentence(
                "What a rater changes after the decision is kept and does not count. No rater is told "
                "before the round closes which items were decided."
            )
        yield from _about_more_decisions(protocol, criteria)
    else:
        yield sentence("What is left stays without a decision.")
    yield sentence("Gold and reasons are told when the round closes.")


def _about_more_decisions(protocol: Protocol, criteria: Iterable[Criterion]) -> Iterator[Sentence]:
    if protocol.agreed_percent:
        yield sentence(
            "Of the items on which all raters agree, {percent} percent are drawn at random and "
            "decided among the others, by an adjudicator who does not know it. What they find "
            "changes no gold; it is counted and told.",
            percent=protocol.agreed_percent,
        )
    if protocol.second_percent:
        yield sentence(
            "A second adjudicator decides {percent} percent of these items as well, drawn at random, "
            "without knowing of the first.",
            percent=protocol.second_percent,
        )
    if protocol.second_overruling:
        yield sentence(
            "A second adjudicator decides as well, without knowing of the first, where the first "
            "decides against what most raters answered."
        )
    if protocol.second_values:
        yield sentence(
            "A second adjudicator decides as well, without knowing of the first, where a rater or "
            "the first adjudicator chose one of: {values}.",
            values=_in_words(protocol.second_values, criteria),
        )
    if protocol.has_second:
        yield sentence(
            "Where the two decide the same, that stands; where not, {then}. Until then the item has "
            "no gold.",
            then=ON_SPLIT[OnSplit(protocol.on_split)],
        )


def _in_words(values: Iterable[str], criteria: Iterable[Criterion]) -> Text:
    """Values ("CRITERION:VALUE") as their rubric calls them; by key what it does not have."""
    words = {
        f"{one.key}:{value}": (one.name, named)
        for one in criteria
        for value, named in _values_of(one)
    }
    named = [words.get(value, (Text(en=value),)) for value in values]
    tags = {tag for texts in named for text in texts for tag in text.languages}
    return Text(
        **{
            tag: "; ".join(": ".join(text.in_(tag) for text in texts) for texts in named)
            for tag in tags
        }
    )


def _values_of(criterion: Criterion) -> Iterator[tuple[str, Text]]:
    if isinstance(criterion, Taxonomy):
        yield from ((label.key, label.name) for label in criterion.labels)
    else:
        for point in criterion.points:
            numbered = {tag: f"{point.value} · {words}" for tag, words in point.anchor.words}
            yield str(point.value), Text(**numbered)


def step_after_gate(protocol: Protocol, verdict: GateVerdict, *, n_differing: int) -> RoundStep:
    """Where a round goes once its gate has looked at it."""
    if protocol.re_review and n_differing and verdict is not GateVerdict.PASSED:
        return RoundStep.RE_REVIEW
    return RoundStep.DECIDING


def reason_not_to_end_rating(
    protocol: Protocol, round_state: RoundState, step: RoundStep, *, n_missing: int
) -> Sentence | None:
    """Say why the answers of a round are not fixed now, or None when they can be."""
    if over := _reason_it_is_over(round_state):
        return over
    if not protocol.gate_first:
        return sentence("This round decides while it is rated, and closes when all is decided.")
    if step is not RoundStep.RATING:
        return sentence("The rating has ended: agreement is computed from these answers.")
    if n_missing:
        return sentence("Items of this round still need ratings.")
    return None


def reason_not_to_decide_now(
    protocol: Protocol, round_state: RoundState, step: RoundStep
) -> Sentence | None:
    """Say why nobody may read or decide an item of the round now, or None."""
    if over := _reason_it_is_over(round_state):
        return over
    if not protocol.adjudication:
        return sentence("The protocol of this round leaves out adjudication.")
    if protocol.gate_first and step is not RoundStep.DECIDING:
        return sentence("Nobody decides before the gate of the round has looked at its answers.")
    return None


def _reason_it_is_over(round_state: RoundState) -> Sentence | None:
    if round_state is RoundState.CANCELLED:
        return sentence("The round was cancelled.")
    return None if round_state is RoundState.OPEN else sentence("The round is closed.")


def reason_to_stay_open(
    protocol: Protocol, step: RoundStep, progress: Progress, *, to_a_rater: bool = False
) -> Sentence | None:
    """Say what a round still waits for, in its ratings, its protocol and its decisions, or None."""
    in_protocol = _step_to_take(protocol, step, progress)
    if in_protocol and progress.fully_rated == progress.items:
        return in_protocol
    return closing.reason_to_stay_open(progress, to_a_rater=to_a_rater)


def _step_to_take(protocol: Protocol, step: RoundStep, progress: Progress) -> Sentence | None:
    if not protocol.gate_first:
        return None
    if step is RoundStep.RATING:
        return sentence("The rating has not been ended yet.")
    if step is RoundStep.GATE:
        return sentence("The agreement of the round is still being computed.")
    if step is RoundStep.RE_REVIEW:
        return sentence("The round closes together with its re-review.")
    if progress.in_discussion:
        return sentence(
            "Items that are still being discussed: {count}.", count=progress.in_discussion
        )
    return None
