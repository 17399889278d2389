"""What stands behind a value: why it was given, and how sure the LLM says that it is."""

import re

from judging.parsing.stances import ANEW

_HEAD = (
    r"(?:brief |short |my |the )?(?:reason(?:s|ing)?|explanation|rationale|justification|comments?|notes?|evidence|(?:here's |here is )?why"
    r"|because|details|suggestions?|(?:suggested )?improvements?|(?:改进)?建议|简要说明|评分理由|评分依据|理由|原因|解释|说明|分析|依据|备注)"
)
_REASONS = re.compile(
    rf"(?im)^[ \t>#*•-]*(?:\d{{1,2}}[.)、][ \t]*)?{_HEAD}[ \t]*(?:\([^()\n]{{0,40}}\)[ \t]*)?(?::|\s-\s|$)"
    rf"|(?<=[.。;；,，!！|])[ \t]*{_HEAD}[ \t]*(?:是|为)?:"
)
_TAKES_BACK = re.compile(
    rf"{ANEW}|\b(?:reconsider\w*|revis\w+|correct(?:ion|ed)|rather|instead|final\w*|chang(?:e|ed|ing) (?:my|it|this|the))\b|改为|改成|更正|修正|最终|最后|其实",
    re.IGNORECASE,
)
_COUNTS = re.compile(r"(?<![\w(.])\(?\d{1,2}[).、](?!\d)")  # 1) … 2) … in running words
_SURENESS = re.compile(
    r"(?im)(?:^[ \t>#*•\"{-]*|(?<=[;；,，])[ \t]*)(?:(?:my |level of )?(?:confidence|certainty)(?: level| score)?|置信度|确信度|信心|把握)(?:[ \t]*\([^()\n]{1,20}\))?"
    r"[ \t\"]*[:=][ \t]*[\"]?(?:(?:very )?(?:low|medium|moderate|high)[ \t]*\(?)?\d+(?:\.\d+)?(?:[ \t]*(?:%|/[ \t]*\d+))?[ \t\",.。})]*$"
    r"|[ \t]*\((?:confidence|certainty|置信度|信心|把握)[ \t]*:?[ \t]*[\d.]+(?:[ \t]*(?:%|/[ \t]*\d+))?\)|(?:^|(?<=[;；]))[ \t>#*•-]*(?:runner[-_ ]up|second[-_ ](?:choice|best)|next[-_ ]best|alternative (?:label|category|choice|answer)|次选|备选)[ \t]*[:=][^\n]*$"
)


def before_reasons(text: str) -> tuple[str, str | None]:
    """What a text says before a line that is headed as its reasons, and from there on.

    None where nothing is said before it, there is no such line, or a word in it takes something back:
    then the text has to be read as a whole.
    """
    head = _REASONS.search(text)
    if head is None or not text[: head.start()].strip() or _TAKES_BACK.search(text, head.end()):
        return text, None
    return text[: head.start()].rstrip(), _COUNTS.sub("", text[head.start() :])


def without_closing(text: str) -> str:
    """What a text says up to its first empty line, unless something is said or taken back behind it."""
    said, _break, closing = text.partition("\n\n")
    return said if re.search(r"\w", said) and not _TAKES_BACK.search(closing) else text


def without_sureness(text: str) -> str:
    """Leave out lines that only say how sure the LLM is: "Confidence: 5" is no score."""
    left = _SURENESS.sub("", text)
    return left if left.strip() else text
