"""The study of an address for who runs judges there, or may see what they did."""

from accounts.gate import ApiRequest, Request
from annotation.queries.entering import judges_named, study_to
from annotation.queries.studies import StudyAccess
from annotation.rules.granting import Action


def run_by(request: Request | ApiRequest, key: str) -> StudyAccess:
    """The study for who may run judges there."""
    return study_to(request, key, Action.RUN_JUDGES)


def seen_by(request: Request | ApiRequest, key: str) -> StudyAccess:
    """The study for who may see what judges did there."""
    return judges_named(study_to(request, key, Action.SEE_FIGURES))
