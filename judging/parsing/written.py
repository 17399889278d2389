"""What came back for one request, and why some of it holds no answer."""

import re
from dataclasses import dataclass, replace

from judging.parsing.plain import plain, visible, without_markup
from judging.parsing.thoughts import without_thoughts
from judging.rules.outcomes import Outcome

_FOR_THE_PERSON = (  # "I'm sorry you feel so low.", unless it goes on "but I can't help" or "call 988"
    r"(?! (?:to hear|that (?:you|this|things)|you|about (?:what|that))"
    r"(?!(?s:.{0,350}?)\b(?:i(?:'m| am)? (?:\w+ )?(?:can't|cannot|can not|unable|not able|won't)\b(?! (?:imagine|begin))|988|(?:hot|help|life|crisis )line)))"
)
_REFUSAL = re.compile(
    r"[\W_]*(?:well|unfortunately|regrettably|很遗憾|遗憾的是|恕我直言)?[\W_]*(?:"
    rf"(?:i'?m |i am )?(?:very |so |truly |really )?sorry\b{_FOR_THE_PERSON}|i apologi[sz]e|my apologies"
    r"|(?:je suis )?désolée?,? mais|lo siento,? pero|es tut mir leid,? (?:aber|ich kann)|desculpe,? mas|mi dispiace,? ma|申し訳(?:ありません|ございません)|죄송합니다|извините,? но"
    r"|i (?:(?:can't|cannot|can not)(?! (?:(?:diagnose|treat|feel|experience|provide (?:\w+ )?(?:therapy|treatment|diagnos\w+))\b|justify|fault|call|see|find|think|agree|help but|decide|choose|bring myself|go (?:higher|lower|beyond)"
    r"|give (?:it )?(?:a |an )?(?:higher|full|[\d\ue000-\uf8ff])))|(?:am unable|am not able)(?! to (?:diagnose|treat|feel|experience)\b)|won't|will not|must decline|have to decline"
    r"|need to decline|decline(?! to call)|refuse(?! to call)|would rather not|would prefer not|do not feel comfortable"
    r"|don't feel comfortable|am not comfortable|am not in a position)"
    r"|i'm (?:unable|not able|not comfortable|afraid i can|not in a position)|i'd rather not|as an ai\b(?!(?: language)?(?: model)?,? i (?:cannot|can't|do not|don't|am not able to|am unable to) (?:diagnose|treat|feel|experience|have|provide (?:\w+ )?(?:therapy|treatment|diagnos\w+))\b)"
    r"|(?:很|非常|十分|实在)?抱歉(?!(?:听到|你|您|让[你您])(?!.{0,200}?(?:我?(?:无法|不能|没法|没有办法)|热线)))|对不起|不好意思|我(?!(?:无法|不能|不会)(?:真正)?(?:做|作|进行|给出)?(?:医学|临床)?(?:诊断|治疗|体会|感受|体验))(?:无法|不能|不可以|没有办法|没法|不便|拒绝|不会|不愿)|无法(?:评|判|提供|回答|完成)"
    r"|作为(?:一个|一名)?(?:ai|人工智能|语言模型)(?![^。\n]{0,8}[,，]?我?(?:没有|无法|不能|不会)(?:真正)?(?:做|作|进行)?(?:情感|感情|诊断|治疗|体会|感受|体验))|恕(?:我)?(?:无法|不能|难))",
    re.IGNORECASE,
)
_CANNOT = re.compile(
    r"\b(?:cannot|can't|can not|unable to|not able to|won't|will not|decline to|refuse to|impossible to)"
    r" (?:\w+ ){0,2}?(?:rate|evaluate|judge|score|assess|label|classify|provide a (?:rating|score|label)|answer)\b"
    r"|\b(?:prevents?|prohibits?|forbids?|stops?) me from\b|\b(?:inappropriate|not appropriate|wrong) for me to (?:rate|score|judge|label|assess|evaluate)\b"
    r"|(?:无法|不能|没法|难以|拒绝)(?:对[^，。]{0,10})?(?:进行)?(?:给出)?(?:评判|评价|评分|打分|判断|评估|作答|回答|标注)",
    re.IGNORECASE,
)

_REFUSES = re.compile(
    r"\b(?:can't|cannot|can not|unable|not able|won't|will not|decline|refuse|rather not|not comfortable)\b"
    r"|无法|不能|没法|没有办法|不便|拒绝|不会|不愿",
    re.IGNORECASE,
)

_HEADING = re.compile(  # "Reply:", over a short answer
    r"\A[ \t]*(?:reply|response|回复|回应)[ \t]*:[ \t]*\n+(?=[^\n]{1,40}\s*\Z)", re.IGNORECASE
)

_NO_REPLY = re.compile(  # whatever value stands beside it; not the instruction "if there is none"
    r"(?<!\bif )\bthere(?:['’]s| is| was) no (?:\w+ )?reply(?: (?:\w+ )?to (?:be )?(?:rate|judge|evaluate|score|assess|label|classify)|(?=\s*(?:$|\.|, so\b)))"
    r"|\b(?:cannot|can't|can not|unable to) (?:rate|judge|evaluate|score|assess|label|classify) (?:this|it|that) without (?:seeing )?(?:the|a|any|more) (?:reply|response|dialogue|conversation|context|text)\b"
    r"|\bi(?:'d| would)? need (?:to see )?the (?:reply|response|dialogue|conversation)\b(?! (?:to|that)\b)"
    r"|(?<!\bif )\bno reply (?:was|is|has been) (?:given|provided|included|supplied)(?=\s*(?:$|[.,;]|to rate))"
    r"|(?<!如果)(?<!若)没有(?:任何)?(?:可供?评[价判分估]的回复|回复(?:可供?|可以|能)(?:评|打分))",
    re.IGNORECASE,
)

# What endpoints call an answer that was kept back, or cut off at its longest.
_WITHHELD = {
    *("content_filter", "content_filtered", "sensitive", "refusal", "guardrail_intervened"),
    *("safety", "prohibited_content", "blocklist", "spii"),
}
_CUT_OFF = {"length", "max_tokens", "model_length", "model_context_window_exceeded"}
_BEGINNING = 400  # characters in which a refusal begins
_LONGEST = 12_000  # characters of prose that are read
_MAY_LOOP = 1_500  # characters; a longer text may be of an LLM that finds no end
_LOOP = re.compile(r"(?s)(.{1,60}?)\1{19,}")


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenAnswer:
    """An answer's text; `finish` is the endpoint's word for why it ended.

    `is_headed`: the text is what stands behind the name of what is rated.
    """

    text: str
    finish: str = "stop"
    is_refusal: bool = False
    is_headed: bool = False

    @property
    def was_withheld(self) -> bool:
        return self.is_refusal or self.finish.lower() in _WITHHELD

    @property
    def was_cut_off(self) -> bool:
        return self.finish.lower() in _CUT_OFF


def answer_in(written: WrittenAnswer) -> WrittenAnswer | Outcome:
    """Leave out what a reasoning LLM thinks aloud before it answers; or say why there is nothing to
    read: withheld, only thoughts, empty, or said of no reply."""
    if written.was_withheld:
        return Outcome.REFUSED
    said = without_thoughts(written.text)
    if said is not None and said.strip():
        said = _LOOP.sub(_three_times, said) if len(said) > _MAY_LOOP else said
        return Outcome.NO_ANSWER if _NO_REPLY.search(said) else replace(written, text=said)
    if written.was_cut_off:
        return Outcome.TRUNCATED
    return Outcome.ONLY_REASONING if visible(written.text).strip() else Outcome.EMPTY


def _three_times(loop: re.Match[str]) -> str:
    """As much of a loop as says what it repeats; digits without an end stay the number that they are."""
    return loop[0] if loop[1].isdecimal() else 3 * loop[1]


def in_plain_words(written: WrittenAnswer) -> WrittenAnswer:
    """Write an answer in plain width and simplified characters, without markup.

    Of a very long one only the end is read, where it comes to its point.
    """
    words = without_markup(plain(written.text[-_LONGEST:]))
    return replace(written, text=_HEADING.sub("", words))


def declines(text: str) -> bool:
    """Say whether a plain text begins by declining to answer."""
    return _REFUSAL.match(text.lstrip()[:_BEGINNING]) is not None


def refuses(text: str) -> bool:
    """Say whether a plain text declines something anywhere, and is not only polite."""
    return _REFUSES.search(text) is not None


def reason_for_silence(written: WrittenAnswer) -> Outcome:
    """Say why a text holds no answer: it declines, was cut off before one, or has none."""
    if declines(written.text) or _CANNOT.search(written.text):
        return Outcome.REFUSED
    return Outcome.TRUNCATED if written.was_cut_off else Outcome.NO_ANSWER
