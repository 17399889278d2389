"""When people rated in rounds, and what they said when an item came back to them unmarked.

Imported ratings have no place here: the time of an import says nothing about who rated when.
"""

from datetime import date, timedelta

import numpy as np
import pandas as pd
from django.conf import settings
from django.db import connection

from analytics.matrices import StudyRatings, View
from analytics.stats.scales import Floats
from annotation.rubric.schema import Criterion, Taxonomy

FIRST_MONDAY = date(2000, 1, 3)

# Of several rounds the newest counts, as in matrices.
_WEEKS = """
SELECT DISTINCT ON (rater_id, item_id) rater_id, item_id,
    ((submitted_at AT TIME ZONE %(zone)s)::date - %(first)s) / 7
FROM annotation_submission submission
JOIN annotation_round rating_round ON rating_round.id = submission.round_id
WHERE submission.study_id = %(study)s AND is_current AND repeat = 1
ORDER BY rater_id, item_id, rating_round.number DESC
"""
_AGAIN = """
SELECT given.criterion_key, again.rater_id, again.item_id,
    said.label, said.score, given.label, given.score
FROM annotation_submission again
JOIN annotation_submission first ON first.round_id = again.round_id
    AND first.rater_id = again.rater_id AND first.item_id = again.item_id
    AND first.repeat = 1 AND first.is_current
JOIN annotation_rating given ON given.submission_id = again.id
JOIN annotation_rating said ON said.submission_id = first.id
    AND said.criterion_key = given.criterion_key
WHERE again.study_id = %(study)s AND again.is_current AND again.repeat = 2
    AND given.unscored = '' AND said.unscored = ''
ORDER BY again.id, given.id
"""


def weeks(study: StudyRatings) -> Floats:
    """In which week each rater rated each item, (n, r), counted from `FIRST_MONDAY`; NaN unless
    in a round. The order is that of `items` and `raters`."""
    asked = {"study": study.study_id, "zone": settings.TIME_ZONE, "first": FIRST_MONDAY}
    rows = np.array(_fetched(_WEEKS, asked), dtype=np.int64).reshape(-1, 3)
    found = np.full((study.items.size, len(study.raters)), np.nan)
    columns = {rater.id: place for place, rater in enumerate(study.raters)}
    known = np.isin(rows[:, 0], list(columns)) & np.isin(rows[:, 1], study.items)
    rater, item, week = rows[known].T
    found[np.searchsorted(study.items, item), [columns[one] for one in rater.tolist()]] = week
    return found


def monday(week: float) -> date:
    """The day with which a week begins."""
    return FIRST_MONDAY + timedelta(weeks=int(week))


def said_again(study: StudyRatings, view: View) -> pd.DataFrame:
    """One row an answer that a person gave twice: criterion, rater (id), item (its place), first,
    again (scores or codes of labels)."""
    codes = {criterion.key: _codes(criterion) for criterion in study.rubric.criteria}
    rows = [
        (criterion, rater, int(np.searchsorted(study.items, item)), first, again)
        for criterion, rater, item, *said in _fetched(_AGAIN, {"study": study.study_id})
        if criterion in codes and item in study.items
        for first in [_value(codes[criterion], *said[:2])]
        for again in [_value(codes[criterion], *said[2:])]
        if first is not None and again is not None
    ]
    found = pd.DataFrame(rows, columns=["criterion", "rater", "item", "first", "again"])
    return found[study.counted(view)[found["item"].to_numpy(dtype=np.int64)]]


def _value(codes: dict[str, float], label: str | None, score: int | None) -> float | None:
    """None for a label of another edition of the rubric."""
    return codes.get(label) if label is not None else score


def _codes(criterion: Criterion) -> dict[str, float]:
    if not isinstance(criterion, Taxonomy):
        return {}
    return {label.key: float(label.code) for label in criterion.labels}


def _fetched(statement: str, asked: dict[str, object]) -> list[tuple]:
    with connection.cursor() as cursor:
        cursor.execute(statement, asked)
        return cursor.fetchall()
