"""The description of the API, for programs and for people."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from django.conf import settings
from django.http import HttpResponse
from django.shortcuts import render
from django.utils.translation import get_language
from django.views.decorators.http import require_safe
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.views import SpectacularJSONAPIView

from accounts.gate import Request


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """One address with one method, as a page shows it."""

    method: str
    path: str
    about: str
    parameters: tuple[tuple[str, str, str], ...]
    takes: str
    gives: str


class SameForAll(SchemaGenerator):
    """What everybody gets takes long to make: once a process and language."""

    def get_schema(self, request: object = None, public: bool = True) -> Mapping[str, Any]:
        return _described(get_language())


@lru_cache(maxsize=len(settings.LANGUAGES))
def _described(_language: str | None) -> Mapping[str, Any]:
    made: Mapping[str, Any] = SchemaGenerator().get_schema(public=True)  # type: ignore[no-untyped-call]  # it has no types
    return made


class Description(SpectacularJSONAPIView):
    """OpenAPI 3.1, as JSON."""

    generator_class = SameForAll


@require_safe
def page(request: Request) -> HttpResponse:
    """The same to read, without anybody's scripts."""
    schema = _described(get_language())
    return render(
        request,
        "accounts/api.html",
        {"operations": list(_operations(schema)), "parts": list(_parts(schema))},
    )


def _operations(schema: Mapping[str, Any]) -> Iterator[Operation]:
    for path, methods in schema["paths"].items():
        for method, told in methods.items():
            good = next(status for status in told["responses"] if status.startswith("2"))
            yield Operation(
                method=method.upper(),
                path=path,
                about=told.get("description", ""),
                parameters=tuple(
                    (one["name"], one["in"], one.get("description", ""))
                    for one in told.get("parameters", [])
                ),
                takes=_name_in(told.get("requestBody", {})),
                gives=_name_in(told["responses"][good]),
            )


def _parts(schema: Mapping[str, Any]) -> Iterator[tuple[str, str, list[tuple[str, str]]]]:
    """(name, what it is, fields) of everything that is taken or given."""
    for name, told in schema["components"]["schemas"].items():
        fields = [(field, _type_of(one)) for field, one in told.get("properties", {}).items()]
        yield name, told.get("description", ""), fields


def _name_in(told: Mapping[str, Any]) -> str:
    return next((_type_of(one["schema"]) for one in told.get("content", {}).values()), "")


def _type_of(told: Mapping[str, Any]) -> str:
    if told.get("type") == "array":
        return f"[{_type_of(told['items'])}]"
    if "$ref" in told:
        return str(told["$ref"]).rpartition("/")[2]
    kind = told.get("type", "object")
    return " | ".join(kind) if isinstance(kind, list) else str(kind)
