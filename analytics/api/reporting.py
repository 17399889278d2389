"""Reports and verifications by program: asked for, and how far they are; verdicts sealed, rules fixed."""

from http import HTTPStatus
from typing import Any

from django.utils import timezone
from drf_spectacular.utils import OpenApiParameter
from rest_framework import serializers
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.api.answering import Mistaken, taken
from accounts.api.described import described
from accounts.api.once import once
from accounts.gate import ApiRequest, Scope
from analytics.policies.loading import MOST_BYTES, PolicyError
from analytics.present.entering import coordinator_or_403, reader_or_403
from analytics.present.viewing import view_named
from analytics.report import actions as reports
from analytics.report import page as written
from analytics.trust import actions, plans, sealing
from analytics.verification import actions as verifications
from analytics.verification import page as verified
from annotation.api.saying import refusing
from annotation.queries.studies import StudyAccess
from annotation.queries.wording import said

LANGUAGES = ["en", "zh-hans"]


class ReportAsked(serializers.Serializer[Any]):
    language = serializers.ChoiceField(choices=LANGUAGES, default="en")


class VerificationAsked(serializers.Serializer[Any]):
    """`values`: which, as the pages have them; empty: those without what is doubtful."""

    values = serializers.CharField(allow_blank=True, default="", max_length=40)


class WritingSerializer(serializers.Serializer[Any]):
    """How far a worker is, in steps that it has `done`; `revision`: of the ratings in what there
    is; `refusal`: why nothing came of what was asked for last."""

    state = serializers.CharField()
    done = serializers.IntegerField(source="status.job.done", default=0)
    total = serializers.IntegerField(source="status.job.total", default=None, allow_null=True)
    refusal = serializers.CharField(source="status.refusal", default="")
    asked_at = serializers.DateTimeField(allow_null=True)
    done_at = serializers.DateTimeField(allow_null=True)
    revision = serializers.IntegerField(allow_null=True)
    is_behind = serializers.BooleanField()


class SealedSerializer(serializers.Serializer[Any]):
    look = serializers.IntegerField()
    revision = serializers.IntegerField()
    sha256 = serializers.CharField()
    sealed_at = serializers.DateTimeField()


class PolicyGiven(serializers.Serializer[Any]):
    policy = serializers.CharField(max_length=100)


class PolicySerializer(serializers.Serializer[Any]):
    """Rules that hold, and the answers of judges that there were when they were fixed."""

    key = serializers.CharField()
    sha256 = serializers.CharField()
    fixed_at = serializers.DateTimeField()
    n_judged = serializers.IntegerField()


class PolicyTextGiven(serializers.Serializer[Any]):
    """Rules that a team wrote, as TOML."""

    toml = serializers.CharField(max_length=MOST_BYTES)
    name = serializers.CharField(max_length=100, default="rules.toml")


class PolicyBroughtSerializer(serializers.Serializer[Any]):
    key = serializers.CharField()


class ManifestSerializer(serializers.Serializer[Any]):
    """A claim that was written down beforehand, in canonical bytes."""

    name = serializers.CharField()
    content = serializers.CharField()
    sha256 = serializers.CharField()


class PlanSerializer(serializers.Serializer[Any]):
    """The manifests of the fixed rules."""

    files = ManifestSerializer(many=True)


class ReportView(APIView):
    scope = Scope.READ

    @described(
        parameters=[OpenApiParameter("language", {"type": "string", "enum": LANGUAGES})],
        responses=WritingSerializer,
    )
    def get(self, request: ApiRequest, key: str) -> Response:
        """How far the report of a study is."""
        study_access = reader_or_403(request, key)
        asked = ReportAsked(data=request.query_params.dict())
        asked.is_valid(raise_exception=True)
        return _report(study_access, asked.validated_data["language"])

    @once(request=ReportAsked, responses={202: WritingSerializer})
    def post(self, request: ApiRequest, key: str) -> Response:
        """Have it written anew, unless it would say the same."""
        study_access = reader_or_403(request, key)
        language = taken(ReportAsked, request)["language"]
        reports.ask(
            study_access=study_access, language=language, by=request.user, at=timezone.now()
        )
        answer = _report(study_access, language)
        answer.status_code = HTTPStatus.ACCEPTED
        return answer


class ReportCancelled(APIView):
    scope = Scope.READ

    @once(request=ReportAsked, responses=WritingSerializer)
    def post(self, request: ApiRequest, key: str) -> Response:
        """Have the worker stop that writes it; a report that was written before stays."""
        study_access = reader_or_403(request, key)
        language = taken(ReportAsked, request)["language"]
        reports.cancel(
            study_access=study_access, language=language, by=request.user, at=timezone.now()
        )
        return _report(study_access, language)


class VerificationView(APIView):
    scope = Scope.READ

    @described(parameters=[OpenApiParameter("values", str)], responses=WritingSerializer)
    def get(self, request: ApiRequest, key: str) -> Response:
        """How far figures are held against published packages."""
        return _verification(reader_or_403(request, key), request.query_params.get("values", ""))

    @once(request=VerificationAsked, responses={202: WritingSerializer})
    def post(self, request: ApiRequest, key: str) -> Response:
        """Have every figure computed by published packages as well."""
        study_access = reader_or_403(request, key)
        values = taken(VerificationAsked, request)["values"]
        verifications.ask(
            study_access=study_access, view=view_named(values), by=request.user, at=timezone.now()
        )
        answer = _verification(study_access, values)
        answer.status_code = HTTPStatus.ACCEPTED
        return answer


class VerificationCancelled(APIView):
    scope = Scope.READ

    @once(request=VerificationAsked, responses=WritingSerializer)
    def post(self, request: ApiRequest, key: str) -> Response:
        """Have the worker stop that computes them; what was verified before stays."""
        study_access = reader_or_403(request, key)
        values = taken(VerificationAsked, request)["values"]
        verifications.cancel(
            study_access=study_access,
            view=view_named(values),
            by=request.user,
            at=timezone.now(),
        )
        return _verification(study_access, values)


class VerdictsSealed(APIView):
    scope = Scope.JUDGE

    @once(request=None, responses={201: SealedSerializer})
    def post(self, request: ApiRequest, key: str) -> Response:
        """Seal the verdicts at the planned look that is due; nothing changes them any more."""
        study_access = coordinator_or_403(request, key)
        with refusing(sealing.CannotSeal):
            sealed = sealing.seal(study_access=study_access, by=request.user, at=timezone.now())
        return Response(SealedSerializer(sealed).data, status=HTTPStatus.CREATED)


class PolicyFixed(APIView):
    scope = Scope.JUDGE

    @once(request=PolicyGiven, responses={201: PolicySerializer})
    def post(self, request: ApiRequest, key: str) -> Response:
        """Let rules hold from now on, by their key."""
        study_access = coordinator_or_403(request, key)
        given = taken(PolicyGiven, request)
        with refusing(actions.CannotFix):
            fixed = actions.fix_policy(
                study_access=study_access,
                key=given["policy"],
                by=request.user,
                at=timezone.now(),
            )
        return Response(PolicySerializer(fixed).data, status=HTTPStatus.CREATED)


class PlanCommitted(APIView):
    scope = Scope.JUDGE

    @once(request=None, responses={201: PlanSerializer})
    def post(self, request: ApiRequest, key: str) -> Response:
        """Write the fixed rules down as PRML manifests; the audit trail knows them from now on."""
        study_access = coordinator_or_403(request, key)
        with refusing(actions.CannotFix):
            found = plans.commit_plan(study_access=study_access, by=request.user, at=timezone.now())
        files = [
            {"name": name, "content": content.decode(), "sha256": plans.sha256_of(content)}
            for name, content in found.files.items()
        ]
        return Response({"files": files}, status=HTTPStatus.CREATED)


class PolicyBrought(APIView):
    scope = Scope.JUDGE

    @once(request=PolicyTextGiven, responses={201: PolicyBroughtSerializer})
    def post(self, request: ApiRequest, key: str) -> Response:
        """Keep rules that a team wrote, so that the study can fix them."""
        study_access = coordinator_or_403(request, key)
        given = taken(PolicyTextGiven, request)
        try:
            with refusing(actions.CannotFix):
                brought = actions.bring_policy(
                    study_access=study_access,
                    file_name=given["name"],
                    content=given["toml"].encode(),
                    by=request.user,
                    at=timezone.now(),
                )
        except PolicyError as refusal:
            raise Mistaken({"toml": [said(problem) for problem in refusal.problems]}) from None
        return Response({"key": brought}, status=HTTPStatus.CREATED)


def _report(study_access: StudyAccess, language: str) -> Response:
    shown = written.shown(study_access.study, language=language, at=timezone.now())
    return Response(WritingSerializer(shown.progress).data)


def _verification(study_access: StudyAccess, values: str) -> Response:
    found = verified.verified(study_access, view_named(values), at=timezone.now())
    return Response(WritingSerializer(found.progress).data)
