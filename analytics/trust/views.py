"""Trust cards: the grid of verdicts, one card with its lines, and the rules they are held against."""

import json

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext
from django.views.decorators.http import require_POST, require_safe

from accounts.gate import Request
from accounts.views.files import TOML, as_file
from analytics.policies.loading import MOST_BYTES, PolicyError
from analytics.present import leaving
from analytics.present.entering import coordinator_or_403, reader_or_403
from analytics.present.leaving import FiguresTaken
from analytics.present.live import PageAsked, live_page
from analytics.present.naming import Naming
from analytics.ratings.matrices import PLAIN
from analytics.routing import numbers as routing
from analytics.trust import actions as actions
from analytics.trust import blinding, cards, plans, policies, sealing
from analytics.trust import page as trust
from analytics.trust.numbers import PART, TrustReport
from analytics.trust.page import CardPage, Verdicts
from analytics.trust.policies import Held
from analytics.trust.sealed_page import SealedPage
from annotation.queries.studies import StudyAccess
from annotation.queries.wording import said
from annotation.views.saying import saying


@require_safe
def grid(request: Request, key: str) -> HttpResponse:
    """Every judge on every criterion."""

    def show(report: TrustReport, asked: PageAsked[TrustReport]) -> Verdicts:
        return Verdicts(
            report=report,
            naming=_naming(report, asked),
            held=_held(asked),
            study=asked.study_access.study,
        )

    return live_page(request, key, part=PART, page="trust", show=show, of_slices=False)


@require_safe
def card(request: Request, key: str, criterion: str, judge_id: int) -> HttpResponse:
    """One judge on one criterion, line by line."""

    def show(report: TrustReport, asked: PageAsked[TrustReport]) -> CardPage:
        return trust.card_page(
            report,
            _naming(report, asked),
            _held(asked),
            study=asked.study_access.study,
            criterion=criterion,
            judge=judge_id,
            routed=asked.beside(routing.PART),
        )

    return live_page(
        request,
        key,
        part=PART,
        page="trust_card",
        show=show,
        beside=[routing.PART],
        of_slices=False,
    )


def _naming(report: TrustReport, asked: PageAsked[TrustReport]) -> Naming:
    return asked.naming(known.judge for known in report.known)


@require_POST
def fix(request: Request, key: str) -> HttpResponse:
    """Fix the rules from now on."""
    study_access = coordinator_or_403(request, key)
    with saying(request, actions.CannotFix, done=gettext("The rules are fixed.")):
        actions.fix_policy(
            study_access=study_access,
            key=request.POST.get("policy", ""),
            by=request.user,
            at=timezone.now(),
        )
    return redirect("agreement_trust", key=key)


@require_POST
def blind(request: Request, key: str) -> HttpResponse:
    """Show judges under letters from now on."""
    study_access = coordinator_or_403(request, key)
    with saying(
        request, actions.CannotFix, done=gettext("Judges stand under letters from now on.")
    ):
        blinding.blind(study_access=study_access, by=request.user, at=timezone.now())
    return redirect("agreement_trust", key=key)


@require_POST
def name_judges(request: Request, key: str) -> HttpResponse:
    """Tell the names of judges before a verdict is sealed."""
    study_access = coordinator_or_403(request, key)
    with saying(
        request,
        actions.CannotFix,
        done=gettext("The judges are named. The reason is printed with every verdict."),
    ):
        blinding.name_early(
            study_access=study_access,
            reason=request.POST.get("reason", ""),
            by=request.user,
            at=timezone.now(),
        )
    return redirect("agreement_trust", key=key)


@require_POST
def seal(request: Request, key: str) -> HttpResponse:
    """Seal the verdicts at the planned look that is due."""
    study_access = coordinator_or_403(request, key)
    try:
        sealed = sealing.seal(study_access=study_access, by=request.user, at=timezone.now())
    except sealing.CannotSeal as refusal:
        messages.error(request, said(refusal.args[0]))
        return redirect("agreement_trust", key=key)
    messages.success(request, gettext("The verdicts are sealed. Nothing changes them any more."))
    return redirect("agreement_sealed", key=key, sha256=sealed.sha256)


@require_safe
def sealed(request: Request, key: str, sha256: str) -> HttpResponse:
    """Verdicts as they were sealed, under an address that stays."""
    study_access = reader_or_403(request, key)
    return render(
        request,
        "analytics/sealed.html",
        {"study_access": study_access, "shown": _sealed(study_access, sha256)},
    )


@require_safe
def sealed_file(request: Request, key: str, sha256: str) -> HttpResponse:
    """The sealed text itself, byte by byte what its SHA-256 is of."""
    study_access = reader_or_403(request, key)
    found = _sealed(study_access, sha256).sealed
    name = f"verdicts-{sha256[:12]}.json"
    taken = FiguresTaken(
        study_access=study_access,
        name=name,
        view=PLAIN,
        revision=found.revision,
        more={"look": found.look, "sha256": found.sha256},
        sealed=cards.figures_in(json.loads(found.content)),
    )
    leaving.as_file(taken, by=request.user, at=timezone.now())
    return as_file(found.content, name, "application/json")


@require_POST
def plan(request: Request, key: str) -> HttpResponse:
    """The fixed rules as PRML manifests; the audit trail knows them from now on."""
    study_access = coordinator_or_403(request, key)
    try:
        found = plans.commit_plan(study_access=study_access, by=request.user, at=timezone.now())
    except actions.CannotFix as refusal:
        messages.error(request, said(refusal.problems[0]))
        return redirect("agreement_trust", key=key)
    return as_file(found.as_zip, f"plan-{key}.zip", "application/zip")


@require_POST
def bring(request: Request, key: str) -> HttpResponse:
    """Keep a file of rules, so that the study can look at them and fix them."""
    study_access = coordinator_or_403(request, key)
    file = request.FILES.get("file")
    try:
        brought = actions.bring_policy(
            study_access=study_access,
            file_name=(file.name or "") if file else "",
            content=file.read(MOST_BYTES + 1) if file else b"",
            by=request.user,
            at=timezone.now(),
        )
    except (PolicyError, actions.CannotFix) as refusal:
        return render(
            request,
            "analytics/trust_policy.html",
            {
                "study_access": study_access,
                "file": file.name if file else "",
                "problems": [said(problem) for problem in refusal.problems],
            },
            status=422,
        )
    messages.success(
        request, gettext("These rules are kept with the study. They hold once they are fixed.")
    )
    address = reverse("agreement_trust", kwargs={"key": key})
    return redirect(f"{address}?policy={brought}")


@require_safe
def policy_file(request: Request, key: str, policy: str) -> HttpResponse:
    """The rules word for word, to read or to start from."""
    study = reader_or_403(request, key).study
    found = policies.named(study, policy)
    return as_file(found.text, f"rules-{policy}.toml", TOML)


def _sealed(study_access: StudyAccess, sha256: str) -> SealedPage:
    found = sealing.named(study_access.study, sha256)
    if found is None:
        raise Http404
    return SealedPage.of(found)


def _held(asked: PageAsked[TrustReport]) -> Held:
    return policies.held(asked.study_access.study, preview=asked.choices.get("policy", ""))
