"""Juries by program: listed, named, ended, with the rules of the page."""

from http import HTTPStatus
from typing import Any

from django.http import Http404
from django.utils import timezone
from rest_framework import serializers
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.api.answering import checked, taken
from accounts.api.described import described
from accounts.api.once import once
from accounts.api.paging import PAGE_PARAMETERS, page_of, paged
from accounts.gate import ApiRequest, Scope
from analytics.juries import actions
from analytics.juries.forms import JuryForm
from analytics.juries.page import JuriesPage
from analytics.juries.proposing import CannotSeat, proposal
from analytics.present import leaving
from analytics.present.entering import coordinator_or_403, reader_or_403
from analytics.present.leaving import FiguresTaken
from analytics.present.typesetting import record_of
from analytics.ratings.matrices import PLAIN
from analytics.stats.juries import JuryRule
from annotation.api.saying import refusing
from annotation.api.serializers import ReasonGiven


class JurySerializer(serializers.Serializer[Any]):
    """A jury; while judges are blinded it stands under its letter, and nothing tells of its members."""

    id = serializers.IntegerField(source="jury.pk")
    name = serializers.CharField()
    how = serializers.CharField()
    chosen = serializers.CharField()
    named_at = serializers.DateTimeField(source="jury.named_at")
    ended_at = serializers.DateTimeField(source="jury.ended_at", allow_null=True)


class JuryMadeSerializer(serializers.Serializer[Any]):
    """A jury that was named or has ended."""

    id = serializers.IntegerField(source="pk")
    key = serializers.CharField()
    named_at = serializers.DateTimeField()
    ended_at = serializers.DateTimeField(allow_null=True)


class JuryGiven(serializers.Serializer[Any]):
    """Which judges rate as one: `members` by the `judge_id` of their runs; `quorum`: so many of them
    must be readable, null: more than half."""

    name = serializers.CharField(max_length=100)
    members = serializers.ListField(child=serializers.IntegerField(), min_length=2, max_length=100)
    rule = serializers.ChoiceField(
        choices=[rule.value for rule in JuryRule], default=JuryRule.MEDIAN.value
    )
    quorum = serializers.IntegerField(required=False, allow_null=True, default=None)


class ProposalSerializer(serializers.Serializer[Any]):
    """A jury as it would be: how many answers of its members are in to items that it would be measured
    on, and its tables, a record a figure."""

    name = serializers.CharField()
    n_seen = serializers.IntegerField()
    tables = serializers.ListField(child=serializers.DictField())


class Juries(APIView):
    @described(parameters=PAGE_PARAMETERS, responses=page_of(JurySerializer))
    def get(self, request: ApiRequest, key: str) -> Response:
        """The juries of a study, and those that ended."""
        page = JuriesPage(study_access=reader_or_403(request, key))
        found = [*page.juries, *page.ended]
        return paged(request, found, JurySerializer, key=lambda one: one.jury.pk)


class JuryLooked(APIView):
    scope = Scope.JUDGE

    @described(request=JuryGiven, responses=ProposalSerializer)
    def post(self, request: ApiRequest, key: str) -> Response:
        """How a jury would come to its answers, and what its votes would weigh; nothing is kept."""
        study_access = coordinator_or_403(request, key)
        form = checked(JuryForm(taken(JuryGiven, request), study=study_access.study))
        with refusing(CannotSeat):
            found = proposal(study=study_access.study, **form.arguments())
        revision = study_access.study.revision
        leaving.by_program(
            FiguresTaken(study_access=study_access, name="jury", view=PLAIN, revision=revision),
            by=request.user,
            at=timezone.now(),
        )
        proposed = JuriesPage(study_access=study_access, proposal=found).proposed
        told = [record_of(leaving.table(one, study_access)) for one in proposed]
        return Response({"name": found.name, "n_seen": found.n_seen, "tables": told})


class JuryNamed(APIView):
    scope = Scope.JUDGE

    @once(request=JuryGiven, responses={201: JuryMadeSerializer})
    def post(self, request: ApiRequest, key: str) -> Response:
        """Have several judges rate as one from now on."""
        study_access = coordinator_or_403(request, key)
        form = checked(JuryForm(taken(JuryGiven, request), study=study_access.study))
        with refusing(CannotSeat):
            made = actions.name_jury(
                study_access=study_access, by=request.user, at=timezone.now(), **form.arguments()
            )
        return Response(JuryMadeSerializer(made).data, status=HTTPStatus.CREATED)


class JuryEnded(APIView):
    scope = Scope.JUDGE

    @once(request=ReasonGiven, responses=JuryMadeSerializer)
    def post(self, request: ApiRequest, key: str, jury_id: int) -> Response:
        """Leave a jury out of figures from now on, and say why."""
        study_access = coordinator_or_403(request, key)
        if jury_id not in {one.jury.pk for one in JuriesPage(study_access=study_access).juries}:
            raise Http404
        given = taken(ReasonGiven, request)
        with refusing(CannotSeat):
            ended = actions.end_jury(
                study_access=study_access,
                jury_id=jury_id,
                reason=given["reason"],
                by=request.user,
                at=timezone.now(),
            )
        return Response(JuryMadeSerializer(ended).data)
