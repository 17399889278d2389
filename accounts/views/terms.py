"""The confidentiality agreement: reading, signing, and the receipt."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from accounts import receipts
from accounts.access import current_terms
from accounts.actions import terms as actions
from accounts.forms import SignForm
from accounts.gate import Request, ask_again_who_it_is, open_to
from accounts.languages import tag_of
from accounts.queries import terms
from accounts.views.files import as_file


@open_to("signed_in")
@require_http_methods(["GET", "HEAD", "POST"])
def sign(request: Request) -> HttpResponse:
    if not request.access.may_sign:
        messages.info(request, _("One step comes before signing."))
        return redirect("access")
    if request.method == "POST":
        return _sign(request)
    in_force = current_terms()
    language = in_force.spoken_for(_wanted(request)) if in_force else get_language()
    form = SignForm(
        signer=request.user,
        initial={
            "number": in_force.number if in_force else None,
            "language": language,
            "affiliation": request.user.affiliation,
        },
    )
    if in_force:
        actions.show(
            terms_number=in_force.number,
            language=language,
            by=request.user,
            at=timezone.now(),
        )
    return _sign_page(request, form)


def _sign(request: Request) -> HttpResponse:
    form = SignForm(request.POST, signer=request.user)
    if not form.is_valid():
        return _sign_page(request, form, status=422)
    ask_again_who_it_is(request)
    try:
        acceptance = actions.sign(
            number=form.cleaned_data["number"],
            language=form.cleaned_data["language"],
            typed_name=form.cleaned_data["typed_name"],
            affiliation=form.cleaned_data["affiliation"],
            by=request.user,
            at=timezone.now(),
        )
    except actions.CannotSign as reason:
        form.add_error(None, str(reason))
        return _sign_page(request, form, status=409)
    messages.success(request, _("Signed. This is your receipt."))
    return redirect("receipt", acceptance_id=acceptance.pk)


def _sign_page(request: Request, form: SignForm, status: int = 200) -> HttpResponse:
    """The text in force, in the language that its signature will name."""
    language = form["language"].value() or get_language()
    in_force = current_terms()
    page = {
        "form": form,
        "agreement": terms.agreement(in_force, language),
        "is_other": in_force is not None and _wanted(request) not in in_force.languages,
    }
    return render(request, "accounts/sign.html", page, status=status)


def _wanted(request: Request) -> str:
    """The language that a text is asked for in: that of the address, or that of the page."""
    return tag_of(request.GET.get("in", "")) or get_language()


@open_to("signed_in")
@require_safe
def edition(request: Request, number: int) -> HttpResponse:
    found = terms.terms_numbered(number)
    wanted = _wanted(request)
    page = {
        "agreement": terms.agreement(found, wanted),
        "is_other": wanted not in found.languages,
        "editions": terms.all_terms(),
    }
    return render(request, "accounts/terms.html", page)


@open_to("signed_in")
@require_safe
def receipt(request: Request, acceptance_id: int) -> HttpResponse:
    acceptance = terms.receipt_for(request.access, acceptance_id)
    page = {
        "acceptance": acceptance,
        "key": receipts.public_key(),
        "agreement": terms.agreement(acceptance.terms, acceptance.language),
    }
    return render(request, "accounts/receipt.html", page)


@open_to("signed_in")
@require_safe
def signed_receipt(request: Request, acceptance_id: int) -> HttpResponse:
    """The receipt as a file that anybody can check without this server."""
    acceptance = terms.receipt_for(request.access, acceptance_id)
    content = receipts.signed(acceptance.text())
    return as_file(content, f"concord-{acceptance.pk}.json", "application/json")


@open_to("signed_in")
@require_safe
def receipt_verifier(request: Request) -> HttpResponse:
    """The script that checks one: it needs Python and nothing else."""
    verifier = receipts.VERIFIER
    return as_file(verifier.read_bytes(), verifier.name, "text/x-python; charset=utf-8")


@open_to("signed_in")
@require_safe
def receipt_text(request: Request, acceptance_id: int) -> HttpResponse:
    """The signed text itself: its SHA-256 is the one on the receipt."""
    acceptance = terms.receipt_for(request.access, acceptance_id)
    return as_file(acceptance.text(), f"concord-{acceptance.pk}.txt", "text/plain; charset=utf-8")
