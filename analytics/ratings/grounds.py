"""What raters said beside the values that count, as arrays: only that with the values themselves.

Judges that are blinded have none here: what they quote would name them.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from analytics.ratings.fetching import fetched
from analytics.ratings.matrices import Matrix, StudyRatings
from analytics.stats.scales import Floats, Ints
from annotation.rubric.schema import Taxonomy

# Of several rounds the newest counts, as in matrices; what was answered to qualify does not.
_SAID = """
SELECT said.criterion_key, newest.rater_id, newest.item_id, said.confidence, said.defensible,
    cardinality(said.evidence), cardinality(said.unverified), said.rationale <> ''
FROM (
    SELECT DISTINCT ON (rater_id, item_id) submission.id, rater_id, item_id
    FROM annotation_submission submission
    LEFT JOIN annotation_round rating_round ON rating_round.id = submission.round_id
    WHERE submission.study_id = %(study)s AND is_current AND repeat = 1
        AND rating_round.pass_percent IS NULL
    ORDER BY rater_id, item_id, rating_round.number DESC NULLS LAST
) newest
JOIN annotation_ratinggrounds said ON said.submission_id = newest.id
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Beside:
    """What was said beside the values of one criterion, as its matrix has them.

    `confidence` (n, r): NaN where none; `defensible` (n, r, p): which of the points of the scale
    somebody finds defensible too; `passages`, `unverified`, `rationales` (n, r): how many.
    """

    key: str
    confidence: Floats
    defensible: npt.NDArray[np.bool_]
    passages: Ints
    unverified: Ints
    rationales: Ints


def beside(study: StudyRatings, tables: list[Matrix]) -> Iterator[Beside]:
    """Of each of these criteria beside which anything was said."""
    if not any(one.grounds for one in study.rubric.asked):
        return
    rows = fetched(_SAID, {"study": study.study_id})
    places = {item: place for place, item in enumerate(study.items.tolist())}
    for table in tables:
        columns = {
            rater.id: place
            for place, rater in enumerate(table.raters)
            if not (rater.is_judge and study.is_blinded)
        }
        of_table = [
            (places[item], columns[rater], *said)
            for key, rater, item, *said in rows
            if key == table.key and item in places and rater in columns
        ]
        if of_table:
            yield _beside(study, table, of_table)


def _beside(study: StudyRatings, table: Matrix, rows: list[tuple[Any, ...]]) -> Beside:
    found = Beside(
        key=table.key,
        confidence=np.full(table.values.shape, np.nan),
        defensible=np.zeros((*table.values.shape, len(table.points)), dtype=np.bool_),
        passages=np.zeros(table.values.shape, dtype=np.int64),
        unverified=np.zeros(table.values.shape, dtype=np.int64),
        rationales=np.zeros(table.values.shape, dtype=np.int64),
    )
    points = _points(study, table)
    for item, rater, confidence, defensible, passages, unverified, has_rationale in rows:
        if np.isnan(table.values[item, rater]):
            continue
        found.confidence[item, rater] = np.nan if confidence is None else confidence
        for value in defensible:
            if value in points:
                found.defensible[item, rater, points[value]] = True
        found.passages[item, rater] = passages
        found.unverified[item, rater] = unverified
        found.rationales[item, rater] = has_rationale
    return found


def _points(study: StudyRatings, table: Matrix) -> dict[str, int]:
    """{a value as it is named: its place among the points}."""
    criterion = study.rubric.criterion(table.key)
    if isinstance(criterion, Taxonomy):
        codes = {label.key: float(label.code) for label in criterion.labels}
    else:
        codes = {str(value): float(value) for value in criterion.values}
    order = {point: place for place, point in enumerate(table.points)}
    return {name: order[code] for name, code in codes.items() if code in order}
