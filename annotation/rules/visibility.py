"""Who may see whose answers: people's, judges' and gold, on every page and in every file."""

from dataclasses import dataclass
from enum import StrEnum

from annotation.rubric.sentences import Sentence, sentence
from annotation.rules.granting import SPLIT_LEVELS, WITHOUT_LEVEL, DataLevel, Split
from annotation.rules.lifecycle import RoundState


class Author(StrEnum):
    """What sort of author an answer has."""

    HUMAN = "human"
    JUDGE = "judge"
    GOLD = "gold"


class Phase(StrEnum):
    """How an answer stands to the round that is open."""

    OPEN = "open"
    """It was given in it."""
    AGAIN = "again"
    """It was given before or beside it, and its item is rated in it."""
    SETTLED = "settled"
    """Its item is in no open round."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reader:
    """Who asks for answers in a study.

    `rater` is None for who never rates. `rates_now`: they owe or gave ratings in an open round.
    `takes_away`: what they ask for leaves in a file, many answers at once. `has_single`, `has_gold`
    and `splits`: what of the data set is granted to them. `judges_are_blinded`: in this study, for
    everybody.
    """

    rater: int | None
    roles: frozenset[str]
    rates_now: bool = False
    takes_away: bool = False
    has_single: bool = True
    has_gold: bool = True
    splits: frozenset[Split] = frozenset(Split)
    judges_are_blinded: bool = False

    @property
    def annotates(self) -> bool:
        """Whether answers could sway ratings of theirs, now or later.

        Roles alone do not tell: one could put one's own aside to look, and take it up again.
        """
        return "annotator" in self.roles or self.rates_now


@dataclass(frozen=True, slots=True, kw_only=True)
class Given:
    """An answer as far as it matters to who may see it; `rater` is None for gold.

    `is_held_out`: whether its item is in a hold-out that has not ended.
    """

    author: Author
    phase: Phase
    rater: int | None = None
    is_held_out: bool = False


OPERATOR = Reader(rater=None, roles=frozenset({"operator"}), takes_away=True)
"""Who works on the server itself, for whom no account answers."""

NOT_ON_THE_TEAM = sentence("What was answered in a study is for its team.")
STILL_OPEN = sentence(
    "The round is still open: what its raters answered is told once it is closed."
)
COULD_SWAY = sentence(
    "You annotate in this study, so what judges answered is not handed to you: it could sway "
    "your ratings."
)
BLINDED = sentence(
    "Judges are blinded in this study: their answers to single items are shown once the judges "
    "are named, so that nobody can match a letter to a name."
)
NAMES_ARE_BLINDED = sentence(
    "Judges are blinded in this study: their names are for those who run them, until a verdict is "
    "sealed."
)
BLINDED_FIGURES = sentence(
    "Judges are blinded in this study: how well this one does is told under its letter, with the "
    "figures."
)
HELD_OUT = sentence(
    "This item is held out: what judges answer to it shows in figures alone, so that nobody writes "
    "a prompt by it. End the hold-out to look."
)
RATED_AGAIN = sentence(
    "You annotate in this study, so earlier answers to items that are now rated again are not "
    "handed to you: they could sway your ratings."
)


def reason_to_withhold(reader: Reader, given: Given) -> Sentence | None:
    """Say why this answer is not told to this reader under its author's name, or None.

    One's own always is, but not in a file while the round is open: there one would see which items
    came back unmarked. An adjudicator sees others' earlier without names, in the `blinded_order`.
    """
    is_own = given.rater is not None and given.rater == reader.rater
    is_open = given.phase is Phase.OPEN
    if is_own and not (is_open and reader.takes_away):
        return None
    if not reader.roles:
        return NOT_ON_THE_TEAM
    if is_open:
        return STILL_OPEN
    if given.author is Author.JUDGE and reader.annotates:
        return COULD_SWAY
    if given.author is Author.JUDGE and reader.judges_are_blinded:
        return BLINDED
    if given.author is Author.JUDGE and given.is_held_out:
        return HELD_OUT
    if given.phase is Phase.AGAIN and reader.annotates:
        return RATED_AGAIN
    if given.author is Author.GOLD:
        return None if reader.has_gold else WITHOUT_LEVEL[DataLevel.MAJORITY]
    return None if reader.has_single else WITHOUT_LEVEL[DataLevel.PER_RATER]


def reason_to_withhold_judges(reader: Reader, *, is_held_out: bool = False) -> Sentence | None:
    """Say why nothing that judges answered to single items is told to this reader, or None; with
    `is_held_out` to one that is in a hold-out."""
    given = Given(author=Author.JUDGE, phase=Phase.SETTLED, is_held_out=is_held_out)
    return reason_to_withhold(reader, given)


def reason_to_withhold_names(*, judges_are_blinded: bool, runs_judges: bool) -> Sentence | None:
    """Say why what goes by judges' names is not told to this account, or None."""
    return NAMES_ARE_BLINDED if judges_are_blinded and not runs_judges else None


def reason_to_withhold_item(reader: Reader, *, is_rated_now: bool) -> Sentence | None:
    """Say why people's answers, judges' and gold are not set side by side for an item, or None.

    While it is in an open round none of them is told there: to see which are missing would tell
    who has rated it already.
    """
    phase = Phase.OPEN if is_rated_now else Phase.SETTLED
    return reason_to_withhold(reader, Given(author=Author.HUMAN, phase=phase))


def reason_to_withhold_splits(reader: Reader) -> Sentence | None:
    """Say why what spans the whole data set is not handed to this reader, or None."""
    missing = (level for split, level in SPLIT_LEVELS.items() if split not in reader.splits)
    return next((WITHOUT_LEVEL[level] for level in missing), None)


def phase_of(given_in: RoundState | str | None, *, is_rated_now: bool) -> Phase:
    """The phase of an answer by the state of its round, None outside of rounds, and its item."""
    if given_in == RoundState.OPEN:
        return Phase.OPEN
    return Phase.AGAIN if is_rated_now else Phase.SETTLED
