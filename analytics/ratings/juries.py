"""Juries as columns: what the judges of a jury come to, worked out wherever ratings are read.

A jury has no row among raters and no answers that are stored. Its n-th answer to an item is made of
its members' n-th answers to that item.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from analytics.models import Jury
from analytics.ratings.columns import Codes, ColumnPlace
from analytics.stats.juries import Findings, JuryRule, Reliability, findings
from analytics.stats.scales import Floats, Ints
from annotation.models import RaterKind
from annotation.rubric.schema import Criterion, Scale, Taxonomy

if TYPE_CHECKING:
    from analytics.ratings.matrices import Meaning, RaterColumn, StudyRatings

_FIRST = 2**51  # above every id of a row and every number of a pseudonym, below every letter's
_LAST = 2**52
TIED, SHORT = "jury_tied", "jury_below_quorum"


@dataclass(frozen=True, slots=True, kw_only=True)
class Seated:
    """A jury to be worked out. `members`: numbers of raters; `weights`: {criterion: one a member},
    empty where all weigh the same; `made_on`: items that the weights were made by, and `apart` the
    dialogues of these, on which it has no answers."""

    id: int
    key: str
    name: str
    members: tuple[int, ...]
    rule: JuryRule
    quorum: int
    weights: Mapping[str, tuple[Reliability, ...]]
    made_on: tuple[int, ...] = ()
    apart: tuple[int, ...] = ()

    def weighing(self, criterion: str) -> Floats:
        """The weight of each member's vote, (m,)."""
        known = self.weights.get(criterion)
        if known is None:
            return np.ones(len(self.members))
        return np.array([one.weight for one in known])


def number_of(jury: Jury) -> int:
    """What figures name a jury by."""
    return _FIRST + jury.pk


def is_number(rater: int) -> bool:
    """Whether figures name a jury by this number and no row of raters does."""
    return _FIRST <= rater < _LAST


def numbered(raters: Iterable[int]) -> dict[int, Jury]:
    """{number: jury} of those among these raters."""
    known = [rater - _FIRST for rater in raters if is_number(rater)]
    return {number_of(jury): jury for jury in Jury.objects.filter(pk__in=known)} if known else {}


def in_force(study_id: int) -> list[Jury]:
    """The juries of a study that have not ended, the first named first."""
    return list(Jury.objects.filter(study=study_id, ended_at=None).order_by("pk"))


def seated(jury: Jury) -> Seated:
    """A jury as arrays need it."""
    return Seated(
        id=number_of(jury),
        key=jury.key,
        name=jury.name,
        members=tuple(jury.members),
        rule=JuryRule(jury.rule),
        quorum=jury.quorum,
        weights={
            criterion: tuple(Reliability(**found[str(one)]) for one in jury.members)
            for criterion, found in jury.weights.items()
        },
        made_on=tuple(jury.made_on),
    )


def joined(study: "StudyRatings", juries: list[Seated]) -> "StudyRatings":
    """A study with these juries among its judges, where enough of their members have rated."""
    for jury in juries:
        study = _with(study, jury)
    return study


def placed(study: "StudyRatings", jury: Seated) -> Seated:
    """A jury that knows which dialogues of a whole study its weights were made by."""
    known = np.isin(study.items, jury.made_on)
    return replace(jury, apart=tuple(np.unique(study.dialogues[known]).tolist()))


def _with(study: "StudyRatings", jury: Seated) -> "StudyRatings":
    jury = placed(study, jury)
    members = [one for one in study.raters if one.id in jury.members]
    columns: dict[ColumnPlace, Codes] = {}
    meanings = {key: _widened(study, key) for key in study.meanings}
    for repeat in _repeats(study, jury):
        column = np.zeros((len(study.criteria), study.items.size), dtype=np.uint32)
        for criterion in study.rubric.criteria:
            if criterion.key in study.criteria:
                found = found_on(study, jury, criterion.key, repeat)
                row = study.criteria.index(criterion.key)
                column[row] = _codes(found, study.meanings[criterion.key], criterion)
        if column.any():
            columns[ColumnPlace(jury.id, repeat)] = column
    if not columns:
        return study
    return replace(
        study,
        raters=(*study.raters, _column_of(jury, members)),
        columns={**study.columns, **columns},
        meanings=meanings,
        juries=(*study.juries, jury),
    )


def found_on(study: "StudyRatings", jury: Seated, criterion: str, repeat: int = 1) -> Findings:
    """What a jury comes to on a criterion at one repeat: nothing on the items that its weights were
    made by, and no other item of their dialogues.

    A value off the scale cannot be read, whatever readers let in.
    """
    meaning, of = study.meanings[criterion], study.rubric.criterion(criterion)
    places = [ColumnPlace(one, repeat) for one in jury.members]
    codes = np.stack([study.codes(place, criterion) for place in places], axis=1)
    values = np.where(meaning.off_scale, np.nan, meaning.values)[codes]
    is_asked = (codes > 0) & ~np.isin(study.dialogues, jury.apart)[:, None]
    return findings(
        np.where(is_asked, values, np.nan),
        is_asked,
        points=declared(of),
        weights=jury.weighing(criterion),
        quorum=jury.quorum,
        by_median=jury.rule is not JuryRule.MAJORITY and isinstance(of, Scale),
    )


def declared(criterion: Criterion) -> tuple[float, ...]:
    """The values that a criterion knows, lowest first."""
    if isinstance(criterion, Taxonomy):
        return tuple(sorted(float(label.code) for label in criterion.labels))
    return tuple(sorted(map(float, criterion.values)))


def _repeats(study: "StudyRatings", jury: Seated) -> list[int]:
    """The repeats that as many members as the quorum were asked."""
    asked = [place for place, codes in study.columns.items() if codes.any()]
    times = [place.repeat for place in asked if place.rater in jury.members]
    return sorted(repeat for repeat in set(times) if times.count(repeat) >= jury.quorum)


def _column_of(jury: Seated, members: "list[RaterColumn]") -> "RaterColumn":
    """Not measured on what a member's own family wrote."""
    own = frozenset[str]().union(*(one.own_generators for one in members))
    return replace(
        members[0],
        id=jury.id,
        key=jury.key,
        name=jury.name,
        kind=RaterKind.JUDGE,
        own_generators=own,
        is_jury=True,
    )


def _widened(study: "StudyRatings", key: str) -> "Meaning":
    """A meaning with every value that its criterion knows, and what a jury lacks one for: the codes
    from `_base` on. The same where a jury was there before."""
    meaning = study.meanings[key]
    if _base(meaning) < meaning.values.size:
        return meaning
    points = declared(study.rubric.criterion(key))
    return replace(
        meaning,
        values=np.concatenate([meaning.values, [np.nan, np.nan], points]),
        unscored=np.concatenate([meaning.unscored, [TIED, SHORT], [""] * len(points)]),
        off_scale=np.concatenate([meaning.off_scale, np.zeros(2 + len(points), dtype=np.bool_)]),
    )


def _base(meaning: "Meaning") -> int:
    """The code that stands for a tie, whether it is there already or would be next."""
    there = np.flatnonzero(meaning.unscored == TIED)
    return int(there[0]) if there.size else meaning.values.size


def _codes(found: Findings, meaning: "Meaning", criterion: Criterion) -> Ints:
    base = _base(meaning)
    codes = np.zeros(found.values.size, dtype=np.int64)
    codes[found.is_tied] = base
    codes[found.is_short] = base + 1
    has_value = np.isfinite(found.values)
    places = np.searchsorted(declared(criterion), found.values[has_value])
    codes[has_value] = base + 2 + places
    return codes
