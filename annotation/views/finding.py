"""What an account has no part in does not exist for it."""

from django.http import Http404

from accounts.gate import Request
from annotation.queries import studies
from annotation.queries.studies import StudyAccess


def study_or_404(request: Request, key: str) -> StudyAccess:
    """The study as this account may use it."""
    try:
        return studies.study_for(request.access, key)
    except studies.NotOnTheTeam:
        raise Http404 from None
