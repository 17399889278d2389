"""Scores that are worked out from answers: nobody, person or judge, is asked for them."""

from collections.abc import Callable, Mapping, Sequence
from statistics import fmean

from annotation.rubric.answers import Answer
from annotation.rubric.schema import Flag, Group, Measurement, Rubric, Summary

_OF_SCORES: Mapping[Summary, Callable[[Sequence[float]], float]] = {
    "mean": fmean,
    "sum": sum,
    "maximum": max,
    "minimum": min,
}


def derived(rubric: Rubric, answers: Sequence[Answer]) -> dict[str, float | None]:
    """Return {key: derived score}, None where a part of it has no answer.

    That holds of red flags too. To count an item as soon as one flag is up, and to drop it where
    none is and an answer lacks, would make flags look more common than they are.
    """
    given = {answer.criterion: answer for answer in answers}
    return {group.key: _derived(group, given) for group in rubric.groups}


def measurement_of(rubric: Rubric, group: Group) -> Measurement:
    """The level of measurement of a derived score."""
    if group.summary == "any":
        return Measurement.BINARY
    levels = {rubric.criterion(key).measurement for key in group.criteria}
    is_binary = group.has_levels and levels == {Measurement.BINARY}
    return Measurement.BINARY if is_binary else Measurement.ORDINAL


def is_up(flag: Flag, answer: Answer) -> bool:
    """Whether an answer is a red flag. A score off the scale is beyond its end."""
    if answer.score is None:
        return answer.label in flag.labels
    if flag.at_most is not None:
        return answer.score <= flag.at_most
    return flag.at_least is not None and answer.score >= flag.at_least


def _derived(group: Group, given: Mapping[str, Answer]) -> float | None:
    answers = [given[key] for key in group.criteria if key in given]
    if len(answers) < len(group.criteria):
        return None
    if group.summary == "any":
        return float(any(is_up(flag, given[flag.criterion]) for flag in group.flags))
    scores = [answer.score for answer in answers if answer.score is not None]
    return float(_OF_SCORES[group.summary](scores)) if len(scores) == len(answers) else None
