"""All parts, by key."""

from analytics.reports import agreement, safety

PARTS = {part.key: part for part in (agreement.PART, safety.PART)}
