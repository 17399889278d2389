"""What the report of a study will say, from the figures that are kept: methods and first tables."""

from collections.abc import Mapping
from dataclasses import replace

from analytics.agreement import tables as agreement
from analytics.agreement.numbers import Report
from analytics.exports import rows
from analytics.exports.pseudonyms import public_name
from analytics.present.naming import of_raters
from analytics.present.veil import Veil, veiled
from analytics.ratings.matrices import PLAIN, View
from analytics.report import contents, methods, numbers
from analytics.report.contents import Contents
from analytics.report.methods import MethodsBasis
from analytics.rooms import ROOMS
from analytics.trust.policies import Held
from annotation.models import RaterKind, Study
from annotation.queries.audits import found_in_study
from annotation.queries.qualified import n_answers_to_qualify
from annotation.queries.rounds import protocols_of


def preview(
    study: Study,
    reports: Mapping[View, Report],
    *,
    held: Held,
    n_quarantined: int,
    veil: Veil | None,
) -> Contents:
    """The methods and tables of these reports, people under the pseudonyms of the report, or under
    those of a veil."""
    public = {
        view: veiled(report, veil) if veil else _public(report, study.release_key)
        for view, report in reports.items()
    }
    report = public[PLAIN]
    naming = of_raters(study.rubric_version.content, report.raters)
    tables = (
        agreement.item_level(report, naming),
        agreement.system_level(report, naming),
        agreement.what_went_in(report, naming),
    )
    told = MethodsBasis(
        study=study.name,
        reports=public,
        judges=list(rows.judges(study)),
        tables=frozenset(),
        held=held,
        n_quarantined=n_quarantined,
        protocols=protocols_of(study),
        n_to_qualify=n_answers_to_qualify(study),
        audits=found_in_study(study),
    )
    part = contents.PartInShort(
        key="agreement",
        title=str(ROOMS["agreement"].title),
        tables=contents.in_short([table for table in tables if table.lines]),
    )
    return Contents(
        methods=tuple(methods.paragraphs(told)),
        references=tuple(work.in_words for work in methods.references(told)),
        parts=(part,) if part.tables else (),
        policy=held.title,
        policy_sha256=held.policy.sha256,
        seeds=numbers.SEEDS,
        versions=numbers.versions(),
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
