"""The accounts of the server: who they are, suspending, reinstating, roles."""

from collections.abc import Callable

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from accounts.actions import people as actions
from accounts.forms import RolesForm, SuspendForm
from accounts.gate import Request, ask_again_who_it_is
from accounts.queries import people


@require_safe
def accounts(request: Request) -> HttpResponse:
    _managers_only(request)
    words = request.GET.get("q", "").replace("\x00", "")
    page = {"accounts": people.accounts_matching(words), "words": words}
    return render(request, "accounts/accounts.html", page)


@require_safe
def account(request: Request, account_id: int) -> HttpResponse:
    _managers_only(request)
    return _show(request, account_id)


@require_POST
def suspend(request: Request, account_id: int) -> HttpResponse:
    _managers_only(request)
    form = SuspendForm(request.POST)
    if not form.is_valid():
        return _show(request, account_id, suspend_form=form, status=422)
    return _change(
        request,
        account_id,
        lambda: actions.suspend(
            user_id=account_id,
            reason=form.cleaned_data["reason"],
            by=request.user,
            at=timezone.now(),
        ),
        _("Suspended. The account can do nothing from its next click on."),
    )


@require_POST
def reinstate(request: Request, account_id: int) -> HttpResponse:
    _managers_only(request)
    return _change(
        request,
        account_id,
        lambda: actions.reinstate(user_id=account_id, by=request.user, at=timezone.now()),
        _("Reinstated. Signature and approval hold again if they have not ended."),
    )


@require_POST
def set_roles(request: Request, account_id: int) -> HttpResponse:
    if not request.access.may_set_roles:
        raise PermissionDenied(_("Only administrators set roles."))
    ask_again_who_it_is(request)
    form = RolesForm(request.POST)
    if not form.is_valid():
        return _show(request, account_id, roles_form=form, status=422)
    return _change(
        request,
        account_id,
        lambda: actions.set_roles(
            user_id=account_id,
            roles=form.cleaned_data["roles"],
            by=request.user,
            at=timezone.now(),
        ),
        _("The roles are set."),
    )


def _managers_only(request: Request) -> None:
    if not request.access.may_manage_accounts:
        raise PermissionDenied(_("This page is for data stewards and administrators."))


def _page_of(request: Request, account_id: int) -> people.AccountPage:
    return people.account_page(account_id, reader=request.user.pk)


def _change(
    request: Request, account_id: int, change: Callable[[], object], done: str
) -> HttpResponse:
    """Make the change and come back to the account, with the reason where there is one not to."""
    _page_of(request, account_id)
    try:
        change()
    except actions.CannotChange as reason:
        return _show(request, account_id, reason=str(reason), status=409)
    messages.success(request, done)
    return redirect("account", account_id=account_id)


def _show(
    request: Request,
    account_id: int,
    *,
    suspend_form: SuspendForm | None = None,
    roles_form: RolesForm | None = None,
    reason: str = "",
    status: int = 200,
) -> HttpResponse:
    page = _page_of(request, account_id)
    context = {
        "page": page,
        "suspend_form": suspend_form or SuspendForm(),
        "roles_form": roles_form or RolesForm(initial={"roles": page.account.roles}),
        "reason": reason,
    }
    return render(request, "accounts/account.html", context, status=status)
