"""Say in the reader's language what the rubric engine and the rules wrote."""

from django.utils.translation import get_language, gettext

from annotation.rubric.schema import Text
from annotation.rubric.sentences import Sentence


def said(words: str | Text) -> str:
    """A sentence or a text of a rubric, in the language of the page."""
    language = get_language() or "en"
    if isinstance(words, Text):
        return words.in_(language)
    if isinstance(words, Sentence):
        return words.translated(gettext, language)
    return words
