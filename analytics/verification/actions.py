"""Hold the figures of a study against published packages, once for everybody who looks."""

from dataclasses import asdict
from datetime import datetime
from functools import partial
from typing import Any

from django.conf import settings
from django.db import transaction

from accounts import events
from accounts.models import User
from analytics.agreement import numbers as agreement
from analytics.figures import memo
from analytics.models import Verification
from analytics.present import making
from analytics.present.viewing import values_of, view_named
from analytics.ratings import matrices
from analytics.ratings.matrices import View
from analytics.verification import page as verified
from analytics.verification.checks import checks, compared
from annotation.actions.jobs import moves, working
from annotation.actions.jobs.pulse import Clock, Pulse
from annotation.models import FileJob, JobKind
from annotation.queries.studies import StudyAccess


def ask(*, study_access: StudyAccess, view: View, by: User, at: datetime) -> None:
    """Have a worker recompute every figure with published packages, unless one is at it or would
    compute the same."""
    study = study_access.study
    if making.stands(verified.newest(study, view), study):
        return
    making.ask(
        study=study,
        kind=JobKind.VERIFICATION,
        what=values_of(view),
        verb="agreement.verification_asked",
        facts={},
        by=by,
        at=at,
    )


def cancel(*, study_access: StudyAccess, view: View, by: User, at: datetime) -> None:
    """Have the worker stop that recomputes them, or would."""
    study, what = study_access.study, values_of(view)
    making.cancel(study=study, kind=JobKind.VERIFICATION, what=what, by=by, at=at)


def run(*, job_id: int, clock: Clock) -> None:
    """Recompute the figures and keep both numbers; nothing where another worker has it, or it is
    over."""
    work = partial(_work, clock=clock)
    working.work_on(job_id=job_id, work=work, clock=clock, is_allowed=making.is_allowed)


def _work(job: FileJob, pulse: Pulse, *, clock: Clock) -> None:
    study = matrices.read(job.study_id)
    with memo.asking(pulse.check):
        report = agreement.report(study, view=view_named(job.what), at=clock())
    pulse.expect(compared(report))
    found = [asdict(one) for one in checks(study, report, watch=pulse.watch)]
    pulse.check()
    with transaction.atomic():
        _keep(job, found, revision=study.revision, at=clock())
        moves.finish(job=job, result={}, done=pulse.done, at=clock())


def _keep(job: FileJob, found: list[dict[str, Any]], *, revision: int, at: datetime) -> None:
    view = view_named(job.what)
    Verification.objects.update_or_create(
        study=job.study,
        with_off_scale=view.with_off_scale,
        with_quarantined=view.with_quarantined,
        defaults={
            "asked_at": job.asked_at,
            "asked_by": job.asked_by,
            "done_at": at,
            "revision": revision,
            "concord": settings.VERSION,
            "checks": found,
        },
    )
    events.record(
        "agreement.verified",
        subject=f"study:{job.study_id}",
        by=None,
        at=at,
        facts={"revision": revision, "figures": len(found)},
    )
