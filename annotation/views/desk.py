"""What the page of a form asks for by itself: to keep a draft, and who is signed in."""

from datetime import datetime
from typing import TYPE_CHECKING

from django.core.exceptions import BadRequest
from django.http import Http404, HttpResponse, JsonResponse
from django.middleware.csrf import get_token
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe

from accounts.gate import Request
from accounts.sessions import OUTBOX_KEY
from annotation.actions import drafts
from annotation.forms import drafts as forms
from annotation.forms.rating import NotAForm
from annotation.queries.entering import study_or_404
from annotation.queries.wording import said

if TYPE_CHECKING:
    from annotation.models import Draft, RubricDraft

SAVED_AT = "Concord-Saved-At"
GO_ON_AT = "Concord-Go-On-At"


@require_POST
def keep_draft(request: Request, key: str) -> HttpResponse:
    """Keep what is filled in of a form; 409 with what another tab kept, 410 once it is sent."""
    study_access = study_or_404(request, key)
    try:
        form, place, half = forms.read(request.POST)
    except NotAForm:
        raise BadRequest from None
    try:
        kept = drafts.keep(
            study_access=study_access,
            form=form,
            place=place,
            half=half,
            by=request.user,
            at=timezone.now(),
        )
    except drafts.NotYourForm:
        raise Http404 from None
    except drafts.NotKept as refusal:
        return JsonResponse({"reason": said(refusal.args[0])}, status=410)
    except drafts.WrittenElsewhere as other:
        return not_replaced(other)
    return draft_kept(kept)


def draft_kept(draft: "Draft | RubricDraft") -> JsonResponse:
    """Tell the outbox that a draft has arrived."""
    return JsonResponse({"version": draft.version, "kept_at": draft.kept_at.isoformat()})


def not_replaced(other: drafts.WrittenElsewhere) -> JsonResponse:
    """Tell it what another tab kept, for somebody to choose."""
    return JsonResponse(
        {
            "reason": said(other.args[0]),
            "version": other.draft.version,
            "kept_at": other.draft.kept_at.isoformat(),
            "fields": getattr(other.draft, "fields", {}),
            "words": other.draft.words,
        },
        status=409,
    )


@require_safe
def who(request: Request) -> JsonResponse:
    """Whose answers a browser may send now, and with which token; asked after signing in again."""
    return JsonResponse(
        {
            "owner": str(request.user.pk),
            "key": request.session.get(OUTBOX_KEY, ""),
            "token": get_token(request),
        }
    )


def taken(response: HttpResponse, *, at: datetime | None, go_on_at: str = "") -> HttpResponse:
    """Tell the page's script when something was stored, and which page comes next."""
    if at is not None:
        response.headers[SAVED_AT] = at.isoformat()
    if go_on_at:
        response.headers[GO_ON_AT] = go_on_at
    return response
