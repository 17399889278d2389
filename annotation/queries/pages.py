"""The items of a study a page at a time, by key."""

from dataclasses import dataclass

from django.db.models import F
from django.db.models.functions import Collate

from annotation.models import Item
from annotation.queries.studies import StudyAccess
from annotation.queries.visibility import in_splits


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemPage:
    """Some items without their texts; `next` is what the page behind it comes after."""

    items: tuple[Item, ...]
    next: str | None


def items_after(study_access: StudyAccess, *, after: str, limit: int) -> ItemPage:
    """Those of the splits that are granted to the account."""
    granted = Item.objects.filter(in_splits(study_access.splits), study=study_access.study)
    by_key = granted.annotate(by=Collate(F("key"), "C")).order_by("by")
    found = by_key.filter(by__gt=after) if after else by_key
    items = tuple(found.select_related("dialogue").defer("dialogue__turns", "reply")[: limit + 1])
    following = items[limit - 1].key if len(items) > limit else None
    return ItemPage(items=items[:limit], next=following)
