"""What a statistic says of itself: its value, its interval, and what stands in the way."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import final


class Severity(StrEnum):
    """How loudly a page should say a note."""

    NO_INTERVAL = "no interval"
    GREY = "grey"
    AMBER = "amber"


class Note(StrEnum):
    """Why a value or its interval is absent or doubtful. The order is the order of telling."""

    NO_OVERLAP = "no overlap"
    ONE_ITEM = "one item"
    ONE_SYSTEM = "one system"
    NO_COMPLETE_ITEM = "no complete item"
    NOTHING_TO_DIVIDE = "nothing to divide"
    ALL_EQUAL = "all equal"
    NO_DISAGREEMENT = "no disagreement"
    ONE_RATER_CONSTANT = "one rater constant"
    TOO_FEW_CLUSTERS = "too few clusters"
    HANGS_ON_ONE = "hangs on one"
    NO_SPREAD = "no spread"
    AT_BOUNDARY = "at boundary"
    TOO_FEW_RATERS = "too few raters"
    UNBOUNDED = "unbounded"
    NO_CEILING = "no ceiling"
    TOO_FEW_LABELS = "too few labels"
    LABELS_ALIKE = "labels alike"
    TOO_FEW_RARE_ANSWERS = "too few rare answers"
    TOO_FEW_LOW = "too few low"
    TOO_FEW_HIGH = "too few high"
    FEW_LOW = "few low"
    FEW_HIGH = "few high"
    FEW_CLUSTERS = "few clusters"
    FEW_SYSTEMS = "few systems"
    UNDEFINED_RESAMPLES = "undefined resamples"
    EXPLORATORY = "exploratory"
    INCOMPLETE_LEFT_OUT = "incomplete left out"
    ABSENT_RATER = "absent rater"
    RATERS_DIFFER_IN_LEVEL = "raters differ in level"
    NO_CONSENSUS = "no consensus"
    PEOPLE_LEFT_OUT = "people left out"
    FEW_LABELS = "few labels"
    OUTSIDE_SUPPORT = "outside support"
    FEW_REPEATS = "few repeats"
    PARTIAL_RUNS = "partial runs"
    RUNS_HELD_FIXED = "runs held fixed"
    EARLIER = "earlier"
    WEIGHTED = "weighted"
    NOT_WEIGHTED = "not weighted"
    NO_CHANCE = "no chance"

    @property
    def severity(self) -> Severity:
        return _WORDS[self][0]

    @property
    def sentence(self) -> str:
        """The note in English; pages translate this text."""
        return _WORDS[self][1]


_WORDS: dict[Note, tuple[Severity, str]] = {
    Note.NO_OVERLAP: (
        Severity.NO_INTERVAL,
        "No item has ratings from two raters, so agreement cannot be computed.",
    ),
    Note.ONE_ITEM: (
        Severity.NO_INTERVAL,
        "Only one item has ratings from two raters, so agreement cannot be computed.",
    ),
    Note.ONE_SYSTEM: (
        Severity.NO_INTERVAL,
        "Only one system has ratings from both raters, so systems cannot be compared.",
    ),
    Note.NO_COMPLETE_ITEM: (
        Severity.NO_INTERVAL,
        "Fewer than two items are rated by the whole panel, which this statistic needs.",
    ),
    Note.NOTHING_TO_DIVIDE: (
        Severity.NO_INTERVAL,
        "There is nothing to divide by: the statistic is not defined for these ratings.",
    ),
    Note.ALL_EQUAL: (
        Severity.NO_INTERVAL,
        "All ratings are equal, so agreement beyond chance cannot be told.",
    ),
    Note.NO_DISAGREEMENT: (
        Severity.NO_INTERVAL,
        "The raters never disagree, so an interval cannot be estimated.",
    ),
    Note.ONE_RATER_CONSTANT: (
        Severity.NO_INTERVAL,
        (
            "A rater gave every item the same rating: this statistic is zero by construction or "
            "not defined."
        ),
    ),
    Note.TOO_FEW_CLUSTERS: (
        Severity.NO_INTERVAL,
        "Fewer than 5 dialogues (or items that stand alone) have such ratings: too few for an interval.",
    ),
    Note.HANGS_ON_ONE: (
        Severity.NO_INTERVAL,
        "The value hangs on a single dialogue: without it the statistic is not defined.",
    ),
    Note.NO_SPREAD: (
        Severity.NO_INTERVAL,
        (
            "The value does not change whichever dialogue is left out, so an interval cannot be "
            "estimated."
        ),
    ),
    Note.AT_BOUNDARY: (
        Severity.NO_INTERVAL,
        (
            "The items’ share of the variance is estimated as none, the least there can be: how "
            "much more it may be cannot be told by an interval around it."
        ),
    ),
    Note.TOO_FEW_RATERS: (
        Severity.NO_INTERVAL,
        "Fewer than 3 people have rated: how far other people differ in level cannot be told.",
    ),
    Note.UNBOUNDED: (Severity.NO_INTERVAL, "The interval has no limit on one side."),
    Note.NO_CEILING: (
        Severity.NO_INTERVAL,
        "People agree no better than chance here, so there is nothing to measure a judge against.",
    ),
    Note.TOO_FEW_LABELS: (
        Severity.NO_INTERVAL,
        "Too few items, or dialogues, have a rating by a person and by the judge for this estimate.",
    ),
    Note.LABELS_ALIKE: (
        Severity.NO_INTERVAL,
        (
            "Fewer than 4 of people’s ratings differ from the commonest one: too few to tell how far "
            "the mean may be off."
        ),
    ),
    Note.TOO_FEW_RARE_ANSWERS: (
        Severity.NO_INTERVAL,
        (
            "A rater gave the rarer of the two answers fewer than 15 times: the figure hangs on these, "
            "and an interval would hold the truth too seldom."
        ),
    ),
    Note.TOO_FEW_LOW: (
        Severity.GREY,
        (
            "Fewer than 3 items are rated low by all raters; agreement on low ratings cannot be "
            "judged yet."
        ),
    ),
    Note.TOO_FEW_HIGH: (
        Severity.GREY,
        (
            "Fewer than 3 items are rated high by all raters; agreement on high ratings cannot be "
            "judged yet."
        ),
    ),
    Note.FEW_LOW: (
        Severity.AMBER,
        "Only 3 or 4 items are rated low by all raters; agreement on low ratings rests on them.",
    ),
    Note.FEW_HIGH: (
        Severity.AMBER,
        "Only 3 or 4 items are rated high by all raters; agreement on high ratings rests on them.",
    ),
    Note.FEW_CLUSTERS: (
        Severity.AMBER,
        "Fewer than 20 dialogues (or items that stand alone) have such ratings; the interval is rough.",
    ),
    Note.FEW_SYSTEMS: (
        Severity.AMBER,
        "Fewer than 20 systems are compared; no verdict should rest on their means.",
    ),
    Note.UNDEFINED_RESAMPLES: (
        Severity.AMBER,
        "The statistic was not defined in some of the resamples; the interval leaves them out.",
    ),
    Note.EXPLORATORY: (Severity.AMBER, "Fewer than 30 pairs of ratings: exploratory."),
    Note.INCOMPLETE_LEFT_OUT: (
        Severity.AMBER,
        "Items that were not rated by the whole panel are left out of this statistic.",
    ),
    Note.ABSENT_RATER: (
        Severity.AMBER,
        "A rater without any rating is left out.",
    ),
    Note.RATERS_DIFFER_IN_LEVEL: (
        Severity.AMBER,
        (
            "Consistency and agreement differ by more than 0.05: the raters differ in level, so "
            "read the bias beside this."
        ),
    ),
    Note.NO_CONSENSUS: (
        Severity.AMBER,
        (
            "Mostly two people rate an item: each is compared with one other person, not with a "
            "consensus."
        ),
    ),
    Note.PEOPLE_LEFT_OUT: (
        Severity.AMBER,
        "People with too few items that others rated too are left out.",
    ),
    Note.FEW_LABELS: (
        Severity.AMBER,
        (
            "Fewer than 60 items are rated by people: where most ratings are equal the interval "
            "is too narrow."
        ),
    ),
    Note.OUTSIDE_SUPPORT: (
        Severity.AMBER,
        (
            "Some of the judge’s ratings lie outside the range that people’s ratings cover; they "
            "are left out."
        ),
    ),
    Note.FEW_REPEATS: (
        Severity.AMBER,
        "Fewer than 50 items with 5 repeats each: the judge’s repeatability is only a first look.",
    ),
    Note.PARTIAL_RUNS: (
        Severity.AMBER,
        (
            "Runs of the judge on fewer than four fifths of its items are left out; they tell "
            "its repeatability only."
        ),
    ),
    Note.RUNS_HELD_FIXED: (
        Severity.AMBER,
        (
            "The interval speaks of other items, but holds the judge’s runs fixed, for there are "
            "fewer than 3; another run may lie outside of it."
        ),
    ),
    Note.EARLIER: (
        Severity.GREY,
        (
            "This figure rests on the ratings of a moment ago, as many as its n says; it is "
            "being worked out again with the newest."
        ),
    ),
    Note.WEIGHTED: (
        Severity.AMBER,
        (
            "Items were drawn with unequal chances; each counts by one over its chance, so the "
            "figure is that of all items that could have been drawn."
        ),
    ),
    Note.NOT_WEIGHTED: (
        Severity.AMBER,
        (
            "These items were drawn with unequal chances; this figure is not weighted and holds for "
            "the drawn items only."
        ),
    ),
    Note.NO_CHANCE: (
        Severity.AMBER,
        (
            "These items were taken from a list, and items not on it had no chance to be drawn: "
            "no weights can mend that, and the figure holds for the listed items only."
        ),
    ),
}

_TELLING = {note: place for place, note in enumerate(Note)}


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """A statistic with its interval and what it was computed from.

    `value`, `low`, `high` are finite numbers or None, never NaN; `notes` say why, most serious
    first. `n_items` counts the items that entered, `n_pairs` the pairs of ratings on them,
    `n_clusters` the dialogues (or items, or systems) the interval is taken over. `method` names
    how the interval was made and is None where there is none.
    """

    statistic: str
    value: float | None
    low: float | None = None
    high: float | None = None
    n_items: int
    n_pairs: int
    n_clusters: int
    n_raters: int
    method: str | None = None
    notes: tuple[Note, ...] = ()

    def __post_init__(self) -> None:
        for number in (self.value, self.low, self.high):
            if number is not None and not math.isfinite(number):
                raise ValueError(f"{self.statistic}: {number} is not a number to show")

    @property
    def counted(self) -> tuple[int, int]:
        """Of a share: how many items it counts, and how many it leaves over."""
        n = round((self.value or 0.0) * self.n_items)
        return n, self.n_items - n

    @property
    def note(self) -> Note | None:
        """The most serious note."""
        return self.notes[0] if self.notes else None


def in_order(notes: Iterable[Note]) -> tuple[Note, ...]:
    """Each note once, most serious first."""
    return tuple(sorted(set(notes), key=_TELLING.__getitem__))


def number_or_none(value: float) -> float | None:
    """A finite number as it is, anything else as None."""
    return float(value) if math.isfinite(value) else None
