"""The keys of endpoints: read where they are named, the moment they are needed, and never kept."""

import os
from pathlib import Path

from django.conf import settings


class NoKey(Exception):
    """There is nothing where a key is said to be."""


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
    if key := os.environ.get(name):
        return key
    raise NoKey(name)


def _of_file(file: Path) -> str:
    try:
        key = file.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError):
        raise NoKey(file.name) from None
    if not key:
        raise NoKey(file.name)
    return key
