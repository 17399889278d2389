"""Sentences for users that plain Python writes and a page can translate."""

from collections.abc import Callable, Mapping

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


def _in_language(value: Value, gettext: Callable[[str], str], language: str) -> str | int:
    if isinstance(value, Sentence):
        return value.translated(gettext, language)
    if isinstance(value, Text):
        return value.in_(language)
    return value
