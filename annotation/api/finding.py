"""The study of an address for who may do there what is asked; the rest are told or see nothing."""

from functools import partial

from django.core.exceptions import PermissionDenied
from django.core.files.uploadedfile import SimpleUploadedFile

from accounts.api import answering
from accounts.gate import ApiRequest
from annotation.queries import studies
from annotation.queries.studies import StudyAccess
from annotation.queries.wording import Barred, said

refusing = partial(answering.refusing, said=said)


def study_of(request: ApiRequest, key: str) -> StudyAccess:
    """The study for who is on its team and was granted something of it."""
    try:
        return studies.study_for(request.access, key)
    except studies.NotGranted as refusal:
        raise Barred(refusal.args[0]) from None


def coordinated(request: ApiRequest, key: str) -> StudyAccess:
    """The study for who coordinates it."""
    study_access = study_of(request, key)
    if not study_access.may_coordinate:
        raise PermissionDenied
    return study_access


def as_upload(text: str) -> SimpleUploadedFile:
    """A rubric as the form of the page takes it: a file."""
    return SimpleUploadedFile("rubric.toml", text.encode())
