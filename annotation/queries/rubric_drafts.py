"""The rubric that somebody is writing for a study: for them alone."""

from dataclasses import dataclass

from annotation.models import RubricDraft
from annotation.queries.studies import StudyAccess
from annotation.rubric.loading import dump, load, mistakes_in, parse_toml
from annotation.rubric.schema import Rubric
from annotation.rubric.writing import as_toml


@dataclass(frozen=True, slots=True, kw_only=True)
class RubricWritten:
    """A rubric as it is written so far; `version` is 0 where nothing is kept yet."""

    text: str
    version: int = 0
    has_earlier: bool = False
    is_behind: bool = False


def written_by(study_access: StudyAccess) -> RubricWritten:
    """What this account wrote for a study, or the edition in force where it wrote nothing.

    It is behind where the study went on under an edition that is younger.
    """
    study = study_access.study
    draft = RubricDraft.objects.filter(study=study, user=study_access.access.user_id).first()
    if draft is None:
        return RubricWritten(text=in_force(study_access))
    is_older = draft.kept_at < study.rubric_version.published_at
    return RubricWritten(
        text=draft.words,
        version=draft.version,
        has_earlier=bool(draft.earlier),
        is_behind=is_older and rubric_in(draft.words) != study.rubric_version.content,
    )


def in_force(study_access: StudyAccess) -> str:
    """The edition that the study is under, as TOML."""
    return as_toml(dump(study_access.study.rubric_version.content))


def rubric_in(text: str) -> Rubric | None:
    """The rubric that is written; None while there are mistakes in it."""
    return None if mistakes_in(text) else load(parse_toml(text))
