"""A jury that somebody thinks of: who could sit in it, what their votes would weigh, what is in."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np
from django.db.models import Exists, OuterRef, QuerySet

from analytics.juries.numbers import JuryLine, of_one
from analytics.ratings import matrices
from analytics.ratings.juries import Seated, declared, in_force, placed
from analytics.ratings.matrices import PLAIN, Matrix, StudyRatings
from analytics.stats.juries import LEAST, JuryRule, Reliability, findings, reliability, weighed
from analytics.stats.scales import Floats
from annotation.models import HeldOutItem, Rater, RaterKind, Study, Submission
from annotation.rubric.schema import Criterion, Scale
from annotation.rubric.sentences import sentence
from judging.models import JudgeRun
from judging.queries.runs import which_rate

LONGEST_NAME = 100


BLINDED_JURIES = sentence(
    "Judges are blinded in this study: what a jury comes to would tell which letters are its members. "
    "Juries are named before judges are blinded, or once their names are told."
)


class CannotSeat(Exception):
    """A sentence that says why these judges cannot sit as a jury, or why it does not end."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """A jury as it would be. `n_seen`: how many answers of its members are in to items that it
    would be measured on; `lines`: how it would come to its answers."""

    name: str
    seated: Seated
    members: tuple[Rater, ...]
    n_seen: int
    lines: tuple[JuryLine, ...]


def candidates(study: Study) -> QuerySet[Rater]:
    """The judges of a study: who was run here, or rated."""
    rated = Submission.objects.filter(study=study, is_current=True, rater=OuterRef("pk"))
    run = JudgeRun.objects.filter(which_rate(), study=study, judge__rater=OuterRef("pk"))
    return Rater.objects.filter(Exists(rated) | Exists(run), kind=RaterKind.JUDGE).order_by("key")


def proposal(
    *, study: Study, name: str, members: Collection[int], rule: JuryRule, quorum: int
) -> Proposal:
    """The jury as it would be. CannotSeat says what is wrong with it."""
    judges = tuple(candidates(study).filter(pk__in=members))
    _refuse(study, name.strip(), judges, n_asked=len(set(members)), quorum=quorum)
    ratings = matrices.read(study.pk)
    weights, made_on = _weights(ratings, judges) if rule is JuryRule.WEIGHTED else ({}, ())
    seated = Seated(
        id=0,
        key="",
        name=name.strip(),
        members=tuple(one.pk for one in judges),
        rule=rule,
        quorum=quorum,
        weights=weights,
        made_on=made_on,
    )
    return Proposal(
        name=name.strip(),
        seated=seated,
        members=judges,
        n_seen=_n_seen(study, judges),
        lines=tuple(of_one(ratings, placed(ratings, seated), view=PLAIN)),
    )


def _refuse(
    study: Study,
    name: str,
    judges: Sequence[Rater],
    *,
    n_asked: int,
    quorum: int,
) -> None:
    if study.judges_are_blinded:
        raise CannotSeat(BLINDED_JURIES)
    if not name or len(name) > LONGEST_NAME:
        raise CannotSeat(sentence("A jury needs a name of at most {n} characters.", n=LONGEST_NAME))
    if len(judges) < n_asked:
        raise CannotSeat(sentence("Only judges of this study can sit in its juries."))
    if len(judges) < 2:
        raise CannotSeat(sentence("A jury has at least two members."))
    if not 1 <= quorum <= len(judges):
        raise CannotSeat(
            sentence("The quorum lies between 1 and the number of members, {n}.", n=len(judges))
        )
    taken = {one.name for one in in_force(study.pk)} | {one.name for one in candidates(study)}
    if name in taken:
        raise CannotSeat(sentence("A judge or a jury of this study is called “{name}”.", name=name))


def _n_seen(study: Study, judges: Sequence[Rater]) -> int:
    given = Submission.objects.filter(study=study, rater__in=judges, is_current=True)
    held_out = HeldOutItem.objects.filter(hold_out__study=study, hold_out__ended_at=None)
    if held_out.exists():
        given = given.filter(item__in=held_out.values("item"))
    return given.count()


def _weights(
    study: StudyRatings, judges: Sequence[Rater]
) -> tuple[dict[str, tuple[Reliability, ...]], tuple[int, ...]]:
    """{criterion: what each judge's vote weighs}, and the items that this was made by: those that
    are not held out."""
    if study.held_out is None:
        raise CannotSeat(
            sentence(
                "Weights are made by items that are not held out, and the jury is measured on those "
                "that are. Hold items out first."
            )
        )
    used = np.zeros(study.items.size, dtype=np.bool_)
    found = {}
    for criterion in study.rubric.criteria:
        table = matrices.matrix(study, criterion.key)
        truth = np.where(study.held_out, np.nan, reference(table, criterion))
        columns = [
            matrices.measured(study, table, rater)
            for judge in judges
            for rater in study.judges
            if rater.id == judge.pk
        ]
        if len(columns) < len(judges):
            raise CannotSeat(
                sentence("A member has not rated yet, so that nothing weighs its vote.")
            )
        of_all = tuple(
            reliability(
                values, truth, points=declared(criterion), on_scale=isinstance(criterion, Scale)
            )
            for values in columns
        )
        found[criterion.key] = weighed(of_all)
        if found[criterion.key] is of_all:
            used |= np.isfinite(truth) & np.isfinite(np.stack(columns)).any(axis=0)
    return _that_weigh(found), tuple(study.items[used].tolist())


def _that_weigh(
    found: dict[str, tuple[Reliability, ...]],
) -> dict[str, tuple[Reliability, ...]]:
    """CannotSeat where no criterion has enough items, or nobody on one is better than chance."""
    if not any(min(one.n_items for one in of_all) >= LEAST for of_all in found.values()):
        raise CannotSeat(
            sentence(
                "There are too few items that are not held out and that people and every member "
                "rated: {least} of a criterion are asked.",
                least=LEAST,
            )
        )
    if lost := [key for key, of_all in found.items() if not any(one.weight for one in of_all)]:
        raise CannotSeat(
            sentence("No member is better than chance on “{criterion}”.", criterion=lost[0])
        )
    return found


def reference(table: Matrix, criterion: Criterion) -> Floats:
    """Gold where an item has it, else what most of the people who rated it gave, on a scale their
    median, (n,); NaN where that is no one value."""
    people = table.of_humans()
    if not people.shape[1]:
        return table.gold
    found = findings(
        people,
        np.isfinite(people),
        points=declared(criterion),
        weights=np.ones(people.shape[1]),
        quorum=1,
        by_median=isinstance(criterion, Scale),
    )
    return np.where(np.isfinite(table.gold), table.gold, found.values)
