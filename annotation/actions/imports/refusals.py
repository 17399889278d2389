"""Why a row, or a whole file, is not imported."""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import chain
from typing import TypeVar

from annotation.readers.problems import FileProblem, FileReason
from annotation.rubric.sentences import Sentence, as_json, sentence

KEPT_OF_A_CAUSE = 20
MOST_CAUSES = 100
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


def refuse_counting_from_1(
    unknown: Collection[str], *, is_item: Callable[[str], bool], is_named: Callable[[str], bool]
) -> None:
    """CannotImport where items are numbered from 0 and the file names no 0, but one number too many:
    each of its rows would be another item's."""
    last = next(iter(unknown), "")
    if len(unknown) != 1 or not (last.isdecimal() and last.isascii()):
        return
    if is_item("0") and is_item(str(int(last) - 1)) and not is_named("0"):
        raise CannotImport(
            sentence(
                "The study counts these items from 0, and the file seems to count them from 1: it "
                "names no “0”, and “{last}”, of which there is none. Write the numbers as the study "
                "has them.",
                last=last,
            )
        )


@dataclass(slots=True)
class Cause:
    """What is wrong in the same way in many rows: how many there are, and the first of them."""

    reason: FileReason
    field: str
    first: list[FileProblem]
    count: int = 0

    def shown(self) -> dict[str, object]:
        """What the page says of it, as JSON can hold it."""
        return {
            "field": self.field,
            "count": self.count,
            "first": [
                {"place": as_json(one.place.words), "sentence": as_json(one.sentence)}
                for one in self.first
            ],
        }


@dataclass(slots=True)
class Problems:
    """Rows that cannot be imported: all are counted, and the first of each cause are kept."""

    by_cause: dict[tuple[str, ...], Cause] = field(default_factory=dict)

    def add(self, problem: FileProblem) -> None:
        cause = self._cause_of(problem)
        cause.count += 1
        if len(cause.first) < KEPT_OF_A_CAUSE:
            cause.first.append(problem)

    @property
    def causes(self) -> list[Cause]:
        """Most frequent first."""
        return sorted(self.by_cause.values(), key=lambda cause: -cause.count)

    @property
    def by_reason(self) -> Counter[str]:
        counts: Counter[str] = Counter()
        for cause in self.by_cause.values():
            counts[str(cause.reason)] += cause.count
        return counts

    @property
    def in_order(self) -> list[FileProblem]:
        """Those that were kept, as they stand in the file."""
        kept = chain.from_iterable(cause.first for cause in self.by_cause.values())
        return sorted(kept, key=lambda problem: problem.place.number)

    @property
    def count(self) -> int:
        return sum(cause.count for cause in self.by_cause.values())

    def _cause_of(self, problem: FileProblem) -> Cause:
        """Its cause; a file that is wrong in very many ways is told by its reasons alone."""
        name: tuple[str, ...] = (str(problem.reason), problem.field, problem.sentence.template)
        if name not in self.by_cause and len(self.by_cause) >= MOST_CAUSES:
            name = (str(problem.reason),)
        return self.by_cause.setdefault(name, Cause(problem.reason, problem.field, []))


def without_problems(rows: Iterable[Row | FileProblem], problems: Problems) -> Iterator[Row]:
    """Pass the good rows on and note the others."""
    for row in rows:
        if isinstance(row, FileProblem):
            problems.add(row)
        else:
            yield row
