"""Hold the figures of a study against published packages, once for everybody who looks."""

from collections.abc import Callable
from dataclasses import asdict
from datetime import datetime
from typing import Any

from django.conf import settings
from django.db import transaction

from accounts import events
from accounts.models import User
from analytics import queue
from analytics.agreement import numbers as agreement
from analytics.models import Verification
from analytics.ratings import matrices
from analytics.ratings.matrices import View
from analytics.verification import page as verified
from analytics.verification.checks import checks
from annotation.models import Study
from annotation.queries.studies import StudyAccess


@transaction.atomic
def ask(*, study_access: StudyAccess, view: View, by: User, at: datetime) -> Verification:
    """Have a worker recompute every figure with published packages, unless it is at it or would
    compute the same."""
    study = Study.objects.select_for_update().get(pk=study_access.study.pk)
    place: dict[str, Any] = {
        "study": study,
        "with_off_scale": view.with_off_scale,
        "with_quarantined": view.with_quarantined,
    }
    found = Verification.objects.filter(**place).first()
    if found is not None and verified.stands(found, study, at=at):
        return found
    asked = {"asked_at": at, "asked_by": by, "done_at": None}
    verification, _is_new = Verification.objects.update_or_create(**place, defaults=asked)
    events.record(
        "agreement.verification_asked",
        subject=f"study:{study.pk}",
        by=by,
        at=at,
        facts={"revision": study.revision},
    )
    queue.verify(verification_id=verification.pk)
    return verification


def run(*, verification_id: int, clock: Callable[[], datetime]) -> None:
    """Recompute the figures and keep both numbers; nothing where it was done meanwhile."""
    verification = Verification.objects.get(pk=verification_id)
    if verification.done_at is not None:
        return
    view = View(
        with_off_scale=verification.with_off_scale, with_quarantined=verification.with_quarantined
    )
    study = matrices.read(verification.study_id)
    report = agreement.report(study, view=view, at=clock())
    found = [asdict(one) for one in checks(study, report)]
    _keep(verification, found, revision=study.revision, at=clock())


@transaction.atomic
def _keep(
    verification: Verification, found: list[dict[str, Any]], *, revision: int, at: datetime
) -> None:
    verification.checks = found
    verification.revision = revision
    verification.concord = settings.VERSION
    verification.done_at = at
    verification.save(update_fields=["checks", "revision", "concord", "done_at"])
    events.record(
        "agreement.verified",
        subject=f"study:{verification.study_id}",
        by=None,
        at=at,
        facts={"revision": revision, "figures": len(found)},
    )
