"""A list of items as a page; the trail knows who saw which."""

from collections.abc import Collection
from typing import Protocol

from django.http import HttpResponse
from django.shortcuts import render
from django.utils import timezone

from accounts.gate import Request
from analytics.present.live import choices_of
from annotation.actions.viewing import items_listed
from annotation.queries.studies import StudyAccess


class ShownItems(Protocol):
    """Items of which some are shown."""

    @property
    def shown(self) -> Collection[int]: ...


def item_list(
    request: Request, template: str, study_access: StudyAccess, cases: ShownItems, **page: object
) -> HttpResponse:
    """With the reader's choices, as the end of addresses."""
    items_listed(
        study_id=study_access.study.pk, items=cases.shown, by=request.user, at=timezone.now()
    )
    context = {
        "study_access": study_access,
        "cases": cases,
        "view": choices_of(request),
        "values": request.GET.get("values", ""),
    }
    return render(request, template, context | page)
