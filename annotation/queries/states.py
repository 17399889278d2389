"""Whether rounds stand where their answers and decisions have brought them.

States and counts change with every answer and are not noted. But each follows from rows that are:
from submissions, adjudications, opinions, and from lines of the ledger.
"""

from collections.abc import Iterator
from itertools import groupby
from operator import itemgetter
from typing import Any

from django.db import connection

from annotation.models.rubrics import content_of
from annotation.rubric.answers import Answer
from annotation.rubric.loading import RubricError
from annotation.rules.disagreement import differ
from annotation.rules.lifecycle import AssignmentState, ItemState

Found = tuple[str, str]  # the table, and what is wrong

_ASSIGNMENTS = """
SELECT owed.id, owed.state, given.assignment_id IS NOT NULL
FROM annotation_assignment AS owed
JOIN annotation_round ON annotation_round.id = owed.round_id
LEFT JOIN (
    SELECT DISTINCT assignment_id FROM annotation_submission WHERE assignment_id IS NOT NULL
) AS given ON given.assignment_id = owed.id
WHERE (owed.state = 'submitted') <> (given.assignment_id IS NOT NULL)
    OR owed.state = 'open' AND annotation_round.state <> 'open'
ORDER BY 1
"""
_SEATS = """
SELECT coalesce(seat.round_id, owed.round_id), coalesce(seat.rater_id, owed.rater_id), CASE
    WHEN seat.id IS NULL THEN 'It is gone.'
    WHEN seat.n_submitted <> coalesce(owed.given, 0)
        THEN format('It has %s answers, and %s were given.', seat.n_submitted, coalesce(owed.given, 0))
    WHEN seat.n_assigned <> coalesce(owed.standing, 0)
        THEN format('It has %s assignments, and there are %s.', seat.n_assigned, coalesce(owed.standing, 0))
    ELSE 'It stands in for others, and nobody handed anything on.'
END
FROM annotation_seat AS seat FULL JOIN (
    SELECT round_id, rater_id, count(*) FILTER (WHERE state = 'submitted') AS given,
        count(*) FILTER (WHERE state <> 'released') AS standing
    FROM annotation_assignment GROUP BY round_id, rater_id
) AS owed ON (seat.round_id, seat.rater_id) = (owed.round_id, owed.rater_id)
WHERE seat.id IS NULL OR seat.n_submitted <> coalesce(owed.given, 0)
    OR seat.n_assigned <> coalesce(owed.standing, 0)
    OR seat.stands_in AND seat.n_assigned > 0 AND NOT EXISTS (
        SELECT FROM annotation_assignment AS theirs JOIN annotation_assignment AS before
            ON (before.round_id, before.item_id) = (theirs.round_id, theirs.item_id)
            AND before.rater_id <> theirs.rater_id
        WHERE (theirs.round_id, theirs.rater_id) = (seat.round_id, seat.rater_id)
            AND theirs.state <> 'released' AND before.state = 'released'
    )
ORDER BY 1, 2
"""
_PLACES = """
WITH place AS (
    SELECT place.id, place.state, place.n_submitted, place.is_gold, place.round_id, place.item_id,
        raters_per_item, step, annotation_round.state AS round_state,
        coalesce(protocol -> 'discussion', 'true') = 'true' AS is_discussed,
        coalesce(owed.given, 0) AS given, coalesce(owed.standing, 0) AS standing,
        coalesce(owed.slots, 0) AS slots, coalesce(opinions.n, 0) AS n_opinions,
        EXISTS (
            SELECT FROM annotation_adjudication AS decided
            WHERE (decided.round_id, decided.item_id) = (place.round_id, place.item_id)
        ) AS is_decided
    FROM annotation_rounditem AS place
    JOIN annotation_round ON annotation_round.id = place.round_id
    LEFT JOIN (
        SELECT round_id, item_id, count(*) FILTER (WHERE state = 'submitted') AS given,
            count(*) FILTER (WHERE state <> 'released') AS standing,
            max(slot) FILTER (WHERE state <> 'released') AS slots
        FROM annotation_assignment WHERE repeat = 1 GROUP BY round_id, item_id
    ) AS owed ON (owed.round_id, owed.item_id) = (place.round_id, place.item_id)
    LEFT JOIN (
        SELECT round_item_id, count(*) AS n FROM annotation_opinion GROUP BY round_item_id
    ) AS opinions ON opinions.round_item_id = place.id
), held AS (
    SELECT *, n_submitted >= raters_per_item AS is_rated,
        step = 're_review' AND EXISTS (
            SELECT FROM annotation_rounditem AS again
            JOIN annotation_round AS later ON later.id = again.round_id
            WHERE later.re_review_of_id = place.round_id AND again.item_id = place.item_id
                AND later.state <> 'cancelled'
        ) AS is_rated_again
    FROM place
), told AS (
    SELECT *, CASE WHEN is_discussed AND step = 'deciding' THEN (
        SELECT facts ->> 'outcome' FROM accounts_event
        WHERE subject = 'round_item:' || held.id AND verb = 'discussion.ended' ORDER BY id DESC LIMIT 1
    ) END AS outcome
    FROM held
)
SELECT id, CASE
    WHEN n_submitted <> given
        THEN format('It has %s answers, and %s were given.', n_submitted, given)
    WHEN round_state <> 'cancelled' AND standing <> raters_per_item
        THEN format('It is owed %s times, and its round has %s raters an item.', standing, raters_per_item)
    WHEN slots > raters_per_item THEN 'A slot of it is none of its round.'
    ELSE format('It stands as “%s”, which does not follow from what was answered and decided.', state)
END
FROM told
WHERE n_submitted <> given
    OR round_state <> 'cancelled' AND standing <> raters_per_item
    OR slots > raters_per_item
    OR (state = 'rating') = is_rated
    OR is_gold AND is_rated AND state <> 'agreed'
    OR (state = 'adjudicated') <> is_decided
    OR state = 'second' AND n_opinions <> 1
    OR state = 'split' AND n_opinions < 2
    OR state = 'disagreed' AND n_opinions > 0
    OR (state = 'reviewed') <> is_rated_again
    OR (state = 'consensus') <> coalesce(outcome = 'consensus', false)
    OR state = 'discussed' AND (outcome IS NOT NULL OR NOT is_discussed OR step <> 'deciding')
    OR state = 'disagreed' AND is_discussed AND step = 'deciding' AND outcome IS NULL
ORDER BY id
"""
# Not of rounds that were cancelled, nor of studies whose edition was changed: there answers were withdrawn
# that an item had been settled by. Of what is agreed on only the criteria with more than one answer.
_ANSWERED = """
WITH sets AS (
    SELECT round_id, item_id, count(*) AS n FROM annotation_submission
    WHERE is_current AND repeat = 1 AND round_id IS NOT NULL GROUP BY round_id, item_id
), given AS (
    SELECT round_id, item_id, criterion_key, count(*) FILTER (WHERE unscored = '') AS n,
        min(label COLLATE "C") AS first_label, max(label COLLATE "C") AS last_label,
        min(score) AS lowest, max(score) AS highest
    FROM annotation_rating JOIN annotation_submission ON annotation_submission.id = submission_id
    WHERE is_current AND repeat = 1 AND round_id IS NOT NULL
    GROUP BY round_id, item_id, criterion_key
)
SELECT place.id, place.state, rubric_version_id, criterion_key, given.n < sets.n,
    first_label, last_label, lowest, highest
FROM annotation_rounditem AS place
JOIN annotation_round ON annotation_round.id = place.round_id
JOIN sets ON (sets.round_id, sets.item_id) = (place.round_id, place.item_id)
JOIN given ON (given.round_id, given.item_id) = (place.round_id, place.item_id)
WHERE place.state IN ('agreed', 'disagreed', 'reviewed', 'discussed') AND NOT is_gold
    AND (place.state <> 'agreed'
        OR given.n < sets.n OR first_label <> last_label OR lowest <> highest)
    AND annotation_round.state <> 'cancelled' AND NOT EXISTS (
        SELECT FROM annotation_rubricchange AS changed
        WHERE changed.study_id = annotation_round.study_id
    )
ORDER BY place.id
"""


def differing_copies() -> Iterator[Found]:
    """(table, what is wrong) of each assignment, seat and item of a round that stands otherwise."""
    for pk, state, is_given in _rows(_ASSIGNMENTS):
        why = "there are answers to it" if is_given else "nobody answered it"
        if state == AssignmentState.OPEN and not is_given:
            why = "its round is over"
        yield "annotation_assignment", f"Assignment {pk} stands as “{state}”, and {why}."
    for round_id, rater, problem in _rows(_SEATS):
        yield "annotation_seat", f"The seat of rater {rater} in round {round_id}: {problem}"
    for pk, problem in _rows(_PLACES):
        yield "annotation_rounditem", f"Item {pk} of a round: {problem}"
    for pk, state in _unsettled():
        problem = f"It stands as “{state}”, which does not follow from its answers."
        yield "annotation_rounditem", f"Item {pk} of a round: {problem}"


def _unsettled() -> Iterator[tuple[int, str]]:
    """Items that stand as agreed where their answers differ, or the other way round."""
    for (pk, state, version), rows in groupby(_rows(_ANSWERED), itemgetter(0, 1, 2)):
        given = {row[3]: _answers(*row[3:]) for row in rows}
        try:
            criteria = content_of(version).criteria
        except RubricError:
            continue  # its own digest tells of it
        differs = any(differ(one, given[one.key]) for one in criteria if one.key in given)
        if differs is (state == ItemState.AGREED):
            yield pk, state


def _answers(
    criterion: str,
    is_partial: bool,
    first: str | None,
    last: str | None,
    lowest: int | None,
    highest: int | None,
) -> list[Answer | None]:
    """Those that lie furthest apart, and None where somebody gave neither label nor score."""
    given: list[Answer | None] = [None] if is_partial else []
    given += [Answer(criterion=criterion, label=label) for label in (first, last) if label]
    scores = [score for score in (lowest, highest) if score is not None]
    return given + [Answer(criterion=criterion, score=score) for score in scores]


def _rows(statement: str) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(statement)
        return list(cursor.fetchall())
