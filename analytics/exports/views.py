"""The way out: a page that says what leaves and has it built, and the archive itself."""

from typing import TypeGuard

from django.contrib import messages
from django.http import HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from accounts.gate import Request, ask_again_who_it_is
from analytics.exports import (
    actions,
    disclosure_page,
    downloads,
    identifying,
    links,
    rulings,
    signing,
)
from analytics.exports import page as exports
from annotation.forms.identifiers import IdentifiersForm
from annotation.queries import jobs
from annotation.queries.entering import study_or_404
from annotation.queries.studies import StudyAccess
from annotation.queries.wording import Barred, said
from annotation.rules.granting import Action


@require_http_methods(["GET", "HEAD", "POST"])
def export(request: Request, key: str) -> HttpResponse:
    """Say what an export holds and how it is coming along; a POST has one built."""
    study_access = study_or_404(request, key)
    now = timezone.now()
    if study_access.may_export:
        ask_again_who_it_is(request)
    if request.method == "POST":
        with_texts = request.POST.get("with_texts") == "on"
        try:
            actions.ask(study_key=key, with_texts=with_texts, by=request.user, at=now)
        except actions.AnotherUnderWay as reason:
            messages.error(request, said(reason.args[0]))
        return redirect("export", key=key)
    actions.look(study_access=study_access, by=request.user, at=now)
    study = study_access.study
    without_texts = study_access.reason_not_to(Action.TAKE_TEXTS)
    waits = rulings.reason_to_wait(study, recipient=request.user.pk)
    page = {
        "study_access": study_access,
        "waits": said(waits) if waits else "",
        "status": jobs.newest_job(study, actions.WHAT, asked_by=request.user.pk, at=now),
        "contents": exports.contents(study),
        "earlier": exports.earlier(study),
        "public_key": signing.public_key(),
        "reason_to_keep_texts": said(without_texts) if without_texts else "",
    }
    return render(request, "analytics/export.html", page)


@require_POST
def export_link(request: Request, key: str, job_id: int) -> HttpResponse:
    """Go to the archive that was built for this account, by a link that works once."""
    if study_or_404(request, key).may_export:
        ask_again_who_it_is(request)
    token, _until = links.make(study_key=key, job_id=job_id, by=request.user, at=timezone.now())
    return redirect("export_file", key=key, token=token)


@require_GET
def export_file(request: Request, key: str, token: str) -> HttpResponseBase:
    """The archive behind a link, or the part of it that is asked for."""
    study_or_404(request, key)
    return downloads.answered(request, key, token)


@require_http_methods(["GET", "HEAD", "POST"])
def disclosure(request: Request, key: str) -> HttpResponse:
    """What a release tells of single people; a POST rules on what the tests found."""
    study_access = study_or_404(request, key)
    if barred := rulings.reason_not_to_rule(study_access):
        raise Barred(barred)
    problem = ""
    if request.method == "POST":
        ask_again_who_it_is(request)
        try:
            _rule(request, study_access)
        except rulings.CannotRule as reason:
            problem = said(reason.args[0])
        else:
            messages.success(request, gettext("What you ruled is kept, and goes into releases."))
            return redirect("export_disclosure", key=key)
    found = rulings.disclosure(study_access.study)
    asked = "on_identifiers" if "identifiers" in request.POST else "on_findings"
    page = {
        "study_access": study_access,
        "found": found,
        "tables": disclosure_page.tables(found),
        "rulings": found.rulings,
        "rulings_on_identifiers": identifying.rulings(study_access.study)[:1],
        "may_look": identifying.reason_not_to_look(study_access) is None,
        asked: {"problem": problem, "reason": request.POST.get("reason", "")},
    }
    return render(request, "analytics/disclosure.html", page, status=422 if problem else 200)


@require_http_methods(["GET", "HEAD", "POST"])
def identifiers(request: Request, key: str) -> HttpResponse:
    """Identifiers in texts, one by one; a POST has a worker look for them, or says what becomes of
    each."""
    study_access = study_or_404(request, key)
    if barred := identifying.reason_not_to_look(study_access):
        raise Barred(barred)
    study, by, now = study_access.study, request.user, timezone.now()
    status = jobs.newest_job(study, identifying.WHAT, asked_by=by.pk, at=now)
    found = (
        identifying.shown(study, status.job.result, by=by, at=now) if _has_looked(status) else {}
    )
    before = identifying.said_before(study, found)
    form, problem = IdentifiersForm(found=found, before=before), ""
    if request.method == "POST":
        ask_again_who_it_is(request)
        form = IdentifiersForm(request.POST, found=found)
        try:
            if "look" in request.POST:
                identifying.ask_to_look(study_access=study_access, by=by, at=now)
                return redirect("export_identifiers", key=key)
            if found and form.is_valid():
                identifying.rule_on_each(
                    study_access=study_access,
                    found=found,
                    said=form.decisions(),
                    reason=request.POST.get("reason", ""),
                    by=by,
                    at=now,
                )
                messages.success(
                    request, gettext("What you ruled is kept, and goes into releases.")
                )
                return redirect("export_disclosure", key=key)
        except rulings.CannotRule as reason:
            problem = said(reason.args[0])
    page = {
        "study_access": study_access,
        "status": status,
        "found": found,
        "form": form,
        "problem": problem,
        "reason": request.POST.get("reason", ""),
    }
    is_wrong = problem or form.errors
    return render(request, "analytics/identifiers.html", page, status=422 if is_wrong else 200)


def _has_looked(status: jobs.JobStatus | None) -> TypeGuard[jobs.JobStatus]:
    """Whether a worker has looked through the texts."""
    return status is not None and status.is_done


def _rule(request: Request, study_access: StudyAccess) -> None:
    """On what the tests found, or on identifiers in texts."""
    reason, by, at = request.POST.get("reason", ""), request.user, timezone.now()
    if said := request.POST.get("identifiers"):
        identifying.rule(
            study_access=study_access, stay=said == "stay", reason=reason, by=by, at=at
        )
        return
    rulings.rule(
        study_access=study_access,
        digest=request.POST.get("digest", ""),
        passes=request.POST.get("passes") == "yes",
        reason=reason,
        by=by,
        at=at,
    )
