"""The study of an address for who may see its figures, or may change what they are held against."""

from django.core.exceptions import PermissionDenied

from accounts.gate import ApiRequest
from annotation.api.finding import study_of
from annotation.queries import readers
from annotation.queries.studies import StudyAccess
from annotation.queries.wording import Barred
from annotation.rules.granting import Action
from annotation.rules.visibility import NAMES_ARE_BLINDED


def read_by(request: ApiRequest, key: str, action: Action = Action.SEE_FIGURES) -> StudyAccess:
    """The study for who may see its figures, or those of single raters."""
    study_access = study_of(request, key)
    if reason := readers.reason_not_to_see(study_access, action):
        raise Barred(reason)
    return study_access


def coordinated_by(request: ApiRequest, key: str) -> StudyAccess:
    """The same for who coordinates it."""
    study_access = read_by(request, key)
    if not study_access.may_coordinate:
        raise PermissionDenied
    return study_access


def judges_seen_by(request: ApiRequest, key: str) -> StudyAccess:
    """The same; while judges are blinded, for those of them who run judges."""
    study_access = read_by(request, key)
    if study_access.study.judges_are_blinded and not study_access.may_run_judges:
        raise Barred(NAMES_ARE_BLINDED)
    return study_access
