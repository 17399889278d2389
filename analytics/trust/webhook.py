"""Tell another program outside that a judge did not pass its sentinels: counts and keys, no text.

Of a blinded judge neither: which run it was says enough to who runs judges.
"""

import httpx2
from django.conf import settings

from analytics.models import SentinelCheck

LONGEST_WAIT = 10.0  # seconds


def send(check_id: int) -> None:
    """Post it to where the deployment says, if it says so; OSError where nobody took it."""
    if not settings.SENTINEL_WEBHOOK:
        return
    check = SentinelCheck.objects.select_related("run__study", "run__judge__rater").get(pk=check_id)
    told = {
        "event": "sentinels.checked",
        "study": check.run.study.key,
        "run": check.run_id,
        "checked_at": check.made_at.isoformat(),
    }
    if not check.run.study.judges_are_blinded:
        told |= {
            "judge": check.run.judge.rater.key,
            "verdict": check.verdict,
            "compared": check.figures["compared"],
            "changed": check.figures["changed"],
            "margin": check.figures["margin"],
        }
    try:
        with httpx2.Client(follow_redirects=False, trust_env=False, timeout=LONGEST_WAIT) as client:
            client.post(settings.SENTINEL_WEBHOOK, json=told).raise_for_status()
    except httpx2.HTTPError as error:
        # Without the address, which may hold a secret.
        raise OSError(type(error).__name__) from None
