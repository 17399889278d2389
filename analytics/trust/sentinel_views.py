"""The sentinels of a judge: looked at beside its cards, set, asked now, retired, decided about."""

import secrets
from collections.abc import Callable

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext
from django.views.decorators.http import require_POST, require_safe

from accounts.gate import Request
from analytics.present.entering import judges_seen_or_403, runner_or_403
from analytics.trust import sentinels as decisions
from analytics.trust.sentinels_page import SentinelsPage, sentinels_page, with_sentinels
from annotation.queries.entering import require
from annotation.queries.wording import said
from annotation.rules.granting import Action
from judging.actions import runs, sentinels
from judging.forms.sentinels import SentinelsForm


@require_safe
def show(request: Request, key: str, judge_id: int) -> HttpResponse:
    return _show(request, sentinels_page(judges_seen_or_403(request, key), judge_id))


@require_POST
def place(request: Request, key: str, judge_id: int) -> HttpResponse:
    """Choose items by lot, and fix the margin."""
    page = sentinels_page(runner_or_403(request, key), judge_id)
    form = SentinelsForm(request.POST)
    if not form.is_valid():
        return _show(request, page, form=form)
    return _done(
        request,
        page,
        lambda: sentinels.place(
            study=page.study_access.study,
            judge=page.judge,
            seed=secrets.token_hex(8),
            by=request.user,
            at=timezone.now(),
            **form.arguments(),
        ),
        gettext("The judge is asked about them again from now on."),
    )


@require_POST
def ask(request: Request, key: str, judge_id: int) -> HttpResponse:
    """Ask about them now."""
    page, standing = with_sentinels(runner_or_403(request, key), judge_id)
    return _done(
        request,
        page,
        lambda: sentinels.ask(
            sentinels=standing, why="by hand", by=request.user, at=timezone.now()
        ),
        gettext("The judge is being asked. What came of it stands here a minute after."),
    )


@require_POST
def bridge(request: Request, key: str, judge_id: int) -> HttpResponse:
    """Ask another judge about them, that is to replace this one."""
    page, standing = with_sentinels(runner_or_403(request, key), judge_id)
    other = request.POST.get("other", "")
    return _done(
        request,
        page,
        lambda: sentinels.bridge(
            sentinels=standing,
            to=int(other) if other.isdecimal() else 0,
            by=request.user,
            at=timezone.now(),
        ),
        gettext("The other judge is being asked. What came of it stands here a minute after."),
    )


@require_POST
def retire(request: Request, key: str, judge_id: int) -> HttpResponse:
    """Ask about them no more."""
    page, standing = with_sentinels(runner_or_403(request, key), judge_id)
    return _done(
        request,
        page,
        lambda: sentinels.retire(sentinels=standing, by=request.user, at=timezone.now()),
        gettext("The judge is not asked about them any more."),
    )


@require_POST
def decide(request: Request, key: str, judge_id: int) -> HttpResponse:
    """Let the judge be used on though it failed, and say why."""
    study_access = judges_seen_or_403(request, key)
    require(study_access, Action.COORDINATE)
    page = sentinels_page(study_access, judge_id)
    return _done(
        request,
        page,
        lambda: decisions.rule(
            study_access=study_access,
            judge=judge_id,
            reason=request.POST.get("reason", ""),
            by=request.user,
            at=timezone.now(),
        ),
        gettext("Its cards hold again. The reason stays beside them."),
    )


def _done(
    request: Request, page: SentinelsPage, act: Callable[[], object], words: str
) -> HttpResponse:
    try:
        act()
    except (sentinels.CannotWatch, runs.CannotRun, decisions.CannotLetPass) as refusal:
        return _show(request, page, refusal=said(refusal.args[0]))
    messages.success(request, words)
    return redirect("agreement_sentinels", key=page.study_access.study.key, judge_id=page.judge_id)


def _show(
    request: Request,
    page: SentinelsPage,
    *,
    form: SentinelsForm | None = None,
    refusal: str = "",
) -> HttpResponse:
    context = {
        "study_access": page.study_access,
        "shown": page,
        "form": form or SentinelsForm(),
        "refusal": refusal,
    }
    status = 409 if refusal else 422 if form else 200
    return render(request, "analytics/sentinels.html", context, status=status)
