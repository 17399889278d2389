"""What every import has in common: all of a file or nothing, a dry run, counts, one event."""

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, ClassVar, TypeVar

from django.db import IntegrityError
from django.db.models import Model

from accounts.models import User
from annotation.actions import recording
from annotation.actions.imports.copying import (
    check_references,
    in_batches,
    one_import_at_a_time,
    tell_planner,
)
from annotation.actions.imports.refusals import (
    CHANGED_MEANWHILE,
    NO_ROWS,
    CannotImport,
    Problems,
)
from annotation.actions.recording import Recording
from annotation.models import Study

BATCH = 2_000
ROWS_SHOWN = 5

Row = TypeVar("Row")


@dataclass(slots=True, kw_only=True)
class ImportReport:
    """What a file came to, or, on a dry run, would come to; `verb` names the event of it.

    `grows` are the tables that may have become much larger.
    """

    verb: ClassVar[str]
    grows: ClassVar[Sequence[type[Model]]] = ()

    layout: str
    new: int = 0
    unchanged: int = 0
    ignored: Collection[str] = ()
    problems: Problems = field(default_factory=Problems)
    first: list[Any] = field(default_factory=list)
    is_written: bool = False

    @property
    def rows(self) -> int:
        return self.new + self.unchanged + self.problems.count

    @property
    def changes_something(self) -> bool:
        return bool(self.new)

    def shown(self) -> dict[str, object]:
        """What the page says of it, as JSON can hold it."""
        return {
            "layout": self.layout,
            "new": self.new,
            "unchanged": self.unchanged,
            "ignored": sorted(self.ignored),
            "changes_something": self.changes_something,
            "bad": self.problems.count,
            "causes": [cause.shown() for cause in self.problems.causes],
            "first": [row.shown() for row in self.first],
        }

    def facts(self) -> dict[str, str | int]:
        """What the audit trail keeps: counts, never content."""
        return {
            "layout": self.layout,
            "new": self.new,
            "unchanged": self.unchanged,
            "skipped": self.problems.count,
        }


AnyReport = TypeVar("AnyReport", bound=ImportReport)


def run_import(
    *,
    study_id: int,
    read: Callable[[Study, Recording], AnyReport],
    by: User | None,
    at: datetime,
    skip_bad: bool,
    dry_run: bool,
) -> AnyReport:
    """Let `read` write a file into the study, and keep or undo what it wrote.

    With bad rows nothing is written, unless they are to be skipped. A dry run is the import
    itself, undone at the end. CannotRead or CannotImport where the file as a whole, or the
    moment, is wrong.
    """
    try:
        with recording.change(study_id=study_id) as change:
            one_import_at_a_time(study_id)
            study = Study.objects.select_related("rubric_version").get(pk=study_id)
            report = read(study, change)
            if not report.rows:
                raise CannotImport(NO_ROWS)
            if dry_run or (report.problems.count and not skip_bad):
                change.undo()
                return report
            report.is_written = True
            change.record(
                report.verb, subject=f"study:{study_id}", by=by, at=at, facts=report.facts()
            )
            if report.changes_something:
                tell_planner(*report.grows)
                check_references()
                change.count()
    except IntegrityError as error:
        raise CannotImport(CHANGED_MEANWHILE) from error
    return report


def take_all(
    rows: Iterable[Row], take: Callable[[list[Row]], None], *, report: ImportReport
) -> None:
    """Hand rows over in batches; the report shows the first of them.

    Each batch looks for what the study has already. The planner is told of what was written since
    whenever that has doubled: otherwise it reads all of it every time.
    """
    for number, batch in enumerate(in_batches(rows, BATCH), start=1):
        report.first += batch[: ROWS_SHOWN - len(report.first)]
        take(batch)
        if number.bit_count() == 1:
            tell_planner(*report.grows)
