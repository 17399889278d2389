"""Who enters, beyond whoever may see figures: who coordinates, who may know what judges answered."""

from django.core.exceptions import PermissionDenied

from accounts.gate import Request
from analytics.present.live import reader_or_403
from annotation.queries.studies import StudyAccess
from annotation.queries.visibility import reader_of
from annotation.queries.wording import Barred
from annotation.rules.visibility import reason_to_withhold_judges


def coordinator_or_403(request: Request, key: str) -> StudyAccess:
    study_access = reader_or_403(request, key)
    if not study_access.may_coordinate:
        raise PermissionDenied
    return study_access


def judges_reader_or_403(request: Request, key: str) -> StudyAccess:
    """How sure a judge is of an item, and of which, hints at what it answered."""
    study_access = reader_or_403(request, key)
    if reason := reason_to_withhold_judges(reader_of(study_access)):
        raise Barred(reason)
    return study_access
