"""What a study has agreed on, who is let in without passing, and what is noted of items."""

from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from django.utils import timezone
from rest_framework import serializers
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.api.answering import checked, taken
from accounts.api.described import described
from accounts.api.once import once
from accounts.api.paging import PAGE_PARAMETERS, page_of, paged
from accounts.gate import ApiRequest, Scope
from annotation.actions import caring, items, protocol, qualifying
from annotation.api.saying import refusing
from annotation.forms.caring import CareForm
from annotation.forms.protocol import ProtocolForm
from annotation.forms.qualifying import AdmissionForm
from annotation.queries import caring as caring_for
from annotation.queries import qualified
from annotation.queries.entering import coordinated
from annotation.queries.item_list import item_keyed, reason_not_to_list
from annotation.queries.rounds import protocol_of_next_rounds
from annotation.queries.studies import StudyAccess
from annotation.queries.wording import Barred
from annotation.rules.protocol import GateBound, GateMeasure, GateScope, OnSplit, Protocol, Sight
from annotation.rules.remarks import LONGEST

if TYPE_CHECKING:
    from annotation.models import Study

AGREED = Protocol()


class ProtocolSerializer(serializers.Serializer[Any]):
    """By what the next rounds go; what is left out is as in a new study. `second_values` are
    CRITERION:VALUE."""

    qualified_only = serializers.BooleanField(default=AGREED.qualified_only)
    gate_first = serializers.BooleanField(default=AGREED.gate_first)
    re_review = serializers.BooleanField(default=AGREED.re_review)
    discussion = serializers.BooleanField(default=AGREED.discussion)
    adjudication = serializers.BooleanField(default=AGREED.adjudication)
    sight = serializers.ChoiceField(choices=[one.value for one in Sight], default=AGREED.sight)
    agreed_percent = serializers.IntegerField(min_value=0, max_value=100, default=0)
    second_overruling = serializers.BooleanField(default=AGREED.second_overruling)
    second_percent = serializers.IntegerField(min_value=0, max_value=100, default=0)
    second_values = serializers.ListField(child=serializers.CharField(), default=list)
    on_split = serializers.ChoiceField(
        choices=[one.value for one in OnSplit], default=AGREED.on_split
    )
    measure = serializers.ChoiceField(
        choices=[one.value for one in GateMeasure], default=AGREED.measure
    )
    scope = serializers.ChoiceField(choices=[one.value for one in GateScope], default=AGREED.scope)
    bound = serializers.ChoiceField(choices=[one.value for one in GateBound], default=AGREED.bound)


class QualifiedSerializer(serializers.Serializer[Any]):
    """An annotator: how many percent were right, and why they were let in otherwise."""

    account_id = serializers.IntegerField()
    name = serializers.CharField()
    percent = serializers.IntegerField(allow_null=True)
    has_passed = serializers.BooleanField()
    may_rate = serializers.BooleanField()
    let_in_because = serializers.CharField()
    let_in_by = serializers.CharField()
    let_in_at = serializers.DateTimeField(allow_null=True)


class CareGiven(serializers.Serializer[Any]):
    """After how many heavy items a break is offered, 0: never; how many a day at most, null: no
    limit; whom to talk to. What is left out is as in a new study."""

    break_after = serializers.IntegerField(default=0)
    most_a_day = serializers.IntegerField(allow_null=True, default=None)
    support = serializers.CharField(allow_blank=True, default="", max_length=LONGEST)


class CareSerializer(CareGiven):
    """The same with what all raters have read together, null where they are too few to be told."""

    n_heavy = serializers.IntegerField(allow_null=True)
    n_passed_on = serializers.IntegerField(allow_null=True)


class LetInGiven(serializers.Serializer[Any]):
    account = serializers.IntegerField()
    reason = serializers.CharField(max_length=LONGEST)


class NoteGiven(serializers.Serializer[Any]):
    """The key of an item, and what other coordinators should know of it."""

    item = serializers.CharField(max_length=100)
    text = serializers.CharField(max_length=LONGEST)


class WarningGiven(serializers.Serializer[Any]):
    """The key of an item, and what whoever reads it is told first; empty, nothing."""

    item = serializers.CharField(max_length=100)
    content_note = serializers.CharField(
        allow_blank=True, default="", max_length=items.LONGEST_WARNING
    )


class NotedSerializer(serializers.Serializer[Any]):
    item = serializers.CharField(source="item.key")
    written_at = serializers.DateTimeField()


class WarnedSerializer(serializers.Serializer[Any]):
    item = serializers.CharField(source="key")
    content_note = serializers.CharField()


class ProtocolOfNextRounds(APIView):
    scope = Scope.STEER

    @described(responses=ProtocolSerializer)
    def get(self, request: ApiRequest, key: str) -> Response:
        """By what the next rounds of a study go."""
        study = coordinated(request, key).study
        return Response(ProtocolSerializer(protocol_of_next_rounds(study)).data)

    @described(request=ProtocolSerializer, responses=ProtocolSerializer)
    def put(self, request: ApiRequest, key: str) -> Response:
        """Agree on what the next rounds do with what raters answer."""
        study = coordinated(request, key).study
        given = taken(ProtocolSerializer, request)
        form = checked(ProtocolForm(study.rubric_version.content, given))
        protocol.agree(
            study_id=study.pk, protocol=form.protocol(), by=request.user, at=timezone.now()
        )
        study.refresh_from_db()
        return Response(ProtocolSerializer(protocol_of_next_rounds(study)).data)


class Qualification(APIView):
    scope = Scope.STEER

    @described(parameters=PAGE_PARAMETERS, responses=page_of(QualifiedSerializer))
    def get(self, request: ApiRequest, key: str) -> Response:
        """The annotators of a study, and how they did when they were last to qualify."""
        found = qualified.annotators(coordinated(request, key).study)
        return paged(request, found, QualifiedSerializer, key=lambda one: one.account_id)

    @once(request=LetInGiven, responses={201: QualifiedSerializer})
    def post(self, request: ApiRequest, key: str) -> Response:
        """Let somebody rate who has not passed."""
        study = coordinated(request, key).study
        given = taken(LetInGiven, request)
        account = given["account"]
        filled = {"account": str(account), "reason": given["reason"]}
        form = checked(AdmissionForm(qualified.annotators(study), filled))
        with refusing(qualifying.CannotLetIn):
            qualifying.let_in(
                study_id=study.pk,
                account=account,
                reason=form.cleaned_data["reason"],
                by=request.user,
                at=timezone.now(),
            )
        made = next(one for one in qualified.annotators(study) if one.account_id == account)
        return Response(QualifiedSerializer(made).data, status=HTTPStatus.CREATED)


class CareOfRaters(APIView):
    scope = Scope.STEER

    @described(responses=CareSerializer)
    def get(self, request: ApiRequest, key: str) -> Response:
        """How a study cares for those who annotate."""
        return _care(coordinated(request, key).study)

    @described(request=CareGiven, responses=CareSerializer)
    def put(self, request: ApiRequest, key: str) -> Response:
        """Set breaks, the most of a day, and whom to talk to: all of it."""
        study = coordinated(request, key).study
        form = checked(CareForm(taken(CareGiven, request)))
        caring.set_care(study_id=study.pk, **form.cleaned_data, by=request.user, at=timezone.now())
        return _care(study)


class ItemNoted(APIView):
    scope = Scope.STEER

    @once(request=NoteGiven, responses={201: NotedSerializer})
    def post(self, request: ApiRequest, key: str) -> Response:
        """Write something down about an item, for other coordinators."""
        study_access, given = _listed(request, key), taken(NoteGiven, request)
        with refusing(items.CannotNote):
            made = items.note(
                study_id=study_access.study.pk,
                item_id=item_keyed(study_access, given["item"]),
                text=given["text"],
                by=request.user,
                at=timezone.now(),
            )
        return Response(NotedSerializer(made).data, status=HTTPStatus.CREATED)


class ItemWarned(APIView):
    scope = Scope.STEER

    @once(request=WarningGiven, responses={200: WarnedSerializer})
    def post(self, request: ApiRequest, key: str) -> Response:
        """Say what is told before an item is read."""
        study_access, given = _listed(request, key), taken(WarningGiven, request)
        with refusing(items.CannotNote):
            warned = items.warn(
                study_id=study_access.study.pk,
                item_id=item_keyed(study_access, given["item"]),
                content_note=given["content_note"],
                by=request.user,
                at=timezone.now(),
            )
        return Response(WarnedSerializer(warned).data)


def _care(study: "Study") -> Response:
    exposure, care = caring_for.exposure(study), caring_for.care_of(study)
    told = {name: getattr(care, name) for name in CareForm.base_fields}
    told |= {"n_heavy": exposure.n_heavy, "n_passed_on": exposure.n_passed_on}
    return Response(CareSerializer(told).data)


def _listed(request: ApiRequest, key: str) -> StudyAccess:
    """The study for who may open its items in the list."""
    study_access = coordinated(request, key)
    if reason := reason_not_to_list(study_access):
        raise Barred(reason)
    return study_access
