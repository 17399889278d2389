"""How a jury comes to its answers: on how many items, how many members could be read, what is tied."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from analytics.ratings.juries import Seated, found_on
from analytics.ratings.matrices import StudyRatings, View
from analytics.stats.juries import JuryRule, Reliability


@dataclass(frozen=True, slots=True, kw_only=True)
class JuryLine:
    """One jury on one criterion, at its first answers.

    `members`: (key, name) of each. `n_read`: on how many items 0, 1, 2 … of them could be read.
    `weights`: one a member, empty where votes do not weigh.
    """

    jury: int
    criterion: str
    members: tuple[tuple[str, str], ...]
    rule: JuryRule
    quorum: int
    n_decided: int
    n_tied: int
    n_short: int
    n_read: tuple[int, ...]
    weights: tuple[Reliability, ...]

    @property
    def n_items(self) -> int:
        """Items that a member was asked about."""
        return self.n_decided + self.n_tied + self.n_short


def of_juries(study: StudyRatings, *, view: View) -> Iterator[JuryLine]:
    """Every jury of a study on every criterion; none while judges are blinded."""
    for jury in study.juries:
        yield from of_one(study, jury, view=view)


def of_one(study: StudyRatings, jury: Seated, *, view: View) -> Iterator[JuryLine]:
    """One jury, whether it is named already or only looked at."""
    raters = {one.id: (one.key, one.name) for one in study.raters}
    for criterion in study.rubric.criteria:
        found = found_on(study, jury, criterion.key)
        counted = study.counted(view)
        is_decided = np.isfinite(found.values) & counted
        is_asked = (np.isfinite(found.values) | found.is_tied | found.is_short) & counted
        if not is_asked.any():
            continue
        read = np.bincount(found.n_read[is_asked], minlength=len(jury.members) + 1)
        yield JuryLine(
            jury=jury.id,
            criterion=criterion.key,
            members=tuple(raters.get(one, (str(one), str(one))) for one in jury.members),
            rule=jury.rule,
            quorum=jury.quorum,
            n_decided=int(is_decided.sum()),
            n_tied=int((found.is_tied & counted).sum()),
            n_short=int((found.is_short & counted).sum()),
            n_read=tuple(map(int, read)),
            weights=jury.weights.get(criterion.key, ()),
        )
