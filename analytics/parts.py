"""All parts, by key."""

from typing import Any

from analytics.agreement import numbers as agreement
from analytics.calibration import numbers as calibration
from analytics.figures.part import Part
from analytics.judges import numbers as judges
from analytics.plan import numbers as plan
from analytics.raters import numbers as raters
from analytics.routing import numbers as routing
from analytics.safety import numbers as safety
from analytics.trust import numbers as trust

PARTS: dict[str, Part[Any]] = {
    part.key: part
    for part in (
        agreement.PART,
        agreement.GLANCE,
        calibration.PART,
        judges.PART,
        plan.PART,
        raters.PART,
        routing.PART,
        safety.PART,
        trust.PART,
    )
}


def fingerprints() -> dict[str, int]:
    """{part: its fingerprint}. To ask for all makes, once a process, what reads and writes them."""
    return {key: part.fingerprint for key, part in PARTS.items()}
