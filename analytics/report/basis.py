"""What a report rests on: the ratings without people's names, as files that give them back."""

import csv
import hashlib
import io
import json
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt
from pydantic import TypeAdapter, ValidationError

from analytics.exports.cells import csv_of, text_in
from analytics.exports.pseudonyms import public_name
from analytics.frames import pd
from analytics.pairs import numbers
from analytics.pairs.numbers import PairsCompared
from analytics.ratings import matrices
from analytics.ratings.columns import OF_GOLD, ColumnPlace, lot_of
from analytics.ratings.matrices import Chances, RaterColumn, StudyRatings
from analytics.stats.scales import Floats, Ints
from annotation.models import Item, RaterKind, Study
from annotation.rubric.loading import RubricError, dump, load
from annotation.rubric.schema import Rubric, Taxonomy
from judging.rules.preferences import PreferenceRow

FOLDER = "data"
STUDY, ITEMS, RATINGS, GOLD = (
    f"{FOLDER}/{name}" for name in ("study.json", "items.csv", "ratings.csv", "gold.csv")
)
FILES = (STUDY, ITEMS, RATINGS, GOLD)
PAIRS = f"{FOLDER}/preferences.csv"  # where replies were compared
_ITEMS = ("item", "dialogue", "dialogue_number", "generator", "quarantined", "reply_length")
_RATINGS = ("item", "rater", "repeat", "criterion", "value", "label", "unscored", "off_scale")
_GOLD = ("item", "criterion", "value", "label")
_PAIRS = (
    *("comparison", "judge", "judge_name", "reference", "both_orders"),
    *("criterion", "item", "second", "repeat", "preferred", "first_score", "second_score"),
)
MOST_COUNTED = 2**31 - 1

T = TypeVar("T")
N = TypeVar("N", bound=np.generic)
Files = Mapping[str, bytes]
Row = Mapping[str, str]


class UnreadableReport(Exception):
    """A sentence that names the file and says why no ratings can be read from it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RaterTold:
    """A rater as `STUDY` tells of them."""

    rater: str
    name: str
    kind: RaterKind
    own_generators: frozenset[str]
    is_jury: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyTold:
    """What `STUDY` tells; older reports have nothing of the draw."""

    study: str
    revision: int
    rubric_fingerprint: str
    rubric: dict[str, Any]
    raters: tuple[RaterTold, ...]
    chances: Chances = Chances.ALIKE
    probabilities: tuple[float, ...] | None = None
    picked: tuple[bool, ...] | None = None
    held_out: tuple[bool, ...] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Basis:
    """The ratings of a study under pseudonyms, and what items and dialogues are called.

    `ratings` numbers raters, items and dialogues from 1, so that no id of the database leaves;
    `items`, `dialogues` (n,): the keys that go with `ratings.items`. `pairs` number items and dialogues
    alike.
    """

    ratings: StudyRatings
    items: tuple[str, ...]
    dialogues: tuple[str, ...]
    pairs: tuple[PairsCompared, ...] = ()


def of_study(study: Study, ratings: StudyRatings) -> Basis:
    """The ratings of a study as they may leave it."""
    keys = {
        item: (key, dialogue)
        for item, key, dialogue in Item.objects.filter(study=study).values_list(
            "pk", "key", "dialogue__key"
        )
    }
    named = [keys[item] for item in ratings.items.tolist()]
    return Basis(
        ratings=without_names(ratings, study.release_key),
        items=tuple(item for item, _ in named),
        dialogues=tuple(dialogue for _, dialogue in named),
        pairs=_pairs_without_ids(numbers.of_study(study), ratings),
    )


def _pairs_without_ids(
    pairs: Iterable[PairsCompared], ratings: StudyRatings
) -> tuple[PairsCompared, ...]:
    """The same about items and dialogues that are numbered as the ratings number them."""
    items = {item: number for number, item in enumerate(ratings.items.tolist(), start=1)}
    dialogues = dict(
        zip(
            ratings.dialogues.tolist(),
            (np.unique(ratings.dialogues, return_inverse=True)[1] + 1).tolist(),
            strict=True,
        )
    )
    return tuple(
        replace(
            one,
            rows=tuple(
                row._replace(
                    first=items[row.first],
                    second=items[row.second],
                    conversation=dialogues[row.conversation],
                )
                for row in one.rows
            ),
        )
        for one in pairs
    )


def without_names(ratings: StudyRatings, release_key: str) -> StudyRatings:
    """The same ratings by raters under their public names, ordered by these.

    They belong to study 0, which there is not: nothing else is read from the database for them.
    """
    renamed = sorted(
        (_public(rater, release_key) for rater in ratings.raters),
        key=lambda rater: (rater.kind, rater.key),
    )
    numbers = {rater.id: number for number, rater in enumerate(renamed, start=1)}
    return replace(
        ratings,
        study_id=0,
        items=np.arange(1, ratings.items.size + 1),
        dialogues=np.unique(ratings.dialogues, return_inverse=True)[1] + 1,
        raters=tuple(replace(rater, id=numbers[rater.id]) for rater in renamed),
        juries=(),
        columns={
            place if place == OF_GOLD else ColumnPlace(numbers[place.rater], place.repeat): codes
            for place, codes in ratings.columns.items()
            if place == OF_GOLD or place.rater in numbers
        },
        lengths=matrices.reply_lengths(ratings),
    )


def _public(rater: RaterColumn, release_key: str) -> RaterColumn:
    key = public_name(release_key, rater_id=rater.id, key=rater.key, kind=rater.kind)
    return replace(rater, key=key, name=rater.name if rater.is_judge else key)


def files_of(basis: Basis) -> dict[str, bytes]:
    """The files, by name: the same ratings always give the same bytes."""
    ratings = basis.ratings
    about = {
        "study": ratings.key,
        "revision": ratings.revision,
        "rubric_fingerprint": ratings.rubric_fingerprint,
        "rubric": dump(ratings.rubric),
        "chances": ratings.chances.value,
        "probabilities": _or_none(ratings.probabilities),
        "picked": _or_none(ratings.picked),
        "held_out": _or_none(ratings.held_out),
        "raters": [
            {
                "rater": rater.key,
                "name": rater.name,
                "kind": str(rater.kind),
                "own_generators": sorted(rater.own_generators),
                **({"is_jury": True} if rater.is_jury else {}),
            }
            for rater in ratings.raters
        ],
    }
    items = zip(
        basis.items,
        basis.dialogues,
        ratings.dialogues.tolist(),
        ratings.generators.tolist(),
        ratings.quarantined.tolist(),
        (None if np.isnan(length) else int(length) for length in _lengths(ratings)),
        strict=True,
    )
    return {
        STUDY: (json.dumps(about, ensure_ascii=False, indent=2, sort_keys=True) + "\n").encode(),
        ITEMS: _table(_ITEMS, items),
        RATINGS: _table(_RATINGS, _rating_rows(basis)),
        GOLD: _table(_GOLD, _gold_rows(basis)),
        **({PAIRS: _table(_PAIRS, _pair_rows(basis))} if basis.pairs else {}),
    }


def sha256_of(files: Files) -> str:
    """One sum for all files of the ratings: that of the list of their sums."""
    lines = (f"{hashlib.sha256(files[name]).hexdigest()}  {name}\n" for name in in_sum(files))
    return hashlib.sha256("".join(lines).encode()).hexdigest()


def in_sum(files: Files) -> list[str]:
    """The names of those that the sum is about."""
    return [*FILES, *([PAIRS] if PAIRS in files else [])]


def read(files: Files) -> Basis:
    """The ratings that `files_of` wrote. UnreadableReport says what is missing or wrong."""
    if missing := [name for name in FILES if name not in files]:
        raise UnreadableReport(f"{missing[0]} is missing, so nothing can be computed again.")
    about = told_in(STUDY, json_in(STUDY, files[STUDY]), StudyTold)
    raters = tuple(_rater(number, one) for number, one in enumerate(about.raters, start=1))
    items = _rows(files, ITEMS, _ITEMS)
    _refuse_twice(ITEMS, items, ("item",))
    places = {row["item"]: place for place, row in enumerate(items)}
    rubric = _rubric(about.rubric)
    return Basis(
        ratings=matrices.of_tables(
            study_id=0,
            key=about.study,
            revision=about.revision,
            rubric=rubric,
            rubric_fingerprint=about.rubric_fingerprint,
            items=np.arange(1, len(items) + 1),
            dialogues=_whole(ITEMS, items, "dialogue_number"),
            generators=np.array([row["generator"] for row in items], dtype=np.str_),
            quarantined=_flags(items, "quarantined"),
            lots=np.array([lot_of(key) for key in places], dtype=np.uint64),
            raters=raters,
            ratings=_ratings(
                _rows(files, RATINGS, _RATINGS),
                places,
                {rater.key: rater.id for rater in raters},
                rubric,
            ),
            gold=_gold(_rows(files, GOLD, _GOLD), places, rubric),
            lengths=_numbers(ITEMS, items, "reply_length"),
            chances=about.chances,
            probabilities=_of_each_item("probabilities", about.probabilities, items, np.float64),
            picked=_of_each_item("picked", about.picked, items, np.bool_),
            held_out=_of_each_item("held_out", about.held_out, items, np.bool_),
        ),
        items=tuple(places),
        dialogues=tuple(row["dialogue"] for row in items),
        pairs=_pairs(_rows(files, PAIRS, _PAIRS), items, places) if PAIRS in files else (),
    )


def _or_none(values: npt.NDArray[Any] | None) -> list[Any] | None:
    return None if values is None else values.tolist()


def _of_each_item(
    name: str, values: Sequence[float] | None, items: Sequence[Row], kind: type[N]
) -> npt.NDArray[N] | None:
    """A value an item, or None where none was drawn."""
    if values is None:
        return None
    if len(values) != len(items):
        raise UnreadableReport(
            f"{STUDY}, {name}: {len(values)} values for the {len(items)} items of {ITEMS}."
        )
    return np.array(values, dtype=kind)


def _lengths(ratings: StudyRatings) -> list[float]:
    lengths: list[float] = matrices.reply_lengths(ratings).tolist()
    return lengths


def _rating_rows(basis: Basis) -> Iterable[Sequence[object]]:
    """A row a rating, by item, rater, repeat, and in the order of the rubric."""
    names = {rater.id: rater.key for rater in basis.ratings.raters}
    labels = _labels(basis.ratings.rubric)
    order = {key: number for number, key in enumerate(labels)}
    given = basis.ratings.ratings.assign(
        criterion=basis.ratings.ratings["criterion"].astype(str).map(order).astype(np.int64)
    ).sort_values(["item", "rater", "repeat", "criterion"])
    columns = ("item", "rater", "repeat", "criterion", "value", "unscored", "off_scale")
    keys = list(labels)
    for item, rater, repeat, number, value, unscored, off_scale in zip(
        *(given[column].tolist() for column in columns), strict=True
    ):
        told = _value(value, labels[keys[number]])
        yield basis.items[item], names[rater], repeat, keys[number], *told, unscored, off_scale


def _gold_rows(basis: Basis) -> Iterable[Sequence[object]]:
    labels = _labels(basis.ratings.rubric)
    order = {key: number for number, key in enumerate(labels)}
    given = basis.ratings.gold
    rows = zip(given["item"].tolist(), given["criterion"], given["value"].tolist(), strict=True)
    for item, criterion, value in sorted(rows, key=lambda row: (row[0], order[row[1]])):
        yield basis.items[item], criterion, *_value(value, labels[criterion])


def _pair_rows(basis: Basis) -> Iterable[Sequence[object]]:
    for one in basis.pairs:
        about = (one.number, one.judge, one.judge_name, one.reference, one.both_orders)
        for row in one.rows:
            both = (basis.items[row.first - 1], basis.items[row.second - 1])
            said = (row.repeat, row.preferred, row.first_score, row.second_score)
            yield *about, row.criterion, *both, *said


def _labels(rubric: Rubric) -> dict[str, dict[float, str]]:
    """{criterion: {code: label}}; a scale has no labels."""
    return {
        criterion.key: {float(label.code): label.key for label in criterion.labels}
        if isinstance(criterion, Taxonomy)
        else {}
        for criterion in rubric.criteria
    }


def _value(value: float, labels: Mapping[float, str]) -> tuple[object, object]:
    """A value as a number, and what it stands for."""
    return (None, None) if np.isnan(value) else (f"{value:.17g}", labels.get(value))


def _table(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> bytes:
    return csv_of(columns, rows).encode()


def told_in(name: str, value: object, kind: type[T]) -> T:
    """What a value from a file of JSON tells. UnreadableReport names the first field that is not as
    it was written."""
    try:
        return TypeAdapter(kind).validate_python(value)
    except ValidationError as problem:
        first = problem.errors()[0]
        place = ".".join(map(str, first["loc"]))
        raise UnreadableReport(f"{name}{f', {place}' if place else ''}: {first['msg']}.") from None


def json_in(name: str, content: bytes) -> Any:
    """The value in a file of JSON, in which no object has a field twice: one of them would be read
    by nobody. UnreadableReport."""
    try:
        return json.loads(content, object_pairs_hook=_each_once)
    except (ValueError, RecursionError) as problem:
        raise UnreadableReport(f"{name} is not JSON: {problem}.") from None


def _each_once(fields: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(fields)
    if len(found) < len(fields):
        names = [name for name, _value in fields]
        raise ValueError(f"“{next(one for one in names if names.count(one) > 1)}” is there twice")
    return found


def unread(files: Files, based: Basis) -> Iterator[str]:
    """Where the files of the ratings have something that was not read from them, such as a label
    beside another value: it is not there when they are written once more."""
    again = files_of(based)
    told, told_again = (json_in(STUDY, one[STUDY]) for one in (files, again))
    yield from (f"{STUDY}, {key}" for key in told if told[key] != told_again.get(key))
    for name in in_sum(files):
        if name != STUDY and files[name] != again[name]:
            yield f"{name}{_first_difference(files[name], again[name])}"


def _first_difference(one: bytes, other: bytes) -> str:
    tables = [list(csv.reader(io.StringIO(content.decode()))) for content in (one, other)]
    for number, rows in enumerate(zip_longest(*tables, fillvalue=[])):
        for place, cells in enumerate(zip_longest(*rows)):
            if cells[0] != cells[1]:
                columns = tables[1][0]
                return f", row {number}, {columns[place] if place < len(columns) else place}"
    return ""


def _rubric(definition: Mapping[str, object]) -> Rubric:
    try:
        return load(definition)
    except RubricError as problem:
        raise UnreadableReport(f"{STUDY}: {problem}") from None


def _rater(number: int, one: RaterTold) -> RaterColumn:
    return RaterColumn(
        id=number,
        key=one.rater,
        name=one.name,
        kind=one.kind,
        own_generators=one.own_generators,
        is_jury=one.is_jury,
    )


def _ratings(
    rows: Sequence[Row], places: Mapping[str, int], raters: Mapping[str, int], rubric: Rubric
) -> "pd.DataFrame":
    _refuse_twice(RATINGS, rows, ("item", "rater", "repeat", "criterion"))
    _known(RATINGS, rows, "criterion", _labels(rubric))
    return pd.DataFrame(
        {
            "item": _placed(RATINGS, rows, "item", places),
            "rater": _placed(RATINGS, rows, "rater", raters),
            "repeat": _whole(RATINGS, rows, "repeat"),
            "criterion": [row["criterion"] for row in rows],
            "value": _numbers(RATINGS, rows, "value"),
            "unscored": [row["unscored"] for row in rows],
            "off_scale": _flags(rows, "off_scale"),
        }
    )


def _gold(rows: Sequence[Row], places: Mapping[str, int], rubric: Rubric) -> "pd.DataFrame":
    _refuse_twice(GOLD, rows, ("item", "criterion"))
    _known(GOLD, rows, "criterion", _labels(rubric))
    return pd.DataFrame(
        {
            "item": _placed(GOLD, rows, "item", places),
            "criterion": [row["criterion"] for row in rows],
            "value": _numbers(GOLD, rows, "value"),
        }
    )


def _pairs(
    rows: Sequence[Row], items: Sequence[Row], places: Mapping[str, int]
) -> tuple[PairsCompared, ...]:
    _known(PAIRS, rows, "item", places)
    _known(PAIRS, rows, "second", places)
    for column in ("comparison", "repeat"):
        _whole(PAIRS, rows, column)
    found: dict[str, list[Row]] = {}
    for row in rows:
        found.setdefault(row["comparison"], []).append(row)
    return tuple(
        PairsCompared(
            number=int(number),
            judge=of_one[0]["judge"],
            judge_name=of_one[0]["judge_name"],
            reference=of_one[0]["reference"],
            both_orders=of_one[0]["both_orders"] == "true",
            rows=tuple(_preference(row, items, places) for row in of_one),
        )
        for number, of_one in found.items()
    )


def _preference(row: Row, items: Sequence[Row], places: Mapping[str, int]) -> PreferenceRow:
    first, second = places[row["item"]], places[row["second"]]
    return PreferenceRow(
        criterion=row["criterion"],
        conversation=int(items[first]["dialogue_number"]),
        first=first + 1,
        second=second + 1,
        first_source=items[first]["generator"],
        second_source=items[second]["generator"],
        repeat=int(row["repeat"]),
        preferred=row["preferred"],
        first_score=int(row["first_score"]) if row["first_score"] else None,
        second_score=int(row["second_score"]) if row["second_score"] else None,
    )


def _rows(files: Files, name: str, columns: Sequence[str]) -> list[Row]:
    try:
        reader = csv.reader(io.StringIO(files[name].decode()), strict=True)
        header, *rows = list(reader) or [[]]
    except (UnicodeDecodeError, csv.Error) as problem:
        raise UnreadableReport(f"{name} is no CSV file in UTF-8: {problem}.") from None
    if header != list(columns):
        raise UnreadableReport(f"{name} needs the columns {', '.join(columns)}.")
    for number, row in enumerate(rows, start=1):
        if len(row) != len(columns):
            raise UnreadableReport(
                f"{name}, row {number}: {len(row)} cells in place of {len(columns)}."
            )
    return [dict(zip(columns, map(text_in, row), strict=True)) for row in rows]


def _refuse_twice(name: str, rows: Sequence[Row], columns: Sequence[str]) -> None:
    """What would be there twice would count once, whichever comes last."""
    seen: set[tuple[str, ...]] = set()
    for number, row in enumerate(rows, start=1):
        place = tuple(row[column] for column in columns)
        if place in seen:
            raise UnreadableReport(f"{name}, row {number}: {', '.join(place)} is there twice.")
        seen.add(place)


def _known(name: str, rows: Sequence[Row], column: str, known: Container[str]) -> None:
    """Refuse what a column names and is nowhere else."""
    for number, row in enumerate(rows, start=1):
        if row[column] not in known:
            raise UnreadableReport(f"{name}, row {number}: there is no {column} “{row[column]}”.")


def _placed(name: str, rows: Sequence[Row], column: str, numbers: Mapping[str, int]) -> Ints:
    """The numbers of what a column names."""
    _known(name, rows, column, numbers)
    return np.array([numbers[row[column]] for row in rows], dtype=np.int64)


def _numbers(name: str, rows: Sequence[Row], column: str) -> Floats:
    try:
        return np.array([float(row[column] or "nan") for row in rows], dtype=np.float64)
    except ValueError as problem:
        raise UnreadableReport(f"{name}, column {column}: {problem}.") from None


def _whole(name: str, rows: Sequence[Row], column: str) -> Ints:
    """Numbers that count something, from 0 to MOST_COUNTED."""
    found = _numbers(name, rows, column)
    for number, value in enumerate(found.tolist(), start=1):
        if not (value.is_integer() and 0 <= value <= MOST_COUNTED):
            raise UnreadableReport(f"{name}, row {number}: {column} is no whole number.")
    return found.astype(np.int64)


def _flags(rows: Sequence[Row], column: str) -> npt.NDArray[np.bool_]:
    return np.array([row[column] == "true" for row in rows], dtype=np.bool_)
