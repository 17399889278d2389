"""Hand out the table behind one figure."""

from datetime import datetime

from accounts.models import User
from analytics.agreement import numbers as agreement
from analytics.agreement import readers
from analytics.comparisons.kinds import Kind
from analytics.exports import tables
from analytics.figures import store as snapshots
from analytics.present import leaving
from analytics.present.files import TableFile, file_name
from analytics.present.leaving import FiguresTaken
from analytics.present.places import ComparisonPlace, comparison_at
from analytics.present.veil import veil_of
from analytics.ratings import slices
from analytics.ratings.matrices import View
from annotation.queries.studies import StudyAccess
from annotation.queries.visibility import reader_of
from annotation.queries.wording import Barred
from annotation.rules.visibility import reason_to_withhold_item


class NotYet(Barred):
    """A sentence that says why the table may not be seen now."""


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
    reader = reader_of(study_access, takes_away=True)
    # Behind the veil an address names nobody whom the rule knows, and every table is of answers.
    if veil_of(study_access) and (reason := reason_to_withhold_item(reader, is_rated_now=False)):
        raise NotYet(reason)
    report = snapshots.in_view(
        study_id=study.pk, part=agreement.PART, view=view, at=at, pieces=[criterion]
    )
    comparison = comparison_at(report, ComparisonPlace(criterion, kind, raters))
    if reason := readers.reason_to_keep_ratings(
        study,
        reader,
        raters=comparison.raters,
        with_gold=comparison.kind is Kind.JUDGE_GOLD,
    ):
        raise NotYet(reason)
    ratings = slices.read(study.pk, view.within)
    text = tables.ratings_file(study, ratings, comparison, view=view)
    place = f"{criterion}-{kind}-{raters}"
    taken = FiguresTaken(
        study_access=study_access,
        name=f"{place}.csv",
        view=view,
        revision=ratings.revision,
        more={"criterion": criterion, "kind": kind, "raters": raters},
    )
    leaving.as_file(taken, by=by, at=at, verb="agreement.table_downloaded")
    return TableFile(name=file_name(study, ratings.revision, place, view), text=text)
