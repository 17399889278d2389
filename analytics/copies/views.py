"""One's own copies of releases, and those of everybody for who governs a data set."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from accounts import receipts
from accounts.gate import Request, ask_again_who_it_is, open_to
from accounts.views.files import as_file
from analytics.copies import actions, held
from analytics.copies.forms import CopiesForm
from annotation.queries import governing


@open_to("signed_in")
@require_http_methods(["GET", "HEAD", "POST"])
def own(request: Request) -> HttpResponse:
    """What one fetched, open to those whose access has ended too: they have to destroy it."""
    if not request.access.may_sign:
        messages.info(request, _("One step comes before signing."))
        return redirect("access")
    now = timezone.now()
    copies = held.copies_of(request.user, at=now)
    form = CopiesForm(
        request.POST if request.method == "POST" else None,
        copies=copies,
        signer_name=request.user.full_name,
        initial={"language": get_language()},
    )
    if request.method == "POST" and form.is_valid():
        ask_again_who_it_is(request)
        try:
            actions.state(**form.stated(), by=request.user, at=now)
        except actions.CannotState as reason:
            form.add_error(None, str(reason))
        else:
            messages.success(request, _("Kept, and noted in the trail."))
            return redirect("copies")
    page = {
        "copies": copies,
        "form": form if any(not one.is_over for one in copies) else None,
        "key": receipts.public_key(),
    }
    return render(request, "analytics/copies.html", page, status=422 if form.errors else 200)


@open_to("signed_in")
@require_safe
def statement(request: Request, statement_id: int) -> HttpResponse:
    """What was signed, as a file that anybody can check without this server."""
    found = held.statement_for(request.access, statement_id)
    name = f"concord-copies-{found.pk}.json"
    return as_file(receipts.signed(found.text), name, "application/json")


@require_safe
def of_data_set(request: Request, key: str) -> HttpResponse:
    """Who has copies of a data set, and who still owes the word that they are destroyed."""
    data_set = governing.data_set_for(request.access, key)
    copies = held.copies_of_data_set(data_set, at=timezone.now())
    page = {
        "data_set": data_set,
        "copies": copies,
        "n_owed": sum(one.is_owed for one in copies),
    }
    return render(request, "analytics/data_set_copies.html", page)
