"""One value in words or as JSON: a label, an option or a score."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache, reduce

from annotation.rubric import answers
from annotation.rubric.answers import Problem
from annotation.rubric.schema import Label, Scale, Taxonomy
from judging.parsing.lists import read_list
from judging.parsing.names import called_by, read_name
from judging.parsing.numbers import read_number
from judging.parsing.plain import CROSS, TICK, folded, plain, without_cells
from judging.parsing.polar import (
    STATED,
    AskedAbout,
    contradicts,
    is_concluded,
    is_said_anew,
    read_polar,
)
from judging.parsing.reasons import before_reasons, without_sureness
from judging.parsing.written import WrittenAnswer, in_plain_words
from judging.rules.outcomes import Outcome
from judging.rules.questions import Found, Question, Unreadable

_MET = rf"(?:(?P<yes>yes|体现|meets? (?:the|this) (?:criterion|standard|requirement)|met|present|pass(?:ed)?|fulfilled|satisfied|{TICK}|是|有|具备|符合|满足|达到)|(?P<no>no|(?:does not|doesn't|fails to) meet (?:the|this) (?:criterion|standard|requirement)|not (?:met|present|fulfilled|satisfied|passed)|unmet|absent|fail(?:s|ed)?|{CROSS}|否|无|没有|不具备|[不未](?:达到|满足|符合|体现|具备)(?:该?标准|要求|条件)?))"
_DENIED = re.compile(r"(?:没有?|未能?|不曾?|\bnot|n't|\bno)\s*\Z", re.IGNORECASE)
_NEVER = re.compile(r"(?!)")
_STEM = re.compile(r"\b[a-z]{4}(?=[a-z]*d\b)", re.IGNORECASE)  # of "accepted": what is done
_TWO_OF = re.compile(r"(?=([\u4e00-\u9fff]{2}))")  # each two characters beside each other
_ASKS = re.compile(r"\bDoes the reply (\w+)([^?]*)")
_THING = re.compile(  # of which a reply does what is asked, and not anything
    r"\b(?!(?:person|reply|their|them|could|what|more|that|about|down|with|this|others)\b)[a-z]{4,}\b"
)
_IS_DONE = re.compile(r"(\w+) (?:is|are) ")  # "the feeling is reflected and accepted"
_NEARBY = r"(?:(?!\bno(?:t|thing|body|ne)?\b)[^.;,]){0,30}?"
_UNDENIED = r"(?![^.;。；\n]*(?:\b(?:no(?:t|thing|body|ne|r)?|never)\b|n't\b|[不没未无]))"
_NULLS = ("none", "None", "null")
_FILLS = r"(?:出现|发现|看到|体现|进行|存在|任何|明显|明确|直接|主动|具体|真正|对[^,。;\n]{1,12}?(?=进行|[\u4e00-\u9fff]{2})|地|的|了)*"
_SUCH = r"(?:如此|(?:这种|这类|这样的?|该|此|此类|上述)(?:情况|问题|现象|迹象))"
_ENDS = r"(?=\s*(?:$|[,.;!。；！\n]))"
_MET_SAID = (
    r"(?:(?:it|(?:the |this )?(?:reply|response)) (?=meets|does not meet|doesn't meet|fails to meet)|(?:the |this )?(?:criterion|criteria|requirement|condition|standard)(?: (?:is|was|are|were|has been)|:)? (?:clearly |fully )?|(?:该|此)?(?:标准|条件|要求):?)?"
    rf"{_MET}(?=\W*$|\s*[.,;:!(\d]|[。，；：！（]|\s+[–—-])"
)
_MET_LEADS = re.compile(
    rf"\A(?:(?!{TICK}|{CROSS})\W)*{_MET_SAID}", re.IGNORECASE
)  # "Not met. …", "满足，…"
_MET_AGAIN = re.compile(rf"[.!。！\n][\s*•\"-]*{_MET_SAID}", re.IGNORECASE | re.MULTILINE)
_PAIRED = re.compile(  # "0 (No: …)", "Not met (0)"
    rf"(?<![\w.])(?P<number>\d)\s*分?\s*(?:[(\[:,=–—-]+\s*|(?={TICK}|{CROSS}))(?:criterion )?{_MET}(?=\s*(?:$|[.,;:!)\]。]))[)\]]?"
    rf"|(?<!\w)(?:(?:the )?criterion (?:is |was )?)?{_MET.replace('yes>', 'yes_before>').replace('no>', 'no_before>')}\s*(?:[(\[:=,]|->|→| (?=\d\W*$))\s*(?P<after>\d)(?!\d)\s*(?:分|points?\b)?\s*[)\]]?",
    re.IGNORECASE | re.MULTILINE,
)

_OF_ALL = re.compile(  # "Total: 3", of several criteria that are met or not
    r"(?im)(?:^[ \t>#*•-]*|(?<=[.!。！;；] ))(?:the |in )?(?:(?:total|sum|总[得评]?分|合计|总计)(?: (?:score|(?:of )?points?))?(?: (?:is|of)|[是为])?[ \t]*[:=]?[ \t]*\d+(?:/\d+)?分?|\d+ (?:in total|altogether))(?=\W*$)"
)
_NUMBER_LEADS = re.compile(
    r"\A\W*(?:(?:score|answer|得分|评分|答案)\W*)?[= ]*\d(?:分|\b)", re.IGNORECASE
)
_PASSES = re.compile(r"\b(?:pass|fail)(?:ed)?\b", re.IGNORECASE)
_MET_HEADED = re.compile(  # "Verdict: PASS"
    rf"(?im)(?<!:\n)^\W*(?:(?:my|final) )?(?:verdict|answer|result|judge?ment|decision|结论|判断|结果)\W*:\W*{_MET}(?=\W*$)(?![\s\S]*\b(?:pass|fail|met|yes|no)\b)"
)
_ANCHORED = re.compile(  # folded: "moderate", "2 moderate", "score moderate 2"
    r"(?:(?:score|rating|level|answer|anchor|评分|得分|等级|答案) )?(?:(?P<before>\d{1,3}) ?[分级]? )?(?P<anchor>.+?)(?: (?P<after>\d{1,3}) ?分?)?"
)


@lru_cache(maxsize=256)
def known_as(question: Question) -> frozenset[str]:
    """Return the folded names by which a question's criterion goes, and its node."""
    if question.among:
        return frozenset({folded(question.name)})
    criterion = question.criterion
    node = {question.node.key, *question.node.question.everywhere} if question.node else set()
    names = {criterion.key, *criterion.name.everywhere}
    names |= {name.rpartition("的")[2] for name in names}
    known = {folded(name) for name in names | node}
    return frozenset(known | {name.replace(" ", "") for name in known})  # "emotionRegulation"


def read_value(question: Question, written: WrittenAnswer) -> Found:
    """Read a value given in words."""
    return read_plain_value(question, in_plain_words(written))


def read_plain_value(question: Question, written: WrittenAnswer) -> Found:
    """Read a value given in words that are plain already, and without markup."""
    written = replace(written, text=without_sureness(without_cells(written.text)))
    whole = _read_whole(question, written)
    if whole != Unreadable(reason=Outcome.AMBIGUOUS):
        return whole
    first, reasons = before_reasons(written.text)
    if reasons is None:
        return whole
    value = _read_whole(question, replace(written, text=first, finish="stop"))
    again = _read_whole(question, replace(written, text=reasons))
    is_anew = any(is_said_anew(truth, reasons) for truth in _polar_values(question))
    is_one = (isinstance(again, Unreadable) and not is_anew) or again == value
    return value if is_one and not isinstance(value, Unreadable) else whole


def _read_whole(question: Question, written: WrittenAnswer) -> Found:
    criterion = question.criterion
    if isinstance(criterion, Scale):
        return _read_score(question, criterion, written)
    if polar := _polar_choices(question):
        said = read_polar(_without_question(question, written), _asked(question))
        return said if isinstance(said, Unreadable) else polar[said]
    if isinstance(criterion, Taxonomy) and question.node is None:
        listed = read_list(criterion, question, written)
        if listed is not None:
            return listed
    return read_name(question, written)


def read_json_value(question: Question, value: object) -> Found:
    """Read a verdict in JSON: a word or a number and nothing else."""
    if value is None or value == "" or (question.node and value in _NULLS):
        return Unreadable(reason=Outcome.NO_ANSWER)
    if isinstance(value, str):
        return read_value(question, WrittenAnswer(text=value, is_headed=True))
    if isinstance(value, bool):
        return _read_truth(question, value)
    if isinstance(value, list) and value and not any(isinstance(one, list) for one in value):
        return _one_of([read_json_value(question, one) for one in value])
    if not isinstance(value, int | float) or question.node:
        return Unreadable(reason=Outcome.SCHEMA_INVALID)
    return _checked(question, value)


def _one_of(members: Sequence[Found]) -> Found:
    """What a list comes to: its one member, with or without words of reason, or none of two."""
    if len(set(members)) == 1:
        return members[0]
    left = {one for one in members if one != Unreadable(reason=Outcome.NO_ANSWER)}
    are_read = not any(isinstance(one, Unreadable) for one in left)
    if len(left) == 1 and are_read:
        return left.pop()
    return Unreadable(reason=Outcome.AMBIGUOUS if are_read else Outcome.SCHEMA_INVALID)


def one_given(values: Sequence[Found]) -> Found | None:
    """The one value that is given; two are a contradiction, and silence beside one counts for nothing."""
    read = {value for value in values if not isinstance(value, Unreadable)}
    doubts = [value for value in values if isinstance(value, Unreadable)]
    if len(read) > 1 or (read and any(one.reason is not Outcome.NO_ANSWER for one in doubts)):
        return Unreadable(reason=Outcome.AMBIGUOUS)
    if read:
        return read.pop()
    return next(
        (one for one in doubts if one.reason is not Outcome.NO_ANSWER),
        doubts[0] if doubts else None,
    )


def _read_score(question: Question, scale: Scale, written: WrittenAnswer) -> Found:
    if not written.was_cut_off and written.text.strip() in map(str, scale.values):
        return int(written.text)
    if (value := _by_anchor(scale, written.text)) is not None:
        return value
    if points := _polar_points(scale):
        return _read_point(question, scale, points, written)
    number = read_number(scale, written, called=called_by(question))
    return number if isinstance(number, Unreadable) else _checked(question, number)


def _by_anchor(scale: Scale, text: str) -> int | None:
    """The one point whose anchor is all that is said, beside its number or without one."""
    found = _ANCHORED.fullmatch(folded(text)) if "?" not in text else None
    if found is None:
        return None
    points = (one for one in scale.points if found["anchor"] in map(folded, one.anchor.everywhere))
    said = {point.value for point in points}
    numbers = {int(one) for one in found.group("before", "after") if one}
    return said.pop() if len(said) == 1 and numbers <= said else None


def _read_point(
    question: Question, scale: Scale, points: Mapping[bool, int], written: WrittenAnswer
) -> Found:
    """A point of a scale of yes and no: by its number, by a word, or by both where they agree."""
    pairs = list(_PAIRED.finditer(written.text))
    if any(
        str(points[(one["yes"] or one["yes_before"]) is not None])
        != (one["number"] or one["after"])
        for one in pairs
    ):
        return Unreadable(reason=Outcome.AMBIGUOUS)
    text = _OF_ALL.sub("", _PAIRED.sub(_number_of, written.text))
    stated = [words for words in _stated(question) if words]
    bare = replace(written, text=reduce(lambda left, one: one.sub("", left), stated, text))
    number = read_number(scale, bare, called=called_by(question))
    if not isinstance(number, Unreadable):
        value = _unless_concluded(_checked(question, number), points, text)
        told = {
            points[truth]
            for truth, words in zip((True, False), _stated(question), strict=True)
            if words
            and any(not _DENIED.search(text, 0, one.start()) for one in words.finditer(text))
        }
        behind, n_leads = _NUMBER_LEADS.subn("", text)
        says_so = contradicts(value == points[True], behind, _asked(question))
        is_other = (n_leads and says_so) or (bool(told) and value not in told)
        return Unreadable(reason=Outcome.AMBIGUOUS) if is_other else value
    if number.reason is not Outcome.NO_ANSWER:
        return number
    text = _without_question(question, replace(written, text=text)).text
    led = _MET_LEADS.sub(lambda one: "no" if one["no"] else "yes", text, count=1)
    if len(_PASSES.findall(led)) < 2:
        led = _MET_HEADED.sub(lambda one: f"Verdict: {'no' if one['no'] else 'yes'}", led)
    said = read_polar(replace(written, text=led), _asked(question))
    if isinstance(said, Unreadable):
        return said
    return Unreadable(reason=Outcome.AMBIGUOUS) if _is_met_anew(not said, text) else points[said]


def _number_of(pair: re.Match[str]) -> str:
    """The number of "Yes (1)", so written that it numbers no list where a sentence follows."""
    number: str = pair["number"] or pair["after"]
    begins_a_line = not pair.string[: pair.start()].rpartition("\n")[2].strip()
    return f"= {number}" if begins_a_line and pair.string.startswith(".", pair.end()) else number


def _unless_concluded(value: Found, points: Mapping[bool, int], text: str) -> Found:
    """A number, unless "Answer: no" or a no before it means the other point."""
    leads = _MET_LEADS.match(text)
    is_other = (leads and points[leads["no"] is None] != value) or any(
        value == points[not truth] and says(truth, text)
        for truth in points
        for says in (is_concluded, is_said_anew, _is_met_anew)
    )
    return Unreadable(reason=Outcome.AMBIGUOUS) if is_other else value


def _is_met_anew(truth: bool, text: str) -> bool:
    """Say whether a later sentence says that the criterion is met, or that it is not."""
    return any((one["no"] is None) == truth for one in _MET_AGAIN.finditer(text))


def _read_truth(question: Question, truth: bool) -> Found:
    if isinstance(question.criterion, Scale):
        points = _polar_points(question.criterion)
        return points[truth] if points else Unreadable(reason=Outcome.SCHEMA_INVALID)
    polar = _polar_choices(question)
    return polar[truth] if polar else Unreadable(reason=Outcome.SCHEMA_INVALID)


def _without_question(question: Question, written: WrittenAnswer) -> WrittenAnswer:
    """Leave out the question where it is put once more before it is answered."""
    found = next(filter(None, (one.match(written.text) for one in _put_again(question))), None)
    return replace(written, text=written.text[found.end() :]) if found else written


@lru_cache(maxsize=256)
def _put_again(question: Question) -> list[re.Pattern[str]]:
    asker = question.node or question.criterion
    asked = () if isinstance(asker, Taxonomy) else asker.question.everywhere
    heads = [re.escape(plain(one)) for one in asked]
    if yes := _yes_label(question):
        heads += [rf"{re.escape(plain(one))}\s*[:=?]" for one in yes.name.everywhere]
    heads += [r"(?:is )?(?:the |this )?criterion (?:met|fulfilled|satisfied)[?:]"]
    begins = r"\s*(?:q(?:uestion)?\s*\d*\s*:\s*|\d[.)]\s*)?"
    return [re.compile(f"{begins}{head}", re.IGNORECASE) for head in heads]


@lru_cache(maxsize=256)
def _asked(question: Question) -> AskedAbout:
    """What the words of a rubric ask, where they are answered by yes or no."""
    criterion, node = question.criterion, question.node
    names = {part for name in called_by(question) for part in re.split("[与和]", plain(name))}
    if isinstance(criterion, Scale):
        denials = [words for point in criterion.points for words in point.anchor.everywhere]
        begins, asks = "是否|没有|未", [*criterion.question.everywhere, *denials]
    else:
        yes = _yes_label(question)
        names |= {plain(name) for name in yes.name.everywhere} if yes else set()
        told = [*node.help.everywhere, *(yes.definition.everywhere if yes else ())] if node else []
        asks = [one for words in told for one in re.split(r"[,，。、;；:：]", words)]
        asks = [one for one in asks if not re.search("[不没未]", one)]
        begins, asks = "^|是否|或", [*(node.question.everywhere if node else ()), *asks]
    found = [one for words in asks for one in re.findall(_begun_by(begins), plain(words))]
    about = "|".join(
        re.escape(one) for one in sorted({*names, *found}, key=len, reverse=True) if one
    )
    says_yes, says_no = (
        re.compile("|".join(one.pattern for one in said if one), re.IGNORECASE)
        for said in zip(_usual(question), _stated(question), (_does(question), None), strict=True)
    )
    return AskedAbout(
        denied=re.compile(
            rf"{_FILLS}(?:{about}|{_SUCH}|(?:达到|体现|满足|符合|发现|出现|做到){_ENDS})"
        ),
        says_yes=says_yes,
        says_no=says_no,
        does_not=_does_not(question),
    )


def _anchor_of_yes(question: Question) -> Sequence[str]:
    """What a yes means on a scale of yes and no, in each language; nothing of another question."""
    scale = question.criterion
    if not isinstance(scale, Scale):
        return ()
    met = (_polar_points(scale) or {}).get(True)
    return [words for one in scale.points if one.value == met for words in one.anchor.everywhere]


def _does_not(question: Question) -> re.Pattern[str] | None:
    """With which words what is asked of the reply is denied: "it does not ask", "回复没有接纳"."""
    asker = question.node or question.criterion
    asked = "" if isinstance(asker, Taxonomy) else " ".join(asker.question.everywhere)
    met = _anchor_of_yes(question)
    verbs = [rf"{verb}s?\b" for verb in re.findall(r"\bdoes the reply (\w+)", asked, re.IGNORECASE)]
    verbs += [rf"{stem}\w*" for words in met for stem in _STEM.findall(words)]
    pairs = [pair for words in met for pair in _TWO_OF.findall(words)]
    done = "|".join(verbs)
    says = [
        rf"(?:(?:the |this )?(?:reply|response)|it)\s+(?:(?:(?:does|did)(?: not|n't)|never|neither|fails? to)\s+(?:\w+ly\s+)?(?:{done})|(?:{done})\s+(?:nothing|nobody|no)\b)",
        rf"(?:该|这条|此条?|本)?(?:回复|它)并?(?:没有?|未)(?:{'|'.join(pairs)})",
    ]
    words = [one for one, known in zip(says, (verbs, pairs), strict=True) if known]
    return re.compile(rf"\W*(?:but |但是?)?(?:{'|'.join(words)})", re.IGNORECASE) if words else None


def _does(question: Question) -> re.Pattern[str]:
    """With which words it is said that the reply does what is asked: "it accepts the feeling", "接纳了感受"."""
    met, scale = _anchor_of_yes(question), question.criterion
    asked = scale.question.everywhere if met and isinstance(scale, Scale) else ()
    said = [
        rf"{verb}s?\b{_NEARBY}\b(?:{'|'.join(things)})\b"
        for verb, rest in _ASKS.findall(" ".join(asked))
        if (things := _THING.findall(rest))
    ]
    said += [
        rf"{verb}s? {where} (?:them|her|him|the (?:person|seeker|client|user))\b"
        for verb, where in re.findall(r"\band (\w+) (\w+) them\?", " ".join(asked))
    ]
    for words in met:
        first = re.split("[,;，；]", words)[0]
        thing, stems = _IS_DONE.search(first), "|".join(_STEM.findall(first))
        if thing and stems:
            name = rf"\b{thing[1]}s?"
            said += [
                rf"(?:{stems})\w*{_NEARBY}{name}\b",
                rf"{name} (?:is|are) (?:\w+ly )?(?:{stems})",
            ]
    for words in (*asked, *met):
        first = re.split("[,。?]", plain(words).rpartition(":")[2])[0]
        if verbs := "|".join(re.findall(_begun_by("^|是否|或|并"), first)):
            said.append(rf"(?:{verbs})(?!到?了?的|不)[^,。;\n]{{0,8}}{re.escape(first[-2:])}")
    return re.compile("|".join(rf"(?:{one}){_UNDENIED}" for one in said) or _NEVER.pattern, re.I)


@lru_cache(maxsize=256)
def _stated(question: Question) -> list[re.Pattern[str] | None]:
    """The anchors of yes and no, which say as much as a yes or a no to a question."""
    scales = [question.criterion] if isinstance(question.criterion, Scale) else []
    said: dict[bool, list[str]] = {
        truth: [plain(words).partition(":")[2] for words in point.anchor.everywhere]
        for scale in scales
        for truth, value in (_polar_points(scale) or {}).items()
        for point in scale.points
        if point.value == value
    }
    return [
        re.compile("|".join(re.escape(re.split("[,;.，。]", one.strip())[0]) for one in part), re.I)
        if part and all(part)
        else None
        for part in (said.get(True), said.get(False))
    ]


def _usual(question: Question) -> Sequence[re.Pattern[str]]:
    """The words that usually say as much as a yes to such a question, and as a no."""
    asker = question.node or question.criterion
    asked = "" if isinstance(asker, Taxonomy) else plain(" ".join(asker.question.everywhere))
    return next((one[1:] for one in STATED if one[0].search(asked)), (_NEVER, _NEVER))


def _begun_by(words: str) -> str:
    """A pattern of the two Chinese characters that a predicate begins with, behind such words."""
    return rf"(?:{words})(?:这条|回复|语句|它|一再|者|是否|或|如果)*([\u4e00-\u9fff]{{2}})"


def _yes_label(question: Question) -> Label | None:
    """The label that a yes to a node gives."""
    polar = _polar_choices(question) or {}
    if question.node is None or not isinstance(question.criterion, Taxonomy):
        return None
    given = {option.key: option.label for option in question.node.options}
    key = given.get(polar.get(True, ""))
    return next((one for one in question.criterion.labels if one.key == key), None)


@lru_cache(maxsize=256)
def _polar_choices(question: Question) -> dict[bool, str] | None:
    """The options that mean yes and no, where a node has these two and no other."""
    options = question.node.options if question.node else ()
    named = {option.key: answers.option_names(option) for option in options}
    yes = [key for key, names in named.items() if names & answers.YES]
    no = [key for key, names in named.items() if names & answers.NO]
    if len(named) == 2 and len(yes) == len(no) == 1:
        return {True: yes[0], False: no[0]}
    return None


def _polar_values(question: Question) -> Mapping[bool, str | int]:
    """What yes and no come to, where a question is answered by them; nothing of another."""
    is_scale = isinstance(question.criterion, Scale)
    given = _polar_points(question.criterion) if is_scale else _polar_choices(question)
    return given or {}


@lru_cache(maxsize=256)
def _polar_points(scale: Scale) -> dict[bool, int] | None:
    """The points whose anchors begin with yes and no, where a scale has these two and no other."""
    heads = {point.value: answers.anchor_heads(point.anchor) for point in scale.points}
    yes = [value for value, head in heads.items() if head & answers.YES]
    no = [value for value, head in heads.items() if head & answers.NO]
    return {True: yes[0], False: no[0]} if len(heads) == 2 and len(yes) == len(no) == 1 else None


def _checked(question: Question, number: str | int | float) -> Found:
    """Ask the rubric whether a number is on the scale, or the code of a label."""
    answer = answers.read(question.criterion, number)
    given = None if isinstance(answer, Problem) else answer.label or answer.score
    return Unreadable(reason=Outcome.OUT_OF_RANGE) if given is None else given
