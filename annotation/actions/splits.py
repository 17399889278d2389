"""Divide a data set into an open and a restricted split."""

from collections.abc import Iterator
from datetime import datetime

from django.db import transaction
from django.db.models import QuerySet

from accounts import events
from accounts.access import access_of
from accounts.models import User
from annotation.actions.grants import CannotGrant
from annotation.models import DataSet, Dialogue, Division, Gold, OpenItem
from annotation.rules.granting import NOT_A_STEWARD
from annotation.rules.splitting import ToDivide, share_of, stratum_of


@transaction.atomic
def divide(
    *, data_set_id: int, open_percent: int, seed: str, by: User | None, at: datetime
) -> Division:
    """Open a share of the dialogues of a data set, the same of each stratum; CannotGrant.

    What was open before stays so, as nobody can take back what they were shown; the rest is
    drawn from all dialogues again, so that the same seed, share and data give the same split.
    """
    if by is not None and not access_of(by, at=at).may_decide_requests:
        raise CannotGrant(NOT_A_STEWARD)
    data_set = DataSet.objects.select_for_update().get(pk=data_set_id)
    division = Division.objects.create(
        data_set=data_set, seed=seed, open_percent=open_percent, divided_at=at, divided_by=by
    )
    of_all = to_divide(Dialogue.objects.filter(study__data_set=data_set))
    drawn = share_of(of_all, percent=open_percent, seed=seed)
    OpenItem.objects.bulk_create(
        (OpenItem(item_id=item, division=division) for item in drawn), ignore_conflicts=True
    )
    events.record(
        "data_set.divided",
        subject=f"data_set:{data_set.pk}",
        by=by,
        at=at,
        facts={"division": division.pk, "open_percent": open_percent, "items": len(drawn)},
    )
    return division


def to_divide(dialogues: QuerySet[Dialogue]) -> Iterator[ToDivide]:
    """These dialogues with their items, by gold and sources: what a drawing takes a share of."""
    gold: dict[int, dict[str, str | None]] = {}
    current = Gold.objects.filter(item__dialogue__in=dialogues.values("pk"), superseded_at=None)
    for dialogue, criterion, label in current.values_list(
        "item__dialogue", "criterion_key", "label"
    ):
        gold.setdefault(dialogue, {})[criterion] = label
    for one in dialogues.select_related("study").prefetch_related("items").order_by("pk"):
        items = one.items.all()
        yield ToDivide(
            dialogue=one.pk,
            key=f"{one.study.key}/{one.key}",
            stratum=(
                one.study_id,
                stratum_of(gold.get(one.pk, {}), [item.generator for item in items]),
            ),
            items=tuple(item.pk for item in items),
        )
