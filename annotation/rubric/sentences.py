"""Sentences for users that plain Python writes and a page can translate."""

from collections.abc import Callable, Mapping

from annotation.rubric.schema import Text

Value = str | int | Text


class Sentence(str):
    """English text that remembers the template and the values it was made of."""

    template: str
    values: Mapping[str, Value]

    def translated(self, gettext: Callable[[str], str], language: str) -> str:
        """Say the same in `language`, with `gettext` to look the template up."""
        return _filled(gettext(self.template), self.values, language)


def sentence(template: str, /, **values: Value) -> Sentence:
    """Fill `template`, whose `{places}` are named in `values`; its text is the message id."""
    made = Sentence(_filled(template, values, "en"))
    made.template = template
    made.values = values
    return made


def _filled(template: str, values: Mapping[str, Value], language: str) -> str:
    return template.format(
        **{
            name: value.in_(language) if isinstance(value, Text) else value
            for name, value in values.items()
        }
    )
