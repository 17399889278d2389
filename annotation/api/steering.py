"""Looking after a study by program: its team, its rounds, and what is set aside."""

from http import HTTPStatus

from django.core.exceptions import PermissionDenied
from django.http import Http404
from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.api.once import ONCE, once
from accounts.gate import ApiRequest, Scope
from annotation.actions import assignments, cancelling, protocol, quarantine, rounds, teams
from annotation.actions import studies as making
from annotation.api.finding import as_upload, coordinated, mistaken, reaches_far, refused
from annotation.api.serializers import (
    EXPORTER,
    AsideGiven,
    AsideSerializer,
    DueGiven,
    HandOnGiven,
    MemberGiven,
    MemberSerializer,
    ReasonGiven,
    RoundGiven,
    RoundSerializer,
    RoundStatusSerializer,
    StudyGiven,
    StudyMadeSerializer,
    StudySettingsSerializer,
)
from annotation.forms import describing
from annotation.forms.teams import StudyForm
from annotation.queries import rounds as status
from annotation.queries import studies
from annotation.queries.teams import members_of, team_for
from annotation.rules.granting import DataLevel


class TeamMember(APIView):
    scope = Scope.STEER

    @extend_schema(request=MemberGiven, responses=MemberSerializer(many=True))
    def put(self, request: ApiRequest, key: str) -> Response:
        """Give an account exactly these roles in a study; none takes it off the team.

        Who may export is named with a token that was made in the last minutes, as the page asks
        for the password again.
        """
        try:
            study = team_for(request.access, key).study
        except studies.NotOnTheTeam:
            raise Http404 from None
        given = MemberGiven(data=request.data)
        given.is_valid(raise_exception=True)
        if EXPORTER in given.validated_data["roles"]:
            reaches_far(request)
        also = [DataLevel(level) for level in given.validated_data.pop("also")]
        try:
            teams.set_roles(
                study_id=study.pk,
                by=request.user,
                at=timezone.now(),
                also=also,
                **given.validated_data,
            )
        except teams.CannotChangeTeam as refusal:
            return refused(refusal)
        return Response(MemberSerializer(members_of(study), many=True).data)


class RoundOpened(APIView):
    scope = Scope.STEER

    @extend_schema(parameters=[ONCE], request=RoundGiven, responses={201: RoundSerializer})
    @once
    def post(self, request: ApiRequest, key: str) -> Response:
        """Open a round: deal new items out to a panel, given as the email addresses of annotators."""
        study = coordinated(request, key).study
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
            return refused(refusal)
        return Response(RoundSerializer(opened).data, status=HTTPStatus.CREATED)


class RoundMoved(APIView):
    """What is done with a round that is open."""

    scope = Scope.STEER

    @extend_schema(parameters=[ONCE], request=None, responses=RoundSerializer)
    @once
    def post(self, request: ApiRequest, key: str, number: int, move: str) -> Response:
        """End its rating, have what differs rated again, or close it."""
        moves = {
            "end-rating": protocol.end_rating,
            "re-review": rounds.open_re_review,
            "close": rounds.close,
        }
        found = _round(request, key, number).round
        if move not in moves:
            raise Http404
        try:
            moved = moves[move](round_id=found.pk, by=request.user, at=timezone.now())
        except (rounds.CannotClose, protocol.CannotGoOn) as refusal:
            return refused(refusal)
        return Response(RoundSerializer(moved).data)


class RoundCancelled(APIView):
    scope = Scope.STEER

    @extend_schema(parameters=[ONCE], request=ReasonGiven, responses=RoundSerializer)
    @once
    def post(self, request: ApiRequest, key: str, number: int) -> Response:
        """End a round that should not have been opened; its items are free again."""
        found, given = _round(request, key, number), ReasonGiven(data=request.data)
        given.is_valid(raise_exception=True)
        try:
            ended = cancelling.cancel(
                round_id=found.round.pk,
                by=request.user,
                at=timezone.now(),
                **given.validated_data,
            )
        except cancelling.CannotCancel as refusal:
            return refused(refusal)
        return Response(RoundSerializer(ended).data)


class RoundDue(APIView):
    scope = Scope.STEER

    @extend_schema(request=DueGiven, responses=RoundSerializer)
    def put(self, request: ApiRequest, key: str, number: int) -> Response:
        """Say until when a round should be rated, or that there is no such day."""
        found, given = _round(request, key, number), DueGiven(data=request.data)
        given.is_valid(raise_exception=True)
        try:
            due = rounds.set_due(
                round_id=found.round.pk,
                by=request.user,
                at=timezone.now(),
                **given.validated_data,
            )
        except rounds.CannotClose as refusal:
            return refused(refusal)
        return Response(RoundSerializer(due).data)


class RoundHandedOn(APIView):
    scope = Scope.STEER

    @extend_schema(parameters=[ONCE], request=HandOnGiven, responses=RoundStatusSerializer)
    @once
    def post(self, request: ApiRequest, key: str, number: int) -> Response:
        """Give what a rater still owes to others; without `leaver` they join the panel, and take
        over their share of what everybody owes."""
        found, given = _round(request, key, number), HandOnGiven(data=request.data)
        given.is_valid(raise_exception=True)
        leaver = given.validated_data["leaver"]
        leaving = [one.rater_id for one in found.panel if one.account_id == leaver]
        if leaver is not None and not leaving:
            raise Http404
        by, at, round_id = request.user, timezone.now(), found.round.pk
        try:
            to = status.accounts_of(found.round.study, given.validated_data["to"])
            if leaver is None:
                assignments.let_join(round_id=round_id, accounts=to, by=by, at=at)
            else:
                assignments.reassign(round_id=round_id, from_rater=leaving[0], to=to, by=by, at=at)
        except (assignments.CannotReassign, status.NotAnAnnotator) as refusal:
            return refused(refusal)
        return Response(RoundStatusSerializer(_round(request, key, number)).data)


class StudyMade(APIView):
    scope = Scope.STEER

    @extend_schema(parameters=[ONCE], request=StudyGiven, responses={201: StudyMadeSerializer})
    @once
    def post(self, request: ApiRequest) -> Response:
        """Make a study, with a shipped rubric or one of your own as TOML."""
        if not studies.may_make_studies(request.access):
            raise PermissionDenied
        given = StudyGiven(data=request.data)
        given.is_valid(raise_exception=True)
        fields = dict(given.validated_data)
        text = fields.pop("rubric_toml")
        files = {"rubric_file": as_upload(text)} if text else {}
        form = StudyForm(fields, files)
        if not form.is_valid():
            return mistaken(form.errors)
        try:
            made = making.create(**form.arguments(), by=request.user, at=timezone.now())
        except making.KeyTaken as refusal:
            return refused(refusal)
        return Response(StudyMadeSerializer(made).data, status=HTTPStatus.CREATED)


class StudySettings(APIView):
    scope = Scope.STEER

    @extend_schema(responses=StudySettingsSerializer)
    def get(self, request: ApiRequest, key: str) -> Response:
        """What a study is called, and what it is about in each of its languages."""
        study = coordinated(request, key).study
        return Response(StudySettingsSerializer(study).data)

    @extend_schema(request=StudySettingsSerializer, responses=StudySettingsSerializer)
    def put(self, request: ApiRequest, key: str) -> Response:
        """Set all of it: a description that is left out is gone."""
        study = coordinated(request, key).study
        given = StudySettingsSerializer(data=request.data)
        given.is_valid(raise_exception=True)
        name = describing.NameForm(given.validated_data)
        written = describing.as_sent(given.validated_data["descriptions"])
        descriptions = describing.DescriptionFormSet(written, prefix=describing.PREFIX)
        if not name.is_valid():
            return mistaken(name.errors)
        if not descriptions.is_valid():
            return mistaken({"descriptions": describing.mistakes_in(descriptions)})
        described = making.describe(
            study_id=study.pk,
            **name.cleaned_data,
            descriptions=dict(describing.written_in(descriptions)),
            by=request.user,
            at=timezone.now(),
        )
        return Response(StudySettingsSerializer(described).data)


class ItemAside(APIView):
    scope = Scope.STEER

    @extend_schema(parameters=[ONCE], request=AsideGiven, responses={201: AsideSerializer})
    @once
    def post(self, request: ApiRequest, key: str) -> Response:
        """Take an item out of figures; its ratings stay."""
        study = coordinated(request, key).study
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
            return refused(refusal)
        return Response(AsideSerializer(made).data, status=HTTPStatus.CREATED)


class AsideLifted(APIView):
    scope = Scope.STEER

    @extend_schema(parameters=[ONCE], request=None, responses=AsideSerializer)
    @once
    def post(self, request: ApiRequest, key: str, aside_id: int) -> Response:
        """Let an item count again."""
        study = coordinated(request, key).study
        try:
            lifted = quarantine.lift(
                study_id=study.pk, quarantine_id=aside_id, by=request.user, at=timezone.now()
            )
        except quarantine.CannotQuarantine as refusal:
            return refused(refusal)
        return Response(AsideSerializer(lifted).data)


def _round(request: ApiRequest, key: str, number: int) -> status.RoundStatus:
    try:
        return status.round_status(coordinated(request, key).study, number)
    except status.NoSuchRound:
        raise Http404 from None
