"""Rating by program: the same work, the same rules, as JSON."""

from collections.abc import Iterable
from functools import partial
from http import HTTPStatus

from django.core.exceptions import PermissionDenied
from django.http import Http404
from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.api.paging import PAGE_PARAMETERS, page_asked, page_of, paged
from accounts.gate import ApiRequest, Scope
from annotation.actions import submissions, viewing
from annotation.api.finding import coordinated, study_of
from annotation.api.serializers import (
    ItemPageSerializer,
    MemberSerializer,
    ProblemSerializer,
    ReceiptSerializer,
    RoundSerializer,
    RoundStatusSerializer,
    RubricSerializer,
    StudySerializer,
    SubmissionSerializer,
    WorkSerializer,
)
from annotation.queries import caring, pages, rounds, studies, teams, work
from annotation.queries.items import texts_of
from annotation.queries.wording import said
from annotation.rubric.answers import Problem
from annotation.rules.completeness import Filled, SaidBeside, fill


class Studies(APIView):
    @extend_schema(parameters=PAGE_PARAMETERS, responses=page_of(StudySerializer))
    def get(self, request: ApiRequest) -> Response:
        """The studies of this account."""
        found = studies.studies_of(request.access)
        return paged(request, found, StudySerializer, key=lambda one: one.study.key)


class RubricView(APIView):
    @extend_schema(responses=RubricSerializer)
    def get(self, request: ApiRequest, key: str) -> Response:
        """What is asked in a study."""
        version = study_of(request, key).study.rubric_version
        return Response(RubricSerializer(version).data)


class NextWork(APIView):
    scope = Scope.WORK

    @extend_schema(responses={200: WorkSerializer, 204: None})
    def get(self, request: ApiRequest, key: str) -> Response:
        """The item to rate next; 204 when nothing is left."""
        study_access = study_of(request, key)
        if not study_access.may_rate:
            raise PermissionDenied
        following = work.next_work(
            request.access,
            study_access.study.pk,
            today=caring.start_of_day(timezone.now()),
        )
        if following is None:
            return Response(status=HTTPStatus.NO_CONTENT)
        viewing.assignment_shown(
            assignment_id=following.owed.assignment_id, by=request.user, at=timezone.now()
        )
        return Response(WorkSerializer(following).data)


class ItemsView(APIView):
    @extend_schema(parameters=PAGE_PARAMETERS, responses=ItemPageSerializer)
    def get(self, request: ApiRequest, key: str) -> Response:
        """The items of a study by key, without their texts."""
        study_access = study_of(request, key)
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
    @extend_schema(parameters=PAGE_PARAMETERS, responses=page_of(RoundSerializer))
    def get(self, request: ApiRequest, key: str) -> Response:
        """The rounds of a study, for who coordinates it."""
        study = coordinated(request, key).study
        found = [status.round for status in rounds.rounds_of(study)]
        return paged(request, found, RoundSerializer, key=lambda one: one.number)


class RoundView(APIView):
    @extend_schema(responses=RoundStatusSerializer)
    def get(self, request: ApiRequest, key: str, number: int) -> Response:
        """A round and how far its panel is, for who coordinates the study."""
        try:
            found = rounds.round_status(coordinated(request, key).study, number)
        except rounds.NoSuchRound:
            raise Http404 from None
        return Response(RoundStatusSerializer(found).data)


class TeamView(APIView):
    scope = Scope.PEOPLE

    @extend_schema(parameters=PAGE_PARAMETERS, responses=page_of(MemberSerializer))
    def get(self, request: ApiRequest, key: str) -> Response:
        """Who takes part in a study, for who may change that."""
        try:
            study_access = teams.team_for(request.access, key)
        except studies.NotOnTheTeam:
            raise Http404 from None
        found = teams.members_of(study_access.study)
        return paged(request, found, MemberSerializer, key=lambda one: one.account_id)


class SubmissionView(APIView):
    scope = Scope.WORK

    @extend_schema(request=SubmissionSerializer, responses=ReceiptSerializer)
    def post(self, request: ApiRequest, assignment_id: int) -> Response:
        """Store the answers; the same key again gets the same receipt and changes nothing."""
        owed = _owed(request, assignment_id)
        sent = SubmissionSerializer(data=request.data)
        if not sent.is_valid():
            return Response({"fields": sent.errors}, status=HTTPStatus.UNPROCESSABLE_ENTITY)
        beside = SaidBeside(
            raw=sent.validated_data["grounds"], texts=partial(texts_of, owed.item_id)
        )
        filled = fill(owed.rubric, *sent.split_answers(), beside)
        if not isinstance(filled, Filled):
            return Response({"problems": _problems(filled)}, status=HTTPStatus.UNPROCESSABLE_ENTITY)
        answers = submissions.Answers(
            key=sent.validated_data["key"],
            filled=filled,
            comment=sent.validated_data["comment"],
            seconds=sent.validated_data["seconds"],
        )
        try:
            receipt = submissions.submit(
                owed=owed, answers=answers, by=request.user, at=timezone.now()
            )
        except submissions.NotTaken as refusal:
            return Response({"reason": said(refusal.args[0])}, status=HTTPStatus.CONFLICT)
        return Response(ReceiptSerializer(receipt).data)


def _owed(request: ApiRequest, assignment_id: int) -> work.Owed:
    try:
        return work.owed(request.access, assignment_id)
    except work.NotYourWork:
        raise Http404 from None


def _problems(problems: Iterable[Problem]) -> list[dict[str, object]]:
    return [
        {**ProblemSerializer(problem).data, "sentence": said(problem.sentence)}
        for problem in problems
    ]
