"""Why a row, or a whole file, is not imported."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import TypeVar

from annotation.readers.problems import Problem
from annotation.rubric.sentences import Sentence, sentence

MOST_PROBLEMS_KEPT = 2_000
CHANGED_MEANWHILE = sentence(
    "Somebody changed the study at the same moment, so nothing was imported. Import the file again."
)
NO_ROWS = sentence("The file has no rows to import.")

Row = TypeVar("Row")


class CannotImport(Exception):
    """Nothing was imported; `sentence` says why and what to do."""

    def __init__(self, why: Sentence) -> None:
        self.sentence = why
        super().__init__(why)


@dataclass(slots=True)
class Problems:
    """Rows that cannot be imported: all are counted, the first two thousand are kept."""

    kept: list[Problem] = field(default_factory=list)
    by_reason: Counter[str] = field(default_factory=Counter)

    def add(self, problem: Problem) -> None:
        self.by_reason[str(problem.reason)] += 1
        if len(self.kept) < MOST_PROBLEMS_KEPT:
            self.kept.append(problem)

    @property
    def in_order(self) -> list[Problem]:
        """Those that were kept, as they stand in the file."""
        return sorted(self.kept, key=lambda problem: problem.place.number)

    @property
    def count(self) -> int:
        return self.by_reason.total()


def without_problems(rows: Iterable[Row | Problem], problems: Problems) -> Iterator[Row]:
    """Pass the good rows on and note the others."""
    for row in rows:
        if isinstance(row, Problem):
            problems.add(row)
        else:
            yield row
