"""Editions of the confidentiality agreement as files, read before they are published."""

import hashlib
import json
import tomllib
from dataclasses import asdict, dataclass
from pathlib import Path

SHIPPED = Path(__file__).parent / "terms"
TITLES = ("title_en", "title_zh_hans")
GRACE_DAYS = 14  # unless the file says otherwise
CLAUSE = ("heading_en", "text_en", "heading_zh_hans", "text_zh_hans")


class UnreadableEdition(Exception):
    """The file is no edition; the message names the file, the field and what to do."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Edition:
    """One text in both languages; a body is blocks divided by blank lines, headings begin "## "."""

    title_en: str
    title_zh_hans: str
    body_en: str
    body_zh_hans: str
    valid_days: int
    grace_days: int = 0

    @property
    def sha256(self) -> str:
        """Of what is signed: how long the edition before still counts is no part of it."""
        signed = {name: value for name, value in asdict(self).items() if name != "grace_days"}
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
    for key in TITLES:
        _text(content, key, path)
    clauses = content.get("clauses")
    if not isinstance(clauses, list) or not clauses:
        raise UnreadableEdition(f"{path}: there are no [[clauses]]. Add at least one.")
    for number, clause in enumerate(clauses, start=1):
        for key in CLAUSE:
            _text(clause, key, path, f"clause {number}, ")
    return Edition(
        title_en=content["title_en"].strip(),
        title_zh_hans=content["title_zh_hans"].strip(),
        body_en=_body(clauses, "en"),
        body_zh_hans=_body(clauses, "zh_hans"),
        valid_days=_days(content, "valid_days", path, least=1, most=365),
        grace_days=_days(
            {"grace_days": GRACE_DAYS} | content, "grace_days", path, least=0, most=90
        ),
    )


def _text(table: object, key: str, path: Path, where: str = "") -> None:
    value = table.get(key) if isinstance(table, dict) else None
    if not isinstance(value, str) or not value.strip():
        raise UnreadableEdition(f"{path}: {where}field {key} is missing or empty. Write its text.")


def _days(content: dict[str, object], key: str, path: Path, *, least: int, most: int) -> int:
    days = content.get(key)
    if type(days) is not int or not least <= days <= most:
        raise UnreadableEdition(f"{path}: {key} must be a whole number from {least} to {most}.")
    return days


def _body(clauses: list[dict[str, str]], language: str) -> str:
    """Number the clauses; line breaks inside a paragraph of the file are only for its editor."""
    return "\n\n".join(
        f"## {number}. {clause[f'heading_{language}'].strip()}\n\n"
        f"{_paragraphs(clause[f'text_{language}'], '' if language == 'zh_hans' else ' ')}"
        for number, clause in enumerate(clauses, start=1)
    )


def _paragraphs(text: str, joint: str) -> str:
    paragraphs = text.strip().split("\n\n")
    return "\n\n".join(joint.join(paragraph.split("\n")) for paragraph in paragraphs)
