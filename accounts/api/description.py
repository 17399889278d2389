"""The description of the API, for programs and for people."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.views.decorators.http import require_safe

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


@require_safe
def document(request: Request) -> HttpResponseBase:
    """OpenAPI 3.1, as JSON."""
    from drf_spectacular.views import SpectacularJSONAPIView  # noqa: PLC0415 -- as `described` says

    return SpectacularJSONAPIView.as_view()(request)


@require_safe
def page(request: Request) -> HttpResponse:
    """The same to read, without anybody's scripts."""
    from drf_spectacular.settings import spectacular_settings  # noqa: PLC0415 -- as above

    schema = spectacular_settings.DEFAULT_GENERATOR_CLASS().get_schema(request=None, public=True)
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
