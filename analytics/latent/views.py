"""The doubtful items of the latent class model, by people and by each judge beside them."""

from functools import partial

from django.http import HttpResponse
from django.views.decorators.http import require_safe

from accounts.gate import Request
from analytics.latent.page import doubtful_list
from analytics.present.entering import judges_reader_or_403, reader_or_403
from analytics.present.listing import item_list
from annotation.rules.granting import Action


@require_safe
def of_people(request: Request, key: str, criterion: str) -> HttpResponse:
    """Those of which people leave it open."""
    study_access = reader_or_403(request, key, Action.SEE_RATERS)
    return item_list(request, study_access, partial(doubtful_list, criterion=criterion))


@require_safe
def of_judge(request: Request, key: str, criterion: str, judge_id: int) -> HttpResponse:
    """Those of which people and a judge leave it open."""
    study_access = judges_reader_or_403(request, key)
    made = partial(doubtful_list, criterion=criterion, judge=judge_id)
    return item_list(request, study_access, made)
