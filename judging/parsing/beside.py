"""What an LLM says beside its values: read from its JSON, and its quotations held against the texts.

The reasoning that stands beside a value is its rationale, where the rubric asks for no other.
Nothing here makes an answer unreadable: what cannot be read is left out. Words that are quoted and
are in no text are kept as unverified, so that they can be counted.
"""

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from annotation.rubric.answers import Answer
from annotation.rubric.grounds import (
    CONFIDENCES,
    LONGEST_RATIONALE,
    MOST_PASSAGES,
    Grounds,
    Passage,
    tidied,
    values_beside,
)
from annotation.rubric.schema import Ground
from judging.parsing.plain import folded
from judging.parsing.portions import words_about
from judging.parsing.structured import SaidTwice, objects_in
from judging.parsing.values import known_as, read_json_value
from judging.parsing.written import WrittenAnswer, answer_in
from judging.rules.outcomes import Outcome
from judging.rules.questions import Question

_LONGEST_QUOTE = 500  # characters
_SPEAKER = re.compile(r"^\[[^\]\n]{1,40}\]\s*")  # as turns begin in a prompt
_AROUND = " \t\n\"'“”‘’「」『』«»"
_ODD = str.maketrans({"’": "'", "‘": "'", "“": '"', "”": '"', "—": "-", "–": "-"})
_WORD = re.compile(r"\w")
_REASONS = (
    *("reasoning", "rationale", "reason", "reasons", "explanation", "justification", "analysis"),
    *("推理", "理由", "原因", "分析", "解释"),
)

Said = Mapping[str, object]


def read_beside(questions: Sequence[Question], written: WrittenAnswer) -> dict[str, Said]:
    """{question: its member of the one object in an answer}, where it has one that says more than a
    value."""
    answer = answer_in(written)
    if isinstance(answer, Outcome):
        return {}
    try:
        objects = objects_in(answer.text).objects
    except SaidTwice:
        return {}
    found = {}
    for question in questions:
        members = [one for given in objects for one in _members(question, given)]
        if len(objects) == 1 and len(questions) == 1:
            members += [one for one in objects if _says_beside(one)]
        if len(members) == 1:
            found[question.key] = members[0]
    return found


def _members(question: Question, given: Mapping[str, object], depth: int = 0) -> Iterator[Said]:
    for name, value in given.items():
        if not isinstance(value, Mapping):
            continue
        if folded(name) in known_as(question) and _says_beside(value):
            yield value
        elif depth < 3:
            yield from _members(question, value, depth + 1)


def _says_beside(value: Said) -> bool:
    return bool({*value} & {*_REASONS, *(ground.value for ground in Ground)})


def grounds_in(
    question: Question, answer: Answer, said: Said, texts: Sequence[str]
) -> Grounds | None:
    """What was said beside an answer; None where it is nothing that was asked for."""
    asked = {ground: said.get(ground) for ground in question.grounds}
    quotes = list(_quotes(asked.get(Ground.EVIDENCE)))
    passages = {quote: passage_of(quote, texts) for quote in quotes}
    found = Grounds(
        criterion=question.criterion.key,
        confidence=_confidence(asked.get(Ground.CONFIDENCE)),
        defensible=_others(question, answer, asked.get(Ground.DEFENSIBLE)),
        evidence=tuple(sorted({one for one in passages.values() if one is not None})),
        unverified=tuple(quote for quote, one in passages.items() if one is None),
        rationale=_rationale(asked.get(Ground.RATIONALE)) or reasons_in(said),
    )
    return found or None


def reasons_in(said: Said) -> str:
    """The reasoning that stands beside a value."""
    return next(filter(None, (_rationale(said.get(name)) for name in _REASONS)), "")


def reasons_told(questions: Sequence[Question], written: WrittenAnswer) -> dict[str, str]:
    """{question: the reasons in plain words}: to one question all that was written is about it."""
    answer = answer_in(written)
    if isinstance(answer, Outcome):
        return {}
    if len(questions) == 1:
        return {questions[0].key: _rationale(answer.text)}
    return {key: _rationale(words) for key, words in words_about(questions, answer.text).items()}


def together(said: Sequence[Grounds]) -> Grounds:
    """What was said about the nodes of one criterion, in the order in which they were asked."""
    reasons = "\n".join(one.rationale for one in said if one.rationale)
    return replace(said[0], rationale=reasons[:LONGEST_RATIONALE])


def passage_of(quote: str, texts: Sequence[str]) -> Passage | None:
    """Where words stand: in the reply, the last of the texts, before the turns. Blanks, width, case
    and the shape of quotation marks may differ."""
    order = [len(texts), *range(1, len(texts))] if texts else []
    for turn in order:
        if (start := texts[turn - 1].find(quote)) >= 0:
            return Passage(turn, start, start + len(quote))
    wanted, _places = _comparable(quote)
    for turn in order:
        text, places = _comparable(texts[turn - 1])
        if wanted and (start := text.find(wanted)) >= 0:
            return Passage(turn, places[start], places[start + len(wanted) - 1] + 1)
    return None


def _comparable(text: str) -> tuple[str, list[int]]:
    """A text as it is compared, and for each of its characters which one of the text it is from."""
    letters: list[str] = []
    places: list[int] = []
    for place, letter in enumerate(text):
        for one in unicodedata.normalize("NFKC", letter).translate(_ODD).casefold():
            plain = " " if one.isspace() else one
            if plain != " " or letters[-1:] != [" "]:
                letters.append(plain)
                places.append(place)
    return "".join(letters), places


def _quotes(raw: object) -> Iterator[str]:
    """What is quoted, each once, without quotation marks and speakers around it."""
    bare = (_bare(_storable(one)) for one in _listed(raw) if isinstance(one, str))
    yield from [*dict.fromkeys(one for one in bare if _WORD.search(one))][:MOST_PASSAGES]


def _bare(quote: str) -> str:
    quote = _SPEAKER.sub("", quote.strip(_AROUND))
    return quote.strip(_AROUND).strip("…").removeprefix("...").removesuffix("...")[:_LONGEST_QUOTE]


def _confidence(raw: object) -> int | None:
    """One of the levels, by its number or its words."""
    named = {
        folded(words): level for level, text in CONFIDENCES.items() for words in text.everywhere
    }
    named |= {str(level): level for level in CONFIDENCES}
    is_said = isinstance(raw, str | int) and not isinstance(raw, bool)
    return named.get(folded(str(raw))) if is_said else None


def _others(question: Question, answer: Answer, raw: object) -> tuple[str, ...]:
    """The other values that could be defended, in the order of the rubric."""
    given = (one for one in _listed(raw) if isinstance(one, str | int))
    read = {str(read_json_value(question, one)) for one in given}
    own = str(answer.score) if answer.label is None else answer.label
    return tuple(one for one in values_beside(question.criterion) if one in read and one != own)


def _rationale(raw: object) -> str:
    return _storable(raw)[:LONGEST_RATIONALE] if isinstance(raw, str) else ""


def _listed(raw: object) -> list[object]:
    return raw if isinstance(raw, list) else [raw]


def _storable(text: str) -> str:
    """A text without what no database keeps: halves of characters, and no character at all."""
    return tidied(text.encode("utf-8", "replace").decode())
