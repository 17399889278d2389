"""All parts, by key."""

from analytics.reports import agreement, calibration, judges, plan, raters, routing, safety, trust

PARTS = {
    part.key: part
    for part in (
        agreement.PART,
        calibration.PART,
        judges.PART,
        plan.PART,
        raters.PART,
        routing.PART,
        safety.PART,
        trust.PART,
    )
}
