"""Which label or option a text gives."""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise

from annotation.rubric.answers import fold
from annotation.rubric.schema import Taxonomy
from judging.parsing.plain import is_slip, plain
from judging.parsing.polar import NO_WORDS, YES_WORDS
from judging.parsing.quotations import without_quotations
from judging.parsing.stances import FIRST_MARK, HERE, MARK, Cues
from judging.parsing.verdicts import verdict_of
from judging.parsing.written import WrittenAnswer
from judging.rules.outcomes import Outcome
from judging.rules.questions import Found, Question, Unreadable

_FILL = (
    r"(?:[\s\x02:=\-–—\[\]|【〖(]|\b(?:a|an|the|it|this|that|them|reply|response|one|label|category|code|case"
    r"|example|instance|form|kind|type|of|clear|clearly|best|better|described|classified|categori[sz]ed"
    r"|labell?ed|rated|judged|marked|as|under|into|to|be|simply|definitely|really|actually|plainly|primarily|mainly"
    r"|mostly|most|just|firmly|certainly|obviously|also|indeed|therefore|thus|accordingly|consequently|textbook|typical|pure"
    r"|considered|is|with|by|for|in|number|no)\b|一(?:条|种|个|类|则)|典型的?|明显的?|明确的?|这|该|此|条|回复|类|属|于|为|是|了)*"
)
_SAY = (
    r"\b(?:is|was|are|be|as|under|into|constitutes?|choose|chose|chosen|choice|select(?:ed|ion)?"
    r"|pick(?:ed)?|assign(?:ed)?|label(?:l?ed|l?ing)?|call(?:ed)?|classif(?:y|ying|ied|ication|ies)"
    r"|categor(?:y|i[sz]ed?|i[sz]ation)|rat(?:e|ed|ing)|judged?|judge?ment|going with|go with"
    r"|went with|answer|verdict|class|conclude|conclusion|opt(?:ed)? for|settled? on|it's|that's"
    r"|gives|yields|leaves|leads? (?:me |us )?to|points to|have here|see here|(?:meets|matches|fits|satisfies|aligns with) the (?:definition|description"
    r"|criteria) (?:of|for)|matches|fits|find|see|write|prefer|arrived? at|ends? up (?:at|with)|represents|shows|exemplifies|demonstrates|exhibits|makes?"
    r"|decided? (?:for|on)|amounts? to|comes? down to|counts as|qualifies as|belongs to|deemed|lands? in|corresponds to|commits|vote|strikes me as"
    r"|has all the marks of|leaves only|points? to|a textbook case of|a (?:clear |typical |classic )?(?:case|example) of|fits but|consistent with"
    r"|aligns (?:(?:most |more )?closely )?with|go for|regard|interpret|understand|choosing|displays|reflects|illustrates|involves|guilty of|engages in"
    r"|satisfies|suited to|obvious|clear|characteri[sz]ed|classed"
    r"|falls? (?:under|into|within)|fall under|result|outcome|decision|output|say|mark(?:ed)?|therefore|thus|hence|so"
    r"|final|overall|tag|finding|diagnosis|assessment|evaluation|determination|response|reply)"
)
_SAY_CHINESE = (
    r"(?:是|为|属于|符合|归为|归入|归类为|归类到|判定为|判为|判断为|标注为|标记为|标为|评为|评定为|评判为|选|选择|选为|选定"
    r"|答案|标签|类别|结论|结果|分类|认定为|定为|只能算|存在|只有|指向|满足|带有|具有|呈现出?|犯|定性为|应为|当属|当选|算作|视为|构成|即|实则|实为|给出|体现了?|剩下|判定|评判|标注|认为|打上|贴上|归到|划为|划入)"
)
_SUBJECT = r"^\W*(?:该|这位|本|这条|此)?(?:求助者|来访者|回复|对话)(?:目前|当前)?\s*"
_BEFORE = re.compile(
    rf"(?:{_SAY}\b|{_SAY_CHINESE}|[:=→>]|->){_FILL}{HERE}|{_SUBJECT}{HERE}", re.IGNORECASE
)
_AFTER = re.compile(
    r"\s*(?:\([^)\n]*\)\s*)?(?:(?:clearly |plainly |definitely |simply |therefore |thus )?(?:fits|applies|holds|wins|stands|it is|it's"
    r"|(?:is|seems to be|appears to be|would be) (?:the |my |clearly |therefore |thus |more |most )*(?:best|closest|better|correct|right|most|final|appropriate|answer|label"
    r"|verdict|choice|pick|category|one(?! of)|accurate|apt|proper|present|what)|(?:is |was )?(?:clearly )?(?:detected|identified)(?! by\b)|best (?:describes|fits|captures|matches)|matches best|(?:describes|captures|matches|covers) (?:it|this|the)"
    r"|(?:seems )?appropriate|does(?=[.!]?\s*$))\b|[:=?>-]*\s*(?:yes|true|是|✓|✔|✅|☑)(?!\w)"
    r"|的?(?:定义|描述|特征|标准)?(?:最为?)?(?:相符|一致|吻合)"
    r"|(?:这一|这个|该)?(?:标签|类别|项)?(?:最为?|更|才|都|完全|明显|显然)?(?:合适|贴切|吻合|符合|准确|恰当|适用|成立|是(?:正确|最)))",
    re.IGNORECASE,
)
_GOES_ON = re.compile(
    r"\t|\s*(?:$|\n|[^\w\s?？+%~/]|(?:because|since|as|due|given|for|indeed|case|and not|rather|instead|not|over|but|based|here|in|with"
    r"|though|although|while)\b|因为|由于|是因|标签|类别|这一|而不|而非|的?$)",
    re.IGNORECASE,
)
_CUES = Cues(before=_BEFORE, after=_AFTER, goes_on=_GOES_ON, doubt=re.compile(r"(?!)"))
_CODE = r"(?:(?:label|code|category|class|option|标签|编号|代码|类别|选项|第|number|no\.?|#)\s*[:#]?\s*)?"
_CODE_BEFORE = re.compile(
    rf"(?P<start>^|[:=\n]|选择?|\b(?:is|to|under|into|as|assign|choose|pick|select)\b|属于|是|为)(?P<lead>[\s(\[\x02]*){_CODE}(?P<code>\d{{1,4}})[类项]?[\s)\]]*[.,、:\-–—=)|]*\s*[(\[]?\x02?(?P<mark>{MARK})\x03?",
    re.IGNORECASE,
)
_CODE_AFTER = re.compile(
    rf"(?P<mark>{MARK})\x03?\s*(?:[(\[]\s*{_CODE}(?P<code>\d{{1,4}})\s*[)\]]|[,:=–—-]+\s*{_CODE}(?P<bare>\d{{1,4}})(?=\s*(?:[.\n]|$)))",
    re.IGNORECASE,
)
_CODE_LINE = re.compile(
    r"(?im)^\W*(?:(?:label|class|category|标签|类别)[ _]?)?(?:code|id|label|class|category|编号|代码|标签|类别)\W*[:=]\W*(\d{1,4})\W*$"
)
_NO_NAME = re.compile(rf"\s*(?:no|否|不是?)\s*:\s*{MARK}\W*", re.IGNORECASE)  # "No: A"
_AS_TITLE = re.compile(  # "Safe Response: "I hear you."", which may be such a reply
    r"\W*(?:an? |the )?(?P<name>[\w ]*(?:response|reply|回复))\W*:\s*\"(?P<quoted>[^\"]+)\"\W*",
    re.IGNORECASE,
)
_HEADED_CODE = re.compile(  # "Label: 2", on a line of its own
    r"(?im)^(?P<head>[ \t>#*-]*(?:(?:final|my) |最终)?(?:(?P<is_named>label|class|category|标签|类别)|answer|result|verdict|答案|结果)(?: code| id|编号)?[ \t]*[:=][ \t]*)(?P<code>\d{1,4})(?=[ \t.]*$)"
)
_SEVERAL = re.compile(  # "选择2个:"
    r"\W*我?选?择?了?[ \t]*[2-9二两三四][ \t]*[个项种](?:标签|类别|选项)?[ \t]*:"
)
_LONE_CODE = re.compile(
    r"[^\w+\-\ue000-\uf8ff]*(?:(?:the |my )?(?:final |correct |best )?(?:answer|label|code|verdict|category|choice|option|output|class|rating)"
    r"(?: code| number)?(?: is)?|(?:最终|正确)?(?:答案|标签|编号|代码|类别|选择|选项|结论|(?:标签|类别|分类)(?:编号|代码|序号|结果))(?:是|为)?|我?选|i (?:choose|pick|select))?\s*(?:(?:option|label|category|code|class|number|类别|标签|选项)(?![a-z]))?"
    r"\s*[:=#(\[]*\s*[\"\x02]?(?P<code>-?\d{1,4}(?:\.\d+)?)(?![\d%])(?:号(?:标签)?)?[\s)\].。!\"\x03]*",
    re.IGNORECASE,
)
_NAMED_CODE = re.compile(  # "I would assign code 2"
    rf"(?i)(?:(?<=classification is )|(?<=category is )|(?<=\bthis is )|(?<=\bit is )|(?<=\bas )|(?<=\bassign ))(?:label|category|code)[ \t]+(?P<code>\d)(?!\d|\.\d|[ \t]*[(:,-]*[ \t]*\x02?{MARK})(?=\s*(?:[.,;\n]|$|(?:because|since|to (?:it|this))\b))"
)
_LETTERED = re.compile(rf"(?<![A-Za-z.])\(?[A-Ha-h][.)][ \t]*(?={MARK})")  # "(c) Nonsense"
_CODE_RANGE = re.compile(
    r"[(\[]\s*\d\s*(?:[-–~至到]|to)\s*\d\s*[)\]](?=\s*[:=])"
)  # "Label (0-7): 3"
_LONE_NAME = re.compile(
    r"[\W_]*(?:(?:the |my )?(?:final )?(?:answer|label|verdict|category|class|标签|答案|类别|[\u4e00-\u9fff]{0,4}(?:等级|级别|程度|水平))\s*(?:is|[:=是为])\s*)?"
    r"(?P<name>[^\W\d]+(?:[ \t-][^\W\d]+){0,2})[^\w?]*",
    re.IGNORECASE,
)
# What takes back a word before it, or says it anew.
_TURNS = rf"\b{{}}\b|\A\W*(?:(?:not?|nor|or|but|however|yet|though|wait|actually|hmm)\b|[不没但或])(?!\s*{MARK})"
_SET_ASIDE = re.compile(  # how another name is spoken of that is not given
    r"\b(?:if|would|could|might|not?|nor|neither|without|than|absent|unless|rather|instead)\b|n't\b|[若不无未没非]|如果|可能|[高低]于",
    re.IGNORECASE,
)
_OR_SHORT = re.compile(  # "Nonsense. Actually Toxic.", "其实是攻击。", a part of another name
    r"(?:\b(?:actually|or|rather|instead|wait|but|final|answer|label)\b[\s,:]*|[:→]\s*)((?-i:[A-Z])[a-z]+)(?=\s*(?:[.,;!)\n]|\Z))"
    r"|(?:其实|更正|改为|应为|而是|[,，。]\s*(?:或者?|但))[是为:,，\s]*([\u4e00-\u9fff]{2,4}?)的?(?=\s*(?:[.。,，;；!）)\n]|\Z))",
    re.IGNORECASE,
)
_OPTIONS = re.compile(
    r"(?i)\A\W*(?:options?|labels?|categor(?:y|ies)|classes|choices|标签|类别|选项)\W*:\s*(?:\d[.)]\s*)?…\s*"
)  # "Labels: …", all of them
_BETWEEN = re.compile(r"\s*(?:\b(?:to|or)\b|[/–~至到或])\s*", re.IGNORECASE)  # "moderate to high"
_ANGLED = re.compile(rf"<\s*({MARK})\s*>")
_TWICE = re.compile(rf"({MARK})\x03?(?:\s*[(\[/|,:=—–-]?\s*\x02?\1\x03?\s*[)\]]?)+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Names:
    """What a question may be answered with: choices in order, and one pattern for all names."""

    choices: tuple[str, ...]
    codes: Mapping[int, int]
    pattern: re.Pattern[str]
    number_of: Mapping[str, int]

    def marked(self, text: str) -> str:
        """Put one private character in the place of each name, and of a code that goes with it."""
        marked = _ANGLED.sub(r"\1", self.pattern.sub(self._mark, text))
        return _TWICE.sub(r"\1", marked)

    def _mark(self, found: re.Match[str]) -> str:
        return chr(FIRST_MARK + self.number_of[_squeezed(found[0])])

    def of_code(self, found: re.Match[str]) -> str:
        """The label of "label 2", as a name is marked."""
        number = self.codes.get(int(found["code"]))
        head = found.groupdict().get("head", "")
        return found[0] if number is None else f"{head}{chr(FIRST_MARK + number)}"


def read_name(question: Question, written: WrittenAnswer) -> Found:
    """Find the one label or option that a text gives; `written` is plain and without markup."""
    names = names_of(question)
    title = _AS_TITLE.fullmatch(written.text)
    if title and names.pattern.search(title["name"]) and not names.pattern.search(title["quoted"]):
        return Unreadable(reason=Outcome.NO_ANSWER)
    text = _with_order_told(question, without_choices(names, written.text))
    text = names.marked(without_quotations(text))
    text = _CODE_RANGE.sub("", _OPTIONS.sub("", text))
    if _SEVERAL.match(text):
        return Unreadable(reason=Outcome.AMBIGUOUS)
    headed = [*_HEADED_CODE.finditer(text)]
    if (
        len(headed) == 1
        and "?" not in text
        and (headed[0]["is_named"] or not re.search(MARK, text))
    ):
        text = _HEADED_CODE.sub(lambda one: names.of_code(one), text)
    text = _NAMED_CODE.sub(lambda one: names.of_code(one), text)
    coded = _with_codes(names, _LETTERED.sub("", text))
    if coded is None or _NO_NAME.fullmatch(coded):
        return Unreadable(reason=Outcome.AMBIGUOUS)
    if (lone := _lone_code(coded)) and names.codes:
        return _by_code(names, lone["code"])
    cues = replace(_CUES, called=called_by(question), is_headed=written.is_headed)
    found = verdict_of(coded, cues, written, len(names.choices))
    if found == Unreadable(reason=Outcome.NO_ANSWER):
        first, *rest = re.split(r"[.。;；\n]", text.strip(), maxsplit=1)
        parts = _BETWEEN.split(text.strip())
        if len(parts) > 1 and len({_meant(question, one) for one in parts} - {None}) == len(parts):
            return Unreadable(reason=Outcome.AMBIGUOUS)
        meant = _meant(question, text) or _kept(question, first, *rest)
        return _unless_shortened(question, text, meant) if meant else found
    if isinstance(found, Unreadable):
        return found
    return _unless_shortened(question, text, names.choices[found])


def _unless_shortened(question: Question, text: str, choice: str) -> Found:
    """A choice, unless a part of another's name stands where it is said anew: "Actually Toxic"."""
    for said in _OR_SHORT.finditer(text):
        word = fold(said[1] or said[2])
        meant = {key for key, parts in _parts(question) if word in parts}
        if meant and choice not in meant:
            return Unreadable(reason=Outcome.AMBIGUOUS)
    return choice


def _parts(question: Question) -> Iterator[tuple[str, Collection[str]]]:
    """(choice, its name, or the words of an English one)"""
    for key, names in _folded(question):
        yield from ((key, name.split() if name.isascii() else name) for name in names)


def _kept(question: Question, first: str, rest: str = "") -> str | None:
    """The choice that the first words mean, where nothing behind them takes it back or names one."""
    meant = _meant(question, first) if rest and not _meant(question, rest) else None
    turns = _TURNS.format(re.escape(first))
    choices = names_of(question).choices
    is_other = any(
        choices[ord(one) - FIRST_MARK] != meant and not _SET_ASIDE.search(sentence)
        for sentence in re.split(r"[.。;；\n]", rest)
        for one in re.findall(MARK, sentence)
    )
    return None if meant and (is_other or re.search(turns, rest, re.IGNORECASE)) else meant


def _meant(question: Question, text: str) -> str | None:
    """The one choice that all of a text is a slip of the pen for, or begins the name of: "Toxic"."""
    lone = _LONE_NAME.fullmatch(text.strip())
    said = fold(lone["name"]) if lone else ""
    if (len(said) < 2 and said.isascii()) or re.fullmatch(
        f"{YES_WORDS}|{NO_WORDS}", said, re.IGNORECASE
    ):
        return None
    meant = {
        key
        for key, names in _folded(question)
        for name in names
        if f"{name} ".startswith(f"{said} ")
        or (not name.isascii() and name.startswith(said))
        or is_slip(said, name)
    }
    choices = names_of(question).choices
    beside = {choices[ord(one) - FIRST_MARK] for one in re.findall(MARK, text)}
    return meant.pop() if len(meant) == 1 and beside <= meant else None


def _lone_code(text: str) -> re.Match[str] | None:
    """A code that is all of a text, or its first line where the rest has no number and no name."""
    first, _break, rest = text.strip().partition("\n")
    is_first = re.search(rf"\d|{MARK}", rest) is None
    return _LONE_CODE.fullmatch(first if is_first else text)


@lru_cache(maxsize=512)
def called_by(question: Question) -> frozenset[str]:
    """The names of what is rated, as they may stand beside its value."""
    criterion = question.criterion
    named = {criterion.key, criterion.key.replace("_", " "), *criterion.name.everywhere}
    return frozenset(named)


@lru_cache(maxsize=256)
def names_of(question: Question) -> Names:
    """Return what the choices of a question go by."""
    named = _named(question)
    criterion = question.criterion
    labels = criterion.labels if isinstance(criterion, Taxonomy) and not question.node else ()
    number_of = {
        _squeezed(name): number
        for number, (_key, names) in enumerate(named)
        for name in names
        if fold(name)
    }
    patterns = [_pattern(name) for _key, names in named for name in names if fold(name)]
    slips = list(_swapped(named))
    number_of = {_squeezed(slip): number for number, slip in slips} | number_of
    patterns += [_pattern(slip) for _number, slip in slips]
    for begun, number, pattern in _begun(named):
        number_of[_squeezed(begun)] = number
        patterns.append(pattern)
    return Names(
        choices=tuple(key for key, _names in named),
        codes={label.code: number for number, label in enumerate(labels)},
        pattern=re.compile("|".join(sorted(patterns, key=len, reverse=True)), re.IGNORECASE),
        number_of=number_of,
    )


def _named(question: Question) -> list[tuple[str, list[str]]]:
    """(choice, its names, the longest first) of each choice, in order."""
    if question.node is not None:
        given = [(option.key, option.text) for option in question.node.options]
    else:
        labels = question.criterion.labels if isinstance(question.criterion, Taxonomy) else ()
        given = [(label.key, label.name) for label in labels]
    return [
        (key, [plain(one) for one in sorted({key, *words.everywhere}, key=len, reverse=True)])
        for key, words in given
    ]


@lru_cache(maxsize=256)
def _folded(question: Question) -> list[tuple[str, list[str]]]:
    return [(key, [*map(fold, names)]) for key, names in _named(question)]


def _begun(named: Sequence[tuple[str, Sequence[str]]]) -> Iterator[tuple[str, int, str]]:
    """(beginning, choice, pattern) of the names of which one is only begun: "low to moderate risk"."""
    ended = [
        (number, ends)
        for number, (_key, names) in enumerate(named)
        for name in names
        if (ends := re.fullmatch(r"(\w+ |[\u4e00-\u9fff])(\w+)", name))
    ]
    for number, ends in ended:
        others = [one[1] for other, one in ended if other != number and one[2] == ends[2]]
        if others:
            between = r"[ \t]*(?:[-–—/~到至或]|\b(?:to|or|and)\b)*[ \t]*"
            yield ends[1], number, rf"{ends[1].strip()}(?={between}(?:{'|'.join(others)}){ends[2]})"


def _swapped(named: Sequence[tuple[str, Sequence[str]]]) -> Iterator[tuple[int, str]]:
    """(choice, its Chinese name with two characters in each other's place): "语言忽视"."""
    for number, (_key, names) in enumerate(named):
        for name in names:
            if re.fullmatch("[\u4e00-\u9fff]{4,}", name):
                ends = range(2, len(name) + 1)
                yield from (
                    (number, f"{name[: end - 2]}{name[end - 1]}{name[end - 2]}{name[end:]}")
                    for end in ends
                )


def _with_order_told(question: Question, text: str) -> str:
    """Write "the risk is low" as "it is low risk", where the text says but once how high it is."""
    turned, begun = _turned(question)
    is_one = len(begun.findall(text)) == 1
    return turned.sub(r"it \g<link> \g<begin> \g<end>", text) if is_one else text


@lru_cache(maxsize=256)
def _turned(question: Question) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Names the other way round, and the beginnings of all that end alike: "low risk", "high risk"."""
    words = [name.split(" ") for _key, names in _named(question) for name in names]
    ends = [one[1] for one in words if len(one) == 2]
    parted = [one for one in words if len(one) == 2 and ends.count(one[1]) > 1]
    begins = {one[0] for one in parted if not re.fullmatch(NO_WORDS, one[0], re.IGNORECASE)}
    begin, end = ("|".join(sorted(one)) or "(?!)" for one in (begins, {one[1] for one in parted}))
    return (
        re.compile(
            rf"(?:\bthe )?\b(?P<end>{end}) (?P<link>is|as) (?P<begin>{begin})(?=\s*(?:[.!]|$|(?:because|since)\b))",
            re.IGNORECASE,
        ),
        re.compile(rf"\b(?:{begin})\b", re.IGNORECASE),
    )


def without_choices(names: Names, text: str) -> str:
    """Leave out an enumeration of all choices: the question once more, not an answer to it."""
    found = list(names.pattern.finditer(text))
    size = len(names.choices)
    for first in range(len(found) - size + 1):
        run = found[first : first + size]
        gaps = [text[a.end() : b.start()] for a, b in pairwise(run)]
        named = {names.number_of[_squeezed(one[0])] for one in run}
        if len(named) == size > 2 and all(re.fullmatch(_GAP, gap) for gap in gaps):
            return text[: run[0].start()] + "…" + without_choices(names, text[run[-1].end() :])
    return text


_GAP = r"\s*(?:[,、/|;；\"']|\bor\b|\band\b|或|和|以及|\d|\.|-|\s)*\s*"


def _pattern(name: str) -> str:
    """A name in any case, with blanks, hyphens or nothing between its words, or in the plural."""
    words = re.findall(r"[^\W_]+", name.casefold())
    joined = r"[\s_-]*".join(_word(word) for word in words)
    if not name.isascii():
        return joined
    return rf"(?<![^\W_])(?<!\bnon-)(?<!\bun-)(?<!\bin-)(?:{joined})s?(?![^\W_]|_\w)"


def _word(word: str) -> str:
    word = re.escape(word).replace("judgment", "judge?ment").replace("judgement", "judge?ment")
    word = re.sub(r"(?<=\w{3})i[sz](?=e(?:d|r|s)?$|ing$|ation)", "i[sz]", word)
    return re.sub(r"^(non|un)(?=\w{4})", r"\1-?", word)


def _squeezed(name: str) -> str:
    """A name without what `_pattern` lets vary."""
    squeezed = re.sub(r"[\W_]+", "", name.casefold()).replace("judgement", "judgment")
    squeezed = re.sub(r"(?<=\w{3})is(?=e|ing|ation)", "iz", squeezed)
    return squeezed.removesuffix("s") if squeezed.isascii() else squeezed


def _with_codes(names: Names, text: str) -> str | None:
    """Leave out codes beside the names that they belong to; None where one contradicts its name."""
    if not names.codes or _is_counted(text):
        return re.sub(rf"(?m)^\s*\d{{1,2}}[.)、]\s*(?={MARK})", "", text)
    given = {names.codes.get(int(one[1])) for one in _CODE_LINE.finditer(text)}
    marks = {ord(one) - FIRST_MARK for one in re.findall(MARK, text)}
    if marks and not given <= marks:
        return None
    pairs = [*_CODE_BEFORE.finditer(text), *_CODE_AFTER.finditer(text)]
    for pair in pairs:
        code = pair["code"] or pair.groupdict().get("bare") or ""
        if names.codes.get(int(code)) != ord(pair["mark"]) - FIRST_MARK:
            return None
    text = _CODE_BEFORE.sub(lambda one: f"{one['start']}{one['lead'] or ''}{one['mark']}", text)
    return _TWICE.sub(r"\1", _CODE_AFTER.sub(lambda one: one["mark"], text))


def _is_counted(text: str) -> bool:
    """Say whether lines are numbered 1, 2, 3: then the numbers are no codes."""
    numbers = re.findall(r"(?m)^\s*(\d{1,2})[.)、](?!\d)", text)
    return len(numbers) > 1 and numbers == [str(one) for one in range(1, len(numbers) + 1)]


def _by_code(names: Names, code: str) -> Found:
    number = float(code)
    choice = names.codes.get(int(number)) if number == int(number) else None
    if choice is None:
        return Unreadable(reason=Outcome.OUT_OF_RANGE)
    return names.choices[choice]
