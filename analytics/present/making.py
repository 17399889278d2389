"""What a worker makes of a study for all who read its figures: asked for once, and how far it is."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from django.conf import settings
from django.db import transaction

from accounts import events
from accounts.access import access_of
from accounts.models import User
from analytics.models import Product
from annotation.actions.jobs import moves
from annotation.models import FileJob, JobKind, Study
from annotation.queries import readers
from annotation.queries.jobs import JobStatus, newest_for_all
from annotation.queries.studies import NotOnTheTeam, study_for


@dataclass(frozen=True, slots=True, kw_only=True)
class MakingProgress:
    """How far something is that a worker makes, and the newest that there is of it.

    `status`: of what was asked for last, until it is forgotten; `revision`: of the ratings in what
    there is, None where there is nothing; `is_behind`: the study has newer ones; `may_ask`: asking
    would bring something new.
    """

    status: JobStatus | None
    asked_at: datetime | None
    done_at: datetime | None
    revision: int | None
    is_behind: bool
    may_ask: bool

    @property
    def state(self) -> str:
        """In one word, for programs: that of a job which is under way or came to nothing."""
        if self.status is not None and not self.status.is_done:
            return self.status.job.state
        return "none" if self.revision is None else "done"


@transaction.atomic
def ask(
    *,
    study: Study,
    kind: JobKind,
    what: str,
    verb: str,
    facts: Mapping[str, object],
    by: User,
    at: datetime,
) -> None:
    """Have a worker make it, unless one is at it; the trail has it as `verb`."""
    try:
        moves.ask(study_id=study.pk, kind=kind, what=what, options={}, by=by, at=at)
    except moves.AskedAlready:
        return
    facts = {**facts, "revision": study.revision}
    events.record(verb, subject=f"study:{study.pk}", by=by, at=at, facts=facts)


def cancel(*, study: Study, kind: JobKind, what: str, by: User, at: datetime) -> None:
    """Have the worker stop that is at it, or would be; what there is already stays."""
    status = newest_for_all(study, kind, what, at=at)
    if status is not None:
        moves.cancel(job_id=status.job.pk, by=by, at=at)


def is_allowed(job: FileJob, at: datetime) -> bool:
    """Whether who asked for it may still see the figures of the study."""
    try:
        study_access = study_for(access_of(job.asked_by, at=at), job.study.key)
    except NotOnTheTeam:
        return False
    return readers.reason_not_to_see(study_access) is None


def stands(product: Product | None, study: Study) -> bool:
    """Whether to make it again would bring nothing new: this Concord made it from the ratings as
    they are."""
    return (
        product is not None
        and product.revision == study.revision
        and product.concord == settings.VERSION
    )


def progress_of(
    product: Product | None, study: Study, *, kind: JobKind, what: str, stands: bool, at: datetime
) -> MakingProgress:
    status = newest_for_all(study, kind, what, at=at)
    is_under_way = status is not None and status.is_under_way
    newest = status.job if status is not None and is_under_way else product
    return MakingProgress(
        status=status,
        asked_at=newest.asked_at if newest else None,
        done_at=product.done_at if product else None,
        revision=product.revision if product else None,
        is_behind=product is not None and product.revision < study.revision,
        may_ask=not (is_under_way or stands),
    )
