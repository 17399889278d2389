"""All parts, by key."""

from analytics.reports import agreement

PARTS = {part.key: part for part in (agreement.PART,)}
