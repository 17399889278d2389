"""All parts, by key."""

from analytics.reports import agreement, calibration, judges, plan, raters, safety, trust

PARTS = {
    part.key: part
    for part in (
        agreement.PART,
        calibration.PART,
        judges.PART,
        plan.PART,
        raters.PART,
        safety.PART,
        trust.PART,
    )
}
