"""What an account has no part in does not exist for it."""

from accounts.gate import Request
from annotation.queries import studies
from annotation.queries.studies import StudyAccess
from annotation.queries.wording import Barred


def study_or_404(request: Request, key: str) -> StudyAccess:
    """The study as this account may use it; who is on its team is told what is not granted."""
    try:
        return studies.study_for(request.access, key)
    except studies.NotGranted as refusal:
        raise Barred(refusal.args[0]) from None
