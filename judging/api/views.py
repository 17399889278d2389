"""Runs of judges by program: reckoned, started, watched, paced and ended as on the pages."""

from collections.abc import Callable
from http import HTTPStatus
from typing import Any

from django.http import Http404
from django.utils import timezone
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.api.answering import Mistaken, checked, taken
from accounts.api.described import described
from accounts.api.once import once
from accounts.api.paging import PAGE_PARAMETERS, page_of, paged
from accounts.gate import ApiRequest, Scope
from annotation.api.saying import refusing
from annotation.queries.studies import StudyAccess
from judging.actions import batching, probes, runs
from judging.api.serializers import (
    EstimateSerializer,
    PaceGiven,
    ProbeSerializer,
    RunGiven,
    RunSerializer,
    RunStatusSerializer,
)
from judging.forms.starting import PaceForm, StartForm
from judging.queries import showing
from judging.queries.entering import run_by


class RunsView(APIView):
    @described(parameters=PAGE_PARAMETERS, responses=page_of(RunSerializer))
    def get(self, request: ApiRequest, key: str) -> Response:
        """The runs of judges in a study, for who coordinates it."""
        found = [listed.run for listed in showing.runs_of(run_by(request, key).study)]
        return paged(request, found, RunSerializer, key=lambda one: one.pk, newest_first=True)


class RunView(APIView):
    @described(responses=RunStatusSerializer)
    def get(self, request: ApiRequest, key: str, run_id: int) -> Response:
        """How far a run is, what it has used, and what it could not read."""
        return _told(request, key, run_id)


class RunEstimated(APIView):
    scope = Scope.JUDGE

    @described(request=RunGiven, responses=EstimateSerializer)
    def post(self, request: ApiRequest, key: str) -> Response:
        """What a run would come to; nothing is started or asked."""
        form = _form(request, run_by(request, key))
        estimate = form.estimated(by=request.user, at=timezone.now())
        if estimate is None or form.errors:
            raise Mistaken(form.errors)
        return Response(EstimateSerializer(estimate).data)


class JudgeTried(APIView):
    scope = Scope.JUDGE

    @described(request=RunGiven, responses=ProbeSerializer)
    def post(self, request: ApiRequest, key: str) -> Response:
        """Put a made-up dialogue to a judge, and tell what came of it; no item of the study is sent.

        It takes as long as the endpoint does, half a minute at most."""
        study_access = run_by(request, key)
        form = checked(_form(request, study_access))
        with refusing(runs.CannotRun):
            probe = probes.try_out(
                study=study_access.study, judge=form.judge(), by=request.user, at=timezone.now()
            )
        return Response(ProbeSerializer(probe).data)


class RunStarted(APIView):
    scope = Scope.JUDGE

    @once(request=RunGiven, responses={201: RunSerializer})
    def post(self, request: ApiRequest, key: str) -> Response:
        """Have a judge rate or compare the replies of a study, of a round, or its hold-out."""
        study_access = run_by(request, key)
        form = checked(_form(request, study_access))
        with refusing(runs.CannotRun):
            run = form.start(by=request.user, at=timezone.now())
        return Response(RunSerializer(run).data, status=HTTPStatus.CREATED)


class RunMoved(APIView):
    """What is done with a run that was started; where nothing was to be done, nothing is."""

    scope = Scope.JUDGE

    @once(request=None, responses=RunStatusSerializer)
    def post(self, request: ApiRequest, key: str, run_id: int, move: str) -> Response:
        """`pause` it, `resume` it, `finish` it, `cancel-batches` of it, or `retry` what the endpoint failed at: the answer
        is then about the run that does so."""
        moves: dict[str, Callable[..., Any]] = {
            "pause": runs.pause,
            "resume": runs.resume,
            "finish": runs.finish,
            "retry": runs.retry_failed,
            "cancel-batches": batching.cancel,
        }
        found = showing.run_of(run_by(request, key).study, run_id)
        if move not in moves:
            raise Http404
        with refusing(runs.CannotRun):
            came = moves[move](run_id=found.pk, by=request.user, at=timezone.now())
        about = came.pk if move == "retry" and came else found.pk
        return _told(request, key, about)


class RunPaced(APIView):
    scope = Scope.JUDGE

    @described(request=PaceGiven, responses=RunStatusSerializer)
    def put(self, request: ApiRequest, key: str, run_id: int) -> Response:
        """How much it asks at a time, and for how much at most, from now on."""
        found = showing.run_of(run_by(request, key).study, run_id)
        form = checked(PaceForm(taken(PaceGiven, request)))
        with refusing(runs.CannotRun):
            runs.retune(
                run_id=found.pk,
                concurrency=form.cleaned_data["concurrency"],
                limit=form.limit(),
                by=request.user,
                at=timezone.now(),
            )
        return _told(request, key, run_id)


def _told(request: ApiRequest, key: str, run_id: int) -> Response:
    """How far a run is, and what it came to as far as this account may know."""
    study_access = run_by(request, key)
    run = showing.run_of(study_access.study, run_id)
    kept = showing.reason_to_keep_figures(study_access)
    status = showing.status_of(run, at=timezone.now(), kept=kept)
    context = {"sees_single_raters": study_access.sees_single_raters}
    return Response(RunStatusSerializer(status, context=context).data)


def _form(request: ApiRequest, study_access: StudyAccess) -> StartForm:
    """What was sent, as the form of the page takes it."""
    given = taken(RunGiven, request)
    said = {name: value for name, value in given.items() if value is not None}
    return StartForm(said, study=study_access.study)
