"""All parts, by key."""

from analytics.reports import agreement, judges, raters, safety

PARTS = {part.key: part for part in (agreement.PART, judges.PART, raters.PART, safety.PART)}
