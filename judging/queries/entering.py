"""The study of an address for who runs judges there, or may see what they did."""

from django.core.exceptions import PermissionDenied

from accounts.gate import ApiRequest, Request
from annotation.queries.entering import judges_named, study_or_404
from annotation.queries.studies import StudyAccess


def run_by(request: Request | ApiRequest, key: str) -> StudyAccess:
    """The study for who may run judges there."""
    study_access = study_or_404(request, key)
    if not study_access.may_run_judges:
        raise PermissionDenied
    return study_access


def seen_by(request: Request | ApiRequest, key: str) -> StudyAccess:
    """The study for who may see what judges did there."""
    study_access = study_or_404(request, key)
    if not study_access.may_see_agreement:
        raise PermissionDenied
    return judges_named(study_access)
