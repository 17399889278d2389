"""Note who opened an item's text from its figures."""

from datetime import datetime

from django.db import transaction

from accounts import events
from accounts.models import User


@transaction.atomic
def item_opened(*, item_id: int, by: User, at: datetime) -> None:
    events.record("item.opened", subject=f"item:{item_id}", by=by, at=at)
