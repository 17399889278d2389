"""Dialogues as transcripts have them: a row for each turn, those of a dialogue one after the other."""

import re
from collections.abc import Collection, Iterator, Sequence
from functools import reduce
from itertools import groupby, islice

from annotation.readers.fields import ATTRIBUTE, GOLD, key_or, without_nesting
from annotation.readers.messages import number_in, out_of_order
from annotation.readers.names import (
    ITEM_FIELDS,
    OPTIONAL_ITEM_FIELDS,
    TURN_NUMBERS,
    Names,
    own_names,
    renamed,
)
from annotation.readers.problems import CannotRead, FilePlace, FileProblem, FileReason, Flaw
from annotation.readers.records import Record
from annotation.readers.texts import MOST_BYTES_A_FIELD, is_no_value
from annotation.rubric.sentences import Sentence, sentence

_OF_EITHER = {"id", "编号"}  # of the dialogue or of the turn
_KEYS = tuple(name for name in ITEM_FIELDS[("key",)] if name not in _OF_EITHER)
_FIELDS: Names = {
    ("key",): (*_KEYS, "transcript_id", "session_id"),
    ("speaker",): ("interlocutor", "role", "speaker_idx", "说话人", "角色"),
    ("text",): ("utterance", "utterance_text", "content", "message", "value", "内容"),
    ("turn",): TURN_NUMBERS,
}
NAME_OF_A_DIALOGUE = re.compile(
    "(conversation|dialogue|dialog|chat|call|session|interview|transcript|case|file|video|client"
    r"|patient|participant|subject)([\W_]*(no|nr|number|name|index|idx|code)\.?)?"
)
_OF_A_TURN = ("speaker", "text", "turn")
_TIMES = (
    *("timestamp", "time", "start_time", "start", "datetime", "date_time", "created_at"),
    *("时间", "开始时间"),
)
_MOMENT = re.compile(
    r"(?:(\d{4}-\d\d-\d\d)[T ])?(\d{1,2}(?::\d\d){1,2}(?:[.,]\d{1,9})?)(?:Z|[+-]\d\d:?\d\d)?"
)
_ONCE = {"generator", "content_note", *OPTIONAL_ITEM_FIELDS[("generator",)]}
_WHOLE = (
    *("dialogue", "turns", "messages", "conversations"),
    *("reply", *ITEM_FIELDS[("reply",)]),
)


def is_transcript(names: Collection[str]) -> bool:
    """Whether rows are turns: there are a speaker and a text, and no dialogue or reply as a whole;
    without a key, what is called dialogue may be the number of one."""
    own = own_names(names, {}, optional={key: _FIELDS[key] for key in (("speaker",), ("text",))})
    found = {*names, *own.values()}
    whole = found.intersection(_WHOLE)
    return {"speaker", "text"} <= found and (
        not whole or (whole == {"dialogue"} and not has_keys(names))
    )


def has_keys(names: Collection[str]) -> bool:
    return "key" in {*names, *_own_names(names).values()}


def dialogues_in(
    records: Iterator[Record | FileProblem], *, name: str | None
) -> Iterator[Record | FileProblem]:
    """A record for each dialogue: its first row, with all its `turns`; a file without keys is one
    dialogue, known by its `name`. Of one that is too long so many are taken that it stays so.

    A turn that stands there again, with its number, as of a second annotator, is one turn.
    CannotRead where a dialogue would lack a turn: where a row is bad, or stands apart.
    """
    begun: set[str] = set()
    rows = (_row(record, name) for record in records)
    for key, group in groupby(rows, key=lambda row: str(row.fields["key"])):
        turns = list(islice(group, MOST_BYTES_A_FIELD))
        if key in begun:
            raise CannotRead(
                sentence(
                    "{place}: turns of “{key}” stand apart from its first ones. Sort the rows by "
                    "dialogue.",
                    place=turns[0].place.words,
                    key=key[:60],
                )
            )
        begun.add(key)
        try:
            yield _dialogue(turns)
        except Flaw as flaw:
            yield flaw.at(turns[0].place)


def _row(record: Record | FileProblem, name: str | None) -> Record:
    if isinstance(record, FileProblem):
        raise _without_a_turn(record.place, record.sentence)
    try:
        plain = without_nesting(record.fields)
        fields = renamed(plain, _own_names(plain))
        return Record(record.place, fields | {"key": key_or(name, fields)})
    except Flaw as flaw:
        raise _without_a_turn(record.place, flaw.sentence) from None


def _without_a_turn(place: FilePlace, why: Sentence) -> CannotRead:
    return CannotRead(
        sentence(
            "{place}: every row is a turn, and a dialogue would lack this one. {why}",
            place=place.words,
            why=why,
        )
    )


def _dialogue(given: Sequence[Record]) -> Record:
    rows = list({_turn(row, at): row for at, row in enumerate(given)}.values())
    numbers = [number_in(row.fields.get("turn")) for row in rows]
    known = [number for number in numbers if number is not None]
    if known != sorted(set(known)):
        raise out_of_order("turn")
    if not known:
        _check_times(rows)
    turns = [{name: row.fields.get(name) for name in ("speaker", "text")} for row in rows]
    others = {name: raw for name, raw in _of_any(given).items() if name not in _OF_A_TURN}
    return Record(rows[0].place, others | {"turns": turns})


def _check_times(rows: Sequence[Record]) -> None:
    """Turns without numbers stand in the order of their times, where they have such: programs list
    the last message first too."""
    for name in _TIMES:
        moments = [moment for row in rows if (moment := _moment(row.fields.get(name)))]
        if moments != sorted(moments):
            raise Flaw(
                name,
                FileReason.WRONG_SHAPE,
                sentence(
                    "The turns are not in the order of this field. Sort the rows by it or, if they "
                    "stand right, say that it is no time of theirs: {name} = other.{name}.",
                    name=name,
                ),
            )


def _moment(raw: object) -> tuple[str, float] | None:
    """(day, seconds) of a number or a clock, as mm:ss or h:mm:ss; None of anything else."""
    if (number := number_in(raw)) is not None:
        return "", number
    if (found := _MOMENT.fullmatch(str(raw).strip())) is None:
        return None
    parts = map(float, found[2].replace(",", ".").split(":"))
    return found[1] or "", reduce(lambda whole, part: 60 * whole + part, parts)


def _of_any(rows: Sequence[Record]) -> dict[str, object]:
    """What the first row says that says anything of a field; Flaw where rows say two things of what
    the whole item has."""
    found: dict[str, object] = {}
    for row in rows:
        for name, raw in row.fields.items():
            if is_no_value(found.get(name)):
                found[name] = raw
            elif (
                _is_of_the_item(name) and not is_no_value(raw) and _said(raw) != _said(found[name])
            ):
                raise Flaw(
                    name[:60],
                    FileReason.WRONG_SHAPE,
                    sentence(
                        "The rows of this dialogue say two things. Gold, attributes, generator and "
                        "content note are those of the whole item: write one, or leave the column "
                        "out."
                    ),
                )
    return found


def _is_of_the_item(name: str) -> bool:
    return name in _ONCE or name.startswith((GOLD, ATTRIBUTE))


def _said(raw: object) -> str:
    return " ".join(str(raw).split())


def _turn(row: Record, at: int) -> tuple[object, ...]:
    """What makes two rows one turn: number, speaker and text, where it has a number."""
    number = number_in(row.fields.get("turn"))
    return (at,) if number is None else (number, row.fields["speaker"], row.fields["text"])


def _own_names(names: Collection[str]) -> dict[str, str]:
    return own_names(names, _FIELDS, optional={})
