"""The prompts of a study by program: listed, compared, written, and looked at for an item."""

from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from django.http import Http404
from django.utils import timezone
from drf_spectacular.utils import OpenApiParameter
from rest_framework import serializers
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.api.answering import Mistaken, checked, taken
from accounts.api.described import described
from accounts.api.once import once
from accounts.api.paging import PAGE_PARAMETERS, page_of, paged
from accounts.gate import ApiRequest, Scope
from annotation.queries.studies import StudyAccess
from annotation.queries.wording import said
from judging.actions import templates as actions
from judging.actions import viewing
from judging.forms.prompts import NO_SECOND_REPLY, PromptForm
from judging.prompts import loading
from judging.queries import templates
from judging.queries.entering import run_by, seen_by

if TYPE_CHECKING:
    from judging.models import PromptTemplate

LONGEST_NUMBER = 9  # digits


class PromptLineSerializer(serializers.Serializer[Any]):
    """A version of a prompt, without its text."""

    id = serializers.IntegerField(source="pk")
    name = serializers.CharField()
    number = serializers.IntegerField()
    sha256 = serializers.CharField()
    note = serializers.CharField()
    written_at = serializers.DateTimeField()
    n_judges = serializers.IntegerField(default=0)


class DiffLineSerializer(serializers.Serializer[Any]):
    """A line of a comparison: `same`, `added`, `removed`, or `skipped` where lines are left out."""

    kind = serializers.CharField()
    text = serializers.CharField()


class PromptSerializer(serializers.Serializer[Any]):
    """A version of a prompt, word for word, and what is new in it against another."""

    name = serializers.CharField(source="version.name")
    number = serializers.IntegerField(source="version.number")
    sha256 = serializers.CharField(source="version.sha256")
    note = serializers.CharField(source="version.note")
    written_at = serializers.DateTimeField(source="version.written_at")
    text = serializers.CharField(source="version.text")
    against = serializers.IntegerField(allow_null=True)
    lines = DiffLineSerializer(many=True)


class PromptGiven(serializers.Serializer[Any]):
    """A prompt in TOML; under a name that there is, it is its next version."""

    name = serializers.CharField(max_length=60)
    text = serializers.CharField(max_length=loading.MOST_BYTES, trim_whitespace=False)
    note = serializers.CharField(required=False, allow_blank=True, default="", max_length=200)


class PreviewGiven(serializers.Serializer[Any]):
    """A prompt in TOML, and the key of the item to show it on."""

    text = serializers.CharField(max_length=loading.MOST_BYTES, trim_whitespace=False)
    item = serializers.CharField(max_length=160)


class MessageSerializer(serializers.Serializer[Any]):
    """A message as the endpoint would get it."""

    role = serializers.CharField()
    content = serializers.CharField()


class RequestSerializer(serializers.Serializer[Any]):
    """One request, and the tokens that it takes with its answer."""

    messages = MessageSerializer(many=True)
    tokens = serializers.IntegerField()


class PreviewSerializer(serializers.Serializer[Any]):
    """All that would be sent about an item at most; `calls` and `tokens` of the whole study."""

    item = serializers.CharField(source="item.key")
    requests = RequestSerializer(many=True)
    calls = serializers.IntegerField(source="of_study.calls")
    tokens = serializers.IntegerField(source="of_study.tokens")


class Prompts(APIView):
    @described(parameters=PAGE_PARAMETERS, responses=page_of(PromptLineSerializer))
    def get(self, request: ApiRequest, key: str) -> Response:
        """Every version of every prompt of a study, as they were written."""
        found = templates.of_study(seen_by(request, key).study)
        return paged(request, found, PromptLineSerializer, key=lambda one: one.pk)


class PromptView(APIView):
    @described(
        parameters=[OpenApiParameter("against", {"type": "integer", "minimum": 1})],
        responses=PromptSerializer,
    )
    def get(self, request: ApiRequest, key: str, name: str, number: int) -> Response:
        """A version, and what it changed in the one before, or in `?against=NUMBER`."""
        study_access = seen_by(request, key)
        version = _version(study_access, name, number)
        asked = request.query_params.get("against", str(number - 1))
        is_compared = (
            asked.isdecimal() and len(asked) <= LONGEST_NUMBER and 0 < int(asked) != number
        )
        other = _version(study_access, name, int(asked)) if is_compared else None
        told = {
            "version": version,
            "against": other.number if other else None,
            "lines": templates.differences(other.text, version.text) if other else [],
        }
        return Response(PromptSerializer(told).data)


class PromptWritten(APIView):
    scope = Scope.JUDGE

    @once(request=PromptGiven, responses={201: PromptLineSerializer})
    def post(self, request: ApiRequest, key: str) -> Response:
        """Keep a prompt as a version, which never changes."""
        study = run_by(request, key).study
        form = checked(PromptForm(taken(PromptGiven, request), items=()))
        try:
            made = actions.write(
                study=study,
                name=form.cleaned_data["name"],
                text=form.written,
                note=form.cleaned_data["note"],
                by=request.user,
                at=timezone.now(),
            )
        except actions.CannotWrite as refusal:
            raise Mistaken({"text": [said(problem) for problem in refusal.args]}) from None
        return Response(PromptLineSerializer(made).data, status=HTTPStatus.CREATED)


class PromptPreviewed(APIView):
    scope = Scope.JUDGE

    @described(request=PreviewGiven, responses=PreviewSerializer)
    def post(self, request: ApiRequest, key: str) -> Response:
        """What would be sent about an item, its text and all; nothing is sent or kept, and that it
        was looked at is noted."""
        study_access = run_by(request, key)
        given = taken(PreviewGiven, request)
        try:
            template = loading.read(given["text"], study_access.study.rubric_version.content)
        except loading.TemplateError as error:
            raise Mistaken({"text": [said(problem) for problem in error.problems]}) from None
        try:
            shown = templates.preview(
                study_access,
                template,
                given["item"],
                by=request.user,
                max_tokens=None,
                on=timezone.now().date(),
            )
        except templates.NothingToCompareWith:
            raise Mistaken({"item": [said(NO_SECOND_REPLY)]}) from None
        if shown is None:
            raise Http404
        viewing.prompt_tried(items=shown.items, by=request.user, at=timezone.now())
        return Response(PreviewSerializer(shown).data)


def _version(study_access: StudyAccess, name: str, number: int) -> "PromptTemplate":
    return templates.version(study_access.study, name, number)
