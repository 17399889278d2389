"""The one place where rows become arrays, and where missing values get their meaning.

One statement says at which revision a study is and what counts in it; ratings, which never change,
are then read by submission. All comes over packed, one row a criterion and label, so that hundreds
of thousands of ratings take a fraction of a second.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd
from django.db import connection

from analytics.stats.scales import Floats, Ints
from annotation.models import Item, Rater, RaterKind, Rating, Round, RubricVersion
from annotation.rubric.schema import Criterion, Group, Measurement, Rubric, Scale, Taxonomy

# Adjudication changes nobody's ratings, only gold.
_WHAT_COUNTS = """
SELECT study.key, study.revision, study.rubric_version_id, part.*
FROM annotation_study study CROSS JOIN LATERAL (
    SELECT NULL AS criterion_key, NULL AS label,
        string_agg(
            int8send(id) || int8send(item_id) || int8send(rater_id) || int4send(repeat)
                || int8send(COALESCE(round_id, 0)),
            ''
        ) AS cells
    FROM annotation_submission WHERE study_id = study.id AND is_current
    UNION ALL
    SELECT criterion_key, label,
        string_agg(int8send(item_id) || int2send(COALESCE(score, 0::smallint)), '')
    FROM annotation_gold
    WHERE superseded_at IS NULL
        AND item_id = ANY(ARRAY(SELECT id FROM annotation_item WHERE study_id = study.id))
    GROUP BY criterion_key, label
    UNION ALL
    SELECT '', NULL, string_agg(int8send(aside.item_id), '')
    FROM annotation_quarantine aside JOIN annotation_item item ON item.id = aside.item_id
    WHERE item.study_id = study.id AND aside.lifted_at IS NULL
) part
WHERE study.id = %s
"""
_SUBMISSION = np.dtype(
    [("id", ">i8"), ("item", ">i8"), ("rater", ">i8"), ("repeat", ">i4"), ("round", ">i8")]
)
# By ids, not by a join: right after an import the planner may still believe that the tables are
# empty, and go through all ratings once a submission.
_RATINGS = """
SELECT criterion_key, label, unscored, off_scale,
    string_agg(int8send(submission_id) || int2send(COALESCE(score, 0::smallint)), '')
FROM annotation_rating
WHERE submission_id = ANY(%s)
GROUP BY criterion_key, label, unscored, off_scale
"""
_CELL = np.dtype([("of", ">i8"), ("score", ">i2")])
_ITEM = np.dtype(">i8")
_UNKNOWN_LABEL = "unknown_label"


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """Which doubtful values figures are computed with; by default with none."""

    with_off_scale: bool = False
    with_quarantined: bool = False


PLAIN = View()
RELEASED = View(with_off_scale=True, with_quarantined=True)
VIEWS = (
    PLAIN,
    View(with_off_scale=True),
    View(with_quarantined=True),
    RELEASED,
)


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

    `items`: ids (n,), ascending; `dialogues` (n,), `generators` (n,) and `quarantined` (n,), those
    set aside from figures, go with them. `ratings`: one row a rating with item (its place in
    `items`), rater (id), repeat, criterion, value (a score or a label's code, NaN where unscored),
    unscored (the reason), off_scale. `gold`: item, criterion, value.
    """

    study_id: int
    key: str
    revision: int
    rubric: Rubric
    rubric_fingerprint: str
    items: Ints
    dialogues: Ints
    generators: npt.NDArray[np.str_]
    quarantined: npt.NDArray[np.bool_]
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

    def effective(self, view: View) -> View:
        """The view that gives the same figures with the least let in."""
        return View(
            with_off_scale=view.with_off_scale and self.has_off_scale,
            with_quarantined=view.with_quarantined and bool(self.quarantined.any()),
        )

    def counted(self, view: View) -> npt.NDArray[np.bool_]:
        """Which items, (n,), count in a view."""
        return ~self.quarantined | view.with_quarantined

    @property
    def has_off_scale(self) -> bool:
        return bool(self.ratings["off_scale"].any())

    def is_group(self, key: str) -> bool:
        """Whether a key names criteria that are reported together."""
        return any(group.key == key for group in self.rubric.groups)


@dataclass(frozen=True, slots=True, kw_only=True)
class Matrix:
    """One criterion, or the mean or sum of several: what every rater gave every item.

    `values` (n, r): NaN where missing; `gold` (n,); `points`: the scale that values are on;
    `view`: what they were made with.
    """

    key: str
    measurement: Measurement
    points: tuple[float, ...]
    values: Floats
    gold: Floats
    raters: tuple[RaterColumn, ...]
    view: View = PLAIN

    def of(self, rater: RaterColumn) -> Floats:
        """The ratings of one rater, (n,)."""
        return self.values[:, self.raters.index(rater)]

    def of_humans(self) -> Floats:
        """The ratings of people, (n, h)."""
        return self.values[:, [not rater.is_judge for rater in self.raters]]

    def mean_of_people(self) -> Floats:
        """Mean over the people who rated each item, (n,); NaN where nobody did."""
        values = self.of_humans()
        n = (~np.isnan(values)).sum(axis=1)
        mean = np.full(len(values), np.nan)
        return np.divide(np.nansum(values, axis=1), n, out=mean, where=n > 0)


def read(study_id: int) -> StudyRatings:
    """Read a study as it is now."""
    rows = _fetched(_WHAT_COUNTS, study_id)
    key, revision, rubric_version_id = rows[0][:3]
    rubric_version = RubricVersion.objects.get(pk=rubric_version_id)
    rubric = rubric_version.content
    given = _newest(
        np.concatenate([_unpacked(row[-1], _SUBMISSION) for row in rows if row[3] is None]),
        dict(Round.objects.filter(study=study_id).values_list("pk", "number")),
    )
    items = list(
        Item.objects.filter(study=study_id)
        .order_by("pk")
        .values_list("pk", "dialogue_id", "generator")
    )
    ids = np.array([item[0] for item in items], dtype=np.int64)
    return StudyRatings(
        study_id=study_id,
        key=key,
        revision=revision,
        rubric=rubric,
        rubric_fingerprint=rubric_version.fingerprint,
        items=ids,
        dialogues=np.array([item[1] for item in items], dtype=np.int64),
        generators=np.array([item[2] for item in items], dtype=np.str_),
        quarantined=np.isin(ids, [_unpacked(row[-1], _ITEM) for row in rows if row[3] == ""]),
        raters=_raters(set(given["rater"].tolist())),
        ratings=_ratings(given, ids, rubric),
        gold=_gold_given([row[3:] for row in rows if row[3]], ids, rubric),
    )


def matrix(study: StudyRatings, key: str, *, view: View = PLAIN) -> Matrix:
    """The matrix of a criterion or a group; a judge's first repeat stands for the judge."""
    group = next((group for group in study.rubric.groups if group.key == key), None)
    if group is not None:
        return _group_matrix(study, group, view)
    criterion = study.rubric.criterion(key)
    chosen = study.ratings[(study.ratings["criterion"] == key) & (study.ratings["repeat"] == 1)]
    columns = {rater.id: place for place, rater in enumerate(study.raters)}
    values = np.full((study.items.size, len(study.raters)), np.nan)
    kept = _kept(study, chosen, view)
    values[kept["item"], kept["rater"].map(columns)] = kept["value"]
    return Matrix(
        key=key,
        measurement=criterion.measurement,
        points=_points(study, criterion, view),
        values=values,
        gold=np.where(study.counted(view), _gold(study, key), np.nan),
        raters=study.raters,
        view=view,
    )


def of_round(round_id: int) -> tuple[Matrix, ...]:
    """A matrix a criterion of what a round's raters gave, each without seeing the others."""
    rating_round = Round.objects.get(pk=round_id)
    rubric = rating_round.rubric_version.content
    rows = list(
        Rating.objects.filter(
            submission__round=round_id, submission__is_current=True, submission__repeat=1
        ).values_list(
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


def repeats(study: StudyRatings, key: str, rater: RaterColumn, *, view: View = PLAIN) -> Floats:
    """What one rater gave each item at each repeat, (n, times)."""
    chosen = study.ratings[
        (study.ratings["criterion"] == key) & (study.ratings["rater"] == rater.id)
    ]
    kept = _kept(study, chosen, view)
    times = int(chosen["repeat"].max()) if len(chosen) else 0
    values = np.full((study.items.size, times), np.nan)
    values[kept["item"], kept["repeat"] - 1] = kept["value"]
    return values


def of_other_generators(study: StudyRatings, judge: RaterColumn) -> npt.NDArray[np.bool_]:
    """Which items, (n,), a judge may be measured on: those not written by its own family."""
    return ~np.isin(study.generators, sorted(judge.own_generators))


def measured(study: StudyRatings, table: Matrix, judge: RaterColumn) -> Floats:
    """The ratings of a judge, (n,), NaN on items of its own family."""
    return np.where(of_other_generators(study, judge), table.of(judge), np.nan)


def _fetched(statement: str, asked: object) -> Sequence[tuple]:
    with connection.cursor() as cursor:
        cursor.execute(statement, [asked])
        return cursor.fetchall()


def _unpacked(cells: bytes | None, kind: np.dtype) -> npt.NDArray:
    """What came over packed, in the byte order of this machine."""
    return np.frombuffer(cells or b"", dtype=kind).astype(kind.newbyteorder("="))


def _newest(given: npt.NDArray, rounds: Mapping[int, int]) -> npt.NDArray:
    """Of what a rater gave an item in several rounds, or outside of any, the newest round's."""
    numbers = np.array([rounds.get(one, 0) for one in given["round"].tolist()], dtype=np.int64)
    order = np.lexsort([-numbers, given["item"], given["repeat"], given["rater"]])
    ordered = given[order]
    place = ordered[["rater", "repeat", "item"]]
    return ordered[np.concatenate([[True], place[1:] != place[:-1]])[: ordered.size]]


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


def _ratings(given: npt.NDArray, items: Ints, rubric: Rubric) -> pd.DataFrame:
    """One row a rating of these submissions. Criteria of other editions are left."""
    known = {criterion.key: _codes(criterion) for criterion in rubric.criteria}
    packed = [row for row in _fetched(_RATINGS, given["id"].tolist()) if row[0] in known]
    cells = [_unpacked(row[-1], _CELL) for row in packed]
    sizes = np.array([cell.size for cell in cells], dtype=np.int64)
    whole = np.concatenate([np.empty(0, dtype=_CELL), *cells])
    codes = [known[criterion].get(label, np.nan) for criterion, label, *_ in packed]
    is_score = [label is None and not unscored for _, label, unscored, *_ in packed]
    reasons = [
        _UNKNOWN_LABEL if label is not None and np.isnan(code) else unscored
        for (_, label, unscored, *_), code in zip(packed, codes, strict=True)
    ]
    by_id = given[np.argsort(given["id"])]
    owner = by_id[np.searchsorted(by_id["id"], whole["of"])]
    column = _column(sizes)
    return pd.DataFrame(
        {
            "item": np.searchsorted(items, owner["item"]),
            "rater": owner["rater"],
            "repeat": owner["repeat"],
            "criterion": pd.Categorical(
                column([row[0] for row in packed], np.str_), categories=list(known)
            ),
            "value": np.where(
                column(is_score, np.bool_), whole["score"], column(codes, np.float64)
            ),
            "unscored": pd.Categorical(column(reasons, np.str_)),
            "off_scale": column([row[3] for row in packed], np.bool_),
        }
    )


def _gold_given(packed: Sequence[tuple], items: Ints, rubric: Rubric) -> pd.DataFrame:
    """One row a gold value; labels of other editions are left."""
    known = {criterion.key: _codes(criterion) for criterion in rubric.criteria}
    parts = [
        pd.DataFrame(
            {
                "item": np.searchsorted(items, cell["of"]),
                "criterion": criterion,
                "value": cell["score"] if label is None else known[criterion][label],
            }
        )
        for criterion, label, cells in packed
        if criterion in known and (label is None or label in known[criterion])
        for cell in [_unpacked(cells, _CELL)]
    ]
    empty = pd.DataFrame({"item": np.empty(0, np.int64), "criterion": "", "value": np.empty(0)})
    return pd.concat(parts, ignore_index=True) if parts else empty


def _column(sizes: Ints) -> Callable[[list, type], npt.NDArray]:
    """Spread what packed rows share over the ratings in them."""
    return lambda values, kind: np.repeat(np.array(values, dtype=kind), sizes)


def _codes(criterion: Criterion) -> dict[str | None, float]:
    """{label: its number}; a scale has none."""
    if isinstance(criterion, Taxonomy):
        return {label.key: float(label.code) for label in criterion.labels}
    return {}


def _kept(study: StudyRatings, ratings: pd.DataFrame, view: View) -> pd.DataFrame:
    """The ratings that have a value which counts in a view."""
    kept = ratings["value"].notna() & study.counted(view)[ratings["item"]]
    return ratings[kept if view.with_off_scale else kept & ~ratings["off_scale"]]


def _gold(study: StudyRatings, key: str) -> Floats:
    values = np.full(study.items.size, np.nan)
    chosen = study.gold[study.gold["criterion"] == key]
    values[chosen["item"]] = chosen["value"]
    return values


def _points(study: StudyRatings, criterion: Criterion, view: View) -> tuple[float, ...]:
    """The declared points; with off-scale values also those found on any scale declared alike."""
    declared = _declared(criterion)
    if isinstance(criterion, Taxonomy) or not view.with_off_scale:
        return declared
    alike = [
        other.key
        for other in study.rubric.criteria
        if isinstance(other, Scale) and other.values == criterion.values
    ]
    given = study.ratings[study.ratings["off_scale"] & study.ratings["criterion"].isin(alike)]
    off = _kept(study, given, view)
    return tuple(sorted({*declared, *off["value"].unique().tolist()}))


def _declared(criterion: Criterion) -> tuple[float, ...]:
    values = criterion.values if isinstance(criterion, Scale) else _codes(criterion).values()
    return tuple(sorted(map(float, values)))


def _group_matrix(study: StudyRatings, group: Group, view: View) -> Matrix:
    """The mean or sum of the group's criteria, missing where one of them is."""
    members = [matrix(study, key, view=view) for key in group.criteria]
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
        view=view,
    )
