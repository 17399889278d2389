"""The description of the API: what every address may answer besides what it is for."""

from typing import Any

from drf_spectacular.openapi import AutoSchema
from rest_framework.serializers import Serializer

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
