"""The figures of the agreement page and the trust cards as JSON."""

from django.utils import timezone
from rest_framework.exceptions import NotFound, PermissionDenied, ValidationError
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.gate import ApiRequest
from analytics import told
from analytics.agreement import numbers as agreement
from analytics.figures import store as snapshots
from analytics.present.typesetting import record_of
from analytics.present.viewing import view_named
from analytics.ratings.matrices import PLAIN, RELEASED
from analytics.rooms import ROOMS
from analytics.trust import cards as verdicts
from analytics.trust import numbers as trust
from analytics.trust import policies
from annotation.queries import readers, studies
from annotation.queries.studies import StudyAccess
from annotation.queries.wording import said


class AgreementView(APIView):
    """The report of a study: `?values=released`, `?criterion=KEY`, `?judge=KEY`, each repeatable."""

    def get(self, request: ApiRequest, key: str) -> Response:
        study = _read_by(request, key).study
        found = snapshots.up_to_date(study_id=study.pk, part=agreement.PART, at=timezone.now())
        report = found[RELEASED if request.query_params.get("values") == "released" else PLAIN]
        wanted = {
            "criteria": request.query_params.getlist("criterion"),
            "judges": request.query_params.getlist("judge"),
        }
        if problem := agreement.problem_with_selection(report, **wanted):
            raise ValidationError(problem)
        return Response(agreement.with_sentences(agreement.selected(report, **wanted)))


class Figures(APIView):
    """The tables of a part of a study's figures: a record a figure, with its interval, n, method
    and notes. `?values=` names a view as the pages do."""

    def get(self, request: ApiRequest, key: str, part: str) -> Response:
        study = _read_by(request, key).study
        if part not in ROOMS:
            raise NotFound(f"There is no part “{part}”; there are {', '.join(ROOMS)}.")
        view = view_named(request.query_params.get("values", ""))
        choices = request.query_params.dict()
        try:
            found = told.tables(study, ROOMS[part], view, choices=choices, at=timezone.now())
        except policies.NoSuchPolicy:
            raise NotFound from None
        return Response(
            {
                "study": study.key,
                "part": part,
                "revision": study.revision,
                "tables": [record_of(table) for table in found],
            }
        )


class Trust(APIView):
    """The trust cards of a study under the rules it has fixed, or under `?policy=KEY`."""

    def get(self, request: ApiRequest, key: str) -> Response:
        study = _read_by(request, key).study
        try:
            held = policies.held(study, preview=request.query_params.get("policy", ""))
        except policies.NoSuchPolicy:
            raise NotFound from None
        found = snapshots.up_to_date(study_id=study.pk, part=trust.PART, at=timezone.now())
        return Response(verdicts.as_json(found[PLAIN], held))


def _read_by(request: ApiRequest, key: str) -> StudyAccess:
    """The study for an account that may see its figures."""
    try:
        study_access = studies.study_for(request.access, key)
    except studies.NotOnTheTeam:
        raise NotFound from None
    if reason := readers.reason_not_to_see(study_access):
        raise PermissionDenied(said(reason))
    return study_access
