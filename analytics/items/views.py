"""One item with its text and all its values."""

from urllib.parse import urlsplit, urlunsplit

from django.http import HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_safe

from accounts.gate import Request
from analytics.items import page as cases
from analytics.present.entering import reader_or_403
from annotation.actions import viewing


@require_safe
def item(request: Request, key: str, item_id: int) -> HttpResponse:
    """The item behind a line of a list, for who may open it."""
    study_access = reader_or_403(request, key)
    whole = cases.whole_item(study_access, item_id)
    viewing.item_opened(item_id=item_id, by=request.user, at=timezone.now())
    shown = {"study_access": study_access, "whole": whole, "back": _way_back(request, key)}
    return render(request, "analytics/item.html", shown)


def _way_back(request: Request, key: str) -> str:
    """The page of the study that led here; the overview where it was none."""
    came_from = urlsplit(request.headers.get("Referer", ""))
    is_ours = came_from.netloc == request.get_host()
    if is_ours and came_from.path.startswith(f"/studies/{key}/") and came_from.path != request.path:
        return urlunsplit(("", "", came_from.path, came_from.query, ""))
    return reverse("agreement_overview", args=[key])
