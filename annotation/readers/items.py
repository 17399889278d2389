"""Files of items: which layout a file has, and its rows as items or problems."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from itertools import chain, islice

from annotation.readers.fields import (
    GOLD,
    read_gold,
    read_gold_of,
    read_key,
    read_reply,
    read_short,
    read_turns,
    without_nesting,
)
from annotation.readers.problems import CannotRead, Flaw, Place, Problem
from annotation.readers.records import (
    Record,
    Source,
    check_size,
    csv_records,
    each,
    first_sign,
    json_list_records,
    jsonl_records,
    limited,
)
from annotation.readers.texts import Turn, content_sha256, dialogue_sha256
from annotation.readers.values import Criteria
from annotation.readers.workbooks import Workbook
from annotation.rubric import answers
from annotation.rubric.schema import Rubric, Taxonomy
from annotation.rubric.sentences import sentence

_KNOWN = {"key", "dialogue", "context", "turns", "reply", "generator", "content_note"}
_DIALOGUE_SAFETY = {"context", "response"}


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemRow:
    """One item as a file has it; `dialogue_key` is equal for items of one conversation."""

    place: Place
    key: str
    dialogue_key: str
    turns: tuple[Turn, ...]
    reply: str | None
    reply_speaker: str = "supporter"
    generator: str = ""
    content_note: str = ""
    gold: tuple[answers.Answer, ...] = ()

    @property
    def content_sha256(self) -> str:
        return content_sha256(self.turns, reply=self.reply, reply_speaker=self.reply_speaker)


class ItemFile:
    """A file of items, opened: `layout` is what it was recognised as.

    Iterate for rows and problems in the file's order. `ignored` are fields that nothing was read
    from, known once the rows have been read.
    """

    def __init__(self, source: Source, rubric: Rubric) -> None:
        check_size(source)
        self._source = source
        self._rubric = rubric
        self._criteria = Criteria(rubric)
        self.ignored: set[str] = set()
        self.layout, self._rows = self._recognise()

    def __iter__(self) -> Iterator[ItemRow | Problem]:
        return limited(self._rows)

    def _recognise(self) -> tuple[str, Iterator[ItemRow | Problem]]:
        path = self._source.path
        match self._source.suffix:
            case ".csv" | ".tsv":
                records = csv_records(path, ["key"], ["dialogue", "context"])
                return "CSV", each(records, self._plain_item)
            case ".jsonl" | ".ndjson":
                return "JSON Lines", self._plain_items(jsonl_records(path))
            case ".json":
                return self._recognise_json()
            case ".xlsx":
                return "MentalAlign", _items_of(Workbook(self._source))
        raise CannotRead(
            sentence(
                "Items are read from .csv, .jsonl, .json and .xlsx files; this name ends "
                "otherwise. Save the table as CSV (UTF-8)."
            )
        )

    def _recognise_json(self) -> tuple[str, Iterator[ItemRow | Problem]]:
        path = self._source.path
        match first_sign(path):
            case "{":
                return "JSON Lines", self._plain_items(jsonl_records(path))
            case "[":
                first, records = _looked_into(json_list_records(path))
                if all(map(_is_dialogue_safety, first)):
                    return "DialogueSafety", self._dialogue_safety_items(records)
                return "JSON", self._plain_items(records)
        raise CannotRead(
            sentence("A .json file of items holds a list of objects, or one object a line.")
        )

    def _plain_items(self, records: Iterator[Record | Problem]) -> Iterator[ItemRow | Problem]:
        first, records = _looked_into(records)
        for record in first:
            if isinstance(record, Record) and not _KNOWN & without_nesting(record.fields).keys():
                raise CannotRead(
                    sentence(
                        "The objects have other fields than items have. Items need a key and a "
                        "dialogue (as dialogue, context or turns), and usually a reply."
                    )
                )
        return each(records, self._plain_item)

    def _plain_item(self, record: Record) -> ItemRow:
        fields = without_nesting(record.fields)
        self.ignored |= {name for name in fields.keys() - _KNOWN if not name.startswith(GOLD)}
        turns = read_turns(fields)
        speaker, reply = read_reply("reply", fields.get("reply"))
        return ItemRow(
            place=record.place,
            key=read_key("key", fields.get("key")),
            dialogue_key=dialogue_sha256(turns)[:16],
            turns=turns,
            reply=reply,
            reply_speaker=speaker,
            generator=read_short("generator", fields.get("generator"), most=100),
            content_note=read_short("content_note", fields.get("content_note"), most=200),
            gold=read_gold(self._criteria, fields),
        )

    def _dialogue_safety_item(self, taxonomy: Taxonomy, record: Record) -> ItemRow:
        self.ignored |= record.fields.keys() - _DIALOGUE_SAFETY - {"label"}
        turns = read_turns(record.fields)
        speaker, reply = read_reply("response", record.fields.get("response", ""))
        return ItemRow(
            place=record.place,
            key=str(record.place.number - 1),
            dialogue_key=dialogue_sha256(turns)[:16],
            turns=turns,
            reply=reply,
            reply_speaker=speaker,
            gold=read_gold_of("label", taxonomy, record.fields.get("label")),
        )

    def _dialogue_safety_items(
        self, records: Iterator[Record | Problem]
    ) -> Iterator[ItemRow | Problem]:
        return each(records, partial(self._dialogue_safety_item, self._only_taxonomy()))

    def _only_taxonomy(self) -> Taxonomy:
        found = [one for one in self._rubric.criteria if isinstance(one, Taxonomy)]
        if len(found) != 1:
            raise CannotRead(
                sentence(
                    "This layout carries one label an item, so the study's rubric must have "
                    "exactly one taxonomy; it has {count}.",
                    count=len(found),
                )
            )
        return found[0]


def _items_of(workbook: Workbook) -> Iterator[ItemRow | Problem]:
    """The items of a workbook: one a conversation and source, without the reply's text."""
    for conversation in workbook.conversations():
        try:
            key = read_key("ConvID", conversation.key, most=50)
            turns = read_turns({"context": conversation.context})
        except Flaw as flaw:
            yield flaw.at(conversation.place)
            continue
        for cell in conversation.cells:
            yield ItemRow(
                place=conversation.place,
                key=item_key(key, cell.generator),
                dialogue_key=key,
                turns=turns,
                reply=None,
                generator=cell.generator,
            )


def item_key(conversation_key: str, generator: str) -> str:
    return f"{conversation_key}-{generator}"


def _looked_into(
    records: Iterator[Record | Problem],
) -> tuple[list[Record | Problem], Iterator[Record | Problem]]:
    """The first record, if there is one, and all of them."""
    first = list(islice(records, 1))
    return first, chain(first, records)


def _is_dialogue_safety(record: Record | Problem) -> bool:
    return (
        isinstance(record, Record)
        and record.fields.keys() >= _DIALOGUE_SAFETY
        and "key" not in record.fields
    )
