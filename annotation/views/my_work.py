"""What a rater has submitted, open to correction while its round is rated."""

from uuid import uuid4

from django.contrib import messages
from django.core.exceptions import BadRequest
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods, require_POST

from accounts.gate import Request
from annotation.actions import disputes, submissions, viewing
from annotation.forms import rating as forms
from annotation.queries import done as queries
from annotation.queries import drafts
from annotation.queries.entering import study_or_404, study_to
from annotation.queries.grounds import grounds_of, grounds_shown
from annotation.queries.items import ItemShown
from annotation.queries.studies import StudyAccess
from annotation.queries.wording import Barred, said
from annotation.queries.work import NotYourWork
from annotation.rules.correcting import reason_not_to_correct
from annotation.rules.granting import Action
from annotation.rules.lifecycle import RoundState
from annotation.views import desk
from annotation.views.saying import saying


@require_http_methods(["GET", "HEAD", "POST"])
def my_work(request: Request, key: str) -> HttpResponse:
    """List one's work. What is looked for is posted: words in an address would end in logs."""
    study_access = study_to(request, key, Action.RATE)
    wanted = queries.DoneWanted(
        words=request.POST.get("words", "").replace("\x00", "").strip(),
        state=request.POST.get("state", ""),
    )
    found = queries.done_by(
        request.access, study_access.study.pk, page=request.GET.get("page", "1"), wanted=wanted
    )
    viewing.work_listed(
        study_id=study_access.study.pk,
        assignments=[done.owed.assignment_id for done, _lines in found.done],
        by=request.user,
        at=timezone.now(),
    )
    return render(
        request,
        "annotation/my_work.html",
        {
            "study_access": study_access,
            "done": found.done,
            "page": found.page,
            "wanted": wanted,
            "is_search": request.method == "POST",
        },
    )


class RoundWasCancelled(Http404):
    """Answers of the account are there no more, since their round was cancelled."""

    @property
    def said(self) -> str:
        return said(reason_not_to_correct(RoundState.CANCELLED) or "")


@require_http_methods(["GET", "HEAD", "POST"])
def my_item(request: Request, key: str, assignment_id: int) -> HttpResponse:
    """Show one's own answers to an item; take corrected ones."""
    study_access = study_or_404(request, key)
    done, item = _done(request, study_access, assignment_id)
    if request.method == "POST":
        return _correct(request, study_access, done, item)
    return _show(request, study_access, done, item)


@require_POST
def dispute(request: Request, key: str, assignment_id: int) -> HttpResponse:
    """Object to the decision on an item that one has rated."""
    done, _item = _done(request, study_or_404(request, key), assignment_id)
    with saying(
        request,
        disputes.CannotDispute,
        done=gettext("An adjudicator reads it and answers you here."),
    ):
        disputes.dispute(
            owed=done.owed,
            text=request.POST.get("text", ""),
            by=request.user,
            at=timezone.now(),
        )
    return redirect("my_work_item", key=key, assignment_id=assignment_id)


def _done(
    request: Request, study_access: StudyAccess, assignment_id: int
) -> tuple[queries.Done, ItemShown]:
    try:
        found = queries.done_for(request.access, assignment_id)
    except NotYourWork:
        if reason := study_access.reason_not_to(Action.RATE):
            raise Barred(reason) from None
        if queries.was_cancelled(request.access, assignment_id):
            raise RoundWasCancelled from None
        raise Http404 from None
    if found[0].owed.study_id != study_access.study.pk:
        raise Http404
    return found


def _correct(
    request: Request, study_access: StudyAccess, done: queries.Done, item: ItemShown
) -> HttpResponse:
    try:
        sent = forms.read(done.owed.rubric, request.POST, lambda: item.texts)
        supersedes = forms.number_in(request.POST, "supersedes")
    except forms.NotAForm:
        raise BadRequest from None
    if sent.answers is None:
        return _show(request, study_access, done, item, sent=sent)
    try:
        receipt = submissions.correct(
            owed=done.owed,
            supersedes=supersedes,
            answers=sent.answers,
            by=request.user,
            at=timezone.now(),
        )
    except submissions.NotTaken as refusal:
        return _show(request, study_access, done, item, refusal=said(refusal.args[0]))
    if request.headers.get("HX-Request"):
        there = reverse("my_work", kwargs={"key": study_access.study.key})
        return desk.taken(HttpResponse(status=204), at=receipt.submitted_at, go_on_at=there)
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
    viewing.assignment_shown(
        assignment_id=done.owed.assignment_id, by=request.user, at=timezone.now()
    )
    rubric = done.owed.rubric
    draft = drafts.of_assignment(request.access, done.owed.assignment_id, "correction")
    beside = grounds_of([done.submission_id]).get(done.submission_id, [])
    values = forms.values_of(rubric, done.answers, done.cannot_judge, beside)
    if sent or draft:
        values = dict(sent.values if sent else draft.values if draft else values)
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
            "is_read": bool(sent or refusal),
            "refusal": refusal,
            "fixed_because": said(done.fixed_because) if done.fixed_because else "",
            "questions": forms.html_of(criteria),
            "open_criteria": open_criteria,
            "comment": request.POST.get("comment", draft.words if draft else done.comment),
            "draft": draft,
            "about_comment": about_comment,
            "submission_key": sent.key if sent else uuid4(),
            "lines": queries.lines_of(done),
            "grounds": grounds_shown(rubric, {done.submission_id: ""}, item.texts),
        },
        status=409 if refusal else 422 if open_criteria or about_comment else 200,
    )
