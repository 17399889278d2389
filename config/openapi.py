"""The description of the API: what every address may answer besides what it is for."""

from typing import Any

REFUSAL = {
    "type": "object",
    "description": (
        "Why not: `detail` says it, `missing` what an account lacks, `scope` what a token lacks, "
        "`fields` and `problems` what is wrong with what was sent."
    ),
}
METHODS = {"get", "post", "put", "patch", "delete"}


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
