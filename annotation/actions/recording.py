"""The one way into the rating table, for people, files and judges.

What is stored is a change of its study: all of it or nothing, with its line in the audit trail,
and counted as the last thing that it does. The database keeps the rest: what was stored is never
altered, of a rater's answers to an item one set is current, a value stands or the reason why not.
"""

import contextlib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from django.db import connection, transaction
from psycopg.sql import SQL

from accounts import events
from accounts.models import User
from accounts.models.prepared import preparing_cursor
from annotation import queue
from annotation.actions.imports.copying import copy_in, take_ids
from annotation.actions.studies import COUNT_CHANGE, note_change
from annotation.models import Origin, Rating, RatingGrounds, Submission
from annotation.readers.values import Value
from annotation.rubric.grounds import Grounds

# The parts of a statement that store the answers, all on the scale, to an assignment which `taken`
# holds, with the line in the trail, and the count where the statement is all of the change.
STORED = (
    SQL("""
submission AS (
    INSERT INTO annotation_submission (
        key, study_id, item_id, rater_id, rubric_version_id, origin, round_id, assignment_id,
        repeat, submitted_at, seconds, comment, is_current
    )
    SELECT %(key)s, %(study)s, item_id, rater_id, %(rubric_version)s, 'round', round_id, id,
        repeat, %(at)s, %(seconds)s::integer, %(comment)s::text, true
    FROM taken
    RETURNING id
), rated AS (
    INSERT INTO annotation_rating (
        submission_id, criterion_key, label, score, unscored, path, off_scale
    )
    SELECT submission.id, given.*, false
    FROM submission, unnest(
        %(criteria)s::text[], %(labels)s::text[], %(scores)s::smallint[], %(unscored)s::text[],
        %(paths)s::text[]
    ) AS given
), recorded AS (
    {record}
), awaiting AS (
    {await_seal}
), changed AS (
    {count_change}
)
""")
    .format(
        record=SQL(events.RECORD).format(name=SQL("recorded"), source=SQL("FROM taken")),
        await_seal=SQL(events.AWAIT_SEAL).format(name=SQL("recorded")),
        count_change=SQL(COUNT_CHANGE).format(
            where=SQL("%(counts)s AND EXISTS (SELECT FROM taken)")
        ),
    )
    .as_string()
)


Row = tuple[Any, ...]


class AnswerSet(NamedTuple):
    """All that one rater answers to one item at once; `supersedes` is the set that it replaces, or,
    where it does not count, that it would have replaced."""

    key: UUID
    item: int
    rater: int
    values: Sequence[Value]
    submitted_at: datetime
    repeat: int = 1
    seconds: int | None = None
    comment: str = ""
    supersedes: int | None = None
    counts: bool = True
    round: int | None = None
    assignment: int | None = None
    grounds: Sequence[Grounds] = ()


class Untraced(Exception):
    """Answers were stored without a line in the trail."""


class Recording:
    """A change of a study's ratings under way; `change` makes it and brings it to its end."""

    def __init__(self, study_id: int, *, is_traced: bool) -> None:
        self._study_id = study_id
        self._is_traced = is_traced
        self._counts = False

    def store(
        self, sets: Sequence[AnswerSet], *, origin: Origin, rubric_version: int
    ) -> list[Submission]:
        """Store some sets, and get their rows back."""
        self._supersede(sets)
        submissions = Submission.objects.bulk_create(
            Submission(**row) for row in self._rows(sets, origin, rubric_version)
        )
        Rating.objects.bulk_create(
            Rating(**dict(zip(_RATING, (submission.pk, *value), strict=True)))
            for submission, one in zip(submissions, sets, strict=True)
            for value in one.values
        )
        keep_grounds(
            (submission.pk, grounds)
            for submission, one in zip(submissions, sets, strict=True)
            for grounds in one.grounds
        )
        return submissions

    def copy(self, sets: Sequence[AnswerSet], *, origin: Origin, rubric_version: int) -> None:
        """Store very many sets."""
        self._supersede(sets)
        ids = take_ids(Submission, len(sets))
        rows = self._rows(sets, origin, rubric_version)
        copy_in(
            Submission,
            ["id", *_SUBMISSION],
            ((pk, *row.values()) for pk, row in zip(ids, rows, strict=True)),
        )
        copy_in(
            Rating,
            _RATING,
            ((pk, *value) for pk, one in zip(ids, sets, strict=True) for value in one.values),
        )
        keep_grounds(
            (pk, one) for pk, given in zip(ids, sets, strict=True) for one in given.grounds
        )

    def withdraw(self, sets: Collection[int]) -> int:
        """Let sets count no more without another in their place; they are kept."""
        self._counts = True
        return Submission.objects.filter(pk__in=sets, is_current=True).update(is_current=False)

    def bring_back(self, sets: Collection[int]) -> int:
        """Let sets count again that were withdrawn or superseded."""
        self._counts = True
        return Submission.objects.filter(pk__in=sets).update(is_current=True)

    def run(self, statement: str, values: Mapping[str, Any]) -> Row | None:
        """Run a statement with `STORED` in it, and get its first row; None if it took nothing."""
        row = _run(statement, values, counts=False)
        if row is not None:
            self._counts = self._is_traced = True
        return row

    def record(
        self,
        verb: str,
        *,
        subject: str,
        by: User | None,
        at: datetime,
        facts: Mapping[str, object],
    ) -> None:
        """Write the line in the trail."""
        events.record(verb, subject=subject, by=by, at=at, facts=facts)
        self._is_traced = True

    def count(self) -> None:
        """Count it also where no answers are stored: gold or items have changed."""
        self._counts = True

    def undo(self) -> None:
        """Let nothing of it be kept."""
        transaction.set_rollback(True)
        self._counts = False

    def end(self) -> None:
        if not self._counts:
            return
        if not self._is_traced:
            raise Untraced
        note_change(study_id=self._study_id)

    def _supersede(self, sets: Sequence[AnswerSet]) -> None:
        if sets:
            self._counts = True
        if outdated := [one.supersedes for one in sets if one.counts and one.supersedes]:
            Submission.objects.filter(pk__in=outdated).update(is_current=False)

    def _rows(
        self, sets: Sequence[AnswerSet], origin: Origin, rubric_version: int
    ) -> Iterator[dict[str, Any]]:
        of_all = (self._study_id, rubric_version, origin.value)
        for one in sets:
            own = (
                *(one.key, one.item, one.rater, one.submitted_at, one.repeat, one.seconds),
                *(one.comment, one.counts, one.supersedes, one.round, one.assignment),
            )
            yield dict(zip(_SUBMISSION, of_all + own, strict=True))


_SUBMISSION = (
    *("study_id", "rubric_version_id", "origin"),
    *("key", "item_id", "rater_id", "submitted_at", "repeat", "seconds"),
    *("comment", "is_current", "supersedes_id", "round_id", "assignment_id"),
)
_RATING = ("submission_id", "criterion_key", "label", "score", "unscored", "off_scale", "path")


@contextlib.contextmanager
def change(*, study_id: int, is_traced: bool = False) -> Iterator[Recording]:
    """All that is stored inside is one change. The end of it waits for everybody else who rates.

    `is_traced` where each set has a record of its own that is kept as well: a judge's call.
    """
    with transaction.atomic():
        made = Recording(study_id, is_traced=is_traced)
        yield made
        made.end()


def keep_grounds(said: Iterable[tuple[int, Grounds]]) -> None:
    """(submission, what was said beside one of its values); evidence was found in the texts before."""
    RatingGrounds.objects.bulk_create(
        RatingGrounds(submission_id=submission_id, **_columns(one)) for submission_id, one in said
    )


def says(
    submission: Submission, *, values: Iterable[Value], comment: str, grounds: Iterable[Grounds]
) -> bool:
    """Whether these answers are stored in a submission, and no others."""
    rated = Rating.objects.filter(submission=submission).values_list(*_RATING[1:])
    beside = {one.criterion_key: one for one in submission.grounds.all()}
    said = {one.criterion: _columns(one) for one in grounds}
    return (
        submission.comment == comment
        and set(rated) == set(values)
        and beside.keys() == said.keys()
        and all(
            getattr(beside[criterion], column) == value
            for criterion, columns in said.items()
            for column, value in columns.items()
        )
    )


def _columns(one: Grounds) -> dict[str, Any]:
    return {
        "criterion_key": one.criterion,
        "confidence": one.confidence,
        "defensible": list(one.defensible),
        "evidence": list(map(str, one.evidence)),
        "unverified": list(one.unverified),
        "rationale": one.rationale,
    }


def change_at_once(statement: str, values: Mapping[str, Any], *, study_id: int) -> Row | None:
    """Run a statement with `STORED` in it as a change of its own, so nobody waits for this process.

    Its first row, or None if it took nothing.
    """
    with transaction.atomic() if connection.in_atomic_block else contextlib.nullcontext():
        row = _run(statement, values, counts=True)
    if row is not None:
        queue.ratings_changed(study_id=study_id)
    return row


def stored(
    *,
    study: int,
    rubric_version: int,
    key: UUID,
    values: Sequence[Value],
    seconds: int | None,
    comment: str,
) -> dict[str, Any]:
    """The values of `STORED`, without those of the line in the trail."""
    criteria, labels, scores, unscored, _off_scale, paths = map(list, zip(*values, strict=True))
    return {
        "study": study,
        "rubric_version": rubric_version,
        "key": key,
        "criteria": criteria,
        "labels": labels,
        "scores": scores,
        "unscored": unscored,
        "paths": paths,
        "seconds": seconds,
        "comment": comment,
    }


def _run(statement: str, values: Mapping[str, Any], *, counts: bool) -> Row | None:
    with preparing_cursor() as cursor:
        cursor.execute(statement, {**values, "counts": counts})
        row: Row | None = cursor.fetchone()
        return row
