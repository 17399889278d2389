"""All parts, by key."""

from analytics.reports import agreement, judges, plan, raters, safety

PARTS = {
    part.key: part for part in (agreement.PART, judges.PART, plan.PART, raters.PART, safety.PART)
}
