"""Long lists a page at a time: whoever wants the next one says where the last one ended."""

from collections.abc import Callable, Iterable
from functools import cache
from typing import Any, TypeVar

from django.db.models import Model, QuerySet
from drf_spectacular.utils import OpenApiParameter, inline_serializer
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

MOST = 1_000

Fields = type[serializers.Serializer[Any]]
Key = int | str
Row = TypeVar("Row", bound=Model)


class ItemsAsked(serializers.Serializer[Any]):
    """Which page: after which line, and how many."""

    after = serializers.CharField(required=False, allow_blank=True, default="", max_length=160)
    limit = serializers.IntegerField(required=False, default=100, min_value=1, max_value=MOST)


PAGE_PARAMETERS = [
    OpenApiParameter(
        "after",
        str,
        description="The last key of the page before: its `next`.",
    ),
    OpenApiParameter(
        "limit",
        {"type": "integer", "minimum": 1, "maximum": MOST, "default": 100},
        description=f"How many lines at once, at most {MOST:,}.",
    ),
]


def page_asked(request: Request) -> dict[str, Any]:
    """What the query says of it; 400 where it says what cannot be."""
    asked = ItemsAsked(data=request.query_params.dict())
    asked.is_valid(raise_exception=True)
    return dict(asked.validated_data)


@cache
def page_of(fields: Fields) -> serializers.Serializer[Any]:
    """The form of a page of such lines; `next` is the `after` of the page behind it."""
    name = fields.__name__.removesuffix("Serializer")
    return inline_serializer(
        f"{name}Page",
        {"results": fields(many=True), "next": serializers.CharField(allow_null=True)},
    )


def paged(
    request: Request,
    lines: Iterable[Any],
    fields: Fields,
    *,
    key: Callable[[Any], Key],
    newest_first: bool = False,
    told: Callable[[list[Any]], list[Any]] = list,
) -> Response:
    """The page that was asked for, in the order of `key`, which no two lines share.

    `told` is what is told of the lines on it; it may note who reads them.

    A page begins behind the key that ended the one before, so that lines that come or go
    meanwhile make no other one appear twice or not at all.
    """
    asked = page_asked(request)
    found = sorted(lines, key=key, reverse=newest_first)
    if asked["after"] and found:
        last = _as_key(asked["after"], like=key(found[0]))
        found = [
            line
            for line in found
            if (key(line) < last if newest_first else key(line) > last)  # type: ignore[operator]  # both are of one kind
        ]
    return _page(found, fields, key=key, limit=asked["limit"], told=told)


def paged_rows(
    request: Request,
    rows: QuerySet[Row],
    fields: Fields,
    *,
    told: Callable[[list[Row]], list[Any]] = list,
) -> Response:
    """The same of rows in the order of their ids; no others than those of the page are read."""
    asked = page_asked(request)
    if asked["after"]:
        rows = rows.filter(pk__gt=_as_key(asked["after"], like=0))
    found = list(rows.order_by("pk")[: asked["limit"] + 1])
    return _page(found, fields, key=lambda row: row.pk, limit=asked["limit"], told=told)


def _page(
    found: list[Any],
    fields: Fields,
    *,
    key: Callable[[Any], Key],
    limit: int,
    told: Callable[[list[Any]], list[Any]],
) -> Response:
    shown = found[:limit]
    return Response(
        {
            "results": fields(told(shown), many=True).data,
            "next": str(key(shown[-1])) if len(found) > limit else None,
        }
    )


def _as_key(after: str, *, like: Key) -> Key:
    if isinstance(like, str):
        return after
    try:
        return int(after)
    except ValueError:
        raise ValidationError({"after": ["This is no `next` of a page of this list."]}) from None
