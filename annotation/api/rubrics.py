"""The editions of a study's rubric by program: read them, publish one, go on under it, go back."""

from http import HTTPStatus

from django.utils import timezone
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.api.answering import checked, taken
from accounts.api.described import described
from accounts.api.once import once
from accounts.api.paging import PAGE_PARAMETERS, page_of, paged
from accounts.gate import ApiRequest, Scope
from annotation.actions import changing_rubrics as changing
from annotation.actions import rubrics
from annotation.api.saying import as_upload, refusing
from annotation.api.serializers import (
    ChangeMadeSerializer,
    ChangeSerializer,
    EditionGiven,
    EditionSerializer,
    PlanGiven,
    RubricSerializer,
)
from annotation.forms.rubrics import EditionForm
from annotation.queries import rubric_changes as queries
from annotation.queries.entering import coordinated


class EditionsView(APIView):
    @described(parameters=PAGE_PARAMETERS, responses=page_of(EditionSerializer))
    def get(self, request: ApiRequest, key: str) -> Response:
        """The editions of the rubric, newest first, for who coordinates the study."""
        found = queries.editions_of(coordinated(request, key).study)
        return paged(
            request, found, EditionSerializer, key=lambda one: one.number, newest_first=True
        )


class EditionView(APIView):
    @described(responses=RubricSerializer)
    def get(self, request: ApiRequest, key: str, number: int) -> Response:
        """One edition, whole."""
        study = coordinated(request, key).study
        if number == study.rubric_version.number:
            return Response(RubricSerializer(study.rubric_version).data)
        return Response(RubricSerializer(queries.version_of(study, number)).data)


class EditionPublished(APIView):
    scope = Scope.WRITE

    @once(request=EditionGiven, responses={201: RubricSerializer})
    def post(self, request: ApiRequest, key: str) -> Response:
        """Publish another edition; it changes nothing before the study goes on under it.

        The same text again is the edition that it already is.
        """
        study = coordinated(request, key).study
        file = as_upload(taken(EditionGiven, request)["toml"])
        form = checked(EditionForm({}, {"file": file}, key=study.rubric_version.content.key))
        version = rubrics.publish(
            definition=form.cleaned_data["file"], by=request.user, at=timezone.now()
        )
        return Response(RubricSerializer(version).data, status=HTTPStatus.CREATED)


class EditionCompared(APIView):
    @described(responses=ChangeSerializer)
    def get(self, request: ApiRequest, key: str, number: int) -> Response:
        """What going on under another edition would change, and what has to be planned for it."""
        shown = queries.preview(coordinated(request, key).study, number, {})
        return Response(ChangeSerializer(shown).data)


class ChangesView(APIView):
    @described(parameters=PAGE_PARAMETERS, responses=page_of(ChangeMadeSerializer))
    def get(self, request: ApiRequest, key: str) -> Response:
        """Each time that the study went on under another edition, newest first."""
        found = queries.changes_of(coordinated(request, key).study)
        return paged(
            request, found, ChangeMadeSerializer, key=lambda one: one.id, newest_first=True
        )


class ChangeTakenBack(APIView):
    scope = Scope.WRITE

    @once(request=None, responses=RubricSerializer)
    def post(self, request: ApiRequest, key: str, change_id: int) -> Response:
        """Go on under the edition before, every rating as it was; of the last change alone."""
        study = coordinated(request, key).study
        with refusing(changing.CannotChangeEdition):
            made = changing.take_back(
                study_id=study.pk, change_id=change_id, by=request.user, at=timezone.now()
            )
        return Response(RubricSerializer(made.before).data)


class EditionAdopted(APIView):
    scope = Scope.WRITE

    @once(request=PlanGiven, responses=RubricSerializer)
    def post(self, request: ApiRequest, key: str, number: int) -> Response:
        """Go on under another edition by a plan for the values that it changes."""
        study, given = coordinated(request, key).study, taken(PlanGiven, request)
        version = queries.version_of(study, number)
        with refusing(changing.CannotChangeEdition):
            changing.change_edition(
                study_id=study.pk,
                version_id=version.pk,
                plan=given["plan"],
                by=request.user,
                at=timezone.now(),
            )
        return Response(RubricSerializer(version).data)
