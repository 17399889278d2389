"""Which words of an answer to several questions are about which one of them.

A line that is headed by the name of a criterion is about it, and so is what follows up to the next
such line; of a line in which several are headed in turn, what stands behind each up to the next; in
the text before and between, a sentence that names one criterion and no other. What heads the values
of somebody else, and what sums up, is about none.
"""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from annotation.rubric.schema import Scale
from judging.parsing.lines import heads_told
from judging.parsing.names import called_by, names_of
from judging.parsing.plain import plain, without_markup
from judging.parsing.prose import names_in
from judging.rules.questions import Question

_SENTENCE = re.compile(r"(?:[^.!?。！？\n]|\.(?=\w))+[.!?。！？]*")
_WORDS = re.compile(r"[^\W\d_]{2}")
_CLAUSE_ENDS = re.compile(r"[.;。；](?=\s|[^\W\d_])")
_ENDS_A_PART = re.compile(
    r"(?i)(?:[\s;；,，、|/]|(?<=\s)(?:and|as well as)|[和与及]|(?:(?<=[;；,，。.)\s])\(?\d{1,2}[.)、]?))+\Z"
)
_CLOSES = re.compile(
    r"(?i)[\W_]*(?:overall|total|sum|average|mean|combined|in (?:summary|conclusion|total|sum)|summary|to (?:sum up|conclude)"
    r"|conclusion|final (?:scores?|ratings?|answers?|verdicts?)|(?:scores?|ratings?|values?|answers?|verdicts?)[ \t]*[:：]?[\W_]*$"
    r"|总体|总分|总评|合计|平均|综合|总计|总之|综上|总结|最终|评分如下|评分[ \t]*[:：]?[\W_]*$)"
)
_OF_VALUES = re.compile(
    r"(?i)\b(?:scores?|ratings?|level|grade|value|answer|verdict|label|rate|rated|points?|stars?|out of|of|is|gets|receives|an?)\b"
    r"|评分|得分|分数|打分|评级|等级|分值|标签|答案|评为|给|得|打|是|为|分"
)


class HeadInLine(NamedTuple):
    """The name of a question that stands before a value: where in its line it begins, and whether what
    it heads is the writer's own."""

    key: str
    begin: int
    is_own: bool


def words_about(questions: Sequence[Question], text: str) -> dict[str, str]:
    """{question: what was written about it, in the order of the text}, without lines that are no
    more than its name or value."""
    named = {question.key: question for question in questions}
    said: dict[str, list[str]] = {}
    for key, words in _portions(questions, text):
        if _gives_reasons(named[key], words):
            said.setdefault(key, []).append(words)
    return {key: "\n".join(words) for key, words in said.items()}


def _portions(questions: Sequence[Question], text: str) -> Iterator[tuple[str, str]]:
    """(question, words about it): headed lines with what follows them, else sentences."""
    lines = text.split("\n")
    key: str | None = None
    is_headed = False
    for line, heads in zip(lines, _heads_in(questions, lines), strict=True):
        if row := _in_a_row(line, heads):
            yield from row
            key, is_headed = None, True
            continue
        head = _head_of(line, heads)
        if head is not None:
            key, is_headed = head or None, True
        elif _CLOSES.match(line):
            key, is_headed = None, False
        if not line.strip():
            continue
        if key is not None:
            yield key, line.strip()
        elif not is_headed:
            yield from _sentences(questions, line)


def _seen(line: str) -> str:
    """A line as heads are looked for in it."""
    return without_markup(plain(line)).replace("\n", " ")


def _heads_in(questions: Sequence[Question], lines: Sequence[str]) -> list[list[HeadInLine]]:
    """The heads of each line, in order."""
    seen = [_seen(line) for line in lines]
    found: list[list[HeadInLine]] = [[] for _line in seen]
    starts = [0]
    for line in seen:
        starts.append(starts[-1] + len(line) + 1)
    number = 0
    for key, begin, is_own in heads_told(questions, "\n".join(seen)):
        while starts[number + 1] <= begin:
            number += 1
        found[number].append(HeadInLine(key, begin - starts[number], is_own))
    return found


def _head_of(line: str, heads: Sequence[HeadInLine]) -> str | None:
    """The question that a line is headed by; "" where that is nobody's or several, and None where it
    has no head."""
    found: str | None = None
    for head in heads:
        is_first = found is None
        if head.is_own and is_first and _WORDS.search(_seen(line)[: head.begin]):
            continue  # it is named within the line
        found = head.key if head.is_own and (is_first or found == head.key) else ""
    return found


def _in_a_row(line: str, heads: Sequence[HeadInLine]) -> list[tuple[str, str]]:
    """What stands behind each of several heads on one line, of which each is another question's; none
    where one is not the writer's own, or words stand before the first."""
    keys = {head.key for head in heads}
    if len(heads) < 2 or len(keys) < len(heads) or not all(head.is_own for head in heads):
        return []
    seen = _seen(line)
    if _WORDS.search(seen[: heads[0].begin]):
        return []
    kept = (
        line if len(plain(line)) == len(seen) == len(line) else seen
    )  # the words as they are, where
    ends = [head.begin for head in heads[1:]]  # what was left out of them moves nothing
    row = [
        (head.key, _ENDS_A_PART.sub("", kept[head.begin : end].strip()))
        for head, end in zip(heads, ends, strict=False)
    ]
    last = kept[heads[-1].begin :]
    summing_up = next(
        (one.start() for one in _CLAUSE_ENDS.finditer(last) if _CLOSES.match(last, one.end())), None
    )
    return [*row, (heads[-1].key, last[:summing_up].strip())]


def _sentences(questions: Sequence[Question], line: str) -> Iterator[tuple[str, str]]:
    """The sentences of a line that name one of the questions and no other."""
    for sentence in _SENTENCE.findall(line):
        named = names_in(questions, plain(sentence))
        if len(named) == 1:
            yield named.pop(), sentence.strip()


def _gives_reasons(question: Question, words: str) -> bool:
    """Whether anything but names, values and the words for them is left."""
    left = plain(words)
    if not isinstance(question.criterion, Scale):
        left = names_of(question).marked(left)
    for name in sorted(called_by(question), key=len, reverse=True):
        left = re.sub(re.escape(plain(name)), " ", left, flags=re.IGNORECASE)
    return _WORDS.search(_OF_VALUES.sub(" ", left)) is not None
