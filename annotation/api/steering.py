"""Looking after a study by program: its team, its rounds, and what is set aside."""

from http import HTTPStatus

from django.core.exceptions import PermissionDenied
from django.http import Http404
from django.utils import timezone
from django.utils.translation import gettext
from drf_spectacular.utils import extend_schema
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.gate import ApiRequest, Scope
from annotation.actions import protocol, quarantine, rounds, teams
from annotation.api.serializers import (
    EXPORTER,
    AsideGiven,
    AsideSerializer,
    MemberGiven,
    MemberSerializer,
    RoundGiven,
    RoundSerializer,
)
from annotation.queries import rounds as status
from annotation.queries import studies
from annotation.queries.studies import StudyAccess
from annotation.queries.teams import members_of, team_for
from annotation.queries.wording import said


class TeamMember(APIView):
    scope = Scope.STEER

    @extend_schema(request=MemberGiven, responses=MemberSerializer(many=True))
    def put(self, request: ApiRequest, key: str) -> Response:
        """Give an account exactly these roles in a study; none takes it off the team.

        Who may export is said on the page, where the password is asked for again.
        """
        try:
            study = team_for(request.access, key).study
        except studies.NotOnTheTeam:
            raise Http404 from None
        given = MemberGiven(data=request.data)
        given.is_valid(raise_exception=True)
        if EXPORTER in given.validated_data["roles"]:
            raise PermissionDenied(gettext("Exporters are named on the page of the team."))
        try:
            teams.set_roles(
                study_id=study.pk, by=request.user, at=timezone.now(), **given.validated_data
            )
        except teams.CannotChangeTeam as refusal:
            return _refused(refusal)
        return Response(MemberSerializer(members_of(study), many=True).data)


class RoundOpened(APIView):
    scope = Scope.STEER

    @extend_schema(request=RoundGiven, responses={201: RoundSerializer})
    def post(self, request: ApiRequest, key: str) -> Response:
        """Open a round: deal new items out to a panel, given as the email addresses of annotators."""
        study = _coordinated(request, key).study
        given = RoundGiven(data=request.data)
        given.is_valid(raise_exception=True)
        asked = dict(given.validated_data)
        try:
            opened = rounds.open_round(
                study_id=study.pk,
                panel=status.accounts_of(study, asked.pop("panel")),
                by=request.user,
                at=timezone.now(),
                **asked,
            )
        except (rounds.CannotOpen, status.NotAnAnnotator) as refusal:
            return _refused(refusal)
        return Response(RoundSerializer(opened).data, status=HTTPStatus.CREATED)


class RoundMoved(APIView):
    """What is done with a round that is open."""

    scope = Scope.STEER

    @extend_schema(request=None, responses=RoundSerializer)
    def post(self, request: ApiRequest, key: str, number: int, move: str) -> Response:
        """End its rating, have what differs rated again, or close it."""
        moves = {
            "end-rating": protocol.end_rating,
            "re-review": rounds.open_re_review,
            "close": rounds.close,
        }
        study = _coordinated(request, key).study
        try:
            found = status.round_status(study, number).round
            moved = moves[move](round_id=found.pk, by=request.user, at=timezone.now())
        except (status.NoSuchRound, KeyError):
            raise Http404 from None
        except (rounds.CannotClose, protocol.CannotGoOn) as refusal:
            return _refused(refusal)
        return Response(RoundSerializer(moved).data)


class ItemAside(APIView):
    scope = Scope.STEER

    @extend_schema(request=AsideGiven, responses={201: AsideSerializer})
    def post(self, request: ApiRequest, key: str) -> Response:
        """Take an item out of figures; its ratings stay."""
        study = _coordinated(request, key).study
        given = AsideGiven(data=request.data)
        given.is_valid(raise_exception=True)
        try:
            made = quarantine.quarantine(
                study_id=study.pk,
                item_key=given.validated_data["item"],
                reason=given.validated_data["reason"],
                by=request.user,
                at=timezone.now(),
            )
        except quarantine.CannotQuarantine as refusal:
            return _refused(refusal)
        return Response(AsideSerializer(made).data, status=HTTPStatus.CREATED)


class AsideLifted(APIView):
    scope = Scope.STEER

    @extend_schema(request=None, responses=AsideSerializer)
    def post(self, request: ApiRequest, key: str, aside_id: int) -> Response:
        """Let an item count again."""
        study = _coordinated(request, key).study
        try:
            lifted = quarantine.lift(
                study_id=study.pk, quarantine_id=aside_id, by=request.user, at=timezone.now()
            )
        except quarantine.CannotQuarantine as refusal:
            return _refused(refusal)
        return Response(AsideSerializer(lifted).data)


def _coordinated(request: ApiRequest, key: str) -> StudyAccess:
    try:
        study_access = studies.study_for(request.access, key)
    except studies.NotGranted as refusal:
        raise PermissionDenied(said(refusal.args[0])) from None
    except studies.NotOnTheTeam:
        raise Http404 from None
    if not study_access.may_coordinate:
        raise PermissionDenied
    return study_access


def _refused(refusal: Exception) -> Response:
    return Response({"detail": said(refusal.args[0])}, status=HTTPStatus.CONFLICT)
