"""Values in running prose: "On empathy it earns only a 2", "4 for guidance and 5 for safety".

A sentence is read whole or not at all: as many numbers as criteria, each beside its own, with nothing
but a few plain words between them, and no word of doubt, denial, comparison or report anywhere in it.
"""

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import pairwise

from annotation.rubric.answers import fold
from annotation.rubric.schema import Scale
from judging.parsing.plain import plain
from judging.parsing.quotations import reports, without_quotations
from judging.parsing.written import WrittenAnswer
from judging.rules.questions import Question

_SENTENCE = re.compile(r"(?:[^.!?。！？；;\n]|\.(?=\w))+[.!?。！？；;]*")
_DOUBT = re.compile(
    r"\b(?:if|were|could|might|may|perhaps|maybe|probably|possibly|likely|seems?|appears?|almost|nearly|around"
    r"|about|roughly|approximately|least|most|best|worst|or|either|between|than|but|although|though|however|yet"
    r"|instead|until|unless|except|would(?! (?:give|rate|score|say|assign|award)\b)|should|not|cannot|no|never|hardly"
    r"|barely|neither|nor|without|other|others|another|gpt\S*|judges?|raters?|colleagues?|someone|somebody|people"
    r"|experts?|humans?|authors?|previous\w*|earlier|before|first|initial\w*|originally|example|e\.g|scale|range|anchors?"
    r"|means?|meaning|from|to|up|down|minus|plus|lower|higher|more|less|below|above|under|over|ideal\w*|usual\w*"
    r"|typical\w*|average|seeker|user|client)\b|n't\b|[<>≤≥~≈?？\"“”]"
    r"|可能|也许|或许|大概|大约|如果|若|假如|不|没|未|无|非|至少|至多|最多|最少|或|左右|约|似乎|好像|应该|应当|本来|原本|之前|最初"
    r"|另|别人|其他|其它|专家|评委|例如|比如|范围|量表|从|到|至|以上|以下|但|然而|求助者|用户|平均",
    re.IGNORECASE,
)
_NUMBER = re.compile(
    r"(?<![A-Za-z0-9_.,/%:：-])(?P<value>\d{1,2})(?:\s*/\s*(?P<of>\d{1,2})|\s+out\s+of\s+(?P<out>\d{1,2}))?(?![A-Za-z0-9_%/-]|[.,:]\d)"
    r"(?=\s*分|[^\u4e00-\u9fff]|$)"
)
_SAYS = (
    r"(?:deserves|earns|gets|receives|merits|scores|warrants|is\s+worth|is\s+rated|i\s+(?:rate|give|score)(?:\s+it)?"
    r"|i(?:'d|\s+would)\s+(?:rate|give|score|say|award|assign)(?:\s+it)?)"
)
_WHO = r"(?:the\s+(?:reply|response)|this\s+(?:reply|response)|it)"
# What stands between a criterion and the number behind it.
_BEHIND = re.compile(
    rf"\s*(?:,\s*)?(?:(?:which|{_WHO})\s+)?{_SAYS}\s+(?:only\s+|just\s+|merely\s+|clearly\s+|{_WHO}\s+)?(?:an?\s+)?"
    r"(?:(?:score|rating)\s+of\s+)?"
    r"|\s*(?:方面|维度|这一项|一项|这一点)?(?:上)?\s*[,，]?\s*(?:我)?(?:认为|觉得|会)?(?:可以|可)?(?:是|为|打|给|得|评为|给出|打出)\s*",
    re.IGNORECASE,
)
# What stands between a number and the criterion that it is for.
_BEFORE = re.compile(r"(?:\s+points?|\s+stars?)?\s+(?:for|on)\s+(?:its\s+)?", re.IGNORECASE)
# What stands in brackets behind a criterion, in a sentence: "The empathy (4) is strong".
_BRACKETED = re.compile(
    r"[ \t]*\((?P<value>\d{1,2})(?:\s*/\s*(?P<of>\d{1,2}))?\)(?=[ \t]+[^\W\d]|[,.;])"
)
_TELLS = re.compile(  # "(4) is strong", not "(4) is the fourth"
    r"\s*(?:is|are|was|were|seems|remains|stands out)\b(?! (?:the |an? )?(?:first|second|third|fourth|fifth|sixth|seventh|last|next|about|asked|whether|rated|(?:more |less )?important|crucial|criteri\w+|attributes?|dimensions?|described|defined|listed|numbered|weighted)\b)"
)
_SHOWS = re.compile(  # "The reply shows empathy (1) and …", of criteria that are met or not
    r"\W*(?:(?:the |this )?(?:reply|response|supporter) (?:shows|has|displays|demonstrates|offers|includes|provides)|there (?:is|are)|[^:.]*\b(?:are|is) (?:present|absent|(?:not )?met):)(?!\w)",
    re.IGNORECASE,
)
_DESCRIPTION = re.compile(  # "The criteria are guidance (1), safety (4), …", "理想回复在共情上得5分"
    r"(?im)(?:^|(?<=[.!?。！？]))[ \t]*(?:(?:(?:the )?(?:criteria|dimensions|attributes|qualities|maxima|weights) are(?![ \t]*(?::|rated|scored|met|present|all\b))|points are given for|to reach full marks)[^.!?:\n]*(?:[.!?]|$)"
    r"|(?:理想的?|上一条|另一条)(?:回复|回应)在[^。！？:\n]*(?:[。！？]|$))"
)
_NONE = re.compile(r"\bno\b", re.IGNORECASE)  # "no referral (0)"
_OF_OTHERS = re.compile(
    r"\b(?:other|another|previous\w*|earlier|drafts?|sample|experts?|raters?|ideal|criteria|criterion|rubric|numbered|seeker|client|user)\b",
    re.IGNORECASE,
)
_CLAUSE_ENDS = re.compile(r"[,;:.]|\b(?:and|but|while)\b")
_AFTER = re.compile(
    r"\s*(?:points?|stars?|分)?\s*(?:$|[.,;:!。，；！(（)–—-]|(?:because|since|as|for|with|given|due|overall|respectively)\b|因为|由于)",
    re.IGNORECASE,
)
_BETWEEN_PAIRS = re.compile(
    r"\s*(?:points?|分)?\s*(?:,|，|、|和|而|在|与|以及|\band\b|\bwhile\b|\bas\s+well\s+as\b|\bon\b|\bfor\b|\ban?\b|\s)*",
    re.IGNORECASE,
)


def without_descriptions(text: str) -> str:
    """Leave out sentences that say what is rated, or how another reply is."""
    return _DESCRIPTION.sub("", text)


def read_prose(
    questions: Sequence[Question], written: WrittenAnswer
) -> tuple[Mapping[str, set[int]], str]:
    """{question: values that are said in sentences}, and the text without these sentences."""
    found: dict[str, set[int]] = {}
    rest = []
    text = without_quotations(written.text)
    sentences = list(_SENTENCE.finditer(text))
    named = [name for name in _named(questions, text) if _BRACKETED.match(text, name[2])]
    are_bracketed = len({question.key for question, _start, _end in named}) > 1
    position = 0
    for sentence in sentences:
        is_cut_off = written.was_cut_off and sentence is sentences[-1]
        said = {} if is_cut_off else _said(questions, sentence[0])
        if are_bracketed and not (said or is_cut_off):
            said = _in_brackets(questions, sentence[0])
        if said:
            rest.append(text[position : sentence.start()])
            position = sentence.end()
        for key, value in said.items():
            found.setdefault(key, set()).add(value)
    return found, "\n".join([*rest, text[position:]]) if found else written.text


def _said(questions: Sequence[Question], sentence: str) -> dict[str, int]:
    """{question: value} of a sentence that gives one to each criterion that it names."""
    if not any(one.isdecimal() for one in sentence) or _DOUBT.search(sentence) or reports(sentence):
        return {}
    names = _named(questions, sentence)
    numbers = list(_NUMBER.finditer(sentence))
    digits = re.findall(r"\d+(?:\s*/\s*\d+|\s+out\s+of\s+\d+)?", sentence)
    if not names or len(names) != len(numbers) or len(digits) != len(numbers):
        return {}
    if len({question.key for question, _start, _end in names}) != len(names):
        return {}
    if not (_are_behind(names, numbers, sentence) or _are_before(names, numbers, sentence)):
        return {}
    if not _AFTER.match(sentence, max(names[-1][2], numbers[-1].end())):
        return {}
    said = {}
    for (question, _start, _end), number in zip(names, numbers, strict=True):
        value = _on_scale(question, number)
        if value is None:
            return {}
        said[question.key] = value
    return said


def _in_brackets(questions: Sequence[Question], sentence: str) -> dict[str, int]:
    """{question: value} of a sentence whose numbers all stand in brackets behind a criterion."""
    if reports(sentence) or _OF_OTHERS.search(sentence):
        return {}
    said: dict[str, int] = {}
    rest, position = "", 0
    for question, start, end in _named(questions, sentence):
        number = _BRACKETED.match(sentence, end)
        if number is None:
            continue
        value = _on_scale(question, number)
        before = _CLAUSE_ENDS.split(sentence[position:start])[-1]
        behind = _CLAUSE_ENDS.split(sentence[number.end() :], maxsplit=1)[0]
        is_told = _TELLS.match(behind) or (value in (0, 1) and _SHOWS.match(sentence))
        if value is None or question.key in said or not is_told:
            return {}
        if _DOUBT.search(before if value else _NONE.sub("", before)):
            return {}
        said[question.key] = value
        rest, position = rest + sentence[position:start], number.end()
    rest += sentence[position:]
    return said if not re.search(r"\d", rest) else {}


def _are_behind(
    names: Sequence[tuple[Question, int, int]], numbers: Sequence[re.Match[str]], sentence: str
) -> bool:
    """Each number behind its criterion, and nothing but a joint before the next one."""
    pairs = list(zip(names, numbers, strict=True))
    between = pairwise(pairs)
    return all(_BEHIND.fullmatch(sentence, name[2], one.start()) for name, one in pairs) and all(
        _BETWEEN_PAIRS.fullmatch(sentence, one.end(), name[1])
        for (_name, one), (name, _one) in between
    )


def _are_before(
    names: Sequence[tuple[Question, int, int]], numbers: Sequence[re.Match[str]], sentence: str
) -> bool:
    """The same for numbers before their criteria."""
    pairs = list(zip(names, numbers, strict=True))
    between = pairwise(pairs)
    return all(_BEFORE.fullmatch(sentence, one.end(), name[1]) for name, one in pairs) and all(
        _BETWEEN_PAIRS.fullmatch(sentence, name[2], one.start())
        for (name, _one), (_name, one) in between
    )


def _on_scale(question: Question, number: re.Match[str]) -> int | None:
    scale = question.criterion
    if not isinstance(scale, Scale):
        return None
    most = number["of"] or number.groupdict().get("out")
    if most is not None and int(most) != max(scale.values):
        return None
    value = int(number["value"])
    return value if value in scale.values else None


def names_in(questions: Sequence[Question], sentence: str) -> set[str]:
    """The questions whose criteria a sentence names."""
    return {question.key for question, _start, _end in _named(questions, sentence)}


def _named(questions: Sequence[Question], sentence: str) -> list[tuple[Question, int, int]]:
    """(question, start, end) of each criterion that a sentence names, in order."""
    found = [
        (question, one.start(), one.end())
        for question in questions
        for one in names_of_criterion(question).finditer(sentence)
    ]
    return sorted(found, key=lambda one: one[1])


@lru_cache(maxsize=512)
def names_of_criterion(question: Question) -> re.Pattern[str]:
    """A pattern of what a criterion is called in a sentence."""
    criterion = question.criterion
    given = {criterion.key, criterion.key.replace("_", " "), *criterion.name.everywhere}
    names = sorted({plain(name) for name in given if fold(name)}, key=len, reverse=True)
    words = (
        rf"(?<!\w){re.escape(name)}(?!\w)" if name.isascii() else re.escape(name) for name in names
    )
    return re.compile("|".join(words), re.IGNORECASE)
