"""Say in the reader's language what the rubric engine and the rules wrote."""

from django.core.exceptions import PermissionDenied
from django.utils.translation import get_language, gettext, gettext_noop

from annotation.rubric.answers import Answer
from annotation.rubric.schema import Criterion, Taxonomy, Text
from annotation.rubric.sentences import Sentence
from annotation.rules.completeness import REASONS, CannotJudge

_SPEAKERS = {"seeker": gettext_noop("Seeker"), "supporter": gettext_noop("Supporter")}


class Barred(PermissionDenied):
    """A sentence, `reason`, that says in the language of the page why somebody may not."""

    def __init__(self, reason: Sentence) -> None:
        super().__init__(said(reason))
        self.reason = reason


def said(words: str | Text) -> str:
    """A sentence or a text of a rubric, in the language of the page."""
    language = get_language() or "en"
    if isinstance(words, Text):
        return words.in_(language)
    if isinstance(words, Sentence):
        return words.translated(gettext, language)
    return words


def decimal(value: float, digits: int = 2, *, sign: str = "") -> str:
    """A number with a true minus sign, which what rounds to 0 goes without; with `sign` +, a sign of
    its own for each; thousands are set apart, as those of counts are."""
    return f"{round(value, digits) + 0.0:{sign},.{digits}f}".replace("-", "−")


def worded(criterion: Criterion, answer: Answer) -> str:
    """An answer as people read it: the label's name, or the value with its anchor; a value of
    another edition by its key."""
    if isinstance(criterion, Taxonomy):
        names = {label.key: label.name for label in criterion.labels}
        return said(names.get(str(answer.label), str(answer.label)))
    anchors = {point.value: point.anchor for point in criterion.points}
    if answer.score not in anchors:
        return str(answer.label if answer.score is None else answer.score)
    return f"{answer.score} · {said(anchors[answer.score])}"


def worded_reason(reason: str) -> str:
    """Why a rater gave no value."""
    return said(REASONS[CannotJudge(reason)])


def speaker_name(speaker: str) -> str:
    """Who speaks in a dialogue; an unknown speaker keeps the name it came with."""
    return gettext(_SPEAKERS[speaker]) if speaker in _SPEAKERS else speaker
