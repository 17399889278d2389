"""Set the items of a list aside from figures: all of them or none."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial

from accounts.models import User
from annotation.actions.imports.copying import Watch
from annotation.actions.imports.refusals import Problems, without_problems
from annotation.actions.imports.running import ImportReport, run_import, take_all
from annotation.actions.recording import Recording
from annotation.models import Item, Quarantine, Study
from annotation.readers.problems import FilePlace, FileProblem, FileReason
from annotation.readers.quarantine import QuarantineFile, QuarantineRow
from annotation.readers.records import Source
from annotation.rubric.sentences import Sentence, sentence


@dataclass(slots=True, kw_only=True)
class QuarantineReport(ImportReport):
    """What a list came to, or, on a dry run, would come to."""

    verb = "items.quarantined"


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
    """Set every item of a list aside, as `run_import` does; `watch` wraps the rows.

    Items that are set aside already keep their first reason. `reason` is that of rows without
    their own.
    """

    def read(study: Study, _change: Recording) -> QuarantineReport:
        file = QuarantineFile(source, reason=reason)
        report = QuarantineReport(layout=file.layout)
        write = partial(_write, study.pk, {}, report, by, at)
        take_all(without_problems(watch(file), report.problems), write, report=report)
        report.ignored = sorted(file.ignored)
        return report

    return run_import(
        study_id=study_id, read=read, by=by, at=at, skip_bad=skip_bad, dry_run=dry_run
    )


def _write(
    study_id: int,
    seen: dict[str, FilePlace],
    report: QuarantineReport,
    by: User | None,
    at: datetime,
    rows: Sequence[QuarantineRow],
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
    row: QuarantineRow, items: Collection[str], seen: dict[str, FilePlace], problems: Problems
) -> bool:
    """Note a row whose item is unknown, or named before."""
    earlier = seen.setdefault(row.item_key, row.place)
    why: Sentence
    if row.item_key not in items:
        reason = FileReason.UNKNOWN_ITEM
        why = sentence("The study has no item “{key}”. Correct it.", key=row.item_key)
    elif earlier is not row.place:
        reason = FileReason.DUPLICATE
        why = sentence(
            "The item “{key}” was named before, at {place}. Keep one of the two.",
            key=row.item_key,
            place=earlier.words,
        )
    else:
        return False
    problems.add(FileProblem(row.place, row.field, reason, why))
    return True
