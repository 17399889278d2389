"""Replies that LLMs write to the conversations of a study, to be rated."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from django.conf import settings
from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext, ngettext
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.gate import Request
from annotation.forms.identifiers import IdentifiersForm
from annotation.identifiers import Decisions
from annotation.queries.studies import StudyAccess
from annotation.queries.wording import said
from annotation.views.saying import saying
from judging.actions import generating as actions
from judging.actions import probes, viewing
from judging.actions.runs import CannotRun
from judging.forms.generating import GenerationForm, GeneratorForm, GeneratorFormSet, filled
from judging.forms.starting import LimitForm
from judging.queries import endpoints, showing, wording
from judging.queries import generating as queries
from judging.queries.entering import run_by, seen_by
from judging.queries.runs import granted_to
from judging.views.runs import STOP_POLLING

if TYPE_CHECKING:
    from django.db.models import QuerySet
    from django.forms import BaseFormSet

    from annotation.models import Item
    from judging.models import Generation, JudgeRun

SHOWN_AT_FIRST = 3


@require_safe
def generations(request: Request, key: str) -> HttpResponse:
    study_access = seen_by(request, key)
    return render(
        request,
        "judging/generations.html",
        {
            "study_access": study_access,
            "generations": queries.of_study(study_access.study),
            "n_waiting": _waiting(request, study_access).count(),
        },
    )


@require_http_methods(["GET", "HEAD", "POST"])
def write(request: Request, key: str) -> HttpResponse:
    """Ask for generators; “preview” shows what they would be sent, “try” sends one of them a made-up
    dialogue, and neither starts anything."""
    study_access = run_by(request, key)
    form = GenerationForm(request.POST or None)
    writers = GeneratorFormSet(request.POST or None, prefix="generator")
    if "try" in request.POST:
        return _try(request, study_access, form, writers)
    if request.method != "POST" or not (form.is_valid() & writers.is_valid()):
        return _ask(request, study_access, form, writers)
    if "preview" in request.POST:
        return _ask(
            request, study_access, form, writers, _asked(request, study_access, form, writers)
        )
    try:
        made = actions.start(
            study=study_access.study,
            generators=[one.generator(study_access.study) for one in filled(writers)],
            by=request.user,
            at=timezone.now(),
            **form.arguments(),
        )
    except CannotRun as refusal:
        form.add_error(None, said(refusal.args[0]))
        return _ask(request, study_access, form, writers)
    return redirect("generation", key=key, generation_id=made.pk)


@require_safe
def one_generation(request: Request, key: str, generation_id: int) -> HttpResponse:
    study_access = seen_by(request, key)
    return _show(request, study_access, _generation(study_access, generation_id), "generation")


@require_safe
def progress(request: Request, key: str, generation_id: int) -> HttpResponse:
    """Nothing while nothing has changed, the state when it has, and no more once it is over."""
    study_access = seen_by(request, key)
    generation = _generation(study_access, generation_id)
    status = queries.status_of(generation)
    if request.GET.get("mark") == status.mark:
        return HttpResponse(status=204)
    return _show(
        request,
        study_access,
        generation,
        "_generation_status",
        status=STOP_POLLING if status.is_over else 200,
    )


@require_POST
def end(request: Request, key: str, generation_id: int) -> HttpResponse:
    generation = _generation(run_by(request, key), generation_id)
    has_ended = actions.end(generation=generation, by=request.user, at=timezone.now())
    messages.info(
        request,
        gettext("No more replies are asked for.") if has_ended else gettext("It was so already."),
    )
    return redirect("generation", key=key, generation_id=generation_id)


@require_POST
def take_in(request: Request, key: str, generation_id: int) -> HttpResponse:
    """Make items of the replies."""
    study_access = run_by(request, key)
    generation = _generation(study_access, generation_id)
    form = IdentifiersForm(request.POST, found=actions.identifiers_in(generation))
    if not form.is_valid():
        return _show(request, study_access, generation, "generation", status=422, form=form)
    with saying(request, actions.CannotMakeItems):
        made = actions.take_in(
            generation=generation,
            identifiers=Decisions(**form.decisions()),
            by=request.user,
            at=timezone.now(),
        )
        words = ngettext("%(n)s reply is an item now.", "%(n)s replies are items now.", made)
        messages.info(request, words % {"n": made} if made else gettext("It was so already."))
    return redirect("generation", key=key, generation_id=generation_id)


def _try(
    request: Request,
    study_access: StudyAccess,
    form: GenerationForm,
    writers: "BaseFormSet[GeneratorForm]",
) -> HttpResponse:
    """Put a made-up dialogue to one generator, and show the form again with what came of it."""
    writer = next((one for one in writers.forms if one.prefix == request.POST["try"]), None)
    if writer is None:
        raise Http404
    if writer.is_valid() and writer.has_changed():
        study = study_access.study
        try:
            probe = probes.try_out(
                study=study, judge=writer.generator(study).asked, by=request.user, at=timezone.now()
            )
            writer.tried = wording.probe_in_words(probe)
        except CannotRun as refusal:
            writer.add_error(None, said(refusal.args[0]))
    return _ask(request, study_access, form, writers)


def _ask(
    request: Request,
    study_access: StudyAccess,
    form: GenerationForm,
    writers: "BaseFormSet[GeneratorForm]",
    asked: Sequence[queries.WriterAsked] = (),
) -> HttpResponse:
    places = endpoints.in_use()
    problem = None if places else endpoints.reason_not_to_send(settings.LLM_BASE_URL, None)
    shown = max(SHOWN_AT_FIRST, len(filled(writers)) if writers.is_bound else 0)
    return render(
        request,
        "judging/generation_write.html",
        {
            "study_access": study_access,
            "form": form,
            "writers": writers,
            "first": writers.forms[:shown],
            "others": writers.forms[shown:],
            "asked": asked,
            "problem": said(problem) if problem else "",
            "n_waiting": _waiting(request, study_access).count(),
        },
        status=422 if form.errors or (writers.is_bound and not writers.is_valid()) else 200,
    )


def _asked(
    request: Request,
    study_access: StudyAccess,
    form: GenerationForm,
    writers: "BaseFormSet[GeneratorForm]",
) -> list[queries.WriterAsked]:
    waiting = _waiting(request, study_access).values_list("pk", flat=True)
    items = list(waiting[: form.cleaned_data["conversations"]])
    if not items:
        return []
    viewing.prompt_tried(items=[items[0]], by=request.user, at=timezone.now())
    return [
        _asked_of(study_access, one, items, form.cleaned_data["repeats"]) for one in filled(writers)
    ]


def _asked_of(
    study_access: StudyAccess, form: GeneratorForm, items: Sequence[int], repeats: int
) -> queries.WriterAsked:
    described = form.generator(study_access.study)
    price = endpoints.price_for(
        described.asked.llm, described.asked.endpoint, on=timezone.now().date()
    )
    return queries.asked_of(
        study_access,
        name=described.name,
        system=described.system,
        max_tokens=described.asked.max_tokens,
        price=price,
        items=items,
        repeats=repeats,
    )


def _waiting(request: Request, study_access: StudyAccess) -> "QuerySet[Item]":
    """The conversations that wait for a reply, of those that this account may have sent."""
    study = study_access.study
    return granted_to(request.user, study, queries.conversations(study))


def _limits(run: "JudgeRun") -> LimitForm:
    """What a run may use at most, to go on with."""
    kept = ("limit_requests", "limit_tokens", "limit_money")
    return LimitForm(initial={name: getattr(run, name) for name in kept}, auto_id=f"id_{run.pk}_%s")


def _generation(study_access: StudyAccess, number: int) -> "Generation":
    return queries.numbered(study_access.study, number)


def _show(
    request: Request,
    study_access: StudyAccess,
    generation: "Generation",
    template: str,
    *,
    status: int = 200,
    form: IdentifiersForm | None = None,
) -> HttpResponse:
    """`form`: what is to become of identifiers, where it was sent with mistakes."""
    found = queries.status_of(generation)
    is_asked = found.is_over and generation.taken_in_at is None and study_access.may_run_judges
    if is_asked and form is None:
        form = IdentifiersForm(found=actions.identifiers_in(generation))
    return render(
        request,
        f"judging/{template}.html",
        {
            "study_access": study_access,
            "status": found,
            "generation": generation,
            "writers": found.writers,
            "form": form,
            "paused": [
                (one, wording.reason_paused(one.run), _limits(one.run))
                for one in found.writers
                if one.run.pause_reason
            ],
            "worker": showing.worker(at=timezone.now()),
        },
        status=status,
    )
