"""Look at the export of a study, have one built, hand it over: each leaves a line in the trail."""

import shutil
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any, NoReturn

from django.conf import settings
from django.db import transaction

from accounts import events
from accounts.access import access_of, current_terms
from accounts.models import Terms, User
from analytics.exports import bundle, writers
from analytics.exports.rows import one_moment
from analytics.models import Export
from annotation.actions.imports.copying import Watch
from annotation.actions.jobs import moves, working
from annotation.actions.jobs.pulse import Clock, Pulse
from annotation.models import FileJob, JobKind, Study
from annotation.queries.studies import NotOnTheTeam, StudyAccess, study_for
from annotation.queries.visibility import reader_of
from annotation.rubric.sentences import Sentence, sentence
from annotation.rules.lifecycle import JobState

WHAT = "study"
_ARCHIVE = "export.zip"


class MayNotExport(Exception):
    """A sentence that says why this account gets no export of this study."""


class NoSuchExport(Exception):
    """This account had no such export built, or it is not kept any more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Built:
    """An archive on disk, and what is in it; whoever takes it removes its folder."""

    path: Path
    study: Study
    manifest: dict[str, Any]
    sha256: str

    @property
    def name(self) -> str:
        return f"{self.study.key}-r{self.manifest['revision']}.zip"

    def remove(self) -> None:
        shutil.rmtree(self.path.parent)


@dataclass(frozen=True, slots=True, kw_only=True)
class HandedOut:
    """An archive that may leave now, under the name that it leaves by."""

    path: Path
    name: str


def look(*, study_access: StudyAccess, by: User, at: datetime) -> None:
    """Note that somebody opened the page from which a study is exported."""
    study = study_access.study
    if reason := study_access.reason_not_to_export():
        _refuse(f"study:{study.pk}", reason, by=by, at=at)
    events.record("export.viewed", subject=f"study:{study.pk}", by=by, at=at)


def ask(*, study_key: str, with_texts: bool, by: User, at: datetime) -> FileJob:
    """Have a worker build an export; one at a time for each account. MayNotExport says why not."""
    study_access = _gate(study_key, by=by, at=at)
    try:
        return moves.ask(
            study_id=study_access.study.pk,
            kind=JobKind.EXPORT,
            what=WHAT,
            options={"with_texts": with_texts},
            by=by,
            at=at,
        )
    except moves.AskedAlready as same:
        return FileJob.objects.get(pk=same.job_id)


def build_asked(*, job_id: int, clock: Clock) -> None:
    """Build an export that was asked for; nothing where another worker has it, or it is over."""
    working.work_on(job_id=job_id, work=partial(_work, clock=clock), clock=clock)


def build(
    *,
    study_key: str,
    with_texts: bool,
    by: User,
    at: datetime,
    watch: Watch = iter,
    tell_total: Callable[[int], None] = lambda _total: None,
) -> Built:
    """Write a study, as it is at one moment, into an archive. MayNotExport says why not.

    `watch` wraps the rows, to show progress, once `tell_total` was told how many there are.
    """
    study_access = _gate(study_key, by=by, at=at)
    folder = _new_folder()
    try:
        with one_moment():
            order = _order(study_access, by, with_texts=with_texts)
            tell_total(bundle.rows_in(order))
            manifest = bundle.write(order, folder / "files", watch=watch)
        writers.archive(folder / "files", folder / _ARCHIVE)
        shutil.rmtree(folder / "files")
    except BaseException:
        shutil.rmtree(folder)
        raise
    sha256 = writers.sha256_of(folder / _ARCHIVE)
    return Built(path=folder / _ARCHIVE, study=order.study, manifest=manifest, sha256=sha256)


def keep_record(*, built: Built, by: User, at: datetime) -> Export:
    """Note what was built for whom."""
    return _record(built.study, built.manifest, built.sha256, by=by, at=at)


def hand_over(*, built: Built, export: Export, by: User, at: datetime) -> None:
    """Ask the gate once more before the first byte leaves, and note that it did."""
    try:
        _gate(built.study.key, by=by, at=at)
    except MayNotExport:
        built.remove()
        raise
    _note_download(export, by=by, at=at)


def hand_out(*, study_key: str, job_id: int, by: User, at: datetime) -> HandedOut:
    """The archive that a worker built for this account, and for no other; NoSuchExport."""
    study_access = _gate(study_key, by=by, at=at)
    own = FileJob.objects.filter(study=study_access.study, kind=JobKind.EXPORT, asked_by=by)
    job = own.filter(pk=job_id, state=JobState.DONE).first()
    if job is None or not _archive_of(job).is_file():
        raise NoSuchExport
    _note_download(Export.objects.get(pk=job.result["export"]), by=by, at=at)
    return HandedOut(path=_archive_of(job), name=job.file_name)


def _work(job: FileJob, pulse: Pulse, *, clock: Clock) -> None:
    try:
        built = build(
            study_key=job.study.key,
            with_texts=job.options["with_texts"],
            by=job.asked_by,
            at=clock(),
            watch=pulse.watch,
            tell_total=pulse.expect,
        )
    except MayNotExport as refusal:
        raise working.Refused(refusal.args[0]) from None
    with transaction.atomic():
        export = keep_record(built=built, by=job.asked_by, at=clock())
        moves.finish(
            job=job,
            done=pulse.done,
            at=clock(),
            result={"export": export.pk, "bytes": built.path.stat().st_size},
            file_name=built.name,
            folder=built.path.parent.name,
        )


def _archive_of(job: FileJob) -> Path:
    return settings.EXPORT_DIR / job.folder / _ARCHIVE


def _note_download(export: Export, *, by: User, at: datetime) -> None:
    events.record(
        "export.downloaded",
        subject=f"study:{export.study_id}",
        by=by,
        at=at,
        facts={"export": export.pk, "sha256": export.sha256},
    )


def _gate(study_key: str, *, by: User, at: datetime) -> StudyAccess:
    """The one gate of pages and commands: the account's access, its team, its role."""
    access = access_of(by, at=at)
    if not access.may_enter:
        missing = ", ".join(step.replace("_", " ") for step in access.missing)
        reason = sentence("This account may not enter: {missing}.", missing=missing)
        _refuse(f"account:{by.pk}", reason, by=by, at=at)
    try:
        study_access = study_for(access, study_key)
    except NotOnTheTeam:
        reason = sentence("This account has no part in such a study.")
        _refuse(f"account:{by.pk}", reason, by=by, at=at)
    if barred := study_access.reason_not_to_export():
        _refuse(f"study:{study_access.study.pk}", barred, by=by, at=at)
    return study_access


def _refuse(subject: str, reason: Sentence, *, by: User, at: datetime) -> NoReturn:
    events.record("export.refused", subject=subject, by=by, at=at)
    raise MayNotExport(reason)


def _order(study_access: StudyAccess, by: User, *, with_texts: bool) -> bundle.ExportOrder:
    study = Study.objects.select_related("rubric_version__rubric").get(pk=study_access.study.pk)
    terms = current_terms()
    if terms is None:  # then nobody would have passed the gate
        raise Terms.DoesNotExist
    return bundle.ExportOrder(
        study=study,
        recipient=by,
        reader=reader_of(study_access, takes_away=True),
        terms=terms,
        with_texts=with_texts,
    )


def _new_folder() -> Path:
    settings.EXPORT_DIR.mkdir(mode=0o700, parents=True, exist_ok=True)
    folder = Path(tempfile.mkdtemp(prefix="export-", dir=settings.EXPORT_DIR))
    (folder / "files").mkdir(mode=0o700)
    return folder


@transaction.atomic
def _record(
    study: Study, manifest: dict[str, Any], sha256: str, *, by: User, at: datetime
) -> Export:
    export = Export.objects.create(
        study=study,
        exported_by=by,
        exported_at=at,
        revision=manifest["revision"],
        manifest=manifest,
        sha256=sha256,
    )
    events.record(
        "export.built",
        subject=f"study:{study.pk}",
        by=by,
        at=at,
        facts={
            "export": export.pk,
            "revision": export.revision,
            "sha256": sha256,
            "texts": manifest["filters"]["texts"],
            "ratings": manifest["counts"]["ratings"],
        },
    )
    return export
