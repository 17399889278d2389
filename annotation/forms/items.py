"""What somebody looks for among the items of a study."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from annotation.queries.item_list import ItemsWanted

LONGEST_WORDS = 200


def looked_for(data: Mapping[str, str]) -> dict[str, Any]:
    """What a form sends, as a session can keep it."""
    number = data.get("round", "")
    wanted = ItemsWanted(
        words=data.get("words", "").replace("\x00", "").strip()[:LONGEST_WORDS],
        round=int(number) if number.isascii() and number.isdigit() and len(number) < 6 else None,
        state=data.get("state", ""),
        generator=data.get("generator", ""),
        attribute=data.get("attribute", "").replace("\x00", "")[:200],
        is_aside="aside" in data,
        is_warned_of="warned" in data,
        is_noted="noted" in data,
    )
    return asdict(wanted)
