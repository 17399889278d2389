"""Judges against humans: all of them side by side, and one at a time."""

from functools import partial

from django.http import HttpResponse
from django.views.decorators.http import require_safe

from accounts.gate import Request
from analytics.judges import disputed
from analytics.judges import judge_page as one_judge
from analytics.judges import page as judges
from analytics.judges.judge_page import JudgePage
from analytics.judges.numbers import PART, JudgesReport
from analytics.judges.page import Glance
from analytics.present.entering import judges_reader_or_403
from analytics.present.listing import item_list
from analytics.present.live import PageAsked, live_page


@require_safe
def every(request: Request, key: str) -> HttpResponse:
    """The judges of a study at a glance."""
    return live_page(request, key, part=PART, page="judges", show=_glance, pieces=())


@require_safe
def one(request: Request, key: str, judge: str) -> HttpResponse:
    shown = partial(_judge, judge=judge)
    return live_page(request, key, part=PART, page="judge", show=shown, pieces=[judge])


@require_safe
def differing(
    request: Request, key: str, criterion: str, judge_id: int, dispute: str
) -> HttpResponse:
    """The items on which people differ by so much, with what a judge answered."""
    study_access = judges_reader_or_403(request, key)
    made = partial(disputed.disputed_list, criterion=criterion, judge=judge_id, dispute=dispute)
    return item_list(request, study_access, made)


def _glance(report: JudgesReport, asked: PageAsked[JudgesReport]) -> Glance:
    return judges.glance(report, asked.naming(one.id for one in report.raters), asked.choices)


def _judge(report: JudgesReport, asked: PageAsked[JudgesReport], *, judge: str) -> JudgePage:
    naming = asked.naming(one.id for one in report.raters)
    return one_judge.judge_page(report, naming, asked.choices, judge=judge)
