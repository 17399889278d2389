"""Note who asked the trail what."""

from datetime import datetime

from accounts import events
from accounts.models import User


def asked(*, question: str, by: User, at: datetime) -> None:
    events.record(
        "trail.asked", subject=f"account:{by.pk}", by=by, at=at, facts={"question": question}
    )
