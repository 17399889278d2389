"""Which number a text gives as a score."""

import re
import unicodedata
from collections.abc import Collection

from annotation.rubric.answers import fold
from annotation.rubric.schema import Scale
from judging.parsing.written import WrittenAnswer, declines, reason_for_silence
from judging.rules.outcomes import Outcome
from judging.rules.questions import Unreadable

_NUMBER = re.compile(r"(?<![A-Za-z0-9_.])[+-]?\d{1,9}(?:\.\d+)?(?![A-Za-z0-9_])")
_RANGE = re.compile(r"\s*(?:-|–|—|~|/|至|到|或|(?:to|or|and)\s)\s*\d")
_OUT_OF = re.compile(r"\s*(?:分\s*)?(?:/|out of|\(?满分)\s*(\d{1,9})")
_LEAD_IN = re.compile(
    r"(?:(?:the )?(?:final )?(?:answer|rating|score|verdict)(?: is)?"
    r"|(?:最终)?(?:答案|评分|得分|分数|打分)(?:是|为)?)?"
)


def read_number(
    scale: Scale, written: WrittenAnswer, *, introduced_by: Collection[str]
) -> str | Unreadable:
    """Find the one number that a text gives, as it was written.

    It stands at the beginning, perhaps behind the criterion's name, or is the only one. In
    "4/5" and "4 out of 5" the second number is the top of the scale.
    """
    text = unicodedata.normalize("NFKC", written.text)
    found = list(_NUMBER.finditer(text))
    if not found:
        return Unreadable(reason=reason_for_silence(written))
    first, others = found[0], {number[0] for number in found[1:]}
    before = fold(text[: first.start()])
    leads = before in introduced_by or _LEAD_IN.fullmatch(before) is not None
    if not leads and (declines(text) or written.was_cut_off):
        return Unreadable(reason=reason_for_silence(written))
    top = _OUT_OF.match(text, first.end())
    if top is None and _RANGE.match(text, first.end()):
        return Unreadable(reason=Outcome.AMBIGUOUS)
    if top is not None and int(top[1]) != scale.values[-1]:
        return Unreadable(reason=Outcome.OUT_OF_RANGE)
    if not leads and others - {first[0], top[1] if top else ""}:
        return Unreadable(reason=Outcome.AMBIGUOUS)
    return first[0]
