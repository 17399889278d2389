"""Long lists a page at a time: whoever wants the next one says where the last one ended."""

from typing import Any

from drf_spectacular.utils import OpenApiParameter
from rest_framework import serializers
from rest_framework.request import Request

MOST = 1_000


class ItemsAsked(serializers.Serializer[Any]):
    """Which page: after which item, and how many."""

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
        description=f"How many items at once, at most {MOST:,}.",
    ),
]


def page_asked(request: Request) -> dict[str, Any]:
    """What the query says of it; 400 where it says what cannot be."""
    asked = ItemsAsked(data=request.query_params.dict())
    asked.is_valid(raise_exception=True)
    return dict(asked.validated_data)
