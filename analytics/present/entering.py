"""Who enters: who may see figures, who coordinates, who may know judges and what they answered."""

from accounts.gate import ApiRequest, Request
from annotation.queries import readers
from annotation.queries.entering import judges_named, require, study_or_404
from annotation.queries.studies import StudyAccess
from annotation.queries.visibility import reader_of
from annotation.queries.wording import Barred
from annotation.rules.granting import Action
from annotation.rules.visibility import reason_to_withhold_judges


def reader_or_403(
    request: Request | ApiRequest, key: str, action: Action = Action.SEE_FIGURES
) -> StudyAccess:
    """The study for an account that may see its figures, or those of single raters."""
    study_access = study_or_404(request, key)
    if reason := readers.reason_not_to_see(study_access, action):
        raise Barred(reason)
    return study_access


def coordinator_or_403(request: Request | ApiRequest, key: str) -> StudyAccess:
    study_access = reader_or_403(request, key)
    require(study_access, Action.COORDINATE)
    return study_access


def runner_or_403(request: Request | ApiRequest, key: str) -> StudyAccess:
    """The same for who runs judges."""
    study_access = reader_or_403(request, key)
    require(study_access, Action.RUN_JUDGES)
    return study_access


def judges_seen_or_403(request: Request | ApiRequest, key: str) -> StudyAccess:
    """The same; while judges are blinded, for those of them who run judges."""
    return judges_named(reader_or_403(request, key))


def judges_reader_or_403(request: Request, key: str) -> StudyAccess:
    """How sure a judge is of an item, and of which, hints at what it answered."""
    study_access = reader_or_403(request, key)
    if reason := reason_to_withhold_judges(reader_of(study_access)):
        raise Barred(reason)
    return study_access
