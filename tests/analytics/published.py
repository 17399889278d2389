"""The published workbooks of MentalAlign as a study, through the importer."""

from datetime import UTC, datetime
from pathlib import Path

from annotation.actions import studies
from annotation.actions.imports.raters import RaterGiven
from annotation.actions.imports.ratings import import_ratings
from annotation.models import RaterKind, Study
from annotation.readers.records import Source
from annotation.rubric.loading import shipped

AT = datetime(2026, 1, 5, 9, 0, tzinfo=UTC)
FILES = {
    "human": ("Human_judge.xlsx", RaterKind.HUMAN, []),
    "claude": ("claude_llm_judge.xlsx", RaterKind.JUDGE, ["claude"]),
    "gpt_4o": ("gpt-4o_llm_judge.xlsx", RaterKind.JUDGE, ["gpt4o"]),
}


def mentalalign(folder: Path) -> Study:
    """A study of 10,000 items with one human and two judges, who do not judge their own family."""
    study = studies.create(
        key="mentalalign",
        name="MentalAlign",
        rubric=shipped()["mentalalign"],
        coordinator=None,
        by=None,
        at=AT,
    )
    for key, (name, kind, own) in FILES.items():
        path = folder / "mentalalign" / name
        report = import_ratings(
            study_id=study.pk,
            source=Source(path=path, name=path.name),
            rater=RaterGiven(key=key, kind=kind, own_generators=own),
            by=None,
            at=AT,
            with_items=True,
        )
        assert report.is_written
    study.refresh_from_db()
    return study
