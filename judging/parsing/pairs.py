"""How an answer speaks of two replies, written so that only what it prefers is called by its name.

A letter that is all there is, behind a colon, in a cell, or said to be chosen or better is the name of
a reply. A reply that a clause only describes ("Reply A is generic") is not named as a choice. What
says that none is better is a tie. Everything else is left to the grammar that reads all answers.
"""

import re

from judging.parsing.plain import plain, unadorned
from judging.parsing.traditional import simplified

_SAID = (  # of a reply that is preferred, or may be
    r"\b(?:best|strongest|superior|prefer\w*|ahead|wins?|highest|choice|chosen|pick(?! for\b)|favou?red|edges?|beats?|outperforms?|surpasses|tops"
    r"|scores?|rates?|gets?|receives?|earns?|deserves?|merits?|more|less|worse|equal\w*|tie[sd]?|same|one"
    r"|(?!(?:an?|ei|far?|ra|whe|toge)?ther|support|seek|us|answ|nev|howev|aft|und|consid|numb|matt|ang)\w{3,}er)\b"
    r"|[更最比较选胜赢优]|不如|好于|强于|相当|一样"
)
# The same of one that is described in spite of that: "Although Reply B is longer".
_SAID_ALTHOUGH = r"\b(?:better|best|prefer\w*|superior|wins?|choice)\b|更好|更优|最好|选|优于|胜"
_ALTHOUGH = re.compile(r"\s*(?:虽然?|尽管)")
_CLAUSE = r"(?:(?!\b(?:but|while|whereas|although|though|because|since|so|therefore)\b|但|而|因)[^.,;:!?。，；：！？\n])*"
_REPLY = r"(?:reply|回复)[\s_]*(?P<letter>[AB])(?![A-Za-z])"
_LONE_LETTER = re.compile(
    r"(?P<before>^\W*(?:<\w+>\s*)?(?:\\boxed\{(?:\\text\{)?)?|(?<![Gg]rade)(?:[:：|=→⇒]|[-=]>)[\s\"'“*\[(]*)(?P<letter>[AB])(?P<after>[\"'”*\])}$]*(?:[ \t]*[✅✓✔])?\s*[,.。，;；|]?\s*(?:$|(?=</)|(?<=\|)|(?=[}\n]|(?:because|since)\b|因为)))"
    r"|(?P<head>[:：|][\s\"'“*\[(]*)(?P<headed>[AB])(?P<reason>[\"'”*\])]*(?=[\"']\s*,|\s+[-–—(]|\s*[（]|[.;]\s|[。；，]))",
    re.MULTILINE,
)
_LETTER_CHOSEN = re.compile(
    r"(?P<first>\A\W*)(?P<alone>[AB])(?P<because>[.:]\s+(?i:it|this|because)\b)(?!(?s:.)*\b[AB]\s*[.:])|"
    r"(?P<before>\b(?:(?i:choose|prefer|pick|select|(?:winner|choice|preference|(?:better|best|stronger|preferred)(?: \w+)?) is|(?:go|going|went) with|vote for|favou?r)\s+\**)|(?:我?选择?|(?:更好|较好|更优|更佳)的?(?:回复|回应|回答)?是)\s*)"
    r"(?P<letter>[AB])\b(?P<after>(?!['’]))"
    r"|(?P<start>(?:^|(?<=[\s，。；：:*\[为得]))\**)(?P<subject>[AB])(?P<says>\**\s*(?:wins\b|(?:is|seems) (?:\w+ly |much |a bit |the )?(?:better|stronger|preferable|superior)\b(?! (?:at|in|on|for|with)\b(?! (?:the whole|balance|all|both|every|that)))|(?:明显|总体上?|整体上?|略)?(?:更好|更优)|胜出|更?胜一筹|(?:[<>]+|优于|好于|胜过|强于|不如|loses to|isn't as good as|edges out|outperforms|beats|surpasses|is (?:\w+ly |much )?(?:worse|weaker) than)\s*[AB]\b))"
    r"|(?P<joint>(?:\b(?:and|but|or|while)|[,;])\s+)(?P<also>[AB])(?P<part>\s+(?:for|on|in)\b)",  # "A for warmth, B for use"
    re.MULTILINE,
)
_PARTS = (
    ("first", "alone", "because"),
    ("before", "letter", "after"),
    ("joint", "also", "part"),
    ("head", "headed", "reason"),
    ("start", "subject", "says"),
)
_INCLINES = re.compile(
    r"(?:我?(?:更|比较)倾向于?(?:选择?)?|我(?:更|比较)(?:喜欢|偏好))[ \t]*(?=回复)"
)
_IN_BRACKETS = re.compile(
    r"(?:\A|(?<=[.!?。！？:：)\n]))\s*\[(?:\[|RESULT\]\s*\(?)([AB])\b\W*"
)  # "… [[A]]", "… [RESULT] B"
_PREFERENCE = re.compile(
    r"\bpreference\b(?=\W*(?:is\b|[:：]))|(?<![\"'])\bpreferred\b(?=[\s*_]*[:：])|(?:(?:获|优)?胜(?:出)?[者方]?|赢家)(?=\W*[:：])",
    re.IGNORECASE,
)
_FIRST, _SECOND = (
    re.compile(
        rf"(?i)\b(?:the )?{english} (?:reply|response|answer)\b|第{chinese}[个条则](?:回复|回应|回答)"
    )
    for english, chinese in (("first", "一"), ("second", "二"))
)
_OTHER_NOUN = re.compile(
    r"\b(?i:response|assistant|answer|option|candidate)[ _](?P<letter>[AB])\b|(?:回应|回答|答复|助手)\s*(?P<also>[AB])(?![A-Za-z])"
)
_LESS = re.compile(
    rf"{_REPLY}\s*(?:<+|不如|(?:is|seems) (?:\w+ly |much )?(?:worse|weaker) than|loses to|is(?: not|n't) (?:quite )?as (?:good|strong) as)\s*(?:(?:reply|回复)[\s_]*)?(?P<other>[AB])",
    re.IGNORECASE,
)
_WORSE = re.compile(
    rf"{_REPLY}\s*(?:(?:is|was) (?:\w+ly |much )?(?:worse|weaker|the (?:worse|weaker) (?:one|reply))|loses|更差|较差)(?=\s*(?:[.!;。；]|$|because\b|since\b))",
    re.IGNORECASE,
)
_IS_LESS = re.compile(r"\b(?:worse|weaker|loses)\b|更差|较差", re.IGNORECASE)
_OTHER = {"A": "B", "B": "A"}
_IS_BETTER = re.compile(
    rf"{_REPLY}(?:\s*(?:总体上?|整体上?|明显|略|稍)?(?:更好|更优|较好|较优|更佳|胜出|获胜|更?胜一筹)一?些?"
    r"|\s*(?:>+|优于|好于|胜过|强于|\b(?:edges out|outperforms|beats|surpasses)\b)\s*(?:(?:reply|回复)[\s_]*)?[AB]"
    r"|\s+(?:(?:is|seems)(?: \w+ly| much| a bit| overall)? (?:preferable|superior|stronger|preferred|the (?:better|stronger) (?:one|reply|answer|choice)|higher)(?! (?:in|on|for|at|than)\b)|wins\b|has the edge\b))",
    re.IGNORECASE,
)
_DESCRIBED = re.compile(
    rf"(?P<although>\b(?:although|though|while|whereas|even if)\s+|(?:虽然|尽管)\s*)?{_REPLY}(?P<rest>(?:['’]s\b|[ \t]*\([^()\n]*\))?[ \t]+(?:\w+ly |also |only |just )?(?:[a-z]+s|had|did|could|can|may|would|tone|wording|advice)\b(?!\s*[:：]){_CLAUSE}"
    rf"|['’]s\b{_CLAUSE}|[ \t]*[\u4e00-\u9fff]{_CLAUSE})",
    re.IGNORECASE,
)
_IN_PART = re.compile(
    r"\bbetter (?:at|in|on|for|with)\b(?! (?:the whole|balance|all|both|every))", re.IGNORECASE
)  # what else counts is a choice
_BETTER_IN_PART = re.compile(  # of both: neither is said to be the better one
    rf"{_REPLY}(?= (?:is|seems) (?:\w+ly |much )?{_IN_PART.pattern})", re.IGNORECASE
)
_ONLY_IN_PART = re.compile(  # "I prefer Reply A on empathy", "就共情而言，回复B更好"
    r"(?:reply|回复)[\s_]*[AB](?:\s+is better)?\s+(?:in terms of|on|in|regarding)\s+(?P<part>(?!terms\b|overall\b|that\b|balance\b|the whole\b|total\b|all\b|both\b|every|each\b|my\b|this\b|the (?:end|dialogue)\b|these\b|short\b|sum\b|general\b)[a-z]+)"
    r"|(?P<zh>(?!总|整体|综合|全|[\u4e00-\u9fff]{0,4}角度)[\u4e00-\u9fff]{2,6})(?:而言|来说|来看|方面|上)[,，]?\s*我?(?:选择?|认为|觉得)?\s*(?:reply|回复)[\s_]*[AB]",
    re.IGNORECASE,
)
_BROKEN_OFF = re.compile(  # "…. Reply B is better at naming the"
    r"(?P<before>[.!?\n]\s+)[^.!?\n]*\bbetter (?:at|in|on|for|with)\b(?! (?:the whole|balance))[^.!?。\n]*\Z"
)
_HEADED = re.compile(
    rf"(?im)^(?P<mark>[\W_]*){_REPLY}(?P<colon>\W*[:：]\W*(?=[^\W\d]{{2}}|[\"“\d]))"
)
_BESIDE = re.compile(rf"(?i)\|[ \t*]*{_REPLY}[ \t*]*(?=\|)")  # the head of a table of both
_TIED = re.compile(
    r"\b(?:both(?: replies)?|they|the (?:two )?replies|the two|(?:reply[ _])?a and (?:reply[ _])?b)(?: (?:are|is|were)|'re) (?:\w+ly )?(?:equal(?:ly (?:good|strong))?|tied|(?:of )?(?:the same|equal)(?: quality)?|on a par)(?=\s*(?:[.!;]|$))|^\W*(?:a )?draw(?=\W*$)|\[\[C\]\]|\b(?:reply[ _])?A\s*(?:=+|≈|≡)\s*(?:reply[ _])?B\b",
    re.IGNORECASE | re.MULTILINE,
)
_TIED_CHINESE = re.compile(
    r"平局|打平|(?:[两二]者)?(?:无|没有)明显(?:差别|差异|优劣|区别)[,，]\s*(?:平手|平局)|(?:两者|二者|两条回复|两个回复)(?:的)?(?:质量|水平|表现)?(?:相当|一样好|差不多)[,，]\s*(?:因此|所以)?(?:判为|为|是)?(?:平手|平局)(?![^。\n]*(?:但|不过|然而))|(?:两者|二者|两条回复|两个回复)?(?:总体上?|整体上?)?(?:(?:不分(?:上下|高下|伯仲)|不相上下)(?:[,，]\s*(?:平手|平局))?|(?<=[者复上体])(?:相当|一样好|没有差别)(?=\s*(?:[。.!；]|$)))",
    re.MULTILINE,
)


def with_names(text: str, called: frozenset[str]) -> str:
    """Put the names of the replies, and of a tie, where an answer says in other words which it prefers;
    `called` are the names of what is asked, a verdict on another part of which is none."""
    text = _FIRST.sub("Reply A", _SECOND.sub("Reply B", simplified(text)))
    last = [*_IN_BRACKETS.finditer(text)]
    if len(last) == 1 and last[0].end() == len(text):
        text = f"{text[: last[0].start()]}\nWinner: {last[0][1]}"
    text = _BROKEN_OFF.sub(r"\g<before>", unadorned(text))
    text = _OTHER_NOUN.sub(lambda one: f"Reply {one['letter'] or one['also']}", text)
    text = _INCLINES.sub("选择", _PREFERENCE.sub("choice", text))
    text = _LETTER_CHOSEN.sub(_spelt_out, _LONE_LETTER.sub(_spelt_out, text))
    text = _TIED_CHINESE.sub("平手", _TIED.sub("tie", text))
    text = _IS_BETTER.sub(r" Reply \g<letter> is better", text)
    text = _LESS.sub(r" Reply \g<other> is better", text)
    if len(_IS_LESS.findall(text)) == 1 and "?" not in text:
        text = _WORSE.sub(lambda one: f" Reply {_OTHER[one['letter'].upper()]} is better", text)
    if len(_ONLY_IN_PART.findall(text)) == 1:
        text = _ONLY_IN_PART.sub(lambda one: _unless_asked(one, called), text)
    if _names_both(_BETTER_IN_PART, text):
        text = _BETTER_IN_PART.sub("this one", text)
    if _names_both(_HEADED, text):
        text = _HEADED.sub(r"\g<mark>this one\g<colon>", text)
    if _names_both(_BESIDE, text):
        text = _BESIDE.sub("| this one ", text)
    return text if _IN_PART.search(text) else _DESCRIBED.sub(_unless_preferred, text)


def _unless_asked(verdict: re.Match[str], called: frozenset[str]) -> str:
    """A verdict on a part of what is rated, without the name of the reply unless it is what is asked."""
    part = (verdict["part"] or verdict["zh"]).casefold()
    is_asked = any(plain(name).casefold() in part for name in called)
    return verdict[0] if is_asked else f"this one {verdict['part'] or ''}"


def _names_both(heads: re.Pattern[str], text: str) -> bool:
    return len({one["letter"].upper() for one in heads.finditer(text)}) > 1


def _spelt_out(found: re.Match[str]) -> str:
    letters = found.groupdict()
    before, letter, after = next(one for one in _PARTS if letters.get(one[1]))
    return f"{found[before]} reply_{found[letter].lower()}{found[after]}"


def _unless_preferred(clause: re.Match[str]) -> str:
    """A clause about a reply, which is left as it is where it says more than what the reply is like."""
    said = _SAID_ALTHOUGH if clause["although"] or _ALTHOUGH.match(clause["rest"]) else _SAID
    is_said = re.search(said, clause["rest"], re.IGNORECASE)
    return clause[0] if is_said else f"{clause['although'] or ''}this one{clause['rest']}"
