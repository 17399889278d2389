"""The queue of disagreements, and the screen on which one is decided."""

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods, require_safe

from accounts.gate import Request
from annotation.actions import adjudications
from annotation.forms.adjudicating import GoldDecision
from annotation.queries import adjudicating
from annotation.queries.studies import StudyAccess
from annotation.queries.wording import said
from annotation.views.finding import study_or_404


@require_safe
def queue(request: Request, key: str) -> HttpResponse:
    study_access = _adjudicated(request, key)
    return render(
        request,
        "annotation/adjudicate.html",
        {"study_access": study_access, "queue": adjudicating.queue(study_access)},
    )


@require_http_methods(["GET", "HEAD", "POST"])
def case(request: Request, key: str, round_item_id: int) -> HttpResponse:
    """Show the blinded answers side by side; take the decision and go on to the next case."""
    study_access = _adjudicated(request, key)
    decision = GoldDecision(request.POST)
    if request.method == "POST":
        try:
            adjudications.decide(
                study_id=study_access.study.pk,
                round_item_id=round_item_id,
                values=decision.values,
                reason=decision.reason,
                by=request.user,
                at=timezone.now(),
            )
        except adjudications.CannotAdjudicate as refusal:
            messages.error(request, said(refusal.args[0]))
            return redirect("adjudicate", key=key)
        except adjudications.Undecided as lacking:
            return _show(request, study_access, round_item_id, decision, lacking)
        messages.success(request, gettext("Decided."))
        following = adjudicating.next_case(study_access)
        if following is not None:
            return redirect("adjudicate_case", key=key, round_item_id=following)
        return redirect("adjudicate", key=key)
    return _show(request, study_access, round_item_id, decision)


def _show(
    request: Request,
    study_access: StudyAccess,
    round_item_id: int,
    decision: GoldDecision,
    lacking: adjudications.Undecided | None = None,
) -> HttpResponse:
    found = _case(study_access, round_item_id)
    problems = [said(problem.sentence) for problem in lacking.problems] if lacking else []
    if lacking and lacking.about_reason:
        problems.append(said(lacking.about_reason))
    return render(
        request,
        "annotation/case.html",
        {
            "study_access": study_access,
            "case": found,
            "item": found.item,
            "conflicts": [
                (conflict, decision.taken.get(conflict.key), decision.own.get(conflict.key))
                for conflict in found.conflicts
            ],
            "reason": decision.reason,
            "problems": problems,
        },
        status=422 if lacking else 200,
    )


def _adjudicated(request: Request, key: str) -> StudyAccess:
    study_access = study_or_404(request, key)
    if not study_access.may_adjudicate:
        raise PermissionDenied
    return study_access


def _case(study_access: StudyAccess, round_item_id: int) -> adjudicating.Case:
    try:
        return adjudicating.case(study_access, round_item_id)
    except adjudicating.NoSuchCase:
        raise Http404 from None
