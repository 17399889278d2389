"""Ratings and gold a page of items at a time, as a release has them: the same gate, the same rows."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import chain

from accounts import events
from accounts.models import User
from analytics.exports import rows
from analytics.exports.actions import let_through
from analytics.exports.order import order_for
from analytics.exports.rows import ExportTally, Row
from annotation.queries.pages import ItemPage, items_after
from annotation.queries.studies import StudyAccess
from annotation.queries.visibility import reader_of

READS_FOLD_WITHIN = timedelta(minutes=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """The rows about a page of items; `next` is what the page behind it comes after."""

    results: list[Row]
    next: str | None


def ratings(study_access: StudyAccess, *, after: str, limit: int, by: User, at: datetime) -> Piece:
    """One rating a row; the items in the reader's own order."""
    _note("ratings.read", study_access, by=by, at=at)
    study = study_access.study
    page, ids = _page(study_access, after=after, limit=limit)
    reader = reader_of(study_access, takes_away=True)
    rubric = study.rubric_version.content
    order = order_for(study.release_key, by.pk)
    found: Iterator[list[Row]] = rows.ratings(
        study, rubric, reader, ExportTally(), order=order, items=ids
    )
    return Piece(results=list(chain.from_iterable(found)), next=page.next)


def gold(study_access: StudyAccess, *, after: str, limit: int, by: User, at: datetime) -> Piece:
    _note("gold.read", study_access, by=by, at=at)
    study = study_access.study
    page, ids = _page(study_access, after=after, limit=limit)
    reader = reader_of(study_access, takes_away=True)
    order = order_for(study.release_key, by.pk)
    return Piece(results=list(rows.gold(study, reader, order=order, items=ids)), next=page.next)


def _page(study_access: StudyAccess, *, after: str, limit: int) -> tuple[ItemPage, list[int]]:
    page = items_after(study_access, after=after, limit=limit)
    return page, [item.pk for item in page.items]


def _note(verb: str, study_access: StudyAccess, *, by: User, at: datetime) -> None:
    """The gate of releases, and a line a minute in the trail."""
    let_through(study_access, by=by, at=at)
    events.record_unless_recent(
        verb,
        subject=f"study:{study_access.study.pk}",
        by=by,
        at=at,
        facts={"revision": study_access.study.revision},
        within=READS_FOLD_WITHIN,
    )
