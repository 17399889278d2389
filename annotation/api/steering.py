"""Looking after a study by program: its team, its rounds, and what is set aside."""

from http import HTTPStatus

from django.core.exceptions import PermissionDenied
from django.http import Http404
from django.utils import timezone
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.api.answering import Mistaken, checked, reaches_far, taken
from accounts.api.described import described
from accounts.api.once import once
from accounts.gate import ApiRequest, Scope
from annotation.actions import assignments, cancelling, protocol, quarantine, rounds, teams
from annotation.actions import studies as making
from annotation.api.saying import as_upload, refusing
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
from annotation.queries.entering import coordinated
from annotation.queries.teams import members_of, team_for
from annotation.rules.granting import DataLevel


class TeamMember(APIView):
    scope = Scope.STEER

    @described(request=MemberGiven, responses=MemberSerializer(many=True))
    def put(self, request: ApiRequest, key: str) -> Response:
        """Give an account exactly these roles in a study; none takes it off the team.

        Who may export is named with a token that was made in the last minutes, as the page asks
        for the password again.
        """
        study = team_for(request.access, key).study
        given = taken(MemberGiven, request)
        if EXPORTER in given["roles"]:
            reaches_far(request)
        also = [DataLevel(level) for level in given.pop("also")]
        with refusing(teams.CannotChangeTeam):
            teams.set_roles(
                study_id=study.pk,
                by=request.user,
                at=timezone.now(),
                also=also,
                **given,
            )
        return Response(MemberSerializer(members_of(study), many=True).data)


class RoundOpened(APIView):
    scope = Scope.STEER

    @once(request=RoundGiven, responses={201: RoundSerializer})
    def post(self, request: ApiRequest, key: str) -> Response:
        """Open a round: deal new items out to a panel, given as the email addresses of annotators."""
        study = coordinated(request, key).study
        asked = taken(RoundGiven, request)
        with refusing(rounds.CannotOpen, status.NotAnAnnotator):
            opened = rounds.open_round(
                study_id=study.pk,
                panel=status.accounts_of(study, asked.pop("panel")),
                by=request.user,
                at=timezone.now(),
                **asked,
            )
        return Response(RoundSerializer(opened).data, status=HTTPStatus.CREATED)


class RoundMoved(APIView):
    """What is done with a round that is open."""

    scope = Scope.STEER

    @once(request=None, responses=RoundSerializer)
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
        with refusing(rounds.CannotClose, protocol.CannotGoOn):
            moved = moves[move](round_id=found.pk, by=request.user, at=timezone.now())
        return Response(RoundSerializer(moved).data)


class RoundCancelled(APIView):
    scope = Scope.STEER

    @once(request=ReasonGiven, responses=RoundSerializer)
    def post(self, request: ApiRequest, key: str, number: int) -> Response:
        """End a round that should not have been opened; its items are free again."""
        found, given = _round(request, key, number), taken(ReasonGiven, request)
        with refusing(cancelling.CannotCancel):
            ended = cancelling.cancel(
                round_id=found.round.pk,
                by=request.user,
                at=timezone.now(),
                **given,
            )
        return Response(RoundSerializer(ended).data)


class RoundDue(APIView):
    scope = Scope.STEER

    @described(request=DueGiven, responses=RoundSerializer)
    def put(self, request: ApiRequest, key: str, number: int) -> Response:
        """Say until when a round should be rated, or that there is no such day."""
        found, given = _round(request, key, number), taken(DueGiven, request)
        with refusing(rounds.CannotClose):
            due = rounds.set_due(
                round_id=found.round.pk,
                by=request.user,
                at=timezone.now(),
                **given,
            )
        return Response(RoundSerializer(due).data)


class RoundHandedOn(APIView):
    scope = Scope.STEER

    @once(request=HandOnGiven, responses=RoundStatusSerializer)
    def post(self, request: ApiRequest, key: str, number: int) -> Response:
        """Give what a rater still owes to others; without `leaver` they join the panel, and take
        over their share of what everybody owes."""
        found, given = _round(request, key, number), taken(HandOnGiven, request)
        leaver = given["leaver"]
        leaving = [one.rater_id for one in found.panel if one.account_id == leaver]
        if leaver is not None and not leaving:
            raise Http404
        by, at, round_id = request.user, timezone.now(), found.round.pk
        with refusing(assignments.CannotReassign, status.NotAnAnnotator):
            to = status.accounts_of(found.round.study, given["to"])
            if leaver is None:
                assignments.let_join(round_id=round_id, accounts=to, by=by, at=at)
            else:
                assignments.reassign(round_id=round_id, from_rater=leaving[0], to=to, by=by, at=at)
        return Response(RoundStatusSerializer(_round(request, key, number)).data)


class StudyMade(APIView):
    scope = Scope.STEER

    @once(request=StudyGiven, responses={201: StudyMadeSerializer})
    def post(self, request: ApiRequest) -> Response:
        """Make a study, with a shipped rubric or one of your own as TOML."""
        if not studies.may_make_studies(request.access):
            raise PermissionDenied
        fields = taken(StudyGiven, request)
        text = fields.pop("rubric_toml")
        files = {"rubric_file": as_upload(text)} if text else {}
        form = checked(StudyForm(fields, files))
        with refusing(making.KeyTaken):
            made = making.create(**form.arguments(), by=request.user, at=timezone.now())
        return Response(StudyMadeSerializer(made).data, status=HTTPStatus.CREATED)


class StudySettings(APIView):
    scope = Scope.STEER

    @described(responses=StudySettingsSerializer)
    def get(self, request: ApiRequest, key: str) -> Response:
        """What a study is called, and what it is about in each of its languages."""
        study = coordinated(request, key).study
        return Response(StudySettingsSerializer(study).data)

    @described(request=StudySettingsSerializer, responses=StudySettingsSerializer)
    def put(self, request: ApiRequest, key: str) -> Response:
        """Set all of it: a description that is left out is gone."""
        study = coordinated(request, key).study
        given = taken(StudySettingsSerializer, request)
        name = checked(describing.NameForm(given))
        written = describing.as_sent(given["descriptions"])
        descriptions = describing.DescriptionFormSet(written, prefix=describing.PREFIX)
        if not descriptions.is_valid():
            raise Mistaken({"descriptions": describing.mistakes_in(descriptions)})
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

    @once(request=AsideGiven, responses={201: AsideSerializer})
    def post(self, request: ApiRequest, key: str) -> Response:
        """Take an item out of figures; its ratings stay."""
        study = coordinated(request, key).study
        given = taken(AsideGiven, request)
        with refusing(quarantine.CannotQuarantine):
            made = quarantine.quarantine(
                study_id=study.pk,
                item_key=given["item"],
                reason=given["reason"],
                by=request.user,
                at=timezone.now(),
            )
        return Response(AsideSerializer(made).data, status=HTTPStatus.CREATED)


class AsideLifted(APIView):
    scope = Scope.STEER

    @once(request=None, responses=AsideSerializer)
    def post(self, request: ApiRequest, key: str, aside_id: int) -> Response:
        """Let an item count again."""
        study = coordinated(request, key).study
        with refusing(quarantine.CannotQuarantine):
            lifted = quarantine.lift(
                study_id=study.pk, quarantine_id=aside_id, by=request.user, at=timezone.now()
            )
        return Response(AsideSerializer(lifted).data)


def _round(request: ApiRequest, key: str, number: int) -> status.RoundStatus:
    return status.round_status(coordinated(request, key).study, number)
