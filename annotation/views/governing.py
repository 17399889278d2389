"""Data sets and grants: for stewards who decide, and for people who ask why they see nothing."""

import csv
from collections.abc import Callable
from typing import TYPE_CHECKING

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.gate import Request, ask_again_who_it_is
from annotation.actions import data_sets, glass, grants
from annotation.forms.governing import (
    DataSetForm,
    GrantForm,
    LevelsForm,
    SeenFilterForm,
    WhyForm,
    rules_of,
)
from annotation.queries import governing, studies
from annotation.queries.wording import Barred, said
from annotation.rules.granting import Action, DataLevel, GrantStage

if TYPE_CHECKING:
    from annotation.models import DataSet

# Of one's own grants and requests, the newest on a page.
SHOWN = 50

# What somebody on a team may want to do: the role it needs, and its name.
ASKED_ABOUT = {
    Action.RATE: ("annotator", gettext_lazy("Rate what is assigned to you")),
    Action.ADJUDICATE: ("adjudicator", gettext_lazy("Decide what raters disagree on")),
    Action.COORDINATE: ("coordinator", gettext_lazy("Put the team together, open rounds")),
    Action.RUN_JUDGES: ("coordinator", gettext_lazy("Run judges")),
    Action.SEE_FIGURES: ("researcher coordinator", gettext_lazy("See figures")),
    Action.SEE_RATERS: ("researcher coordinator", gettext_lazy("See single raters")),
    Action.READ_ITEM: ("researcher coordinator", gettext_lazy("Read items")),
    Action.EXPORT: ("exporter", gettext_lazy("Export")),
    Action.TAKE_TEXTS: ("exporter", gettext_lazy("Export with texts")),
}


@require_safe
def all_data_sets(request: Request) -> HttpResponse:
    if not governing.may_look(request.access):
        raise PermissionDenied(_("This page is for data stewards, administrators and auditors."))
    page = {"data_sets": governing.data_sets(request.access)}
    return render(request, "annotation/data_sets.html", page)


@require_safe
def data_set(request: Request, key: str) -> HttpResponse:
    """What waits, and who could see what on the chosen day."""
    return _show(request, key)


@require_safe
def who_sees_what(request: Request, key: str) -> HttpResponse:
    """The same lines as a file."""
    found = _found(request, key)
    form = SeenFilterForm(request.GET)
    lines = _lines(found, form)
    response = HttpResponse(content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{found.key}-grants.csv"'
    table = csv.writer(response)
    table.writerow(["person", "email", "level", "roles", "since", "until", "decided_by", "purpose"])
    for line in lines:
        grant = line.grant
        cells = [
            *(grant.person.full_name, grant.person.email, grant.level, " ".join(line.roles)),
            *(f"{grant.since:%Y-%m-%dT%H:%M:%SZ}", f"{grant.until:%Y-%m-%dT%H:%M:%SZ}"),
            *("; ".join(line.decided_by), grant.purpose),
        ]
        table.writerow([_cell(value) for value in cells])
    return response


@require_POST
def decide(request: Request, key: str, person_id: int) -> HttpResponse:
    """Approve, return or refuse in one step whatever waits for a person."""
    found = _stewards(request, key)
    now = timezone.now()
    waiting = next(
        (
            one
            for one in governing.waiting_in(found, by=request.user, at=now)
            if one.person.pk == person_id
        ),
        None,
    )
    if waiting is None:
        raise Http404
    if request.POST.get("decision") == "approve":
        ask_again_who_it_is(request)
        form = GrantForm(request.POST, latest=governing.latest_end(found, at=now))
        if not form.is_valid():
            return _show(request, key, refusal=_("Choose a day."), status=422)
        return _answer(
            request,
            key,
            lambda: grants.approve_all(
                data_set_id=found.pk,
                person_id=person_id,
                until=form.end_of_term(),
                by=request.user,
                at=now,
            ),
        )
    to = GrantStage.RETURNED if request.POST.get("decision") == "return" else GrantStage.REFUSED
    return _answer(
        request,
        key,
        lambda: grants.turn_back(
            grant_ids=[grant.pk for grant in waiting.grants],
            to=to,
            reason=request.POST.get("reason", ""),
            by=request.user,
            at=now,
        ),
    )


@require_POST
def revoke(request: Request, key: str, grant_id: int) -> HttpResponse:
    found = _stewards(request, key)
    if not found.grants.filter(pk=grant_id).exists():
        raise Http404
    return _answer(
        request,
        key,
        lambda: grants.revoke(
            grant_id=grant_id,
            reason=request.POST.get("reason", ""),
            by=request.user,
            at=timezone.now(),
        ),
    )


@require_POST
def govern(request: Request, key: str) -> HttpResponse:
    """Set the steward and the rules of a data set."""
    found = _stewards(request, key)
    ask_again_who_it_is(request)
    form = DataSetForm(request.POST)
    if not form.is_valid():
        return _show(request, key, rules=form, status=422)
    data_sets.govern(data_set_id=found.pk, **form.cleaned_data, by=request.user, at=timezone.now())
    messages.success(request, _("Saved."))
    return redirect("data_set", key=key)


@require_POST
def break_glass(request: Request, key: str) -> HttpResponse:
    found = _found(request, key)
    ask_again_who_it_is(request)
    return _answer(
        request,
        key,
        lambda: glass.ask(
            data_set_id=found.pk,
            reason=request.POST.get("reason", ""),
            by=request.user,
            at=timezone.now(),
        ),
    )


@require_POST
def witness(request: Request, key: str, glass_id: int) -> HttpResponse:
    found = _found(request, key)
    if not found.broken_glasses.filter(pk=glass_id).exists():
        raise Http404
    ask_again_who_it_is(request)
    return _answer(
        request,
        key,
        lambda: glass.witness(glass_id=glass_id, by=request.user, at=timezone.now()),
    )


@require_safe
def texts(request: Request, key: str) -> HttpResponse:
    """The texts of a data set, for who has broken the glass."""
    found = _found(request, key)
    now = timezone.now()
    if not governing.has_broken_glass(found, request.access, at=now):
        raise PermissionDenied(_("You have not broken the glass, or its hour is over."))
    number = request.GET.get("page", "1")
    page = int(number) if number.isdecimal() else 1
    shown = governing.texts_through_glass(found, request.access, page=page)
    glass.read(data_set=found, items=[item.pk for item, _shown in shown], by=request.user, at=now)
    return render(
        request,
        "annotation/glass_texts.html",
        {
            "data_set": found,
            "shown": shown,
            "next": page + 1 if len(shown) == governing.ITEMS_A_PAGE else None,
        },
    )


@require_http_methods(["GET", "HEAD", "POST"])
def why(request: Request, key: str) -> HttpResponse:
    """Say what stands between somebody on a team and the data; take a request for more."""
    study_access = studies.membership_for(request.access, key)
    offered = governing.levels_to_ask(
        study_access.study.data_set_id, request.user.pk, at=timezone.now()
    )
    form = LevelsForm(request.POST or None, offered=offered)
    if request.method == "POST" and form.is_valid():
        grants.propose(
            data_set_id=study_access.study.data_set_id,
            person=request.user,
            levels=[DataLevel(level) for level in form.cleaned_data["levels"]],
            purpose=form.cleaned_data["purpose"],
            by=request.user,
            at=timezone.now(),
        )
        messages.success(request, _("Asked. The data steward decides."))
        return redirect("why", key=key)
    return render(
        request,
        "annotation/why.html",
        {
            "study_access": study_access,
            "answers": [
                (name, reason and said(reason))
                for action, (roles, name) in ASKED_ABOUT.items()
                if study_access.roles & set(roles.split())
                for reason in [study_access.reason_not_to(action)]
            ],
            "own": governing.own_grants(study_access.study.data_set_id, request.user.pk)[:SHOWN],
            "form": form if offered else None,
        },
        status=422 if form.errors else 200,
    )


@require_POST
def escalate(request: Request, key: str, grant_id: int) -> HttpResponse:
    """Have any data steward decide a request of one's own."""
    study_access = studies.membership_for(request.access, key)
    own = governing.own_grants(study_access.study.data_set_id, request.user.pk)
    if grant_id not in {line.grant.pk for line in own}:
        raise Http404
    try:
        grants.escalate(grant_id=grant_id, by=request.user, at=timezone.now())
    except grants.CannotGrant as refusal:
        raise Barred(refusal.args[0]) from None
    messages.success(request, _("Any data steward may decide it now."))
    return redirect("why", key=key)


def _found(request: Request, key: str) -> "DataSet":
    return governing.data_set_for(request.access, key)


def _stewards(request: Request, key: str) -> "DataSet":
    found = _found(request, key)
    if not request.access.may_decide_requests:
        raise PermissionDenied(_("This page is for data stewards."))
    return found


def _answer(request: Request, key: str, act: Callable[[], object]) -> HttpResponse:
    try:
        act()
    except (grants.CannotGrant, glass.CannotBreak) as refusal:
        return _show(request, key, refusal=said(refusal.args[0]), status=409)
    messages.success(request, _("Done, and noted in the trail."))
    return redirect("data_set", key=key)


def _lines(found: "DataSet", form: SeenFilterForm) -> list[governing.SeenBy]:
    if not form.is_valid():
        return []
    return governing.who_sees_what(
        found,
        at=form.moment(timezone.now()),
        person=form.cleaned_data["person"],
        level=form.cleaned_data["level"],
    )


def _show(
    request: Request,
    key: str,
    *,
    rules: DataSetForm | None = None,
    refusal: str = "",
    status: int = 200,
) -> HttpResponse:
    found = _found(request, key)
    now = timezone.now()
    filters = SeenFilterForm(request.GET)
    lines = _lines(found, filters)
    at = filters.moment(now) if filters.is_valid() else now
    return render(
        request,
        "annotation/data_set.html",
        {
            "data_set": found,
            "waiting": governing.waiting_in(found, by=request.user, at=now),
            "grant_form": GrantForm(latest=governing.latest_end(found, at=now)),
            "why_form": WhyForm(),
            "filters": filters,
            "lines": lines,
            "moment": date_format(timezone.localtime(at), "DATETIME_FORMAT"),
            "is_now": at == now,
            "query": request.GET.urlencode(),
            "rules": rules or DataSetForm(initial=rules_of(found)),
            "glasses": governing.glasses(found),
            "has_broken_glass": governing.has_broken_glass(found, request.access, at=now),
            "now": now,
            "refusal": refusal,
        },
        status=status,
    )


def _cell(text: str) -> str:
    """A spreadsheet runs none of it."""
    return f"'{text}" if text.lstrip(" '").startswith(tuple("=+-@|\t\r\n＝＋－＠")) else text
