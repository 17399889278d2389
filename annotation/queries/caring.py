"""How a study cares for those who annotate, and how much they read: of all together only."""

from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count
from django.utils import timezone

from annotation.models import Assignment, Care, PassedOn, Study
from annotation.rules.lifecycle import AssignmentState

FEWEST = 5  # raters of whom together figures are shown: fewer would tell who it was


@dataclass(frozen=True, slots=True, kw_only=True)
class Exposure:
    """What all raters of a study have read together; None where they are too few to be told."""

    n_raters: int
    n_heavy: int | None
    n_passed_on: int | None


def care_of(study: Study) -> Care:
    """What the study has set, or what holds where it has set nothing."""
    return Care.objects.filter(study=study).first() or Care(study=study)


def exposure(study: Study) -> Exposure:
    """How many heavy items were rated, and how many were passed on."""
    rated = Assignment.objects.filter(round__study=study, state=AssignmentState.SUBMITTED)
    heavy = rated.exclude(item__content_note="").aggregate(n=Count("pk"))["n"]
    raters = Assignment.objects.filter(round__study=study).values("rater").distinct().count()
    passed_on = PassedOn.objects.filter(assignment__round__study=study).count()
    is_told = raters >= FEWEST
    return Exposure(
        n_raters=raters,
        n_heavy=heavy if is_told else None,
        n_passed_on=passed_on if is_told else None,
    )


def start_of_day(at: datetime) -> datetime:
    """When the day began that is counted."""
    return timezone.localtime(at).replace(hour=0, minute=0, second=0, microsecond=0)
