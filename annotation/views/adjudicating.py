"""The queue of disagreements, and the screen on which one is decided."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.gate import Request
from annotation.actions import adjudications, disputes, viewing
from annotation.forms.adjudicating import GoldDecision, QueueFilter
from annotation.forms.rating import CriterionAsked, walk_to_decide
from annotation.queries import adjudicating, cases, drafts
from annotation.queries.entering import study_to
from annotation.queries.studies import StudyAccess
from annotation.queries.wording import said
from annotation.rules.deciding import AMBIGUOUS, CODES
from annotation.rules.granting import Action
from annotation.views import desk
from annotation.views.saying import saying


@require_safe
def queue(request: Request, key: str) -> HttpResponse:
    """What waits, or what is decided, by what is looked for."""
    study_access = _adjudicated(request, key)
    looked_for = QueueFilter(study_access.study.rubric_version.content, request.GET)
    found = cases.queue(study_access, looked_for.wanted, page=request.GET.get("page", "1"))
    viewing.items_listed(
        study_id=study_access.study.pk,
        items=[one.item_id for one in found.waiting],
        by=request.user,
        at=timezone.now(),
    )
    context = {
        "study_access": study_access,
        "queue": found,
        "page": found.page,
        "filter": looked_for,
        "asked": _asked(request),
    }
    return render(request, "annotation/adjudicate.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
def case(request: Request, key: str, round_item_id: int) -> HttpResponse:
    """Show an item and what its raters answered; take the decision, or a decision anew."""
    study_access = _adjudicated(request, key)
    decision = _decision(study_access, round_item_id, request.POST)
    if request.method != "POST":
        return _show(request, study_access, round_item_id, decision)
    act = adjudications.revise if decision.is_revision else adjudications.decide
    now = timezone.now()
    try:
        decided = act(
            study_id=study_access.study.pk,
            round_item_id=round_item_id,
            ruling=adjudications.CaseRuling(
                values=decision.values, reason=decision.reason, code=decision.code
            ),
            by=request.user,
            at=now,
        )
    except adjudications.CannotAdjudicate as refusal:
        return _refuse(request, key, said(refusal.args[0]))
    except adjudications.Undecided as lacking:
        return _show(request, study_access, round_item_id, decision, lacking)
    stays_here = decided.stands and (decision.is_revision or decision.is_unseen)
    stays_at = round_item_id if stays_here else None
    return _go_on(request, study_access, stays_at, decided_at=decided.decided_at or now)


@require_POST
def judges(request: Request, key: str, round_item_id: int) -> HttpResponse:
    """Tell who has decided an item what judges answer to it; that they were told is noted."""
    study_access = _adjudicated(request, key)
    told = adjudicating.judges_on(study_access, round_item_id)
    viewing.judges_revealed(
        round_item_id=round_item_id, judges=len(told), by=request.user, at=timezone.now()
    )
    decision = _decision(study_access, round_item_id, request.POST)
    return _show(request, study_access, round_item_id, decision, judges=told)


@require_POST
def answer_dispute(request: Request, key: str, round_item_id: int, dispute_id: int) -> HttpResponse:
    """Say what comes of a rater's objection."""
    study_access = _adjudicated(request, key)
    adjudicating.case(study_access, round_item_id)
    with saying(
        request, disputes.CannotDispute, done=gettext("Your answer is kept; the rater reads it.")
    ):
        disputes.answer(
            study_id=study_access.study.pk,
            dispute_id=dispute_id,
            text=request.POST.get(f"answer.{dispute_id}", ""),
            by=request.user,
            at=timezone.now(),
        )
    return redirect(_address_of(request, study_access, round_item_id))


def _asked(request: Request) -> str:
    """What was looked for, to go on with: codes and numbers."""
    asked = request.GET.copy()
    asked.pop("page", None)
    return f"?{asked.urlencode()}" if asked else ""


def _go_on(
    request: Request, study_access: StudyAccess, stays_at: int | None, *, decided_at: datetime
) -> HttpResponse:
    """To the next case, to the queue when nothing waits, or to what is told after the decision."""
    address = _address_of(request, study_access, stays_at or _next_case(request, study_access))
    if request.headers.get("HX-Request"):
        return desk.taken(HttpResponse(status=204), at=decided_at, go_on_at=address)
    messages.success(request, gettext("Decided."))
    return redirect(address)


def _next_case(request: Request, study_access: StudyAccess) -> int | None:
    rubric = study_access.study.rubric_version.content
    return cases.next_case(study_access, QueueFilter(rubric, request.GET).wanted)


def _address_of(request: Request, study_access: StudyAccess, round_item_id: int | None) -> str:
    there: dict[str, Any] = {"key": study_access.study.key}
    if round_item_id is None:
        return reverse("adjudicate", kwargs=there) + _asked(request)
    there["round_item_id"] = round_item_id
    return reverse("adjudicate_case", kwargs=there) + _asked(request)


def _refuse(request: Request, key: str, reason: str) -> HttpResponse:
    if request.headers.get("HX-Request"):
        context = {"reason": reason, "key": key, "is_case": True}
        return render(request, "annotation/_work.html", context, status=409)
    messages.error(request, reason)
    return redirect("adjudicate", key=key)


def _show(
    request: Request,
    study_access: StudyAccess,
    round_item_id: int,
    decision: GoldDecision,
    lacking: adjudications.Undecided | None = None,
    judges: list[adjudicating.JudgeTold] | None = None,
) -> HttpResponse:
    found = adjudicating.case(study_access, round_item_id)
    form = "revision" if found.is_decided else "adjudication"
    draft = drafts.of_case(request.access, round_item_id, form)
    if request.method != "POST":
        held = {**draft.values, "reason": draft.words} if draft else {}
        decision = GoldDecision(found.rubric, held)
    viewing.case_shown(round_item_id=round_item_id, by=request.user, at=timezone.now())
    problems = [said(problem.sentence) for problem in lacking.problems] if lacking else []
    if lacking and lacking.about_reason:
        problems.append(said(lacking.about_reason))
    context = {
        "study_access": study_access,
        "case": found,
        "item": found.item,
        "is_read": bool(lacking),
        "form_name": form,
        "conflicts": [
            _with_what_is_taken(
                one, decision.values.get(one.key, found.standing.get(one.key)), found
            )
            for one in found.conflicts
        ],
        "ambiguous": AMBIGUOUS,
        "codes": [
            (number, code.value, said(words))
            for number, (code, words) in enumerate(CODES.items(), start=1)
        ],
        "code": decision.code,
        "reason": decision.reason,
        "problems": problems,
        "draft": draft,
        "judges": judges,
        "asked": _asked(request),
        "before": cases.last_decided(study_access),
        "next_address": (
            _address_of(request, study_access, _next_case(request, study_access))
            if found.is_decided
            else ""
        ),
    }
    return render(request, "annotation/case.html", context, status=422 if lacking else 200)


def _with_what_is_taken(
    conflict: adjudicating.Conflict,
    taken: str | Mapping[str, str] | None,
    case: adjudicating.Case,
) -> tuple[adjudicating.Conflict, object, CriterionAsked | None]:
    """A conflict, the value that is chosen, and the questions of a graph with what is answered."""
    if conflict.graph is None:
        return conflict, taken, None
    answered = taken if isinstance(taken, Mapping) else {}
    walk = walk_to_decide(case.rubric, conflict.graph, answered, conflict.letters_at)
    return conflict, taken, walk


def _decision(
    study_access: StudyAccess, round_item_id: int, data: Mapping[str, str]
) -> GoldDecision:
    return GoldDecision(adjudicating.rubric_of(study_access, round_item_id), data)


def _adjudicated(request: Request, key: str) -> StudyAccess:
    return study_to(request, key, Action.ADJUDICATE)
