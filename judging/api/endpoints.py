"""Where LLMs are asked, by program: for administrators, as on their pages."""

import json
from collections.abc import Mapping
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from django.core.exceptions import PermissionDenied
from django.utils import timezone
from rest_framework import serializers
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.api.answering import Mistaken, checked, taken
from accounts.api.described import described
from accounts.api.once import once
from accounts.api.paging import PAGE_PARAMETERS, page_of, paged
from accounts.gate import ApiRequest, Scope
from annotation.queries.wording import said
from judging.actions import endpoints as actions
from judging.forms.endpoints import DIALECTS, PROCESSORS, EndpointForm, PriceForm
from judging.queries import endpoints

if TYPE_CHECKING:
    from judging.models import LLMEndpoint


class EndpointSerializer(serializers.Serializer[Any]):
    """A version of where LLMs are asked; `key_reference` says where its API key is."""

    id = serializers.IntegerField()
    key = serializers.CharField()
    number = serializers.IntegerField()
    name = serializers.CharField()
    base_url = serializers.CharField()
    dialect = serializers.CharField()
    key_reference = serializers.CharField()
    processor = serializers.CharField()
    most_at_once = serializers.IntegerField(allow_null=True)
    retired_at = serializers.DateTimeField(allow_null=True)


class EndpointGiven(serializers.Serializer[Any]):
    """The same key as that of another makes its next version. `key_reference`: env:NAME or
    file:NAME, never the API key itself."""

    key = serializers.SlugField(max_length=60)
    name = serializers.CharField(max_length=150)
    base_url = serializers.CharField(max_length=300)
    dialect = serializers.ChoiceField(choices=DIALECTS, default=DIALECTS[0])
    key_reference = serializers.CharField(allow_blank=True, default="", max_length=120)
    processor = serializers.ChoiceField(choices=PROCESSORS, default=PROCESSORS[-1])
    most_at_once = serializers.IntegerField(allow_null=True, default=None, min_value=1)
    headers = serializers.DictField(default=dict)
    body = serializers.DictField(default=dict)


class PriceGiven(serializers.Serializer[Any]):
    """What a million tokens cost, from a day on."""

    llm = serializers.CharField(max_length=200)
    prompt = serializers.DecimalField(max_digits=12, decimal_places=4, min_value=0)
    answer = serializers.DecimalField(max_digits=12, decimal_places=4, min_value=0)
    cached = serializers.DecimalField(
        max_digits=12, decimal_places=4, min_value=0, allow_null=True, default=None
    )
    currency = serializers.RegexField("^[A-Z]{3}$", default="USD")
    since = serializers.DateField()
    is_for_batches = serializers.BooleanField(default=False)


class Endpoints(APIView):
    scope = Scope.JUDGE

    @described(parameters=PAGE_PARAMETERS, responses=page_of(EndpointSerializer))
    def get(self, request: ApiRequest) -> Response:
        """Every version of every endpoint."""
        _for_administrators(request)
        return paged(request, endpoints.every(), EndpointSerializer, key=lambda one: one.pk)


class EndpointAdded(APIView):
    scope = Scope.JUDGE

    @once(request=EndpointGiven, responses={201: EndpointSerializer})
    def post(self, request: ApiRequest) -> Response:
        """Add an endpoint, or the next version of one."""
        _for_administrators(request)
        form = checked(EndpointForm(_as_sent(taken(EndpointGiven, request))))
        try:
            made = actions.add(described=form.described(), by=request.user, at=timezone.now())
        except actions.CannotAdd as refusal:
            raise Mistaken({"base_url": [said(problem) for problem in refusal.args]}) from None
        return Response(EndpointSerializer(made).data, status=HTTPStatus.CREATED)


class EndpointPriced(APIView):
    scope = Scope.JUDGE

    @once(request=PriceGiven, responses={200: EndpointSerializer})
    def post(self, request: ApiRequest, number: int) -> Response:
        """Say what tokens of an LLM cost there."""
        endpoint = _endpoint(request, number)
        form = checked(PriceForm(taken(PriceGiven, request)))
        actions.set_price(
            endpoint=endpoint, by=request.user, at=timezone.now(), **form.cleaned_data
        )
        return Response(EndpointSerializer(endpoint).data)


class EndpointRetired(APIView):
    scope = Scope.JUDGE

    @once(request=None, responses={200: EndpointSerializer})
    def post(self, request: ApiRequest, number: int) -> Response:
        """Have nobody asked there any more; a second time nothing changes."""
        endpoint = _endpoint(request, number)
        actions.retire(endpoint_id=endpoint.pk, by=request.user, at=timezone.now())
        return Response(EndpointSerializer(_endpoint(request, number)).data)


def _as_sent(given: Mapping[str, Any]) -> dict[str, Any]:
    """As the form of the page has it: objects as JSON."""
    return {**given, "headers": json.dumps(given["headers"]), "body": json.dumps(given["body"])}


def _endpoint(request: ApiRequest, number: int) -> "LLMEndpoint":
    _for_administrators(request)
    return endpoints.numbered(number)


def _for_administrators(request: ApiRequest) -> None:
    if not request.access.may_see_server:
        raise PermissionDenied
