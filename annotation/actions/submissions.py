"""Take what raters submit: stored once however often it is sent, corrected but never changed."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import IntegrityError
from psycopg.sql import SQL

from accounts import events
from accounts.models import User
from annotation.actions import drafts, recording, viewing
from annotation.actions.moving import in_sql
from annotation.actions.recording import AnswerSet
from annotation.actions.settling import settle
from annotation.models import (
    Assignment,
    Origin,
    Round,
    RoundItem,
    Submission,
)
from annotation.queries.work import Owed
from annotation.readers.values import Value, value_of
from annotation.rubric.sentences import sentence
from annotation.rules.completeness import Filled
from annotation.rules.correcting import counts, reason_not_to_correct
from annotation.rules.lifecycle import AssignmentState, ItemState, RoundState, RoundStep

SUBMITTED = in_sql(Assignment, AssignmentState.SUBMITTED)

# One statement for the whole move, which is its own lock. Of two sends for one assignment the
# second waits and then finds it no longer open; the raters of an item pass its row one by one.
# A hidden repeat is stored and counted for its rater, and leaves the item as it is.
#
# It can be a transaction of its own, with the change counted in it: then nobody waits for this
# process. Not for the last rater of an item, which has to be settled before the commit: only
# where %(may_complete)s is true does the statement take that one. The line that the next item was
# shown is written with it, so that one commit is waited for, not two.
TAKE = (
    SQL("""
WITH place AS (
    SELECT assignment.id
    FROM annotation_assignment AS assignment JOIN annotation_rounditem AS round_item
        ON round_item.round_id = assignment.round_id AND round_item.item_id = assignment.item_id
    WHERE assignment.id = %(assignment)s AND (
        %(may_complete)s
        OR assignment.repeat > 1
        OR round_item.n_submitted + 1 < %(raters_per_item)s
    )
    FOR NO KEY UPDATE OF round_item
), taken AS (
    UPDATE annotation_assignment AS assignment SET {submitted} FROM place
    WHERE assignment.id = place.id AND assignment.{may_be_submitted}
    RETURNING assignment.id, round_id, item_id, rater_id, repeat
), seated AS (
    UPDATE annotation_seat AS seat SET n_submitted = seat.n_submitted + 1 FROM taken
    WHERE seat.round_id = taken.round_id AND seat.rater_id = taken.rater_id
), counted AS (
    UPDATE annotation_rounditem AS round_item SET n_submitted = round_item.n_submitted + 1
    FROM taken
    WHERE round_item.round_id = taken.round_id AND round_item.item_id = taken.item_id
        AND taken.repeat = 1
    RETURNING round_item.id, round_item.n_submitted, round_item.is_gold
), forgotten AS (
    DELETE FROM annotation_draft AS draft USING taken WHERE draft.assignment_id = taken.id
), {stored}, shown AS (
    {record_shown}
), awaiting_shown AS (
    {await_seal_of_shown}
)
SELECT submission.id, counted.id, counted.n_submitted, counted.is_gold
FROM submission LEFT JOIN counted ON true
""")
    .format(
        submitted=SUBMITTED.sets,
        may_be_submitted=SUBMITTED.where,
        stored=SQL(recording.STORED),
        record_shown=SQL(events.RECORD).format(
            name=SQL("shown"), source=SQL("FROM recorded WHERE %(shown_subject)s::text IS NOT NULL")
        ),
        await_seal_of_shown=SQL(events.AWAIT_SEAL).format(name=SQL("shown")),
    )
    .as_string()
)

KEY_IS_TAKEN = sentence("This key belongs to other answers. Reload the page and submit again.")
CHANGED_MEANWHILE = sentence(
    "You have changed these answers in the meantime, perhaps in another tab. Open them"
    " again to see the newest."
)


class NotTaken(Exception):
    """A sentence that says why the answers were not stored."""


class _NoLongerOpen(Exception):
    """The assignment was submitted before, or is owed by somebody else."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answers:
    """What one rater sends for one item; `key` is theirs, and the same for a repeated send."""

    key: UUID
    filled: Filled
    comment: str = ""
    seconds: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Receipt:
    """What was stored, now or by an earlier send of the same; and whether it was noted that the next
    item is shown."""

    submission_id: int
    submitted_at: datetime
    shows: bool = False


def submit(
    *, owed: Owed, answers: Answers, by: User, at: datetime, shows: int | None = None
) -> Receipt:
    """Store the answers to an assignment; a repeated send changes nothing. NotTaken otherwise.

    `shows`: the assignment that is shown next, to be noted with it.
    """
    try:
        alone = not owed.may_complete and not answers.filled.grounds
        submission_id = _take_alone(owed, answers, by, at, shows) if alone else None
        submission_id = submission_id or _take_and_settle(owed, answers, by, at, shows)
    except _NoLongerOpen:
        return _earlier_receipt(owed, answers)
    except IntegrityError as error:
        if not _is_about_the_key(error):
            raise
        raise NotTaken(KEY_IS_TAKEN) from error
    return Receipt(submission_id=submission_id, submitted_at=at, shows=shows is not None)


def _take_alone(
    owed: Owed, answers: Answers, by: User, at: datetime, shows: int | None
) -> int | None:
    """The submission, or None where it would complete the item or is not open."""
    values = _values(owed, answers, by, at, shows) | {"may_complete": False}
    taken = recording.change_at_once(TAKE, values, study_id=owed.study_id)
    return int(taken[0]) if taken else None


def _take_and_settle(
    owed: Owed, answers: Answers, by: User, at: datetime, shows: int | None
) -> int:
    values = _values(owed, answers, by, at, shows) | {"may_complete": True}
    with recording.change(study_id=owed.study_id) as change:
        taken = change.run(TAKE, values)
        if taken is None:
            raise _NoLongerOpen
        # The round item and how many have rated it are None for a repeat.
        submission_id: int = taken[0]
        recording.keep_grounds((submission_id, one) for one in answers.filled.grounds)
        round_item_id, n_submitted, is_gold = taken[1:]
        if n_submitted is not None and n_submitted >= owed.raters_per_item:
            round_item = RoundItem(
                pk=round_item_id, round_id=owed.round_id, item_id=owed.item_id, is_gold=is_gold
            )
            settle(round_item, owed.rubric, at=at)
    return submission_id


def _values(
    owed: Owed, answers: Answers, by: User, at: datetime, shows: int | None
) -> dict[str, Any]:
    """The values of `TAKE` but for the last.

    The trail names the assignment, not the item: an auditor who annotates would see what came back.
    """
    event = events.line(
        "submission.submitted",
        subject=f"assignment:{owed.assignment_id}",
        by=by,
        at=at,
        facts={"round": owed.round_id},
    )
    stored = recording.stored(
        study=owed.study_id,
        rubric_version=owed.rubric_version_id,
        key=answers.key,
        values=_given(answers.filled),
        seconds=answers.seconds,
        comment=answers.comment,
    )
    shown = (
        events.no_line("shown")
        if shows is None
        else viewing.line_of_assignment(assignment_id=shows, by=by, at=at, name="shown")
    )
    place = {"assignment": owed.assignment_id, "raters_per_item": owed.raters_per_item, "at": at}
    return event | shown | stored | place


def _given(filled: Filled) -> list[Value]:
    """A value for every criterion, or the reason for having none."""
    values = [value_of(one) for one in filled.answers]
    return values + [
        Value(criterion, unscored=reason.value) for criterion, reason in filled.cannot_judge.items()
    ]


def correct(*, owed: Owed, supersedes: int, answers: Answers, by: User, at: datetime) -> Receipt:
    """Answer otherwise than in one's submission `supersedes`, while its round is being rated. What
    comes after somebody has decided the item is kept and does not count."""
    try:
        return _correct(owed=owed, supersedes=supersedes, answers=answers, by=by, at=at)
    except IntegrityError as error:
        if not _is_about_the_key(error):
            raise
        raise NotTaken(KEY_IS_TAKEN) from error


def _correct(*, owed: Owed, supersedes: int, answers: Answers, by: User, at: datetime) -> Receipt:
    with recording.change(study_id=owed.study_id) as change:
        rating_round = Round.objects.select_for_update(no_key=True).get(pk=owed.round_id)
        round_item = RoundItem.objects.select_for_update().get(
            round=rating_round, item=owed.item_id
        )
        sent = Submission.objects.filter(assignment=owed.assignment_id)
        if receipt := _receipt_of_before(owed, answers):
            return receipt
        last = sent.filter(superseded_by=None).first()
        if reason := reason_not_to_correct(
            RoundState(rating_round.state), RoundStep(rating_round.step)
        ):
            raise NotTaken(reason)
        if last is None or last.pk != supersedes:
            raise NotTaken(CHANGED_MEANWHILE)
        state = ItemState(round_item.state)
        made = _in_place_of(last, owed, answers, at, counts=counts(state, repeat=last.repeat))
        [submission] = change.store(
            [made],
            origin=Origin.ROUND,
            rubric_version=owed.rubric_version_id,
        )
        if made.counts and made.repeat == 1 and state is not ItemState.RATING:
            settle(round_item, owed.rubric, at=at)
        drafts.forget(assignment=owed.assignment_id)
        change.record(
            "submission.corrected",
            subject=f"assignment:{owed.assignment_id}",
            by=by,
            at=at,
            # Not whether it counts: the trail is read while the round is open.
            facts={"submission": submission.pk, "supersedes": last.pk},
        )
    return Receipt(submission_id=submission.pk, submitted_at=at)


def _in_place_of(
    last: Submission, owed: Owed, answers: Answers, at: datetime, *, counts: bool
) -> AnswerSet:
    return AnswerSet(
        key=answers.key,
        item=owed.item_id,
        rater=owed.rater_id,
        values=_given(answers.filled),
        submitted_at=at,
        repeat=last.repeat,
        seconds=answers.seconds,
        comment=answers.comment,
        supersedes=last.pk,
        counts=counts,
        round=owed.round_id,
        assignment=owed.assignment_id,
        grounds=answers.filled.grounds,
    )


def _earlier_receipt(owed: Owed, answers: Answers) -> Receipt:
    """NotTaken where nothing was stored by an earlier send of the same."""
    if receipt := _receipt_of_before(owed, answers):
        return receipt
    state, round_state = Assignment.objects.values_list("state", "round__state").get(
        pk=owed.assignment_id
    )
    if state == AssignmentState.RELEASED and round_state == RoundState.CANCELLED:
        raise NotTaken(sentence("The round was cancelled. Your answers were not stored."))
    if state == AssignmentState.RELEASED and round_state == RoundState.CLOSED:
        raise NotTaken(sentence("The round is closed. Your answers were not stored."))
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


def _receipt_of_before(owed: Owed, answers: Answers) -> Receipt | None:
    """What an earlier send of the same was told; other answers under its key were never stored."""
    earlier = Submission.objects.filter(assignment=owed.assignment_id, key=answers.key).first()
    given = answers.filled
    if earlier is None or not recording.says(
        earlier, values=_given(given), comment=answers.comment, grounds=given.grounds
    ):
        return None
    return Receipt(submission_id=earlier.pk, submitted_at=earlier.submitted_at)


def _is_about_the_key(error: IntegrityError) -> bool:
    diagnosis = getattr(error.__cause__, "diag", None)
    return diagnosis is not None and diagnosis.constraint_name == "annotation_submission_key_key"
