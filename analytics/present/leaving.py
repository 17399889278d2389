"""Figures that leave as a file: a table or a chart, each with its line in the trail."""

from datetime import datetime

from accounts import events
from accounts.models import User
from analytics.present.veil import veil_of
from analytics.ratings.matrices import View
from annotation.queries.studies import StudyAccess


def note_file(
    study_access: StudyAccess,
    *,
    name: str,
    view: View,
    revision: int | None,
    by: User,
    at: datetime,
) -> None:
    """Note which figures somebody took, of which revision, and whether they name people."""
    events.record(
        "figures.downloaded",
        subject=f"study:{study_access.study.pk}",
        by=by,
        at=at,
        facts={
            "file": name,
            "revision": revision,
            "with_off_scale": view.with_off_scale,
            "with_quarantined": view.with_quarantined,
            "slice": view.within,
            "veiled": veil_of(study_access) is not None,
        },
    )
