"""Replies that LLMs write, by program: asked for, watched, ended, made items of."""

from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from django.utils import timezone
from rest_framework import serializers
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.api.answering import Mistaken, checked, taken
from accounts.api.described import described
from accounts.api.once import once
from accounts.api.paging import PAGE_PARAMETERS, page_of, paged
from accounts.gate import ApiRequest, Scope
from annotation.api.importing import IdentifiersGiven, decided
from annotation.api.saying import refusing
from annotation.forms.identifiers import IdentifiersForm
from annotation.identifiers import Decisions
from annotation.queries.studies import StudyAccess
from judging.actions import generating as actions
from judging.actions.runs import CannotRun
from judging.api.serializers import LimitsGiven
from judging.forms.generating import GenerationForm, GeneratorFormSet, filled
from judging.queries import generating as queries
from judging.queries.entering import run_by, seen_by

if TYPE_CHECKING:
    from judging.models import Generation

PREFIX = "generator"


class WriterSerializer(serializers.Serializer[Any]):
    """A generator's run: how many replies it wrote, and what became of the rest."""

    run = serializers.IntegerField(source="run.pk")
    state = serializers.CharField(source="run.state")
    pause_reason = serializers.CharField(source="run.pause_reason")
    name = serializers.CharField(source="generator.name")
    llm = serializers.CharField(source="generator.asked.llm")
    total = serializers.IntegerField()
    done = serializers.IntegerField()
    written = serializers.IntegerField()
    cut_off = serializers.IntegerField()
    refused = serializers.IntegerField()
    empty = serializers.IntegerField()
    failed = serializers.IntegerField()


class GenerationSerializer(serializers.Serializer[Any]):
    """Replies to the same conversations, how far their generators are, and the items made of them,
    of which `n_aside` were set aside at once."""

    id = serializers.IntegerField(source="generation.pk")
    started_at = serializers.DateTimeField(source="generation.started_at")
    taken_in_at = serializers.DateTimeField(source="generation.taken_in_at", allow_null=True)
    is_over = serializers.BooleanField()
    writers = WriterSerializer(many=True)
    n_items = serializers.IntegerField()
    n_aside = serializers.IntegerField()


class GeneratorGiven(serializers.Serializer[Any]):
    """One generator, under the name that its replies have it by; `endpoint` as for a run."""

    name = serializers.CharField(max_length=100)
    llm = serializers.CharField(max_length=200)
    endpoint = serializers.CharField(required=False, allow_blank=True, default="")
    system = serializers.CharField(
        required=False, allow_blank=True, default="", max_length=20_000, trim_whitespace=False
    )
    temperature = serializers.FloatField(required=False, allow_null=True, default=None)
    max_tokens = serializers.IntegerField(required=False, allow_null=True, default=None)


class GenerationGiven(LimitsGiven):
    """Which generators write how many replies to the first so many conversations that wait; null:
    to all of them. The limits hold for each generator."""

    generators = serializers.ListField(
        child=GeneratorGiven(), min_length=1, max_length=actions.MOST_GENERATORS
    )
    conversations = serializers.IntegerField(required=False, allow_null=True, default=None)
    repeats = serializers.IntegerField(required=False, default=1)
    concurrency = serializers.IntegerField(required=False, default=8)


class TakeInGiven(serializers.Serializer[Any]):
    """What becomes of what could say who somebody is, by its kind; a kind not named is redacted."""

    identifiers = IdentifiersGiven(many=True, required=False, default=list)


class Generations(APIView):
    @described(parameters=PAGE_PARAMETERS, responses=page_of(GenerationSerializer))
    def get(self, request: ApiRequest, key: str) -> Response:
        """The replies that were asked for in a study, newest first."""
        found = queries.of_study(seen_by(request, key).study)
        return paged(
            request,
            found,
            GenerationSerializer,
            key=lambda one: one.generation.pk,
            newest_first=True,
        )


class GenerationView(APIView):
    @described(responses=GenerationSerializer)
    def get(self, request: ApiRequest, key: str, generation_id: int) -> Response:
        """How far the generators are."""
        return _told(_generation(seen_by(request, key), generation_id))


class GenerationStarted(APIView):
    scope = Scope.JUDGE

    @once(request=GenerationGiven, responses={201: GenerationSerializer})
    def post(self, request: ApiRequest, key: str) -> Response:
        """Have generators write replies to the conversations that wait for one."""
        study = run_by(request, key).study
        given = taken(GenerationGiven, request)
        said = {name: one for name, one in given.items() if one is not None}
        writers = GeneratorFormSet(_as_formset(said.pop("generators")), prefix=PREFIX)
        form = GenerationForm(said)
        if not (form.is_valid() & writers.is_valid()):
            raise Mistaken({**form.errors, "generators": writers.errors})
        with refusing(CannotRun):
            made = actions.start(
                study=study,
                generators=[one.generator(study) for one in filled(writers)],
                by=request.user,
                at=timezone.now(),
                **form.arguments(),
            )
        answer = _told(made)
        answer.status_code = HTTPStatus.CREATED
        return answer


class GenerationEnded(APIView):
    scope = Scope.JUDGE

    @once(request=None, responses=GenerationSerializer)
    def post(self, request: ApiRequest, key: str, generation_id: int) -> Response:
        """Ask for no more replies."""
        found = _generation(run_by(request, key), generation_id)
        actions.end(generation=found, by=request.user, at=timezone.now())
        return _told(found)


class GenerationTakenIn(APIView):
    scope = Scope.JUDGE

    @once(request=TakeInGiven, responses=GenerationSerializer)
    def post(self, request: ApiRequest, key: str, generation_id: int) -> Response:
        """Make items of the replies, once; nothing in them tells who wrote which."""
        study_access = run_by(request, key)
        generation = _generation(study_access, generation_id)
        given = taken(TakeInGiven, request)
        found = actions.identifiers_in(generation)
        form = checked(IdentifiersForm(decided(given["identifiers"], found), found=found))
        with refusing(actions.CannotMakeItems):
            actions.take_in(
                generation=generation,
                identifiers=Decisions(**form.decisions()),
                by=request.user,
                at=timezone.now(),
            )
        return _told(_generation(study_access, generation_id))


def _generation(study_access: StudyAccess, number: int) -> "Generation":
    return queries.numbered(study_access.study, number)


def _told(generation: "Generation") -> Response:
    return Response(GenerationSerializer(queries.status_of(generation)).data)


def _as_formset(generators: list[dict[str, Any]]) -> dict[str, Any]:
    """The same as the form of the page sends it."""
    sent: dict[str, Any] = {
        f"{PREFIX}-TOTAL_FORMS": len(generators),
        f"{PREFIX}-INITIAL_FORMS": 0,
    }
    for number, one in enumerate(generators):
        sent |= {
            f"{PREFIX}-{number}-{name}": value for name, value in one.items() if value is not None
        }
    return sent
