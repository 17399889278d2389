"""Trust cards: the grid of verdicts, one card with its lines, and the rules they are held against."""

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.translation import gettext
from django.views.decorators.http import require_POST, require_safe

from analytics.actions import trust as actions
from analytics.queries import trust
from analytics.queries.trust import CardPage, Grid, Held
from analytics.reports.trust import PART, TrustReport
from analytics.views.pages import Asked, NoSuchPage, live_page, reader_or_403
from annotation.queries.wording import said


@require_safe
def grid(request: HttpRequest, key: str) -> HttpResponse:
    """Every judge on every criterion."""

    def show(report: TrustReport, asked: Asked) -> Grid:
        return Grid(report=report, held=_held(asked))

    return live_page(request, key, part=PART, page="trust", show=show)


@require_safe
def card(request: HttpRequest, key: str, criterion: str, judge_id: int) -> HttpResponse:
    """One judge on one criterion, line by line."""

    def show(report: TrustReport, asked: Asked) -> CardPage:
        try:
            return trust.card_page(
                report, _held(asked), study_key=key, criterion=criterion, judge=judge_id
            )
        except trust.NoSuchCard:
            raise NoSuchPage from None

    return live_page(request, key, part=PART, page="trust_card", show=show)


@require_POST
def fix(request: HttpRequest, key: str) -> HttpResponse:
    """Fix the rules from now on."""
    study_access = reader_or_403(request, key)
    if not study_access.may_coordinate:
        raise PermissionDenied
    try:
        actions.fix_policy(
            study_access=study_access,
            key=request.POST.get("policy", ""),
            by=request.user,
            at=timezone.now(),
        )
    except actions.CannotFix as refusal:
        messages.error(request, said(refusal.args[0]))
    else:
        messages.success(request, gettext("The rules are fixed."))
    return redirect("agreement_trust", key=key)


def _held(asked: Asked) -> Held:
    try:
        return trust.held(asked.study_access.study, preview=asked.choices.get("policy", ""))
    except trust.NoSuchCard:
        raise NoSuchPage from None
