"""Say what an answer says that the parser could not read; kept apart from what the judge said."""

from datetime import datetime

from django.db import transaction

from accounts import events
from accounts.models import User
from annotation.rubric import answers
from annotation.rubric.sentences import sentence
from judging.models import HandReading, JudgeCall


class CannotAssign(Exception):
    """A sentence that says why a reading cannot be assigned."""


@transaction.atomic
def assign(*, call: JudgeCall, criterion_key: str, raw: str, by: User, at: datetime) -> HandReading:
    """Keep what a person reads in an answer to one criterion."""
    rubric = call.run.rubric_version.content
    submission = JudgeCall.objects.select_for_update().get(pk=call.pk).submission
    unread = submission.ratings.exclude(unscored="") if submission else None
    if unread is None or not unread.filter(criterion_key=criterion_key).exists():
        raise CannotAssign(sentence("The judge’s own answer can be read."))
    given = answers.read(rubric.criterion(criterion_key), raw)
    if isinstance(given, answers.Problem):
        raise CannotAssign(given.sentence)
    reading = HandReading.objects.create(
        call=call,
        criterion_key=criterion_key,
        label=given.label,
        score=given.score,
        read_at=at,
        read_by=by,
    )
    events.record(
        "judge_call.read_by_hand",
        subject=f"judge_call:{call.pk}",
        by=by,
        at=at,
        facts={"criterion": criterion_key},
    )
    return reading
