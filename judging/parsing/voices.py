"""Whose verdict a sentence gives: the writer's own, or in doubt.

An own verdict is stated in a clause of plain words (`clauses`), with nobody but the writer choosing
in it and no order given: "I would rate this reply a", "which therefore deserves", "Final label:".
What stands before that clause may be about anything, but not lend it to somebody else: what is
headed by a colon, or framed by "per", "in" or "for", is of plain words too, and it does not end with
a word of saying.
"""

import re
from collections.abc import Sequence

from judging.parsing.clauses import is_of_plain_words
from judging.parsing.quotations import reports

_CHOICE = " it "  # what stands for another choice that is named before
_LEAD = re.compile(r"[\s:=>|*#(\[\x02\x03\"'–—→-]*$")
_MARKER = re.compile(
    r"^\W*(?:q\d{1,2}\b|\(?(?:\d{1,2}|[A-Za-z]|[一二三四五六七八九十]{1,2})[.)、])?\W*(?:(?:assistant|ai|ans|助手)\s*:\s*)?",
    re.IGNORECASE,
)
_CONNECTIVE = (
    r"(?<!\w)(?:(?<!anything )(?<!nothing )(?<!everything )(?<!all )but|however|though|although|yet|whereas|while|because|since"
    r"|so|(?<!\bi )(?<!\bwe )(?<!'d )(?<!'ll )(?<!\bwould )(?<!\bwill )(?<!\bcan )(?:hence|thus|therefore)|making|which makes|and(?=\s+(?:is|are|so|it|i|this|that|we|the|falls|fits|thus|therefore|should be"
    r"|earns|merits|deserves|warrants|gets|scores|receives|rates|would|chose|choose|settled|went)\b))(?!\w)"
    r"|但是?|而是|然而|不过|因此|所以|因而|从而|故而|故"
)
_JOINT = re.compile(rf"[:,;，；]|\s[-–—]+\s|—|(?P<word>{_CONNECTIVE})", re.IGNORECASE)
_FRAME = re.compile(
    r"^\W*(?:and |but |so |yet )?(?:(?:as )?per|according|by(?! \w+ing\b)|left|as for|under|following|for|if asked|to|in(?! (?:light|view) of\b)|on(?! (?:a|the|this) (?:\d-point )?scale\b)|from|through)\b"
    r"|^\W*(?:如?按照?|依照?|据|以|在|对(?!方)|从)",
    re.IGNORECASE,
)
_TELLS = re.compile(
    r"\b(?:says?|(?<!\bthat )(?<!\bthat being )said|thinks?|thought|believes?|believed|(?<!no )(?<!factual )(?<!false )(?<!human )claims?|claimed|writes?|wrote|tells?|told|insists?|insisted|argues?"
    r"|argued|begs?|holds?|finds?|found|feels?|states?|stated|asks?|asked|demands?|suggests?|suggested|reads?|puts? it|sees? it"
    r"|(?:would|might|may|could) (?:say|think|argue))\W*$"
    r"|(?:说|写道?|认为|觉得|指出|称|表示|要求|提到|声称|看|想)\W*$",
    re.IGNORECASE,
)
_ROLES = r"(?:评委|评审|裁判|评估者|评分者|评判者|标注员|考官|助手|模型)"
_ADDRESS = re.compile(  # one to three words, and nobody's act: "Judge, …", "评审员, …"
    rf"^(?!\W*(?:{_CONNECTIVE}|not?|neither|rather|[A-Za-z]+ing|by|with|in|on|at|as|after|of|given|when|from|for|to|all|everything|taken|seen|read|measured"
    rf"|judged|despite|without|beyond|apart|even|while|because|its)\b)(?!.*{_CHOICE})\W*(?:[A-Za-z'-]+\s+){{0,2}}[A-Za-z'-]+\W*$"
    rf"|^(?!作为)\W*\S{{0,3}}{_ROLES}\S{{0,2}}\W*$",
    re.IGNORECASE,
)
_JUDGE = re.compile(r"^\W*(?:(?:dear|hey|hi|hello|ai|llm|the|my)\s+)*judges?\W*$", re.IGNORECASE)
_RATED = re.compile(
    r"^\W*(?:(?:in|from|the|this|original|last|final) )*(?:\w+'s )?(?:reply|response|message|text|dialogue|conversation|exchange|回复|回应|对话|原文)\W*$",
    re.IGNORECASE,
)
_MATERIAL = re.compile(  # heads of what a judge is given: "Options: A", "Rule: 4"
    r"^\W*(?:here(?:'s| is| are) )?(?:(?:the|an?|this|output|answer|response) )*(?:items?|turns?|speakers?|formats?|templates?|schemas?|weights?|weightings?|options|descriptions?|definitions?|rules?|rubrics?|guidelines?|scales?|questions?|anchors?|定义|量表|描述|范围|(?:输出|回答|评分)?(?:格式|模板|示例|权重)(?:示例|如下)?)\s*:$",
    re.IGNORECASE,
)
_FORM = re.compile(r"(?i)\W*(?:the )?(?:formats?|templates?|schemas?|examples?|格式|模板|示例)\W*")
_GREETING = re.compile(
    r"\W*(?:(?:dear|hello|hi|hey|attention|to)\s+(?:[\w']+\s+){0,2}(?:judges?|graders?|raters?|evaluators?|assessors?|reviewers?|annotators?|assistants?|models?)\b"
    r"|to whom it may concern|your (?:answer|score|label|rating|verdict|output)\b|(?:致|敬告|尊敬的|亲爱的|各位)[^,:\n。]{0,8}[:,]|\S{0,3}(?:评委|评审|裁判|评估者|评分者|评判者|标注员|考官)\S{0,2}(?:你|您)好)",
    re.IGNORECASE,
)
_MIGHT_HAVE_BEEN = re.compile(
    r"\bwould have\b(?! to\b)|\b(?:was|were) (?:(?:going|about|supposed) )?to\b|(?:^|\b(?:it|this|that|which|reply"
    r"|response))\s+would\b(?! (?:best )?(?:be (?:best )?(?:labell?ed|classified|categori[sz]ed|rated|scored|described)|fall (?:under|into|within)"
    r"|fit (?:under|into)|receive|earn))",
    re.IGNORECASE,
)
_NOUN_WOULD_BE = re.compile(
    r"\b(?:label|category|classification|class|scores?|ratings?|answers?|verdict)(?: (?:for|of)\b[^.,;]*)? would be(?: as follows)?\W*$",
    re.IGNORECASE,
)
_CONDITION = re.compile(
    r"(?:^|[,;:(]\s*)\W*(?:but |so |and )?(?:if(?! (?:we (?:look|apply|follow|go by|compare)|(?:i|we) (?:must|have to|had to) (?:choose|pick|decide)"
    r"|forced to (?:choose|pick|decide))\b)|unless|assuming|provided|supposing|depending|in case|were|(?:ask|read|look|change|add|remove|take|make|try|wait"
    r"|come)\b(?: [\w']+){0,4} and (?:i|we)(?:'d| would)|had (?:it|this|the|i|he|she|we|they|one)|(?:one|any|some|a little|a bit) more \w+ (?:and|or)"
    r"|with (?:one |a (?:bit |little ))?more\b.*\bwould)\b|如果|假如|倘若|若是|假设|除非|(?<![主重])要是|若(?=[^干])",
    re.IGNORECASE,
)
_AS_IT_IS = re.compile(
    r"[,，;；]\s*(?:所以|因此|as it (?:is|stands)\b|as things stand\b)", re.IGNORECASE
)
_GIVES = (
    r"(?:give|gives|gave|assign|assigns|award|awards|rate|rates|score|scores|grade|grades|mark|marks|put|puts|choose|chose|chooses"
    r"|pick|picks|select|selects|say|says|said|vote|think|thinks|thought|believe|feel|call|calls|judge|judges|label|labels|tag|classify"
    r"|classifies|categori[sz]es?|set|place|places|enter|submit|report|answer|propose|recommend|conclude|opt|go|settle|record|output)"
)
_CHOOSES = re.compile(rf"(?<![\w'-]){_GIVES}(?![\w'-])", re.IGNORECASE)
_CHOOSER = re.compile(
    r"(?:\b(?:i|we|i'd|i'll|we'd|let me|let us|let's|lets|to|and|is|are|be|was|been|being|of|as|which|applies)"
    r"|\b(?:i|i'd|i'll|we|would|will|can) (?:therefore|thus|hence|then|only|still|now)|\b(?:would|will|have|has|can|should|did|do|must|shall)|\w+ly|[,;(])$",
    re.IGNORECASE,
)
_NAMING = re.compile(  # what stands before a noun: "the best label", "final score"
    r"\b(?:(?:the|my|our|an?|this|its)(?:\s+[\w-]+){0,2}|final|overall|total|correct|best|right)$",
    re.IGNORECASE,
)
_EARNS = re.compile(
    r"^(?:rates|scores|grades|marks|places|puts|gives)$", re.IGNORECASE
)  # "the reply scores"
_REPLY = re.compile(r"(?:it|this|that|reply|response|which)$", re.IGNORECASE)
_NOUNS = re.compile(
    r"^(?:scores?|grades?|marks?|labels?|answer|rate|output|tag|pick|call)$", re.IGNORECASE
)
_HEADS = re.compile(
    r"\s*(?:[:(]|\b(?:chosen|selected|assigned|is|was|for|of|on|given)\b)", re.IGNORECASE
)
_ALONE = re.compile(r"\W*(?:score|grade|label)\W*", re.IGNORECASE)  # "Score 4"
_SUBJECT = re.compile(r"^[^\w\n]*(?!.?[没不有])[\u4e00-\u9fff]{1,3}\s*$")  # "他因此评为"
_I = re.compile(r"\b(?:i|we)\b|我", re.IGNORECASE)
_INFINITIVE = re.compile(
    r"^\W*(?:in order )?to\s+(?!conclude|sum|summari[sz]e|me\b|my\b)(?!.*\bi(?:'m|'d|'ll)?\b)|^\W*(?:reply|respond)\s+with\b|^\W*let (?!me\b|us\b)"
    r"|^\W*(?:只|仅|直接|务必|必须)(?:需要?|能|可以?)?(?:输出|回答|返回|回复)",
    re.IGNORECASE,
)
_ANY_REPLY = re.compile(  # "A reply scores": what holds of any, not of this one
    r"^\W*(?:an?|any|every|each|such an?)\s+(?:[\w-]+\s+)?(?:reply|response|message|dialogue)\s+(?!(?:that|of|to)\b)[a-z]+"
    rf"|^\W*(?:the )?(?:reply|response)\s+(?:[A-D]|{_CHOICE.strip()})\s+[a-z]+|^\W*(?:replies|responses)\s+[a-z]+|^\W*(?:the )?(?:criteria|qualities|attributes|dimensions) are(?!\W*(?:rated|scored|:))\b|^\W*here(?:'s| is) (?:an?|another)\W*$",
    re.IGNORECASE,
)
_POINTS_ON = re.compile(r"\b(?:my|here)\b|我|以下|如下", re.IGNORECASE)  # "Here are my ratings:"
_ADVERBS = re.compile(r"^\W*(?:\w+ly\W*)+$")  # "Only output": an order


def is_own(before: str, called: frozenset[str] = frozenset(), *, is_headed: bool = False) -> bool:
    """Say whether a sentence, up to a verdict, gives it as the writer's own.

    `is_headed`: it stands behind the name of what is rated, as "Empathy: warm, 4" does.
    """
    frames, own = _parts(before)
    if not _states(own, called) or _is_told(frames):
        return False
    is_bare = not is_headed and not re.search(r"\w", own)
    return not any(
        _lends(frames, number, is_bare=is_bare) and not is_of_plain_words(frame, called)
        for number, (frame, _joint) in enumerate(frames)
    )


def _is_told(frames: Sequence[tuple[str, str]]) -> bool:
    """Say whether the judge is spoken to, or something else than the judge speaks: "Judge, …",
    "The reply: …", "The guidelines say: …"."""
    heads = [frame for frame, joint in frames if joint == ":"]
    speaks = any(
        _RATED.match(head) or _FORM.fullmatch(head) or not _is_chooser(head) for head in heads
    )
    return speaks or (bool(frames) and _JUDGE.match(frames[0][0]) is not None)


def _states(own: str, called: frozenset[str]) -> bool:
    """Say whether a clause is one with which whoever writes gives a verdict."""
    if not is_of_plain_words(own, called) or _INFINITIVE.match(own):
        return False
    if _MIGHT_HAVE_BEEN.search(own) and not _NOUN_WOULD_BE.search(own):
        return False
    if _MATERIAL.match(own) or _ANY_REPLY.match(own):
        return False
    return _is_chooser(own)


def _lends(frames: Sequence[tuple[str, str]], number: int, *, is_bare: bool) -> bool:
    """Say whether a clause in front could give the verdict to somebody else, unless its words are
    plain: "the boss:", "per the boss,", "as the boss says,", "Boss," and any before a bare value."""
    frame, joint = frames[number]
    begins = number == 0 or frames[number - 1][1] == ","
    if joint == ":" or (begins and _FRAME.match(frame)):
        return True
    if _TELLS.search(frame) and not _I.search(frame):
        return True
    if _SUBJECT.match(frame) and re.match("[因所故从]", joint):
        return True
    is_last = number == len(frames) - 1
    is_called = number == 0 and _ADDRESS.match(frame) is not None
    return not joint.strip(" ,;，；–—-") and (is_called or (is_bare and is_last))


def is_conditional(sentence: str) -> bool:
    """Say whether a sentence, up to a verdict, says on what condition it would be given."""
    return _CONDITION.search(_AS_IT_IS.split(sentence)[-1]) is not None


def greets(text: str) -> bool:
    """Say whether a text begins by speaking to whoever judges: then all of it is told to them."""
    return _GREETING.match(text) is not None


def introduces(line: str, called: frozenset[str] = frozenset()) -> bool:
    """Say whether a line that ends with a colon leads to what its writer says, not to what others say."""
    line = line.strip(" \t\n*_#\x02\x03")
    if not line.endswith((":", "：")):
        return True
    last = re.split(r"(?<=[.!?。！？])\s*", line)[-1]
    before = line.removesuffix(last)
    if _POINTS_ON.search(last) and not (reports(line) or _TELLS.search(before)):
        line = last
    return is_own(line, called) and not _RATED.match(line)


def _parts(before: str) -> tuple[list[tuple[str, str]], str]:
    """([(clause, what joins it to the next)], the last clause), without what leads to the verdict."""
    text = re.sub(r"[\x01-\x03]", " ", re.sub(r"[\ue000-\uf8ff]", _CHOICE, before))
    text = _MARKER.sub("", text)
    lead = _LEAD.search(text)
    is_head = lead is not None and re.search(r"[:=>|–—→-]", lead[0])
    text = (text[: lead.start()] if lead else text) + (":" if is_head else "")
    head, colon = (text[:-1], ":") if text.endswith(":") else (text, "")
    frames: list[tuple[str, str]] = []
    end = 0
    for joint in _JOINT.finditer(head):
        clause, end = head[end : joint.start()], joint.end()
        if clause.strip():
            frames.append((clause, joint["word"] or joint[0]))
        elif frames and joint["word"]:
            frames[-1] = frames[-1][0], joint["word"]
    return frames, head[end:] + colon


def _is_chooser(clause: str) -> bool:
    """Say whether nobody but the writer chooses in a clause, and nobody is told to."""
    if _ALONE.fullmatch(clause):
        return True
    for one in _CHOOSES.finditer(clause):
        subject, after = clause[: one.start()].rstrip(), clause[one.end() :]
        if _NOUNS.match(one[0]) and (_HEADS.match(after) or _NAMING.search(subject)):
            continue  # "Score: 4", "Answer is A", "the label"
        if _EARNS.match(one[0]) and (_REPLY.search(subject) or _ADVERBS.match(subject)):
            continue
        if _ADVERBS.match(subject) or not _CHOOSER.search(subject):
            return False
    return True
