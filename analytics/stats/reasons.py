"""The words of a trust card: what a line comes to, and why.

Three ways of not being met are kept apart, for each asks for something else: what is surely below
its bar stays there, what is not yet shown takes more of the same data, and what cannot be shown
takes data of another kind: a second person, repeats, flagged items.
"""

from enum import StrEnum


class LineOutcome(StrEnum):
    """What a line says: `MET`, as it is or `MET_CALIBRATED`; `BELOW` the bar of trust for sure;
    `NOT_YET` shown, for the interval holds the bar; `MISSING`, for these data cannot show it;
    `RULED_OUT`, for sure beyond what any use takes."""

    MET = "met"
    MET_CALIBRATED = "met once calibrated"
    BELOW = "surely below"
    NOT_YET = "not yet shown"
    MISSING = "cannot be shown"
    RULED_OUT = "ruled out"


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
    SURELY_SHORT = "surely short"
    SHORT_OF_UNKNOWN = "short, ceiling unknown"
    SHORT_LIKE_PEOPLE = "short, as people are"
    BEYOND = "beyond"
    OUT_OF_REACH = "out of reach"
    ALWAYS_THE_SAME = "always the same"
    NO_BETTER_THAN_CONSTANT = "no better than a constant"
    CONSTANT_PASSES = "a constant passes"
    WITHIN_MARGIN = "within the margin"
    WITHIN_MARGIN_CALIBRATED = "within the margin once calibrated"
    NOT_WITHIN_MARGIN = "not within the margin"
    OUTSIDE_MARGIN = "outside the margin"
    BETTER_THAN_PEOPLE = "better than people"
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
    OTHER_ANSWERS = "other answers"

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
    LineReason.NOT_CLEAR: "The bar lies within the interval: it is not shown on which side of it the judge is.",
    LineReason.SURELY_SHORT: "The whole interval is below the bar of trust.",
    LineReason.SHORT_OF_UNKNOWN: (
        "The whole interval is below what any use allows, but nobody knows how close a second "
        "expert would come: the judge is not trusted, and not ruled out."
    ),
    LineReason.SHORT_LIKE_PEOPLE: (
        "The whole interval is below what any use allows, but people are not shown to agree better "
        "with each other: the judge is not trusted, and not ruled out."
    ),
    LineReason.BEYOND: "The whole interval is beyond the bar at which a judge must not be used.",
    LineReason.OUT_OF_REACH: (
        "Against people who agree as little as these even a flawless judge would stay below the "
        "bar: it cannot be shown with these raters."
    ),
    LineReason.ALWAYS_THE_SAME: (
        "The judge says the same of every item, so it tells nothing apart: nobody needs a judge "
        "for that."
    ),
    LineReason.NO_BETTER_THAN_CONSTANT: (
        "The judge agrees with people no better than one that says the same of every item."
    ),
    LineReason.CONSTANT_PASSES: (
        "A judge that says the same of every item would clear this bar too, so clearing it "
        "certifies nothing."
    ),
    LineReason.WITHIN_MARGIN: "The whole interval lies within the margin.",
    LineReason.WITHIN_MARGIN_CALIBRATED: (
        "The whole interval lies within the margin once the judge is calibrated."
    ),
    LineReason.NOT_WITHIN_MARGIN: "The interval does not lie within the margin as a whole.",
    LineReason.OUTSIDE_MARGIN: "The whole interval lies outside the margin.",
    LineReason.BETTER_THAN_PEOPLE: "The judge is better than a second expert.",
    LineReason.NOT_INFERIOR: (
        "The judge is as good as a second expert: no worse by more than the margin."
    ),
    LineReason.INFERIOR: "The judge is worse than a second expert by more than the margin.",
    LineReason.NOT_SHOWN_TO_BE_NO_WORSE: (
        "The judge may be worse than a second expert by more than the margin."
    ),
    LineReason.STANDS_IN: "The judge stands in for at least half of the people.",
    LineReason.DOES_NOT_STAND_IN: (
        "The judge is not shown to stand in for at least half of the people."
    ),
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
    LineReason.OTHER_ANSWERS: (
        "The judge answers its sentinels otherwise than before: the card has expired until a person "
        "decides."
    ),
}
