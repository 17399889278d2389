"""One value for several criteria, written as a line for each: "All five: 0", "Empathy and safety: 4".

Only a clause that says this and nothing else is written anew. What is left for "the rest" are the
criteria that the text names nowhere.
"""

import re
from collections.abc import Collection, Sequence
from functools import lru_cache

from annotation.rubric.schema import Scale
from judging.parsing.prose import names_in, names_of_criterion
from judging.rules.questions import Question

_VALUE = r"(?:an? |a solid )?(?P<value>(?:\d{1,2}|yes|no|(?:not )?(?:present|met)|absent|不?(?:具备|满足|符合)|[是否])(?:\s*/\s*\d{1,2})?)(?:\s*(?:points?|分))?"
_NOUNS = r"(?:criteria|criterion|qualities|quality|attributes?|dimensions?|aspects?|items?|questions?|scores?|ratings?|ones)"
_COUNTS = {5: "five|5|五", 7: "seven|7|七"}
_LINKS = r"(?:\s*(?:are|is|gets?|receives?|scores?|rated|at|be|both|all|each|[:=]|-+>|均|都|全部?|各|[是为得给评打])+)+\s*"
_ENDS = r"[ \t]*(?=[。;；,，\n]|\.(?!\d)|(?:because|since)\b|因为|由于|$)"
_BUT = r"(?:except|with the exception of|but|apart from|aside from|other than|save|除了?)"
_NO_BUT = rf"(?!\W*{_BUT})"
_ALL_COUNTED = re.compile(  # "All are present: 5/5", "None is met. 0/5"
    r"(?i)\W*(?:all\b(?!.*\b(?:not|no|absent)\b)|(?P<none>none\b))[^.:;,\n]*(?P<share>[.:][ \t]*(?P<count>\d)/(?P<size>\d)\.?\s*)\Z"
)
_Pattern = re.Pattern[str]
_BEGINS = r"(?:^|(?<=[\n.。;；,，]))[ \t>*•-]*"


def with_groups_told(questions: Sequence[Question], text: str) -> str:
    """Write a text with a line of its own for each criterion that shares a value with others."""
    group, every, rest, only, headed, but = _patterns(tuple(questions))
    keys = [question.key for question in questions]
    told = _counted(questions, text)
    text = text[: told.start("share")] if told else text
    text = only.sub(r"\1", but.sub(lambda one: _lines_but(questions, one), text))
    text = headed.sub(lambda one: _lines(one, names_in(questions, one["names"])), text)
    text = group.sub(lambda one: _lines(one, names_in(questions, one["names"])), text)
    for pattern in every:
        text = pattern.sub(lambda one: _lines(one, keys), text)
    if not rest.search(text):
        return text
    left = [key for key in keys if key not in names_in(questions, text)]
    return rest.sub(lambda one: _lines(one, left), text) if len(left) < len(keys) else text


def miscounts(questions: Sequence[Question], text: str) -> bool:
    """Say whether all criteria, or none, are said to be met, and another number of them is counted."""
    told = _counted(questions, text)
    return told is not None and int(told["count"]) != (0 if told["none"] else len(questions))


def _counted(questions: Sequence[Question], text: str) -> re.Match[str] | None:
    """How many criteria are met, where it is said of all or none and counted."""
    tops = {one.criterion.values[-1] for one in questions if isinstance(one.criterion, Scale)}
    told = _ALL_COUNTED.match(text)
    return told if told and max(tops) < len(questions) == int(told["size"]) else None


def _lines(found: re.Match[str], keys: Collection[str]) -> str:
    """A line for each criterion, without an empty one before them, behind which others' words end."""
    before = found.string[: found.start()].rpartition("\n")[2]
    value = found["value"] or found["first"]
    lines = "".join(f"{key}: {value}\n" for key in keys)
    return f"\n{lines}" if before.strip() else lines


def _lines_but(questions: Sequence[Question], found: re.Match[str]) -> str:
    """A line for each criterion, and for the one that is excepted its own."""
    excepted = names_in(questions, found["name"])
    rest = _lines(found, [one.key for one in questions if one.key not in excepted])
    return f"{rest}{excepted.pop()}: {found['own']}\n"


@lru_cache(maxsize=64)
def _patterns(
    questions: tuple[Question, ...],
) -> tuple[_Pattern, list[_Pattern], _Pattern, _Pattern, _Pattern, _Pattern]:
    """Patterns of a group of names, of all of them, of the rest, of what stands beside it, of a group
    behind its value, and of all of them but one."""
    name = f"(?>{'|'.join(names_of_criterion(one).pattern for one in questions)})"
    count = _COUNTS.get(len(questions), str(len(questions)))
    every = (
        rf"(?:(?:all|each|every)(?: of)?(?: (?:the|these))?(?: (?:{count}))?(?: {_NOUNS}| of them)?|everything"
        rf"|(?:以上|这)?(?:所有|全部)?的?(?:所有|全部|每|各|{count})个?(?:项|方面|维度|标准|指标|评分)+)"
    )
    others = (
        rf"(?:(?:all|everything)(?: (?:of )?the)? (?:others?|else|rest)(?: {_NOUNS})?|the (?:rest|others?(?: (?:two|three|four|five|six))?)(?: {_NOUNS})?"
        r"|其[余他](?:各|所有|的|[一二三四五六]|个)*(?:项|方面|维度|标准|指标|评分)*)"
    )
    between = r"\s*(?:(?:,|、|，|;|/|&|\band\b|和|与|及|以及)\s*)+"
    patterns = [
        rf"{_BEGINS}(?P<names>{name}(?:{between}{name}){{1,{len(questions) - 1}}}+){_LINKS}{_VALUE}{_ENDS}",
        rf"{_BEGINS}(?:该|这条|本)?(?:回复)?(?:在|的)?{every}{_LINKS}(?!not){_VALUE}{_ENDS}{_NO_BUT}",
        rf"{_BEGINS}(?P<value>none) of (?:the|these) (?:(?:{count}) )?{_NOUNS} (?:is|are) (?:present|met){_ENDS}",
        rf"{_BEGINS}(?:i(?: would|'d|'ll)? (?:give|assign) )?{_VALUE} (?:to|for|on|across) (?:{every}|the board){_ENDS}{_NO_BUT}",
        rf"{_BEGINS}i(?: would|'d|'ll)? (?:give|rate|score) {every}(?:{_LINKS}| ){_VALUE}{_ENDS}{_NO_BUT}",
        rf"{_BEGINS}i(?: would|'d|'ll)? (?:give|rate|score) (?:it|this|the reply|the response)(?: at)? {_VALUE} (?:for|on|across) (?:{every}|the board){_ENDS}{_NO_BUT}",
        rf"{_BEGINS}{others}(?:{_LINKS}| )(?:an? )?{_VALUE}{_ENDS}",
        rf"{_BEGINS}(?:only |只有|仅|除了?)({name}{_LINKS}(?:present \()?\d{{1,2}}\)?(?: points?|分)?)(?:之?外|以外)?{_ENDS}",
        rf"{_BEGINS}{_VALUE}(?:的(?:方面|维度|项目?|有))?\s*[:：]\s*(?P<names>{name}(?:{between}{name}){{1,{len(questions) - 1}}}+){_ENDS}",
        (
            rf"{_BEGINS}(?:i(?: would|'d|'ll)? (?:give|rate|score) )?(?:{every}(?:{_LINKS}| )(?!not){_VALUE}|{_VALUE.replace('value', 'first')} (?:to|for|on|across) (?:{every}|the board))"
            rf"\s*[,，(]?\s*{_BUT}(?: for| that)?\s*(?P<name>{name})\s*[,:：]?\s*(?:(?:which|that) )?"
            rf"(?:(?:is|gets?|scores?|receives?|at|with|it|an?|[=(是为得给打])\s*)*(?P<own>\d{{1,2}})\s*分?(?:之?外|以外)?\)?{_ENDS}"
        ),
    ]
    group, *all_of_them, rest, only, headed, but = (
        re.compile(one, re.IGNORECASE) for one in patterns
    )
    return group, all_of_them, rest, only, headed, but
