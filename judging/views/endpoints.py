"""Where LLMs are asked: for administrators, who answer for where dialogues go."""

from typing import TYPE_CHECKING

from django.core.exceptions import PermissionDenied
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.gate import Request
from annotation.queries.wording import said
from judging.actions import endpoints as actions
from judging.forms.endpoints import EndpointForm, PriceForm
from judging.queries import batches, endpoints, wording

if TYPE_CHECKING:
    from judging.models import LLMEndpoint


@require_safe
def every(request: Request) -> HttpResponse:
    _for_administrators(request)
    return render(request, "judging/endpoints.html", {"endpoints": endpoints.every()})


@require_safe
def one(request: Request, number: int) -> HttpResponse:
    _for_administrators(request)
    return _show(request, endpoints.numbered(number), PriceForm())


@require_http_methods(["GET", "HEAD", "POST"])
def add(request: Request) -> HttpResponse:
    """Add an endpoint, or the next version of the one named by `from`."""
    _for_administrators(request)
    if request.method != "POST":
        return _ask(request, EndpointForm(initial=_begun(request)))
    form = EndpointForm(request.POST)
    if form.is_valid():
        try:
            made = actions.add(described=form.described(), by=request.user, at=timezone.now())
        except actions.CannotAdd as refusal:
            form.add_error(None, [said(problem) for problem in refusal.args])
        else:
            return redirect("endpoint", number=made.pk)
    return _ask(request, form)


@require_POST
def price(request: Request, number: int) -> HttpResponse:
    _for_administrators(request)
    endpoint, form = endpoints.numbered(number), PriceForm(request.POST)
    if not form.is_valid():
        return _show(request, endpoint, form)
    actions.set_price(endpoint=endpoint, by=request.user, at=timezone.now(), **form.cleaned_data)
    return redirect("endpoint", number=number)


@require_POST
def retire(request: Request, number: int) -> HttpResponse:
    _for_administrators(request)
    actions.retire(endpoint_id=endpoints.numbered(number).pk, by=request.user, at=timezone.now())
    return redirect("endpoint", number=number)


def _show(request: Request, endpoint: "LLMEndpoint", form: PriceForm) -> HttpResponse:
    problem = endpoints.reason_not_to_send(endpoint.base_url, endpoint)
    return render(
        request,
        "judging/endpoint.html",
        {
            "endpoint": endpoint,
            "form": form,
            "problem": said(problem) if problem else "",
            "trials": [
                (probe, wording.probe_in_words(probe)) for probe in endpoints.trials_at(endpoint)
            ],
            "batches": wording.batches_in_words(batches.known_of(endpoint.key)),
        },
        status=422 if form.errors else 200,
    )


def _ask(request: Request, form: EndpointForm) -> HttpResponse:
    return render(
        request, "judging/endpoint_add.html", {"form": form}, status=422 if form.errors else 200
    )


def _begun(request: Request) -> dict[str, object]:
    known = request.GET.get("from", "")
    return EndpointForm.filled_from(endpoints.numbered(int(known))) if known.isdecimal() else {}


def _for_administrators(request: Request) -> None:
    if not request.access.may_see_server:
        raise PermissionDenied
