"""What can be wrong with a file: a row that is left out, or a file that cannot be read at all."""

from dataclasses import dataclass
from enum import StrEnum

from annotation.rubric.sentences import Sentence, sentence


class FileReason(StrEnum):
    """Why a row cannot be imported, for counting."""

    MISSING = "missing"
    EMPTY_REPLY = "empty_reply"
    PLACEHOLDER = "placeholder"
    NOT_TEXT = "not_text"
    TOO_LONG = "too_long"
    DUPLICATE = "duplicate"
    UNKNOWN_SPEAKER = "unknown_speaker"
    EMPTY_TURN = "empty_turn"
    BROKEN_JSON = "broken_json"
    WRONG_SHAPE = "wrong_shape"
    NOT_GOLD = "not_gold"
    NOT_A_REPEAT = "not_a_repeat"
    UNKNOWN_ITEM = "unknown_item"
    UNKNOWN_CRITERION = "unknown_criterion"
    OTHER_RATER = "other_rater"
    OTHER_CONTENT = "other_content"


@dataclass(frozen=True, slots=True)
class FilePlace:
    """Where a row stands: a line of text, a row of a sheet, or an entry of a JSON list.

    Of several sheets the unit names that of the row: “row:ben”.
    """

    number: int
    unit: str = "line"
    line: int | None = None

    @property
    def words(self) -> Sentence:
        unit, _, sheet = self.unit.partition(":")
        if sheet:
            return sentence("row {number} of “{sheet}”", number=self.number, sheet=sheet)
        if unit == "row":
            return sentence("row {number}", number=self.number)
        if self.unit == "entry" and self.line is not None:
            return sentence("entry {number} (line {line})", number=self.number, line=self.line)
        return sentence("line {number}", number=self.number)


class Flaw(Exception):
    """What is wrong with one field of a row, raised before it is known where the row stands."""

    def __init__(self, field: str, reason: FileReason, why: Sentence) -> None:
        self.field = field
        self.reason = reason
        self.sentence = why
        super().__init__(reason)

    def at(self, place: FilePlace) -> "FileProblem":
        return FileProblem(place, self.field, self.reason, self.sentence)


@dataclass(frozen=True, slots=True)
class FileProblem:
    """A row that cannot be imported: where it stands, which field, and what to do."""

    place: FilePlace
    field: str
    reason: FileReason
    sentence: Sentence

    @property
    def words(self) -> str:
        field = f", “{self.field}”" if self.field else ""
        return f"{self.place.words}{field}: {self.sentence}"


class CannotRead(Exception):
    """The file as a whole cannot be read; `sentence` says why and what to do."""

    def __init__(self, why: Sentence) -> None:
        self.sentence = why
        super().__init__(why)
