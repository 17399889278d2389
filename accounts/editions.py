"""Editions of the confidentiality agreement as files, read before they are published."""

import hashlib
import json
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from accounts.languages import tag_of

SHIPPED = Path(__file__).parent / "terms"
TITLE = "title_"  # a file is in the languages that it has a title in
LONGEST_TITLE = 200  # characters
GRACE_DAYS = 14  # unless the file says otherwise
UNSPACED = {"zh", "ja", "th", "lo", "km", "my"}  # languages that put no space between words


class UnreadableEdition(Exception):
    """The file is no edition; the message names the file, the field and what to do."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EditionText:
    """An edition in a language; a body is blocks divided by blank lines, headings begin "## "."""

    title: str
    body: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Edition:
    """One text in one or more languages, `texts` by BCP 47 tag in lower case with hyphens."""

    texts: Mapping[str, EditionText]
    valid_days: int
    grace_days: int = 0

    @property
    def sha256(self) -> str:
        """Of what is signed: how long the edition before still counts is no part of it.

        In English and Chinese it is what it was when editions had these two languages alone.
        """
        signed: dict[str, str | int] = {"valid_days": self.valid_days}
        for tag, text in self.texts.items():
            key = tag.replace("-", "_")
            signed |= {f"title_{key}": text.title, f"body_{key}": text.body}
        canonical = json.dumps(signed, ensure_ascii=False, sort_keys=True)
        return hashlib.sha256(canonical.encode()).hexdigest()


def newest_shipped() -> Path:
    return max(SHIPPED.glob("*.toml"))


def read(path: Path) -> Edition:
    """Read an edition; UnreadableEdition says what is wrong with the file."""
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as problem:
        raise UnreadableEdition(f"{path}: {problem.strerror}. Name a file that exists.") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as problem:
        raise UnreadableEdition(f"{path} is no TOML file in UTF-8: {problem}") from None
    spoken = _languages(content, path)
    clauses = content.get("clauses")
    if not isinstance(clauses, list) or not clauses:
        raise UnreadableEdition(f"{path}: there are no [[clauses]]. Add at least one.")
    for number, clause in enumerate(clauses, start=1):
        for suffix in spoken.values():
            for key in (f"heading_{suffix}", f"text_{suffix}"):
                _text(clause, key, path, f"clause {number}, ")
    return Edition(
        texts={
            tag: EditionText(
                title=content[TITLE + suffix].strip(),
                body=_body(clauses, suffix, "" if tag.split("-")[0] in UNSPACED else " "),
            )
            for tag, suffix in spoken.items()
        },
        valid_days=_days(content, "valid_days", path, least=1, most=365),
        grace_days=_days(
            {"grace_days": GRACE_DAYS} | content, "grace_days", path, least=0, most=90
        ),
    )


def _languages(content: dict[str, object], path: Path) -> dict[str, str]:
    """{tag: as the file's keys end} of every language that it has a title in."""
    spoken: dict[str, str] = {}
    for key in (key for key in content if key.startswith(TITLE)):
        suffix = key.removeprefix(TITLE)
        tag = tag_of(suffix)
        if tag is None or tag in spoken:
            raise UnreadableEdition(
                f"{path}: {key} names no language, or one twice. End it in a BCP 47 tag: title_en."
            )
        _text(content, key, path)
        if len(str(content[key]).strip()) > LONGEST_TITLE:
            raise UnreadableEdition(f"{path}: {key} is longer than {LONGEST_TITLE} characters.")
        spoken[tag] = suffix
    if not spoken:
        raise UnreadableEdition(f"{path}: there is no title. Add one, such as title_en.")
    return spoken


def _text(table: object, key: str, path: Path, where: str = "") -> None:
    value = table.get(key) if isinstance(table, dict) else None
    if not isinstance(value, str) or not value.strip():
        raise UnreadableEdition(f"{path}: {where}field {key} is missing or empty. Write its text.")


def _days(content: dict[str, object], key: str, path: Path, *, least: int, most: int) -> int:
    days = content.get(key)
    if type(days) is not int or not least <= days <= most:
        raise UnreadableEdition(f"{path}: {key} must be a whole number from {least} to {most}.")
    return days


def _body(clauses: list[dict[str, str]], language: str, joint: str) -> str:
    """Number the clauses; line breaks inside a paragraph of the file are only for its editor."""
    return "\n\n".join(
        f"## {number}. {clause[f'heading_{language}'].strip()}\n\n"
        f"{_paragraphs(clause[f'text_{language}'], joint)}"
        for number, clause in enumerate(clauses, start=1)
    )


def _paragraphs(text: str, joint: str) -> str:
    paragraphs = text.strip().split("\n\n")
    return "\n\n".join(joint.join(paragraph.split("\n")) for paragraph in paragraphs)
