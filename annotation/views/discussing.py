"""The items under discussion, and the page on which one is discussed."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext
from django.views.decorators.http import require_POST, require_safe

from accounts.gate import Request
from annotation.actions import discussions, viewing
from annotation.queries import discussing, drafts
from annotation.queries.entering import study_or_404
from annotation.queries.wording import said
from annotation.views.saying import saying

VOTE = "vote."


@require_safe
def discuss(request: Request, key: str) -> HttpResponse:
    study_access = study_or_404(request, key)
    page = discussing.page_of_discussed(study_access, request.GET.get("page", ""))
    return render(request, "annotation/discuss.html", {"study_access": study_access, "page": page})


@require_safe
def discussion(request: Request, key: str, round_item_id: int) -> HttpResponse:
    """What its raters answered and say, before and after, to those who take part."""
    study_access = study_or_404(request, key)
    found = discussing.discussion(study_access, round_item_id)
    viewing.case_shown(round_item_id=round_item_id, by=request.user, at=timezone.now())
    return render(
        request,
        "annotation/discussion.html",
        {
            "study_access": study_access,
            "discussion": found,
            "item": found.item,
            "draft": drafts.of_case(request.access, round_item_id, "remark"),
        },
    )


@require_POST
def remark(request: Request, key: str, round_item_id: int) -> HttpResponse:
    study_access = study_or_404(request, key)
    place = reverse("discussion", kwargs={"key": key, "round_item_id": round_item_id})
    with saying(request, discussions.CannotDiscuss):
        discussions.say(
            study_id=study_access.study.pk,
            round_item_id=round_item_id,
            text=request.POST.get("text", ""),
            by=request.user,
            at=timezone.now(),
        )
        return redirect(f"{place}#newest")
    return redirect(place)


@require_POST
def vote(request: Request, key: str, round_item_id: int) -> HttpResponse:
    study_access = study_or_404(request, key)
    values = {
        name.removeprefix(VOTE): value
        for name, value in request.POST.items()
        if name.startswith(VOTE) and value
    }
    with saying(
        request,
        discussions.CannotDiscuss,
        done=gettext("Your vote is kept. Your first answer is kept as well."),
    ):
        discussions.vote_again(
            study_id=study_access.study.pk,
            round_item_id=round_item_id,
            values=values,
            by=request.user,
            at=timezone.now(),
        )
    return redirect("discussion", key=key, round_item_id=round_item_id)


@require_POST
def end(request: Request, key: str, round_item_id: int) -> HttpResponse:
    study_access = study_or_404(request, key)
    try:
        discussions.end(
            study_id=study_access.study.pk,
            round_item_id=round_item_id,
            by=request.user,
            at=timezone.now(),
        )
    except discussions.CannotDiscuss as refusal:
        messages.error(request, said(refusal.args[0]))
        return redirect("discuss", key=key)
    messages.success(request, gettext("The discussion has ended."))
    return redirect("discuss", key=key)
