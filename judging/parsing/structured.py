"""The JSON objects in an answer: bare, fenced, amid prose, and written with slips of the pen."""

import ast
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from judging.parsing.plain import plain, visible
from judging.parsing.quotations import is_attributed, reports, without_blocks
from judging.parsing.voices import introduces

_COMMENT = re.compile(r"(?m)(?<=[,{\[\d\"])\s*//[^\n\"]*$|/\*.*?\*/")
_BARE_KEY = re.compile(r"([{,]\s*)([A-Za-z_][\w ]*?)(\s*:)")
_BARE_VALUE = re.compile(r"(\"\s*:\s*)(?!(?:true|false|null)\b)([^\W\d]\w*)(?=\s*[,}])")
_WORDS = {"true": "True", "false": "False", "null": "None"}
_FENCED = re.compile(r"```(?:json\w*)?\s*$", re.IGNORECASE)
_EXAMPLE = re.compile(
    r"(?:^|\b(?:an|the|this|for)\s+)\W*example(?: (?:output|answer|object)\b|\b)(?: of (?:the|what)\b[^.:,\n]{0,30}|[^.:\n]{0,12}):?\s*$|\b(?:looks? like|would be)\b[^.:\n]{0,20}:?\s*$",
    re.IGNORECASE,
)
_OWN = re.compile(r"\b(?:i|my|me|we|our|here|following)\b|我|以下|如下", re.IGNORECASE)
_BEGUN = re.compile(r"\{\s*([\"'“]?)[\w -]{1,60}")
_ENDS_A_STRING = r"(?=\s*(?:[:}\]]|\Z|,\s*(?:[\"'“{\[}\]\d-]|\w+\s*:|true|false|null|\Z)))"
_OPEN_STRING = {  # a quotation mark behind which nothing closes it
    mark: re.compile(rf"[:,{{\[]\s*({mark}(?:\\.|(?!{end}{_ENDS_A_STRING})[^\\])*)\\?\Z", re.DOTALL)
    for mark, end in ('""', "''", "“”")
}
_CLOSES = {"{": "}", "[": "]"}
_MOST_CUTS = 40
_DENIED_BEFORE = re.compile(r"(?:\bnot|\bnever|n't)\b[^.:,;\n]{0,20}\Z", re.IGNORECASE)
_DENIED_BEHIND = re.compile(r"\s*(?:is|was|would be)(?: not|n't)\b", re.IGNORECASE)
_LEAD = 300  # characters in which what leads to an object is looked for

_OPENING = "'\"`“‘「『"


class SaidTwice(Exception):
    """One name with two values."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JsonFound:
    """The objects in an answer, the text around them, and that behind the last one."""

    objects: tuple[Mapping[str, object], ...]
    around: str
    behind: str
    is_quoted: bool = False


def objects_in(text: str) -> JsonFound:
    """Find every object that is not inside another; SaidTwice where one contradicts itself."""
    text = without_blocks(visible(_unescaped(text)))
    found = _objects_in(text)
    return found if found.objects else _objects_in(plain(text))


def _unescaped(text: str) -> str:
    """An answer that is JSON inside a string of JSON, as it was before it was put there."""
    if not text.lstrip().startswith('"{'):
        return text
    try:
        inside = json.loads(text)
    except (ValueError, RecursionError):
        return text
    return inside if isinstance(inside, str) else text


def is_other_json(text: str) -> bool:
    """Say whether a text is JSON as a whole, but a list: of more than one word or number."""
    if not text.startswith("["):
        return False
    try:
        given = json.loads(text)
    except (ValueError, RecursionError):
        return False
    while isinstance(given, list) and len(given) == 1:
        given = given[0]
    return isinstance(given, list)


def _objects_in(text: str) -> JsonFound:
    objects: list[Mapping[str, object]] = []
    told: list[bool] = []
    around, position, is_quoted = [], 0, False
    while (start := text.find("{", position)) >= 0:
        end, given = _object_at(text, start)
        around.append(text[position:start])
        if end is None:
            end, given = len(text), _whole_members(text[start:])
            if given == {}:
                position = end
                break
        if given is None:
            around.append(text[start:end])
            position = end
        else:
            if _is_repeated(text[position:], start - position, end - position):
                is_quoted = True
            else:
                objects.append(given)
                told.append(_is_told(text[max(0, start - _LEAD) : start]))
            position = end
    around.append(text[position:])
    if told == [True]:
        objects, is_quoted = [], True
    return JsonFound(
        objects=tuple(objects), around="".join(around), behind=around[-1], is_quoted=is_quoted
    )


def _object_at(text: str, start: int) -> tuple[int | None, Mapping[str, object] | None]:
    """(where the object ends, the object); no end where the text ends before it."""
    try:
        found, end = _DECODER.raw_decode(text, start)
    except (ValueError, RecursionError):  # a number of 5,000 digits is no JSONDecodeError
        closed = _closing(text, start)
        return closed, None if closed is None else _mended(text[start:closed])
    return end, found if isinstance(found, dict) else None


def _closing(text: str, start: int) -> int | None:
    """Where the brace at `start` is closed, strings left out of account where they are whole."""
    depth = 0
    for found in re.finditer(r"\"(?:[^\"\\\n]|\\.)*\"(?=\s*[:,}\]])|[{}]", text[start:]):
        depth += {"{": 1, "}": -1}.get(found[0], 0)
        if depth == 0:
            return start + found.end()
    return None


def _whole_members(text: str) -> Mapping[str, object] | None:
    """The members that are whole of an object that breaks off: a reason that ends within is no
    answer in words. None where it does not look broken off."""
    begun = _BEGUN.match(text)
    if begun is None:
        return None
    within = _OPEN_STRING['"'].search(text) or _OPEN_STRING[begun[1] or '"'].search(text)
    text = (text[: within.start(1)] if within else text).rstrip()
    if not text.endswith(("{", "[", "}", "]", ":", ",")):
        return None
    ends = [one.start() for one in re.finditer(r"[{\[,]", text)][-_MOST_CUTS:]
    for end in [len(text), *reversed(ends)]:
        if end and (found := _mended(text[:end] + _closers(text[:end]))) is not None:
            return found
    return {}


def _closers(text: str) -> str:
    """The brackets that are open at the end of a text."""
    closing: list[str] = []
    for found in re.finditer(r"\"(?:[^\"\\\n]|\\.)*\"(?=\s*(?:[:,}\]]|$))|[{}\[\]]", text):
        if found[0] in _CLOSES:
            closing.append(_CLOSES[found[0]])
        elif found[0] in "}]" and closing:
            closing.pop()
    return "".join(reversed(closing))


def _mended(text: str) -> Mapping[str, object] | None:
    """Read an object with single quotes, bare words, comments or a comma too many."""
    for candidate in _candidates(text):
        try:
            found = _DECODER.decode(candidate)
        except (ValueError, RecursionError):
            continue
        return found if isinstance(found, dict) else None
    return _as_python(text)


def _candidates(text: str) -> Iterator[str]:
    text = _COMMENT.sub("", text)
    yield text
    yield _BARE_KEY.sub(r'\1"\2"\3', text)
    yield _BARE_VALUE.sub(r'\1"\2"', text)
    if '"' not in text:
        yield text.translate(str.maketrans("“”", '""'))


def _as_python(text: str) -> Mapping[str, object] | None:
    words = re.sub(r"\b(?:true|false|null)\b", lambda one: _WORDS[one[0]], text)
    try:
        tree = ast.parse(words.strip(), mode="eval").body
        found = ast.literal_eval(tree)
    except (ValueError, SyntaxError, MemoryError, RecursionError, TypeError):
        return None
    if not isinstance(found, dict) or not all(isinstance(key, str) for key in found):
        return None
    if isinstance(tree, ast.Dict) and len(tree.keys) != len(found):
        raise SaidTwice
    return found


def _once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    made: dict[str, object] = {}
    for key, value in pairs:
        if made.setdefault(key, value) != value:
            raise SaidTwice
    return made


# NaN is nothing, and no second value of a name beside itself.
_DECODER = json.JSONDecoder(
    object_pairs_hook=_once, parse_constant=lambda _name: None, strict=False
)


def _is_told(before: str) -> bool:
    """Say whether the line that leads to an object is neither of plain words nor of its writer."""
    line = plain(_FENCED.sub("", before).rstrip()[-240:].rpartition("\n")[2])
    return not introduces(line) and _OWN.search(line) is None


def _is_repeated(text: str, start: int, end: int) -> bool:
    """Say whether an object is quoted from the item, or denied, and not given as an answer."""
    if is_attributed(text[end:]) or _DENIED_BEHIND.match(text, end):
        return True
    before = text[max(0, start - _LEAD) : start].rstrip(" \t")
    after = text[end:].lstrip(" \t")
    if before[-1:] and before[-1:] in _OPENING and after[:1] in "'\"`”’」』":
        return f"{before[:-1]}{after[1:]}".strip() != ""
    before = _FENCED.sub("", before).rstrip()
    lead = re.split(
        r"(?<=[.!?。！？])\s|(?<=[)）])(?<!example\))(?<!例[)）])\s*\n|\n\s*\n", before[-240:]
    )[-1]
    if lead.endswith((".", "。", "!", "！")):
        return False
    return any(one.search(lead) for one in (_EXAMPLE, _DENIED_BEFORE)) or reports(lead)
