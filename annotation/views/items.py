"""The items of a study: a list to be searched, and a page for each."""

from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.gate import Request
from annotation.actions import items as actions
from annotation.actions import quarantine, viewing
from annotation.forms.items import looked_for
from annotation.queries.entering import coordinated, study_or_404
from annotation.queries.item_list import (
    ItemsWanted,
    item_sheet,
    items_of,
    reason_not_to_list,
)
from annotation.queries.studies import StudyAccess
from annotation.queries.wording import Barred, said
from annotation.views.saying import saying


@require_http_methods(["GET", "HEAD", "POST"])
def items(request: Request, key: str) -> HttpResponse:
    """List items. What is looked for is posted and kept in the session, never in an address."""
    study_access = coordinated(request, key)
    kept = f"items:{study_access.study.pk}"
    if request.method == "POST":
        request.session[kept] = looked_for(request.POST)
        return redirect("items", key=key)
    wanted = ItemsWanted(**request.session.get(kept, {}))
    context = {"study_access": study_access, "wanted": wanted, "is_search": wanted != ItemsWanted()}
    if reason := reason_not_to_list(study_access):
        return render(request, "annotation/items.html", context | {"refusal": said(reason)})
    found = items_of(study_access, wanted, page=request.GET.get("page", "1"))
    viewing.items_named(
        study_id=study_access.study.pk,
        items=[line.id for line in found.items],
        by=request.user,
        at=timezone.now(),
    )
    return render(request, "annotation/items.html", context | {"found": found})


@require_safe
def item(request: Request, key: str, item_id: int) -> HttpResponse:
    """One item: its text, where it is, and what was written down about it."""
    study_access = _coordinated(request, key)
    sheet = item_sheet(study_access, item_id)
    viewing.item_opened(item_id=item_id, by=request.user, at=timezone.now())
    return render(
        request,
        "annotation/item.html",
        {"study_access": study_access, "sheet": sheet, "item": sheet.item},
    )


@require_POST
def note(request: Request, key: str, item_id: int) -> HttpResponse:
    study_access = _coordinated(request, key)
    with saying(request, actions.CannotNote, done=gettext("The note is kept.")):
        actions.note(
            study_id=study_access.study.pk,
            item_id=item_id,
            text=request.POST.get("text", ""),
            by=request.user,
            at=timezone.now(),
        )
    return redirect("item", key=key, item_id=item_id)


@require_POST
def warn(request: Request, key: str, item_id: int) -> HttpResponse:
    study_access = _coordinated(request, key)
    with saying(
        request,
        actions.CannotNote,
        done=gettext("The content note is changed; it stands before the text from now on."),
    ):
        actions.warn(
            study_id=study_access.study.pk,
            item_id=item_id,
            content_note=request.POST.get("content_note", ""),
            by=request.user,
            at=timezone.now(),
        )
    return redirect("item", key=key, item_id=item_id)


@require_POST
def set_aside(request: Request, key: str, item_id: int) -> HttpResponse:
    study_access = _coordinated(request, key)
    item_key = _key_of(study_access, item_id)
    with saying(
        request, quarantine.CannotQuarantine, done=gettext("The item is set aside; figures follow.")
    ):
        quarantine.quarantine(
            study_id=study_access.study.pk,
            item_key=item_key,
            reason=request.POST.get("reason", ""),
            by=request.user,
            at=timezone.now(),
        )
    return redirect("item", key=key, item_id=item_id)


@require_POST
def count_again(request: Request, key: str, item_id: int, quarantine_id: int) -> HttpResponse:
    study_access = _coordinated(request, key)
    with saying(
        request, quarantine.CannotQuarantine, done=gettext("The item counts again; figures follow.")
    ):
        quarantine.lift(
            study_id=study_access.study.pk,
            quarantine_id=quarantine_id,
            by=request.user,
            at=timezone.now(),
        )
    return redirect("item", key=key, item_id=item_id)


def _key_of(study_access: StudyAccess, item_id: int) -> str:
    return item_sheet(study_access, item_id).line.key


def _coordinated(request: Request, key: str) -> StudyAccess:
    study_access = study_or_404(request, key)
    if reason := reason_not_to_list(study_access):
        raise Barred(reason)
    return study_access
