"""Look at the export of a study, have one built, hand it over: each leaves a line in the trail."""

import secrets
import shutil
import tempfile
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any, NoReturn

from django.conf import settings
from django.db import transaction
from django.http import Http404
from django.utils.translation import gettext

from accounts import events
from accounts.access import access_of, current_terms, facts_of
from accounts.actions.writes import SentOtherwise
from accounts.models import Terms, User
from analytics.exports import bundle, identifying, rows, rulings, writers
from analytics.exports.rows import one_moment
from analytics.models import Export
from annotation.actions.imports.copying import Watch
from annotation.actions.jobs import keeping, moves, working
from annotation.actions.jobs.pulse import Clock, Pulse, Stopped
from annotation.models import FileJob, JobKind, Study
from annotation.queries.studies import NotGranted, NotOnTheTeam, StudyAccess, study_for
from annotation.queries.visibility import reader_of
from annotation.queries.wording import Barred
from annotation.rubric.sentences import Sentence, sentence
from annotation.rules.granting import Action, DataLevel, put_into_files, reason_of_loss
from annotation.rules.lifecycle import JobState

WHAT = "study"
_ARCHIVE = "export.zip"
_WAIT_FOR_IT = sentence("A release is being built for you. Ask for another once it is done.")


class AnotherUnderWay(Exception):
    """A sentence that says to wait for the release that is being built for the account."""


class MayNotExport(Barred):
    """A sentence that says why this account gets no export of this study."""


class NoSuchExport(Http404):
    """This account had no such export built, or it is not kept any more."""

    @property
    def said(self) -> str:
        return gettext(
            "This link was used or has ended, or its file is not kept any more. The page “Export” of the "
            "study has another."
        )


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
    """An archive that may leave now, under the name that it leaves by; all of it, or a `part`.

    It is kept in pieces under `folder`; `size` in bytes.
    """

    folder: str
    size: int
    name: str
    export: Export
    part: range | None


def look(*, study_access: StudyAccess, by: User, at: datetime) -> None:
    """Note that somebody opened the page from which a study is exported."""
    let_through(study_access, by=by, at=at)
    events.record("export.viewed", subject=f"study:{study_access.study.pk}", by=by, at=at)


def let_through(study_access: StudyAccess, *, by: User, at: datetime) -> None:
    """Whoever may export the study; for others MayNotExport says why not, and a line in the trail
    that it was tried."""
    if reason := study_access.reason_not_to_export():
        _refuse(f"study:{study_access.study.pk}", reason, by=by, at=at)


def ask(*, study_key: str, with_texts: bool, by: User, at: datetime, once: str = "") -> FileJob:
    """Have a worker build an export; one at a time for each account. MayNotExport says why not.

    AnotherUnderWay where one with texts is asked for beside one without, or the other way round.
    What was asked for with the same word `once` is not asked for again; SentOtherwise where that
    was something else, or of another study.
    """
    study_access = gate(study_key, by=by, at=at, with_texts=with_texts)
    study = study_access.study
    _pass_disclosure(study, by=by, at=at)
    asked = FileJob.objects.filter(kind=JobKind.EXPORT, asked_by=by)
    if once and (known := asked.filter(options__once=once).first()):
        if (known.study_id, known.options["with_texts"]) != (study.pk, with_texts):
            raise SentOtherwise
        return known
    try:
        return moves.ask(
            study_id=study.pk,
            kind=JobKind.EXPORT,
            what=WHAT,
            options={
                "with_texts": with_texts,
                "levels": sorted(_put_into_files(study_access, with_texts=with_texts)),
            }
            | ({"once": once} if once else {}),
            by=by,
            at=at,
        )
    except moves.AskedAlready as same:
        under_way = FileJob.objects.get(pk=same.job_id)
        if under_way.options["with_texts"] != with_texts:
            raise AnotherUnderWay(_WAIT_FOR_IT) from None
        return under_way


def pass_disclosure(study_key: str, *, by: User, at: datetime) -> None:
    """Go on where the disclosure tests find nothing, or somebody else let it pass; MayNotExport."""
    _pass_disclosure(gate(study_key, by=by, at=at).study, by=by, at=at)


def _pass_disclosure(study: Study, *, by: User, at: datetime) -> None:
    if reason := rulings.reason_to_wait(study, recipient=by.pk):
        _refuse(f"study:{study.pk}", reason, by=by, at=at)


def build_asked(*, job_id: int, clock: Clock) -> None:
    """Build an export that was asked for, or look through texts for identifiers before one; nothing
    where another worker has it, or it is over."""
    is_look = FileJob.objects.filter(pk=job_id, what=identifying.WHAT).exists()
    work = partial(identifying.look if is_look else _work, clock=clock)
    working.work_on(job_id=job_id, work=work, clock=clock, is_allowed=_is_allowed)


def build(
    *,
    study_key: str,
    with_texts: bool,
    by: User,
    at: datetime,
    watch: Watch = iter,
    heed: writers.Heed = iter,
    tell_total: Callable[[int], None] = lambda _total: None,
) -> Built:
    """Write a study, as it is at one moment, into an archive. MayNotExport says why not.

    `watch` wraps the rows, to show progress, once `tell_total` was told how many there are; `heed`
    wraps what is no row. Both may end the work.
    """
    study_access = gate(study_key, by=by, at=at, with_texts=with_texts)
    folder = _new_folder()
    try:
        with one_moment():
            order = _order(study_access, by, with_texts=with_texts)
            tell_total(bundle.rows_in(order))
            manifest = bundle.write(order, folder / "files", watch=watch)
        writers.archive(folder / "files", folder / _ARCHIVE, heed=heed)
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
        gate_of(built.manifest, by=by, at=at)
    except MayNotExport:
        built.remove()
        raise
    note_download(export, by=by, at=at)


def built_for(*, study_key: str, job_id: int, by: User, at: datetime) -> FileJob:
    """The job by which a worker built an archive for this account, and for no other; NoSuchExport."""
    study_access = gate(study_key, by=by, at=at)
    own = FileJob.objects.filter(study=study_access.study, what=WHAT, asked_by=by)
    job = own.filter(pk=job_id, state=JobState.DONE).first()
    if job is None or keeping.size_of(job.folder) is None:
        raise NoSuchExport
    gate_of(Export.objects.get(pk=job.result["export"]).manifest, by=by, at=at)
    return job


def _work(job: FileJob, pulse: Pulse, *, clock: Clock) -> None:
    try:
        pass_disclosure(job.study.key, by=job.asked_by, at=clock())
        built = build(
            study_key=job.study.key,
            with_texts=job.options["with_texts"],
            by=job.asked_by,
            at=clock(),
            watch=pulse.watch,
            heed=pulse.heed,
            tell_total=pulse.expect,
        )
    except MayNotExport as refusal:
        raise working.Refused(refusal.reason) from None
    if pulse.is_stopped or not _is_allowed(job, clock()):
        built.remove()
        raise Stopped
    folder = secrets.token_urlsafe(24)
    try:
        size = keeping.keep_file(folder, built.path)
    except BaseException:
        keeping.discard(folder)
        raise
    finally:
        built.remove()
    # Not discarded from here on: where the connection breaks, this may have happened all the same.
    # What nobody holds is swept away.
    with transaction.atomic():
        export = keep_record(built=built, by=job.asked_by, at=clock())
        moves.finish(
            job=job,
            done=pulse.done,
            at=clock(),
            result={"export": export.pk, "bytes": size, "name": built.name},
            folder=folder,
        )


def _is_allowed(job: FileJob, at: datetime) -> bool:
    """Whether who asked for an export may still have all that goes into it."""
    try:
        study_access = study_for(access_of(job.asked_by, at=at), job.study.key)
    except NotOnTheTeam:
        return False
    if job.what == identifying.WHAT:
        return identifying.reason_not_to_look(study_access) is None
    action = Action.TAKE_TEXTS if job.options["with_texts"] else Action.EXPORT
    lost = reason_of_loss(job.options.get("levels", ()), study_access.levels)
    return not (lost or study_access.reason_not_to(action))


def note_download(
    export: Export, *, by: User, at: datetime, facts: Mapping[str, object] = {}
) -> None:
    """Note that an archive, or what `facts` say of it, left."""
    events.record(
        "export.downloaded",
        subject=f"study:{export.study_id}",
        by=by,
        at=at,
        facts={"export": export.pk, "sha256": export.sha256, **facts},
    )


def gate(study_key: str, *, by: User, at: datetime, with_texts: bool = False) -> StudyAccess:
    """The one gate of pages and commands: the account's access, its team, its role, its grants."""
    access = access_of(by, at=at)
    if not access.may_enter:
        missing = ", ".join(step.replace("_", " ") for step in access.missing)
        reason = sentence("This account may not enter: {missing}.", missing=missing)
        _refuse(f"account:{by.pk}", reason, by=by, at=at)
    try:
        study_access = study_for(access, study_key)
    except NotGranted as refusal:
        _refuse(f"account:{by.pk}", refusal.args[0], by=by, at=at)
    except NotOnTheTeam:
        reason = sentence("This account has no part in such a study.")
        _refuse(f"account:{by.pk}", reason, by=by, at=at)
    let_through(study_access, by=by, at=at)
    if with_texts and (barred := study_access.reason_not_to(Action.TAKE_TEXTS)):
        _refuse(f"study:{study_access.study.pk}", barred, by=by, at=at)
    return study_access


def gate_of(manifest: Mapping[str, Any], *, by: User, at: datetime) -> None:
    """The same gate for what is built: whatever went into it must be granted still."""
    has_texts = manifest["filters"]["texts"]
    study_access = gate(manifest["study"]["key"], by=by, at=at, with_texts=has_texts)
    if lost := reason_of_loss(manifest["data_set"]["levels"], study_access.levels):
        _refuse(f"study:{study_access.study.pk}", lost, by=by, at=at)


def _refuse(subject: str, reason: Sentence, *, by: User, at: datetime) -> NoReturn:
    events.record("export.refused", subject=subject, by=by, at=at)
    raise MayNotExport(reason)


def _order(study_access: StudyAccess, by: User, *, with_texts: bool) -> bundle.ExportOrder:
    known = Study.objects.select_related("rubric_version__rubric", "data_set")
    study = known.get(pk=study_access.study.pk)
    terms = current_terms()
    if terms is None:  # then nobody would have passed the gate
        raise Terms.DoesNotExist
    levels = _put_into_files(study_access, with_texts=with_texts)
    return bundle.ExportOrder(
        study=study,
        recipient=by,
        reader=reader_of(study_access, takes_away=True),
        terms=terms,
        destroy_by=_destroy_by(study_access, by, levels),
        with_texts=with_texts,
        levels=levels,
    )


def _put_into_files(study_access: StudyAccess, *, with_texts: bool) -> frozenset[DataLevel]:
    has_rationales = rows.has_rationales(study_access.study)
    return put_into_files(study_access.levels, with_texts=with_texts, has_rationales=has_rationales)


def _destroy_by(study_access: StudyAccess, by: User, levels: Collection[DataLevel]) -> datetime:
    """When access ends: with the approval, the signature or a grant, whichever is soonest."""
    facts = facts_of(by.pk)
    granted_until = study_access.person.holds_until(levels, study_access.at)
    ends = (facts.approved_until, facts.signed_until, granted_until)
    return min(end for end in ends if end is not None)


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
