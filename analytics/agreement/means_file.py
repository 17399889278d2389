"""Hand out the means that the figures at system level rest on: no figures, what these are made of."""

from collections.abc import Iterator
from datetime import datetime

from accounts.models import User
from analytics.agreement import numbers as agreement
from analytics.agreement import readers
from analytics.agreement.numbers import Report
from analytics.exports.cells import csv_of
from analytics.figures import store as snapshots
from analytics.present import leaving
from analytics.present.files import TableFile, file_name
from analytics.present.leaving import FiguresTaken
from analytics.ratings.matrices import View
from annotation.queries.studies import StudyAccess

HEAD = ("judge", "criterion", "generator", "people", "judge_mean", "items")


def hand_out_means(*, study_access: StudyAccess, view: View, by: User, at: datetime) -> TableFile:
    """A row a judge, criterion and generator: both means, over so many items.

    While a round is open, means over few items are left blank.
    """
    study = study_access.study
    report = snapshots.in_view(study_id=study.pk, part=agreement.GLANCE, view=view, at=at)
    rows = _rows(leaving.report(report, study_access), readers.least_items(study))
    taken = FiguresTaken(
        study_access=study_access, name="means.csv", view=view, revision=report.revision
    )
    leaving.as_file(taken, by=by, at=at, verb="agreement.means_downloaded")
    name = file_name(study, report.revision, "means", view)
    return TableFile(name=name, text=csv_of(HEAD, rows))


def _rows(report: Report, least: int) -> Iterator[tuple[object, ...]]:
    keys = {rater.id: rater.key for rater in report.raters}
    for line in report.systems:
        for system, means, n in zip(line.systems, line.means, line.n_pairs, strict=True):
            told = means if n >= least else (None, None)
            yield keys[line.judge], line.criterion, system, *told, n
