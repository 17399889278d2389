"""What a rater has submitted, open to correction until its round closes or it is decided."""

from uuid import uuid4

from django.contrib import messages
from django.core.exceptions import BadRequest, PermissionDenied
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods, require_safe

from accounts.gate import Request
from annotation.actions import submissions
from annotation.forms import rating as forms
from annotation.queries import done as queries
from annotation.queries.items import ItemShown
from annotation.queries.studies import StudyAccess
from annotation.queries.wording import said
from annotation.queries.work import NotYourWork
from annotation.views.finding import study_or_404


@require_safe
def my_work(request: Request, key: str) -> HttpResponse:
    study_access = study_or_404(request, key)
    if not study_access.may_rate:
        raise PermissionDenied
    found = queries.done_by(
        request.access, study_access.study.pk, page=request.GET.get("page", "1")
    )
    return render(
        request,
        "annotation/my_work.html",
        {"study_access": study_access, "done": found.done, "page": found.page},
    )


@require_http_methods(["GET", "HEAD", "POST"])
def my_item(request: Request, key: str, assignment_id: int) -> HttpResponse:
    """Show one's own answers to an item; take corrected ones."""
    study_access = study_or_404(request, key)
    try:
        done, item = queries.done_for(request.access, assignment_id)
    except NotYourWork:
        raise Http404 from None
    if done.owed.study_id != study_access.study.pk:
        raise Http404
    if request.method == "POST":
        return _correct(request, study_access, done, item)
    return _show(request, study_access, done, item)


def _correct(
    request: Request, study_access: StudyAccess, done: queries.Done, item: ItemShown
) -> HttpResponse:
    try:
        sent = forms.read(done.owed.rubric, request.POST)
        supersedes = forms.number_in(request.POST, "supersedes")
    except forms.NotAForm:
        raise BadRequest from None
    if sent.answers is None:
        return _show(request, study_access, done, item, sent=sent)
    try:
        submissions.correct(
            owed=done.owed,
            supersedes=supersedes,
            answers=sent.answers,
            by=request.user,
            at=timezone.now(),
        )
    except submissions.NotTaken as refusal:
        return _show(request, study_access, done, item, refusal=said(refusal.args[0]))
    messages.success(request, gettext("Your answers are changed."))
    for question in sent.dropped:
        messages.info(
            request,
            gettext("Left out, because an earlier answer had decided: “%(question)s”")
            % {"question": question},
        )
    return redirect("my_work", key=study_access.study.key)


def _show(
    request: Request,
    study_access: StudyAccess,
    done: queries.Done,
    item: ItemShown,
    *,
    sent: forms.Sent | None = None,
    refusal: str = "",
) -> HttpResponse:
    rubric = done.owed.rubric
    values = sent.values if sent else forms.values_of(rubric, done.answers, done.cannot_judge)
    criteria = forms.asked(rubric, values, sent.problems if sent else ())
    open_criteria = [criterion for criterion in criteria if criterion.problem]
    about_comment = said(sent.about_comment) if sent and sent.about_comment else ""
    return render(
        request,
        "annotation/my_item.html",
        {
            "study_access": study_access,
            "done": done,
            "item": item,
            "refusal": refusal,
            "fixed_because": said(done.fixed_because) if done.fixed_because else "",
            "questions": forms.html_of(criteria),
            "open_criteria": open_criteria,
            "comment": request.POST.get("comment", done.comment),
            "about_comment": about_comment,
            "submission_key": sent.key if sent else uuid4(),
            "lines": queries.lines_of(done),
        },
        status=409 if refusal else 422 if open_criteria or about_comment else 200,
    )
