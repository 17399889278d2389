"""Which words of an answer to several questions are about which one of them.

A line that is headed by the name of a criterion is about it, and so is what follows up to the next
such line; in the text before and between, a sentence that names one criterion and no other. What
heads the values of somebody else, and what sums up, is about none.
"""

import re
from collections.abc import Iterator, Sequence

from annotation.rubric.schema import Scale
from judging.parsing.lines import heads_told
from judging.parsing.names import called_by, names_of
from judging.parsing.plain import plain, without_markup
from judging.parsing.prose import names_in
from judging.parsing.written import WrittenAnswer, answer_in
from judging.rules.questions import Question

_SENTENCE = re.compile(r"(?:[^.!?。！？\n]|\.(?=\w))+[.!?。！？]*")
_WORDS = re.compile(r"[^\W\d_]{2}")
_CLOSES = re.compile(
    r"(?i)[\W_]*(?:overall|total|sum|average|mean|combined|in (?:summary|conclusion|total|sum)|summary|to (?:sum up|conclude)"
    r"|conclusion|final (?:scores?|ratings?|answers?|verdicts?)|(?:scores?|ratings?|values?|answers?|verdicts?)[ \t]*[:：]?[\W_]*$"
    r"|总体|总分|总评|合计|平均|综合|总计|总之|综上|总结|最终|评分如下|评分[ \t]*[:：]?[\W_]*$)"
)
_OF_VALUES = re.compile(
    r"(?i)\b(?:scores?|ratings?|level|grade|value|answer|verdict|label|rate|rated|points?|stars?|out of|of|is|gets|receives|an?)\b"
    r"|评分|得分|分数|打分|评级|等级|分值|标签|答案|评为|给|得|打|是|为|分"
)


def words_about(questions: Sequence[Question], written: WrittenAnswer) -> dict[str, str]:
    """{question: what was written about it, in the order of the text}, without lines that are no
    more than its name or value."""
    named = {question.key: question for question in questions}
    said: dict[str, list[str]] = {}
    for key, words in _portions(questions, answer_in(written).text):
        if _gives_reasons(named[key], words):
            said.setdefault(key, []).append(words)
    return {key: "\n".join(words) for key, words in said.items()}


def _portions(questions: Sequence[Question], text: str) -> Iterator[tuple[str, str]]:
    """(question, words about it): headed lines with what follows them, else sentences."""
    lines = text.split("\n")
    heads = _heads_of(questions, lines)
    key: str | None = None
    is_headed = False
    for line, head in zip(lines, heads, strict=True):
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


def _heads_of(questions: Sequence[Question], lines: Sequence[str]) -> list[str | None]:
    """For each line the question that it is headed by; "" where that is nobody's or several, and
    None where it has no head."""
    seen = [without_markup(plain(line)).replace("\n", " ") for line in lines]
    found: list[str | None] = [None] * len(seen)
    starts = [0]
    for line in seen:
        starts.append(starts[-1] + len(line) + 1)
    number = 0
    for key, begin, is_own in heads_told(questions, "\n".join(seen)):
        while starts[number + 1] <= begin:
            number += 1
        is_first = found[number] is None
        if is_own and is_first and _WORDS.search(seen[number][: begin - starts[number]]):
            continue  # it is named within the line
        found[number] = key if is_own and (is_first or found[number] == key) else ""
    return found


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
