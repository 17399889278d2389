"""Hand out the table behind one figure."""

from dataclasses import dataclass
from datetime import datetime

from accounts import events
from accounts.models import User
from analytics import matrices, snapshots
from analytics.exports import tables
from analytics.matrices import RELEASED, View
from analytics.queries.dashboard import comparison_at
from analytics.reports import agreement
from analytics.reports.agreement import Comparison, Kind
from annotation.models import Gold, Study, Submission
from annotation.queries.ratings import rater_of
from annotation.queries.studies import StudyAccess
from annotation.rubric.sentences import Sentence, sentence
from annotation.rules.blinding import may_show
from annotation.rules.lifecycle import RoundState

_WITH_A_JUDGE = (Kind.JUDGE_HUMANS, Kind.JUDGE_HUMAN, Kind.JUDGE_GOLD, Kind.JUDGE_REPEATS)


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
    view: View,
    by: User,
    at: datetime,
) -> Table:
    """The table with this address, as CSV; NotYet while it would tell what is still blinded."""
    study = study_access.study
    report = snapshots.up_to_date(study_id=study.pk, part=agreement.PART, at=at)[view]
    comparison = comparison_at(report, criterion, kind, raters)
    _refuse_blinded(study_access, comparison, by)
    ratings = matrices.read(study.pk)
    text = tables.csv_of(study, ratings, comparison, view=view)
    events.record(
        "agreement.table_downloaded",
        subject=f"study:{study.pk}",
        by=by,
        at=at,
        facts={
            "criterion": criterion,
            "kind": kind,
            "raters": raters,
            "with_off_scale": view.with_off_scale,
            "with_quarantined": view.with_quarantined,
            "revision": ratings.revision,
        },
    )
    values = "-as-released" if view == RELEASED else ""
    name = f"{study.key}-r{ratings.revision}-{criterion}-{kind}-{raters}{values}.csv"
    return Table(name=name, text=text)


def _refuse_blinded(study_access: StudyAccess, comparison: Comparison, by: User) -> None:
    if study_access.may_rate and comparison.kind in _WITH_A_JUDGE:
        raise NotYet(
            sentence(
                "You annotate in this study, so what judges answered is not handed to you: it "
                "could sway your ratings."
            )
        )
    reader = rater_of(by.pk)
    found = Submission.objects.filter(
        study=study_access.study,
        rater__in=comparison.raters,
        is_current=True,
        round__isnull=False,
    ).values_list("rater_id", "round__state", "round__number")
    for owner, state, number in found.distinct():
        if not may_show(owner, reader, study_access.roles, RoundState(state)):
            raise NotYet(_still_open(number))
    if comparison.kind is Kind.JUDGE_GOLD:
        _refuse_gold_of_an_open_round(study_access.study)


def _refuse_gold_of_an_open_round(study: Study) -> None:
    """Where all raters of an item agree, its gold is what each of them answered."""
    gold = Gold.objects.filter(
        item__study=study, superseded_at=None, round__state=RoundState.OPEN
    ).values_list("round__number", flat=True)
    if number := gold.first():
        raise NotYet(_still_open(number))


def _still_open(number: int) -> Sentence:
    return sentence(
        "Round {number} is open, and its ratings are in this table: it can be downloaded once the "
        "round is closed.",
        number=number,
    )
