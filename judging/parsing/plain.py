"""A text as it is compared: one width, one script, nothing invisible, no markup."""

import html
import re
import unicodedata
from functools import lru_cache

from annotation.rubric.answers import fold
from judging.parsing.languages import in_english
from judging.parsing.traditional import simplified

TICK, CROSS = "[✅✓✔☑√]", "[❌✗✘✖×]"

_ENTITY = re.compile(r"&(?:nbsp|ensp|emsp|thinsp|amp|quot|apos|#x?[0-9a-fA-F]{2,5});")
_GAPS = re.compile(r"\s{40,}")
_RUNS = re.compile(  # marks of no use, and numbers of no scale, dear to search behind
    r"[\[({<>|#]{40,}|([^\w\s])\1{39,}|\d{40,}|[①-⑳]{40,}"
)
_MARKS = re.compile(r"[\W_]{200,}")  # no row of a table is as long without a word
_HALF = str.maketrans({"½": ".5", "¼": ".25", "¾": ".75"})
_UNSEEN = {"Cf", "Co", "Cs", "Cn"}  # joiners, marks of direction, private characters, halves
_KEYCAP = dict.fromkeys((0x20E3, 0xFE0E, 0xFE0F))
_ODD = str.maketrans(
    {
        "’": "'",
        "‘": "'",
        "“": '"',
        "”": '"',
        "„": '"',
        "−": "-",
        "‐": "-",
        "‑": "-",
        "➜": "→",
        "➔": "→",
        "⟶": "→",
    }
)
_KEYCAPPED = re.compile(  # "### 1️⃣ Guidance"
    r"(?m)^([ \t#>*_-]*\d)\ufe0f?\u20e3[ \t]*(?=[*_]*[^\W\d])"
)
_ADORNS = re.compile(  # "Winner: 🏆 B", "🔹 Empathy: 4"; not stars, hands, arrows, buttons, ticks and 🚫
    "[\U0001f300-\U0001f31e\U0001f320-\U0001f445\U0001f450-\U0001f517\U0001f519-\U0001f51e\U0001f520-\U0001f533"
    "\U0001f536-\U0001f644\U0001f647-\U0001f6aa\U0001f6ac-\U0001f6ff\U0001f900-\U0001faff\u2600-\u2604\u2613-\u26d3"
    "\u26d5-\u26ff\u2728\u2763\u2764]+[ \t]*|[\U0001f7e0-\U0001f7e6\U0001f534\U0001f535]+[ \t]*(?=\\w)"
)
_SIGNED_WORD = re.compile(  # "Answer: ✅ Yes": the word says what the sign does
    r"(?P<head>[:：|→][ \t*_]*)(?:[✅✓✔☑√🟢][ \t]*(?=[*_]*(?:yes\b|是(?:的|[,，。:\s]|$)|1(?![.\d/])))|[❌✗✘✖×🔴][ \t]*(?=[*_]*(?:no\b|否|0(?![.\d/]))))",
    re.IGNORECASE,
)
_WORD_SIGNED = re.compile(  # "Yes ✅", "不符合 ❌"
    rf"(?im)(?P<word>\b(?<!not )(?:yes|met|present)|(?<!不)(?:是|符合|具备|满足))[ \t]*{TICK}(?=[ \t]*(?:$|[|,;]))|(?P<denial>\b(?:no|not (?:met|present)|absent)|否|不(?:是|符合|具备|满足)|未满足)[ \t]*{CROSS}(?=[ \t]*(?:$|[|,;]))"
)
_SIGNED_NAME = re.compile(  # "❌ Risk assessment: 0", "⭐ Guidance: 4"
    r"(?im)^(?P<head>[ \t>*•-]*)(?:[⭐🌟★](?=[ \t*_]*[^\W\d][^\n:：]{1,60}[:：][ \t*_]*\d)|[✅✓✔☑√](?=[ \t*_]*[^\W\d][^\n:：]{1,60}[:：][ \t*_]*(?:[1-9]|yes\b|是))"
    r"|[❌✗✘✖×](?=[ \t*_]*[^\W\d][^\n:：]{1,60}[:：][ \t*_]*(?:0|[2-9]|no\b|否)))[ \t]*"
)
_TAG = re.compile(
    r"</?(?:b|i|u|p|em|strong|span|div|code|pre|li|ul|ol|td|th|tr|table|tbody|thead|font|mark|h\d)"
    r"(?:\s[^<>]*)?>",
    re.IGNORECASE,
)
_BREAK = re.compile(r"<br\s*/?>|</(?:p|div|li|tr|h\d)>", re.IGNORECASE)
_BRACKETED = re.compile(
    r"[【〖]([^】〗\n]{1,20})[】〗][ \t]*:?[ \t]*(?=[\w\"“「])|^[ \t]*\[([A-Za-z \u4e00-\u9fff]{2,20})\][ \t]*:?[ \t]*(?=\w|[(+–-]\d)"
    r"|(?<=[.。!！)])[ \t]*\[((?i:result|score|rating))\][ \t]*:?[ \t]*(?=[\w(]|[+–-]\d)",
    re.MULTILINE,
)
_NUMBER_BRACKETED = re.compile(r"[【〖]\s*(\d{1,3})\s*(分?)\s*[】〗]")
_CIRCLED = re.compile(r"(?m)(?:^[ \t]*|(?<=[;；。]))[①-⑳](?=[ \t]*[^\W\d])")  # "①共情：1"
_CELL = re.compile(r"</t[dh]>\s*<t[dh](?:\s[^<>]*)?>", re.IGNORECASE)
_EMPHASIS = re.compile(r"\*+|__+|~~|(?<!\w)_(?=\w)|(?<=\w)_(?!\w)")
_CHOSEN_OF = re.compile(  # "1 | 2 | **3** | 4 | 5"
    r"(?m)^(?P<head>[^\W\d][^\n:|]{0,40}:)?(?P<points>[ \t]*(?:\d{1,2}[ \t]*[|/,][ \t]*)*\*\*(?P<chosen>\d{1,2})\*\*(?:[ \t]*[|/,][ \t]*\d{1,2})*)[ \t]*$"
)
_LATEX = re.compile(r"\$*\\(?:boxed|fbox|text|textbf|mathbf|mathrm)\s*\{([^{}]*)\}\$*")
_MATHS = re.compile(r"\\[()\[\]]")
_BRACED = re.compile(r"\{+\s*(\d(?:\.\d+)?)\s*\}+|<<+\s*(\d)\s*>>+")
_FRACTION = re.compile(r"\\[dt]?frac\s*\{(\d+)\}\s*\{(\d+)\}")
_FORMULA = re.compile(r"\$+(\d(?:\.\d+)?(?:/\d+)?)\$+|(?<=[A-Za-z])\(s\)")  # "label(s)"
_ELEMENT = re.compile(
    r"<((?:final_)?(?:score|rating|label|verdict|answer)|评分|得分|分数|打分|标签|类别|答案|结论)"
    r"(?P<attributes>[ \t](?![^<>]*\b(?:criterion|name|dimension|key|id|attribute)\s*=)[^<>]*)?>"
    r"[ \t]*(?P<inside>[^<>\n]{1,80}?)[ \t]*</\1>",
    re.IGNORECASE,
)
_TOP = re.compile(
    r"\b(?:max\w*|out[_-]?of|scale|range|top)\s*=\s*[\"']?(?:\d+\s*(?:-|to)\s*)?(\d+)",
    re.IGNORECASE,
)
_STRUCK = re.compile(r"~~[^~\n]+~~[ \t]*(?:(?:->|=>|→|[:,])[ \t]*)?|<(s|del|strike)>[^<>]*</\1>")
_MEMBER = re.compile(r"[,{]\s*(?=\"[\w ]{1,40}\"\s*:)")  # of an object that is not whole
_ROW = re.compile(r"^[ \t]*\|(.*)\|[ \t]*$", re.MULTILINE)


def visible(text: str) -> str:
    """Leave out what nobody sees: joiners, marks of direction, private characters; and
    write out what stands for a blank or a mark ("&nbsp;", "\\_")."""
    if "&" in text:
        text = _ENTITY.sub(lambda one: html.unescape(one[0]), text)
    text = text.replace("\\_", "_")
    text = _RUNS.sub(lambda run: run[0][:3], _GAPS.sub(_as_gap, text))
    text = _MARKS.sub(lambda run: run[0][:100] + run[0][-100:], text)
    if text.isascii():
        return text
    if len(_KEYCAPPED.findall(text)) > 1:
        text = _KEYCAPPED.sub(r"\1. ", text)
    unseen = {one for one in set(text) if unicodedata.category(one) in _UNSEEN}
    return text.translate(_KEYCAP | dict.fromkeys(map(ord, unseen)))


def _as_gap(blanks: re.Match[str]) -> str:
    """As much of a run of blanks as sets words, lines or paragraphs apart."""
    return "\n\n"[: blanks[0].count("\n")] or " "


def unadorned(text: str) -> str:
    """Leave out signs that say nothing, or the same as the word behind them."""
    text = _SIGNED_NAME.sub(r"\g<head>", _SIGNED_WORD.sub(r"\g<head>", text))
    text = _WORD_SIGNED.sub(lambda one: one["word"] or one["denial"], text)
    return _ADORNS.sub("", text)


def plain(text: str) -> str:
    """Write a text in plain width and simplified characters."""
    if text.isascii():
        lines = visible(text).replace("\r\n", "\n").replace("\r", "\n")
        return _BRACKETED.sub(_headed, in_english(lines))
    text = re.sub(r"(?<=\d)\s*(?=[½¼¾])", "", text).translate(_HALF)
    text = _CIRCLED.sub(lambda one: f"{one[0]}. ", text)
    text = unadorned(unicodedata.normalize("NFKC", visible(text)).translate(_ODD))
    text = _BRACKETED.sub(_headed, _NUMBER_BRACKETED.sub(r" \1\2", text))
    return simplified(in_english(text.replace("\r\n", "\n").replace("\r", "\n")))


def _headed(found: re.Match[str]) -> str:
    """Write "[Score] 4" as "Score: 4", on a line of its own behind a sentence."""
    is_apart = found.start() > 0 and found.string[found.start() - 1] in " \t.。!！;；,，)）"
    return f"{chr(10) if is_apart else ''}{found[1] or found[2] or found[3]}: "


def without_markup(text: str) -> str:
    """Leave out what only sets words off: emphasis, fences, tags, boxes."""
    text = _CHOSEN_OF.sub(_chosen, text)
    text = _FORMULA.sub(lambda one: one[1] or "", _FRACTION.sub(r"\1/\2", text))
    if "<" in text:
        text = _TAG.sub("", _BREAK.sub("\n", _CELL.sub(" | ", _ELEMENT.sub(_as_head, text))))
    for _depth in range(3 if "\\" in text else 0):
        text = _LATEX.sub(r"\1", text)
    text = _MATHS.sub(" ", _STRUCK.sub("", text))
    text = _BRACED.sub(lambda one: one[1] or one[2], text)
    text = text.replace("```", "\n").replace("`", "")
    return _EMPHASIS.sub("", _MEMBER.sub("\n", text))


def _as_head(element: re.Match[str]) -> str:
    is_one_more = element.string[element.end() :].lstrip().startswith(f"<{element[1]}")
    inside = of_top(element["inside"], element["attributes"])
    return f"{element[1]}: {inside}{chr(10) if is_one_more else ''}"


def _chosen(line: re.Match[str]) -> str:
    """The one in bold of numbers that are counted up."""
    numbers = list(map(int, re.findall(r"\d+", line["points"])))
    counts_up = len(numbers) > 1 and numbers == list(range(numbers[0], numbers[0] + len(numbers)))
    return f"{line['head'] or ''} {line['chosen']}" if counts_up else line[0]


def of_top(inside: str, attributes: str | None) -> str:
    """Write `<score max="10">4</score>` as "4/10"."""
    top = _TOP.search(attributes or "")
    return f"{inside.strip()}/{top[1]}" if top and inside.strip().isdigit() else inside


def without_cells(text: str) -> str:
    """Write the rows of a table as lines "name: value"."""
    return _ROW.sub(lambda one: one[1].replace("|", ":"), text)


@lru_cache(maxsize=2048)
def folded(name: str) -> str:
    """Reduce a name to what is compared, whatever its width and script."""
    return fold(plain(name))


def is_slip(name: str, known: str) -> bool:
    """Say whether a name is another but for one letter, two in each other's place, or two missing or too many."""
    if len(name) > 3 and not name.isascii() and sorted(name) == sorted(known):
        return True  # "语言忽视" for "言语忽视"
    least, begins = (7, 3) if name.isascii() else (5, 2)
    if len(name) < least or name[:begins] != known[:begins] or abs(len(name) - len(known)) > 2:
        return False
    short, long = sorted((name, known), key=len)
    letters = iter(long)
    if len(short) < len(long):
        return all(one in letters for one in short)
    others = sum(a != b for a, b in zip(short, long, strict=True))
    return others == 1 or (others == 2 and sorted(short) == sorted(long))
