"""Take what raters submit: stored once however often it is sent, corrected but never changed."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db import IntegrityError, connection, transaction

from accounts import events
from accounts.models import User
from annotation.actions.settling import settle
from annotation.actions.studies import note_change
from annotation.models import Assignment, Origin, Rating, Round, RoundItem, Submission
from annotation.models.rubrics import content_of
from annotation.rubric.sentences import sentence
from annotation.rules.completeness import Filled
from annotation.rules.correcting import reason_not_to_correct
from annotation.rules.lifecycle import AssignmentState, ItemState, RoundState

# One statement for the whole move, so that a submission holds its locks for one round trip less.
# It is the lock as well: of two sends for one assignment the second finds it no longer open, and
# the raters of one item pass its row one after the other.
TAKE = """
WITH taken AS (
    UPDATE annotation_assignment SET state = 'submitted'
    WHERE id = %s AND state = 'open'
    RETURNING round_id, item_id, rater_id
), seated AS (
    UPDATE annotation_seat AS seat SET n_submitted = seat.n_submitted + 1 FROM taken
    WHERE seat.round_id = taken.round_id AND seat.rater_id = taken.rater_id
)
UPDATE annotation_rounditem AS round_item SET n_submitted = round_item.n_submitted + 1 FROM taken
WHERE round_item.round_id = taken.round_id AND round_item.item_id = taken.item_id
RETURNING round_item.id, round_item.n_submitted
"""


KEY_IS_TAKEN = sentence("This key belongs to other answers. Reload the page and submit again.")


class NotTaken(Exception):
    """A sentence that says why the answers were not stored."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answers:
    """What one rater sends for one item; `key` is theirs, and the same for a repeated send."""

    key: UUID
    filled: Filled
    comment: str = ""
    seconds: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Receipt:
    """What was stored, now or by an earlier send of the same."""

    submission_id: int
    submitted_at: datetime


def submit(*, assignment: Assignment, answers: Answers, by: User, at: datetime) -> Receipt:
    """Store the answers to an assignment; a repeated send changes nothing. NotTaken otherwise."""
    try:
        return _submit(assignment=assignment, answers=answers, by=by, at=at)
    except IntegrityError as error:
        if not _is_about_the_key(error):
            raise
        raise NotTaken(KEY_IS_TAKEN) from error


@transaction.atomic
def _submit(*, assignment: Assignment, answers: Answers, by: User, at: datetime) -> Receipt:
    with connection.cursor() as cursor:
        cursor.execute(TAKE, [assignment.pk])
        taken = cursor.fetchone()
    if taken is None:
        return _earlier_receipt(assignment, answers)
    round_item_id, n_submitted = taken
    submission = _store(assignment, answers, at=at)
    rating_round = assignment.round
    if n_submitted >= rating_round.raters_per_item:
        round_item = RoundItem(
            pk=round_item_id, round_id=assignment.round_id, item_id=assignment.item_id
        )
        settle(round_item, content_of(rating_round.rubric_version_id), at=at)
    events.record(
        "submission.submitted",
        subject=f"assignment:{assignment.pk}",
        by=by,
        at=at,
        facts={"submission": submission.pk},
    )
    note_change(study_id=rating_round.study_id)
    return Receipt(submission_id=submission.pk, submitted_at=at)


def correct(
    *, assignment: Assignment, supersedes: int, answers: Answers, by: User, at: datetime
) -> Receipt:
    """Replace one's submission `supersedes` while its round is open and nobody has decided."""
    try:
        return _correct(assignment=assignment, supersedes=supersedes, answers=answers, by=by, at=at)
    except IntegrityError as error:
        if not _is_about_the_key(error):
            raise
        raise NotTaken(KEY_IS_TAKEN) from error


@transaction.atomic
def _correct(
    *, assignment: Assignment, supersedes: int, answers: Answers, by: User, at: datetime
) -> Receipt:
    rating_round = Round.objects.select_for_update(no_key=True).get(pk=assignment.round_id)
    round_item = RoundItem.objects.select_for_update().get(
        round=rating_round, item=assignment.item_id
    )
    current = Submission.objects.filter(assignment=assignment, is_current=True).first()
    if current is not None and current.key == answers.key:
        return Receipt(submission_id=current.pk, submitted_at=current.submitted_at)
    if reason := reason_not_to_correct(RoundState(rating_round.state), ItemState(round_item.state)):
        raise NotTaken(reason)
    if current is None or current.pk != supersedes:
        raise NotTaken(
            sentence(
                "You have changed these answers in the meantime, perhaps in another tab. Open them"
                " again to see the newest."
            )
        )
    current.is_current = False
    current.save(update_fields=["is_current"])
    submission = _store(assignment, answers, at=at, supersedes=current)
    if round_item.state != ItemState.RATING:
        settle(round_item, content_of(rating_round.rubric_version_id), at=at)
    events.record(
        "submission.corrected",
        subject=f"assignment:{assignment.pk}",
        by=by,
        at=at,
        facts={"submission": submission.pk, "supersedes": current.pk},
    )
    note_change(study_id=rating_round.study_id)
    return Receipt(submission_id=submission.pk, submitted_at=at)


def _store(
    assignment: Assignment, answers: Answers, *, at: datetime, supersedes: Submission | None = None
) -> Submission:
    submission = Submission.objects.create(
        key=answers.key,
        study_id=assignment.round.study_id,
        item_id=assignment.item_id,
        rater_id=assignment.rater_id,
        rubric_version_id=assignment.round.rubric_version_id,
        origin=Origin.ROUND,
        round_id=assignment.round_id,
        assignment=assignment,
        submitted_at=at,
        seconds=answers.seconds,
        comment=answers.comment,
        supersedes=supersedes,
    )
    values = [
        Rating(
            submission=submission,
            criterion_key=answer.criterion,
            label=answer.label,
            score=answer.score,
        )
        for answer in answers.filled.answers
    ]
    values += [
        Rating(submission=submission, criterion_key=criterion, unscored=reason.value)
        for criterion, reason in answers.filled.cannot_judge.items()
    ]
    Rating.objects.bulk_create(values)
    return submission


def _earlier_receipt(assignment: Assignment, answers: Answers) -> Receipt:
    earlier = Submission.objects.filter(assignment=assignment, key=answers.key).first()
    if earlier is not None:
        return Receipt(submission_id=earlier.pk, submitted_at=earlier.submitted_at)
    state = Assignment.objects.values_list("state", flat=True).get(pk=assignment.pk)
    if state == AssignmentState.RELEASED:
        raise NotTaken(
            sentence("This item has been given to somebody else. Your answers were not stored.")
        )
    raise NotTaken(
        sentence(
            "You have already submitted this item, perhaps in another tab. What you submitted then"
            " stands; you can change it under “My work”."
        )
    )


def _is_about_the_key(error: IntegrityError) -> bool:
    diagnosis = getattr(error.__cause__, "diag", None)
    return bool(diagnosis) and diagnosis.constraint_name == "annotation_submission_key_key"
