"""Files of items: which layout a file has, and its rows as items or problems."""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from itertools import chain, islice
from pathlib import Path

from annotation.readers import prodigy
from annotation.readers.fields import (
    ATTRIBUTE,
    GOLD,
    MOST_OF_A_NOTE,
    item_key,
    key_or,
    read_attributes,
    read_gold,
    read_gold_of,
    read_key,
    read_reply,
    read_short,
    read_turns,
    without_nesting,
)
from annotation.readers.mentalalign import Conversations, is_mentalalign
from annotation.readers.messages import number_in, with_turns
from annotation.readers.names import (
    ITEM_FIELDS,
    OPTIONAL_ITEM_FIELDS,
    RATING_FIELDS,
    TURN_NUMBERS,
    Names,
    by_header,
    renamed,
)
from annotation.readers.problems import CannotRead, FilePlace, FileProblem, FileReason, Flaw
from annotation.readers.records import (
    Record,
    Source,
    check_size,
    each,
    first_sign,
    json_list_records,
    jsonl_records,
    limited,
    twice,
)
from annotation.readers.replies import OneReply, each_reply
from annotation.readers.speaking import with_speakers
from annotation.readers.tables import TABLES, FileTable
from annotation.readers.texts import (
    Turn,
    begins_with_speaker,
    content_sha256,
    dialogue_sha256,
    is_no_value,
)
from annotation.readers.transcripts import (
    NAME_OF_A_DIALOGUE,
    dialogues_in,
    has_keys,
    is_transcript,
)
from annotation.readers.values import Criteria
from annotation.rubric import answers
from annotation.rubric.schema import Rubric, Taxonomy
from annotation.rubric.sentences import sentence

_KNOWN = {"key", "dialogue", "turns", "reply", "generator", "content_note"}
_CONVERSATION = "convid"
_DIALOGUE_SAFETY = {"context", "response"}
_DIALOGUE = next(names for names in ITEM_FIELDS if "dialogue" in names)
_KEY: Names = {("key",): ITEM_FIELDS[("key",)]}
# What a program gives every row to be known by; “valid” and “paid” are no such names.
_NAME_OF_A_KEY = re.compile(
    r"(^u{0,2}|[\W_]|question|prompt|post|sample|text|case"
    r"|conv|conversation|dialog|dialogue|item|session|record)id$|[编序]号$"
)
# Who says, under none of the names of a dialogue, what was said before.
_SAID_BEFORE = re.compile(
    r"(chat|conversation|dialogue|dialog|message)s?_(history|log)|(previous|prior)_(turns|messages|dialogue)"
    r"|transcript|对话历史|历史对话|聊天记录"
)
_ABOUT_A_ROW = {"meta", "metadata", "data", "info", "doc"}
_HISTORY = "history"  # or of an illness
_MAY_BE_THE_DIALOGUE = (
    "text",
    "transcript",
    "body",
    "content",
    "message",
    "utterance",
    "instruction",
)
_RATERS = RATING_FIELDS[("rater",)]
# What numbers the rows of a sheet, as pandas writes it too: a key, unless it is their places.
_NUMBERS_OF_ROWS = (
    *("column 1", "unnamed: 0", "index", "idx", "row", "number", "nr", "no", "nr.", "no.", "#"),
    *("序", "行号"),
)
_OF_A_PROGRAM = "_"  # as “_session_id” begins
MOST_CHARACTERS_SHOWN = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemRow:
    """One item as a file has it; `dialogue_key` is equal for items of one conversation."""

    place: FilePlace
    key: str
    dialogue_key: str
    turns: tuple[Turn, ...]
    reply: str | None
    reply_speaker: str = "supporter"
    generator: str = ""
    content_note: str = ""
    attributes: Mapping[str, str] = field(default_factory=dict)
    gold: tuple[answers.Answer, ...] = ()

    @property
    def content_sha256(self) -> str:
        return content_sha256(self.turns, reply=self.reply, reply_speaker=self.reply_speaker)

    def shown(self) -> dict[str, object]:
        """What a page says of the row before it is imported, as JSON can hold it."""
        return {
            "key": self.key,
            "last_turn": self.turns[-1]["text"][:MOST_CHARACTERS_SHOWN],
            "n_turns": len(self.turns),
            "reply": self.reply and self.reply[:MOST_CHARACTERS_SHOWN],
            "gold": [answer.label or answer.score for answer in self.gold],
        }


class ItemFile:
    """A file of items, opened: `layout` is what it was recognised as.

    Iterate for rows and problems in the file's order. Where it has no keys, items are known by
    their place in it, from 0. `ignored` are fields that nothing was read from, known once the rows
    have been read.
    """

    def __init__(self, source: Source, rubric: Rubric) -> None:
        check_size(source)
        self._source = source
        self._taxonomies = [one for one in rubric.criteria if isinstance(one, Taxonomy)]
        self._criteria = Criteria(rubric)
        self.ignored: set[str] = set()
        self.has_keys = True
        self._spelt: dict[str, str] = {}
        self._own_names = by_header(ITEM_FIELDS, optional=OPTIONAL_ITEM_FIELDS)
        try:
            self.layout, self._rows = self._recognise()
        except Flaw as flaw:  # of the names of its fields
            raise CannotRead(flaw.sentence) from None

    def __iter__(self) -> Iterator[ItemRow | FileProblem]:
        return limited(self._rows)

    def _recognise(self) -> tuple[str, Iterator[ItemRow | FileProblem]]:
        match self._source.suffix:
            case ending if ending in TABLES:
                return self._recognise_table(FileTable(self._source, self.ignored))
            case ".jsonl" | ".ndjson":
                return self._recognise_records("JSON Lines", jsonl_records(self._source))
            case ".json" if first_sign(self._source.path) == "{":
                return self._recognise_records("JSON Lines", jsonl_records(self._source))
            case ".json":
                return self._recognise_records("JSON", json_list_records(self._source))
        raise CannotRead(
            sentence(
                "Items are read from .csv, .xlsx, .jsonl and .json files; this name ends "
                "otherwise. Save the table as .xlsx, or as CSV in UTF-8, and texts as lines of {shape}.",
                shape='{"key": "…", "dialogue": "…"}',
            )
        )

    def _recognise_table(self, table: FileTable) -> tuple[str, Iterator[ItemRow | FileProblem]]:
        if is_mentalalign(table.columns):
            conversations = Conversations(table)
            self.ignored |= conversations.ignored
            return "MentalAlign", _items_of(conversations)
        records = with_speakers(table.records(), self._source.called)
        self._spelt = {name.casefold(): name for name in table.columns}
        names = set(self._spelt)
        if self._is_dialogue_safety(names):
            return self._as_dialogue_safety(names, records)
        if is_transcript(names):
            return "Transcript", self._dialogues(names, records)
        self._look_at(names)
        if names.isdisjoint((*_DIALOGUE, *ITEM_FIELDS[_DIALOGUE])):
            table.check_names()
            raise CannotRead(
                sentence(
                    "The header, which is the first line, has no column “dialogue”, nor “speaker” and "
                    "“text” for a turn a row. If they have other names there, say which: {example}.",
                    example=f"{_may_be_the_dialogue(table.columns) or 'NAME'} = dialogue",
                )
            )
        return table.layout, self._plain_items(records)

    def _recognise_records(
        self, layout: str, records: Iterator[Record | FileProblem]
    ) -> tuple[str, Iterator[ItemRow | FileProblem]]:
        records = with_speakers(records, self._source.called)
        first = list(islice(records, 1))
        records = chain(first, records)
        known = [
            {name.strip().casefold() for name in one.fields}
            for one in first
            if isinstance(one, Record)
        ]
        within = [
            f"{name}.{inner}"
            for one in first
            if isinstance(one, Record)
            for name, raw in one.fields.items()
            if isinstance(raw, Mapping) and name.casefold() in _ABOUT_A_ROW
            for inner in raw
        ]
        if known and is_transcript(known[0]):
            return "Transcript", self._dialogues(known[0], records)
        for fields in filter(self._is_dialogue_safety, known):
            return self._as_dialogue_safety(fields, records)
        for fields in known:
            if fields.isdisjoint((*_DIALOGUE, *ITEM_FIELDS[_DIALOGUE])) and (
                name := _may_be_the_dialogue((*fields, *within))
            ):
                raise CannotRead(
                    sentence(
                        "No field is called “dialogue”, and “{name}” may be it. If it is, say so: "
                        "{name} = dialogue.",
                        name=name[:60],
                    )
                )
            self._look_at({*fields, *within})
        if any(not _KNOWN.union(_DIALOGUE, ITEM_FIELDS[_DIALOGUE]) & fields for fields in known):
            raise CannotRead(
                sentence(
                    "The objects have other fields than items have. Items need a key and a "
                    "dialogue (as dialogue, context, turns or messages), and usually a reply."
                )
            )
        return layout, self._plain_items(records)

    def _is_dialogue_safety(self, names: Collection[str]) -> bool:
        """A label is one of the only taxonomy: without either, context and response are as others."""
        may_have_labels = "label" in names or len(self._taxonomies) == 1
        return set(names) >= _DIALOGUE_SAFETY and may_have_labels

    def _as_dialogue_safety(
        self, names: Collection[str], records: Iterator[Record | FileProblem]
    ) -> tuple[str, Iterator[ItemRow | FileProblem]]:
        self._own_names = by_header(_KEY, optional=OPTIONAL_ITEM_FIELDS)
        self._look_at(names)
        return "DialogueSafety", self._dialogue_safety_items(records)

    def _look_at(self, names: Collection[str]) -> None:
        """Find out whether rows are known by a key, or by their place in the file."""
        given = {*names, *self._own_names(tuple(names)).values()}
        self.has_keys = not given.isdisjoint(("key", _CONVERSATION))
        if not self.has_keys:
            _refuse_another_key(names)

    def _dialogues(
        self, names: Collection[str], records: Iterator[Record | FileProblem]
    ) -> Iterator[ItemRow | FileProblem]:
        name = None if has_keys(names) else Path(self._source.name).stem
        if name is not None:
            others = {*names} - {*TURN_NUMBERS}
            _refuse_another_key(others, filter(NAME_OF_A_DIALOGUE.fullmatch, others))
        return self._plain_items(dialogues_in(records, name=name))

    def _plain_items(
        self, records: Iterator[Record | FileProblem]
    ) -> Iterator[ItemRow | FileProblem]:
        for position, record in enumerate(records):
            for found in each([record], partial(self._plain_row, position)):
                yield from [found] if isinstance(found, FileProblem) else found

    def _plain_row(self, position: int, record: Record) -> list[ItemRow]:
        """The items of a row, one for each reply that it has to its dialogue."""
        plain = without_nesting(record.fields)
        if prodigy.is_decided(plain):
            self.ignored.add(prodigy.ANSWER)
            plain.pop(prodigy.ANSWER)
        spelt = self._spelt or {name.strip().casefold(): name.strip() for name in record.fields}
        replies, left_out = each_reply(
            renamed(plain, self._own_names(tuple(plain))), lambda name: spelt.get(name, name)
        )
        self.ignored |= left_out
        return [self._plain_item(position, record.place, one) for one in replies]

    def _plain_item(
        self, position: int, place: FilePlace, one: OneReply, *, reply: str = "reply"
    ) -> ItemRow:
        """An item under its key or, where the file has none, its place, counted from nought."""
        fields, left_out = with_turns(one.fields)
        _refuse_said_before(one.fields, fields)
        self.ignored |= left_out | {
            name
            for name in fields.keys() - _KNOWN - {_CONVERSATION}
            if not name.startswith((GOLD, ATTRIBUTE))
        }
        key = self._key(position, fields, writer="" if one.told_by else fields.get("generator"))
        turns = read_turns(fields)
        speaker, words = read_reply(reply, fields.get("reply"))
        return ItemRow(
            place=place,
            key=read_key("key", item_key(key, one.told_by)) if one.told_by else key,
            dialogue_key=dialogue_sha256(turns)[:16],
            turns=turns,
            reply=words,
            reply_speaker=speaker,
            generator=read_short("generator", fields.get("generator"), most=100),
            content_note=read_short(
                "content_note", fields.get("content_note"), most=MOST_OF_A_NOTE
            ),
            attributes=read_attributes(fields),
            gold=read_gold(self._criteria, fields),
        )

    def _key(self, position: int, fields: Mapping[str, object], *, writer: object = "") -> str:
        """The key of a row, that of its conversation with who wrote the reply, or its place."""
        if self.has_keys and "key" not in fields and _CONVERSATION in fields:
            conversation = read_key(_CONVERSATION, fields[_CONVERSATION])
            return item_key(conversation, name) if (name := _words(writer)) else conversation
        if not self.has_keys:
            _refuse_another_number(position, fields)
        return key_or(None if self.has_keys else position, fields)

    def _dialogue_safety_items(
        self, records: Iterator[Record | FileProblem]
    ) -> Iterator[ItemRow | FileProblem]:
        taxonomy = self._only_taxonomy()
        return chain.from_iterable(
            each([record], partial(self._dialogue_safety_item, taxonomy, position))
            for position, record in enumerate(records)
        )

    def _dialogue_safety_item(self, taxonomy: Taxonomy, position: int, record: Record) -> ItemRow:
        """What an item of any layout is, with a label as gold."""
        plain = without_nesting(record.fields)
        fields = renamed(plain, self._own_names(tuple(plain)))
        gold = read_gold_of("label", taxonomy, fields.pop("label", None))
        self.ignored |= fields.keys() & {"reply"}
        fields["reply"] = fields.pop("response", "")
        item = self._plain_item(position, record.place, OneReply("", fields), reply="response")
        if "dialogue" not in fields:
            self.ignored.discard("context")
        if {one.criterion for one in gold} & {one.criterion for one in item.gold}:
            raise twice("label")
        return replace(item, gold=(*item.gold, *gold))

    def _only_taxonomy(self) -> Taxonomy:
        if len(self._taxonomies) != 1:
            raise CannotRead(
                sentence(
                    "This layout carries one label an item, so the study's rubric must have "
                    "exactly one taxonomy; it has {count}. Say of which criterion the label is: "
                    "label = gold.CRITERION.",
                    count=len(self._taxonomies),
                )
            )
        return self._taxonomies[0]


def _is_talk(raw: object) -> bool:
    lines = raw if isinstance(raw, list) else [raw]
    return any(not isinstance(one, str) or begins_with_speaker(one) for one in lines)


@lru_cache(maxsize=1024)
def _is_said_before(field: str) -> bool:
    return bool(_SAID_BEFORE.fullmatch(field))


def _refuse_said_before(given: Mapping[str, object], left: Mapping[str, object]) -> None:
    """A dialogue without what was said before would be another."""
    for name in given.keys() & left.keys():
        raw = left[name]
        is_there = isinstance(raw, list | str) and bool(raw) and not is_no_value(raw)
        if is_there and (_is_said_before(name) or (name == _HISTORY and _is_talk(raw))):
            raise Flaw(
                name,
                FileReason.WRONG_SHAPE,
                sentence(
                    "It may hold what was said before, and no rater would read it. If it is the whole "
                    "dialogue, say so: {name} = dialogue; if a part, make one field of both; if "
                    "neither, call it otherwise: {name} = other.{name}.",
                    name=name,
                ),
            )


def _words(raw: object) -> str:
    return "" if is_no_value(raw) else str(raw).strip()


def _may_be_the_dialogue(names: Iterable[str]) -> str:
    """One that texts have elsewhere, within another too; or none."""
    given = {name.casefold().rpartition(".")[2]: name for name in names}
    return next((given[name] for name in _MAY_BE_THE_DIALOGUE if name in given), "")


def _refuse_another_key(names: Collection[str], others: Iterable[str] = ()) -> None:
    """Where no field is the key, none may be named as if it were: it would be passed over."""
    left = (
        name
        for name in names
        if name not in _RATERS and not name.startswith((GOLD, ATTRIBUTE, _OF_A_PROGRAM))
    )
    stranger = min((*filter(_NAME_OF_A_KEY.search, left), *others), default=None)
    if stranger:
        raise CannotRead(
            sentence(
                "No field is called “key”, and “{name}” could be what tells items apart. If it is, "
                "say so: {name} = key; if not, add a field “key”, or say {name} = attribute.{last}.",
                name=stranger[:60],
                last=stranger[:60].rpartition(".")[2],
            )
        )


def _refuse_another_number(position: int, fields: Mapping[str, object]) -> None:
    """Where an item is known by its place, its row may bear no other number, as ratings would."""
    for name in _NUMBERS_OF_ROWS:
        number = number_in(fields.get(name))
        if number is not None and number != position:
            raise Flaw(
                name,
                FileReason.WRONG_SHAPE,
                sentence(
                    "No field is called “key”, so that this would be the item {place}, from 0; here "
                    "it has another number. If that is its key, say so: {name} = key; if not, leave "
                    "the column out.",
                    place=position,
                    name=name,
                ),
            )


def _items_of(conversations: Conversations) -> Iterator[ItemRow | FileProblem]:
    """The items of conversations: one for each of their sources, without the reply's text."""
    for conversation in conversations:
        if isinstance(conversation, FileProblem):
            yield conversation
            continue
        for cell in conversation.cells:
            yield ItemRow(
                place=conversation.place,
                key=item_key(conversation.key, cell.generator),
                dialogue_key=conversation.key,
                turns=conversation.turns,
                reply=None,
                generator=cell.generator,
            )
