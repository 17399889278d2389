"""Grants by program: asked for, listed, decided and revoked as on the pages."""

from typing import TYPE_CHECKING

from django.core.exceptions import PermissionDenied
from django.http import Http404
from django.utils import timezone
from drf_spectacular.utils import OpenApiParameter
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.api.answering import checked, reaches_far, taken
from accounts.api.described import described
from accounts.api.once import once
from accounts.api.paging import PAGE_PARAMETERS, page_of, paged
from accounts.gate import ApiRequest, Scope
from annotation.actions import data_sets, grants
from annotation.api.saying import refusing
from annotation.api.serializers import (
    LEVELS,
    DataSetSerializer,
    DecisionGiven,
    GrantSerializer,
    HolderSerializer,
    LevelsGiven,
    ReasonGiven,
    RulesGiven,
    RulesSerializer,
    WaitingSerializer,
)
from annotation.forms.governing import DataSetForm, GrantForm, SeenFilterForm
from annotation.queries import governing, studies
from annotation.queries.studies import StudyAccess
from annotation.rules.granting import DataLevel, GrantStage

if TYPE_CHECKING:
    from annotation.models import DataSet


class DataSets(APIView):
    scope = Scope.PEOPLE

    @described(parameters=PAGE_PARAMETERS, responses=page_of(DataSetSerializer))
    def get(self, request: ApiRequest) -> Response:
        """The data sets, for who governs or audits."""
        if not governing.may_look(request.access):
            raise PermissionDenied
        found = governing.data_sets(request.access)
        return paged(request, found, DataSetSerializer, key=lambda one: one.key)


class Holders(APIView):
    scope = Scope.PEOPLE

    @described(
        parameters=[
            *PAGE_PARAMETERS,
            OpenApiParameter("at", {"type": "string", "format": "date"}),
            OpenApiParameter("person", int),
            OpenApiParameter("level", {"type": "string", "enum": LEVELS}),
        ],
        responses=page_of(HolderSerializer),
    )
    def get(self, request: ApiRequest, key: str) -> Response:
        """Who could see what of a data set on a day, since when and by whose decision."""
        found = _data_set(request, key)
        form = checked(SeenFilterForm(request.query_params.dict()))
        lines = governing.who_sees_what(
            found,
            at=form.moment(timezone.now()),
            person=form.cleaned_data["person"],
            level=form.cleaned_data["level"],
        )
        return paged(request, lines, HolderSerializer, key=lambda one: one.grant.pk)


class Requests(APIView):
    scope = Scope.PEOPLE

    @described(parameters=PAGE_PARAMETERS, responses=page_of(WaitingSerializer))
    def get(self, request: ApiRequest, key: str) -> Response:
        """What waits for a decision in a data set, person by person, the oldest first."""
        found = _data_set(request, key)
        waiting = governing.waiting_in(found, by=request.user, at=timezone.now())
        return paged(request, waiting, WaitingSerializer, key=lambda one: one.first.pk)


class RequestDecided(APIView):
    scope = Scope.GRANT

    @once(request=DecisionGiven, responses=GrantSerializer(many=True))
    def post(self, request: ApiRequest, key: str, person_id: int) -> Response:
        """Approve, return or refuse whatever waits for a person.

        To approve takes a token that was made in the last minutes.
        """
        found, now = _stewarded(request, key), timezone.now()
        asked = taken(DecisionGiven, request)
        waiting = governing.waiting_in(found, by=request.user, at=now)
        theirs = next((one for one in waiting if one.person.pk == person_id), None)
        if theirs is None:
            raise Http404
        ids = [grant.pk for grant in theirs.grants]
        with refusing(grants.CannotGrant):
            if asked["decision"] == "approve":
                reaches_far(request)
                latest = governing.latest_end(found, at=now)
                form = checked(GrantForm({"until": asked["until"]}, latest=latest))
                grants.approve_all(
                    data_set_id=found.pk,
                    person_id=person_id,
                    until=form.end_of_term(),
                    by=request.user,
                    at=now,
                )
            else:
                is_back = asked["decision"] == "return"
                grants.turn_back(
                    grant_ids=ids,
                    to=GrantStage.RETURNED if is_back else GrantStage.REFUSED,
                    reason=asked["reason"],
                    by=request.user,
                    at=now,
                )
        return Response(_own(found.pk, person_id, ids))


class GrantRevoked(APIView):
    scope = Scope.GRANT

    @once(request=ReasonGiven, responses=GrantSerializer(many=True))
    def post(self, request: ApiRequest, key: str, grant_id: int) -> Response:
        """End a grant now: all that stands on it ends with it."""
        found = _stewarded(request, key)
        held = found.grants.filter(pk=grant_id).first()
        if held is None:
            raise Http404
        given = taken(ReasonGiven, request)
        with refusing(grants.CannotGrant):
            grants.revoke(
                grant_id=grant_id,
                by=request.user,
                at=timezone.now(),
                **given,
            )
        return Response(_own(found.pk, held.person_id, [grant_id]))


class DataSetRules(APIView):
    scope = Scope.GRANT

    @described(request=RulesGiven, responses=RulesSerializer)
    def put(self, request: ApiRequest, key: str) -> Response:
        """Set the steward and the rules of a data set: all of them, with a token that was made in
        the last minutes. Runs of judges that break them stop at their next call."""
        found = _stewarded(request, key)
        reaches_far(request)
        asked = taken(RulesGiven, request)
        form = checked(DataSetForm({**asked, "processors": "\n".join(asked["processors"])}))
        done = data_sets.govern(
            data_set_id=found.pk, **form.cleaned_data, by=request.user, at=timezone.now()
        )
        return Response(RulesSerializer(done).data)


class OwnGrants(APIView):
    scope = Scope.PEOPLE

    @described(parameters=PAGE_PARAMETERS, responses=page_of(GrantSerializer))
    def get(self, request: ApiRequest, key: str) -> Response:
        """What this account holds of a study's data set or asked for, newest first."""
        study = _membership(request, key).study
        found = governing.own_grants(study.data_set_id, request.user.pk)
        return paged(
            request, found, GrantSerializer, key=lambda one: one.grant.pk, newest_first=True
        )


class GrantAsked(APIView):
    scope = Scope.GRANT

    @once(request=LevelsGiven, responses=GrantSerializer(many=True))
    def post(self, request: ApiRequest, key: str) -> Response:
        """Ask for levels of a study's data set for this account; its data steward decides."""
        study = _membership(request, key).study
        given = taken(LevelsGiven, request)
        made = grants.propose(
            data_set_id=study.data_set_id,
            person=request.user,
            levels=[DataLevel(level) for level in given["levels"]],
            purpose=given["purpose"],
            by=request.user,
            at=timezone.now(),
        )
        ids = [one.pk for one in made]
        return Response(_own(study.data_set_id, request.user.pk, ids))


class GrantEscalated(APIView):
    scope = Scope.GRANT

    @once(request=None, responses=GrantSerializer(many=True))
    def post(self, request: ApiRequest, key: str, grant_id: int) -> Response:
        """Have any data steward decide a request of one's own."""
        study = _membership(request, key).study
        if not _own(study.data_set_id, request.user.pk, [grant_id]):
            raise Http404
        with refusing(grants.CannotGrant):
            grants.escalate(grant_id=grant_id, by=request.user, at=timezone.now())
        return Response(_own(study.data_set_id, request.user.pk, [grant_id]))


def _data_set(request: ApiRequest, key: str) -> "DataSet":
    return governing.data_set_for(request.access, key)


def _stewarded(request: ApiRequest, key: str) -> "DataSet":
    found = _data_set(request, key)
    if not request.access.may_decide_requests:
        raise PermissionDenied
    return found


def _membership(request: ApiRequest, key: str) -> StudyAccess:
    """The study for who is on its team, whatever is granted to them."""
    return studies.membership_for(request.access, key)


def _own(data_set_id: int, person_id: int, ids: list[int]) -> list[dict[str, object]]:
    lines = governing.own_grants(data_set_id, person_id)
    found = [line for line in lines if line.grant.pk in ids]
    return [dict(GrantSerializer(line).data) for line in found]
