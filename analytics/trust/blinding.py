"""Blinded analysis: judges stand under letters until a verdict is sealed, or somebody names them."""

from datetime import datetime

from django.db import transaction

from accounts import events
from accounts.models import User
from analytics.models import Snapshot
from analytics.trust.actions import CannotFix, refuse_others
from annotation.actions.studies import note_change
from annotation.models import RaterKind, Study, Submission
from annotation.queries.studies import StudyAccess
from annotation.rubric.sentences import sentence
from annotation.rules.remarks import tidied

LONGEST_REASON = 300


@transaction.atomic
def blind(*, study_access: StudyAccess, by: User, at: datetime) -> None:
    """Show judges under letters from now on. CannotFix where figures of them may have been seen."""
    refuse_others(study_access)
    study = Study.objects.select_for_update().get(pk=study_access.study.pk)
    if study.judges_blinded_at is not None:
        raise CannotFix(sentence("The judges of this study were blinded already."))
    if Submission.objects.filter(study=study, rater__kind=RaterKind.JUDGE).exists():
        raise CannotFix(
            sentence(
                "Judges have rated here already, so that somebody may have seen their figures. They "
                "can be blinded before the first of them rates."
            )
        )
    study.judges_blinded_at = at
    study.save(update_fields=["judges_blinded_at"])
    events.record("judges.blinded", subject=f"study:{study.pk}", by=by, at=at, facts={})
    note_change(study_id=study.pk)


@transaction.atomic
def name_early(*, study_access: StudyAccess, reason: str, by: User, at: datetime) -> None:
    """Tell the names of judges before a verdict is sealed: the reason is printed with every verdict.

    CannotFix without a reason, and where they are told already."""
    refuse_others(study_access)
    study = Study.objects.select_for_update().get(pk=study_access.study.pk)
    if not study.judges_are_blinded:
        raise CannotFix(sentence("The judges of this study are not blinded."))
    if not (reason := tidied(reason)):
        raise CannotFix(sentence("Say why the judges are named before the verdict is sealed."))
    if len(reason) > LONGEST_REASON:
        raise CannotFix(sentence("The reason has at most {n} characters.", n=LONGEST_REASON))
    _name(study, why=reason, look=None, by=by, at=at)


def name_at_look(study: Study, *, look: int, by: User, at: datetime) -> None:
    """Tell the names of judges as their verdicts are sealed at a planned look."""
    _name(study, why="", look=look, by=by, at=at)


def _name(study: Study, *, why: str, look: int | None, by: User, at: datetime) -> None:
    study.judges_named_at, study.judges_named_why = at, why
    study.save(update_fields=["judges_named_at", "judges_named_why"])
    Snapshot.objects.filter(study=study).delete()  # what was made under letters leads nowhere now
    facts = {"look": look, "before_the_look": look is None, "reason": why}
    events.record("judges.unblinded", subject=f"study:{study.pk}", by=by, at=at, facts=facts)
    note_change(study_id=study.pk)
