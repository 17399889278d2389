"""Sentences for users that plain Python writes and a page can translate."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from annotation.rubric.schema import Text


class Sentence(str):
    """English text that remembers the template and the values it was made of."""

    template: str
    values: Mapping[str, "Value"]

    def translated(self, gettext: Callable[[str], str], language: str) -> str:
        """Say the same in `language`, with `gettext` to look the template up."""
        values = {
            name: _in_language(value, gettext, language) for name, value in self.values.items()
        }
        return gettext(self.template).format(**values)


Value = str | int | Text | Sentence


def sentence(template: str, /, **values: Value) -> Sentence:
    """Fill `template`, whose `{places}` are named in `values`; it is the id of its translation."""
    made = Sentence(
        template.format(**{name: _in_language(value, str, "en") for name, value in values.items()})
    )
    made.template = template
    made.values = values
    return made


class NotSound(Exception):
    """A text that is not what it should be; `problems` has a sentence for each mistake."""

    def __init__(self, problems: Iterable[Sentence]) -> None:
        self.problems = tuple(problems)
        super().__init__("\n".join(self.problems))


def as_json(words: Sentence) -> dict[str, object]:
    """A sentence as JSON can keep it, for a page that shows it later."""
    values = {name: _value_as_json(value) for name, value in words.values.items()}
    return {"template": words.template, "values": values}


def from_json(kept: Mapping[str, Any]) -> Sentence:
    """The sentence that `as_json` kept."""
    values = {name: _value_from_json(value) for name, value in kept["values"].items()}
    return sentence(kept["template"], **values)


def _value_as_json(value: Value) -> object:
    if isinstance(value, Sentence):
        return as_json(value)
    if isinstance(value, Text):
        return {"text": dict(value.words)}
    return value


def _value_from_json(kept: Any) -> Value:
    if isinstance(kept, dict):
        return from_json(kept) if "template" in kept else Text(**kept.get("text", kept))
    value: str | int = kept
    return value


def _in_language(value: Value, gettext: Callable[[str], str], language: str) -> str | int:
    if isinstance(value, Sentence):
        return value.translated(gettext, language)
    if isinstance(value, Text):
        return value.in_(language)
    return value
