"""What a form that is only tried out would have stored."""

from dataclasses import dataclass

from annotation.forms.rating import Sent
from annotation.queries.wording import said, worded, worded_reason
from annotation.rubric.derived import derived
from annotation.rubric.schema import Rubric


@dataclass(frozen=True, slots=True, kw_only=True)
class TriedLine:
    """A criterion or derived score, what would be stored under it, and that in words."""

    name: str
    key: str
    stored: str
    words: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class WouldBeStored:
    """What would be stored, or else why the form would not be taken."""

    lines: tuple[TriedLine, ...] = ()
    problems: tuple[str, ...] = ()
    dropped: tuple[str, ...] = ()


def would_be_stored(rubric: Rubric, sent: Sent) -> WouldBeStored:
    """What a submission of the form would come to."""
    if sent.answers is None:
        about_comment = [said(sent.about_comment)] if sent.about_comment else []
        problems = [said(problem.sentence) for problem in sent.problems]
        return WouldBeStored(problems=(*problems, *about_comment))
    filled = sent.answers.filled
    answered = {answer.criterion: answer for answer in filled.answers}
    lines = []
    for criterion in rubric.criteria:
        name, key = said(criterion.name), criterion.key
        if answer := answered.get(key):
            stored = str(answer.score if answer.label is None else answer.label)
            words = worded(criterion, answer)
        else:
            stored = filled.cannot_judge[key]
            words = worded_reason(stored)
        lines.append(TriedLine(name=name, key=key, stored=stored, words=words))
    scores = derived(rubric, filled.answers)
    for group in rubric.groups:
        score = scores[group.key]
        lines.append(
            TriedLine(
                name=said(group.name), key=group.key, stored="–" if score is None else f"{score:g}"
            )
        )
    return WouldBeStored(lines=tuple(lines), dropped=sent.dropped)
