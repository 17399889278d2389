"""What the report of a study says, for its page: methods and the first tables."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from analytics.exports import rows
from analytics.exports.pseudonyms import public_name
from analytics.matrices import PLAIN, View
from analytics.reports.agreement import Report
from analytics.reports.parts import PARTS
from analytics.writeup import methods, tables
from analytics.writeup.methods import Paragraph, Told
from analytics.writeup.typesetting import Table
from annotation.models import RaterKind, Study


@dataclass(frozen=True, slots=True, kw_only=True)
class Preview:
    paragraphs: tuple[Paragraph, ...]
    references: tuple[str, ...]
    tables: tuple[Table, ...]


def preview(study: Study, reports: Mapping[View, Report], *, n_quarantined: int) -> Preview:
    """The methods and tables of these reports, people under pseudonyms."""
    public = {view: _public(report, study.release_key) for view, report in reports.items()}
    report = public[PLAIN]
    told = Told(
        study=study.name,
        reports=public,
        judges=list(rows.judges(study)),
        parts=tuple(key for key in PARTS if key != "agreement"),
        n_quarantined=n_quarantined,
    )
    shown = (tables.item_level(report), tables.system_level(report), tables.what_went_in(report))
    return Preview(
        paragraphs=tuple(methods.paragraphs(told)),
        references=tuple(methods.references(report)),
        tables=tuple(table for table in shown if table.rows),
    )


def _public(report: Report, release_key: str) -> Report:
    named = tuple(
        rater
        if rater.is_judge
        else replace(
            rater,
            name=public_name(release_key, rater_id=rater.id, key=rater.key, kind=RaterKind.HUMAN),
        )
        for rater in report.raters
    )
    return replace(report, raters=named)
