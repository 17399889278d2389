"""Look at the export of a study, build one, hand it over: each leaves a line in the trail."""

import shutil
import tempfile
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from django.conf import settings
from django.db import transaction
from django.utils.translation import gettext as _

from accounts import events
from accounts.access import access_of, current_terms
from accounts.models import User
from analytics.exports import bundle, writers
from analytics.exports.rows import one_moment
from analytics.models import Export
from annotation.models import Study
from annotation.queries.studies import NotOnTheTeam, StudyAccess, study_for
from annotation.queries.visibility import reader_of

_LEFT_BEHIND = 3600.0


class MayNotExport(Exception):
    """A sentence that says why this account gets no export of this study."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Built:
    """An archive on disk and its record; whoever takes it removes the file."""

    path: Path
    name: str
    export: Export


def look(*, study_access: StudyAccess, by: User, at: datetime) -> None:
    """Note that somebody opened the page from which a study is exported."""
    study = study_access.study
    if reason := study_access.reason_not_to_export():
        _refuse(f"study:{study.pk}", reason, by=by, at=at)
    events.record("export.viewed", subject=f"study:{study.pk}", by=by, at=at)


def build(*, study_key: str, with_texts: bool, by: User, at: datetime) -> Built:
    """Write a study, as it is at one moment, into an archive. MayNotExport says why not."""
    study_access = _gate(study_key, by=by, at=at)
    _sweep(at)
    folder = _new_folder()
    path = folder.with_suffix(".zip")
    try:
        with one_moment():
            order = _order(study_access, by, with_texts=with_texts)
            manifest = bundle.write(order, folder)
        writers.archive(folder, path)
    except BaseException:
        path.unlink(missing_ok=True)
        raise
    finally:
        shutil.rmtree(folder)
    export = _record(order.study, manifest, writers.sha256_of(path), by=by, at=at)
    return Built(path=path, name=f"{order.study.key}-r{manifest['revision']}.zip", export=export)


def hand_over(*, built: Built, by: User, at: datetime) -> None:
    """Ask the gate once more before the first byte leaves, and note that it did."""
    try:
        _gate(built.export.study.key, by=by, at=at)
    except MayNotExport:
        built.path.unlink()
        raise
    events.record(
        "export.downloaded",
        subject=f"study:{built.export.study_id}",
        by=by,
        at=at,
        facts={"export": built.export.pk, "sha256": built.export.sha256},
    )


def _gate(study_key: str, *, by: User, at: datetime) -> StudyAccess:
    """The one gate of pages and commands: the account's access, its team, its role."""
    access = access_of(by, at=at)
    if not access.may_enter:
        missing = ", ".join(step.replace("_", " ") for step in access.missing)
        _refuse(
            f"account:{by.pk}",
            _("This account may not enter: %(missing)s.") % {"missing": missing},
            by=by,
            at=at,
        )
    try:
        study_access = study_for(access, study_key)
    except NotOnTheTeam:
        _refuse(f"account:{by.pk}", _("This account has no part in such a study."), by=by, at=at)
    if reason := study_access.reason_not_to_export():
        _refuse(f"study:{study_access.study.pk}", reason, by=by, at=at)
    return study_access


def _refuse(subject: str, reason: str, *, by: User, at: datetime) -> None:
    events.record("export.refused", subject=subject, by=by, at=at)
    raise MayNotExport(reason)


def _order(study_access: StudyAccess, by: User, *, with_texts: bool) -> bundle.Order:
    study = Study.objects.select_related("rubric_version__rubric").get(pk=study_access.study.pk)
    return bundle.Order(
        study=study,
        recipient=by,
        reader=reader_of(study_access, takes_away=True),
        terms=current_terms(),
        with_texts=with_texts,
    )


def _sweep(at: datetime) -> None:
    """Remove what an export left behind whose process was killed."""
    for left in settings.EXPORT_DIR.glob("export-*"):
        if at.timestamp() - left.stat().st_mtime > _LEFT_BEHIND:
            shutil.rmtree(left) if left.is_dir() else left.unlink()


def _new_folder() -> Path:
    settings.EXPORT_DIR.mkdir(mode=0o700, parents=True, exist_ok=True)
    return Path(tempfile.mkdtemp(prefix="export-", dir=settings.EXPORT_DIR))


@transaction.atomic
def _record(study: Study, manifest: dict, sha256: str, *, by: User, at: datetime) -> Export:
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
