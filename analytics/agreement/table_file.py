"""Hand out the table behind one figure."""

from dataclasses import dataclass
from datetime import datetime

from accounts import events
from accounts.models import User
from analytics.agreement import numbers as agreement
from analytics.agreement import readers
from analytics.agreement.numbers import Kind
from analytics.agreement.places import comparison_at
from analytics.exports import tables
from analytics.figures import store as snapshots
from analytics.present.viewing import NAMED
from analytics.ratings import matrices
from analytics.ratings.matrices import View
from annotation.models import Study
from annotation.queries.studies import StudyAccess
from annotation.queries.visibility import reader_of


class NotYet(Exception):
    """A sentence that says why the table may not be seen now."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TableFile:
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
) -> TableFile:
    """The table with this address, as CSV; NotYet while it would tell what is still blinded."""
    study = study_access.study
    report = snapshots.up_to_date(study_id=study.pk, part=agreement.PART, at=at)[view]
    comparison = comparison_at(report, criterion, kind, raters)
    if reason := readers.reason_to_keep_ratings(
        study,
        reader_of(study_access, takes_away=True),
        raters=comparison.raters,
        with_gold=comparison.kind is Kind.JUDGE_GOLD,
    ):
        raise NotYet(reason)
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
    place = f"{criterion}-{kind}-{raters}"
    return TableFile(name=file_name(study, ratings.revision, place, view), text=text)


def file_name(study: Study, revision: int, what: str, view: View) -> str:
    """What a table is called: by study and revision, and by the view unless it is the plain one."""
    values = next(name for name, known in NAMED.items() if known == view)
    return "-".join(filter(None, [study.key, f"r{revision}", what, values])) + ".csv"
