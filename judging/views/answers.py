"""What was answered in all runs of a study, looked through for words."""

from django.http import HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_http_methods

from accounts.gate import Request
from annotation.actions.viewing import items_listed
from judging.queries import searching
from judging.queries.entering import seen_by


@require_http_methods(["GET", "HEAD", "POST"])
def answers(request: Request, key: str) -> HttpResponse:
    """Find calls. What is looked for is posted: words in an address would end in logs."""
    study_access = seen_by(request, key)
    words = searching.words_asked(request.POST.get("words"))
    found = searching.found_in_study(study_access, words=words) if words else None
    page = None if found is None else searching.page_of(found, page=request.POST.get("page", "1"))
    items_listed(
        study_id=study_access.study.pk,
        items=[call.item_id for call in page or ()],
        by=request.user,
        at=timezone.now(),
    )
    return render(
        request,
        "judging/answers.html",
        {
            "study_access": study_access,
            "words": words,
            "page": page,
            "passages": [(one, searching.passage_with(words, one)) for one in page or ()],
            "may_search": searching.may_search(study_access),
        },
    )
