"""What a worker does with an uploaded file: look at what it comes to, or bring it in."""

from collections.abc import Callable, Mapping
from datetime import datetime
from functools import partial
from typing import Any

from django.db import transaction

from accounts.access import access_of
from annotation.actions.imports import uploads
from annotation.actions.imports.items import import_items
from annotation.actions.imports.quarantine import import_quarantine
from annotation.actions.imports.raters import RaterGiven
from annotation.actions.imports.ratings import import_ratings
from annotation.actions.imports.refusals import CannotImport
from annotation.actions.imports.running import ImportReport
from annotation.actions.imports.screening import Sieve
from annotation.actions.jobs import moves, working
from annotation.actions.jobs.pulse import Clock, Pulse
from annotation.actions.jobs.working import Refused
from annotation.identifiers import Decisions
from annotation.models import FileJob, JobKind, RaterKind
from annotation.queries.jobs import ANSWERS, may_bring
from annotation.queries.studies import NotOnTheTeam, study_for
from annotation.readers.problems import CannotRead
from annotation.readers.records import Source
from annotation.readers.sizes import rows_in
from annotation.rubric.sentences import sentence

MAY_NOT = sentence("Your account may not import into this study any more.")


Importer = Callable[..., ImportReport]


def work_on(*, job_id: int, clock: Clock, importers: Mapping[str, Importer] | None = None) -> None:
    """Check or import an uploaded file; nothing where another worker has it, or it is over.

    `importers` are those of a higher app, by what a file holds.
    """
    work = partial(_work, clock=clock, importers=importers or IMPORTERS)
    working.work_on(job_id=job_id, work=work, clock=clock, is_allowed=_may_import)


def _work(job: FileJob, pulse: Pulse, *, clock: Clock, importers: Mapping[str, Importer]) -> None:
    if not _may_import(job, clock()):
        raise Refused(MAY_NOT)
    try:
        with uploads.brought(job) as source:
            _run(job, source, pulse, importers[job.what], at=clock())
    except (CannotRead, CannotImport) as refusal:
        with transaction.atomic():
            moves.refuse(job=job, reason=refusal.sentence, at=clock())
            uploads.discard(job.folder)


def _run(job: FileJob, source: Source, pulse: Pulse, importer: Importer, *, at: datetime) -> None:
    """A file that is not looked at again goes in the moment in which its job ends."""
    if pulse.total is None and job.what in PASSES_ONCE:
        pulse.expect(rows_in(source))
    with transaction.atomic():
        report = importer(
            job.options,
            study_id=job.study_id,
            source=source,
            by=job.asked_by,
            at=at,
            skip_bad=bool(job.options.get("skip_bad")),
            dry_run=job.kind == JobKind.CHECK,
            watch=pulse.watch,
        )
        if job.kind == JobKind.IMPORT and not report.is_written:
            raise CannotImport(
                sentence(
                    "The study has changed since the file was checked: of its rows {count} cannot "
                    "be imported now. Upload the file again to see which.",
                    count=report.problems.count,
                )
            )
        moves.finish(job=job, result=report.shown(), done=pulse.done, at=at)
        if report.is_written:
            uploads.discard(job.folder)


def _may_import(job: FileJob, at: datetime) -> bool:
    try:
        study_access = study_for(access_of(job.asked_by, at=at), job.study.key)
    except NotOnTheTeam:
        return False
    return may_bring(study_access, job.what)


def _items(options: Mapping[str, object], **given: Any) -> ImportReport:
    return import_items(sieve=_sieve(options, given), **given)


def _ratings(options: Mapping[str, object], **given: Any) -> ImportReport:
    with_items = bool(options["with_items"])
    return import_ratings(
        rater=_rater_in(options),
        with_items=with_items,
        sieve=_sieve(options, given),
        **given,
    )


def _quarantine(options: Mapping[str, object], **given: Any) -> ImportReport:
    return import_quarantine(reason=str(options["reason"]), **given)


def _sieve(options: Mapping[str, object], given: Mapping[str, object]) -> Sieve:
    """A check only looks; an import does what was decided about what the check has found."""
    return Sieve(None if given["dry_run"] else Decisions.among(options))


def _rater_in(options: Mapping[str, object]) -> RaterGiven:
    """What was said of the rater, or the raters, of a file of ratings."""
    own = [source.strip() for source in str(options["own_sources"]).split(",")]
    judges = (key.strip() for key in str(options.get("judges", "")).split(","))
    return RaterGiven(
        key=str(options["rater"]),
        judges=frozenset(filter(None, judges)),
        name=str(options["name"]) or None,
        kind=RaterKind(str(options["kind"])) if options["kind"] else None,
        own_generators=[source for source in own if source] or None,
    )


IMPORTERS: Mapping[str, Importer] = {
    "items": _items,
    "ratings": _ratings,
    "quarantine": _quarantine,
}
PASSES_ONCE = ("items", "quarantine", ANSWERS)
