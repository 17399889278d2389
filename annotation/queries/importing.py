"""What readers of files found, in the words of the page."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from annotation.queries.wording import said
from annotation.readers.problems import Problem
from annotation.readers.values import UNSCORED


@dataclass(frozen=True, slots=True, kw_only=True)
class SaidProblem:
    """A bad row: where it stands, which field, what to do."""

    place: str
    field: str
    words: str


def said_problems(problems: Iterable[Problem]) -> list[SaidProblem]:
    return [
        SaidProblem(
            place=said(problem.place.words), field=problem.field, words=said(problem.sentence)
        )
        for problem in problems
    ]


def said_reasons(unscored: Mapping[str, int]) -> list[tuple[str, int]]:
    """(why there is no value, how often), most frequent first."""
    ordered = sorted(unscored.items(), key=lambda pair: -pair[1])
    return [(said(UNSCORED[reason]), count) for reason, count in ordered]
