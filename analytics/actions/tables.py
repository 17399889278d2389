"""Hand out the table behind one figure."""

from dataclasses import dataclass
from datetime import datetime

from accounts import events
from accounts.models import User
from analytics import matrices, snapshots
from analytics.exports import tables
from analytics.queries.dashboard import comparison_at
from analytics.reports import Comparison
from annotation.models import Submission
from annotation.queries.ratings import rater_of
from annotation.queries.studies import StudyAccess
from annotation.rubric.sentences import sentence
from annotation.rules.blinding import may_show
from annotation.rules.lifecycle import RoundState


class NotYet(Exception):
    """A sentence that says why the table may not be seen now."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    name: str
    text: str


def hand_out(
    *,
    study_access: StudyAccess,
    criterion: str,
    kind: str,
    raters: str,
    with_off_scale: bool,
    by: User,
    at: datetime,
) -> Table:
    """The table with this address, as CSV; NotYet while it would tell what is still blinded."""
    study = study_access.study
    report = snapshots.up_to_date(study_id=study.pk, at=at)[with_off_scale]
    comparison = comparison_at(report, criterion, kind, raters)
    _refuse_blinded(study_access, comparison, by)
    ratings = matrices.read(study.pk)
    text = tables.csv_of(study, ratings, comparison, with_off_scale=with_off_scale)
    events.record(
        "agreement.table_downloaded",
        subject=f"study:{study.pk}",
        by=by,
        at=at,
        facts={
            "criterion": criterion,
            "kind": kind,
            "raters": raters,
            "with_off_scale": with_off_scale,
            "revision": ratings.revision,
        },
    )
    values = "-as-released" if with_off_scale else ""
    name = f"{study.key}-r{ratings.revision}-{criterion}-{kind}-{raters}{values}.csv"
    return Table(name=name, text=text)


def _refuse_blinded(study_access: StudyAccess, comparison: Comparison, by: User) -> None:
    reader = rater_of(by.pk)
    found = Submission.objects.filter(
        study=study_access.study,
        rater__in=comparison.raters,
        is_current=True,
        round__isnull=False,
    ).values_list("rater_id", "round__state", "round__number")
    for owner, state, number in found.distinct():
        if not may_show(owner, reader, study_access.roles, RoundState(state)):
            raise NotYet(
                sentence(
                    "Round {number} is open, and its ratings are in this table: it can be "
                    "downloaded once the round is closed.",
                    number=number,
                )
            )
