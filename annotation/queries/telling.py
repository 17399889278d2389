"""What waits for an account in each open round, and what it was told of."""

from collections.abc import Iterator
from datetime import datetime

from django.db.models import F, Max

from accounts.access import Access, who_may_enter
from accounts.models import Event, User
from annotation.models import LetterChoice, Membership, Seat
from annotation.queries import cases, discussing
from annotation.queries.studies import StudyAccess, studies_of
from annotation.rules.lifecycle import RoundState
from annotation.rules.telling import BETWEEN_LETTERS, News, Notice, PendingWork

TOLD = "work.told"


def wants_letters(user_id: int | None) -> bool:
    return not LetterChoice.objects.filter(user=user_id, wants_letters=False).exists()


def who_may_be_told(*, at: datetime) -> list[User]:
    """Those on the team of a study with an open round who want letters and had none today."""
    members = Membership.objects.filter(study__rounds__state=RoundState.OPEN).values("user")
    found = who_may_enter(at=at).filter(pk__in=members).exclude(letter_choice__wants_letters=False)
    return [one for one in found.order_by("pk") if not _was_told_lately(one, at)]


def _was_told_lately(account: User, at: datetime) -> bool:
    letters = Event.objects.filter(subject=f"account:{account.pk}", verb=TOLD)
    newest: datetime | None = letters.aggregate(at=Max("at"))["at"]
    return newest is not None and newest > at - BETWEEN_LETTERS


def told(account: User) -> set[Notice]:
    """All that an account was told of."""
    letters = Event.objects.filter(subject=f"account:{account.pk}", verb=TOLD)
    return {
        Notice(News(news), round_id, detail)
        for facts in letters.values_list("facts", flat=True)
        for news, round_id, detail in facts["news"]
    }


def pending_for(access: Access) -> list[PendingWork]:
    """What waits for an account, in each open round of the studies that it may enter."""
    return [waits for study_access in studies_of(access) for waits in _in_study(study_access)]


def _in_study(study_access: StudyAccess) -> Iterator[PendingWork]:
    owed = _owed(study_access) if study_access.may_rate else {}
    to_decide = cases.rounds_to_decide(study_access) if study_access.may_adjudicate else set()
    to_discuss = discussing.rounds_to_discuss(study_access) if study_access.may_discuss else set()
    for round_id in sorted({*owed, *to_decide, *to_discuss}):
        seat = owed.get(round_id)
        yield PendingWork(
            round_id=round_id,
            n_assigned=seat.n_assigned if seat else 0,
            n_open=seat.n_assigned - seat.n_submitted if seat else 0,
            due_on=seat.round.due_on if seat else None,
            is_to_decide=round_id in to_decide,
            is_to_discuss=round_id in to_discuss,
        )


def _owed(study_access: StudyAccess) -> dict[int, Seat]:
    """{open round: the seat in it on which something is still owed}."""
    seats = Seat.objects.filter(
        round__study=study_access.study,
        round__state=RoundState.OPEN,
        rater__user=study_access.access.user_id,
        n_submitted__lt=F("n_assigned"),
    )
    return {seat.round_id: seat for seat in seats.select_related("round")}
