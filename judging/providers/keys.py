"""The keys of endpoints: read where they are named, the moment they are needed, and never kept."""

import os
import re
from pathlib import Path

from django.conf import settings

_KEY = re.compile(r"[!-~]+")  # what a header can carry


class NoKey(Exception):
    """There is no key where one is said to be, or none that can be sent."""


def key_at(reference: str) -> str:
    """The key that a reference names; endpoints that want none get a word that means nothing."""
    kind, _colon, name = reference.partition(":")
    match kind:
        case "env":
            return _of_variable(name)
        case "file":
            return _of_file(settings.LLM_KEY_FOLDER / name)
    return "none"


def _of_variable(name: str) -> str:
    """A variable, or the file that NAME_FILE names, as all secrets of this server."""
    if file := os.environ.get(f"{name}_FILE"):
        return _of_file(Path(file))
    return checked(os.environ.get(name, ""), name)


def _of_file(file: Path) -> str:
    try:
        key = file.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError):
        raise NoKey(file.name) from None
    return checked(key, file.name)


def checked(key: str, where: str) -> str:
    """The key without the blanks around it; NoKey."""
    if not _KEY.fullmatch(key := key.strip()):
        raise NoKey(where)
    return key
