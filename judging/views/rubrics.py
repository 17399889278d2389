"""The rubric of a study, for its whole team: the words that people and judges are asked with."""

from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from accounts.gate import Request
from accounts.views.files import TOML, as_file
from annotation.queries.entering import study_or_404
from annotation.queries.rubric_drafts import in_force
from annotation.queries.rubric_page import rubric_read
from judging.queries.asking import asked_of_judges


@require_safe
def rubric(request: Request, key: str) -> HttpResponse:
    study_access = study_or_404(request, key)
    edition = study_access.study.rubric_version
    read = rubric_read(edition.content)
    return render(
        request,
        "judging/rubric.html",
        {
            "study_access": study_access,
            "edition": edition,
            "rubric": read,
            "asked": asked_of_judges(edition.content, read.languages),
        },
    )


@require_safe
def download(request: Request, key: str) -> HttpResponse:
    """The edition in force as TOML, to go on with elsewhere."""
    study_access = study_or_404(request, key)
    return as_file(in_force(study_access), f"{key}-rubric.toml", TOML)
