"""Fix the rules that a study's trust cards are held against."""

from datetime import datetime

from django.db import transaction

from accounts import events
from accounts.models import User
from analytics.models import FixedPolicy
from analytics.policies.loading import shipped
from annotation.actions.studies import note_change
from annotation.models import RaterKind, Study, Submission
from annotation.queries.studies import StudyAccess
from annotation.rubric.sentences import sentence


class CannotFix(Exception):
    """A sentence that says why these rules cannot be fixed."""


@transaction.atomic
def fix_policy(*, study_access: StudyAccess, key: str, by: User, at: datetime) -> FixedPolicy:
    """Let these rules hold from now on, as they read today; what held before is kept."""
    if not study_access.may_coordinate:
        raise CannotFix(sentence("The rules of a study are fixed by its coordinators."))
    policy = shipped().get(key)
    if policy is None:
        raise CannotFix(sentence("There are no rules “{key}”.", key=key))
    study = Study.objects.select_for_update().get(pk=study_access.study.pk)
    held = FixedPolicy.objects.filter(study=study).order_by("-pk").first()
    if held is not None and held.sha256 == policy.sha256:
        raise CannotFix(sentence("These rules are fixed already."))
    judged = Submission.objects.filter(study=study, is_current=True, rater__kind=RaterKind.JUDGE)
    fixed = FixedPolicy.objects.create(
        study=study,
        key=policy.key,
        text=policy.text,
        sha256=policy.sha256,
        n_judged=judged.count(),
        fixed_at=at,
        fixed_by=by,
    )
    events.record(
        "trust.policy_fixed",
        subject=f"study:{study.pk}",
        by=by,
        at=at,
        facts={
            "policy": policy.key,
            "sha256": policy.sha256,
            "judged": fixed.n_judged,
            "instead_of": held.sha256 if held else None,
        },
    )
    # Verdicts are figures too: pages that are open follow the new rules.
    note_change(study_id=study.pk)
    return fixed
