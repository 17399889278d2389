"""Judges against humans: all of them side by side, and one at a time."""

from functools import partial

from django.http import HttpResponse
from django.views.decorators.http import require_safe

from accounts.gate import Request
from analytics.judges import judge_page as one_judge
from analytics.judges import page as judges
from analytics.judges.judge_page import JudgePage
from analytics.judges.numbers import PART, JudgesReport
from analytics.judges.page import Glance
from analytics.present.live import Asked, live_page
from analytics.present.page import NoSuchPage


@require_safe
def every(request: Request, key: str) -> HttpResponse:
    """The judges of a study at a glance."""
    return live_page(request, key, part=PART, page="judges", show=_glance)


@require_safe
def one(request: Request, key: str, judge: str) -> HttpResponse:
    """All that is known of one judge."""
    return live_page(request, key, part=PART, page="judge", show=partial(_judge, judge=judge))


def _glance(report: JudgesReport, asked: Asked[JudgesReport]) -> Glance:
    try:
        return judges.glance(
            report,
            asked.study_access.study.rubric_version.content,
            reference=asked.choices.get("reference", ""),
            statistic=asked.choices.get("statistic", ""),
        )
    except judges.NoSuchJudge:
        raise NoSuchPage from None


def _judge(report: JudgesReport, asked: Asked[JudgesReport], *, judge: str) -> JudgePage:
    try:
        return one_judge.judge_page(
            report,
            asked.study_access.study.rubric_version.content,
            judge=judge,
            reference=asked.choices.get("reference", ""),
            statistic=asked.choices.get("statistic", ""),
            criterion=asked.choices.get("criterion", ""),
        )
    except judges.NoSuchJudge:
        raise NoSuchPage from None
