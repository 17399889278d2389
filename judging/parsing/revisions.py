"""What an answer takes back of the values of several criteria that it has given before."""

import re
from collections.abc import Mapping, Sequence

from judging.parsing.lines import heads_told
from judging.parsing.prose import names_in
from judging.parsing.stances import ANEW, is_taken_back
from judging.rules.outcomes import Outcome
from judging.rules.questions import Found, Question, Unreadable

_SENTENCE = re.compile(r"(?:[^.!?。！？;；\n]|\.(?=\w))+[.!?。！？;；]*")
_REVISES = re.compile(
    rf"^\W*(?:(?:no|hmm+|oh|but|so|wait|hold on|sorry)\b[\s,.:–—-]*)*(?:(?:correct(?:ion|ed)|wait|sorry|edit(?:ed)?|update[d]?|i meant)\b|{ANEW})"
    r"|\b(?:chang|revis|correct|rais|lower|adjust|updat|mov|downgrad|upgrad)(?:e|es|ed|ing)?\b"
    r"|\bafter a (?:second|closer) (?:look|reading)\b|^\W*(?:更正|修正|订正|不对)|[改调](?:为|成|到|至)|应(?:该|当)?改?[为是]",
    re.IGNORECASE,
)
_SUPPOSES = re.compile(
    r"^\W*(?:in order )?to\b|\b(?:(?<!\bi )would|could|might|if|unless|need(?:s|ed)?|example)\b|如果|若|要(?:想|是)?|需要?|可能|例如",
    re.IGNORECASE,
)
_COULD_BE = re.compile(  # "Empathy could also be a 2"
    r"\b(?:could|might|may)(?: also| well| just as well| equally| arguably| even)* be (?:an? )?\d(?!.*\bif\b)"
    r"|(?<!\bif )(?:也|或许|也许)可[能以](?:[是为给打评]|评为)[ \t]*\d",
    re.IGNORECASE,
)
_VALUE = re.compile(
    r"(?P<number>(?<![\d.])\d+(?!\.?\d))|\b(?:yes|no|zero|one|two|three|four|five)\b|[是否](?=\W*$)|[零一二三四五](?=分)",
    re.IGNORECASE,
)

Revisions = Mapping[str, set[str]]


def without_revisions(
    questions: Sequence[Question], text: str, *, is_behind: bool = False
) -> tuple[str, Revisions]:
    """(a plain text without the sentences that give other values, {question: these values}).

    They stand behind the value that they are instead of: in the text, or, `is_behind`, before it.
    """
    heads = heads_told(questions, text)
    last = max((begin for _key, begin, _is_own in heads), default=-1)
    kept, position = [], 0
    revised: dict[str, set[str]] = {}
    for sentence in _SENTENCE.finditer(text):
        keys = _revised_in(questions, sentence[0])
        begins = [begin for key, begin, is_own in heads if is_own and key in keys]
        is_later = any(begin < sentence.start() for begin in begins)
        if keys and (is_behind or is_later) and all(one < sentence.end() for one in begins):
            kept.append(text[position : sentence.start()])
            position = sentence.end()
        elif (is_behind or -1 < last < sentence.start()) and is_taken_back(sentence[0]):
            keys = {question.key for question in questions}
        else:
            continue
        for key in keys:
            revised.setdefault(key, set()).update(one[0] for one in _VALUE.finditer(sentence[0]))
    return "".join([*kept, text[position:]]), revised


def _revised_in(questions: Sequence[Question], sentence: str) -> set[str]:
    """The questions to which a sentence gives another value than before."""
    is_anew = _REVISES.search(sentence) and not _SUPPOSES.search(sentence)
    if not (is_anew or _COULD_BE.search(sentence)):
        return set()
    return names_in(questions, sentence.replace("_", " "))


def unless_revised(value: Found, key: str, revised: Revisions) -> Found:
    """A value, if none but it is given anew."""
    is_same = isinstance(value, Unreadable) or revised.get(key, {str(value)}) == {str(value)}
    return value if is_same else Unreadable(reason=Outcome.AMBIGUOUS)
