"""What there is in a study by program: its rubric, items, rounds and team."""

from django.core.exceptions import PermissionDenied
from django.utils import timezone
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.api.described import described
from accounts.api.paging import PAGE_PARAMETERS, page_asked, page_of, paged
from accounts.gate import ApiRequest, Scope
from annotation.actions import viewing
from annotation.api.serializers import (
    ItemPageSerializer,
    MemberSerializer,
    RoundSerializer,
    RoundStatusSerializer,
    RubricSerializer,
    StudySerializer,
)
from annotation.queries import pages, rounds, studies, teams
from annotation.queries.entering import coordinated, study_or_404


class Studies(APIView):
    @described(parameters=PAGE_PARAMETERS, responses=page_of(StudySerializer))
    def get(self, request: ApiRequest) -> Response:
        """The studies of this account."""
        found = studies.studies_of(request.access)
        return paged(request, found, StudySerializer, key=lambda one: one.study.key)


class RubricView(APIView):
    @described(responses=RubricSerializer)
    def get(self, request: ApiRequest, key: str) -> Response:
        """What is asked in a study."""
        version = study_or_404(request, key).study.rubric_version
        return Response(RubricSerializer(version).data)


class ItemsView(APIView):
    @described(parameters=PAGE_PARAMETERS, responses=ItemPageSerializer)
    def get(self, request: ApiRequest, key: str) -> Response:
        """The items of a study by key, without their texts."""
        study_access = study_or_404(request, key)
        if not (study_access.may_coordinate or study_access.may_export):
            raise PermissionDenied
        found = pages.items_after(study_access, **page_asked(request))
        viewing.items_named(
            study_id=study_access.study.pk,
            items=[item.pk for item in found.items],
            by=request.user,
            at=timezone.now(),
        )
        return Response(ItemPageSerializer(found).data)


class RoundsView(APIView):
    @described(parameters=PAGE_PARAMETERS, responses=page_of(RoundSerializer))
    def get(self, request: ApiRequest, key: str) -> Response:
        """The rounds of a study, for who coordinates it."""
        study = coordinated(request, key).study
        found = [status.round for status in rounds.rounds_of(study)]
        return paged(request, found, RoundSerializer, key=lambda one: one.number)


class RoundView(APIView):
    @described(responses=RoundStatusSerializer)
    def get(self, request: ApiRequest, key: str, number: int) -> Response:
        """A round and how far its panel is, for who coordinates the study."""
        found = rounds.round_status(coordinated(request, key).study, number)
        return Response(RoundStatusSerializer(found).data)


class TeamView(APIView):
    scope = Scope.PEOPLE

    @described(parameters=PAGE_PARAMETERS, responses=page_of(MemberSerializer))
    def get(self, request: ApiRequest, key: str) -> Response:
        """Who takes part in a study, for who may change that."""
        study_access = teams.team_for(request.access, key)
        found = teams.members_of(study_access.study)
        return paged(request, found, MemberSerializer, key=lambda one: one.account_id)
