"""The one place where rows become arrays, and where missing values get their meaning.

What a study holds comes packed (`analytics.ratings.columns`): codes that say nothing of the rubric. Here they
become numbers under the edition that the study has now.
"""

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cached_property
from hashlib import sha256
from typing import Any, NamedTuple, cast

import numpy as np
import numpy.typing as npt
from django.db.models import Count, Max, Min, Q
from django.db.models.functions import Length

from analytics.frames import pd
from analytics.ratings import blinding, configurations, juries
from analytics.ratings import columns as packed
from analytics.ratings.blinding import Cover
from analytics.ratings.columns import GOLD, OF_GOLD, AnswerKey, Codes, ColumnPlace, Lots, Packed
from analytics.ratings.juries import Seated
from analytics.stats.scales import Floats, Ints
from annotation.models import HeldOutItem, Item, Rater, RaterKind, Round, RoundItem, RubricVersion
from annotation.rubric.derived import measurement_of
from annotation.rubric.schema import (
    Criterion,
    Flag,
    Group,
    Measurement,
    Rubric,
    Scale,
    Scored,
    Summary,
    Taxonomy,
)

WHOLE_RUN = 0.8
_UNKNOWN_LABEL = "unknown_label"
# Each is missing (NaN) where one of the parts (k, n) is.
_OF_PARTS: Mapping[Summary, Callable[..., Floats]] = {
    "mean": np.mean,
    "sum": np.sum,
    "maximum": np.max,
    "minimum": np.min,
    "any": np.max,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """Which doubtful values figures are computed with, by default none, and from which items: all,
    or a slice of them (`analytics.ratings.slices`)."""

    with_off_scale: bool = False
    with_quarantined: bool = False
    within: str = ""

    @property
    def is_plain(self) -> bool:
        """Whether everything doubtful is left out."""
        return not self.with_off_scale and not self.with_quarantined

    @property
    def is_released(self) -> bool:
        """Whether everything doubtful is let in."""
        return self.with_off_scale and self.with_quarantined


PLAIN = View()
RELEASED = View(with_off_scale=True, with_quarantined=True)
VIEWS = (
    PLAIN,
    View(with_off_scale=True),
    View(with_quarantined=True),
    RELEASED,
)


def views_within(within: str) -> tuple[View, ...]:
    """Every view of a slice, or of all items where none is named."""
    return tuple(replace(view, within=within) for view in VIEWS)


class Chances(StrEnum):
    """How the items that people rated came to them: whatever they are, with chances that differ
    and are known, or from a list off which nothing had a chance."""

    ALIKE = "alike"
    UNEQUAL = "unequal"
    NONE_OFF_LIST = "none off the list"


@dataclass(frozen=True, slots=True, kw_only=True)
class RaterColumn:
    """Who stands behind a column of a matrix."""

    id: int
    key: str
    name: str
    kind: str
    own_generators: frozenset[str]
    is_jury: bool = False

    @property
    def is_judge(self) -> bool:
        """Whether it is no person: a judge, or a jury of them."""
        return self.kind == RaterKind.JUDGE


@dataclass(frozen=True, slots=True, kw_only=True)
class Meaning:
    """What the codes of a criterion stand for: (codes,) each.

    `values`: a score or a label's number, NaN where unscored; `unscored`: the reason; `ways`: of a
    label in a graph the way to it, blank where that is not known.
    """

    values: Floats
    unscored: npt.NDArray[np.str_]
    off_scale: npt.NDArray[np.bool_]
    ways: tuple[str, ...] = ()

    def values_in(self, view: View) -> Floats:
        return self.values if view.with_off_scale else np.where(self.off_scale, np.nan, self.values)


@dataclass(frozen=True, kw_only=True)
class StudyRatings:
    """All that a study holds at one revision.

    `items`: ids (n,), ascending; `dialogues` (n,), `generators` (n,) and `quarantined` (n,), those
    set aside from figures, go with them, and `lots` (n,), what draws go by. `columns`: codes (criteria, n) of each rater at each
    repeat, and of gold; `criteria` says which row is whose, `meanings` what its codes stand for.
    `probabilities` (n,): the chance that an item had to be drawn for people, 1 where it was taken.
    `picked` (n,): what came to people off a list that others had less chance to be on, None where nothing did.
    `held_out` (n,): what no prompt was written by, None where the study holds nothing out.
    `is_blinded`: whether its judges stand under letters.
    `apart`: columns as `columns` has them, of what judges answered under another configuration than
    before; no figure but that of drift knows them (`analytics.ratings.configurations`).
    `juries`: how those among its judges are made up; none is told of where judges are blinded.
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
    lots: Lots
    raters: tuple[RaterColumn, ...]
    columns: Mapping[ColumnPlace, Codes]
    criteria: tuple[str, ...]
    meanings: Mapping[str, Meaning]
    lengths: Floats | None = None
    chances: Chances = Chances.ALIKE
    probabilities: Floats | None = None
    picked: npt.NDArray[np.bool_] | None = None
    held_out: npt.NDArray[np.bool_] | None = None
    is_blinded: bool = False
    apart: Mapping[ColumnPlace, Codes] = field(default_factory=dict)
    juries: tuple[Seated, ...] = ()

    @property
    def weights(self) -> Floats | None:
        """One over the chance that each item, (n,), had to be drawn, where chances differ and are
        known."""
        if self.chances is not Chances.UNEQUAL or self.probabilities is None:
            return None
        return 1 / self.probabilities

    @cached_property
    def ratings(self) -> "pd.DataFrame":
        """One row a rating: item (its place in `items`), rater (id), repeat, criterion, value (as
        in its meaning), unscored (the reason), off_scale."""
        return _ratings(self)

    @cached_property
    def gold(self) -> "pd.DataFrame":
        """One row a gold value: item (its place in `items`), criterion, value."""
        return _decided(self)

    @cached_property
    def has_gold(self) -> npt.NDArray[np.bool_]:
        """Which items have a gold value for which criterion, (criteria, n)."""
        given = [self.values(OF_GOLD, key, view=RELEASED) for key in self.meanings]
        return ~np.isnan(np.reshape(given, (len(given), self.items.size)))

    @property
    def humans(self) -> tuple[RaterColumn, ...]:
        return tuple(rater for rater in self.raters if not rater.is_judge)

    @property
    def judges(self) -> tuple[RaterColumn, ...]:
        return tuple(rater for rater in self.raters if rater.is_judge)

    def others(self, judge: RaterColumn) -> tuple[RaterColumn, ...]:
        """The other judges; no jury, whose answers are those of judges once more."""
        return tuple(one for one in self.judges if one != judge and not one.is_jury)

    @cached_property
    def clusters(self) -> Ints | None:
        """The dialogue of each item, or None where every dialogue has only one."""
        alone = np.unique(self.dialogues).size == self.dialogues.size
        return None if alone else self.dialogues

    def at_items(self, kept: npt.NDArray[np.bool_]) -> "StudyRatings":
        """As if there were only some items, (n,), and whoever rated one of them."""
        columns = {place: codes[:, kept] for place, codes in self.columns.items()}
        present = {place.rater for place, codes in columns.items() if codes.any()}
        return replace(
            self,
            items=self.items[kept],
            dialogues=self.dialogues[kept],
            generators=self.generators[kept],
            quarantined=self.quarantined[kept],
            lots=self.lots[kept],
            raters=tuple(rater for rater in self.raters if rater.id in present),
            columns=columns,
            lengths=None if self.lengths is None else self.lengths[kept],
            probabilities=None if self.probabilities is None else self.probabilities[kept],
            picked=None if self.picked is None else self.picked[kept],
            held_out=None if self.held_out is None else self.held_out[kept],
            apart={place: codes[:, kept] for place, codes in self.apart.items()},
        )

    @property
    def with_apart(self) -> "StudyRatings":
        """With what judges answered under other configurations among the rest."""
        if not self.apart:
            return self
        both = {place: self.columns[place] + codes for place, codes in self.apart.items()}
        return replace(self, columns={**self.columns, **both}, apart={})

    def n_apart(self, rater: int) -> int:
        """How many answers of a judge stand apart."""
        return sum(
            int(codes.any(axis=0).sum())
            for place, codes in self.apart.items()
            if place.rater == rater
        )

    def effective(self, view: View) -> View:
        """The view that gives the same figures with the least let in."""
        return View(
            with_off_scale=view.with_off_scale and self.has_off_scale,
            with_quarantined=view.with_quarantined and bool(self.quarantined.any()),
            within=view.within,
        )

    def counted(self, view: View) -> npt.NDArray[np.bool_]:
        """Which items, (n,), count in a view."""
        return ~self.quarantined | view.with_quarantined

    @cached_property
    def has_off_scale(self) -> bool:
        return any(
            bool(meaning.off_scale[self.codes(place, key)].any())
            for key, meaning in self.meanings.items()
            if meaning.off_scale.any()
            for place in self.columns
        )

    @cached_property
    def filled(self) -> Mapping[ColumnPlace, Ints]:
        """The items, (m,), by their places, that each column holds anything for: of many people each
        rates few of all items, and what is looked up is looked up for those."""
        return {
            place: np.flatnonzero(codes.max(axis=0, initial=0))
            for place, codes in self.columns.items()
        }

    def codes(self, place: ColumnPlace, key: str) -> Codes:
        """The codes, (n,), in one column for a criterion; 0 where nothing was given."""
        column = self.columns.get(place)
        if column is None or key not in self.criteria:
            return np.zeros(self.items.size, dtype=np.uint32)
        found: Codes = column[self.criteria.index(key)]
        return found

    def values(self, place: ColumnPlace, key: str, *, view: View) -> Floats:
        """What one column holds for a criterion or a derived score, (n,), as it counts in a view."""
        found = np.full(self.items.size, np.nan)
        if place in self.columns:
            where = self.filled[place]
            where = where[self.counted(view)[where]]
            found[where] = self._given(place, key, where, view)
        return found

    def _given(self, place: ColumnPlace, key: str, where: Ints, view: View) -> Floats:
        """The values (m,) of the items at these places."""
        if group := self._group(key):
            parts = [self._given(place, part, where, view) for part in group.criteria]
            return _derived(self.rubric, group, parts)
        return self.meanings[key].values_in(view)[self.codes(place, key)[where]]

    def is_answered(self, place: ColumnPlace, key: str) -> npt.NDArray[np.bool_]:
        """Which items, (n,), have in one column a value or a reason for none, of any part of it."""
        found = np.zeros(self.items.size, dtype=np.bool_)
        if place in self.columns:
            where = self.filled[place]
            parts = [self.codes(place, part)[where] > 0 for part in self.rubric.made_of(key)]
            found[where] = np.any(parts, axis=0)
        return found

    def is_group(self, key: str) -> bool:
        """Whether a key names the mean or sum of a group, which has no levels to count."""
        group = self._group(key)
        return group is not None and not group.has_levels

    def _group(self, key: str) -> Group | None:
        return next((group for group in self.rubric.groups if group.key == key), None)


class GivenByPeople(NamedTuple):
    """Every value that people gave, (m,), one person after the other, and of which item, (m,)."""

    values: Floats
    items: Ints


@dataclass(frozen=True, kw_only=True)
class Matrix:
    """One criterion or derived score: what every rater gave every item, or came to.

    `columns`: (n,) of each rater, NaN where missing; `gold` (n,); `points`: the scale that values
    are on; `view`: what they were made with.
    """

    key: str
    measurement: Measurement
    points: tuple[float, ...]
    columns: tuple[Floats, ...]
    gold: Floats
    raters: tuple[RaterColumn, ...]
    view: View = PLAIN

    @cached_property
    def values(self) -> Floats:
        """The ratings of all, (n, r)."""
        return np.stack(self.columns).T if self.columns else np.empty((self.gold.size, 0))

    def of(self, rater: RaterColumn) -> Floats:
        """The ratings of one rater, (n,)."""
        return self.columns[self._places[rater.id]]

    def of_humans(self) -> Floats:
        """The ratings of people, (n, h)."""
        return self._of_humans

    @property
    def people(self) -> tuple[RaterColumn, ...]:
        """Those who have rated."""
        return tuple(self._rated)

    @cached_property
    def by_person(self) -> Mapping[RaterColumn, Floats]:
        """The people who have rated, each with what they gave (n,)."""
        return {rater: self.of(rater) for rater in self.people}

    @cached_property
    def given_by_people(self) -> GivenByPeople:
        """Found once for all judges that are held against them."""
        given = [self.of(rater)[items] for rater, items in self._rated.items()]
        return GivenByPeople(
            values=np.concatenate([np.empty(0), *given]),
            items=np.concatenate([np.empty(0, dtype=np.int64), *self._rated.values()]),
        )

    @cached_property
    def rated_by_people(self) -> npt.NDArray[np.bool_]:
        """Which items, (n,), some person gave a value."""
        found = np.zeros(self.gold.size, dtype=np.bool_)
        found[self.given_by_people.items] = True
        return found

    def mean_of_people(self) -> Floats:
        """Mean over the people who rated each item, (n,); NaN where nobody did."""
        values = self.of_humans()
        n = (~np.isnan(values)).sum(axis=1)
        mean = np.full(len(values), np.nan)
        np.divide(np.nansum(values, axis=1), n, out=mean, where=n > 0)
        return mean

    @cached_property
    def runs_found(self) -> dict[int, "JudgeRuns"]:
        """{judge: its `runs`} as far as somebody has asked for them."""
        return {}

    @cached_property
    def _of_humans(self) -> Floats:
        return self.values[:, [not rater.is_judge for rater in self.raters]]

    @cached_property
    def _rated(self) -> Mapping[RaterColumn, Ints]:
        """Which items, (m,), each of the people gave a value who gave any."""
        found = {
            rater: np.flatnonzero(~np.isnan(values))
            for rater, values in zip(self.raters, self.columns, strict=True)
            if not rater.is_judge
        }
        return {rater: items for rater, items in found.items() if items.size}

    @cached_property
    def _places(self) -> Mapping[int, int]:
        return {rater.id: place for place, rater in enumerate(self.raters)}


def read(study_id: int) -> StudyRatings:
    """Read a study as it is now."""
    return _under_its_rubric(study_id, packed.read(study_id))


def read_folding(study_id: int) -> StudyRatings:
    """Read a study as it is now, and bring its columns up to date where readers would have much to
    look up: for workers."""
    return _under_its_rubric(study_id, packed.fold_if_long(study_id) or packed.read(study_id))


def read_rows(study_id: int) -> StudyRatings:
    """Read a study as it is now from nothing but its rows: the same, and slower."""
    return _under_its_rubric(study_id, packed.rebuilt(study_id))


def of_tables(
    *,
    items: Ints,
    raters: tuple[RaterColumn, ...],
    rubric: Rubric,
    ratings: "pd.DataFrame",
    gold: "pd.DataFrame",
    **others: Any,
) -> StudyRatings:
    """A study from tables as `StudyRatings.ratings` and `.gold` give them, for instance of a file.

    `others`: the fields of StudyRatings that are not made here.
    """
    decided = gold.assign(rater=GOLD, repeat=OF_GOLD.repeat, unscored="", off_scale=False)

    def whole(name: str, kind: type[np.generic]) -> npt.NDArray[Any]:
        return np.concatenate([table[name].to_numpy(kind) for table in (ratings, decided)])

    about = whole("criterion", np.str_)
    answers = [whole("value", np.float64), whole("unscored", np.str_), whole("off_scale", np.bool_)]
    item, rater, repeat = (whole(name, np.int64) for name in ("item", "rater", "repeat"))
    criteria = tuple(criterion.key for criterion in rubric.criteria)
    columns: dict[ColumnPlace, Codes] = {}
    meanings = {}
    for row, key in enumerate(criteria):
        given = np.flatnonzero(about == key)
        codes, meanings[key] = _coded(*(part[given] for part in answers))
        whose = np.stack([rater[given], repeat[given]], axis=1)
        for place in np.unique(whose, axis=0):
            theirs = (whose == place).all(axis=1)
            empty = np.zeros((len(criteria), items.size), dtype=np.uint32)
            column = columns.setdefault(ColumnPlace(*place.tolist()), empty)
            column[row, item[given[theirs]]] = codes[theirs]
    return StudyRatings(
        items=items,
        raters=raters,
        rubric=rubric,
        columns=columns,
        criteria=criteria,
        meanings=meanings,
        **others,
    )


def _coded(
    values: Floats, unscored: npt.NDArray[np.str_], off_scale: npt.NDArray[np.bool_]
) -> tuple[Ints, Meaning]:
    """A code (n,) for each answer, from 1 in the order of their values, and what codes stand for;
    0 is no answer."""
    parts = [np.unique(part, return_inverse=True)[1] for part in (values, unscored, off_scale)]
    _, first, codes = np.unique(
        np.stack(parts, axis=1), axis=0, return_index=True, return_inverse=True
    )
    meaning = Meaning(
        values=np.array([np.nan, *values[first]]),
        unscored=np.array(["", *unscored[first]], dtype=np.str_),
        off_scale=np.array([False, *off_scale[first]], dtype=np.bool_),
    )
    return codes + 1, meaning


def matrix(study: StudyRatings, key: str, *, view: View = PLAIN) -> Matrix:
    """The matrix of a criterion or derived score: what a judge gave when first asked; see also `runs`."""
    part = study.rubric.part(key)
    firsts = [ColumnPlace(rater.id, 1) for rater in study.raters]
    return Matrix(
        key=key,
        measurement=measurement_of(study.rubric, part)
        if isinstance(part, Group)
        else part.measurement,
        points=_points(study, part, view),
        columns=tuple(study.values(first, key, view=view) for first in firsts),
        gold=study.values(OF_GOLD, key, view=view),
        raters=study.raters,
        view=view,
    )


def each_matrix(study: StudyRatings, parts: Sequence[Scored], *, view: View) -> dict[str, Matrix]:
    """The matrices of several, by their keys."""
    return {part.key: matrix(study, part.key, view=view) for part in parts}


@dataclass(frozen=True, slots=True, kw_only=True)
class Tally:
    """How many answers of a rater are values, off-scale ones among them, and why others are none."""

    n_values: int
    n_off_scale: int
    unscored: Mapping[str, int]


def tally(study: StudyRatings, rater: RaterColumn) -> Tally:
    """Count what a rater gave at all repeats, set aside or not."""
    n_values = n_off_scale = 0
    reasons: Counter[str] = Counter()
    for place in study.columns:
        if place.rater != rater.id:
            continue
        for key, meaning in study.meanings.items():
            given = study.codes(place, key)[study.filled[place]]
            times = np.bincount(given, minlength=meaning.values.size)
            times[0] = 0
            n_values += int(times[~np.isnan(meaning.values)].sum())
            n_off_scale += int(times[meaning.off_scale].sum())
            for code in np.flatnonzero((meaning.unscored != "") & (times > 0)):
                reasons[str(meaning.unscored[code])] += int(times[code])
    return Tally(n_values=n_values, n_off_scale=n_off_scale, unscored=dict(sorted(reasons.items())))


def answered(study: StudyRatings) -> npt.NDArray[np.bool_]:
    """Which items each rater has answered, (n, r): with a value or a reason for none."""
    found = np.zeros((study.items.size, len(study.raters)), dtype=np.bool_)
    columns = {rater.id: column for column, rater in enumerate(study.raters)}
    for place, where in study.filled.items():
        if place.rater in columns:
            for key in study.meanings:
                found[where, columns[place.rater]] |= study.codes(place, key)[where] > 0
    return found


def of_round(round_id: int) -> tuple[tuple[Matrix, ...], Ints]:
    """What a round's raters gave, each without seeing the others: a matrix a criterion, and the
    dialogue of each of their items."""
    rating_round = Round.objects.get(pk=round_id)
    found = packed.of_round(rating_round.study_id, round_id)
    study = _under_its_rubric(
        rating_round.study_id,
        replace(found, rubric_version_id=rating_round.rubric_version_id),
    )
    criteria = study.rubric.criteria
    tables = tuple(matrix(study, criterion.key, view=RELEASED) for criterion in criteria)
    return tables, study.dialogues


def repeats(study: StudyRatings, key: str, rater: RaterColumn, *, view: View = PLAIN) -> Floats:
    """What one rater gave each item at each repeat, (n, times)."""
    times = range(1, times_asked(study, key, rater) + 1)
    columns = [study.values(ColumnPlace(rater.id, repeat), key, view=view) for repeat in times]
    return np.stack(columns, axis=1) if columns else np.empty((study.items.size, 0))


def times_asked(study: StudyRatings, key: str, rater: RaterColumn) -> int:
    """How often one rater was asked, as far as there are answers."""
    given = [
        place.repeat
        for place in study.columns
        if place.rater == rater.id
        and any(study.codes(place, part).any() for part in study.rubric.made_of(key))
    ]
    return max(given, default=0)


def without_value(study: StudyRatings, key: str, raters: Collection[int]) -> Floats:
    """Which answers of these raters to a criterion have no value but a reason for none: 1 or 0, NaN
    where there is no answer, (n, answers), a column a rater and run; of people their first answers,
    as everywhere, and not those to items that came back to them."""
    reasons = study.meanings[key].unscored != ""
    of_runs = {judge.id for judge in study.judges}
    found = [
        np.where(codes > 0, reasons[codes], np.nan)
        for place in study.columns
        if place.rater in raters and (place.repeat == 1 or place.rater in of_runs)
        for codes in [study.codes(place, key)]
    ]
    return np.stack(found, axis=1) if found else np.empty((study.items.size, 0))


def of_other_generators(study: StudyRatings, judge: RaterColumn) -> npt.NDArray[np.bool_]:
    """Which items, (n,), a judge may be measured on: those not written by its own family."""
    if not judge.own_generators:
        return np.ones(study.items.size, dtype=np.bool_)
    return ~np.isin(study.generators, sorted(judge.own_generators))


def measured(study: StudyRatings, table: Matrix, judge: RaterColumn) -> Floats:
    """The ratings of a judge, (n,), NaN on items of its own family."""
    return np.where(of_other_generators(study, judge), table.of(judge), np.nan)


def digest(study: StudyRatings) -> str:
    """SHA-256 of every value that a study holds, whoever gave it and in whatever order it came. What
    a jury comes to is held by nobody."""
    found = sha256(study.items.astype("<i8").tobytes())
    found.update(study.quarantined.tobytes())
    keys = {rater.id: rater.key for rater in study.raters if not rater.is_jury} | {GOLD: ""}
    places = (place for place in study.columns if place.rater in keys)
    for place in sorted(places, key=lambda one: (keys[one.rater], one.repeat)):
        for key in sorted(study.meanings):
            codes = study.codes(place, key)
            found.update(f"{keys[place.rater]}\0{place.repeat}\0{key}\0".encode())
            found.update(study.meanings[key].values[codes].astype("<f8").tobytes())
            found.update("\0".join(study.meanings[key].unscored[codes].tolist()).encode())
    return found.hexdigest()


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeRuns:
    """What a judge gave each item at each of its runs, (n, r), NaN on items of its own family.

    `n_partial`: runs on so few items that figures are without them. `repeats`: the numbers (r) of
    the others.
    """

    values: Floats
    n_partial: int
    repeats: tuple[int, ...]

    @property
    def first(self) -> Floats:
        """What the first of these runs gave, (n,): where items are counted or listed they go by that."""
        return self.values[:, 0]

    @property
    def mean(self) -> Floats:
        """The mean of the runs that have a value, (n,)."""
        there = np.isfinite(self.values).sum(axis=1)
        summed = np.nansum(self.values, axis=1)
        return np.where(there > 0, summed / np.maximum(there, 1), np.nan)

    def as_flags(self, points: Collection[float]) -> "JudgeRuns":
        """1 where a value is one of these points, 0 where not."""
        flags = np.isin(self.values, list(points)).astype(np.float64)
        return replace(self, values=np.where(np.isnan(self.values), np.nan, flags))


def runs(study: StudyRatings, table: Matrix, judge: RaterColumn) -> JudgeRuns:
    """The runs of a judge that figures are the mean of: those on as good as all of its items."""
    if judge.id not in table.runs_found:
        table.runs_found[judge.id] = _runs(study, table, judge)
    return table.runs_found[judge.id]


def _runs(study: StudyRatings, table: Matrix, judge: RaterColumn) -> JudgeRuns:
    is_asked_once = times_asked(study, table.key, judge) == 1
    first = table.of(judge)[:, None]
    given = first if is_asked_once else repeats(study, table.key, judge, view=table.view)
    sizes = np.isfinite(given).sum(axis=0)
    whole = sizes >= WHOLE_RUN * sizes.max(initial=1)
    if not whole.any():
        return JudgeRuns(values=measured(study, table, judge)[:, None], n_partial=0, repeats=(1,))
    return JudgeRuns(
        values=np.where(of_other_generators(study, judge)[:, None], given[:, whole], np.nan),
        n_partial=int((~whole & (sizes > 0)).sum()),
        repeats=tuple((1 + np.flatnonzero(whole)).tolist()),
    )


def reply_lengths(study: StudyRatings) -> Floats:
    """How many characters the reply of each item has, (n,); NaN where there is none to count."""
    if study.lengths is not None:
        return study.lengths
    counted = Item.objects.filter(study=study.study_id).exclude(Q(reply=None) | Q(reply=""))
    lengths = dict(counted.annotate(length=Length("reply")).values_list("pk", "length"))
    return np.array([lengths.get(item, np.nan) for item in study.items.tolist()])


def _under_its_rubric(study_id: int, found: Packed) -> StudyRatings:
    rubric_version = RubricVersion.objects.defer("definition").get(pk=found.rubric_version_id)
    rubric = rubric_version.content
    raters = {place.rater for place, codes in found.columns.items() if codes.any()} - {GOLD}
    drawn = _drawn(study_id, found.items)
    study = StudyRatings(
        study_id=study_id,
        chances=drawn.chances,
        probabilities=drawn.probabilities,
        picked=drawn.picked,
        held_out=_held_out(study_id, found.items),
        key=found.key,
        revision=found.revision,
        rubric=rubric,
        rubric_fingerprint=rubric_version.fingerprint,
        items=found.items,
        dialogues=found.dialogues,
        generators=found.generators,
        quarantined=found.quarantined,
        lots=found.lots,
        raters=_raters(raters),
        columns=found.columns,
        criteria=found.criteria,
        meanings={
            criterion.key: _meaning(criterion, found.answers) for criterion in rubric.criteria
        },
    )
    study = _seated(_set_apart(study))
    cover = blinding.cover_of(study_id)
    return _under(cover, study) if cover else study


def _seated(study: StudyRatings) -> StudyRatings:
    """With the juries of the study among its judges."""
    return juries.joined(study, [*map(juries.seated, juries.in_force(study.study_id))])


def _under(cover: Cover, study: StudyRatings) -> StudyRatings:
    """The same ratings, with judges and the sources that tell of them under other names."""
    known = {one.id: cover.judges[one.id] for one in study.judges}
    renamed = (
        replace(
            one,
            id=known[one.id].id,
            key=known[one.id].key,
            name=known[one.id].name,
            own_generators=frozenset(
                cover.sources[name] for name in one.own_generators if name in cover.sources
            ),
        )
        for one in study.judges
    )
    return replace(
        study,
        is_blinded=True,
        juries=(),
        raters=(*study.humans, *sorted(renamed, key=lambda one: one.id)),
        columns=_of_aliases(cover, study.columns),
        apart=_of_aliases(cover, study.apart),
        generators=np.array(
            [cover.sources.get(name, name) for name in study.generators.tolist()], dtype=np.str_
        ),
    )


def _of_aliases(cover: Cover, columns: Mapping[ColumnPlace, Codes]) -> dict[ColumnPlace, Codes]:
    judges = cover.judges
    return {
        place._replace(rater=judges[place.rater].id) if place.rater in judges else place: codes
        for place, codes in columns.items()
    }


def _set_apart(study: StudyRatings) -> StudyRatings:
    """Without what judges answered under a configuration that nothing bridges to their first."""
    columns, moved = dict(study.columns), {}
    for place, items in configurations.apart(study.study_id).items():
        if place in columns:
            is_other = np.isin(study.items, items)
            moved[place] = np.where(is_other, columns[place], 0)
            columns[place] = np.where(is_other, 0, columns[place])
    return replace(study, columns=columns, apart=moved) if moved else study


def _held_out(study_id: int, items: Ints) -> npt.NDArray[np.bool_] | None:
    """Which items, (n,), are in the hold-out of a study."""
    of_study = HeldOutItem.objects.filter(hold_out__study=study_id, hold_out__ended_at=None)
    apart = list(of_study.values_list("item", flat=True))
    return np.isin(items, apart) if apart else None


class _Drawn(NamedTuple):
    """How items came to people: what StudyRatings has of it."""

    chances: Chances
    probabilities: Floats | None = None
    picked: npt.NDArray[np.bool_] | None = None


def _drawn(study_id: int, items: Ints) -> _Drawn:
    """How items came to people, and the chance of each (n,), that of its first round."""
    rounds = Round.objects.filter(study=study_id, drawn_from__isnull=False)
    chance = "round_items__probability"
    told = rounds.annotate(n=Count("round_items"), least=Min(chance), most=Max(chance))
    lists = [one for one in told.values_list("pk", "drawn_from", "n", "least", "most") if one[2]]
    if not lists:
        return _Drawn(Chances.ALIKE)
    took_some = {pk for pk, of, n, least, _ in lists if n < (of or 0) and least == 1}
    uneven = {pk for pk, _, _, least, most in lists if least < most}
    picked = _picked(took_some | uneven, items)
    if took_some:
        return _Drawn(Chances.NONE_OFF_LIST, picked=picked)
    found = np.ones(items.size)
    if not any(least < 1 for *_, least, _ in lists):
        return _Drawn(Chances.ALIKE, found, picked)
    drawn = RoundItem.objects.filter(round__in=rounds, probability__lt=1)
    for item, probability in drawn.values_list("item", "probability"):
        found[np.searchsorted(items, item)] = probability
    is_uneven = (found < 1).any()
    return _Drawn(Chances.UNEQUAL if is_uneven else Chances.ALIKE, found, picked)


def _picked(rounds: Collection[int], items: Ints) -> npt.NDArray[np.bool_] | None:
    """Which items, (n,), these rounds took from a list rather than others; None without any."""
    if not rounds:
        return None
    found = RoundItem.objects.filter(round__in=rounds, is_gold=False)
    return np.isin(items, list(found.values_list("item", flat=True)))


def _meaning(criterion: Criterion, answers: tuple[AnswerKey | None, ...]) -> Meaning:
    """What answers mean to a criterion; labels of another edition are no values."""
    codes = _codes(criterion)
    given = [answer or AnswerKey(None, None, "", False) for answer in answers]
    scores = [codes.get(one.label) if one.score is None else one.score for one in given]
    unknown = [one.label is not None and one.label not in codes for one in given]
    return Meaning(
        values=np.array([np.nan if score is None else score for score in scores], np.float64),
        unscored=np.array(
            [
                _UNKNOWN_LABEL if new else one.unscored
                for one, new in zip(given, unknown, strict=True)
            ],
            np.str_,
        ),
        off_scale=np.array([one.off_scale for one in given], np.bool_),
        ways=tuple(one.path for one in given),
    )


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


def _ratings(study: StudyRatings) -> "pd.DataFrame":
    """One row a rating, by rater, repeat, criterion and item. Criteria of other editions are left."""
    places = sorted(place for place in study.columns if place.rater != GOLD)
    parts = [(place, key) for place in places for key in study.meanings]
    codes = [study.codes(place, key) for place, key in parts]
    found = [np.flatnonzero(column) for column in codes]
    sizes = [where.size for where in found]

    def spread(shared: list[Any], kind: type) -> npt.NDArray[Any]:
        return np.repeat(np.array(shared, dtype=kind), sizes)

    def meant(kind: str, empty: npt.NDArray[Any]) -> npt.NDArray[Any]:
        of_parts = [
            getattr(study.meanings[key], kind)[column[where]]
            for (_, key), column, where in zip(parts, codes, found, strict=True)
        ]
        return np.concatenate([empty, *of_parts])

    return pd.DataFrame(
        {
            "item": np.concatenate([np.empty(0, np.int64), *found]),
            "rater": spread([place.rater for place, _ in parts], np.int64),
            "repeat": spread([place.repeat for place, _ in parts], np.int64),
            "criterion": pd.Categorical(
                spread([key for _, key in parts], np.str_), categories=list(study.meanings)
            ),
            "value": meant("values", np.empty(0)),
            "unscored": pd.Categorical(meant("unscored", np.empty(0, np.str_))),
            "off_scale": meant("off_scale", np.empty(0, np.bool_)),
        }
    )


def _decided(study: StudyRatings) -> "pd.DataFrame":
    """One row a gold value; labels of other editions are left."""
    parts = []
    for key in study.meanings:
        values = study.values(OF_GOLD, key, view=RELEASED)
        where = np.flatnonzero(~np.isnan(values))
        parts.append(pd.DataFrame({"item": where, "criterion": key, "value": values[where]}))
    return pd.concat(parts, ignore_index=True)


def _codes(criterion: Criterion) -> dict[str | None, float]:
    """{label: its number}; a scale has none."""
    if isinstance(criterion, Taxonomy):
        return {label.key: float(label.code) for label in criterion.labels}
    return {}


def _points(study: StudyRatings, criterion: Scored, view: View) -> tuple[float, ...]:
    """The declared points; with off-scale values also those found on any scale declared alike."""
    if isinstance(criterion, Group):
        return _points_of_group(study, criterion, view)
    declared = _declared(criterion)
    if isinstance(criterion, Taxonomy) or not view.with_off_scale:
        return declared
    alike = [
        other.key
        for other in study.rubric.criteria
        if isinstance(other, Scale) and other.values == criterion.values
    ]
    counted = study.counted(view)
    off = {
        value
        for key in alike
        for place in study.columns
        for value in _off_scale(study.meanings[key], study.codes(place, key)[counted])
    }
    return tuple(sorted({*declared, *off}))


def _off_scale(meaning: Meaning, codes: Codes) -> list[float]:
    if not meaning.off_scale.any():
        return []
    used = np.unique(codes)
    found: list[float] = meaning.values[used[meaning.off_scale[used]]].tolist()
    return found


def _declared(criterion: Criterion) -> tuple[float, ...]:
    values = criterion.values if isinstance(criterion, Scale) else _codes(criterion).values()
    return tuple(sorted(map(float, values)))


def _points_of_group(study: StudyRatings, group: Group, view: View) -> tuple[float, ...]:
    """What a derived score can come to, lowest first."""
    if group.summary == "any":
        return (0.0, 1.0)
    parts = [_points(study, study.rubric.criterion(key), view) for key in group.criteria]
    if group.has_levels:
        return tuple(sorted({point for points in parts for point in points}))
    share = len(parts) if group.summary == "mean" else 1
    lowest = round(sum(points[0] for points in parts))
    highest = round(sum(points[-1] for points in parts))
    return tuple((np.arange(lowest, highest + 1) / share).tolist())


def _derived(rubric: Rubric, group: Group, parts: Sequence[Floats]) -> Floats:
    """A derived score, (m,), from its parts, missing where one of them is."""
    if group.summary == "any":
        parts = [
            _is_up(flag, rubric.criterion(flag.criterion), values)
            for flag, values in zip(group.flags, parts, strict=True)
        ]
    return _OF_PARTS[group.summary](parts, axis=0)


def _is_up(flag: Flag, criterion: Criterion, values: Floats) -> Floats:
    """Where answers (n,) are a red flag: 1, 0, or NaN where there is no value."""
    if isinstance(criterion, Taxonomy):
        up = np.isin(values, [criterion.label(key).code for key in flag.labels])
    elif flag.at_most is not None:
        up = values <= flag.at_most
    else:
        up = values >= cast("int", flag.at_least)
    return np.where(np.isnan(values), np.nan, up)
