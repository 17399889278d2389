"""Whether a rater has answered every criterion, or said why one cannot be judged."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from annotation.rubric import grounds
from annotation.rubric.answers import Answer, Problem, Reason, read_all
from annotation.rubric.grounds import Grounds
from annotation.rubric.schema import Rubric
from annotation.rubric.sentences import Sentence, sentence


class CannotJudge(StrEnum):
    """Why a rater gives no value; the item then waits for an adjudicator."""

    UNCLEAR = "unclear"
    BROKEN = "broken"
    EXPERTISE = "expertise"
    DISTRESS = "distress"


REASONS: Mapping[CannotJudge, Sentence] = {
    CannotJudge.UNCLEAR: sentence("The text does not say enough to decide."),
    CannotJudge.BROKEN: sentence("Text is missing or garbled."),
    CannotJudge.EXPERTISE: sentence("It is outside my expertise."),
    CannotJudge.DISTRESS: sentence("I would rather not rate this one."),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Filled:
    """Every criterion of a rubric either answered or given a reason why not; `grounds` is what was
    said beside the answers."""

    answers: tuple[Answer, ...]
    cannot_judge: Mapping[str, CannotJudge]
    grounds: tuple[Grounds, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class SaidBeside:
    """{criterion: its grounds as they came}, and how to get the texts that evidence lies in: those of
    the turns, then the reply."""

    raw: Mapping[str, Mapping[str, object]]
    texts: Callable[[], Sequence[str]]


NOTHING_BESIDE = SaidBeside(raw={}, texts=tuple)


def fill(
    rubric: Rubric,
    raw: Mapping[str, object],
    cannot_judge: Mapping[str, str],
    beside: SaidBeside = NOTHING_BESIDE,
) -> Filled | tuple[Problem, ...]:
    """Read {criterion: raw value} and {criterion: reason}; all problems at once, or none.

    A criterion with a reason is not read for a value as well, nor for what is said beside it. The
    reason for a walk is that of every scale that it would have given a value to.
    """
    cannot_judge = _with_scales(rubric, cannot_judge)
    known = {criterion.key for criterion in rubric.criteria}
    excused = cannot_judge.keys() & known
    named: dict[str, object] = dict.fromkeys(cannot_judge) | dict(raw)
    reading = read_all(rubric, {key: value for key, value in named.items() if key not in excused})
    problems = tuple(problem for problem in reading.problems if problem.criterion not in excused)
    problems += tuple(
        _unknown_reason(key) for key in sorted(excused) if cannot_judge[key] not in REASONS
    )
    grounds_read = _grounds(rubric, reading.answers, beside)
    problems += tuple(one for one in grounds_read if isinstance(one, Problem))
    if problems:
        return problems
    return Filled(
        answers=reading.answers,
        cannot_judge={key: CannotJudge(reason) for key, reason in cannot_judge.items()},
        grounds=tuple(one for one in grounds_read if isinstance(one, Grounds) and one),
    )


def _grounds(
    rubric: Rubric, answers: Sequence[Answer], beside: SaidBeside
) -> list[Grounds | Problem]:
    given = [one for one in answers if beside.raw.get(one.criterion)]
    texts = beside.texts() if given else ()
    return [
        grounds.read(rubric.criterion(one.criterion), one, beside.raw[one.criterion], texts)
        for one in given
    ]


def _with_scales(rubric: Rubric, cannot_judge: Mapping[str, str]) -> dict[str, str]:
    of_scales = {
        scale.key: reason
        for key, reason in cannot_judge.items()
        for scale in rubric.dimensions(key)
    }
    return of_scales | dict(cannot_judge)


def _unknown_reason(criterion: str) -> Problem:
    return Problem(
        criterion=criterion,
        reason=Reason.UNKNOWN_OPTION,
        sentence=sentence(
            "“Cannot judge” takes one of these reasons: {reasons}.",
            reasons=", ".join(CannotJudge),
        ),
    )
