"""A definition as TOML that people read and go on with."""

import json
from collections.abc import Iterator, Mapping

_INDENT = "  "


def as_toml(definition: Mapping[str, object]) -> str:
    """Write a definition, as `loading.dump` gives it; reading it gives the same rubric."""
    return "\n".join(_lines(definition, "")).strip() + "\n"


def _lines(table: Mapping[str, object], at: str) -> Iterator[str]:
    """The pairs of a table, then the lists of tables in it, each entry under a head of its own."""
    indent = _INDENT * at.count(".")
    lists = {name: value for name, value in table.items() if _is_of_tables(value)}
    for name, value in table.items():
        if name not in lists and value != []:
            yield from (f"{indent}{line}" for line in _pairs(name, value))
    for name, entries in lists.items():
        place = f"{at}.{name}" if at else name
        for entry in entries if isinstance(entries, list) else []:
            yield ""
            yield f"{_INDENT * place.count('.')}[[{place}]]"
            yield from _lines(entry, place)


def _is_of_tables(value: object) -> bool:
    return isinstance(value, list) and any(isinstance(entry, Mapping) for entry in value)


def _pairs(name: str, value: object) -> Iterator[str]:
    if isinstance(value, Mapping):
        for tag, words in value.items():
            yield from _pairs(f"{name}.{tag}", words)
    elif isinstance(value, list):
        yield f"{name} = [{', '.join(map(_quoted, value))}]"
    elif isinstance(value, str):
        yield f"{name} = {_quoted(value)}"
    else:
        yield f"{name} = {value}"


def _quoted(words: str) -> str:
    """A string of one line, or of several between three quotes; JSON escapes as TOML does."""
    if "\n" not in words:
        return json.dumps(words, ensure_ascii=False).replace("\x7f", "\\u007f")
    inner = "\n".join(_quoted(line)[1:-1] for line in words.split("\n"))
    return f'"""\n{inner}"""'
