"""The grounds of a rating: what a rater says beside a value, where the rubric asks for it.

Grounds are no answer: they are in no agreement, decide nothing, and may be left out.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from annotation.rubric.answers import Answer, Problem, Reason
from annotation.rubric.schema import Criterion, Ground, Scale, Text
from annotation.rubric.sentences import Sentence, sentence

# People and judges are asked in these words, in the language of a page or of a prompt.
QUESTIONS: Mapping[Ground, Text] = {
    Ground.CONFIDENCE: Text(en="How sure are you?", zh_hans="您有多大把握？"),
    Ground.DEFENSIBLE: Text(en="What else could be defended?", zh_hans="还有哪些取值也可成立？"),
    Ground.EVIDENCE: Text(en="Which words does it rest on?", zh_hans="依据的是哪些文字？"),
    Ground.RATIONALE: Text(en="Why this value?", zh_hans="为什么是这个取值？"),
}
CONFIDENCES: Mapping[int, Text] = {
    1: Text(en="Unsure", zh_hans="没有把握"),
    2: Text(en="Fairly sure", zh_hans="比较有把握"),
    3: Text(en="Sure", zh_hans="有把握"),
}
IN_WORDS: Mapping[Ground, Sentence] = {
    Ground.CONFIDENCE: sentence("how sure they are"),
    Ground.DEFENSIBLE: sentence("which other values could be defended"),
    Ground.EVIDENCE: sentence("which words it rests on"),
    Ground.RATIONALE: sentence("why they chose it"),
}
MOST_PASSAGES = 8
LONGEST_RATIONALE = 2_000  # characters
_PASSAGE = re.compile(r"(?P<turn>\d{1,4})(?::(?P<start>\d{1,6})-(?P<end>\d{1,6}))?")
_BETWEEN = re.compile(r"[\s,;，；、]+")


class Passage(NamedTuple):
    """Words that a rating rests on: a turn, counted from 1, and characters in it, counted from 0
    up to but without `end`. The turn after the last of the dialogue is the reply."""

    turn: int
    start: int
    end: int

    def __str__(self) -> str:
        return f"{self.turn}:{self.start}-{self.end}"

    @classmethod
    def from_text(cls, text: str) -> "Passage":
        """The passage that `str` made a text of."""
        return cls(*map(int, re.split("[:-]", text)))

    def quoted(self, texts: Sequence[str]) -> str:
        """The words themselves; `texts` are those of the turns, then the reply."""
        return texts[self.turn - 1][self.start : self.end]


@dataclass(frozen=True, slots=True, kw_only=True)
class Grounds:
    """What one rater said beside the value of one criterion: how sure they are, which other values
    could be defended too, which words it rests on, and why. `unverified` are words that a judge
    quoted and that are in no text."""

    criterion: str
    confidence: int | None = None
    defensible: tuple[str, ...] = ()
    evidence: tuple[Passage, ...] = ()
    unverified: tuple[str, ...] = ()
    rationale: str = ""

    def __bool__(self) -> bool:
        said = (self.confidence, self.defensible, self.evidence, self.unverified, self.rationale)
        return any(said)


def values_beside(criterion: Criterion) -> tuple[str, ...]:
    """The values that could be defended, as text."""
    if isinstance(criterion, Scale):
        return tuple(map(str, criterion.values))
    return tuple(label.key for label in criterion.labels)


def read(
    criterion: Criterion, answer: Answer, raw: Mapping[str, object], texts: Sequence[str]
) -> Grounds | Problem:
    """Read {"confidence", "defensible", "evidence", "rationale"} beside an answer. Never raises.

    Evidence is written as `2:10-25`, or as `2` for all of a turn; several stand beside each other.
    What lies in no text is a problem, so that what is kept can be quoted.
    """
    for name in raw:
        if name not in criterion.grounds:
            return _problem(
                criterion,
                sentence(
                    "“{criterion}” does not ask for “{what}”.",
                    criterion=criterion.name,
                    what=str(name),
                ),
            )
    confidence = _confidence(criterion, raw.get(Ground.CONFIDENCE))
    others = _others(criterion, answer, raw.get(Ground.DEFENSIBLE))
    evidence = passages_in(criterion, raw.get(Ground.EVIDENCE), texts)
    rationale = _rationale(criterion, raw.get(Ground.RATIONALE))
    if isinstance(confidence, Problem):
        return confidence
    if isinstance(others, Problem):
        return others
    if isinstance(evidence, Problem):
        return evidence
    if isinstance(rationale, Problem):
        return rationale
    return Grounds(
        criterion=criterion.key,
        confidence=confidence or None,
        defensible=others,
        evidence=evidence,
        rationale=rationale,
    )


def _confidence(criterion: Criterion, raw: object) -> int | Problem:
    """One of `CONFIDENCES`, or 0 where none is given."""
    if raw is None or raw == "":
        return 0
    known = {str(one): one for one in CONFIDENCES}
    return known.get(str(raw)) or _problem(
        criterion,
        sentence("How sure somebody is of “{criterion}” is 1, 2 or 3.", criterion=criterion.name),
    )


def _others(criterion: Criterion, answer: Answer, raw: object) -> tuple[str, ...] | Problem:
    """The other values that could be defended, in the order of the rubric."""
    named, possible = _texts_in(raw), values_beside(criterion)
    if not set(named) <= set(possible):
        return _problem(
            criterion,
            sentence(
                "What else can be defended for “{criterion}” is one of: {values}.",
                criterion=criterion.name,
                values=", ".join(possible),
            ),
        )
    given = str(answer.score) if answer.label is None else answer.label
    return tuple(one for one in possible if one in named and one != given)


def passages_in(
    criterion: Criterion, raw: object, texts: Sequence[str]
) -> tuple[Passage, ...] | Problem:
    """The passages that are named, each once, in the order of the texts."""
    pieces = [piece for one in _texts_in(raw) for piece in _BETWEEN.split(one.strip()) if piece]
    matches = [_PASSAGE.fullmatch(piece) for piece in pieces]
    if None in matches:
        return _problem(
            criterion,
            sentence(
                "Evidence for “{criterion}” is the number of a turn, such as 2, or a part of it, such "
                "as 2:10-25.",
                criterion=criterion.name,
            ),
        )
    found = {_passage(match, texts) for match in matches if match}
    if None in found:
        return _problem(
            criterion,
            sentence(
                "Evidence for “{criterion}” lies outside of the text: there are turns 1 to {n}, and "
                "each part has to lie in its turn.",
                n=len(texts),
                criterion=criterion.name,
            ),
        )
    if len(found) > MOST_PASSAGES:
        return _problem(
            criterion,
            sentence(
                "Evidence for “{criterion}”: at most {most} passages.",
                most=MOST_PASSAGES,
                criterion=criterion.name,
            ),
        )
    return tuple(sorted(one for one in found if one is not None))


def _rationale(criterion: Criterion, raw: object) -> str | Problem:
    """The text as it is kept, or "" where none is given."""
    if raw is None:
        return ""
    text = tidied(raw) if isinstance(raw, str) else ""
    if isinstance(raw, str) and len(text) <= LONGEST_RATIONALE:
        return text
    return _problem(
        criterion,
        sentence(
            "The rationale for “{criterion}” is a text of at most {most} characters.",
            most=LONGEST_RATIONALE,
            criterion=criterion.name,
        ),
    )


def tidied(raw: str) -> str:
    """A text as it is kept: a browser counts and sends the ends of lines differently."""
    return raw.replace("\x00", "").replace("\r\n", "\n").strip()


def _passage(match: re.Match[str], texts: Sequence[str]) -> Passage | None:
    """A passage that lies in a text, or None."""
    turn = int(match["turn"])
    if not 1 <= turn <= len(texts):
        return None
    length = len(texts[turn - 1])
    start, end = (int(match["start"]), int(match["end"])) if match["start"] else (0, length)
    return Passage(turn, start, end) if start < end <= length else None


def _texts_in(raw: object) -> tuple[str, ...]:
    """One or several, as text: what was no text and no number names no value and no passage."""
    if raw is None or raw == "":
        return ()
    return tuple(map(str, raw if isinstance(raw, list | tuple) else [raw]))


def _problem(criterion: Criterion, why: Sentence) -> Problem:
    return Problem(criterion=criterion.key, reason=Reason.UNKNOWN_OPTION, sentence=why)
