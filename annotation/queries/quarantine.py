"""Which items of a study are set aside from figures, or were."""

from dataclasses import dataclass
from datetime import datetime

from django.core.paginator import Page, Paginator
from django.db.models import F

from annotation.models import Quarantine, Study

ITEMS_ON_A_PAGE = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class SetAside:
    """An item that does not count, or did not for a while; nobody is named for a command."""

    id: int
    item_id: int
    item_key: str
    reason: str
    at: datetime
    by: str
    lifted_at: datetime | None
    lifted_by: str


@dataclass(frozen=True, slots=True, kw_only=True)
class QuarantinePage:
    """Some of the items, those that are set aside now first, and which page of them this is."""

    items: list[SetAside]
    n_now: int
    page: Page[Quarantine]


def quarantine_page(study: Study, *, page: str) -> QuarantinePage:
    """A page of all that is or was set aside, the newest first."""
    every = (
        Quarantine.objects.filter(item__study=study)
        .select_related("item", "quarantined_by", "lifted_by")
        .order_by(F("lifted_at").desc(nulls_first=True), "-quarantined_at", "pk")
    )
    found = Paginator(every, ITEMS_ON_A_PAGE).get_page(page)
    return QuarantinePage(
        items=[_set_aside(one) for one in found],
        n_now=every.filter(lifted_at=None).count(),
        page=found,
    )


def _set_aside(one: Quarantine) -> SetAside:
    return SetAside(
        id=one.pk,
        item_id=one.item_id,
        item_key=one.item.key,
        reason=one.reason,
        at=one.quarantined_at,
        by=one.quarantined_by.full_name if one.quarantined_by else "",
        lifted_at=one.lifted_at,
        lifted_by=one.lifted_by.full_name if one.lifted_by else "",
    )
