"""The layout of MentalAlign: a row per conversation, a column per source of replies.

Badawi et al. (2025), "When Can We Trust LLMs in Mental Health?". Columns are named
`human_response_SOURCE` or `judge_response_SOURCE`; a cell holds one rater's ratings of that
source's reply as JSON. The replies themselves are not in the file.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from annotation.readers.fields import read_key, read_turns
from annotation.readers.problems import CannotRead, FilePlace, FileProblem
from annotation.readers.records import Record, each
from annotation.readers.tables import FileTable
from annotation.readers.texts import Turn
from annotation.rubric.sentences import sentence

MOST_CHARACTERS_A_SOURCE = 100
_CONVERSATION = {"convid", "context"}
_SOURCE_COLUMN = re.compile(r"(?P<kind>human|judge)_response_(?P<generator>\S.*)", re.IGNORECASE)
_WHOLE = re.compile(r"(?<=\d)\.0$")  # programs write whole numbers so where a row is blank

RaterKind = Literal["human", "judge"]


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkbookCell:
    """One rater's ratings of one source's reply to a conversation, as they came."""

    column: str
    generator: str
    raw: object


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversation:
    """One row of the table."""

    place: FilePlace
    key: str
    turns: tuple[Turn, ...]
    cells: tuple[WorkbookCell, ...]


class Conversations:
    """The rows of a table as conversations; `kind` is who its columns say has rated.

    `ignored` are columns that nothing is read from.
    """

    def __init__(self, table: FileTable) -> None:
        self._records = table.records(["convid"], ["context"])
        self._sources = {
            match[0]: match["generator"].strip() for match in _source_columns(table.columns)
        }
        self.kind = _kind(table.columns)
        self.ignored = {
            name
            for name in table.columns
            if name not in self._sources and name.casefold() not in _CONVERSATION
        }
        for generator in self._sources.values():
            if len(generator) > MOST_CHARACTERS_A_SOURCE:
                raise CannotRead(
                    sentence(
                        "The name of a source has more than {most} characters.",
                        most=MOST_CHARACTERS_A_SOURCE,
                    )
                )

    def __iter__(self) -> Iterator[Conversation | FileProblem]:
        return each(self._records, self._conversation)

    def _conversation(self, record: Record) -> Conversation:
        key = _WHOLE.sub("", str(record.fields["convid"]).strip())
        return Conversation(
            place=record.place,
            key=read_key("ConvID", key, most=50),
            turns=read_turns({"context": record.fields["context"]}),
            cells=tuple(
                WorkbookCell(
                    column=column, generator=generator, raw=record.fields[column.casefold()]
                )
                for column, generator in self._sources.items()
            ),
        )


def is_mentalalign(columns: Sequence[str]) -> bool:
    return any(_source_columns(columns))


def _source_columns(columns: Sequence[str]) -> Iterator[re.Match[str]]:
    return filter(None, map(_SOURCE_COLUMN.fullmatch, columns))


def _kind(columns: Sequence[str]) -> RaterKind:
    kinds = {match["kind"].casefold() for match in _source_columns(columns)}
    if len(kinds) != 1:
        raise CannotRead(
            sentence(
                "The columns of ratings must all be named human_response_SOURCE, or all "
                "judge_response_SOURCE: a file holds the ratings of one rater. Make two of it."
            )
        )
    return "human" if kinds == {"human"} else "judge"
