"""What is decided about identifiers: of each kind, and of single places."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from annotation.identifiers.finding import Hit
from annotation.identifiers.kinds import IdentifierKind


class Treatment(StrEnum):
    """What becomes of an identifier; `drop`: the whole row, or text, stays out."""

    REDACT = "redact"
    KEEP = "keep"
    DROP = "drop"


@dataclass(frozen=True, slots=True, kw_only=True)
class Decisions:
    """What somebody said: of each kind, and of single hits by their number or place."""

    by_kind: Mapping[str, str]
    by_hit: Mapping[str, str] = field(default_factory=dict)
    reasons: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def among(cls, options: Mapping[str, Any]) -> "Decisions":
        return cls(**options.get("identifiers", {"by_kind": {}}))

    def of(self, number: int | str, kind: IdentifierKind) -> Treatment | None:
        said = self.by_hit.get(str(number)) or self.by_kind.get(kind)
        return Treatment(said) if said else None


def place_of(text: str, hit: Hit) -> str:
    """A name for a hit in a text, the same wherever the text stands."""
    return hashlib.sha256(f"{hit.begin}:{text}".encode()).hexdigest()[:20]
