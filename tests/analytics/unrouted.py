"""What the safety panel is told of routing where a test has made none."""

from typing import Any

from analytics.policies.loading import DEFAULT, shipped
from analytics.routing.numbers import DELTA, RoutingReport
from analytics.routing.promises import terms
from analytics.safety.numbers import SafetyReport


def unrouted(report: SafetyReport) -> dict[str, Any]:
    """Routing without a judge, and nothing said by a card."""
    return {
        "routed": RoutingReport(
            view=report.view,
            computed_at=report.computed_at,
            delta=DELTA,
            seed=0,
            n_items=report.n_items,
            screened=report.criteria,
            judges={},
            waiting={},
            lines=(),
            screens=(),
        ),
        "terms": terms({}, policy=shipped()[DEFAULT], verdicts={}),
    }
