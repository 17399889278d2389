"""The first page of a study: what it is about, and what waits there for this account."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import NamedTuple

from django.db.models import F, Min, Q, Sum

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


def waiting_for(studies: Sequence[StudyAccess]) -> list[WaitsForMe]:
    """What waits for one account in each of its studies, for the list of them: asked of all at once."""
    owed = _owed([one for one in studies if one.may_rate])
    to_decide = cases.numbers_to_decide([one for one in studies if one.may_adjudicate])
    to_discuss = discussing.numbers_to_discuss([one for one in studies if one.may_discuss])
    return [
        WaitsForMe(
            study_access=one,
            n_to_rate=owed.get(one.study.pk, _NOTHING).n,
            n_to_decide=to_decide[one.study.pk],
            n_to_discuss=to_discuss[one.study.pk],
            due_on=owed.get(one.study.pk, _NOTHING).due_on,
        )
        for one in studies
    ]


def overview_of(study_access: StudyAccess) -> StudyOverview:
    study = study_access.study
    rubric = study.rubric_version.content
    return StudyOverview(
        rubric_title=said(rubric.title),
        instructions=said(rubric.instructions),
        n_items=None if study_access.may_rate else Item.objects.filter(study=study).count(),
        n_dialogues=None if study_access.may_rate else Dialogue.objects.filter(study=study).count(),
        n_to_rate=_owed([study_access]).get(study.pk, _NOTHING).n
        if study_access.may_rate
        else None,
        n_to_decide=(cases.n_to_decide(study_access) if study_access.may_adjudicate else None),
        n_to_discuss=discussing.n_to_discuss(study_access) if study_access.may_discuss else 0,
        last_round=next(iter(rounds_of(study)), None) if study_access.may_coordinate else None,
    )


class _Owed(NamedTuple):
    """How much an account still owes in a study, and the first day on which some of it is due."""

    n: int
    due_on: date | None


_NOTHING = _Owed(0, None)


def _owed(studies: Sequence[StudyAccess]) -> dict[int, _Owed]:
    """{study: what its account owes}, on the panels of open rounds in studies of one account."""
    if not studies:
        return {}
    seats = Seat.objects.filter(
        round__study__in=[one.study for one in studies],
        round__state=RoundState.OPEN,
        rater__user=studies[0].access.user_id,
    ).values("round__study")
    each = seats.annotate(
        n=Sum(F("n_assigned") - F("n_submitted")),
        due_on=Min("round__due_on", filter=Q(n_submitted__lt=F("n_assigned"))),
    )
    return {
        study: _Owed(n, due_on)
        for study, n, due_on in each.values_list("round__study", "n", "due_on")
    }
