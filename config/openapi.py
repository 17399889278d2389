"""The description of the API: what every address may answer besides what it is for."""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from django.conf import settings
from django.utils.translation import get_language
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.openapi import AutoSchema
from drf_spectacular.utils import extend_schema
from rest_framework.serializers import Serializer
from rest_framework.views import APIView

from accounts.api.described import DESCRIBED

REFUSAL = {
    "type": "object",
    "description": (
        "Why not: `detail` says it, `missing` what an account lacks, `scope` what a token lacks, "
        "`fields` and `problems` what is wrong with what was sent."
    ),
}
METHODS = {"get", "post", "put", "patch", "delete"}
A_PAGE = {"results", "next"}


class Schema(AutoSchema):
    """Operations by the names that they would have without pages: what gives a page is a list."""

    def get_operation_id(self) -> str:
        found: str = super().get_operation_id()
        answer = self.get_response_serializers()
        is_a_page = isinstance(answer, Serializer) and answer.fields.keys() >= A_PAGE
        return f"{found.removesuffix('_retrieve')}_list" if is_a_page else found


class Generator(SchemaGenerator):
    """Draws each operation as its method is described.

    What everybody gets takes long to draw: once a process and language.
    """

    def get_schema(self, request: object = None, public: bool = True) -> Mapping[str, Any]:
        return _drawn(get_language())

    def create_view(self, callback: Any, method: str, request: Any = None) -> APIView:
        noted = vars(getattr(callback.cls, method.lower()))
        if DESCRIBED in noted and "schema" not in noted.get("kwargs", {}):
            extend_schema(**noted[DESCRIBED])(getattr(callback.cls, method.lower()))
        view: APIView = super().create_view(callback, method, request)  # type: ignore[no-untyped-call]  # it has no types
        return view


@lru_cache(maxsize=len(settings.LANGUAGES))
def _drawn(_language: str | None) -> Mapping[str, Any]:
    drawn: Mapping[str, Any] = SchemaGenerator.get_schema(Generator(), public=True)  # type: ignore[no-untyped-call]  # it has no types
    return drawn


def with_refusals(result: dict[str, Any], **_given: object) -> dict[str, Any]:
    """Every operation may refuse, in the same form."""
    result["components"].setdefault("schemas", {})["Refusal"] = REFUSAL
    refused = {
        "description": "Refused",
        "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Refusal"}}},
    }
    for path in result["paths"].values():
        for method in METHODS & path.keys():
            path[method]["responses"]["4XX"] = refused
    return result
