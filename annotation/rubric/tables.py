"""Read the tables of a definition, with the place of every mistake."""

import re
import unicodedata
from collections.abc import Collection, Iterable, Iterator, Mapping
from difflib import get_close_matches
from typing import TypeVar

from annotation.rubric.schema import LARGEST_NUMBER, NO_TEXT, Text, tag_of
from annotation.rubric.sentences import Sentence, sentence

_KEY = re.compile(r"[a-z][a-z0-9_]{0,59}")
_LANGUAGE = re.compile(r"[A-Za-z]{2,3}([_-][A-Za-z]{4})?([_-]([A-Za-z]{2}|[0-9]{3}))?")
_UNSTORABLE = {"Cc", "Cs"}

Chosen = TypeVar("Chosen")


class RubricTable:
    """One table of a definition: hands out its attributes and notes every mistake in them.

    After a mistake it hands out a placeholder, so that reading goes on to find the others.
    """

    def __init__(self, raw: object, place: str, problems: list[Sentence]) -> None:
        self.place = place
        self.problems = problems
        attributes = raw if isinstance(raw, Mapping) else {}
        self.unread = {name: value for name, value in attributes.items() if value is not None}
        if not isinstance(raw, Mapping):
            problems.append(sentence("{place} must be a table.", place=place or "rubric"))
            self.problems = []

    def at(self, name: str) -> str:
        return f"{self.place}.{name}" if self.place else name

    def mistaken(self, template: str, name: str, /, **values: str | int) -> None:
        """Note a mistake in an attribute, in a sentence that has its place."""
        self.problems.append(sentence(template, place=self.at(name), **values))

    def key(self, name: str = "key") -> str:
        key = self.string(name)
        if key and not _KEY.fullmatch(key):
            self.mistaken(
                "{place} must be at most 60 lower-case letters, digits and underscores,"
                " a letter first.",
                name,
            )
        return key

    def optional_key(self, name: str) -> str | None:
        return self.key(name) if name in self.unread else None

    def string(self, name: str) -> str:
        raw = self._take(name)
        if raw is None:
            return ""
        if not isinstance(raw, str):
            self.mistaken("{place} must be text.", name)
            return ""
        if not raw.strip():
            self.mistaken("{place} is empty.", name)
        if any(unicodedata.category(char) in _UNSTORABLE for char in raw if char not in "\n\r\t"):
            self.mistaken("{place} has a character that is not text.", name)
        return raw

    def text(self, name: str, *, optional: bool = False) -> Text:
        if optional and name not in self.unread:
            return NO_TEXT
        raw = self._take(name)
        if raw is None:
            return NO_TEXT
        if isinstance(raw, str):
            self.mistaken(
                '{place} does not say its language: write {name}.en = "…", or another one.',
                name,
                name=name,
            )
            return NO_TEXT
        table = RubricTable(raw, self.at(name), self.problems)
        if isinstance(raw, Mapping) and not table.unread:
            self.mistaken("{place} is in no language.", name)
        return Text(**{tag_of(tag): table.said(tag) for tag in tuple(table.unread)})

    def said(self, tag: str) -> str:
        """The words in one language, which a BCP 47 tag names."""
        if not _LANGUAGE.fullmatch(tag):
            self.mistaken(
                "{place} is not the tag of a language, such as en, zh-Hans or pt-BR.", tag
            )
        return self.string(tag)

    def whole(self, name: str, *, default: int | None = None) -> int:
        if default is not None and name not in self.unread:
            return default
        raw = self._take(name)
        if raw is None:
            return 0
        if not isinstance(raw, int) or isinstance(raw, bool) or abs(raw) > LARGEST_NUMBER:
            self.mistaken(
                "{place} must be a whole number of at most {largest}.", name, largest=LARGEST_NUMBER
            )
            return 0
        return raw

    def optional_whole(self, name: str) -> int | None:
        return self.whole(name) if name in self.unread else None

    def choice(self, name: str, allowed: Mapping[str, Chosen]) -> Chosen | None:
        if name not in self.unread:
            self._lacks(name, allowed)
            return None
        raw = self._take(name)
        if not isinstance(raw, str) or raw not in allowed:
            self.mistaken("{place} must be one of: {allowed}.", name, allowed=", ".join(allowed))
            return None
        return allowed[raw]

    def _lacks(self, name: str, allowed: Iterable[str]) -> None:
        self.mistaken(
            "{place} is missing: write {name} = and one of: {allowed}.",
            name,
            name=name,
            allowed=", ".join(f'"{one}"' for one in allowed),
        )

    def word_of(self, name: str, allowed: Collection[str]) -> str:
        """The word under `name`, on which all else in the table depends; "" after a mistake.

        Where the name or the word is misspelt, the mistake says what was probably meant.
        """
        if name not in self.unread:
            if near := get_close_matches(name, self.unread, n=1):
                self.problems.append(
                    sentence(
                        "{place} is not known here: write “{name}”, which must be one of: {allowed}.",
                        place=self.at(near[0]),
                        name=name,
                        allowed=", ".join(allowed),
                    )
                )
            else:
                self._lacks(name, allowed)
            return ""
        raw = self.unread.pop(name)
        if isinstance(raw, str) and raw in allowed:
            return raw
        near = get_close_matches(raw.lower(), allowed, n=1) if isinstance(raw, str) else []
        self.problems.append(
            sentence(
                "{place} is “{written}”, which is not known: write “{near}”.",
                place=self.at(name),
                written=str(raw),
                near=near[0],
            )
            if near
            else sentence(
                "{place} must be one of: {allowed}.",
                place=self.at(name),
                allowed=", ".join(allowed),
            )
        )
        return ""

    def entries(self, name: str, *, optional: bool = False) -> Iterator[tuple[str, object]]:
        """Hand out (place, raw value) of every entry of a list."""
        if optional and name not in self.unread:
            return
        raw = self._take(name)
        if raw is None:
            return
        if not isinstance(raw, list | tuple):
            self.mistaken("{place} must be a list.", name)
            return
        for index, entry in enumerate(raw):
            yield f"{self.at(name)}[{index}]", entry

    def tables(self, name: str, *, optional: bool = False) -> Iterator["RubricTable"]:
        for place, entry in self.entries(name, optional=optional):
            yield RubricTable(entry, place, self.problems)

    def table(self, name: str) -> "RubricTable":
        return RubricTable(self._take(name), self.at(name), self.problems)

    def strings(self, name: str, *, optional: bool = False) -> Iterator[str]:
        for place, entry in self.entries(name, optional=optional):
            if isinstance(entry, str):
                yield entry
            else:
                self.problems.append(sentence("{place} must be text.", place=place))

    def choices(self, name: str, allowed: Collection[str]) -> Iterator[str]:
        """Those of a list that need not be there."""
        for place, entry in self.entries(name, optional=True):
            if isinstance(entry, str) and entry in allowed:
                yield entry
            else:
                self.problems.append(
                    sentence(
                        "{place} must be one of: {allowed}.",
                        place=place,
                        allowed=", ".join(allowed),
                    )
                )

    def finish(self) -> None:
        """Refuse what nobody asked for: it is a typing error or not part of a rubric."""
        for name in self.unread:
            self.mistaken("{place} is not known here; check its spelling.", name)

    def _take(self, name: str) -> object:
        raw = self.unread.pop(name, None)
        if raw is None:
            self.mistaken("{place} is missing.", name)
        return raw
