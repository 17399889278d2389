"""Several replies to one dialogue in one row: an item each, known by the row's key and who wrote it."""

import re
from collections import Counter
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import NamedTuple

from annotation.readers.fields import ATTRIBUTE, GOLD, without_nesting
from annotation.readers.messages import number_in
from annotation.readers.names import (
    ITEM_FIELDS,
    LLM,
    OPTIONAL_ITEM_FIELDS,
    is_named_as_llm,
)
from annotation.readers.problems import FileReason, Flaw
from annotation.readers.texts import is_no_value
from annotation.rubric.sentences import sentence

REPLY = "reply."
# Columns response_gpt4, llama_response: a word for a reply, and beside it who wrote it. Of “time” or
# “quality” nobody knows that, so it takes a name that LLMs or people have in files.
_WORD = r"(?:reply|response|answer|output|completion)"
_COLUMN = re.compile(rf"{_WORD}[\W_]+(?P<who>.+)|(?P<writer>.+?)[\W_]+{_WORD}", re.IGNORECASE)
_WRITER = re.compile(
    rf"{LLM}|(?:human|expert|therapist|counsell?or|clinician|peer|original|baseline|[ab])(?:[\W_]*\d+)?"
    r"|model[\W_]*(?:\d+|[ab])",
    re.IGNORECASE,
)
_NUMBERED = re.compile(rf"{_WORD}[\W_]*(\d{{1,2}})", re.IGNORECASE)
_LONGEST_NAME = 100
_OF_A_PAIR = {"chosen", "rejected"}
_MODELS = ("model", "generator")
_LISTS = (
    *("replies", "responses", "answers", "completions", "outputs"),
    *("model_responses", "model_outputs"),
)
_TEXTS = {"reply", "text", "content", *ITEM_FIELDS[("reply",)]}
_GENERATORS = {"generator", "source", *OPTIONAL_ITEM_FIELDS[("generator",)]}
_OWN = {"reply", "generator", "content_note"}

Fields = dict[str, object]


class OneReply(NamedTuple):
    """The fields of one item of a row, and what tells it from the others: blank where it is alone."""

    told_by: str
    fields: Fields


def each_reply(
    fields: Mapping[str, object], spelt: Callable[[str], str]
) -> tuple[list[OneReply], set[str]]:
    """(the items of a row, what was left out of objects that hold a reply).

    `fields` have the names that they have here, in lower case; `spelt` is how a name is written in
    the file. A reply that is blank is no item. Where no reply stands beside the dialogue, several
    are read from columns reply.GENERATOR, or response_GENERATOR of those that are known as such,
    or from a list or an object, such as `responses`.
    """
    names, replies = _replies_in(fields, spelt)
    given = [one for one in replies if not is_no_value(one["reply"])]
    if not given:
        return [OneReply("", dict(fields))], set()
    others = {name: raw for name, raw in fields.items() if name not in names}
    if len(given) > 1:
        _refuse_gold_of_all(others)
    left_out = {f"{names[0]}: {name}" for one in given for name in one if not _is_own(name)}
    rows = [others | {name: raw for name, raw in one.items() if _is_own(name)} for one in given]
    return list(map(OneReply, _told_by(given), rows)), left_out


def _replies_in(
    fields: Mapping[str, object], spelt: Callable[[str], str]
) -> tuple[list[str], list[Fields]]:
    """(the fields that replies stand in, each reply with what is said of it)."""
    if "reply" in fields:
        return [], []
    if columns := [name for name in fields if name.startswith(REPLY)]:
        _refuse_named(fields, spelt)
        writers = {name: spelt(name)[len(REPLY) :].strip() for name in columns}
        return columns, [
            {"generator": writer, "reply": fields[name]} for name, writer in writers.items()
        ]
    found = ((name, _listed(fields.get(name))) for name in _LISTS)
    listed = next((([name], replies) for name, replies in found if replies), None)
    return listed or _in_columns(fields, spelt)


def _in_columns(
    fields: Mapping[str, object], spelt: Callable[[str], str]
) -> tuple[list[str], list[Fields]]:
    """Those of columns such as response_gpt4; beside model_a, response_a is of the model in that cell."""
    writers = {name: writer for name in fields if (writer := _writer(spelt(name)))}
    if not any(map(_WRITER.fullmatch, writers.values())):
        _refuse_numbered(fields, spelt)
        _refuse_named(fields, spelt)
        return [], []
    for name, writer in writers.items():
        if not _WRITER.fullmatch(writer):
            raise Flaw(
                name[:60],
                FileReason.WRONG_SHAPE,
                sentence(
                    "Other columns hold a reply each, and this one may be another. If it is, call it "
                    "reply.{name}; if not, call it otherwise.",
                    name=writer[:60],
                ),
            )
    models = {
        name: [one for word in _MODELS if (one := f"{word}_{writer}".casefold()) in fields]
        for name, writer in writers.items()
    }
    return [*writers, *(one for found in models.values() for one in found)], [
        {"generator": fields[models[name][0]] if models[name] else writer, "reply": fields[name]}
        for name, writer in writers.items()
    ]


def _refuse_numbered(fields: Mapping[str, object], spelt: Callable[[str], str]) -> None:
    """Of response_0 and response_1 nobody knows whether each is a reply; an item without one is none."""
    numbered = [(spelt(name), head[1]) for name in fields if (head := _NUMBERED.fullmatch(name))]
    if len(numbered) > 1:
        (one, first), (other, second) = numbered[:2]
        raise Flaw(
            one[:60],
            FileReason.WRONG_SHAPE,
            sentence(
                "“{one}” and “{other}” may each be a reply. If they are, say so: {one} = reply.{first} "
                "and {other} = reply.{second}; if not, call them otherwise.",
                one=one[:60],
                other=other[:60],
                first=first,
                second=second,
            ),
        )


def _refuse_named(fields: Mapping[str, object], spelt: Callable[[str], str]) -> None:
    """A text under the name of an LLM, or of the better of a pair, may be the reply that is missing."""
    for name, raw in fields.items():
        may_be_one = is_named_as_llm(name) or name in _OF_A_PAIR
        if may_be_one and isinstance(raw, str) and not is_no_value(raw) and number_in(raw) is None:
            raise Flaw(
                spelt(name)[:60],
                FileReason.WRONG_SHAPE,
                sentence(
                    "It may be a reply, and no field is called so. If it is, say so: {name} = "
                    "reply.{name}; if not, call it otherwise: {name} = other.{name}.",
                    name=spelt(name)[:60],
                ),
            )


@lru_cache(maxsize=1024)
def _writer(column: str) -> str:
    """Who wrote what stands in a column, where its name has a word for a reply; or nobody."""
    head = _COLUMN.fullmatch(column) if len(column) <= _LONGEST_NAME else None
    return (head["who"] or head["writer"]).strip() if head else ""


def _listed(raw: object) -> list[Fields]:
    """The replies of {"gpt-4": "…", …}, ["…", …] or [{"model": "gpt-4", "response": "…"}, …]."""
    if isinstance(raw, Mapping):
        replies: list[Fields] = [{"generator": name, "reply": one} for name, one in raw.items()]
        return replies if all(_is_text(one["reply"]) for one in replies) else []
    if not isinstance(raw, list):
        return []
    if all(map(_is_text, raw)):
        return [{"reply": one} for one in raw]
    objects = [_own_names(without_nesting(one)) for one in raw if isinstance(one, Mapping)]
    is_whole = len(objects) == len(raw) and all(_is_text(one.get("reply", 0)) for one in objects)
    return objects if is_whole else []


def _own_names(fields: Fields) -> Fields:
    texts, generators = fields.keys() & _TEXTS, fields.keys() & _GENERATORS
    names = dict.fromkeys(texts, "reply") if len(texts) == 1 else {}
    names |= dict.fromkeys(generators, "generator") if len(generators) == 1 else {}
    return {names.get(name, name): raw for name, raw in fields.items()}


def _told_by(replies: list[Fields]) -> list[str]:
    """Who wrote each; numbers from 1 beside it where somebody wrote several, or nobody is named."""
    writers = ["" if is_no_value(name := one.get("generator")) else str(name) for one in replies]
    several, met = Counter(writers), Counter[str]()
    told = []
    for writer in writers:
        met[writer] += 1
        is_alone = writer and several[writer] == 1
        told.append(writer if is_alone else f"{writer}-{met[writer]}".removeprefix("-"))
    return told


def _refuse_gold_of_all(fields: Mapping[str, object]) -> None:
    gold = (name for name, raw in fields.items() if name.startswith(GOLD) and not is_no_value(raw))
    if name := next(gold, None):
        raise Flaw(
            name[:60],
            FileReason.WRONG_SHAPE,
            sentence(
                "The row has several replies, and does not say whose gold this is. Write an item a "
                "row, or the gold within the object of each reply."
            ),
        )


def _is_own(name: str) -> bool:
    return name in _OWN or name.startswith((GOLD, ATTRIBUTE))


def _is_text(raw: object) -> bool:
    return raw is None or isinstance(raw, str)
