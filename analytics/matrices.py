"""The one place where rows become arrays, and where missing values get their meaning.

Ratings come over packed, one row a rater, repeat, criterion and label, so that hundreds of
thousands of them take a fraction of a second. All comes from one statement, hence from one moment.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd
from django.db import connection

from analytics.stats.scales import Floats, Ints
from annotation.models import Item, Rater, RaterKind, Rating, Round, RubricVersion
from annotation.rubric.schema import Criterion, Group, Measurement, Rubric, Scale, Taxonomy

# Current submissions count. Where a rater rated an item in several rounds, the newest round does;
# adjudication changes nobody's ratings, only gold (here: the rows without a rater).
_READ = """
WITH newest AS (
    SELECT DISTINCT ON (submission.rater_id, submission.item_id, submission.repeat)
        submission.id, submission.rater_id, submission.item_id, submission.repeat
    FROM annotation_submission submission
    LEFT JOIN annotation_round round ON round.id = submission.round_id
    WHERE submission.study_id = %(study)s AND submission.is_current
    ORDER BY submission.rater_id, submission.item_id, submission.repeat,
        round.number DESC NULLS LAST, submission.id DESC
),
given AS (
    SELECT newest.rater_id, newest.repeat, rating.criterion_key, rating.label, rating.unscored,
        rating.off_scale, newest.item_id, rating.score
    FROM newest JOIN annotation_rating rating ON rating.submission_id = newest.id
    UNION ALL
    SELECT NULL, 1, gold.criterion_key, gold.label, '', FALSE, gold.item_id, gold.score
    FROM annotation_gold gold JOIN annotation_item item ON item.id = gold.item_id
    WHERE item.study_id = %(study)s AND gold.superseded_at IS NULL
),
packed AS (
    SELECT rater_id, repeat, criterion_key, label, unscored, off_scale,
        string_agg(int8send(item_id) || int2send(COALESCE(score, 0::smallint)), '') AS cells
    FROM given
    GROUP BY rater_id, repeat, criterion_key, label, unscored, off_scale
)
SELECT study.key, study.revision, study.rubric_version_id, packed.*
FROM annotation_study study LEFT JOIN packed ON TRUE
WHERE study.id = %(study)s
"""
_CELL = np.dtype([("item", ">i8"), ("score", ">i2")])
_GOLD = 0
_UNKNOWN_LABEL = "unknown_label"


@dataclass(frozen=True, slots=True, kw_only=True)
class RaterColumn:
    """Who stands behind a column of a matrix."""

    id: int
    key: str
    name: str
    kind: str
    own_generators: frozenset[str]

    @property
    def is_judge(self) -> bool:
        return self.kind == RaterKind.JUDGE


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyRatings:
    """All that a study holds at one revision.

    `items`: ids (n,), ascending; `dialogues` (n,), `generators` (n,) go with them. `ratings`: one
    row a rating with item (its place in `items`), rater (id), repeat, criterion, value (a score
    or a label's code, NaN where unscored), unscored (the reason), off_scale. `gold`: item,
    criterion, value.
    """

    study_id: int
    key: str
    revision: int
    rubric: Rubric
    rubric_fingerprint: str
    items: Ints
    dialogues: Ints
    generators: npt.NDArray[np.str_]
    raters: tuple[RaterColumn, ...]
    ratings: pd.DataFrame
    gold: pd.DataFrame

    @property
    def humans(self) -> tuple[RaterColumn, ...]:
        return tuple(rater for rater in self.raters if not rater.is_judge)

    @property
    def judges(self) -> tuple[RaterColumn, ...]:
        return tuple(rater for rater in self.raters if rater.is_judge)

    @property
    def clusters(self) -> Ints | None:
        """The dialogue of each item, or None where every dialogue has only one."""
        alone = np.unique(self.dialogues).size == self.dialogues.size
        return None if alone else self.dialogues

    def is_group(self, key: str) -> bool:
        """Whether a key names criteria that are reported together."""
        return any(group.key == key for group in self.rubric.groups)


@dataclass(frozen=True, slots=True, kw_only=True)
class Matrix:
    """One criterion, or the mean or sum of several: what every rater gave every item.

    `values` (n, r): NaN where missing; `gold` (n,); `points`: the scale that values are on.
    """

    key: str
    measurement: Measurement
    points: tuple[float, ...]
    values: Floats
    gold: Floats
    raters: tuple[RaterColumn, ...]

    def of(self, rater: RaterColumn) -> Floats:
        """The ratings of one rater, (n,)."""
        return self.values[:, self.raters.index(rater)]

    def of_humans(self) -> Floats:
        """The ratings of people, (n, h)."""
        return self.values[:, [not rater.is_judge for rater in self.raters]]


def read(study_id: int) -> StudyRatings:
    """Read a study as it is now."""
    rows = _rows(study_id)
    key, revision, rubric_version_id = rows[0][:3]
    rubric_version = RubricVersion.objects.get(pk=rubric_version_id)
    rubric = rubric_version.content
    items = list(
        Item.objects.filter(study=study_id)
        .order_by("pk")
        .values_list("pk", "dialogue_id", "generator")
    )
    ids = np.array([item[0] for item in items], dtype=np.int64)
    packed = [row[3:] for row in rows if row[-1] is not None]
    frame = _frame(packed, ids, rubric)
    is_gold = frame["rater"] == _GOLD
    return StudyRatings(
        study_id=study_id,
        key=key,
        revision=revision,
        rubric=rubric,
        rubric_fingerprint=rubric_version.fingerprint,
        items=ids,
        dialogues=np.array([item[1] for item in items], dtype=np.int64),
        generators=np.array([item[2] for item in items], dtype=np.str_),
        raters=_raters({row[0] for row in packed if row[0] is not None}),
        ratings=frame[~is_gold].reset_index(drop=True),
        gold=frame.loc[is_gold, ["item", "criterion", "value"]].reset_index(drop=True),
    )


def matrix(study: StudyRatings, key: str, *, with_off_scale: bool = False) -> Matrix:
    """The matrix of a criterion or a group; a judge's first repeat stands for the judge."""
    group = next((group for group in study.rubric.groups if group.key == key), None)
    if group is not None:
        return _group_matrix(study, group, with_off_scale=with_off_scale)
    criterion = study.rubric.criterion(key)
    chosen = study.ratings[(study.ratings["criterion"] == key) & (study.ratings["repeat"] == 1)]
    columns = {rater.id: place for place, rater in enumerate(study.raters)}
    values = np.full((study.items.size, len(study.raters)), np.nan)
    kept = _kept(chosen, with_off_scale=with_off_scale)
    values[kept["item"], kept["rater"].map(columns)] = kept["value"]
    return Matrix(
        key=key,
        measurement=criterion.measurement,
        points=_points(study, criterion, with_off_scale=with_off_scale),
        values=values,
        gold=_gold(study, key),
        raters=study.raters,
    )


def of_round(round_id: int) -> tuple[Matrix, ...]:
    """A matrix a criterion of what a round's raters gave, each without seeing the others."""
    rating_round = Round.objects.get(pk=round_id)
    rubric = rating_round.rubric_version.content
    rows = list(
        Rating.objects.filter(submission__round=round_id, submission__is_current=True).values_list(
            "criterion_key", "submission__item_id", "submission__rater_id", "label", "score"
        )
    )
    items = np.unique(np.array([row[1] for row in rows], dtype=np.int64))
    raters = _raters({row[2] for row in rows})
    columns = {rater.id: place for place, rater in enumerate(raters)}
    made = []
    for criterion in rubric.criteria:
        codes = _codes(criterion)
        values = np.full((items.size, len(raters)), np.nan)
        for key, item, rater, label, score in rows:
            if key == criterion.key:
                value = codes.get(label, np.nan) if score is None else score
                values[np.searchsorted(items, item), columns[rater]] = value
        made.append(
            Matrix(
                key=criterion.key,
                measurement=criterion.measurement,
                points=_declared(criterion),
                values=values,
                gold=np.full(items.size, np.nan),
                raters=raters,
            )
        )
    return tuple(made)


def repeats(study: StudyRatings, key: str, rater: RaterColumn) -> Floats:
    """What one rater gave each item at each repeat, (n, times); off-scale values left out."""
    chosen = study.ratings[
        (study.ratings["criterion"] == key) & (study.ratings["rater"] == rater.id)
    ]
    kept = _kept(chosen, with_off_scale=False)
    times = int(chosen["repeat"].max()) if len(chosen) else 0
    values = np.full((study.items.size, times), np.nan)
    values[kept["item"], kept["repeat"] - 1] = kept["value"]
    return values


def of_other_generators(study: StudyRatings, judge: RaterColumn) -> npt.NDArray[np.bool_]:
    """Which items, (n,), a judge may be measured on: those not written by its own family."""
    return ~np.isin(study.generators, sorted(judge.own_generators))


def _rows(study_id: int) -> Sequence[tuple]:
    with connection.cursor() as cursor:
        cursor.execute(_READ, {"study": study_id})
        return cursor.fetchall()


def _raters(ids: set[int]) -> tuple[RaterColumn, ...]:
    """Humans first, each kind by key."""
    found = Rater.objects.filter(pk__in=ids).order_by("kind", "key")
    return tuple(
        RaterColumn(
            id=rater.pk,
            key=rater.key,
            name=rater.name,
            kind=rater.kind,
            own_generators=frozenset(rater.own_generators),
        )
        for rater in found
    )


def _frame(packed: Sequence[tuple], items: Ints, rubric: Rubric) -> pd.DataFrame:
    """One row a rating from packed rows; gold has rater 0. Criteria of other editions are left."""
    known = {criterion.key: _codes(criterion) for criterion in rubric.criteria}
    packed = [row for row in packed if row[2] in known]
    cells = [np.frombuffer(row[-1], dtype=_CELL) for row in packed]
    sizes = np.array([cell.size for cell in cells], dtype=np.int64)
    whole = np.concatenate([np.empty(0, dtype=_CELL), *cells])
    codes = [known[criterion].get(label, np.nan) for _, _, criterion, label, *_ in packed]
    is_score = [label is None and not unscored for _, _, _, label, unscored, *_ in packed]
    reasons = [
        _UNKNOWN_LABEL if label is not None and np.isnan(code) else unscored
        for (_, _, _, label, unscored, *_), code in zip(packed, codes, strict=True)
    ]
    column = _column(sizes)
    return pd.DataFrame(
        {
            "item": np.searchsorted(items, whole["item"]),
            "rater": column([row[0] or _GOLD for row in packed], np.int64),
            "repeat": column([row[1] for row in packed], np.int64),
            "criterion": pd.Categorical(
                column([row[2] for row in packed], np.str_), categories=list(known)
            ),
            "value": np.where(
                column(is_score, np.bool_), whole["score"], column(codes, np.float64)
            ),
            "unscored": pd.Categorical(column(reasons, np.str_)),
            "off_scale": column([row[5] for row in packed], np.bool_),
        }
    )


def _column(sizes: Ints) -> Callable[[list, type], npt.NDArray]:
    """Spread what packed rows share over the ratings in them."""
    return lambda values, kind: np.repeat(np.array(values, dtype=kind), sizes)


def _codes(criterion: Criterion) -> dict[str | None, float]:
    """{label: its number}; a scale has none."""
    if isinstance(criterion, Taxonomy):
        return {label.key: float(label.code) for label in criterion.labels}
    return {}


def _kept(ratings: pd.DataFrame, *, with_off_scale: bool) -> pd.DataFrame:
    scored = ratings[ratings["value"].notna()]
    return scored if with_off_scale else scored[~scored["off_scale"]]


def _gold(study: StudyRatings, key: str) -> Floats:
    values = np.full(study.items.size, np.nan)
    chosen = study.gold[study.gold["criterion"] == key]
    values[chosen["item"]] = chosen["value"]
    return values


def _points(
    study: StudyRatings, criterion: Criterion, *, with_off_scale: bool
) -> tuple[float, ...]:
    """The declared points; with off-scale values also those found on any scale declared alike."""
    declared = _declared(criterion)
    if isinstance(criterion, Taxonomy) or not with_off_scale:
        return declared
    alike = [
        other.key
        for other in study.rubric.criteria
        if isinstance(other, Scale) and other.values == criterion.values
    ]
    off = study.ratings[study.ratings["off_scale"] & study.ratings["criterion"].isin(alike)]
    return tuple(sorted({*declared, *off["value"].unique().tolist()}))


def _declared(criterion: Criterion) -> tuple[float, ...]:
    values = criterion.values if isinstance(criterion, Scale) else _codes(criterion).values()
    return tuple(sorted(map(float, values)))


def _group_matrix(study: StudyRatings, group: Group, *, with_off_scale: bool) -> Matrix:
    """The mean or sum of the group's criteria, missing where one of them is."""
    members = [matrix(study, key, with_off_scale=with_off_scale) for key in group.criteria]
    share = len(members) if group.summary == "mean" else 1
    lowest = round(sum(member.points[0] for member in members))
    highest = round(sum(member.points[-1] for member in members))
    return Matrix(
        key=group.key,
        measurement=Measurement.ORDINAL,
        points=tuple((np.arange(lowest, highest + 1) / share).tolist()),
        values=sum(member.values for member in members) / share,
        gold=sum(member.gold for member in members) / share,
        raters=study.raters,
    )
