"""What a study holds, packed into columns that the database keeps, and what changed since.

Triggers list every change in `analytics_change`. In any snapshot of the database the columns and
the list together are the truth: whoever reads takes the columns and looks the listed answers up;
whoever folds removes what it sees of the list and stores the columns with those answers in them,
in one transaction. A change that commits late is listed late, and nothing is ever added up: so
nothing is lost or counted twice, whoever dies when.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from django.db import connection, transaction

from analytics import sources
from analytics.models import PackedColumn, PackedStudy
from analytics.ratings.fetching import fetched
from analytics.stats.scales import Ints
from annotation.models import Item

EDITION = sources.fingerprint(__name__)
GOLD = 0
EVERYTHING = 0
FOLD_AT = 200
REBUILD_AT = 5_000

_LOOK = "SELECT item_id, rater_id FROM analytics_change WHERE study_id = %(study)s"
_TAKE = "DELETE FROM analytics_change WHERE study_id = %(study)s RETURNING item_id, rater_id"
_PACK_SUBMISSIONS = """
SELECT string_agg(
    int8send(submission.id) || int8send(submission.item_id) || int8send(submission.rater_id)
        || int4send(repeat) || int4send(COALESCE(number, 0)),
    ''
)
FROM {submissions} submission LEFT JOIN annotation_round ON annotation_round.id = round_id
WHERE is_current
"""
_ALL_SUBMISSIONS = _PACK_SUBMISSIONS.format(submissions="annotation_submission")
# Looked up one by one (`OFFSET 0` keeps it so): the planner takes the list for longer than it ever
# is, and would go through all submissions.
_CHANGED_SUBMISSIONS = _PACK_SUBMISSIONS.format(
    submissions="""(SELECT DISTINCT item_id, rater_id FROM change) changed CROSS JOIN LATERAL (
        SELECT * FROM annotation_submission
        WHERE rater_id = changed.rater_id AND item_id = changed.item_id AND is_current OFFSET 0
    )"""
)
# What was answered to qualify is read for its own round only.
_COUNTS = "annotation_round.pass_percent IS NULL"
_PACK_GOLD = """
SELECT jsonb_agg(jsonb_build_array(item_id, criterion_key, label, score, path))
FROM annotation_gold WHERE superseded_at IS NULL
"""
_STUDY = """
key, COALESCE(
    (SELECT sum(n)::bigint FROM annotation_changecount WHERE study_id = study.id), 0
), rubric_version_id, (
    SELECT string_agg(int8send(item_id), '')
    FROM annotation_quarantine aside JOIN annotation_item item ON item.id = aside.item_id
    WHERE item.study_id = study.id AND lifted_at IS NULL
)
"""
# One statement says at which revision the study is and what counts in it; ratings, which never
# change, are read by submission.
_KEPT = f"""
WITH change AS ({{changes}})
SELECT {_STUDY},
    (SELECT string_agg(int8send(item_id) || int8send(rater_id), '') FROM change),
    ({_CHANGED_SUBMISSIONS} AND {_COUNTS}),
    ({_PACK_GOLD} AND item_id IN (SELECT item_id FROM change WHERE rater_id = {GOLD})),
    packed.edition, packed.words, packed.items,
    (
        SELECT string_agg(
            int8send(rater_id) || int4send(repeat) || int4send(length(cells)), '' ORDER BY id
        )
        FROM analytics_packedcolumn WHERE study_id = study.id
    ),
    (
        SELECT string_agg(cells, '' ORDER BY id)
        FROM analytics_packedcolumn WHERE study_id = study.id
    )
FROM annotation_study study LEFT JOIN analytics_packedstudy packed ON packed.study_id = study.id
WHERE study.id = %(study)s
"""  # noqa: S608 -- made of the texts above
_WHOLE = f"""
WITH change AS ({{changes}})
SELECT {_STUDY},
    (SELECT string_agg(int8send(item_id) || int8send(rater_id), '') FROM change),
    ({_ALL_SUBMISSIONS} AND {_COUNTS} AND submission.study_id = study.id),
    (
        {_PACK_GOLD}
        AND item_id = ANY(ARRAY(SELECT id FROM annotation_item WHERE study_id = study.id))
    )
FROM annotation_study study
WHERE study.id = %(study)s
"""  # noqa: S608 -- made of the texts above
_OF_ROUND = f"""
SELECT {_STUDY},
    NULL, ({_ALL_SUBMISSIONS} AND round_id = %(round)s AND submission.repeat = 1), NULL
FROM annotation_study study
WHERE study.id = %(study)s
"""  # noqa: S608 -- made of the texts above
# By ids, not by a join: right after an import the planner may still believe that the tables are
# empty, and go through all ratings once a submission.
_RATINGS = """
SELECT criterion_key, label, unscored, off_scale, path,
    string_agg(int8send(submission_id) || int2send(COALESCE(score, 0::smallint)), '')
FROM annotation_rating
WHERE submission_id = ANY(%(submissions)s)
GROUP BY criterion_key, label, unscored, off_scale, path
"""
_LISTED = np.dtype([("item", ">i8"), ("rater", ">i8")])
_COLUMN = np.dtype([("rater", ">i8"), ("repeat", ">i4"), ("size", ">i4")])
_SUBMISSION = np.dtype(
    [("id", ">i8"), ("item", ">i8"), ("rater", ">i8"), ("repeat", ">i4"), ("round", ">i4")]
)
_RATING = np.dtype([("of", ">i8"), ("score", ">i2")])
_ITEM = np.dtype([("id", "<i8"), ("dialogue", "<i8"), ("generator", "<i4"), ("lot", "<u8")])
_CODE = np.dtype("<u4")

Codes = npt.NDArray[np.uint32]
Lots = npt.NDArray[np.uint64]
Records = npt.NDArray[Any]  # structured, by name of the field


class AnswerKey(NamedTuple):
    """What was given for a criterion: a label, a score, or the reason for neither. Of a label in a
    graph also the way that was taken to it."""

    label: str | None
    score: int | None
    unscored: str
    off_scale: bool
    path: str = ""


class ColumnPlace(NamedTuple):
    """Whose answers a column holds: one rater's at one repeat, or gold."""

    rater: int
    repeat: int


OF_GOLD = ColumnPlace(GOLD, 0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Packed:
    """All that a study holds at one revision.

    `items`: ids (n,), ascending; `dialogues`, `generators`, `quarantined`, `lots` (n,) go with them.
    `columns`: codes (criteria, n), each the place of an answer in `answers`, whose first is none.
    """

    key: str
    revision: int
    rubric_version_id: int
    items: Ints
    dialogues: Ints
    generators: npt.NDArray[np.str_]
    quarantined: npt.NDArray[np.bool_]
    lots: Lots
    criteria: tuple[str, ...]
    answers: tuple[AnswerKey | None, ...]
    columns: Mapping[ColumnPlace, Codes]


def lot_of(key: str) -> int:
    """What draws among items go by: made of an item's key alone, so that they come out the same
    wherever the study is."""
    return int.from_bytes(sha256(key.encode()).digest()[:8], "little")


def read(study_id: int) -> Packed:
    """The study as it is now: from its columns where they are kept, else from its rows."""
    return _current(study_id, _LOOK)[0]


def rebuilt(study_id: int) -> Packed:
    """The study as it is now, from nothing but its rows."""
    return _whole(study_id, _LOOK)


def are_as_rows(study_id: int) -> bool:
    """Whether the columns that are kept, with what is listed, say what the rows say."""
    numbers: dict[AnswerKey | None, int] = {}
    try:
        return _said(rebuilt(study_id), numbers) == _said(read(study_id), numbers)
    except (ValueError, LookupError, TypeError, RecursionError):  # one of them is no columns at all
        return False


def of_round(study_id: int, round_id: int) -> Packed:
    """What people gave in a round when they first rated an item, and the items that they rated."""
    row = _Row(*fetched(_OF_ROUND, {"study": study_id, "round": round_id})[0])
    items, generators = _items(study_id)
    rated = np.isin(items["id"], _unpacked(row.submissions, _SUBMISSION)["item"])
    draft = _Draft(items=items[rated], generators=generators)
    draft.fill(row.submissions, None)
    return draft.packed(row)


def fold_if_long(study_id: int) -> Packed | None:
    """Bring the columns up to date where readers would have much to look up, or all; the study as
    it is then."""
    with connection.cursor() as cursor:
        cursor.execute(
            """
            SELECT count(*) >= %(much)s OR bool_or(item_id = %(all)s)
                OR NOT EXISTS (
                    SELECT FROM analytics_packedstudy
                    WHERE study_id = %(study)s AND edition = %(edition)s
                )
            FROM (
                SELECT item_id FROM analytics_change WHERE study_id = %(study)s
                ORDER BY item_id LIMIT %(much)s
            ) change
            """,
            {"study": study_id, "much": FOLD_AT, "all": EVERYTHING, "edition": EDITION},
        )
        is_long = cursor.fetchone()[0]
    return fold(study_id) if is_long else None


@transaction.atomic
def fold(study_id: int) -> Packed | None:
    """Bring the columns up to date, and return what they hold; None where another process is at it."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_xact_lock(hashtext('packed'), %s)", [study_id])
        if not cursor.fetchone()[0]:
            return None
    current, touched = _current(study_id, _TAKE)
    _store(study_id, current, touched)
    return current


class _Row(NamedTuple):
    """One row of _KEPT; one of _WHOLE is without the last five."""

    key: str
    revision: int
    rubric_version_id: int
    quarantined: bytes | None
    changes: bytes | None
    submissions: bytes | None
    gold: str | None
    edition: int | None = None
    words: str | None = None
    items: bytes | None = None
    columns: bytes | None = None
    cells: bytes | None = None


def _current(study_id: int, changes: str) -> tuple[Packed, frozenset[ColumnPlace] | None]:
    """The study, and which of its columns differ from the kept ones; None where none are kept."""
    row = _Row(*fetched(_KEPT.format(changes=changes), {"study": study_id})[0])
    changed = np.unique(_unpacked(row.changes, _LISTED))
    if row.edition != EDITION or changed.size > REBUILD_AT or EVERYTHING in changed["item"]:
        return _whole(study_id, changes), None
    draft = _kept_draft(row)
    touched = draft.clear(changed) | draft.fill(row.submissions, row.gold)
    return draft.packed(row), frozenset(touched)


def _whole(study_id: int, changes: str) -> Packed:
    row = _Row(*fetched(_WHOLE.format(changes=changes), {"study": study_id})[0])
    items, generators = _items(study_id)
    draft = _Draft(items=items, generators=generators)
    draft.fill(row.submissions, row.gold)
    return draft.packed(row)


def _said(study: Packed, numbers: dict[AnswerKey | None, int]) -> dict[object, bytes]:
    """What a study holds, whatever its codes are; `numbers` are those that they get instead."""
    anew = np.array([numbers.setdefault(one, len(numbers)) for one in study.answers])
    told = (study.items, study.dialogues, study.quarantined, study.lots)
    said: dict[object, bytes] = {place: one.tobytes() for place, one in enumerate(told)}
    said["generators"] = "\0".join(study.generators.tolist()).encode()
    for place, codes in study.columns.items():
        for criterion, theirs in zip(study.criteria, codes, strict=True):
            if theirs.any():
                said[place, criterion] = anew[theirs].tobytes()
    return said


def _items(study_id: int) -> tuple[Records, list[str]]:
    """The study's items, and the names that their generators are numbers of."""
    listed = list(
        Item.objects.filter(study=study_id)
        .order_by("pk")
        .values_list("pk", "dialogue_id", "generator", "key")
    )
    names = sorted({generator for _, _, generator, _ in listed})
    numbers = {name: number for number, name in enumerate(names)}
    rows = [
        (item, dialogue, numbers[generator], lot_of(key))
        for item, dialogue, generator, key in listed
    ]
    return np.array(rows, dtype=_ITEM), names


@dataclass(slots=True, kw_only=True)
class _Draft:
    """Columns being written; `criteria` and `answers` number what was met so far."""

    items: Records
    generators: list[str]
    criteria: dict[str, int] = field(default_factory=dict)
    answers: dict[AnswerKey | None, int] = field(default_factory=lambda: {None: 0})
    columns: dict[ColumnPlace, Codes] = field(default_factory=dict)

    def clear(self, changed: Records) -> set[ColumnPlace]:
        """Take out what changed; the columns that had it."""
        touched = {place for place in self.columns if place.rater in changed["rater"]}
        for place in touched:
            theirs = changed["item"][changed["rater"] == place.rater]
            self.columns[place][:, self._where(theirs)] = 0
        return touched

    def fill(self, submissions: bytes | None, gold: str | None) -> set[ColumnPlace]:
        """Put answers in where there are none; the columns that have them."""
        given = _newest(_unpacked(submissions, _SUBMISSION))
        by_id = given[np.argsort(given["id"])]
        groups = fetched(_RATINGS, {"submissions": by_id["id"].tolist()}) if by_id.size else []
        decided = [
            (item, criterion, AnswerKey(label, score, "", False, path))
            for item, criterion, label, score, path in json.loads(gold or "[]")
        ]
        self._widen({group[0] for group in groups} | {one[1] for one in decided})
        raters, column_of = np.unique(by_id[["rater", "repeat"]], return_inverse=True)
        places = [ColumnPlace(*one) for one in raters.tolist()]
        where = self._where(by_id["item"])
        for criterion, label, unscored, off_scale, path, packed in groups:
            ratings = _unpacked(packed, _RATING)
            codes = self._codes(AnswerKey(label, None, unscored, off_scale, path), ratings["score"])
            owner = np.searchsorted(by_id["id"], ratings["of"])
            for number in np.unique(column_of[owner]).tolist():
                theirs = column_of[owner] == number
                column = self._column(places[number])
                column[self.criteria[criterion], where[owner[theirs]]] = codes[theirs]
        for item, criterion, answer in decided:
            at = self._where(np.array(item))
            self._column(OF_GOLD)[self.criteria[criterion], at] = self._code(answer)
        return {*places, OF_GOLD} if decided else set(places)

    def packed(self, row: _Row) -> Packed:
        names = np.array(self.generators, dtype=np.str_)
        ids = self.items["id"].astype(np.int64)
        return Packed(
            key=row.key,
            revision=row.revision,
            rubric_version_id=row.rubric_version_id,
            items=ids,
            dialogues=self.items["dialogue"].astype(np.int64),
            generators=names[self.items["generator"]],
            quarantined=np.isin(ids, _unpacked(row.quarantined, np.dtype(">i8"))),
            lots=self.items["lot"].astype(np.uint64),
            criteria=tuple(self.criteria),
            answers=tuple(self.answers),
            columns=self.columns,
        )

    def _widen(self, criteria: Iterable[str]) -> None:
        """Make room for criteria that were not met before."""
        for criterion in sorted(set(criteria) - self.criteria.keys()):
            self.criteria[criterion] = len(self.criteria)
        for place, codes in self.columns.items():
            if len(codes) < len(self.criteria):
                self.columns[place] = _as_high(codes, len(self.criteria))

    def _column(self, place: ColumnPlace) -> Codes:
        if place not in self.columns:
            self.columns[place] = np.zeros((len(self.criteria), self.items.size), dtype=_CODE)
        return self.columns[place]

    def _codes(self, shared: AnswerKey, scores: Records) -> Codes:
        """The codes (n,) of ratings that share all but the score."""
        if shared.label is not None or shared.unscored:
            return np.full(scores.size, self._code(shared), dtype=_CODE)
        different, which = np.unique(scores, return_inverse=True)
        codes = [self._code(shared._replace(score=one)) for one in different.tolist()]
        return np.array(codes, dtype=_CODE)[which]

    def _code(self, answer: AnswerKey) -> int:
        return self.answers.setdefault(answer, len(self.answers))

    def _where(self, items: npt.NDArray[Any]) -> Ints:
        return np.asarray(np.searchsorted(self.items["id"], items))


def _kept_draft(row: _Row) -> _Draft:
    """The kept columns, ready to be written in."""
    words = json.loads(row.words or "{}")
    items = np.frombuffer(row.items or b"", dtype=_ITEM)
    draft = _Draft(
        items=items,
        generators=words["generators"],
        criteria={key: number for number, key in enumerate(words["criteria"])},
        answers={
            answer and AnswerKey(*answer): number for number, answer in enumerate(words["answers"])
        },
    )
    start = 0
    for rater, repeat, size in _unpacked(row.columns, _COLUMN).tolist():
        cells = memoryview(row.cells or b"")[start : start + size]
        codes = np.zeros((len(draft.criteria), items.size), dtype=_CODE)
        _write_codes(codes, cells)
        draft.columns[ColumnPlace(rater, repeat)] = codes
        start += size
    return draft


def _as_cells(codes: Codes) -> bytes:
    """Codes as they are kept: how many bytes one takes, a bit for each item that says whether there
    are any, and then those of the items that have some. Of many people each rates few."""
    is_filled = codes.max(axis=0, initial=0) > 0
    kind = np.min_scalar_type(codes.max(initial=0)).newbyteorder("<")
    kept = codes[:, is_filled].astype(kind)
    return bytes([kind.itemsize]) + np.packbits(is_filled).tobytes() + kept.tobytes()


def _write_codes(codes: Codes, cells: memoryview) -> None:
    """Write what was kept into zeros, which may have rows for criteria met since."""
    end = 1 + (codes.shape[1] + 7) // 8
    bits = np.frombuffer(cells[1:end], dtype=np.uint8)
    filled = np.flatnonzero(np.unpackbits(bits, count=codes.shape[1]))
    if filled.size:
        kept = np.frombuffer(cells[end:], f"<u{cells[0]}").reshape(-1, filled.size)
        codes[: len(kept), filled] = kept


def _as_high(codes: Codes, height: int) -> Codes:
    """A copy with as many rows as there are criteria, zeros for those met since it was made."""
    return np.concatenate([codes, np.zeros((height - len(codes), codes.shape[1]), dtype=_CODE)])


def _newest(given: Records) -> Records:
    """Of what a rater gave an item in several rounds, or outside of any, the newest round's."""
    ordered = given[np.lexsort([-given["round"], given["item"], given["repeat"], given["rater"]])]
    place = ordered[["rater", "repeat", "item"]]
    is_first = np.concatenate([[True], place[1:] != place[:-1]])[: ordered.size]
    newest: Records = ordered[is_first]
    return newest


def _store(study_id: int, packed: Packed, touched: frozenset[ColumnPlace] | None) -> None:
    """Keep the columns that were touched; where None were kept, all, and the items with them."""
    names, generator = np.unique(packed.generators, return_inverse=True)
    words = {
        "generators": names.tolist(),
        "criteria": packed.criteria,
        "answers": packed.answers,
    }
    if touched is None:
        items = np.empty(packed.items.size, dtype=_ITEM)
        items["id"], items["dialogue"], items["generator"] = (
            packed.items,
            packed.dialogues,
            generator,
        )
        items["lot"] = packed.lots
        PackedColumn.objects.filter(study=study_id).delete()
        PackedStudy.objects.update_or_create(
            study_id=study_id,
            defaults={"edition": EDITION, "items": items.tobytes(), "words": words},
        )
    else:
        PackedStudy.objects.filter(study=study_id).update(words=words)
    PackedColumn.objects.bulk_create(
        [
            PackedColumn(
                study_id=study_id, rater_id=place.rater, repeat=place.repeat, cells=_as_cells(codes)
            )
            for place, codes in packed.columns.items()
            if touched is None or place in touched
        ],
        update_conflicts=True,
        unique_fields=["study", "rater_id", "repeat"],
        update_fields=["cells"],
    )


def _unpacked(cells: bytes | None, kind: np.dtype[Any]) -> Records:
    """What came over packed, in the byte order of this machine."""
    return np.frombuffer(cells or b"", dtype=kind).astype(kind.newbyteorder("="))
