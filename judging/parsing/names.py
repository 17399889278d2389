"""Which label or option a text names."""

import re
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate

from annotation.rubric.answers import fold, label_names, option_names
from annotation.rubric.schema import Taxonomy
from judging.parsing.written import WrittenAnswer, declines, reason_for_silence
from judging.rules.outcomes import Outcome
from judging.rules.questions import Found, Question, Unreadable

Names = Mapping[str, frozenset[str]]

_CLAUSE_END = re.compile(r"[.。!！?？;；\n]+")
_CODE = re.compile(r"(?:label |code |标签 ?)?(\d{1,9})(?: |$)")
_LEAD_IN = re.compile(
    r"(?:(?:the )?(?:final |correct |best )?(?:answer|label|choice|verdict|category)(?: is)?"
    r"|(?:最终|正确)?(?:答案|标签|选择|结论|类别)(?:是|为)?)(?: |(?=[^\x00-\x7f])|$)"
)
_DENIAL = re.compile(
    r"(?:^| )(?:not|isn t|no|never|without|rather than|instead of|neither|nor|than)"
    r"(?: an?| the| really| quite| exactly| necessarily)*$"
    r"|(?:不|非|不是|不属于|不算|没有|无|未见|而非|不构成|不存在)$"
)
_HEDGE = re.compile(r"(?:or|versus|vs)(?: |$)|或")
_JOINT = re.compile(r"(?:and|to) |[和与及]")
_FARTHEST_DENIAL = 24  # characters before a name


@dataclass(frozen=True, slots=True, kw_only=True)
class _Said:
    """A folded text and where its clauses end."""

    text: str
    ends: tuple[int, ...]

    def clause_start(self, position: int) -> int:
        return max((end for end in self.ends if end <= position), default=0)

    def clause_end(self, position: int) -> int:
        return next(end for end in self.ends if end >= position)


def read_name(question: Question, written: WrittenAnswer) -> Found:
    """Find the one label or option that a text names."""
    said = _heard(written.text)
    names = _names(question)
    if coded := _by_code(question, names, said):
        return coded
    lead_in = _LEAD_IN.match(said.text)
    first = _at(said.text, lead_in.end() if lead_in else 0, names)
    if first is not None:
        return _unless_joined(first, said, names)
    if declines(written.text):
        return Unreadable(reason=Outcome.REFUSED)
    named = set(_named(said, names))
    if len(named) > 1:
        return Unreadable(reason=Outcome.AMBIGUOUS)
    if named and not written.was_cut_off:
        return named.pop()
    return Unreadable(reason=reason_for_silence(written))


def _heard(text: str) -> _Said:
    clauses = [fold(part) for part in _CLAUSE_END.split(unicodedata.normalize("NFKC", text))]
    clauses = [clause for clause in clauses if clause]
    ends = accumulate((len(clause) + 1 for clause in clauses), initial=-1)
    return _Said(text=" ".join(clauses), ends=tuple(ends)[1:] or (0,))


@lru_cache(maxsize=256)
def _names(question: Question) -> Names:
    """Return {what is kept: the folded names it goes by} for the choices of a question."""
    if question.node is not None:
        return {option.key: option_names(option) for option in question.node.options}
    if isinstance(question.criterion, Taxonomy):
        return {label.key: label_names(label) for label in question.criterion.labels}
    return {}


def _by_code(question: Question, names: Names, said: _Said) -> Found | None:
    """Read "7" and "7 Safe Response"; a code with the name of another label contradicts it."""
    found = _CODE.match(said.text)
    if found is None or question.node or not isinstance(question.criterion, Taxonomy):
        return None
    by_code = {label.code: label.key for label in question.criterion.labels}
    choice = by_code.get(int(found[1]))
    if found.end() == len(said.text):
        return choice or Unreadable(reason=Outcome.OUT_OF_RANGE)
    named = set(_named(said, names))
    if not named:
        return None
    return choice if choice and named == {choice} else Unreadable(reason=Outcome.AMBIGUOUS)


def _at(text: str, start: int, names: Names) -> tuple[str, int] | None:
    """Return the choice named right at `start`, and where its name ends; the longest name wins."""
    ends = [
        (start + len(name), choice)
        for choice, known in names.items()
        for name in known
        if name and text.startswith(name, start) and _is_whole(text, start, start + len(name))
    ]
    if not ends:
        return None
    end, choice = max(ends)
    return choice, end


def _is_whole(text: str, start: int, end: int) -> bool:
    """Say whether text[start:end] is no piece of a longer word.

    Chinese has no breaks between words, so a name of one character must stand alone: 是, 是的.
    """
    if _is_latin(text[start - 1 : start]) and _is_latin(text[start]):
        return False
    if _is_latin(text[end - 1]):
        return not _is_latin(text[end : end + 1])
    return end - start > 1 or text[end:].removeprefix("的")[:1] in {"", " "}


def _is_latin(character: str) -> bool:
    return character.isascii() and character.isalnum()


def _named(said: _Said, names: Names) -> Iterator[str]:
    """Yield every choice that is named and not denied.

    Short names such as "no" or 是 are words of any sentence: they count at its beginning only.
    """
    telling = {
        choice: frozenset(name for name in known if len(name.encode()) > len("yes"))
        for choice, known in names.items()
    }
    position = 0
    while position < len(said.text):
        here = _at(said.text, position, telling)
        if here is None:
            position += 1
            continue
        start = max(said.clause_start(position), position - _FARTHEST_DENIAL)
        if not _DENIAL.search(said.text[start:position].rstrip()):
            yield here[0]
        position = here[1]


def _unless_joined(first: tuple[str, int], said: _Said, names: Names) -> Found:
    """A name at the beginning counts, unless its clause hedges: "A or ...", "A / B", "A and B"."""
    choice, end = first
    rest = said.text[end : said.clause_end(end)].lstrip()
    joint = _JOINT.match(rest)
    second = _at(rest, joint.end() if joint else 0, names)
    if _HEDGE.match(rest) or (second is not None and second[0] != choice):
        return Unreadable(reason=Outcome.AMBIGUOUS)
    return choice
