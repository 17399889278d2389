"""When people rated in rounds and judges in runs, who answered for these, and what was said again.

Imported ratings have no place here: the time of an import says nothing about who rated when. Nor have
runs of judges that are blinded: their times, LLMs and prompts would name them.
"""

from collections import Counter
from dataclasses import dataclass
from datetime import date, datetime, timedelta

import numpy as np
from django.conf import settings
from django.db.models import Min

from analytics.frames import pd
from analytics.ratings.fetching import fetched
from analytics.ratings.matrices import StudyRatings, View
from analytics.stats.scales import Floats, Ints
from annotation.rubric.schema import Criterion, Taxonomy
from judging.models import HoldOutUse, Judge, JudgeRun

FIRST_MONDAY = date(2000, 1, 3)

# Of several rounds the newest counts, as in matrices.
_WEEKS = """
SELECT DISTINCT ON (rater_id, item_id) rater_id, item_id,
    ((submitted_at AT TIME ZONE %(zone)s)::date - %(first)s) / 7
FROM annotation_submission submission
JOIN annotation_round rating_round ON rating_round.id = submission.round_id
WHERE submission.study_id = %(study)s AND is_current AND repeat = 1
ORDER BY rater_id, item_id, rating_round.number DESC
"""
# OFFSET 0 makes each look-up one by an index, whatever the planner believes of young tables: with a
# few thousand ratings and statistics that say "empty" the plain join took minutes.
_AGAIN = """
SELECT given.criterion_key, again.rater_id, again.item_id,
    said.label, said.score, given.label, given.score
FROM annotation_submission again
CROSS JOIN LATERAL (
    SELECT id FROM annotation_submission
    WHERE round_id = again.round_id AND rater_id = again.rater_id AND item_id = again.item_id
        AND repeat = 1 AND is_current
    OFFSET 0
) first
CROSS JOIN LATERAL (
    SELECT id, criterion_key, label, score FROM annotation_rating
    WHERE submission_id = again.id AND unscored = ''
    OFFSET 0
) given
CROSS JOIN LATERAL (
    SELECT label, score FROM annotation_rating
    WHERE submission_id = first.id AND criterion_key = given.criterion_key AND unscored = ''
    OFFSET 0
) said
WHERE again.study_id = %(study)s AND again.is_current AND again.repeat = 2
    AND again.round_id IS NOT NULL
ORDER BY again.id, given.id
"""
# Of each judge's first and newest run, the first answer to each item that came to an end.
_RUNS = """
WITH run AS (
    SELECT run.id, judge.rater_id, run.started_at,
        rank() OVER (PARTITION BY judge_id ORDER BY run.id) AS first,
        rank() OVER (PARTITION BY judge_id ORDER BY run.id DESC) AS newest
    FROM judging_judgerun run JOIN judging_judge judge ON judge.id = run.judge_id
    WHERE run.study_id = %(study)s
        AND EXISTS (SELECT FROM judging_judgecall
            WHERE run_id = run.id AND submission_id IS NOT NULL)
)
SELECT run.rater_id, run.id,
    coalesce(min(min(call.answered_at)) OVER (PARTITION BY run.id), run.started_at),
    call.item_id, min(call.repeat)
FROM run JOIN judging_judgecall call ON call.run_id = run.id
WHERE (run.first = 1 OR run.newest = 1) AND call.submission_id IS NOT NULL
GROUP BY run.rater_id, run.id, run.started_at, call.item_id
ORDER BY run.rater_id, run.id
"""

# How many of the answers routing, and lists of items, rest on: those that came first.
_ANSWERERS = """
SELECT judge.rater_id, call.answered_llm, call.answered_fingerprint,
    min(call.answered_at), max(call.answered_at),
    count(*), count(*) FILTER (WHERE call.repeat = 1)
FROM judging_judgecall call
JOIN judging_judgerun run ON run.id = call.run_id
JOIN judging_judge judge ON judge.id = run.judge_id
WHERE run.study_id = %(study)s AND call.state = 'done' AND call.answered_llm <> ''
GROUP BY 1, 2, 3
ORDER BY 1, 4, 2, 3
"""

_ORIGINS = """
SELECT gold.criterion_key, gold.origin, count(*)
FROM annotation_gold gold JOIN annotation_item item ON item.id = gold.item_id
WHERE item.study_id = %(study)s AND gold.superseded_at IS NULL
GROUP BY 1, 2
ORDER BY 1, 2
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answerer:
    """Who an endpoint named as answering for a judge: from when to when, in how many answers, and
    in how many of those that the judge gave when first asked about an item."""

    llm: str
    fingerprint: str
    first_at: datetime
    last_at: datetime
    n_answers: int
    n_first: int


@dataclass(frozen=True, slots=True, kw_only=True)
class HoldOutUsed:
    """How often the hold-out of a study was put to judges of one family of prompts, "" for
    Concord's own; how often to this judge, and why again. `tried_before`: how many earlier versions
    of its prompt had answered here before it was first asked."""

    family: str
    by_family: int
    by_judge: int
    reasons: tuple[str, ...]
    tried_before: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RunAsked:
    """When a judge first answered in its first and in its newest run: with `first` and `last` (n,),
    which of its repeats answered each item then, 0 where none; both the same where it was asked in
    one run only."""

    first_at: datetime
    last_at: datetime
    first: Ints
    last: Ints

    @property
    def is_again(self) -> bool:
        return self.last_at > self.first_at


def judges_asked(study: StudyRatings) -> dict[int, RunAsked]:
    """{rater: when it was asked} of the judges that were run here; imported ones have no time."""
    if study.is_blinded:
        return {}
    runs: dict[int, dict[datetime, Ints]] = {}
    places = {item: place for place, item in enumerate(study.items.tolist())}
    for rater, _run, at, item, repeat in fetched(_RUNS, {"study": study.study_id}):
        if item not in places:
            continue
        of_run = runs.setdefault(rater, {}).setdefault(at, np.zeros(study.items.size, np.int64))
        of_run[places[item]] = repeat
    return {
        rater: RunAsked(
            first_at=min(found), last_at=max(found), first=found[min(found)], last=found[max(found)]
        )
        for rater, found in runs.items()
    }


def answerers(study: StudyRatings) -> dict[int, tuple[Answerer, ...]]:
    """{rater: who answered for it, in the order of their first answers}, where endpoints say so."""
    if study.is_blinded:
        return {}
    found: dict[int, tuple[Answerer, ...]] = {}
    for rater, llm, fingerprint, *rest in fetched(_ANSWERERS, {"study": study.study_id}):
        first_at, last_at, n_answers, n_first = rest
        found[rater] = (
            *found.get(rater, ()),
            Answerer(
                llm=llm,
                fingerprint=fingerprint,
                first_at=first_at,
                last_at=last_at,
                n_answers=n_answers,
                n_first=n_first,
            ),
        )
    return found


def hold_out_used(study: StudyRatings) -> dict[int, HoldOutUsed]:
    """{rater: what it and its like were tried on} of the judges that were run here."""
    if study.is_blinded:
        return {}
    judges = (
        Judge.objects.filter(runs__study=study.study_id, generator=None)
        .select_related("template")
        .distinct()
    )
    uses = list(
        HoldOutUse.objects.filter(hold_out__study=study.study_id, hold_out__ended_at=None)
        .order_by("pk")
        .values_list("judge", "family", "reason")
    )
    first = dict(
        JudgeRun.objects.filter(study=study.study_id)
        .values_list("judge__template")
        .annotate(first=Min("pk"))
    )
    families = Counter(family for _judge, family, _reason in uses)
    own = Counter(judge for judge, _family, _reason in uses)
    versions = {one.template for one in judges if one.template}
    return {
        one.rater_id: HoldOutUsed(
            family=(family := one.template.name if one.template else ""),
            by_family=families[family],
            by_judge=own[one.pk],
            reasons=tuple(why for judge, _family, why in uses if judge == one.pk and why),
            tried_before=sum(
                other.name == family and first[other.pk] < first[one.template_id]
                for other in versions
                if one.template and other.number < one.template.number
            ),
        )
        for one in judges
    }


def gold_origins(study: StudyRatings) -> dict[str, dict[str, int]]:
    """{criterion: {how gold came to be: on how many items}}."""
    found: dict[str, dict[str, int]] = {}
    for criterion, origin, n in fetched(_ORIGINS, {"study": study.study_id}):
        found.setdefault(criterion, {})[origin] = n
    return found


def weeks(study: StudyRatings) -> Floats:
    """In which week each rater rated each item, (n, r), counted from `FIRST_MONDAY`; NaN unless
    in a round. The order is that of `items` and `raters`."""
    asked = {"study": study.study_id, "zone": settings.TIME_ZONE, "first": FIRST_MONDAY}
    rows = np.array(fetched(_WEEKS, asked), dtype=np.int64).reshape(-1, 3)
    found = np.full((study.items.size, len(study.raters)), np.nan)
    columns = {rater.id: place for place, rater in enumerate(study.raters)}
    known = np.isin(rows[:, 0], list(columns)) & np.isin(rows[:, 1], study.items)
    rater, item, week = rows[known].T
    found[np.searchsorted(study.items, item), [columns[one] for one in rater.tolist()]] = week
    return found


def monday(week: float) -> date:
    """The day with which a week begins."""
    return FIRST_MONDAY + timedelta(weeks=int(week))


def week_of(monday: date) -> float:
    """Where a week stands in `weeks`, by the day with which it begins."""
    return (monday - FIRST_MONDAY) / timedelta(weeks=1)


def said_again(study: StudyRatings, view: View) -> "pd.DataFrame":
    """One row an answer that a person gave twice: criterion, rater (id), item (its place), first,
    again (scores or codes of labels)."""
    codes = {criterion.key: _codes(criterion) for criterion in study.rubric.criteria}
    places = {item: place for place, item in enumerate(study.items.tolist())}
    rows = [
        (criterion, rater, places[item], first, again)
        for criterion, rater, item, *said in fetched(_AGAIN, {"study": study.study_id})
        if criterion in codes and item in places
        for first in [_value(codes[criterion], *said[:2])]
        for again in [_value(codes[criterion], *said[2:])]
        if first is not None and again is not None
    ]
    found = pd.DataFrame(rows, columns=["criterion", "rater", "item", "first", "again"])
    counted: pd.DataFrame = found[study.counted(view)[found["item"].to_numpy(dtype=np.int64)]]
    return counted


def _value(codes: dict[str, float], label: str | None, score: int | None) -> float | None:
    """None for a label of another edition of the rubric."""
    return codes.get(label) if label is not None else score


def _codes(criterion: Criterion) -> dict[str, float]:
    if not isinstance(criterion, Taxonomy):
        return {}
    return {label.key: float(label.code) for label in criterion.labels}
