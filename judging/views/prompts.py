"""The prompts of a study: write one, see what it comes to, and what its versions changed."""

from typing import TYPE_CHECKING

from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.gate import Request
from accounts.views.files import TOML, as_file
from annotation.queries.studies import StudyAccess
from annotation.queries.wording import said
from judging.actions import templates as actions
from judging.actions import viewing
from judging.forms.prompts import NO_SECOND_REPLY, PromptForm
from judging.prompts import loading
from judging.queries import templates
from judging.queries.entering import run_by, seen_by

if TYPE_CHECKING:
    from judging.models import PromptTemplate


@require_safe
def prompts(request: Request, key: str) -> HttpResponse:
    study_access = seen_by(request, key)
    return render(
        request,
        "judging/prompts.html",
        {
            "study_access": study_access,
            "versions": templates.of_study(study_access.study),
            "shipped": templates.shipped_for(study_access.study.rubric_version.content),
        },
    )


@require_safe
def one_version(request: Request, key: str, name: str, number: int) -> HttpResponse:
    """A version, and what it changed in the one before or in another."""
    study_access = seen_by(request, key)
    version = _version(study_access, name, number)
    against = request.GET.get("against", str(number - 1))
    is_compared = against.isdecimal() and 0 < int(against) != number
    other = _version(study_access, name, int(against)) if is_compared else None
    return render(
        request,
        "judging/prompt.html",
        {
            "study_access": study_access,
            "version": version,
            "other": other,
            "lines": templates.differences(other.text, version.text) if other else [],
            "versions": [one for one in templates.of_study(study_access.study) if one.name == name],
        },
    )


@require_safe
def download(request: Request, key: str, name: str, number: int) -> HttpResponse:
    version = _version(seen_by(request, key), name, number)
    return as_file(version.text, f"{name}-{number}.toml", TOML)


@require_http_methods(["GET", "HEAD", "POST"])
def write(request: Request, key: str) -> HttpResponse:
    """Write a prompt from nothing, from another version, or from one that comes with Concord."""
    study_access = run_by(request, key)
    items = templates.items_to_preview(study_access)
    if request.method != "POST":
        return _ask(request, study_access, PromptForm(initial=_begun(request, key), items=items))
    form = PromptForm(request.POST, request.FILES, items=items)
    if form.is_valid():
        try:
            made = actions.write(
                study=study_access.study,
                name=form.cleaned_data["name"],
                text=form.written,
                note=form.cleaned_data["note"],
                by=request.user,
                at=timezone.now(),
            )
        except actions.CannotWrite as refusal:
            form.add_error("text", [said(problem) for problem in refusal.args])
        else:
            return redirect("judge_prompt", key=key, name=made.name, number=made.number)
    return _ask(request, study_access, form)


@require_POST
def preview(request: Request, key: str) -> HttpResponse:
    """Show the form again, and what would be sent about an item if it were kept so."""
    study_access = run_by(request, key)
    form = PromptForm(request.POST, request.FILES, items=templates.items_to_preview(study_access))
    shown = _preview(request, study_access, form) if form.is_valid() else None
    if shown:
        viewing.prompt_tried(items=shown.items, by=request.user, at=timezone.now())
    return _ask(request, study_access, form, shown)


def _preview(
    request: Request, study_access: StudyAccess, form: PromptForm
) -> templates.PromptPreview | None:
    try:
        template = loading.read(form.written, study_access.study.rubric_version.content)
    except loading.TemplateError as error:
        form.add_error("text", [said(problem) for problem in error.problems])
        return None
    try:
        return templates.preview(
            study_access,
            template,
            form.cleaned_data["item"],
            by=request.user,
            max_tokens=None,
            on=timezone.now().date(),
        )
    except templates.NothingToCompareWith:
        form.add_error("item", said(NO_SECOND_REPLY))
        return None


def _ask(
    request: Request,
    study_access: StudyAccess,
    form: PromptForm,
    shown: templates.PromptPreview | None = None,
) -> HttpResponse:
    return render(
        request,
        "judging/prompt_write.html",
        {"study_access": study_access, "form": form, "shown": shown},
        status=422 if form.errors else 200,
    )


def _begun(request: Request, key: str) -> dict[str, str]:
    """What the form begins with."""
    study_access = run_by(request, key)
    if written := request.GET.get("from"):
        version = templates.named(study_access.study, written)
        return {"name": version.name, "text": version.text}
    known = {
        one.key: one for one in templates.shipped_for(study_access.study.rubric_version.content)
    }
    begun = known.get(request.GET.get("shipped", ""))
    return {"name": begun.key, "text": begun.text} if begun else {}


def _version(study_access: StudyAccess, name: str, number: int) -> "PromptTemplate":
    return templates.version(study_access.study, name, number)
