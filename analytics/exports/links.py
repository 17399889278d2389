"""A release is fetched by a link that works once, for its recipient alone."""

import secrets
from datetime import datetime, timedelta

from django.db import transaction

from accounts import events
from accounts.models import User
from analytics.exports import actions
from analytics.exports.actions import HandedOut, NoSuchExport
from analytics.exports.ranges import part_asked
from analytics.exports.writers import sha256_of_bytes
from analytics.models import ReleaseLink
from annotation.actions.jobs import keeping
from annotation.models import FileJob

OPENED_WITHIN = timedelta(minutes=1)
GOES_ON_FOR = timedelta(hours=1)  # as long as the file is kept


def make(*, study_key: str, job_id: int, by: User, at: datetime) -> tuple[str, datetime]:
    """The words of a new link to a release that was built for this account, and until when they
    are good; they are kept nowhere. A refusal stays in the trail."""
    job = actions.built_for(study_key=study_key, job_id=job_id, by=by, at=at)
    return _made(job, by=by, at=at)


def follow(*, study_key: str, token: str, asked: str, by: User, at: datetime) -> HandedOut:
    """The archive behind a link, or what is left of it; NoSuchExport, OutOfRange.

    `asked`: the header `Range`. A link that was opened gives nothing but further parts. A refusal
    stays in the trail.
    """
    actions.gate(study_key, by=by, at=at)
    known = ReleaseLink.objects.select_related("export").filter(
        token_sha256=sha256_of_bytes(token.encode()),
        recipient=by,
        job__study__key=study_key,
        expires_at__gt=at,
    )
    link = known.first()
    if link is None:
        raise NoSuchExport
    actions.gate_of(link.export.manifest, by=by, at=at)
    return _opened(link.pk, asked, by=by, at=at)


@transaction.atomic
def _made(job: FileJob, *, by: User, at: datetime) -> tuple[str, datetime]:
    token = secrets.token_urlsafe(32)
    link = ReleaseLink.objects.create(
        job=job,
        export_id=job.result["export"],
        recipient=by,
        token_sha256=sha256_of_bytes(token.encode()),
        made_at=at,
        expires_at=at + OPENED_WITHIN,
    )
    events.record(
        "export.link_made",
        subject=f"study:{job.study_id}",
        by=by,
        at=at,
        facts={"export": link.export_id, "link": link.pk},
    )
    return token, link.expires_at


@transaction.atomic
def _opened(link_id: int, asked: str, *, by: User, at: datetime) -> HandedOut:
    """Note that a link is used; of two requests at once the second finds it so."""
    known = ReleaseLink.objects.select_for_update(of=("self",)).select_related("job", "export")
    link = known.filter(pk=link_id).first()
    size = keeping.size_of(link.job.folder) if link else None
    if link is None or size is None:
        raise NoSuchExport
    part = part_asked(asked, size)
    if link.used_at is None:
        link.used_at, link.expires_at = at, at + GOES_ON_FOR
        link.save(update_fields=["used_at", "expires_at"])
    elif part is None or not part.start:
        raise NoSuchExport
    actions.note_download(
        link.export,
        by=by,
        at=at,
        facts={"link": link.pk} | ({"from": part.start, "to": part.stop} if part else {}),
    )
    return HandedOut(
        folder=link.job.folder,
        size=size,
        name=link.job.name_made,
        export=link.export,
        part=part,
    )
