"""A taxonomy answered label by label or question by question: "Nonsense: no", "Q1: no"."""

import re
from dataclasses import replace
from functools import lru_cache

from annotation.rubric.schema import Taxonomy
from judging.parsing.names import names_of, read_name, without_choices
from judging.parsing.plain import plain
from judging.parsing.polar import NO_WORDS, YES_WORDS
from judging.parsing.quotations import reports, without_quotations
from judging.parsing.stances import FIRST_MARK, MARK
from judging.parsing.written import WrittenAnswer
from judging.rules.outcomes import Outcome
from judging.rules.questions import Found, Question, Unreadable

_YES = rf"(?:{YES_WORDS}|y\b(?!/)|it (?:does|is|has)(?=\s*(?:[.,;\n]|$)))"
_NO = rf"(?:{NO_WORDS}|n\b|it (?:does|is|has)(?: not|n't))"
_PAIR = re.compile(
    rf"(?P<mark>{MARK})[\x02\x03]*\s*(?:\([^()\n]*\)\s*)?[?？吗:=|,\s\x02\x03–—>→(\[-]*?(?!(?<=\n)\W[ \t]*\x02?{MARK})"
    rf"(?:(?P<yes>{_YES})|(?P<no>{_NO}))(?![\w']|[ \t]*/[ \t]*[a-z])[\x03]?(?:[^\n/;,|。；，、.?]|\.(?=\w))*",
    re.IGNORECASE,
)
_ANSWERS = re.compile(rf"{_YES}|{_NO}|[\[(☑☐✅❌☒]", re.IGNORECASE)
_BOX = re.compile(
    rf"[\[(](?P<box>[xX✓✔ ]?)[\])][ \t]*(?P<mark>{MARK})\x03?|(?m:^|(?<=[,;|]))[ \t>*•-]*(?P<sign>[☑☐✅❌☒✓✔✗✘])[ \t]*\x02?(?P<marked>{MARK})\x03?"
)
_NUMBERED = re.compile(
    r"(?P<head>(?:\b(?:q|question|node|step|问题|第)\s*\d{1,2}\s*(?:题|问|个问题|步)?|(?:^|(?<=\n)|(?<=[,;，；/|]))\s*\d{1,2}|(?<=[\w)][.。!！])\s*\d{1,2}(?=[.)、:]))[.)、:=\s-]+)"
    rf"(?=(?:{YES_WORDS}|{NO_WORDS})(?![\w']))",
    re.IGNORECASE,
)
_CONCLUDED = re.compile(  # "Question 1 – The sentences hang together. → No"
    r"(?im)^(?P<head>\W*(?:q(?:uestion)?|node|问题|第)[ \t]*\d{1,2}(?:[ \t]*(?:题|问|个问题))?)\b[^\n]*(?:→|->|=>|⇒)[ \t]*(?P<word>yes|no|是|否)\W*$"
)
_REASONED = re.compile(  # "Nonsense – it hangs together, so no", "Nonsense: it hangs together. ✗"
    rf"(?im)^(?P<head>[\W\d]*{MARK}\x03?)[^\n\ue000-\uf8ff]*(?:(?:→|->|=>|⇒|[,;][ \t]*so|,(?:因此|所以))[ \t]*(?P<word>yes|no|是|否)\W*|[.。!) ](?P<sign>[✅✓✔❌✗✘])[ \t]*)$"
)
_INITIAL = re.compile(
    r"(?im)(?P<head>(?:^|(?<=[,;，；]))[ \t]*q(?:uestion)?[ \t]*\d{1,2}[ \t]*[:.)][ \t]*)(?P<word>[YN])(?=[ \t]*(?:[,;，；]|$))"
)
_OF_OTHERS = re.compile(  # whose list it is
    r"\b(?:first|second|other|another|previous) (?:rater|judge|annotator|reply|response)\b|^\W*example\b",
    re.IGNORECASE,
)
_TWO = Unreadable(reason=Outcome.AMBIGUOUS)
_WORD_OF = {"Y": "yes", "N": "no"}


def read_list(taxonomy: Taxonomy, question: Question, written: WrittenAnswer) -> Found | None:
    """Return the one label that is affirmed of several that are asked after; None for no list."""
    if not _ANSWERS.search(written.text):
        return None
    names = names_of(question)
    text = _with_nodes_named(taxonomy, without_quotations(without_choices(names, written.text)))
    marked, n_reasoned = _REASONED.subn(
        lambda line: f"{line['head']}: {line['word'] or line['sign']}", names.marked(text)
    )
    pairs = _pairs(marked)
    if len({mark for mark, _is_yes in pairs}) < 2 and not (pairs and _NUMBERED.match(written.text)):
        return None
    before = marked[: marked.find(chr(FIRST_MARK + pairs[0][0]))][-120:]
    if reports(before) or _OF_OTHERS.search(_BOX.sub("", _PAIR.sub("", marked))):
        return Unreadable(reason=Outcome.QUOTED)
    affirmed = {mark for mark, is_yes in pairs if is_yes}
    denied = {mark for mark, is_yes in pairs if not is_yes}
    affirmed |= _named_apart(marked) if not affirmed else set()
    if n_reasoned and not (affirmed or written.was_cut_off):
        return None
    if len(affirmed) == 1 and not affirmed & denied and _named_apart(marked) <= affirmed:
        choice = names.choices[affirmed.pop()]
        rest = _BOX.sub("", _PAIR.sub("", marked))
        named = re.sub(MARK, lambda one: names.choices[ord(one[0]) - FIRST_MARK], rest)
        said = read_name(question, replace(written, text=named))
        return choice if isinstance(said, Unreadable) or said == choice else _TWO
    reason = Outcome.AMBIGUOUS if affirmed else Outcome.NO_ANSWER
    if written.was_cut_off and not affirmed:
        reason = Outcome.TRUNCATED
    return Unreadable(reason=reason)


def _pairs(text: str) -> list[tuple[int, bool]]:
    pairs = [
        (ord(one["mark"]) - FIRST_MARK, one["yes"] is not None) for one in _PAIR.finditer(text)
    ]
    for box in _BOX.finditer(text):
        is_ticked = (box["box"] or "").strip() != "" or box["sign"] in {*"☑✅☒✓✔"}
        pairs.append((ord(box["mark"] or box["marked"]) - FIRST_MARK, is_ticked))
    return pairs


def _named_apart(text: str) -> set[int]:
    """The labels named on a line or behind a colon of their own, not asked after."""
    rest = _BOX.sub(" ", _PAIR.sub(" ", text))
    own = re.finditer(
        rf"(?:^|[:=\n]|\bis\b|是|为)[\s\x02*>→⇒-]*(?:\d{{1,2}}[.)、:]\s*)?\x02?({MARK})\x03?\s*(?=$|[.。,;!\n(])",
        rest,
    )
    return {ord(one[1]) - FIRST_MARK for one in own}


def _with_nodes_named(taxonomy: Taxonomy, text: str) -> str:
    """Put the label that a yes leads to in the place of a question, or of its number."""
    for pattern, name in _questions(taxonomy):
        text = pattern.sub(f"{name} ", text)
    text = _CONCLUDED.sub(r"\g<head>: \g<word>", text)
    text = _INITIAL.sub(lambda one: f"{one['head']}{_WORD_OF[one['word'].upper()]}", text)
    numbered = list(_NUMBERED.finditer(text))
    is_list = len(numbered) > 1 or any(re.match(r"[\s]*\D", one["head"]) for one in numbered)
    for one in reversed(numbered if is_list else []):
        digits = re.search(r"\d+", one["head"])
        number = int(digits[0]) if digits else 0
        if label := _yes_label(taxonomy, number):
            text = f"{text[: one.start()]}\n{label}: {text[one.end() :]}"
    return text


@lru_cache(maxsize=256)
def _questions(taxonomy: Taxonomy) -> tuple[tuple[re.Pattern[str], str], ...]:
    found = []
    for number, node in enumerate(taxonomy.nodes, 1):
        name = _yes_label(taxonomy, number) or ""
        for words in node.question.everywhere:
            asked = re.escape(plain(words).rstrip("?")) + r"\??"
            found.append((re.compile(asked, re.IGNORECASE), name))
    return tuple(found)


def _yes_label(taxonomy: Taxonomy, number: int) -> str | None:
    """The label of a yes-or-no question, by the question's number."""
    nodes = dict(enumerate(taxonomy.nodes, 1))
    labels = (
        [option.label for option in nodes[number].options if option.label]
        if number in nodes
        else []
    )
    return labels[0] if len(labels) == 1 else None
