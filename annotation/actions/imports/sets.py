"""Put together what one rater says of one item at once, wherever it stands in a table."""

from collections.abc import Iterable, Iterator
from itertools import chain, groupby
from typing import NamedTuple

from django.db import connection

from annotation.actions.imports.raters import RaterGiven
from annotation.actions.imports.refusals import Problems
from annotation.readers.problems import FilePlace, FileProblem, FileReason
from annotation.readers.ratings import LongRow, RatingSet
from annotation.readers.values import Value
from annotation.rubric.sentences import sentence

ROWS_AT_ONCE = 2_000

# PostgreSQL puts the rows of a table in order, so that a file may have them in any; those of one line
# stay in theirs, by `ctid`.
STAGE = """
CREATE TEMPORARY TABLE import_stage (
    number integer, unit text, line integer, rater text, item text, repeat integer,
    criterion text, label text, score smallint, unscored text, off_scale boolean, path text,
    reason text
) ON COMMIT DROP
"""
STAGED = "SELECT * FROM import_stage ORDER BY rater, item, repeat, number, ctid"


def in_sets(
    rows: Iterable[LongRow], given: RaterGiven | None, problems: Problems
) -> Iterator[RatingSet]:
    """Put the rows together, and note those that are given twice or by somebody else."""
    with connection.cursor() as cursor:
        cursor.execute(STAGE)
        with cursor.copy("COPY import_stage FROM STDIN") as copy:
            for row in rows:
                if problem := _problem_with_rater(row, given):
                    problems.add(problem)
                    continue
                place = row.place
                given_at = (place.number, place.unit, place.line)
                whose = (row.rater, row.item_key, row.repeat)
                copy.write_row((*given_at, *whose, *row.value, row.reason))
    with connection.chunked_cursor() as cursor:
        cursor.execute(STAGED)
        fetched = chain.from_iterable(iter(lambda: cursor.fetchmany(ROWS_AT_ONCE), []))
        staged = map(_Staged._make, fetched)
        for (rater, item_key, repeat), group in groupby(staged, key=_whose):
            first, *others = group
            values = {first.criterion: first}
            refused: set[FilePlace] = set()
            for other in others:
                earlier = values.setdefault(other.criterion, other)
                if earlier is not other and other.place not in refused:
                    refused.add(other.place)
                    problems.add(_rated_before(other, earlier))
            yield RatingSet(
                place=first.place,
                field="item",
                rater=rater,
                repeat=repeat,
                item_key=item_key,
                values=tuple(one.value for one in values.values()),
                comment="\n".join(one.reason for one in values.values() if one.reason),
            )
    with connection.cursor() as cursor:
        cursor.execute("DROP TABLE import_stage")


class _Staged(NamedTuple):
    """A row of the staging table, in its order."""

    number: int
    unit: str
    line: int | None
    rater: str
    item: str
    repeat: int
    criterion: str
    label: str | None
    score: int | None
    unscored: str
    off_scale: bool
    path: str
    reason: str

    @property
    def place(self) -> FilePlace:
        return FilePlace(self.number, self.unit, self.line)

    @property
    def value(self) -> Value:
        return Value(
            *(self.criterion, self.label, self.score, self.unscored, self.off_scale, self.path)
        )


def _whose(row: _Staged) -> tuple[str, str, int]:
    return row.rater, row.item, row.repeat


def _problem_with_rater(row: LongRow, given: RaterGiven | None) -> FileProblem | None:
    key = given.key if given else ""
    if not row.rater and not key:
        return FileProblem(
            row.place,
            "rater",
            FileReason.MISSING,
            sentence(
                "The row does not say who rated it. Fill in the column rater, or name the rater "
                "of the whole file."
            ),
        )
    if row.rater and key and row.rater != key:
        return FileProblem(
            row.place,
            "rater",
            FileReason.OTHER_RATER,
            sentence(
                "“{rater}” rated this row, but the file was given as the ratings of “{given}”. "
                "Name no rater to import every rater of the file.",
                rater=row.rater,
                given=key,
            ),
        )
    return None


def _rated_before(row: _Staged, earlier: _Staged) -> FileProblem:
    if row.repeat > 1:
        return FileProblem(
            row.place,
            "repeat",
            FileReason.DUPLICATE,
            sentence(
                "“{criterion}” of the item “{item}” was rated before at repeat {repeat}, at "
                "{place}. Keep one of the two, or number them apart.",
                criterion=row.criterion,
                item=row.item,
                repeat=row.repeat,
                place=earlier.place.words,
            ),
        )
    return FileProblem(
        row.place,
        "criterion",
        FileReason.DUPLICATE,
        sentence(
            "“{criterion}” of the item “{item}” was rated before, at {place}. Keep one of the two or, "
            "where it was rated again, number the answers in a field “repeat”, from 1.",
            criterion=row.criterion,
            item=row.item,
            place=earlier.place.words,
        ),
    )
