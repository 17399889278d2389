"""Ask for the report of a study, write it, hand it out: each leaves a line in the trail."""

import secrets
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from typing import Any

from django.conf import settings
from django.db import transaction
from django.http import Http404
from django.utils.translation import override

from accounts import events
from accounts.models import User
from analytics.agreement import numbers as agreement
from analytics.agreement import readers
from analytics.exports import rows
from analytics.figures import memo
from analytics.figures import store as snapshots
from analytics.models import Verification, Writeup
from analytics.present import leaving, making
from analytics.present.leaving import FiguresTaken
from analytics.present.veil import veil_of
from analytics.ratings import matrices
from analytics.ratings.matrices import PLAIN
from analytics.report import basis, bundle, contents, shelf, sums
from analytics.report import page as writeups
from analytics.report.basis import Files
from analytics.report.bundle import TellTotal
from analytics.report.contents import Contents
from analytics.report.preview import preview
from analytics.trust import numbers as trust
from analytics.trust import policies
from analytics.verification import page as verified
from annotation.actions.imports.copying import Watch
from annotation.actions.jobs import moves, working
from annotation.actions.jobs.pulse import Clock, Pulse
from annotation.models import FileJob, JobKind, Quarantine, Study, Submission
from annotation.queries.audits import found_in_study
from annotation.queries.qualified import n_answers_to_qualify
from annotation.queries.rounds import protocols_of, rounds_of
from annotation.queries.studies import StudyAccess
from annotation.queries.visibility import reader_of
from annotation.queries.wording import Barred
from annotation.rubric.sentences import Sentence
from annotation.rules.granting import WITHOUT_LEVEL, DataLevel
from annotation.rules.visibility import OPERATOR, Reader

_TYPES = {
    "bib": "application/x-bibtex; charset=utf-8",
    "csv": "text/csv; charset=utf-8",
    "html": "text/html; charset=utf-8",
    "json": "application/json",
    "md": "text/markdown; charset=utf-8",
    "pdf": "application/pdf",
    "png": "image/png",
    "svg": "image/svg+xml",
    "tex": "application/x-tex; charset=utf-8",
    "txt": "text/plain; charset=utf-8",
    "zip": "application/zip",
    sums.FILE: "text/plain; charset=utf-8",
}


class NoSuchFile(Http404):
    """The report has no file of this name, or there is no report yet."""


class NotWritten(Barred):
    """A sentence that says why this file may not be handed out now."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FileOfReport:
    """A file that leaves now, a piece at a time; `size` in bytes."""

    name: str
    size: int
    pieces: Iterator[bytes]
    content_type: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportWritten:
    """The files of a report; `reason` says why the ratings are not among them."""

    files: dict[str, bytes]
    revision: int
    reason: Sentence | None


def ask(*, study_access: StudyAccess, language: str, by: User, at: datetime) -> None:
    """Have a worker write the report anew, unless one is at it or would write the same."""
    study = study_access.study
    if writeups.report_stands(_written(study, language), study):
        return
    making.ask(
        study=study,
        kind=JobKind.REPORT,
        what=language,
        verb="report.asked",
        facts={"language": language},
        by=by,
        at=at,
    )


def cancel(*, study_access: StudyAccess, language: str, by: User, at: datetime) -> None:
    """Have the worker stop that writes the report, or would."""
    study = study_access.study
    making.cancel(study=study, kind=JobKind.REPORT, what=language, by=by, at=at)


def contents_of(study_access: StudyAccess, *, language: str, at: datetime) -> Contents:
    """What the written report contains; what it will say, before it is written and to who sees no
    single raters, whom it lists."""
    study, veil = study_access.study, veil_of(study_access)
    writeup = _written(study, language)
    if veil is None and writeup is not None and contents.FILE in writeup.listing:
        return contents.from_json(_content(writeup, contents.FILE))
    snapshots.keep_fresh(study_id=study.pk, part=agreement.PART, revision=study.revision, at=at)
    kept = snapshots.newest(study.pk, agreement.PART, pieces=())
    aside = Quarantine.objects.filter(item__study=study, lifted_at=None)
    return preview(study, kept, held=policies.held(study), n_quarantined=aside.count(), veil=veil)


def picture(study_access: StudyAccess, *, language: str, name: str) -> bytes:
    """A figure of the written report as SVG, by its key; NoSuchFile."""
    writeup = None if reason_to_keep(study_access) else _written(study_access.study, language)
    file = f"figures/{name}.svg"
    if writeup is None or file not in writeup.listing:
        raise NoSuchFile
    return _content(writeup, file)


def build(*, job_id: int, clock: Clock) -> None:
    """Write the report that was asked for and keep it; nothing where another worker has it, or it
    is over."""
    work = partial(_work, clock=clock)
    working.work_on(job_id=job_id, work=work, clock=clock, is_allowed=making.is_allowed)


def _work(job: FileJob, pulse: Pulse, *, clock: Clock) -> None:
    with override(job.what), memo.asking(pulse.check):
        files, revision = write(
            study=job.study, at=clock(), watch=pulse.watch, tell_total=pulse.expect
        )
    folder = secrets.token_urlsafe(24)
    try:
        sha256 = shelf.put(folder, files, heed=pulse.heed)
    except BaseException:
        shelf.discard(folder, files)
        raise
    # Not discarded from here on: where the connection breaks, this may have happened all the same.
    # What nobody holds is swept away.
    with transaction.atomic():
        _keep(job, files, folder, sha256=sha256, revision=revision, at=clock())
        moves.finish(job=job, result={}, done=pulse.done, at=clock())


def write(
    *, study: Study, at: datetime, watch: Watch = iter, tell_total: TellTotal = lambda _total: None
) -> tuple[dict[str, bytes], int]:
    """The files of the report of a study as it is now, and the revision of its ratings.

    The time in it is that of the figures that are kept, so the same ratings give the same bytes.
    `watch` counts parts and figures as they are made, and may end the work.
    """
    ratings = matrices.read(study.pk)
    kept = snapshots.up_to_date(study_id=study.pk, part=agreement.PART, at=at, pieces=())[PLAIN]
    order = bundle.ReportOrder(
        basis=basis.of_study(study, ratings),
        name=study.name,
        at=kept.computed_at if kept.revision == ratings.revision else at,
        judges=list(rows.judges(study)),
        held=policies.held(study),
        trust=snapshots.up_to_date(study_id=study.pk, part=trust.PART, at=at)[PLAIN],
        verified=_verified(study, ratings.revision),
        protocols=protocols_of(study),
        n_to_qualify=n_answers_to_qualify(study),
        audits=found_in_study(study),
        rounds=[one for one in rounds_of(study) if one.is_closed],
    )
    return bundle.write(order, watch=watch, tell_total=tell_total), ratings.revision


def write_for_command(*, study: Study, by: User | None, at: datetime) -> ReportWritten:
    """The report for who works on the server itself; without ratings that a round still blinds."""
    operator = replace(OPERATOR, judges_are_blinded=study.judges_are_blinded)
    reason = _reason_to_keep_from(operator, study)
    files, revision = write(study=study, at=at)
    events.record(
        "report.written",
        subject=f"study:{study.pk}",
        by=by,
        at=at,
        facts={"revision": revision, "ratings": reason is None},
    )
    return ReportWritten(
        files=bundle.without_data(files) if reason else files, revision=revision, reason=reason
    )


def reason_to_keep(study_access: StudyAccess) -> Sentence | None:
    """Say why no file of the report may be handed to this account now, or None: it lists raters."""
    return None if study_access.sees_single_raters else WITHOUT_LEVEL[DataLevel.PER_RATER]


def reason_to_keep_data(study_access: StudyAccess) -> Sentence | None:
    """Say why the ratings in the report may not be handed to this account now, or None."""
    if reason := study_access.reason_not_to_export():
        return reason
    return _reason_to_keep_from(reader_of(study_access, takes_away=True), study_access.study)


def _reason_to_keep_from(reader: Reader, study: Study) -> Sentence | None:
    return readers.reason_to_keep_ratings(study, reader, raters=_raters(study), with_gold=True)


def hand_out(
    *, study_access: StudyAccess, language: str, name: str, by: User, at: datetime
) -> FileOfReport:
    """One file of the newest report, or all of it; NoSuchFile and NotWritten say why not.

    While single ratings may not be handed out, the zip is the one without them.
    """
    if reason := reason_to_keep(study_access):
        raise NotWritten(reason)
    study = study_access.study
    writeup = _written(study, language)
    if writeup is None or (name != shelf.WHOLE and name not in writeup.listing):
        raise NoSuchFile
    reason = reason_to_keep_data(study_access)
    if reason and bundle.is_data(name):
        raise NotWritten(reason)
    kept = shelf.WITHOUT_DATA if reason and name == shelf.WHOLE else name
    size = shelf.size_of(writeup.folder, kept)
    if size is None:
        raise NoSuchFile
    taken = FiguresTaken(
        study_access=study_access,
        name=name,
        view=PLAIN,
        revision=writeup.revision,
        more={
            "file": name,
            "language": language,
            "sha256": writeup.sha256,
            "ratings": reason is None and (name == shelf.WHOLE or bundle.is_data(name)),
        },
    )
    leaving.as_file(taken, by=by, at=at, verb="report.downloaded")
    stem = f"{study.key}-r{writeup.revision}-"
    return FileOfReport(
        name=stem + name.replace("/", "-"),
        size=size,
        pieces=shelf.pieces(writeup.folder, kept, size=size),
        content_type=_TYPES[name.rsplit(".", 1)[-1]],
    )


def _written(study: Study, language: str) -> Writeup | None:
    """The newest report in a language, once a worker has written one."""
    return Writeup.objects.filter(study=study, language=language).first()


def _content(writeup: Writeup, name: str) -> bytes:
    """One of the small files, from which a page is drawn."""
    return b"".join(shelf.pieces(writeup.folder, name, size=writeup.listing[name]))


def _keep(
    job: FileJob, files: Files, folder: str, *, sha256: str, revision: int, at: datetime
) -> None:
    place: dict[str, Any] = {"study": job.study, "language": job.what}
    for earlier in Writeup.objects.filter(**place):
        shelf.let_go(earlier.folder, earlier.listing, at=at)
    shelf.hold(folder, files)
    Writeup.objects.update_or_create(
        **place,
        defaults={
            "asked_at": job.asked_at,
            "asked_by": job.asked_by,
            "done_at": at,
            "revision": revision,
            "concord": settings.VERSION,
            "folder": folder,
            "sha256": sha256,
            "listing": {name: len(content) for name, content in sorted(files.items())},
        },
    )
    events.record(
        "report.built",
        subject=f"study:{job.study_id}",
        by=job.asked_by,
        at=at,
        facts={"language": job.what, "revision": revision, "sha256": sha256},
    )


def _raters(study: Study) -> list[int]:
    given = Submission.objects.filter(study=study, is_current=True)
    return list(given.values_list("rater", flat=True).distinct())


def _verified(study: Study, revision: int) -> str:
    """What came of holding the plain figures against published packages at this revision."""
    found = Verification.objects.filter(
        study=study,
        revision=revision,
        with_off_scale=False,
        with_quarantined=False,
    ).first()
    return verified.verified_in_words(found.checks) if found else ""
