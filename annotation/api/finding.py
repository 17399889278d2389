"""The study of an address for who may do there what is asked; the rest are told or see nothing."""

from http import HTTPStatus

from django.core.exceptions import PermissionDenied
from django.core.files.uploadedfile import SimpleUploadedFile
from django.http import Http404
from django.utils.translation import gettext
from rest_framework.response import Response

from accounts.gate import ApiRequest, has_just_said_who_it_is
from annotation.queries import studies
from annotation.queries.studies import StudyAccess
from annotation.queries.wording import said


def study_of(request: ApiRequest, key: str) -> StudyAccess:
    """The study for who is on its team and was granted something of it."""
    try:
        return studies.study_for(request.access, key)
    except studies.NotGranted as refusal:
        raise PermissionDenied(said(refusal.args[0])) from None
    except studies.NotOnTheTeam:
        raise Http404 from None


def coordinated(request: ApiRequest, key: str) -> StudyAccess:
    """The study for who coordinates it."""
    study_access = study_of(request, key)
    if not study_access.may_coordinate:
        raise PermissionDenied
    return study_access


def reaches_far(request: ApiRequest) -> None:
    """Where the page asks for the password again, a program needs a token that is just made."""
    if not has_just_said_who_it_is(request):
        raise PermissionDenied(
            gettext("This takes a token that was made in the last minutes, behind your password.")
        )


def refused(refusal: Exception) -> Response:
    """409, with the sentence that says why nothing was done."""
    return Response({"detail": said(refusal.args[0])}, status=HTTPStatus.CONFLICT)


def mistaken(fields: object) -> Response:
    """422, with what is wrong field by field, as the form of the page says it."""
    return Response({"fields": fields}, status=HTTPStatus.UNPROCESSABLE_ENTITY)


def as_upload(text: str) -> SimpleUploadedFile:
    """A rubric as the form of the page takes it: a file."""
    return SimpleUploadedFile("rubric.toml", text.encode())
