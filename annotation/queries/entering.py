"""The study of an address for who may do there what is asked; the rest are told, or see nothing."""

from accounts.gate import ApiRequest, Request
from annotation.queries import studies
from annotation.queries.studies import StudyAccess
from annotation.queries.wording import Barred
from annotation.rules.granting import Action
from annotation.rules.visibility import reason_to_withhold_names


def study_or_404(request: Request | ApiRequest, key: str) -> StudyAccess:
    """The study as this account may use it; who is on its team is told what is not granted."""
    try:
        return studies.study_for(request.access, key)
    except studies.NotGranted as refusal:
        raise Barred(refusal.args[0]) from None


def study_to(request: Request | ApiRequest, key: str, action: Action) -> StudyAccess:
    """The study for who may do that there; who may not is told why."""
    study_access = study_or_404(request, key)
    require(study_access, action)
    return study_access


def require(study_access: StudyAccess, action: Action) -> None:
    """Go on for who may do that in the study; who may not is told why."""
    if reason := study_access.reason_not_to(action):
        raise Barred(reason)


def coordinated(request: Request | ApiRequest, key: str) -> StudyAccess:
    """The study for who coordinates it."""
    return study_to(request, key, Action.COORDINATE)


def judges_named(study_access: StudyAccess) -> StudyAccess:
    """The same study, for who may know its judges by name."""
    reason = reason_to_withhold_names(
        judges_are_blinded=study_access.study.judges_are_blinded,
        runs_judges=study_access.may_run_judges,
    )
    if reason:
        raise Barred(reason)
    return study_access
