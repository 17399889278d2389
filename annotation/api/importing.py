"""Files brought in by program: sent, looked at by a worker, and imported once that was read."""

from http import HTTPStatus
from typing import Any

from django.core.exceptions import PermissionDenied
from django.http import Http404
from django.utils import timezone
from rest_framework import serializers
from rest_framework.parsers import MultiPartParser
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.api.answering import checked, taken
from accounts.api.described import described
from accounts.api.once import once
from accounts.api.paging import PAGE_PARAMETERS, page_of, paged
from accounts.gate import ApiRequest, Scope
from annotation.actions.imports import asking
from annotation.actions.imports.uploads import StopAtTheLimit
from annotation.actions.jobs import moves
from annotation.api.saying import refusing
from annotation.forms.identifiers import KINDS, TREATMENTS, IdentifiersForm
from annotation.forms.importing import AnswersFileForm, ItemsFileForm, RatingsFileForm
from annotation.forms.quarantine import QuarantineFileForm
from annotation.queries import jobs
from annotation.queries.entering import coordinated

FORMS: dict[str, type[ItemsFileForm]] = {
    "items": ItemsFileForm,
    "ratings": RatingsFileForm,
    "quarantine": QuarantineFileForm,
    jobs.ANSWERS: AnswersFileForm,
}


class FileGiven(serializers.Serializer[Any]):
    """A file, what it calls fields otherwise (`called`, one a line: question_id = item), and what the
    page of its kind asks besides: of ratings whose they are (`rater`, `name`, `kind`, `judges`,
    `own_sources`, `with_items`), of a list of items to set aside the `reason`, of recorded answers how
    they were asked (`llm`, `language`, `as_json`, `by_position`)."""

    file = serializers.FileField()
    called = serializers.CharField(required=False, allow_blank=True)
    rater = serializers.CharField(required=False, allow_blank=True)
    name = serializers.CharField(required=False, allow_blank=True)
    kind = serializers.CharField(required=False, allow_blank=True)
    judges = serializers.CharField(required=False, allow_blank=True)
    own_sources = serializers.CharField(required=False, allow_blank=True)
    with_items = serializers.BooleanField(required=False)
    reason = serializers.CharField(required=False, allow_blank=True)
    llm = serializers.CharField(required=False, allow_blank=True)
    language = serializers.CharField(required=False, allow_blank=True)
    as_json = serializers.BooleanField(required=False)
    by_position = serializers.BooleanField(required=False)


class CauseSerializer(serializers.Serializer[Any]):
    """What is wrong with so many rows, and where the first of them stand."""

    field = serializers.CharField()
    count = serializers.IntegerField()
    words = serializers.CharField()
    places = serializers.ListField(child=serializers.CharField())


class FileJobSerializer(serializers.Serializer[Any]):
    """A file that a worker looks at or imports. `counts` and `causes` are there once it is done,
    and `identifiers`: how many of each kind it has found, of which nothing is quoted here."""

    id = serializers.IntegerField(source="job.pk")
    step = serializers.CharField(source="job.kind")
    what = serializers.CharField(source="job.what")
    state = serializers.CharField(source="job.state")
    asked_at = serializers.DateTimeField(source="job.asked_at")
    done = serializers.IntegerField(source="job.done")
    total = serializers.IntegerField(source="job.total", allow_null=True)
    refusal = serializers.CharField()
    counts = serializers.SerializerMethodField()
    causes = serializers.SerializerMethodField()
    identifiers = serializers.SerializerMethodField()

    def get_counts(self, status: jobs.JobStatus) -> dict[str, int]:
        found = status.job.result
        return {name: n for name, n in found.items() if type(n) is int}

    def get_causes(self, status: jobs.JobStatus) -> list[dict[str, Any]]:
        causes = jobs.shown_result(status.job).get("causes", ())
        return [dict(CauseSerializer(one).data) for one in causes]

    def get_identifiers(self, status: jobs.JobStatus) -> dict[str, int]:
        return dict((status.job.result.get("identifiers") or {}).get("kinds", ()))


class IdentifiersGiven(serializers.Serializer[Any]):
    """What becomes of a kind of identifiers; some are kept for a reason only."""

    kind = serializers.ChoiceField(choices=sorted(KINDS))
    treatment = serializers.ChoiceField(choices=[name for name, _words in TREATMENTS])
    reason = serializers.CharField(required=False, allow_blank=True, default="", max_length=500)


class ImportGiven(serializers.Serializer[Any]):
    """What to do about bad rows, and about the identifiers that were found; not said: redacted."""

    skip_bad = serializers.BooleanField(required=False, default=False)
    identifiers = IdentifiersGiven(many=True, required=False, default=list)


class FileSent(APIView):
    """Files of items, of ratings, of recorded answers, or of items to set aside."""

    scope = Scope.BRING
    parser_classes = [MultiPartParser]
    limit: StopAtTheLimit

    def initialize_request(self, request: Any, *args: Any, **kwargs: Any) -> Any:
        """With the limit in place before anything of the file is read."""
        self.limit = StopAtTheLimit(request)
        request.upload_handlers.insert(0, self.limit)
        return super().initialize_request(request, *args, **kwargs)

    @once(
        request={"multipart/form-data": FileGiven},
        responses={202: FileJobSerializer},
    )
    def post(self, request: ApiRequest, key: str, what: str) -> Response:
        """Send a file (`items`, `ratings`, `answers`, `quarantine`); a worker looks at it and writes nothing."""
        study_access = coordinated(request, key)
        if what not in FORMS:
            raise Http404
        if not jobs.may_bring(study_access, what):
            raise PermissionDenied
        fields, files = request.data, request.FILES  # whoever reads them first meets the limit
        form = checked(FORMS[what](fields, files, is_too_large=self.limit.is_too_large))
        at = timezone.now()
        job = asking.ask_for_check(
            study_id=study_access.study.pk,
            what=what,
            file=form.cleaned_data["file"],
            options=form.options(),
            by=request.user,
            at=at,
        )
        return _accepted(jobs.JobStatus(job=job, at=at))


class FileJobs(APIView):
    scope = Scope.BRING

    @described(parameters=PAGE_PARAMETERS, responses=page_of(FileJobSerializer))
    def get(self, request: ApiRequest, key: str) -> Response:
        """The files that this account sent and that are not forgotten, newest first."""
        study, at = coordinated(request, key).study, timezone.now()
        found = [
            jobs.JobStatus(job=job, at=at)
            for what in FORMS
            for job in jobs.asked_by(study, what, by=request.user)
        ]
        return paged(
            request, found, FileJobSerializer, key=lambda one: one.job.pk, newest_first=True
        )


class FileJobView(APIView):
    scope = Scope.BRING

    @described(responses=FileJobSerializer)
    def get(self, request: ApiRequest, key: str, job_id: int) -> Response:
        """How far a file is, and what a worker found in it."""
        return Response(FileJobSerializer(_status(request, key, job_id)).data)


class FileBrought(APIView):
    scope = Scope.BRING

    @once(request=ImportGiven, responses={202: FileJobSerializer})
    def post(self, request: ApiRequest, key: str, job_id: int) -> Response:
        """Import a file that was looked at: all of it or nothing, and once."""
        status = _status(request, key, job_id)
        given = taken(ImportGiven, request)
        found = status.job.result.get("identifiers") or {}
        form = checked(IdentifiersForm(decided(given["identifiers"], found), found=found))
        with refusing(asking.NotChecked):
            job = asking.ask_for_import(
                check=status.job,
                skip_bad=given["skip_bad"],
                identifiers=form.decisions() if form.fields else None,
                by=request.user,
                at=status.at,
            )
        return _accepted(jobs.JobStatus(job=job, at=status.at))


class FileCancelled(APIView):
    scope = Scope.BRING

    @once(request=None, responses=FileJobSerializer)
    def post(self, request: ApiRequest, key: str, job_id: int) -> Response:
        """Have a worker stop; nothing of what it began is kept. What has ended stays as it is."""
        status = _status(request, key, job_id)
        moves.cancel(job_id=status.job.pk, by=request.user, at=status.at)
        return Response(FileJobSerializer(_status(request, key, job_id)).data)


def _status(request: ApiRequest, key: str, job_id: int) -> jobs.JobStatus:
    """A file of one's own; anybody else's does not exist."""
    found = jobs.status_of(coordinated(request, key), job_id, at=timezone.now())
    if found.job.what not in FORMS:
        raise Http404
    return found


def decided(given: list[dict[str, str]], found: dict[str, Any]) -> dict[str, str]:
    """The same as the form of the page takes it: a kind that is not named is redacted."""
    said = {f"kind_{kind}": "redact" for kind, _n in found.get("kinds", ())}
    for one in given:
        said[f"kind_{one['kind']}"] = one["treatment"]
        said[f"reason_{one['kind']}"] = one["reason"]
    return said


def _accepted(status: jobs.JobStatus) -> Response:
    return Response(FileJobSerializer(status).data, status=HTTPStatus.ACCEPTED)
