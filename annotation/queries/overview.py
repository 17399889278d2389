"""The first page of a study: what it is about, and what waits there for this account."""

from dataclasses import dataclass
from datetime import date

from django.db.models import F, Min, QuerySet, Sum

from annotation.models import Dialogue, Item, Seat
from annotation.queries import cases, discussing
from annotation.queries.rounds import RoundStatus, rounds_of
from annotation.queries.studies import StudyAccess
from annotation.queries.wording import said
from annotation.rules.lifecycle import RoundState


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyOverview:
    """What waits is None for those whom it does not concern.

    So are the numbers of items and dialogues for who annotates: beside how much they are to rate,
    where each rates everything, they would tell how many items come back unmarked.
    """

    rubric_title: str
    instructions: str
    n_items: int | None
    n_dialogues: int | None
    n_to_rate: int | None
    n_to_decide: int | None
    n_to_discuss: int
    last_round: RoundStatus | None


@dataclass(frozen=True, slots=True, kw_only=True)
class WaitsForMe:
    """How much waits for an account in a study; nought where it does not concern it."""

    study_access: StudyAccess
    n_to_rate: int
    n_to_decide: int
    n_to_discuss: int
    due_on: date | None


def waiting_for(study_access: StudyAccess) -> WaitsForMe:
    """What waits for this account, for the list of its studies."""
    decides = study_access.may_adjudicate
    return WaitsForMe(
        study_access=study_access,
        n_to_rate=_n_to_rate(study_access) if study_access.may_rate else 0,
        n_to_decide=cases.n_to_decide(study_access) if decides else 0,
        n_to_discuss=discussing.n_to_discuss(study_access) if study_access.may_discuss else 0,
        due_on=_due_on(study_access) if study_access.may_rate else None,
    )


def overview_of(study_access: StudyAccess) -> StudyOverview:
    study = study_access.study
    rubric = study.rubric_version.content
    return StudyOverview(
        rubric_title=said(rubric.title),
        instructions=said(rubric.instructions),
        n_items=None if study_access.may_rate else Item.objects.filter(study=study).count(),
        n_dialogues=None if study_access.may_rate else Dialogue.objects.filter(study=study).count(),
        n_to_rate=_n_to_rate(study_access) if study_access.may_rate else None,
        n_to_decide=(cases.n_to_decide(study_access) if study_access.may_adjudicate else None),
        n_to_discuss=discussing.n_to_discuss(study_access) if study_access.may_discuss else 0,
        last_round=next(iter(rounds_of(study)), None) if study_access.may_coordinate else None,
    )


def _due_on(study_access: StudyAccess) -> date | None:
    """The first day on which something is due that this account still owes."""
    owing = _seats(study_access).filter(n_submitted__lt=F("n_assigned"))
    first: date | None = owing.aggregate(day=Min("round__due_on"))["day"]
    return first


def _n_to_rate(study_access: StudyAccess) -> int:
    totals = _seats(study_access).aggregate(
        assigned=Sum("n_assigned"), submitted=Sum("n_submitted")
    )
    return (totals["assigned"] or 0) - (totals["submitted"] or 0)


def _seats(study_access: StudyAccess) -> QuerySet[Seat]:
    """The places of an account on the panels of open rounds."""
    return Seat.objects.filter(
        round__study=study_access.study,
        round__state=RoundState.OPEN,
        rater__user=study_access.access.user_id,
    )
