"""All parts, by key."""

from analytics.reports import agreement, raters, safety

PARTS = {part.key: part for part in (agreement.PART, raters.PART, safety.PART)}
