"""Set the items of a list aside from figures: all of them or none."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from django.db import IntegrityError, transaction

from accounts import events
from accounts.models import User
from annotation.actions.imports.copying import Watch, in_batches, one_import_at_a_time
from annotation.actions.imports.items import BATCH, ROWS_SHOWN
from annotation.actions.imports.refusals import (
    CHANGED_MEANWHILE,
    NO_ROWS,
    CannotImport,
    Problems,
    without_problems,
)
from annotation.actions.studies import note_change
from annotation.models import Item, Quarantine
from annotation.readers.problems import Place, Problem, Reason
from annotation.readers.quarantine import QuarantineFile, QuarantineRow
from annotation.readers.records import Source
from annotation.rubric.sentences import Sentence, sentence


@dataclass(slots=True, kw_only=True)
class QuarantineReport:
    """What a list came to, or, on a dry run, would come to."""

    layout: str
    new: int = 0
    unchanged: int = 0
    ignored: Collection[str] = ()
    problems: Problems = field(default_factory=Problems)
    first: list[QuarantineRow] = field(default_factory=list)
    is_written: bool = False

    @property
    def rows(self) -> int:
        return self.new + self.unchanged + self.problems.count

    @property
    def changes_something(self) -> bool:
        return bool(self.new)


def import_quarantine(
    *,
    study_id: int,
    source: Source,
    reason: str,
    by: User | None,
    at: datetime,
    skip_bad: bool = False,
    dry_run: bool = False,
    watch: Watch = iter,
) -> QuarantineReport:
    """Set every item of a list aside; items that are so already keep their first reason.

    `reason` is that of rows without their own. With bad rows nothing is written, unless they are
    to be skipped. A dry run is the import itself, undone at the end. CannotRead or CannotImport
    where the file as a whole, or the moment, is wrong.
    """
    try:
        with transaction.atomic():
            one_import_at_a_time(study_id)
            report = _read_into(study_id, source, reason, by, at, watch)
            if dry_run or (report.problems.count and not skip_bad):
                transaction.set_rollback(True)
                return report
            report.is_written = True
            _record(study_id, report, by=by, at=at)
    except IntegrityError as error:
        raise CannotImport(CHANGED_MEANWHILE) from error
    return report


def _read_into(
    study_id: int, source: Source, reason: str, by: User | None, at: datetime, watch: Watch
) -> QuarantineReport:
    file = QuarantineFile(source, reason=reason)
    report = QuarantineReport(layout=file.layout)
    seen: dict[str, Place] = {}
    for batch in in_batches(without_problems(watch(file), report.problems), BATCH):
        report.first += batch[: ROWS_SHOWN - len(report.first)]
        _write(study_id, batch, seen, report, by=by, at=at)
    if not report.rows:
        raise CannotImport(NO_ROWS)
    report.ignored = sorted(file.ignored)
    return report


def _write(
    study_id: int,
    rows: Sequence[QuarantineRow],
    seen: dict[str, Place],
    report: QuarantineReport,
    *,
    by: User | None,
    at: datetime,
) -> None:
    found = Item.objects.filter(study=study_id, key__in=[row.item_key for row in rows])
    items = dict(found.values_list("key", "pk"))
    aside = set(
        Quarantine.objects.filter(item__in=items.values(), lifted_at=None).values_list(
            "item", flat=True
        )
    )
    good = [row for row in rows if not _refused(row, items, seen, report.problems)]
    new = [row for row in good if items[row.item_key] not in aside]
    report.new += len(new)
    report.unchanged += len(good) - len(new)
    Quarantine.objects.bulk_create(
        Quarantine(
            item_id=items[row.item_key],
            reason=row.reason,
            quarantined_at=at,
            quarantined_by=by,
        )
        for row in new
    )


def _refused(
    row: QuarantineRow, items: Collection[str], seen: dict[str, Place], problems: Problems
) -> bool:
    """Note a row whose item is unknown, or named before."""
    earlier = seen.setdefault(row.item_key, row.place)
    why: Sentence
    if row.item_key not in items:
        reason = Reason.UNKNOWN_ITEM
        why = sentence("The study has no item “{key}”. Correct it.", key=row.item_key)
    elif earlier is not row.place:
        reason = Reason.DUPLICATE
        why = sentence(
            "The item “{key}” was named before, at {place}. Keep one of the two.",
            key=row.item_key,
            place=earlier.words,
        )
    else:
        return False
    problems.add(Problem(row.place, row.field, reason, why))
    return True


def _record(study_id: int, report: QuarantineReport, *, by: User | None, at: datetime) -> None:
    events.record(
        "items.quarantined",
        subject=f"study:{study_id}",
        by=by,
        at=at,
        facts={
            "new": report.new,
            "unchanged": report.unchanged,
            "skipped": report.problems.count,
        },
    )
    if report.changes_something:
        note_change(study_id=study_id)
