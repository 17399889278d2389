"""Figures, ratings, gold, runs and releases as JSON."""

from collections.abc import Callable, Collection
from http import HTTPStatus
from typing import TypeVar

from django.http import HttpResponseBase
from django.utils import timezone
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter
from rest_framework.exceptions import NotFound, ValidationError
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.actions.writes import SentOtherwise
from accounts.api.answering import taken
from accounts.api.described import described
from accounts.api.once import HEADER, once, sent_otherwise
from accounts.api.paging import PAGE_PARAMETERS, page_asked, page_of, paged
from accounts.gate import ApiRequest, Scope
from analytics import told
from analytics.agreement import numbers as agreement
from analytics.api.serializers import (
    DisclosureSerializer,
    FiguresSerializer,
    GoldPiece,
    OnTheWay,
    RatingPiece,
    ReleaseAsked,
    ReleaseLinkSerializer,
    ReleaseSerializer,
    RulingGiven,
)
from analytics.exports import actions, downloads, links, pieces, rulings
from analytics.figures import store as snapshots
from analytics.present import leaving
from analytics.present.entering import reader_or_403
from analytics.present.leaving import FiguresTaken
from analytics.present.typesetting import record_of
from analytics.present.veil import veil_of, veiled
from analytics.present.viewing import view_asked
from analytics.ratings.matrices import PLAIN, View
from analytics.rooms import ROOMS
from analytics.trust import cards as verdicts
from analytics.trust import numbers as trust
from analytics.trust import policies
from annotation.api.saying import refusing
from annotation.queries import jobs
from annotation.queries.entering import study_or_404
from annotation.queries.studies import StudyAccess
from annotation.queries.wording import Barred
from annotation.rules.granting import Action

T = TypeVar("T")

STRINGS = {"type": "array", "items": {"type": "string"}}
ON_THE_WAY = {202: OnTheWay}


class RatingsView(APIView):
    scope = Scope.RELEASE

    @described(parameters=PAGE_PARAMETERS, responses=RatingPiece)
    def get(self, request: ApiRequest, key: str) -> Response:
        """The ratings of a study, items by key; who may not see an answer yet does not get it."""
        return _piece(request, key, pieces.ratings, RatingPiece)


class GoldView(APIView):
    scope = Scope.RELEASE

    @described(parameters=PAGE_PARAMETERS, responses=GoldPiece)
    def get(self, request: ApiRequest, key: str) -> Response:
        """The gold of a study, items by key."""
        return _piece(request, key, pieces.gold, GoldPiece)


class ReleasesView(APIView):
    scope = Scope.RELEASE

    @described(parameters=PAGE_PARAMETERS, responses=page_of(ReleaseSerializer))
    def get(self, request: ApiRequest, key: str) -> Response:
        """The releases that this account asked for, newest first."""
        found = jobs.asked_by(_exported(request, key).study, actions.WHAT, by=request.user)
        return paged(request, found, ReleaseSerializer, key=lambda one: one.pk, newest_first=True)

    @described(
        parameters=[
            OpenApiParameter(
                HEADER,
                {"type": "string", "maxLength": 100},
                location="header",
                description="The same key again gets the same release and builds no other.",
            )
        ],
        request=ReleaseAsked,
        responses={202: ReleaseSerializer},
    )
    def post(self, request: ApiRequest, key: str) -> Response:
        """Have a release built; one at a time for each account."""
        _exported(request, key)
        asked = taken(ReleaseAsked, request)
        try:
            with refusing(actions.AnotherUnderWay):
                job = actions.ask(
                    study_key=key,
                    with_texts=asked["with_texts"],
                    by=request.user,
                    at=timezone.now(),
                    once=request.headers.get(HEADER, "")[:100],
                )
        except SentOtherwise:
            return sent_otherwise()
        return Response(ReleaseSerializer(job).data, status=HTTPStatus.ACCEPTED)


class ReleaseView(APIView):
    scope = Scope.RELEASE

    @described(responses=ReleaseSerializer)
    def get(self, request: ApiRequest, key: str, job_id: int) -> Response:
        """How far a release is."""
        found = jobs.asked_by(_exported(request, key).study, actions.WHAT, by=request.user)
        job = found.filter(pk=job_id).first()
        if job is None:
            raise NotFound
        return Response(ReleaseSerializer(job).data)


class ReleaseLinkView(APIView):
    scope = Scope.RELEASE

    @described(request=None, responses={201: ReleaseLinkSerializer})
    def post(self, request: ApiRequest, key: str, job_id: int) -> Response:
        """A link to a release that is done: it works once, for this account, within a minute."""
        _exported(request, key)
        token, until = links.make(study_key=key, job_id=job_id, by=request.user, at=timezone.now())
        told = ReleaseLinkSerializer({"token": token, "expires_at": until}).data
        return Response(told, status=HTTPStatus.CREATED)


class ReleaseFile(APIView):
    scope = Scope.RELEASE

    @described(
        parameters=[OpenApiParameter("Range", str, location="header", description="bytes=FIRST-")],
        responses={
            (200, "application/zip"): bytes,
            (206, "application/zip"): bytes,
            (416, "application/zip"): None,
        },
    )
    def get(self, request: ApiRequest, key: str, token: str) -> HttpResponseBase:
        """The archive of a release, by its link. What broke off goes on with `Range` for an hour."""
        _exported(request, key)
        return downloads.answered(request, key, token)


class DisclosureView(APIView):
    """What a release would tell of single people, and what was ruled on it."""

    scope = Scope.STEER

    @described(responses=DisclosureSerializer)
    def get(self, request: ApiRequest, key: str) -> Response:
        """What the tests find in what could leave now."""
        return _disclosed(_ruled_by(request, key), by=request.user.pk)

    @once(request=RulingGiven, responses={201: DisclosureSerializer})
    def post(self, request: ApiRequest, key: str) -> Response:
        """Say whether what was found, named by its `digest`, may leave, and why."""
        study_access = _ruled_by(request, key)
        given = taken(RulingGiven, request)
        with refusing(rulings.CannotRule):
            rulings.rule(study_access=study_access, by=request.user, at=timezone.now(), **given)
        answer = _disclosed(study_access, by=request.user.pk)
        answer.status_code = HTTPStatus.CREATED
        return answer


class AgreementView(APIView):
    """The report of a study: `?values=` and `?slice=` as the pages have them, and `?criterion=KEY`,
    `?judge=KEY`, each repeatable. Of so many raters that all is too much for one answer, single ones
    are left out, and `elsewhere` has the criteria to ask for them by, one at a time."""

    @described(
        parameters=[
            OpenApiParameter("values", str),
            OpenApiParameter("criterion", STRINGS),
            OpenApiParameter("judge", STRINGS),
        ],
        responses={200: OpenApiTypes.OBJECT} | ON_THE_WAY,
    )
    def get(self, request: ApiRequest, key: str) -> Response:
        study_access = reader_or_403(request, key)
        study = study_access.study
        view = view_asked(request.query_params)
        wanted = {
            "criteria": request.query_params.getlist("criterion"),
            "judges": request.query_params.getlist("judge"),
        }
        found, elsewhere = _at_once(
            lambda pieces: snapshots.in_view(
                study_id=study.pk,
                part=agreement.PART,
                view=view,
                at=timezone.now(),
                pieces=pieces,
            ),
            wanted["criteria"],
        )
        report = veiled(found, veil_of(study_access))
        if problem := agreement.problem_with_selection(report, **wanted):
            raise ValidationError({"detail": problem})
        _note(request, study_access, "agreement", view, report.revision)
        told = leaving.report(agreement.selected(report, **wanted), study_access)
        return Response(agreement.with_sentences(told) | {"elsewhere": elsewhere})


class Figures(APIView):
    """The tables of a part of a study's figures: a record a figure, with its interval, n, method
    and notes. `?values=` names a view and `?slice=` a slice as the pages do. `?criterion=KEY` of
    `agreement` and `?judge=KEY` of `judges`, each repeatable, leave out single raters of others. Of so
    many that all is too much for one answer they are left out, and `elsewhere` has the keys to ask for
    them by, one at a time."""

    @described(
        parameters=[
            OpenApiParameter("values", str),
            OpenApiParameter("slice", str),
            OpenApiParameter("criterion", STRINGS),
            OpenApiParameter("judge", STRINGS),
        ],
        responses={200: FiguresSerializer} | ON_THE_WAY,
    )
    def get(self, request: ApiRequest, key: str, part: str) -> Response:
        action = ROOMS[part].action if part in ROOMS else Action.SEE_FIGURES
        study_access = reader_or_403(request, key, action)
        study = study_access.study
        if part not in ROOMS:
            raise NotFound(f"There is no part “{part}”; there are {', '.join(ROOMS)}.")
        view = view_asked(request.query_params)
        choices = request.query_params.dict()
        apart = ROOMS[part].part.apart
        found, elsewhere = _at_once(
            lambda pieces: list(
                told.tables(
                    study,
                    ROOMS[part],
                    view,
                    choices=choices,
                    veil=veil_of(study_access),
                    at=timezone.now(),
                    pieces=pieces,
                )
            ),
            request.query_params.getlist(apart.about) if apart else [],
        )
        stored = snapshots.newest_revision(study.pk, ROOMS[part].part)
        _note(request, study_access, part, view, None if view.within else stored)
        return Response(
            {
                "study": study.key,
                "part": part,
                "revision": study.revision,
                "tables": [record_of(leaving.table(table, study_access)) for table in found],
                "elsewhere": elsewhere,
            }
        )


class Trust(APIView):
    """The trust cards of a study under the rules it has fixed, or under `?policy=KEY`."""

    @described(
        parameters=[OpenApiParameter("policy", str)],
        responses={200: OpenApiTypes.OBJECT} | ON_THE_WAY,
    )
    def get(self, request: ApiRequest, key: str) -> Response:
        study_access = reader_or_403(request, key)
        study = study_access.study
        held = policies.held(study, preview=request.query_params.get("policy", ""))
        found = snapshots.for_readers(study_id=study.pk, part=trust.PART, at=timezone.now())
        _note(request, study_access, "trust", PLAIN, found[PLAIN].revision)
        with_small_cells = leaving.takes_small_cells(study_access)
        return Response(verdicts.as_json(found[PLAIN], held, with_small_cells=with_small_cells))


def _exported(request: ApiRequest, key: str) -> StudyAccess:
    """The study for an account that may export it."""
    study_access = study_or_404(request, key)
    actions.let_through(study_access, by=request.user, at=timezone.now())
    return study_access


def _ruled_by(request: ApiRequest, key: str) -> StudyAccess:
    """The study for an account that may say what leaves."""
    study_access = study_or_404(request, key)
    if reason := rulings.reason_not_to_rule(study_access):
        raise Barred(reason)
    return study_access


def _disclosed(study_access: StudyAccess, *, by: int) -> Response:
    found = rulings.disclosure(study_access.study)
    told = rulings.in_manifest(found, recipient=by) | {"digest": found.digest}
    return Response(DisclosureSerializer(told).data)


def _piece(
    request: ApiRequest,
    key: str,
    read: Callable[..., pieces.Piece],
    form: type[RatingPiece | GoldPiece],
) -> Response:
    study_access = _exported(request, key)
    asked = page_asked(request)
    return Response(form(read(study_access, **asked, by=request.user, at=timezone.now())).data)


def _at_once(
    read: Callable[[Collection[str] | None], T], asked: Collection[str]
) -> tuple[T, dict[str, list[str]]]:
    """What has these pieces, or all; none of them where they are too many for one answer, and what
    each is asked for with."""
    try:
        return read(asked or None), {}
    except snapshots.TooMuchAtOnce as much:
        return read(()), {much.about: list(much.pieces)}


def _note(
    request: ApiRequest, study_access: StudyAccess, part: str, view: View, revision: int | None
) -> None:
    """That a program took this part of the figures."""
    taken = FiguresTaken(
        study_access=study_access,
        name=part,
        view=view,
        revision=revision,
        choices=dict(request.query_params.lists()),
    )
    leaving.by_program(taken, by=request.user, at=timezone.now())
