"""Figures that leave as a file or through the API, each with a line in the trail."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from accounts import events
from accounts.models import User
from analytics.present.veil import veil_of
from analytics.ratings.matrices import View
from annotation.queries.studies import StudyAccess

_ONE_LINE_A = timedelta(minutes=1)  # for a program that asks again and again


@dataclass(frozen=True, slots=True, kw_only=True)
class FiguresTaken:
    """Which figures somebody takes, and of which revision (of slices it is not noted)."""

    study_access: StudyAccess
    name: str
    view: View
    revision: int | None

    @property
    def facts(self) -> dict[str, object]:
        """`veiled`: whether people stand under pseudonyms."""
        return {
            "figures": self.name,
            "revision": self.revision,
            "with_off_scale": self.view.with_off_scale,
            "with_quarantined": self.view.with_quarantined,
            "slice": self.view.within,
            "veiled": veil_of(self.study_access) is not None,
        }


def as_file(taken: FiguresTaken, *, by: User, at: datetime) -> None:
    """A table or a chart leaves."""
    subject = f"study:{taken.study_access.study.pk}"
    events.record("figures.downloaded", subject=subject, by=by, at=at, facts=taken.facts)


def by_program(taken: FiguresTaken, *, by: User, at: datetime) -> None:
    """A program is told; the same again within a minute is no line of its own."""
    events.record_unless_recent(
        "figures.read",
        subject=f"study:{taken.study_access.study.pk}",
        by=by,
        at=at,
        facts=taken.facts,
        within=_ONE_LINE_A,
    )
