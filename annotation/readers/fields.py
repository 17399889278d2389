"""The fields of an item as a file has them: each is read as its value, or a Flaw is raised."""

import re
import unicodedata
from collections.abc import Mapping

from annotation.readers.messages import each_said, only_text
from annotation.readers.problems import FileReason, Flaw
from annotation.readers.records import twice
from annotation.readers.texts import (
    Turn,
    checked,
    checked_turns,
    cut_into_turns,
    cut_reply,
    is_no_value,
    refuse_placeholder,
)
from annotation.readers.values import Criteria, read_in_file
from annotation.rubric import answers
from annotation.rubric.schema import Criterion
from annotation.rubric.sentences import sentence
from annotation.rules.speakers import ROLES

GOLD = "gold."
ATTRIBUTE = "attribute."
OF_EVERY_ITEM = (
    "generator",
    "language",
    "round",
    "length",
    "note",
)  # what slices know by themselves
MOST_ATTRIBUTES, LONGEST_VALUE = 20, 100
MOST_OF_A_NOTE = 200
ITEM_NAMES = ("item", "item_key", "key")
CONVERSATION_NAMES = ("convid", "conversation")
SOURCE_NAMES = ("generator", "source")
NAMES_OF_AN_ITEM = {*ITEM_NAMES, *CONVERSATION_NAMES, *SOURCE_NAMES}


# What is left of a long number, and of what looks like a date or a time, in a spreadsheet program.
_CHANGED_IN_A_SHEET = re.compile(
    r"\d(?:[.,]\d+)?e\+\d{2,3}|\d{4}-\d\d-\d\d 00:00:00|\d\d:\d\d:\d\d", re.IGNORECASE
)


def without_nesting(fields: Mapping[str, object]) -> dict[str, object]:
    """Names in lower case, and {"gold": {"safety": …}} as "gold.safety"; attributes likewise."""
    flat = in_lower_case(fields)
    for nested, prefix in (("gold", GOLD), ("attributes", ATTRIBUTE)):
        inner = flat.get(nested)
        if isinstance(inner, Mapping):
            del flat[nested]
            for name, value in inner.items():
                plain = prefix + name.strip().casefold()
                if plain in flat:
                    raise twice(plain)
                flat[plain] = value
    return flat


def in_lower_case(fields: Mapping[str, object]) -> dict[str, object]:
    """Names as they are compared; Flaw where two fields are then named alike."""
    found: dict[str, object] = {}
    for name, value in fields.items():
        plain = name.strip().casefold()
        if plain in found:
            raise twice(plain)
        found[plain] = value
    return found


def read_key(field: str, raw: object, *, most: int = 160) -> str:
    """One form of each letter: programs write an accent as a sign of its own, or not."""
    key = str(raw).strip() if isinstance(raw, str | int) and not isinstance(raw, bool) else ""
    key = unicodedata.normalize("NFC", key)
    if is_no_value(key):
        raise Flaw(
            field,
            FileReason.MISSING,
            sentence("Every row needs a key of its own: a short text or a number."),
        )
    if _CHANGED_IN_A_SHEET.fullmatch(key):
        raise Flaw(
            field,
            FileReason.NOT_TEXT,
            sentence(
                "“{key}” is what a spreadsheet program makes of a long number, a date or a time, and "
                "no key any more. Take the file from before, with this column as text.",
                key=key,
            ),
        )
    if not checked(field, key, most=most).isprintable():
        raise Flaw(
            field,
            FileReason.NOT_TEXT,
            sentence("A key may hold letters, digits, signs and blanks."),
        )
    return key


def key_or(instead: object, fields: Mapping[str, object]) -> str:
    """The key of a row or, in a file whose first row has none, what there is `instead` of it."""
    if instead is not None and "key" in fields:
        raise Flaw(
            "key",
            FileReason.WRONG_SHAPE,
            sentence("The first row has no key, and this one has. Give every row a key, or none."),
        )
    return read_key("key", fields.get("key") if instead is None else instead)


def item_key(conversation_key: str, generator: str) -> str:
    return f"{conversation_key}-{generator}"


def read_item(fields: Mapping[str, object]) -> tuple[str, str]:
    """(the field that names the item, its key): a key, or conversation and source."""
    for name in ITEM_NAMES:
        if name in fields:
            return name, _read_part(name, fields)
    name = next((name for name in CONVERSATION_NAMES if name in fields), ITEM_NAMES[0])
    if name not in fields:
        raise Flaw(
            name,
            FileReason.MISSING,
            sentence("No field says which item it is about. If one does, say so: NAME = item."),
        )
    source = next((one for one in SOURCE_NAMES if one in fields), SOURCE_NAMES[-1])
    return name, item_key(_read_part(name, fields), _read_part(source, fields))


def _read_part(name: str, fields: Mapping[str, object]) -> str:
    if is_no_value(fields.get(name)):
        raise Flaw(
            name, FileReason.MISSING, sentence("The row does not say which item it is about.")
        )
    return read_key(name, fields[name])


def read_turns(fields: Mapping[str, object]) -> tuple[Turn, ...]:
    """The turns of a dialogue: given one by one as `turns`, or as text with tags."""
    if fields.get("turns") is not None:
        return _given_turns(fields["turns"])
    is_context = fields.get("dialogue") is None and "context" in fields
    field = "context" if is_context else "dialogue"
    text = _text(field, fields.get(field))
    if not text:
        raise Flaw(
            field,
            FileReason.MISSING,
            sentence(
                "The dialogue is missing: there is nothing to rate. Write it or drop the row."
            ),
        )
    refuse_placeholder(field, text)
    return cut_into_turns(field, text)


def read_reply(field: str, raw: object) -> tuple[str, str | None]:
    """(speaker, text) of the reply; the text is None where it was not published."""
    if raw is None:
        return "supporter", None
    return cut_reply(field, _text(field, only_text(field, raw)))


def read_short(field: str, raw: object, *, most: int) -> str:
    """A text or a number, as its text."""
    if isinstance(raw, int | float) and not isinstance(raw, bool):
        raw = str(raw)
    return checked(field, _text(field, raw), most=most)


def read_attributes(fields: Mapping[str, object]) -> dict[str, str]:
    """{name: value} of every field named attribute.NAME that is not blank."""
    attributes: dict[str, str] = {}
    for field, raw in fields.items():
        if field.startswith(ATTRIBUTE):
            name = _attribute_name(field)
            if name in attributes:
                raise twice(field)
            attributes[name] = _attribute_value(field, raw)
    found = {name: value for name, value in sorted(attributes.items()) if value}
    if len(found) > MOST_ATTRIBUTES:
        raise Flaw(
            "attributes",
            FileReason.WRONG_SHAPE,
            sentence(
                "An item has at most {most} attributes; this one has {count}.",
                most=MOST_ATTRIBUTES,
                count=len(found),
            ),
        )
    return found


def _attribute_name(field: str) -> str:
    name = field.removeprefix(ATTRIBUTE).strip().casefold()
    if not re.fullmatch(r"[^\W\d_][\w-]{0,39}", name):
        raise Flaw(
            field[:60],
            FileReason.WRONG_SHAPE,
            sentence(
                "The name of an attribute begins with a letter and has at most 40 letters, digits, "
                "hyphens and underscores."
            ),
        )
    if name in OF_EVERY_ITEM:
        raise Flaw(
            field[:60],
            FileReason.WRONG_SHAPE,
            sentence(
                "Every item has “{name}” by itself. Give the attribute another name.", name=name
            ),
        )
    return name


def _attribute_value(field: str, raw: object) -> str:
    value = " ".join(read_short(field[:60], raw, most=LONGEST_VALUE).split())
    if not value.isprintable():
        raise Flaw(
            field[:60],
            FileReason.NOT_TEXT,
            sentence("The value of an attribute may hold letters, digits, signs and blanks."),
        )
    return value


def read_gold(criteria: Criteria, fields: Mapping[str, object]) -> tuple[answers.Answer, ...]:
    """The answers in every field named gold.CRITERION that is not blank."""
    gold: tuple[answers.Answer, ...] = ()
    for name, raw in fields.items():
        if not name.startswith(GOLD):
            continue
        criterion = criteria.named(name.removeprefix(GOLD))
        if criterion is None:
            raise Flaw(
                name[:60],
                FileReason.UNKNOWN_CRITERION,
                sentence("The rubric has only these criteria: {criteria}.", criteria=criteria.keys),
            )
        found = read_gold_of(name[:60], criterion, raw)
        if found and any(one.criterion == criterion.key for one in gold):
            raise twice(name)
        gold += found
    return gold


def read_gold_of(field: str, criterion: Criterion, raw: object) -> tuple[answers.Answer, ...]:
    """The gold of one criterion; none where the file leaves it blank."""
    result = read_in_file(criterion, raw)
    if isinstance(result, answers.Answer):
        return (result,)
    if result.reason is answers.Reason.MISSING:
        return ()
    raise Flaw(field, FileReason.NOT_GOLD, result.sentence)


def _given_turns(raw: object) -> tuple[Turn, ...]:
    said = each_said("turns", raw) if isinstance(raw, list) else []
    if not said or not all(said):
        raise Flaw(
            "turns",
            FileReason.WRONG_SHAPE,
            sentence("Turns are a list of {shape}.", shape='{"speaker": "seeker", "text": "…"}'),
        )
    turns = tuple(
        {"speaker": ROLES.get(speaker, speaker), "text": text}
        for speaker, text in filter(None, said)
    )
    checked("turns", "\n".join(turn["text"] for turn in turns))
    return checked_turns("turns", turns)


def _text(field: str, raw: object) -> str:
    if raw is None:
        return ""
    if not isinstance(raw, str):
        raise Flaw(field, FileReason.WRONG_SHAPE, sentence("This must be text."))
    return checked(field, raw).strip()
