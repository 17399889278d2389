"""Several values in words: each behind the name of its criterion, on lines, in tables, in a row."""

import re
from bisect import bisect_right
from collections.abc import Sequence
from functools import lru_cache
from itertools import permutations

from annotation.rubric.answers import fold
from annotation.rubric.schema import Scale
from judging.parsing.clauses import is_of_plain_words
from judging.parsing.numbers import tells_other_scale
from judging.parsing.plain import is_slip, of_top, plain
from judging.parsing.quotations import without_quotations
from judging.parsing.reasons import without_closing
from judging.parsing.tables import RULE, as_lines, heads_values
from judging.parsing.values import one_given, read_plain_value
from judging.parsing.voices import greets, introduces, is_conditional, is_own
from judging.parsing.written import WrittenAnswer, reason_for_silence
from judging.rules.outcomes import Outcome
from judging.rules.questions import Found, Question, Unreadable

_MARKERS = r"[ \t>#|{\[(\"'•·●▪◦○+–—-]*(?:\(?(?:[Qq]?\d{1,2}|[A-Za-z]|[一二三四五六七八九十]{1,2})[.)、:][ \t]*|[Qq]\d{1,2}[ \t]+)?[ \t\"'|(\[]*"
_BETWEEN = r"(?<=[,;:/|。.}、；，])[ \t{\"'(]*|(?<=\w\()(?=[\w ]{2,40}=)|(?<=[)\]])[ \t]+|(?<=\d)[ \t]+(?=[^\W\d][\w ]{2,40}[:=])|\b(?:and|rate|rated|scored?|give|gave|for|with|as well as)[ \t]+|[和与及][ \t]*"
_QUALIFIER = r"(?:[ \t_]*(?:scores?|ratings?|level|grade|value|dimension|criterion|answer|verdict|label|的?(?:评分|得分|分数|打分|评级|等级|分值|维度|方面)|上(?=[得评给]\d)))?"
_ASIDE = r"(?:[ \t]*[(\[][ \t]*(?:0[/-]1|1/0)[ \t]*[)\]](?=[ \t]*:[ \t]*\d)|[ \t]*[(\[](?!\s*\d+\s*(?:/\s*\d+|分|[)\]]|points?|out of)|\s*(?:weight|human|experts?|gold|reference|previous|expected|ideal)\b|\s*(?:权重|专家|人工|参考))[^()\[\]\n]{0,60}[)\]])?"
_SEPARATOR = (
    r"[ \t\"'\x02\x03]*(?:[:=|]+|->|=>|→|[ \t][–—-]+(?=[ \t])|——|\.{2,}|(?<=[ \t])\.[ \t]+(?=\d)|\t|\b(?:is|gets|receives|scores|rated|at|a)\b|(?:评?为|是|得|给|打)(?=[ \t]*[\d一二两三四五六七八九零]))"
    r"|[,;](?=[ \t]*\d)|(?=\(\s*\d)|[ \t]+(?=[\d\"'(\[✅❌✓✗✔✘✖☑★⭐🌟])|(?<=[\u4e00-\u9fff])(?=[\d一二两三四五六七八九零])|[ \t\"'?？]*(?=\n|$)"
)
# "For empathy, the tone is kind. I give it 4.": a paragraph that says first what it is about
_ABOUT = (
    r"(?:(?:(?:as )?for|on|in|in terms of|as to|as regards|regarding|concerning|when it comes to|with (?:regard|respect) to)"
    r"[ \t]+(?:the[ \t]+)?|关于|至于|就|在"
    r"|(?:首先|其次|再次|然后|接着|最后|另外|此外|第[一二三四五六七])[,，][ \t]*[在就从]?"
    r"|(?:(?:first|next|then|finally|lastly|second)[ \t]*,?[ \t]*)?(?:looking at|turning to|moving on to|starting with|beginning with)[ \t]+(?:the[ \t]+)?"
    r"|(?:首先|其次|接着|接下来|然后|再次|再|最后)?(?:来?看|来?分析|来?评估|考察|来?说)(?:一下)?)"
)
_TOPIC_ENDS = (
    r"[ \t]*(?:(?:这一?)?(?:方面|维度|项|点|上|而言|来说|来看)+)?(?:[,:。]|\.(?=[ \t]))[ \t]*"
)
_NEXT_MARKER = re.compile(
    r"(?:\n|(?<=[;；,，])\s*(?=\()|(?<=[;；])\s*(?=\d))[ \t>#|{\[(\"'•·●▪◦○+–—-]*(?:\(?(?:[Qq]?\d{1,2}|[A-Za-z]|[一二三四五六七八九十]{1,2})[.)、:][ \t]*|[Qq]\d{1,2}[ \t]+)?[ \t\"'|(\[]*(?:(?<=[\[(])\d[\])][ \t]*)?$|\s(?:and|和|与|及)\s*$|(?<=\))[ \t]+\(?\d{1,2}[.)][ \t]*$|(?<=[.。])[ \t]*\(\d{1,2}\)[ \t]+\Z"
)
_TOTAL = re.compile(
    r"(?im)^[ \t|*#\"'\x02-]*(?:overall|total|sum|average|mean|combined|(?:in )?(?:summary|conclusion)|explanation|the (?:total|overall|average|sum|mean)|总体|总分|总评|合计|平均|综合|总计|说明)(?![A-Za-z]).*$|(?<=[。；;,，])[ \t]*(?:总分|合计|总计|平均分?)[^。\n]*[。]?[ \t]*$|(?<=[.;,])[ \t]+(?:the )?(?:total|sum|average|overall)\b[^.;\n]*(?:\.\d+)?[^.;\n]*\.?[ \t]*$|^[^\n]*\b(?:in total|on average)\W*$"
)
_SUMS_UP = re.compile(  # a line of its own: what follows is about no criterion
    r"(?im)^[ \t*#]*(?:overall|in total|total|summary|conclusion|总体|总评|综合|总结)"
    r"(?:[ \t]*(?:assessment|evaluation|impression|comments?|remarks?|评价|评估|印象))?[ \t*:]*$"
)
_XML = re.compile(
    r"<([^\W\d]\w*)(?P<attributes>\s[^<>]*)?>\s*(?P<inside>(?:(?!<\1[\s>]).){0,900}?)\s*</\1>",
    re.DOTALL,
)
_NAMED = re.compile(
    r"\b(?:criterion|name|dimension|key|id|attribute)\s*=\s*[\"']([^\"'<>]+)[\"']", re.IGNORECASE
)
_CLOSED = re.compile(
    r"<(?P<tag>\w+)\s(?=[^<>]*?\b(?:score|rating|value|answer|label)\s*=\s*[\"'](?P<value>[^\"'<>]*)[\"'])[^<>]*/>"
)
_SENTENCED = re.compile(  # "Guidance: 4. One step.", "Guidance (4): one step"
    r"\A[ \t]*\(?(\d{1,2}(?:/\d{1,2})?)(?:\.[ \t]+|\)[ \t]*[:：])(?=\D)"
)
_COUNTS = re.compile(r"\A\s*\n|\n[ \t]*2[.)、]")
# "0, it asks nothing", "0 (none is named)": a number, and what the reply does or lacks.
_REASONED = re.compile(
    r"\A(\d{1,2})(?:[ \t]*分|[ \t]+points?)?(?:[ \t]*[,:;(]|[ \t]+[–—-])[ \t]*"
    r"(?:(?:because|since|as|for)[ \t]+|因为|由于)?"
    r"(?:it[ \t]+(?!(?:is|was|isn|wasn|gets?|needs?|deserves?|means?|goes|depends|remains|stands|will|to|or|as)\b)\w"
    r"|(?:the (?:reply|response)|no|not|never)[ \t]+\w|(?:none|nothing)\b|它|该?回复|没有?|未|无)[^\d\n?]*\Z",
    re.IGNORECASE,
)
_UNSURE = re.compile(
    r"(?i)\b(?:i|i'm|we|you|he|she|they|would|could|might|may|can|should|must|perhaps|maybe|probably|likely|possibly|arguably"
    r"|seems?|unless|if|but|though|although|however|yet|said|says?|told|claims?|expert|rater|annotator|gold|instead|rather|sure"
    r"|certain|really|quite|exactly|wait|sorry|longer|too|wrong|high(?:er)?|low(?:er)?|generous|harsh|strict|that|actually|correct\w*|scores?|ratings?|rated?|grade|values?|points?|half|one|two|three|four|five|six|seven|eight|nine"
    r"|ten|zero|yes|true|false)\b|\b(?:not|no)[ \t.]*\Z|[\'’]|[\"“”]|但|不过|然而|如果|若|可能|也许|或许|大概|似乎|应该|本应|说|专家|评审|标注|分|改|其实|不确定"
)
_RATED_LAST = re.compile(  # "Lays out steps - 4/5", "it offers two steps, one vague: 3"
    r"\A(?!.*\b(?:would|could|should|might|may|not|no|expert|rater|said|says|asks?|than|instead|rather|but|if|to|up|score[sd]?|rat(?:e|ed|ing))\b)[^\W\d][^\d\n?\x02\x03\"“”:]*(?:[ \t]+[–—(-][ \t]*(?P<share>\d[ \t]*/[ \t]*\d{1,2})|:[ \t]*(?P<lone>\d))[.)\]]*\Z",
    re.IGNORECASE,
)
_WOULD_DO = re.compile(  # "0, it might deserve a yes"
    r"\A\d{1,2}(?:[ \t]*分)?[ \t]*[,;][^\n]*\b(?:might|could|may|should)[ \t]+(?:(?:also|well|even)[ \t]+)?"
    r"(?:deserve|merit|count as|be (?:called )?a?[ \t]*(?:yes|no|higher|lower)|get (?:a|an|one|more)\b)"
    r"|\A\d{1,2}(?:[ \t]*分)?[ \t]*[,;][^\n]*(?:似乎|也许|或许|可能|大概|本)也?(?:应|该|可)+(?:算|为|是|给|得|打)",
    re.IGNORECASE,
)
_COMMENT = re.compile(  # "4 // names steps", "yes  # warm"
    r"(?<=\d)[ \t]+//[ \t]+|(?:(?<=\byes)|(?<=\bno))[ \t]+(?://|#)[ \t]+", re.IGNORECASE
)
_OTHER_HEAD = re.compile(  # "Fluency: 5"
    r"(?im)^(?P<before>[ \t>*•-]*(?:\d{1,2}[.)][ \t]*)?)(?P<name>[A-Za-z][A-Za-z _-]{2,40}|[\u4e00-\u9fff]{2,8})(?P<behind>[ \t]*[:=][ \t]*(?:\d|yes\b|no\b|[是否]).*)$"
)
_SENTENCE_BEGINS = re.compile(r"^|(?<=[.!?。！？])\s|[。！？\n]")
_TABBED = re.compile(r"(?m)^(?P<cells>[^\t\n|]+\t[^\t\n|]+\t[^\n|]*)$")
_CELL_ENDS = re.compile(r"[&\t]")
_LATEX_ROW = re.compile(r"(?m)^(?P<cells>[^&\n]+&[^\n]*?)\\\\[^\n]*$")
_IN = re.compile(  # "该回复在共情上得1分"
    r"(?m)(?:^|(?<=[。；;]))(?:该|这条|此条?|本)?(?:回复|回应)在(?=[^,，。\n]{2,16}(?:方面|上)?[得评给]\d)"
)
_KIND = re.compile(  # "Affective resonance: Empathy 4, …", a group of criteria that has no value
    r"(?im)^[ \t>*•-]*(?:cognitive|affective|emotional|relational|clinical)[ \t]+(?:support|resonance|domain|dimensions?|attributes?|criteria)[ \t]*(?:\([A-Z]{2,4}\)[ \t]*)?:(?=[ \t]*[^\W\d][\w ]{2,40}[ \t:=(]+\d)"
    r"|^[ \t>*•-]*(?:认知|情感|情绪)(?:支持|共鸣)(?:维度|方面)?[ \t]*:(?=[ \t]*[^\W\d]\w{1,7}[ \t:=(]*\d)"
)
_TRANSLATED = r"(?m)^(?P<marks>{markers})(?P<word>[^\W\d][\w ]{{2,30}})[ \t]*\((?P<name>{names})\)(?=[ \t]*[:=])"


def read_lines(questions: Sequence[Question], written: WrittenAnswer) -> dict[str, Found | None]:
    """Read what stands behind the name of each criterion; None where its name heads nothing."""
    if len(questions) == 1 and not _begins_of_names(questions[0]).search(written.text):
        return {questions[0].key: None}
    text = _IN.sub("", _in_english_alone(questions, _LATEX_ROW.sub(_as_cells, written.text)))
    text = without_quotations(
        _COMMENT.sub(
            " – ",
            _TABBED.sub(_as_cells, _opened(text)),
        )
    )
    text = as_lines(_with_keys(questions, text), *_known(tuple(questions)))
    if len(questions) > 1:
        text = _KIND.sub("", text)
        text = _OTHER_HEAD.sub(lambda one: _unless_other(one, tuple(questions)), text)
    text = _SUMS_UP.sub("\n\x04", text)
    text = RULE.sub("", _TOTAL.sub(lambda one: _unless_named(one[0], questions), text))
    heads = _own(_named(questions, text), text, _called(tuple(questions)))
    said: dict[str, list[Found]] = {question.key: [] for question in questions}
    scales = {one.criterion for one in questions if isinstance(one.criterion, Scale)}
    before = text[: heads[0][2]] if heads else ""
    is_off = bool(scales) and tells_other_scale(before, scales, is_name=False)
    for number, (question, start, begin) in enumerate(heads):
        end = heads[number + 1][2] if number + 1 < len(heads) else len(text)
        is_last = number == len(heads) - 1
        finish = written.finish if is_last else "stop"
        section = _NEXT_MARKER.sub("", text[start:end]).strip(" \t|,;/，；、").rstrip()
        section = section.partition("\x04")[0]
        if is_last and number and "\n\n" not in text[heads[0][2] : start]:
            section = without_closing(section)
        if section.strip() and not (section[:1] == "\n" and _ends_a_row(questions, text[:begin])):
            if question.criterion in scales and (
                is_off or tells_other_scale(text[begin:start], scales, is_name=True)
            ):
                said[question.key].append(Unreadable(reason=Outcome.OUT_OF_RANGE))
                continue
            section = (
                _RATED_LAST.sub(r"\g<share>\g<lone>", section) if len(questions) > 1 else section
            )
            section = section if _COUNTS.search(section) else _SENTENCED.sub(r"\1; ", section)
            section = _without_reason(section) if len(questions) > 1 else section
            is_below = _may_be_below(question, text[begin:start], section)
            if is_below or (len(questions) > 1 and _WOULD_DO.search(section)):
                said[question.key].append(Unreadable(reason=Outcome.HEDGED))
                continue
            behind = WrittenAnswer(text=section.lstrip(), finish=finish, is_headed=True)
            value = read_plain_value(question, behind)
            said[question.key].append(value)
    return {key: one_given(values) for key, values in said.items()}


def _may_be_below(question: Question, head: str, section: str) -> bool:
    """Say whether "effect - 1" may mean -1."""
    scale = question.criterion
    is_below = isinstance(scale, Scale) and scale.values[0] < 0
    return is_below and head.rstrip()[-1:] in "–—-" and section[:1].isdigit()


def _as_cells(row: re.Match[str]) -> str:
    """A row of LaTeX or of tabs as one of Markdown; one without a number is the head of those below it,
    of tabs where it heads values."""
    cells = f"| {_CELL_ENDS.sub('|', row['cells'].strip())} |"
    is_head = re.search(r"\d", cells) is None and ("&" in row["cells"] or heads_values(cells))
    return f"{cells}\n|{'---|' * (cells.count('|') - 1)}" if is_head else cells


def _in_english_alone(questions: Sequence[Question], text: str) -> str:
    """Leave out another language's name before each in brackets; a word that stands before several
    names none of them: "Weight (Safety)"."""
    translated = _translated(tuple(questions))
    found = list(translated.finditer(text))
    words = {one["word"].casefold() for one in found}
    is_each = (
        1
        < len(questions)
        == len(found)
        == len(words)
        == len({one["name"].casefold() for one in found})
    )
    return translated.sub(r"\g<marks>\g<name>", text) if is_each else text


def _ends_a_row(questions: Sequence[Question], before: str) -> bool:
    """Say whether a name is the last of several on a line, which heads nothing: "Met: safety, empathy"."""
    line = before.rpartition("\n")[2]
    return re.search(_known(tuple(questions))[1], line, re.IGNORECASE) is not None


def _with_keys(questions: Sequence[Question], text: str) -> str:
    """Put the key of a criterion in the place of its question, where that is put once more and answered."""
    for asked, key in _put_again(tuple(questions)) if len(questions) > 1 else ():
        text = asked.sub(f"\n{key}: ", text)
    return text


@lru_cache(maxsize=64)
def _translated(questions: tuple[Question, ...]) -> re.Pattern[str]:
    """The name of a criterion in brackets behind another language's: "Seguridad (Safety): 4"."""
    names = _known(questions)[1]
    return re.compile(_TRANSLATED.format(markers=_MARKERS, names=names), re.IGNORECASE)


@lru_cache(maxsize=64)
def _put_again(questions: tuple[Question, ...]) -> list[tuple[re.Pattern[str], str]]:
    """(a question put once more before its answer, its key)"""
    begins, ends = r"(?:^[ \t>*•-]*(?:\d{1,2}[.)][ \t]*)?|(?<=[.!?] ))", r"\s*(?=[^\s)\]:])"
    return [
        (re.compile(rf"(?im){begins}{re.escape(plain(words))}{ends}"), question.key)
        for question in questions
        if isinstance(question.criterion, Scale)
        for words in question.criterion.question.everywhere
    ]


def _unless_named(line: str, questions: Sequence[Question]) -> str:
    """A line that sums up, where it gives a criterion its value once more."""
    name = _known(tuple(questions))[1]
    is_behind = re.search(rf"(?:{name})[ \t]*[:=(]?[ \t]*\d", line, re.IGNORECASE)
    return f"\n\x04{line}" if is_behind and len(questions) > 1 else "\n"


def _unless_other(line: re.Match[str], questions: tuple[Question, ...]) -> str:
    """A line headed by a name that is not asked for: by a slip of the pen, or nothing."""
    names = _known(questions)[0] | parts_of_names(questions)
    name = fold(line["name"])
    if name in names or is_of_plain_words(name, frozenset()):
        return line[0]
    meant = {known for known in names if is_slip(name, known)}
    meant_keys = {one.key for one in questions if meant & set(map(fold, _names(one)))}
    if len(meant_keys) == 1:
        return f"{line['before']}{meant_keys.pop()}{line['behind']}"
    is_about = any(re.search(rf"\b{one}\b" if one.isascii() else one, name) for one in names)
    return line[0] if is_about else ""


def _without_reason(section: str) -> str:
    """The number alone where nothing stands behind it but why; where a word of that may mean more, it is
    read as a whole."""
    found = _REASONED.match(section)
    if found is None or _UNSURE.search(section, found.end(1)):
        return section
    return found[1]


def without_numbering(questions: Sequence[Question], text: str) -> str:
    """Leave out the numbers of names that are counted up: "1) guidance 4, 2) safety 3, 3) empathy 4",
    "guidance (1), safety (2), empathy (3)"."""
    before, behind = _numbered(tuple(questions))
    numbers = before.findall(text)
    if _counts_up(numbers) or _counts_up(["1", *numbers]):
        text = before.sub("; ", text)
    if not _counts_up([one[1] for one in behind.finditer(text)]):
        return text
    return behind.sub(lambda one: f"{one[0].partition('(')[0]}:" if one["is_head"] else "…", text)


def _counts_up(numbers: Sequence[str]) -> bool:
    return len(numbers) > 2 and numbers == [str(n) for n in range(1, len(numbers) + 1)]


@lru_cache(maxsize=64)
def _numbered(questions: tuple[Question, ...]) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Numbers before names within a line, and names with numbers behind them."""
    names = _known(questions)[1]
    before = r"(?:(?<=[:=])[ \t]*(?=\(?1[.)、])|(?<=[^\s:=,;、.。])[ \t,;、.。]*)(?<![\dQq])\(?(\d{1,2})[.)、][ \t]*"
    return (
        re.compile(rf"{before}(?={names})", re.IGNORECASE),
        re.compile(rf"(?:{names})[ \t]*\((\d{{1,2}})\)(?P<is_head>[ \t]*:)?", re.IGNORECASE),
    )


def without_totals(text: str) -> str:
    """Leave out lines that sum up."""
    return _TOTAL.sub("", text)


def silence_in(written: WrittenAnswer) -> Unreadable:
    """Why a text holds nothing of a criterion."""
    return Unreadable(reason=reason_for_silence(written))


def _opened(text: str) -> str:
    """Write `<safety>4</safety>`, `<rating name="safety">4</rating>` and `<rating name="safety" score="4"/>`
    as lines."""
    text = _CLOSED.sub(_as_element, text)
    for _depth in range(4):
        text = _XML.sub(_as_line, text)
    return text


def _as_element(tag: re.Match[str]) -> str:
    named = _NAMED.search(tag[0])
    return f"\n{named[1] if named else tag['tag']}: {of_top(tag['value'], tag[0])}\n"


def _as_line(element: re.Match[str]) -> str:
    named = _NAMED.search(element["attributes"] or "")
    return f"\n{named[1] if named else element[1]}: {of_top(element['inside'], element['attributes'])}\n"


def heads_told(questions: Sequence[Question], text: str) -> list[tuple[str, int, bool]]:
    """(question, where its head begins, whether what it heads is the writer's own), in order."""
    named = _named(questions, text)
    own = {begin for _question, _start, begin in _own(named, text, _called(tuple(questions)))}
    return [(question.key, begin, begin in own) for question, _start, begin in named]


def _named(questions: Sequence[Question], text: str) -> list[tuple[Question, int, int]]:
    """(question, where its value begins, where its head begins), in the order of the text, whosever
    values they head."""
    parts = parts_of_names(tuple(questions))
    found = [
        (question, head.end(), head.start("topic" if head["topic"] else "head"))
        for question in questions
        for head in _head(question, parts).finditer(text)
    ]
    return _outermost(sorted(found, key=lambda one: (one[2], -one[1])))


def _own(
    heads: list[tuple[Question, int, int]], text: str, called: frozenset[str]
) -> list[tuple[Question, int, int]]:
    """Leave out heads that stand where somebody else's values are told: "The expert: Safety: 5".

    What is told goes on until a line says that its writer's own values follow.
    """
    own, is_told, sentence_before = [], greets(text), -1
    begins = [one.end() for one in _SENTENCE_BEGINS.finditer(text)]
    for head in heads:
        start = begins[bisect_right(begins, head[2]) - 1]
        if start != sentence_before:
            sentence_before = start
            earlier, _break, line = text[:start].rstrip().rpartition("\n")
            if line.rstrip(" *#").endswith(":"):
                leads = (line, earlier.rstrip().rpartition("\n")[2])
                is_told = is_conditional(line) or not all(introduces(one, called) for one in leads)
            before = text[start : head[2]]
            is_told = is_told or is_conditional(before) or not is_own(before, called)
        if not is_told:
            own.append(head)
    return own


def _outermost(heads: list[tuple[Question, int, int]]) -> list[tuple[Question, int, int]]:
    """Leave out a head inside another, such as "Safety" in "Safety of the reply"."""
    kept: list[tuple[Question, int, int]] = []
    for head in heads:
        if not kept or head[2] >= kept[-1][1]:
            kept.append(head)
    return kept


@lru_cache(maxsize=64)
def parts_of_names(questions: tuple[Question, ...]) -> frozenset[str]:
    """The parts of Chinese names ("共情" of "共情与合作", "安全" of "安全性") that are in one name only."""
    names = {plain(one) for each in questions for one in each.criterion.name.everywhere}
    parts = {part for name in names for part in _parts(name)} if len(questions) > 1 else set()
    return frozenset(part for part in parts if sum(part in name for name in names) == 1)


@lru_cache(maxsize=64)
def keys_of_parts(questions: tuple[Question, ...]) -> dict[str, str]:
    """{part of a Chinese name: key of the question that it names}"""
    return {
        part: one.key
        for part in parts_of_names(questions)
        for one in questions
        if any(part in plain(name) for name in one.criterion.name.everywhere)
    }


def _parts(name: str) -> list[str]:
    """What a Chinese name is put together from."""
    last = name.rpartition("的")[2]
    parts = [*re.split("[与和及]", last), re.sub("[性度量]$", "", last)]
    return [one for one in parts if re.fullmatch("[\u4e00-\u9fff]{2,}", one)]


@lru_cache(maxsize=256)
def _begins_of_names(question: Question) -> re.Pattern[str]:
    begins = {re.split(r"[\W_]", one)[0] for one in _heads_of(question, frozenset())}
    return re.compile("|".join(map(re.escape, sorted(begins))), re.IGNORECASE)


def _heads_of(question: Question, parts: frozenset[str]) -> list[str]:
    """The names that may head the value of a question, the longest first."""
    criterion = question.criterion
    given = {criterion.key, criterion.key.replace("_", " "), *criterion.name.everywhere}
    given |= {part for name in criterion.name.everywhere for part in _parts(plain(name))} & parts
    if question.among:
        given = {question.name}
    return sorted({plain(name) for name in given if fold(name)}, key=len, reverse=True)


@lru_cache(maxsize=512)
def _head(question: Question, parts: frozenset[str]) -> re.Pattern[str]:
    names = _heads_of(question, parts)
    name = "|".join(rf"(?<![^\W_]){_name(one)}" for one in names)
    several = len(question.criterion.name.languages) > 1 and not question.among
    aside = rf"(?:[ \t]*[(/|]?[ \t]*(?:{name})[ \t]*\)?)?" if several else ""
    return re.compile(
        rf"(?:^{_MARKERS}|{_BETWEEN})(?P<head>\"?\x02?(?:{name}){aside}){_QUALIFIER}{_ASIDE}(?:{_SEPARATOR})"
        rf"|^{_MARKERS}(?P<topic>{_ABOUT}(?:{'|'.join(map(_name, names))})){_TOPIC_ENDS}",
        re.IGNORECASE | re.MULTILINE,
    )


def _name(name: str) -> str:
    words = [re.escape(word) for word in re.findall(r"[^\W_]+", name.casefold())]
    joined = r"[\s_-]*".join("(?:and|&)" if word == "and" else word for word in words)
    return rf"{joined}(?![A-Za-z])" if name.isascii() else joined


@lru_cache(maxsize=64)
def _known(questions: tuple[Question, ...]) -> tuple[frozenset[str], str]:
    """The folded names of all that is asked, and a pattern of them."""
    names = [name for question in questions for name in _names(question)]
    both = [" ".join(two) for each in questions for two in permutations(_names(each), 2)]
    return frozenset(map(fold, [*names, *both])), "|".join(
        sorted(map(_name, names), key=len, reverse=True)
    )


@lru_cache(maxsize=64)
def _called(questions: tuple[Question, ...]) -> frozenset[str]:
    return frozenset(name for question in questions for name in _names(question))


@lru_cache(maxsize=512)
def _names(question: Question) -> frozenset[str]:
    if question.among:
        return frozenset({question.name})
    criterion = question.criterion
    return frozenset({criterion.key, *map(plain, criterion.name.everywhere)})
