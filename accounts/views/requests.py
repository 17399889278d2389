"""The data steward's queue."""

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from accounts.actions import requests as actions
from accounts.forms import ApproveForm, RefuseForm
from accounts.gate import Request, ask_again_who_it_is
from accounts.queries import requests


@require_safe
def queue(request: Request) -> HttpResponse:
    _stewards_only(request)
    page = {
        "waiting": requests.requests_by_decision(is_open=True),
        "decided": requests.requests_by_decision(is_open=False),
    }
    return render(request, "accounts/requests.html", page)


@require_safe
def one(request: Request, request_id: int) -> HttpResponse:
    _stewards_only(request)
    page = _page_of(request, request_id)
    actions.show(request_id=request_id, by=request.user, at=timezone.now())
    return _show(request, page)


@require_POST
def approve(request: Request, request_id: int) -> HttpResponse:
    _stewards_only(request)
    page = _page_of(request, request_id)
    ask_again_who_it_is(request)
    form = ApproveForm(request.POST, latest=page.latest_end or timezone.now())
    if not form.is_valid():
        return _show(request, page, approve_form=form, status=422)
    try:
        actions.approve(
            request_id=request_id, until=form.end_of_term(), by=request.user, at=timezone.now()
        )
    except actions.CannotDecide as reason:
        form.add_error(None, str(reason))
        return _show(request, page, approve_form=form, status=409)
    messages.success(request, _("Approved. The applicant gets an email."))
    return redirect("access_requests")


@require_POST
def refuse(request: Request, request_id: int) -> HttpResponse:
    _stewards_only(request)
    page = _page_of(request, request_id)
    form = RefuseForm(request.POST)
    if not form.is_valid():
        return _show(request, page, refuse_form=form, status=422)
    try:
        actions.refuse(
            request_id=request_id,
            reason=form.cleaned_data["reason"],
            by=request.user,
            at=timezone.now(),
        )
    except actions.CannotDecide as reason:
        form.add_error(None, str(reason))
        return _show(request, page, refuse_form=form, status=409)
    messages.success(request, _("Refused. The applicant gets an email and can read your reason."))
    return redirect("access_requests")


def _stewards_only(request: Request) -> None:
    if not request.access.may_decide_requests:
        raise PermissionDenied(_("This page is for data stewards."))


def _page_of(request: Request, request_id: int) -> requests.RequestPage:
    return requests.request_page(request_id, reader=request.user.pk, at=timezone.now())


def _show(
    request: Request,
    page: requests.RequestPage,
    *,
    approve_form: ApproveForm | None = None,
    refuse_form: RefuseForm | None = None,
    status: int = 200,
) -> HttpResponse:
    context = {
        "page": page,
        "approve_form": approve_form or ApproveForm(latest=page.latest_end or timezone.now()),
        "refuse_form": refuse_form or RefuseForm(),
    }
    return render(request, "accounts/request.html", context, status=status)
