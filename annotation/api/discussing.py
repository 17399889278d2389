"""Discussions by program: what is under discussion, remarks, votes, and the end of one."""

from http import HTTPStatus
from typing import Any

from django.utils import timezone
from rest_framework import serializers
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.api.answering import taken
from accounts.api.described import described
from accounts.api.once import once
from accounts.api.paging import PAGE_PARAMETERS, page_of, paged
from accounts.gate import ApiRequest, Scope
from annotation.actions import discussions
from annotation.api.saying import refusing
from annotation.queries import discussing
from annotation.queries.entering import study_or_404
from annotation.rules.remarks import LONGEST


class DiscussedSerializer(serializers.Serializer[Any]):
    """An item that the raters of a round discuss; what they say is read on its page."""

    round_item = serializers.IntegerField(source="pk")
    round = serializers.IntegerField(source="round.number")
    position = serializers.IntegerField()


class RemarkGiven(serializers.Serializer[Any]):
    text = serializers.CharField(max_length=LONGEST)


class VoteGiven(serializers.Serializer[Any]):
    """What one would answer now, by criterion; what was answered first is kept."""

    values = serializers.DictField(child=serializers.CharField(max_length=200))


class KeptSerializer(serializers.Serializer[Any]):
    """That something was kept, and of which item of a round."""

    round_item = serializers.IntegerField()


class Discussions(APIView):
    scope = Scope.WORK

    @described(parameters=PAGE_PARAMETERS, responses=page_of(DiscussedSerializer))
    def get(self, request: ApiRequest, key: str) -> Response:
        """The items that this account discusses."""
        found = discussing.discussed(study_or_404(request, key))
        return paged(request, found, DiscussedSerializer, key=lambda one: one.pk)


class RemarkMade(APIView):
    scope = Scope.WORK

    @once(request=RemarkGiven, responses={201: KeptSerializer})
    def post(self, request: ApiRequest, key: str, round_item_id: int) -> Response:
        """Say something to the others who discuss an item."""
        study, given = study_or_404(request, key).study, taken(RemarkGiven, request)
        with refusing(discussions.CannotDiscuss):
            discussions.say(
                study_id=study.pk,
                round_item_id=round_item_id,
                text=given["text"],
                by=request.user,
                at=timezone.now(),
            )
        return _kept(round_item_id)


class VotedAgain(APIView):
    scope = Scope.WORK

    @once(request=VoteGiven, responses={201: KeptSerializer})
    def post(self, request: ApiRequest, key: str, round_item_id: int) -> Response:
        """Vote again, knowing what the others answered."""
        study, given = study_or_404(request, key).study, taken(VoteGiven, request)
        with refusing(discussions.CannotDiscuss):
            discussions.vote_again(
                study_id=study.pk,
                round_item_id=round_item_id,
                values=given["values"],
                by=request.user,
                at=timezone.now(),
            )
        return _kept(round_item_id)


class DiscussionEnded(APIView):
    scope = Scope.WORK

    @once(request=None, responses={201: KeptSerializer})
    def post(self, request: ApiRequest, key: str, round_item_id: int) -> Response:
        """End a discussion; what is left goes to adjudication."""
        study = study_or_404(request, key).study
        with refusing(discussions.CannotDiscuss):
            discussions.end(
                study_id=study.pk, round_item_id=round_item_id, by=request.user, at=timezone.now()
            )
        return _kept(round_item_id)


def _kept(round_item_id: int) -> Response:
    return Response({"round_item": round_item_id}, status=HTTPStatus.CREATED)
