"""Judges under letters, and their sentinels, by program, with the rules of the pages."""

import secrets
from typing import Any

from django.utils import timezone
from rest_framework import serializers
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.api.answering import checked, taken
from accounts.api.described import described
from accounts.api.once import once
from accounts.api.paging import PAGE_PARAMETERS, page_of, paged
from accounts.gate import ApiRequest, Scope
from analytics.present.entering import (
    coordinator_or_403,
    judges_seen_or_403,
    reader_or_403,
    runner_or_403,
)
from analytics.trust import actions, blinding
from analytics.trust import sentinels as decisions
from analytics.trust.sentinels_page import sentinels_page, with_sentinels
from annotation.api.saying import refusing
from annotation.api.serializers import ReasonGiven
from annotation.queries.entering import require
from annotation.queries.studies import StudyAccess
from annotation.rules.granting import Action
from judging.actions import runs, sentinels
from judging.forms.sentinels import SentinelsForm
from judging.queries import sentinels as queries

REFUSALS = (sentinels.CannotWatch, runs.CannotRun, decisions.CannotLetPass)


class BlindingSerializer(serializers.Serializer[Any]):
    """Since when judges stand under letters, and whether they do now."""

    judges_blinded_at = serializers.DateTimeField(allow_null=True)
    judges_are_blinded = serializers.BooleanField()


class SentinelSetSerializer(serializers.Serializer[Any]):
    """The sentinels of a judge; `margin`: the share of answers that may change."""

    judge_id = serializers.IntegerField(source="judge.rater_id")
    judge = serializers.CharField(source="judge.rater.key")
    margin = serializers.FloatField()
    every_days = serializers.IntegerField()
    set_at = serializers.DateTimeField()


class CheckSerializer(serializers.Serializer[Any]):
    """What came of asking again."""

    verdict = serializers.CharField()
    made_at = serializers.DateTimeField()
    figures = serializers.DictField()


class BridgeSerializer(CheckSerializer):
    """What another judge answers about the same replies, that is to replace this one."""

    judge_id = serializers.IntegerField(source="run.judge.rater_id")
    judge = serializers.CharField(source="run.judge.rater.key")


class PlannedSerializer(serializers.Serializer[Any]):
    """How many items it takes to pass in four of five times where this share of answers differs in
    truth; null: more than 2,000."""

    share = serializers.FloatField()
    items = serializers.IntegerField(allow_null=True)


class SentinelsSerializer(serializers.Serializer[Any]):
    """The sentinels of one judge; `kept`: why nothing is told that came of them."""

    judge_id = serializers.IntegerField()
    judge = serializers.CharField(source="judge.rater.key")
    standing = SentinelSetSerializer(allow_null=True)
    n_items = serializers.IntegerField()
    next_at = serializers.DateTimeField(allow_null=True)
    is_being_asked = serializers.BooleanField()
    newest = CheckSerializer(allow_null=True)
    waits_for_a_decision = serializers.BooleanField()
    least = serializers.IntegerField(help_text="How many answers it takes to pass at all.")
    planned = PlannedSerializer(many=True)
    bridged = BridgeSerializer(many=True)
    kept = serializers.CharField()


class SentinelsGiven(serializers.Serializer[Any]):
    """How many items at most, how many answers of a hundred may change, and how often."""

    n_items = serializers.IntegerField(required=False, default=60)
    margin = serializers.FloatField(required=False, default=10)
    every_days = serializers.IntegerField(required=False, default=7)


class JudgesBlinded(APIView):
    scope = Scope.JUDGE

    @once(request=None, responses=BlindingSerializer)
    def post(self, request: ApiRequest, key: str) -> Response:
        """Show judges under letters from now on; before the first of them rates."""
        study_access = coordinator_or_403(request, key)
        with refusing(actions.CannotFix):
            blinding.blind(study_access=study_access, by=request.user, at=timezone.now())
        return _blinding(request, key)


class JudgesNamed(APIView):
    scope = Scope.JUDGE

    @once(request=ReasonGiven, responses=BlindingSerializer)
    def post(self, request: ApiRequest, key: str) -> Response:
        """Tell the names of judges before a verdict is sealed; the reason stays with every verdict."""
        study_access = coordinator_or_403(request, key)
        given = taken(ReasonGiven, request)
        with refusing(actions.CannotFix):
            blinding.name_early(
                study_access=study_access,
                reason=given["reason"],
                by=request.user,
                at=timezone.now(),
            )
        return _blinding(request, key)


class SentinelSets(APIView):
    @described(parameters=PAGE_PARAMETERS, responses=page_of(SentinelSetSerializer))
    def get(self, request: ApiRequest, key: str) -> Response:
        """The sentinels in force in a study, one set a judge."""
        found = queries.in_force(judges_seen_or_403(request, key).study)
        return paged(request, found, SentinelSetSerializer, key=lambda one: one.judge.rater_id)


class Sentinels(APIView):
    @described(responses=SentinelsSerializer)
    def get(self, request: ApiRequest, key: str, judge_id: int) -> Response:
        """The sentinels of a judge, and what came of them last."""
        return _told(judges_seen_or_403(request, key), judge_id)


class SentinelsPlaced(APIView):
    scope = Scope.JUDGE

    @once(request=SentinelsGiven, responses=SentinelsSerializer)
    def post(self, request: ApiRequest, key: str, judge_id: int) -> Response:
        """Choose items by lot that the judge is asked about again and again; the margin is fixed."""
        study_access = runner_or_403(request, key)
        page = sentinels_page(study_access, judge_id)
        form = checked(SentinelsForm(taken(SentinelsGiven, request)))
        with refusing(*REFUSALS):
            sentinels.place(
                study=study_access.study,
                judge=page.judge,
                seed=secrets.token_hex(8),
                by=request.user,
                at=timezone.now(),
                **form.arguments(),
            )
        return _told(study_access, judge_id)


class SentinelsAsked(APIView):
    scope = Scope.JUDGE

    @once(request=None, responses=SentinelsSerializer)
    def post(self, request: ApiRequest, key: str, judge_id: int) -> Response:
        """Ask about them now."""
        study_access = runner_or_403(request, key)
        _page, standing = with_sentinels(study_access, judge_id)
        with refusing(*REFUSALS):
            sentinels.ask(sentinels=standing, why="by hand", by=request.user, at=timezone.now())
        return _told(study_access, judge_id)


class ReplacingJudge(serializers.Serializer[Any]):
    """The judge that is to replace another one."""

    judge_id = serializers.IntegerField(min_value=1, max_value=2**31 - 1)


class SentinelsBridged(APIView):
    scope = Scope.JUDGE

    @once(request=ReplacingJudge, responses=SentinelsSerializer)
    def post(self, request: ApiRequest, key: str, judge_id: int) -> Response:
        """Ask another judge about them, that is to replace this one."""
        study_access = runner_or_403(request, key)
        _page, standing = with_sentinels(study_access, judge_id)
        given = taken(ReplacingJudge, request)
        with refusing(*REFUSALS):
            sentinels.bridge(
                sentinels=standing,
                to=given["judge_id"],
                by=request.user,
                at=timezone.now(),
            )
        return _told(study_access, judge_id)


class SentinelsRetired(APIView):
    scope = Scope.JUDGE

    @once(request=None, responses=SentinelsSerializer)
    def post(self, request: ApiRequest, key: str, judge_id: int) -> Response:
        """Ask about them no more."""
        study_access = runner_or_403(request, key)
        _page, standing = with_sentinels(study_access, judge_id)
        with refusing(*REFUSALS):
            sentinels.retire(sentinels=standing, by=request.user, at=timezone.now())
        return _told(study_access, judge_id)


class SentinelsDecided(APIView):
    scope = Scope.JUDGE

    @once(request=ReasonGiven, responses=SentinelsSerializer)
    def post(self, request: ApiRequest, key: str, judge_id: int) -> Response:
        """Let a judge be used on though it failed, and say why."""
        study_access = judges_seen_or_403(request, key)
        require(study_access, Action.COORDINATE)
        sentinels_page(study_access, judge_id)
        given = taken(ReasonGiven, request)
        with refusing(*REFUSALS):
            decisions.rule(
                study_access=study_access,
                judge=judge_id,
                reason=given["reason"],
                by=request.user,
                at=timezone.now(),
            )
        return _told(study_access, judge_id)


def _told(study_access: StudyAccess, judge_id: int) -> Response:
    return Response(SentinelsSerializer(sentinels_page(study_access, judge_id)).data)


def _blinding(request: ApiRequest, key: str) -> Response:
    return Response(BlindingSerializer(reader_or_403(request, key).study).data)
