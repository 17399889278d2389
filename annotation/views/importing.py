"""Bring items, ratings, answers and lists in: upload a file, look at what a worker finds in it, import it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from django.core.exceptions import PermissionDenied
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.csrf import csrf_exempt, csrf_protect
from django.views.decorators.http import require_http_methods

from accounts.gate import Request
from annotation.actions.imports import asking
from annotation.actions.imports.uploads import StopAtTheLimit
from annotation.forms.importing import AnswersFileForm, ItemsFileForm, RatingsFileForm
from annotation.forms.quarantine import QuarantineFileForm
from annotation.queries import jobs
from annotation.queries.entering import study_or_404
from annotation.queries.studies import StudyAccess


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportKind:
    """What is different between kinds of files: their form and its page."""

    what: str
    form: type[ItemsFileForm]

    @property
    def template(self) -> str:
        return f"annotation/import_{self.what}.html"


ITEMS = ImportKind(what="items", form=ItemsFileForm)
RATINGS = ImportKind(what="ratings", form=RatingsFileForm)
QUARANTINE = ImportKind(what="quarantine", form=QuarantineFileForm)
ANSWERS = ImportKind(what=jobs.ANSWERS, form=AnswersFileForm)


class Upload(Request):
    """A request that may bring a file, up to the limit."""

    upload_limit: StopAtTheLimit


def limited(view: Callable[[Upload, str], HttpResponse]) -> Callable[..., HttpResponse]:
    """Put the limit in place before the form, with the token in it, is read."""
    guarded = csrf_protect(view)

    def start(request: Upload, key: str) -> HttpResponse:
        request.upload_limit = StopAtTheLimit(request)
        request.upload_handlers.insert(0, request.upload_limit)
        return guarded(request, key)

    return csrf_exempt(require_http_methods(["GET", "HEAD", "POST"])(start))


@limited
def items(request: Upload, key: str) -> HttpResponse:
    return _upload(request, key, ITEMS)


@limited
def ratings(request: Upload, key: str) -> HttpResponse:
    return _upload(request, key, RATINGS)


@limited
def quarantine(request: Upload, key: str) -> HttpResponse:
    return _upload(request, key, QUARANTINE)


@limited
def answers(request: Upload, key: str) -> HttpResponse:
    return _upload(request, key, ANSWERS)


def _upload(request: Upload, key: str, kind: ImportKind) -> HttpResponse:
    """Take a file and have a worker look at it."""
    study_access = _brought_by(request, key, kind)
    before = _before(request, study_access, kind)
    form = kind.form(before=_said_of(before) if before else None)
    if request.method == "POST":
        form = kind.form(
            request.POST, request.FILES, is_too_large=request.upload_limit.is_too_large
        )
    if form.is_valid():
        job = asking.ask_for_check(
            study_id=study_access.study.pk,
            what=kind.what,
            file=form.cleaned_data["file"],
            options=form.options(),
            by=request.user,
            at=timezone.now(),
        )
        return redirect("file_job", key=key, job_id=job.pk)
    under_way = jobs.jobs_under_way(
        study_access.study, kind.what, asked_by=request.user.pk, at=timezone.now()
    )
    return render(
        request,
        kind.template,
        {"study_access": study_access, "form": form, "under_way": under_way, "before": before},
        status=422 if form.errors else 200,
    )


def _before(request: Request, study_access: StudyAccess, kind: ImportKind) -> jobs.JobStatus | None:
    """The file of one's own that comes again, or after which another comes; None where it is forgotten."""
    given = request.GET.get("after", "")
    try:
        found = jobs.status_of(study_access, int(given), at=timezone.now())
    except (ValueError, jobs.NoSuchJob):
        return None
    return found if found.job.what == kind.what else None


def _said_of(before: jobs.JobStatus) -> Mapping[str, object]:
    """What its owner said of it. Once it is in, another comes: of that only names of fields hold."""
    options: Mapping[str, object] = before.job.options
    is_in = before.is_import and before.is_done
    return {"called": options.get("called", "")} if is_in else options


def _brought_by(request: Request, key: str, kind: ImportKind) -> StudyAccess:
    study_access = study_or_404(request, key)
    if not jobs.may_bring(study_access, kind.what):
        raise PermissionDenied
    return study_access
