"""Bring items, ratings and lists in: upload a file, look at what it comes to, import it."""

from collections.abc import Callable
from dataclasses import dataclass

from django import forms
from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.core.files.uploadhandler import FileUploadHandler, StopUpload
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext, ngettext
from django.views.decorators.csrf import csrf_exempt, csrf_protect
from django.views.decorators.http import require_http_methods

from annotation.actions.imports import uploads
from annotation.actions.imports.items import ItemsReport, import_items
from annotation.actions.imports.quarantine import QuarantineReport, import_quarantine
from annotation.actions.imports.ratings import RatingsReport, import_ratings
from annotation.actions.imports.refusals import CannotImport
from annotation.actions.imports.running import Report
from annotation.actions.imports.uploads import NotKept, Upload
from annotation.forms.importing import ItemsFileForm, RatingsFileForm, rater_in
from annotation.forms.quarantine import QuarantineFileForm
from annotation.queries.importing import said_problems, said_reasons
from annotation.queries.studies import StudyAccess
from annotation.queries.wording import said
from annotation.readers.problems import CannotRead
from annotation.views.finding import study_or_404


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """What is different between kinds of files: their form, their action, their pages.

    `afterwards` is the page that is shown once a file was imported.
    """

    what: str
    form: type[forms.Form]
    run: Callable[..., Report]
    template: str
    check_template: str
    afterwards: str = "study"


def _run_items(upload: Upload, **options) -> ItemsReport:
    return import_items(source=upload.source, **options)


def _run_ratings(upload: Upload, **options) -> RatingsReport:
    return import_ratings(
        source=upload.source,
        rater=rater_in(upload.options),
        with_items=bool(upload.options["with_items"]),
        **options,
    )


def _run_quarantine(upload: Upload, **options) -> QuarantineReport:
    return import_quarantine(source=upload.source, reason=str(upload.options["reason"]), **options)


ITEMS = Kind(
    what="items",
    form=ItemsFileForm,
    run=_run_items,
    template="annotation/import_items.html",
    check_template="annotation/import_items_check.html",
)
RATINGS = Kind(
    what="ratings",
    form=RatingsFileForm,
    run=_run_ratings,
    template="annotation/import_ratings.html",
    check_template="annotation/import_ratings_check.html",
)
QUARANTINE = Kind(
    what="quarantine",
    form=QuarantineFileForm,
    run=_run_quarantine,
    template="annotation/import_quarantine.html",
    check_template="annotation/import_quarantine_check.html",
    afterwards="quarantine",
)


class StopAtTheLimit(FileUploadHandler):
    """Stops storing an upload once it is larger than may be imported, and notes it."""

    is_too_large = False

    def receive_data_chunk(self, raw_data, start):
        if start + len(raw_data) > uploads.most_bytes():
            self.is_too_large = True
            raise StopUpload
        return raw_data

    def file_complete(self, file_size):
        return None


def limited(view: Callable) -> Callable:
    """Put the limit in place before the form, with the token in it, is read."""
    guarded = csrf_protect(view)

    def start(request: HttpRequest, *args, **kwargs) -> HttpResponse:
        request.upload_limit = StopAtTheLimit(request)
        request.upload_handlers.insert(0, request.upload_limit)
        return guarded(request, *args, **kwargs)

    return csrf_exempt(require_http_methods(["GET", "HEAD", "POST"])(start))


@limited
def items(request: HttpRequest, key: str) -> HttpResponse:
    return _upload(request, key, ITEMS)


@limited
def ratings(request: HttpRequest, key: str) -> HttpResponse:
    return _upload(request, key, RATINGS)


@limited
def quarantine(request: HttpRequest, key: str) -> HttpResponse:
    return _upload(request, key, QUARANTINE)


@require_http_methods(["GET", "HEAD", "POST"])
def items_check(request: HttpRequest, key: str, token: str) -> HttpResponse:
    return _check(request, key, token, ITEMS)


@require_http_methods(["GET", "HEAD", "POST"])
def ratings_check(request: HttpRequest, key: str, token: str) -> HttpResponse:
    return _check(request, key, token, RATINGS)


@require_http_methods(["GET", "HEAD", "POST"])
def quarantine_check(request: HttpRequest, key: str, token: str) -> HttpResponse:
    return _check(request, key, token, QUARANTINE)


def _upload(request: HttpRequest, key: str, kind: Kind) -> HttpResponse:
    """Take a file and keep it until it has been looked at."""
    study_access = _coordinated(request, key)
    form = kind.form()
    if request.method == "POST":
        form = kind.form(
            request.POST, request.FILES, is_too_large=request.upload_limit.is_too_large
        )
    if form.is_valid():
        token = uploads.keep(
            file=form.cleaned_data["file"],
            what=kind.what,
            study_id=study_access.study.pk,
            user_id=request.user.pk,
            options=form.options(),
            at=timezone.now(),
        )
        return redirect(f"import_{kind.what}_check", key=key, token=token)
    return render(
        request,
        kind.template,
        {"study_access": study_access, "form": form},
        status=422 if form.errors else 200,
    )


def _check(request: HttpRequest, key: str, token: str, kind: Kind) -> HttpResponse:
    """Show what a file comes to; import it when asked."""
    study_access = _coordinated(request, key)
    at = timezone.now()
    study_id = study_access.study.pk
    try:
        upload = uploads.find(
            token=token, what=kind.what, study_id=study_id, user_id=request.user.pk, at=at
        )
    except NotKept:
        messages.warning(request, gettext("The file is no longer kept. Upload it again."))
        return redirect(f"import_{kind.what}", key=key)
    is_import = request.method == "POST"
    try:
        report = kind.run(
            upload,
            study_id=study_id,
            by=request.user,
            at=at,
            skip_bad=is_import and "skip_bad" in request.POST,
            dry_run=not is_import,
        )
    except (CannotRead, CannotImport) as refusal:
        uploads.discard(upload)
        return _show(request, study_access, kind, upload, refusal=said(refusal.sentence))
    if not report.is_written:
        return _show(request, study_access, kind, upload, report=report)
    uploads.discard(upload)
    messages.success(request, _what_was_imported(report))
    return redirect(kind.afterwards, key=key)


def _show(
    request: HttpRequest,
    study_access: StudyAccess,
    kind: Kind,
    upload: Upload,
    *,
    report: Report | None = None,
    refusal: str = "",
) -> HttpResponse:
    return render(
        request,
        kind.check_template,
        {
            "study_access": study_access,
            "file": upload.source.name,
            "options": upload.options,
            "report": report,
            "refusal": refusal,
            "problems": said_problems(report.problems.in_order) if report else [],
            "reasons": said_reasons(getattr(report, "unscored", {})),
            "off_scale": sorted(getattr(report, "off_scale", {}).items()),
        },
        status=422 if refusal or request.method == "POST" else 200,
    )


def _what_was_imported(report: Report) -> str:
    if isinstance(report, ItemsReport):
        return ngettext("%(count)s item imported.", "%(count)s items imported.", report.new) % {
            "count": report.new
        }
    if isinstance(report, QuarantineReport):
        return ngettext(
            "%(count)s item is set aside; figures follow.",
            "%(count)s items are set aside; figures follow.",
            report.new,
        ) % {"count": report.new}
    count = report.new + report.changed
    return ngettext(
        "Ratings of %(count)s item imported.", "Ratings of %(count)s items imported.", count
    ) % {"count": count}


def _coordinated(request: HttpRequest, key: str) -> StudyAccess:
    study_access = study_or_404(request, key)
    if not study_access.may_coordinate:
        raise PermissionDenied
    return study_access
