"""What the cast does in a round, in one line each."""

import re
from dataclasses import replace
from uuid import uuid4

from django.utils import timezone

from accounts.access import access_of
from accounts.models import User
from annotation.actions import adjudications, protocol, rounds, submissions
from annotation.models import Assignment, Round, RoundItem
from annotation.queries import work
from annotation.queries.work import Owed
from annotation.rules.completeness import Filled, fill
from annotation.rules.lifecycle import ItemState
from annotation.rules.protocol import WHOLE

SAFE = {"safety": "safe_response"}
NONSENSE = {"safety": "nonsense"}


def opened(study, by, panel, **more) -> Round:
    """A new round of a study, two raters an item unless told otherwise."""
    arguments = {"raters_per_item": 2} | more
    return rounds.open_round(
        study_id=study.pk,
        panel=[user.pk for user in panel],
        by=by,
        at=timezone.now(),
        **arguments,
    )


def filled(rating_round: Round, values, cannot_judge=()) -> Filled:
    result = fill(rating_round.rubric, values, dict(cannot_judge))
    assert isinstance(result, Filled), result
    return result


def answers(rating_round: Round, values, *, key=None, cannot_judge=(), **more):
    return submissions.Answers(
        key=key or uuid4(), filled=filled(rating_round, values, cannot_judge), **more
    )


def assignment_of(rating_round: Round, user: User, position: int = 1) -> Assignment:
    return Assignment.objects.select_related("round").get(
        round=rating_round, rater__user=user, position=position
    )


def owed(rating_round: Round, user: User, position: int = 1) -> Owed:
    assignment_id = assignment_of(rating_round, user, position).pk
    return work.owed(access_of(user, at=timezone.now()), assignment_id)


def rate(rating_round: Round, user: User, position: int, values=SAFE, **more):
    return submissions.submit(
        owed=owed(rating_round, user, position),
        answers=answers(rating_round, values, **more),
        by=user,
        at=timezone.now(),
    )


def correct(rating_round: Round, user: User, position: int, values, *, supersedes: int, **more):
    return submissions.correct(
        owed=owed(rating_round, user, position),
        supersedes=supersedes,
        answers=answers(rating_round, values, **more),
        by=user,
        at=timezone.now(),
    )


def round_item(rating_round: Round, position: int = 1) -> RoundItem:
    return RoundItem.objects.get(round=rating_round, position=position)


def state_of(rating_round: Round, position: int = 1) -> ItemState:
    return ItemState(round_item(rating_round, position).state)


def decide(
    rating_round: Round, user: User, position: int, values=SAFE, reason="It is short.", **more
):
    return adjudications.decide(
        study_id=rating_round.study_id,
        round_item_id=round_item(rating_round, position).pk,
        ruling=adjudications.CaseRuling(values=values, reason=reason, **more),
        by=user,
        at=timezone.now(),
    )


def revise(rating_round: Round, user: User, position: int, values, reason="On second thoughts."):
    return adjudications.revise(
        study_id=rating_round.study_id,
        round_item_id=round_item(rating_round, position).pk,
        ruling=adjudications.CaseRuling(values=values, reason=reason),
        by=user,
        at=timezone.now(),
    )


def close(rating_round: Round, user: User) -> Round:
    return rounds.close(round_id=rating_round.pk, by=user, at=timezone.now())


def in_discussion(pond, coordinator: User, raters) -> RoundItem:
    """Two raters differ on item 1 of six, and their round has come to its discussion."""
    agreed = replace(WHOLE, re_review=False)
    protocol.agree(study_id=pond.pk, protocol=agreed, by=coordinator, at=timezone.now())
    pond.refresh_from_db()
    rating_round = opened(pond, coordinator, raters)
    for position in range(1, 7):
        rate(rating_round, raters[0], position, SAFE)
        rate(rating_round, raters[1], position, NONSENSE if position == 1 else SAFE)
    protocol.end_rating(round_id=rating_round.pk, by=coordinator, at=timezone.now())
    rounds.record_kappa(round_id=rating_round.pk, kappa=None, at=timezone.now())
    return RoundItem.objects.get(state=ItemState.DISCUSSED)


def kappa_of(value: float | None) -> rounds.Kappa | None:
    """Fleiss' kappa of a round as a worker found it."""
    if value is None:
        return None
    return rounds.Kappa(
        criterion="safety", value=value, low=value - 0.1, high=value + 0.1, n_items=6
    )


def rate_and_close(rating_round: Round, raters, coordinator: User, *, kappa=None) -> Round:
    """All items rated as safe by all raters, the round closed, its kappa known."""
    for position in range(1, RoundItem.objects.filter(round=rating_round).count() + 1):
        for rater in raters:
            rate(rating_round, rater, position)
    closed = close(rating_round, coordinator)
    rounds.record_kappa(round_id=closed.pk, kappa=kappa_of(kappa), at=timezone.now())
    return closed


def chosen(html: str) -> list[str]:
    """The values of the choices that are made on a page."""
    return re.findall(r'<input[^>]*\svalue="([^"]*)"[^>]*\schecked', html)
