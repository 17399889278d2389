"""Rounds that are rated week after week."""

from datetime import UTC, datetime, timedelta
from uuid import uuid4

from accounts.access import access_of
from annotation.actions import rounds, submissions
from annotation.models import Assignment, TeamRole
from annotation.queries import work
from annotation.rules.completeness import Filled, fill
from tests.cast import study_with

MONDAY = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
N_ITEMS = 60


def study_of(rubric, ada, ben, cleo, finn, n_items=N_ITEMS):
    return study_with(
        rubric=rubric,
        key="lake",
        team={
            ada: [TeamRole.COORDINATOR],
            ben: [TeamRole.ANNOTATOR],
            cleo: [TeamRole.ANNOTATOR],
            finn: [TeamRole.ANNOTATOR],
        },
        n_items=n_items,
    )


def rated_in_a_round(study, ada, people, values, *, a_week=15, **more):
    """A round in which `values(user, position in the order, item's position, repeat)` are given,
    `a_week` ratings of each rater a week."""
    rating_round = rounds.open_round(
        study_id=study.pk,
        panel=[user.pk for user in people],
        raters_per_item=len(people),
        by=ada,
        at=MONDAY,
        **more,
    )
    for user in people:
        access = access_of(user, at=MONDAY)
        owed = Assignment.objects.filter(round=rating_round, rater__user=user)
        for assignment in owed.select_related("item").order_by("position"):
            place = assignment.position - 1
            given = values(user, place, assignment.item.position, assignment.repeat)
            filled = fill(rating_round.rubric, given, {})
            assert isinstance(filled, Filled), filled
            submissions.submit(
                owed=work.owed(access, assignment.pk),
                answers=submissions.Answers(key=uuid4(), filled=filled),
                by=user,
                at=MONDAY + timedelta(weeks=place // a_week, minutes=place),
            )
    return rating_round
