"""The hold-out of a study by program: looked at, drawn, ended."""

import secrets
from typing import Any

from django.utils import timezone
from rest_framework import serializers
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.api.answering import checked, taken
from accounts.api.described import described
from accounts.api.once import once
from accounts.gate import ApiRequest, Scope
from annotation.api.saying import refusing
from annotation.queries.studies import StudyAccess
from judging.actions import holding_out as actions
from judging.forms.holding_out import DrawForm, EndForm
from judging.queries import holding_out
from judging.queries.entering import run_by, seen_by


class HoldOutSerializer(serializers.Serializer[Any]):
    """What a study holds out, if it does, how often judges were asked about it, and what is left."""

    id = serializers.IntegerField(source="hold_out.pk", allow_null=True, default=None)
    percent = serializers.IntegerField(source="hold_out.percent", allow_null=True, default=None)
    drawn_at = serializers.DateTimeField(source="hold_out.drawn_at", allow_null=True, default=None)
    n_items = serializers.IntegerField()
    n_dialogues_left = serializers.IntegerField()
    n_uses = serializers.SerializerMethodField()

    def get_n_uses(self, state: holding_out.HoldOutState) -> int:
        return len(state.uses)


class DrawGiven(serializers.Serializer[Any]):
    """Which share of the dialogues, in percent; the same seed, share and items draw the same."""

    percent = serializers.IntegerField()
    seed = serializers.CharField(required=False, allow_blank=True, default="", max_length=64)


class EndGiven(serializers.Serializer[Any]):
    """Why it ends."""

    reason = serializers.CharField(max_length=300)


class HoldOutView(APIView):
    @described(responses=HoldOutSerializer)
    def get(self, request: ApiRequest, key: str) -> Response:
        """What a study holds out."""
        return _told(seen_by(request, key))


class HoldOutDrawn(APIView):
    scope = Scope.JUDGE

    @once(request=DrawGiven, responses=HoldOutSerializer)
    def post(self, request: ApiRequest, key: str) -> Response:
        """Hold items out, dialogue by dialogue."""
        study_access = run_by(request, key)
        form = checked(DrawForm(taken(DrawGiven, request)))
        with refusing(actions.CannotHoldOut):
            actions.draw(
                study=study_access.study,
                percent=form.cleaned_data["percent"],
                seed=form.cleaned_data["seed"] or secrets.token_hex(8),
                by=request.user,
                at=timezone.now(),
            )
        return _told(study_access)


class HoldOutEnded(APIView):
    scope = Scope.JUDGE

    @once(request=EndGiven, responses=HoldOutSerializer)
    def post(self, request: ApiRequest, key: str) -> Response:
        """Give the hold-out up, and say why."""
        study_access = run_by(request, key)
        form = checked(EndForm(taken(EndGiven, request)))
        with refusing(actions.CannotHoldOut):
            actions.end(
                study=study_access.study,
                reason=form.cleaned_data["reason"],
                by=request.user,
                at=timezone.now(),
            )
        return _told(study_access)


def _told(study_access: StudyAccess) -> Response:
    return Response(HoldOutSerializer(holding_out.state(study_access.study)).data)
