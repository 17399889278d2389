"""How far rounds are."""

from django.db.models import Count, Q

from annotation.models import RoundItem
from annotation.rules.closing import Progress
from annotation.rules.lifecycle import ItemState


def progress_of(round_id: int) -> Progress:
    """Count a round's items by what they still wait for."""
    counts = RoundItem.objects.filter(round=round_id).aggregate(
        items=Count("pk"),
        fully_rated=Count("pk", filter=~Q(state=ItemState.RATING)),
        awaiting_adjudication=Count("pk", filter=Q(state=ItemState.DISAGREED)),
    )
    return Progress(**counts)
