"""Leaves out what a text only repeats: passages of the item, and the rubric's own choices."""

import re
from collections.abc import Sequence

_QUOTED = re.compile(
    r"\"([^\"\n]{1,400})\"|「([^」\n]*)」|『([^』\n]*)』|《([^》\n]*)》|(?<!\w)'([^'\n]{2,400})'(?!\w)"
)
_BLOCK = re.compile(r"^[ \t]*>(?![\d=])")
_WHO = (
    r"(?:reply|response|text|message|item|dialogue|conversation|transcript|user|seeker|client|person"
    r"|patient|supporter|assistant|author|it|he|she|they|which|that|who|prompt|passage|content)"
)
_NO_REQUEST = (  # behind "asks": what is asked of the other person, not of the judge
    r"(?!(?: [\w-]+){0,4} (?:questions?|about|whether|how|what|why|when|her|him|after|for (?:more|permission|details|advice"
    r"|help|support|guidance|comfort|reassurance|clarification|information|tips|ways))\b)"
)
_REPORTS = (
    r"(?:says?|said|saying|(?<!\ba )(?<!\bthe )claims?|claimed|claiming"
    rf"|(?:asks?|asked|asking){_NO_REQUEST}"
    r"|instructs?|instructed|instructing|tells?|told|telling|wants?|wanted|demands?|demanded|demanding|orders?|requests?"
    r"|requested|requesting|writes?|wrote|states?|stated|stating|reads?(?! (?:to me )?as\b)|insists?|includes?|contains?"
    r"|containing|embeds?|quotes?|mentions?(?! of\b)|mentioned|tries|tried|attempts?|attempted|urges?"
    r"|suggests? (?:that )?i|directs|begs?|ends? with|begins? with|starts? with)"
)
_REPORTING = re.compile(
    rf"\b{_WHO}\b(?:\s+\w+){{0,4}}?\s+{_REPORTS}\b|\b{_REPORTS}\s+(?:me|us|the (?:judge|rater|grader|"
    r"evaluator|model))\b|\b(?:manipulat\w+|instruction|injection|injected|command|jailbreak|quot(?:e|ed|ation)"
    r"|ignore (?:the|all|any|previous)|(?:instructed|demanded|requested) by)\b|\bsystem\b[^:.\n]{0,20}:|系统[^,，。:\n]{0,6}:|\baccording to the (?:reply|response|seeker|user|text)\b"
    r"|(?:回复|回应|答复|文本|原文|对话|求助者|支持者|用户|来访者|内容|里面|其中|对方|它|他|她)"
    r"[^，。；\n]{0,10}(?:(?<!来)说(?!话|出)|写|要求|声称|称(?![赞呼职])|提到|让我|命令|指示|自称|宣称|试图|企图|含有|包含|夹带|写着|引用)"
    r"|注入|指令|引用|引述|忽略(?:以上|之前|上述|前面)",
    re.IGNORECASE,
)


_CHOOSES = r"rat|giv|scor|label|choos|select|pick|answer|say|writ|output|mark"
_TOLD_THE_PERSON = re.compile(  # what the supporter says of themselves, or has the seeker do: no verdict
    r"\b(?:tell(?:s|ing)?|told|asks?|asked|asking|orders?|urge[sd]?|instruct(?:s|ed)?|directs?|wants?|demands?) (?:(?:the|this) )?(?:seeker|person|user|client|her|him|them)"
    rf" (?:to|that (?:she|he|they) (?:must|should|(?:has|have|needs?) to)) (?!{_CHOOSES})"
    r"|\bclaim(?:s|ed|ing)? (?:to (?:have (?!earned|received|deserved|got|the\b)|share\b)|to be (?:an? )?(?:real\b|human|person\b|woman|man\b|mother|father|parent|married)|personal\b|that (?:they|he|she) (?:has|have|had|also)\b)"
    r"|\bthat(?: being)? said(?=\s*,)"
    r"|\b(?:ignor|address|over|evad|dodg|acknowledg|to|up|with|miss)\w* what (?:the )?(?:seeker|person|client|user|she|he|they) (?:just |has |had )?(?:sa(?:ys|id)|wrote|writes|told|ask(?:s|ed))\b"
    r"|\bsa(?:ys|id|ying) (?:that )?(?:they|he|she) (?:also|too|has|have|had|once)\b"
    r"|(?:声称|宣称|自称|说)(?:自己|本人)(?:也|曾|有(?!资格))|(?:要求|命令|指示|让|叫)(?:求助者|对方|当事人|来访者)(?!.{0,3}[选打给评标答])",
    re.IGNORECASE,
)


_OPEN = re.compile(
    rf"\b{_REPORTS}(?:\s+(?:that|me|us|the \w+))?\W*$|(?:说|写道?|要求|声称|称|提到|命令|指示|宣称)[^\w…\x03]*$",
    re.IGNORECASE,
)
_ATTRIBUTED = re.compile(
    r"[^.:\n]{0,20}?\b(?:says?|said|writes?|wrote|claims?|demands?|asks?|orders?|insists?|reads?) "
    r"(?:the|this|that|its|their) (?:reply|response|text|message|item|dialogue|user|seeker|client|supporter)\b"
    r"|\W*\bas (?!i\b|we\b|it\b)(?:[\w'-]+ ){1,3}?(?<!never )(?<!only )(?<!not )(?<!gives )(?<!giving )(?:says?|said|asks?|asked|orders?|ordered|demands?|demanded|tells?|told|wants?|wanted|instructs?|instructed)\W*(?:$|\n|[.,;])"
    r"|[\s,\x03]*according to (?!(?:the |these |all )?(?:given |provided |above )?(?:rubric|definition|guideline|criteri|anchor|scale|description|instruction|categor|label|analysis)|this\b|my\b)"
    r"|\x03?\s*is what (?!i\b|we\b|it\b|this\b)"
    r"|\W*,(?!\s*(?:as i\b|i\b|we\b|which|because|since))[^.,;:\n]{1,40}\b(?:says?|said|thinks?|thought|believes?|claims?|begs?|insists?|argues?|writes?"
    r"|wrote|wants?|wanted|wish(?:es)?|hopes?|prefers?|demands?|expects?)\W*(?:$|\n|[.,;])"
    r"|\W*,\s*(?:says?|said|writes?|wrote|reads?) (?:the|an?|my|her|his|their|our)\b|\s*\((?:the )?(?:human|expert|annotator)s?(?:'s)?(?: (?:score|rating|label))?\)"
    r"|[\s,\x03]*[(–—-]\s*(?:(?:as )?per|according to|from|by(?! \w+ing\b| an? (?:\w+ )?(?:margin|hair|nose|mile)\b)|so says?|(?:an? |the |my |our )?[\w-]+'s (?:\w+ )?(?:score|rating|label|pick|choice|verdict|answer|view|opinion))\b"
    r"|[\s,\x03]*by (?:most|many|some|all|others?|people|experts?|raters?|judges?|clinicians?|every\w+|any\w+)\b"
    r"|[\s,\x03]*by (?!an? (?:\w+ )?(?:margin|hair|nose|mile)\b)(?:its|the|his|her|their|an?) (?:own )?\w+|[\s,\x03]*(?:it|he|she|they|the (?:reply|response|text|message|user|seeker|client|supporter)) "
    rf"(?:says?|said|writes?|wrote|claims?|demands?|asks?{_NO_REQUEST}|orders?|insists?|reads?)\b",
    re.IGNORECASE,
)


def is_attributed(text: str) -> bool:
    """Say whether the words before this text are somebody else's: "…", says the reply."""
    return _ATTRIBUTED.match(text) is not None


def is_open_report(text: str) -> bool:
    """Say whether a text ends with a word that what is reported follows: "the reply says,"."""
    return _OPEN.search(text) is not None


def reports(text: str) -> bool:
    """Say whether a piece of text tells what somebody else said or wants to hear."""
    return _REPORTING.search(_TOLD_THE_PERSON.sub("", text)) is not None


def without_quotations(text: str) -> str:
    """Leave out quoted lines and passages; what is only set in quotation marks, as a label may be,
    keeps its place without them."""
    lines = _without_reported_lines(without_blocks(text).split("\n"))
    return _QUOTED.sub(_unquoted, "\n".join(lines))


def without_blocks(text: str) -> str:
    """Leave out quoted lines, unless all lines are."""
    if ">" not in text:
        return text
    lines = text.split("\n")
    if any(line.strip() and not _BLOCK.match(line) for line in lines):
        lines = [line for line in lines if not _BLOCK.match(line)]
    return "\n".join(_BLOCK.sub("", line) for line in lines)


_ORDER = re.compile(
    r"\W*(?:please )?(?:rate|give|score|output|answer|label|print|say|return|choose|select|mark)\s+\w|\W*(?:请|打|给|选)",
    re.IGNORECASE,
)


_IS_ON_RATING = re.compile(
    r"(?i)\d|\b(?:scor|rat(?:e|ing)|label|answer|safe|response|judge|give|choose|select|output)|[分评选给打]|标签|答案|安全|回复"
)
_ENDS, _BEGINS = re.compile(r"[.!?]\Z"), re.compile(r"\s+[A-Z]")  # a sentence, with a quotation
_QUOTED_TEXT = r"\s*[:,]?\s*\x02(?!……)[^\x02\x03\d\ue000-\uf8ff]*\x03"
_QUOTES = re.compile(  # what is rated says something: the report ends with its quotation
    r"(\b(?:(?:the|this) (?:reply|response|message|supporter|counsell?or|assistant)|it)\s+(?:(?:only|just|also|\w+ly)\s+)?)"
    r"(?:says?|said|writes?|wrote|asks?|asked|repl(?:ies|ied)|responds?|mentions?|repeats?|contains?)(?: (?:only|just|merely|that|with|to (?:the )?\w+|(?:the )?(?:seeker|person|her|him|them)))*"
    rf"{_QUOTED_TEXT}(?=\W*(?:and(?! (?:\w+ly )?(?:give|gave|rate|award|assign|score|answer|label|call|say|then))|but|so|which|thus|hence|therefore|an?(?= \w)|with|without)\b)"
    r"|((?:回复|回应|支持者)[中里]?(?:[只仅]|反复|却|又)*)(?:[自声宣]?称|说|写|问|反问|询问|提到|回答|表示|骂)(?:道|到|了|过|着|出|对方|求助者|当事人|是|一句|句)*"
    rf"{_QUOTED_TEXT}(?!\W*\Z)",
    re.IGNORECASE,
)


def without_quotes_told(sentence: str) -> str:
    """Write 'The reply says "okay", so' as "The reply does so, so": it reports no more."""
    if "\x02" not in sentence:
        return sentence
    return _QUOTES.sub(lambda one: f"{one[1] or one[2]} does so ", sentence)


def _unquoted(found: re.Match[str]) -> str:
    inside = next(group for group in found.groups() if group is not None)
    is_name = (
        len(inside.split()) <= 4
        and not _ORDER.match(inside)
        and not re.search(r"[.!?。！？:;,，；\n]", inside.rstrip(".。"))
    )
    if is_name:
        return f"\x02{inside}\x03"
    is_end = _ENDS.search(inside) and _BEGINS.match(found.string, found.end())
    return f" \x02{'……' if _IS_ON_RATING.search(inside) else '…'}\x03{'.' if is_end else ''} "


def _without_reported_lines(lines: Sequence[str]) -> list[str]:
    """Leave out what follows a line such as "The reply says:", up to the next empty line."""
    kept: list[str] = []
    is_reported = False
    for line in lines:
        if not line.strip():
            is_reported = False
        if is_reported:
            continue
        kept.append(line)
        is_reported = line.rstrip().endswith(":") and reports(line)
    return kept
