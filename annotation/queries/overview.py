"""The first page of a study: what it is about, and what waits there for this account."""

from dataclasses import dataclass

from django.db.models import Sum

from annotation.models import Dialogue, Item, Seat
from annotation.queries import adjudicating
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
    last_round: RoundStatus | None


def overview_of(study_access: StudyAccess) -> StudyOverview:
    study = study_access.study
    rubric = study.rubric_version.content
    return StudyOverview(
        rubric_title=said(rubric.title),
        instructions=said(rubric.instructions),
        n_items=None if study_access.may_rate else Item.objects.filter(study=study).count(),
        n_dialogues=None if study_access.may_rate else Dialogue.objects.filter(study=study).count(),
        n_to_rate=_n_to_rate(study_access) if study_access.may_rate else None,
        n_to_decide=(
            adjudicating.n_to_decide(study_access) if study_access.may_adjudicate else None
        ),
        last_round=next(iter(rounds_of(study)), None) if study_access.may_coordinate else None,
    )


def _n_to_rate(study_access: StudyAccess) -> int:
    seats = Seat.objects.filter(
        round__study=study_access.study,
        round__state=RoundState.OPEN,
        rater__user=study_access.access.user_id,
    )
    totals = seats.aggregate(assigned=Sum("n_assigned"), submitted=Sum("n_submitted"))
    return (totals["assigned"] or 0) - (totals["submitted"] or 0)
