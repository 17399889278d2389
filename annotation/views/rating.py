"""The screen on which items are rated, one after the other."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import partial
from uuid import uuid4

from django.contrib import messages
from django.core.exceptions import BadRequest
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import get_language, gettext
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.gate import Request, unnamed
from annotation.actions import assignments, passing_on, submissions, viewing
from annotation.forms import drafts as begun
from annotation.forms import rating as forms
from annotation.queries import caring, drafts, qualified, work
from annotation.queries.entering import study_or_404, study_to
from annotation.queries.items import texts_of
from annotation.queries.studies import StudyAccess
from annotation.queries.wording import said
from annotation.rules.granting import Action
from annotation.views import desk, stencil


@require_http_methods(["GET", "HEAD", "POST"])
def rate(request: Request, key: str) -> HttpResponse:
    """Show the next item; take the answers to one and go on to the one after it."""
    if request.method == "POST":
        return _take(request, key)
    study_access = study_to(request, key, Action.RATE)
    following = _following(request, study_access.study.pk)
    return render(
        request,
        "annotation/rate.html",
        {
            "study_access": study_access,
            **_asking(request, following),
            "key": key,
            "care": caring.care_of(study_access.study),
            "unqualified": "" if following else _unqualified(study_access),
        },
    )


@require_safe
def ahead(request: Request, key: str) -> HttpResponse:
    """The item that comes after those that the page holds, for it to show without waiting."""
    study_access = study_to(request, key, Action.RATE)
    held = work.still_open(request.access, _held(request.GET))
    following = _following(request, study_access.study.pk, held)
    return _fragment(request, key, following)


@require_POST
def defer(request: Request, key: str) -> HttpResponse:
    """Put an item behind the others and show the next one."""
    owed = _owed(request, key)
    assignments.defer(owed=owed, by=request.user, at=timezone.now())
    return _go_on(request, key, owed.study_id)


@unnamed
@require_POST
def pass_on(request: Request, key: str) -> HttpResponse:
    """Give an item to somebody else, without a reason, and show the next one."""
    owed = _owed(request, key)
    if not passing_on.pass_on(owed=owed, at=timezone.now()):
        messages.info(
            request,
            gettext("Nobody else of the team can rate it yet: it waits behind all others."),
        )
    return _go_on(request, key, owed.study_id)


def _take(request: Request, key: str) -> HttpResponse:
    owed = _owed(request, key)
    try:
        sent = forms.read(owed.rubric, request.POST.dict(), partial(texts_of, owed.item_id))
    except forms.NotAForm:
        raise BadRequest from None
    if sent.answers is None:
        return _ask_again(request, key, sent)
    following = None
    if _is_by_script(request):
        following = _next(request, owed.study_id, [owed.assignment_id, *_held(request.POST)])
    try:
        receipt = submissions.submit(
            owed=owed,
            answers=sent.answers,
            by=request.user,
            at=timezone.now(),
            shows=following.owed.assignment_id if following else None,
        )
    except submissions.NotTaken as refusal:
        return _refuse(request, key, said(refusal.args[0]))
    return _go_on(
        request,
        key,
        owed.study_id,
        saved_at=receipt.submitted_at,
        dropped=sent.dropped,
        shown=following.once_taken(owed) if following and receipt.shows else None,
    )


def _owed(request: Request, key: str) -> work.Owed:
    """What somebody is to rate; who may not rate here any more reads why."""
    try:
        assignment_id = forms.number_in(request.POST, "assignment")
        return work.owed(request.access, assignment_id)
    except forms.NotAForm:
        raise BadRequest from None
    except work.NotYourWork:
        study_to(request, key, Action.RATE)
        raise Http404 from None


def _go_on(
    request: Request,
    key: str,
    study_id: int,
    *,
    saved_at: datetime | None = None,
    dropped: Sequence[str] = (),
    shown: work.Work | None = None,
) -> HttpResponse:
    if not _is_by_script(request):
        _say_saved(request, _saved(saved_at), dropped)
        return redirect("rate", key=key)
    held = _held(request.POST)
    following = shown or _following(request, study_id, held)
    if following is None and held:
        return desk.taken(HttpResponse(status=204), at=saved_at)
    return desk.taken(
        _fragment(request, key, following, saved=_saved(saved_at), dropped=dropped), at=saved_at
    )


def _fragment(
    request: Request,
    key: str,
    following: work.Work | None,
    *,
    saved: Mapping[str, str] | None = None,
    dropped: Sequence[str] = (),
) -> HttpResponse:
    context = _asking(request, following) | {"key": key, "saved": saved, "dropped": dropped}
    if following is None:
        study_access = study_or_404(request, key)
        context["care"] = caring.care_of(study_access.study)
        context["unqualified"] = _unqualified(study_access)
    if following is None or following.has_draft or dropped:
        return render(request, "annotation/_work.html", context)
    return HttpResponse(stencil.filled(context))


def _unqualified(study_access: StudyAccess) -> str:
    """Why somebody is left with nothing to rate, where it is that they have to qualify."""
    reason = qualified.reason_not_to_rate(study_access)
    return said(reason) if reason else ""


def _held(data: Mapping[str, str]) -> list[int]:
    try:
        return begun.held(data)
    except forms.NotAForm:
        raise BadRequest from None


def _following(request: Request, study_id: int, held: Sequence[int] = ()) -> work.Work | None:
    """The item that is shown now, or as soon as those that the page holds are rated."""
    following = _next(request, study_id, held)
    if following is not None:
        viewing.assignment_shown(
            assignment_id=following.owed.assignment_id, by=request.user, at=timezone.now()
        )
    return following


def _next(request: Request, study_id: int, held: Sequence[int]) -> work.Work | None:
    today = caring.start_of_day(timezone.now())
    return work.next_work(request.access, study_id, held, today=today)


def _is_by_script(request: Request) -> bool:
    return "HX-Request" in request.headers


def _saved(at: datetime | None) -> dict[str, str] | None:
    if at is None:
        return None
    return {"moment": at.isoformat(), "clock": timezone.localtime(at).strftime("%H:%M:%S")}


def _say_saved(request: Request, saved: Mapping[str, str] | None, dropped: Sequence[str]) -> None:
    if saved is None:
        return
    messages.success(request, gettext("Saved %(time)s.") % {"time": saved["clock"]})
    for question in dropped:
        messages.info(
            request,
            gettext("Left out, because an earlier answer had decided: “%(question)s”")
            % {"question": question},
        )


def _ask_again(request: Request, key: str, sent: forms.Sent) -> HttpResponse:
    """Show the same item with what was answered and what is missing."""
    again = work.work_on(request.access, forms.number_in(request.POST, "assignment"))
    viewing.assignment_shown(
        assignment_id=again.owed.assignment_id, by=request.user, at=timezone.now()
    )
    criteria = forms.asked(again.owed.rubric, sent.values, sent.problems)
    return _answer(
        request,
        key,
        {
            "work": again,
            "dialogue": stencil.dialogue(
                again.item, is_read=any((*sent.values.values(), sent.comment))
            ),
            "questions": forms.html_of(criteria),
            "submission_key": sent.key,
            "open_criteria": [criterion for criterion in criteria if criterion.problem],
            "comment": sent.comment,
            "about_comment": said(sent.about_comment) if sent.about_comment else "",
            "seconds": request.POST.get("seconds", ""),
            "key": key,
        },
        status=422,
    )


def _refuse(request: Request, key: str, reason: str) -> HttpResponse:
    return _answer(request, key, {"reason": reason, "key": key}, status=409)


def _answer(request: Request, key: str, context: dict[str, object], *, status: int) -> HttpResponse:
    if _is_by_script(request):
        return render(request, "annotation/_work.html", context, status=status)
    context["study_access"] = study_or_404(request, key)
    return render(request, "annotation/rate.html", context, status=status)


def _asking(request: Request, following: work.Work | None) -> dict[str, object]:
    """What an item is shown with: nothing answered, or what was filled in before."""
    if following is None:
        return {"work": None}
    context = {
        "work": following,
        "dialogue": stencil.dialogue(following.item),
        "submission_key": uuid4(),
    }
    draft = None
    if following.has_draft:
        draft = drafts.of_assignment(request.access, following.owed.assignment_id, "rating")
    if draft is None:
        version = following.owed.rubric_version_id
        return context | {"questions": forms.blank_html(version, get_language())}
    return context | {
        "questions": forms.html_of(forms.asked(following.owed.rubric, draft.values)),
        "comment": draft.words,
        "draft_version": draft.version,
    }
