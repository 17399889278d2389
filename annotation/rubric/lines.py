"""Where in a text of TOML the parts of a definition stand, so that a mistake is named by its line."""

import re
import tomllib
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable

from annotation.rubric.sentences import Sentence, sentence

_BLANK = re.compile(r"(?:[ \t\r\n]|#[^\n]*)*")
_BARE = re.compile(r"[A-Za-z0-9_-]+")
_STRING = re.compile(
    r'"""(?:\\.|[^\\])*?"{3,5}' r"|'''.*?'{3,5}" r'|"(?:\\.|[^"\\])*"' r"|'[^']*'", re.DOTALL
)
_SCALAR = re.compile(r"[^,\]}\n#]+")  # a number, a truth value or a date
_STEP = re.compile(r"(\.[^.\[\]]+|\[\d+\])$")
_IN_MESSAGE = re.compile(r" \(at line (\d+), column \d+\)$")

_COMMON = {
    str(one): one
    for one in (
        sentence("Invalid value"),
        sentence("Invalid statement"),
        sentence("Invalid initial character for a key part"),
        sentence("Unclosed array"),
        sentence("Unclosed inline table"),
        sentence("Unterminated string"),
        sentence("Unescaped '\\' in a string"),
        sentence("Cannot overwrite a value"),
        sentence("Expected '=' after a key in a key/value pair"),
        sentence("Expected ']' at the end of a table declaration"),
        sentence("Expected ']]' at the end of an array declaration"),
        sentence("Expected newline or end of document after a statement"),
    )
}  # what `tomllib` says most, for it to be said in other languages


def lines_of(text: str) -> dict[str, int]:
    """{place in the definition: its line, from 1}, places as `loading.load` names them.

    `text` must be TOML that can be read: a Scanner asks for nothing that `tomllib` has refused.
    """
    return Scanner(text).places


def line_of(place: str, lines: dict[str, int]) -> int:
    """The line of a place; of what it would stand in, where it is missing; else the first."""
    while place and place not in lines:
        shorter = _STEP.sub("", place)
        place = "" if shorter == place else shorter
    return lines.get(place, 1)


def line_in(message: str, text: str) -> tuple[str | Sentence, int]:
    """What `tomllib` says of a text that is not TOML, and the line that it names."""
    if found := _IN_MESSAGE.search(message):
        said, line = message[: found.start()], int(found.group(1))
    else:
        said = message.removesuffix(" (at end of document)")
        line = text.rstrip().count("\n") + 1
    return _COMMON.get(said, said), line


class Scanner:
    """Walks through TOML once; `places` are the lines on which its keys and entries begin."""

    def __init__(self, text: str) -> None:
        self.places: dict[str, int] = {}
        self._text, self._at = text, 0
        self._breaks = [place for place, char in enumerate(text) if char == "\n"]
        self._entries: Counter[str] = Counter()
        table = ""
        while self._skip():
            if self._is_next("["):
                table = self._header()
            else:
                self._pair(table)

    def _skip(self) -> bool:
        """Go to what comes next; False at the end."""
        blank = _BLANK.match(self._text, self._at)
        self._at = blank.end() if blank else self._at
        return self._at < len(self._text)

    def _is_next(self, mark: str) -> bool:
        return self._text.startswith(mark, self._at)

    def _take(self, pattern: re.Pattern[str]) -> str:
        found = pattern.match(self._text, self._at)
        if found is None:
            raise ValueError(f"This is not TOML at character {self._at}.")
        self._at = found.end()
        return found.group()

    def _note(self, place: str) -> None:
        self.places.setdefault(place, bisect_left(self._breaks, self._at) + 1)

    def _header(self) -> str:
        """`[a.b]` or `[[a.b]]`: the place of the table that begins."""
        marks = 2 if self._is_next("[[") else 1
        start, self._at = self._at, self._at + marks
        *parents, last = self._key()
        self._skip()
        end, self._at = self._at + marks, start
        place = ""
        for name in parents:
            place = self._in_last(_joined(place, name))
            self._note(place)
        place = _joined(place, last)
        self._note(place)
        if marks == 2:
            place = self._next_entry(place)
            self._note(place)
        self._at = end
        return place

    def _in_last(self, place: str) -> str:
        n = self._entries[place]
        return f"{place}[{n - 1}]" if n else place

    def _next_entry(self, place: str) -> str:
        self._entries[place] += 1
        return self._in_last(place)

    def _pair(self, table: str) -> None:
        """`a.b = value`, in a table or between braces."""
        start = self._at
        names = self._key()
        end, self._at = self._at, start
        place = table
        for name in names:
            place = _joined(place, name)
            self._note(place)
        self._at = end
        self._skip()
        self._at += len("=")
        self._skip()
        self._value(place)

    def _key(self) -> list[str]:
        names = []
        while True:
            self._skip()
            names.append(self._name())
            self._skip()
            if not self._is_next("."):
                return names
            self._at += 1

    def _name(self) -> str:
        if self._text[self._at] not in "\"'":
            return self._take(_BARE)
        name: str = tomllib.loads(f"name = {self._take(_STRING)}")["name"]
        return name

    def _value(self, place: str) -> None:
        if self._is_next("["):
            self._between("]", lambda: self._entry(place))
        elif self._is_next("{"):
            self._between("}", lambda: self._pair(place))
        elif self._text[self._at] in "\"'":
            self._take(_STRING)
        else:
            self._take(_SCALAR)

    def _entry(self, place: str) -> None:
        inner = self._next_entry(place)
        self._note(inner)
        self._value(inner)

    def _between(self, closing: str, read: Callable[[], None]) -> None:
        """Read what stands between brackets, with commas between."""
        self._at += 1
        while self._skip() and not self._is_next(closing):
            read()
            self._skip()
            if self._is_next(","):
                self._at += 1
        self._at += 1


def _joined(place: str, name: str) -> str:
    return f"{place}.{name}" if place else name
