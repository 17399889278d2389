"""Which answers of a judge stand together: those of the configuration that answered first.

An endpoint says with each answer which LLM and which configuration (fingerprint) of it answered.
What came from another one is set apart until the judge's sentinels pass under it. Who answered is
kept with each run, so that no calls are read but those of runs in which something stands apart.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from django.db.models import F

from analytics.ratings.columns import ColumnPlace
from analytics.ratings.fetching import fetched
from analytics.stats.drift import Drift
from analytics.stats.scales import Ints
from judging.models import JudgeCall

_NAMED = """
SELECT judge.rater_id, answerer.llm, answerer.fingerprint
FROM judging_runanswerer answerer
JOIN judging_judgerun run ON run.id = answerer.run_id
JOIN judging_judge judge ON judge.id = run.judge_id
WHERE run.study_id = %(study)s AND run.sentinels_id IS NULL
GROUP BY 1, 2, 3
ORDER BY 1, min(answerer.first_at), min(answerer.first_call)
"""
_GIVEN = """
WITH apart AS (
    SELECT answerer.run_id, answerer.llm, answerer.fingerprint
    FROM judging_runanswerer answerer
    JOIN judging_judgerun run ON run.id = answerer.run_id
    JOIN judging_judge judge ON judge.id = run.judge_id
    WHERE run.study_id = %(study)s AND judge.rater_id = %(rater)s
        AND (answerer.llm, answerer.fingerprint)
            IN (SELECT * FROM unnest(%(llms)s::text[], %(fingerprints)s::text[]))
)
SELECT submission.rater_id, submission.repeat, submission.item_id
FROM apart
JOIN judging_judgecall call ON call.run_id = apart.run_id AND call.answered_llm = apart.llm
    AND coalesce(call.answered_fingerprint, '') = apart.fingerprint
JOIN annotation_submission submission ON submission.id = call.submission_id
WHERE submission.is_current
ORDER BY 1, 2, 3
"""


def bridged(study_id: int) -> dict[int, frozenset[str]]:
    """{judge's rater: the configurations whose answers passed as those of the judge}."""
    passed = JudgeCall.objects.filter(
        run__study=study_id,
        run__sentinel_check__verdict=Drift.PASSED.value,
        run__judge=F("run__sentinels__judge"),
    ).exclude(answered_fingerprint=None)
    found: dict[int, set[str]] = {}
    for rater, fingerprint in passed.values_list("run__judge__rater", "answered_fingerprint"):
        found.setdefault(rater, set()).add(fingerprint)
    return {rater: frozenset(those) for rater, those in found.items()}


def apart(study_id: int) -> dict[ColumnPlace, Ints]:
    """{column: the items (n,) that a judge answered there under another LLM or configuration than
    it was first asked under, unless its sentinels passed under that one}."""
    others = _others(study_id)
    found: dict[ColumnPlace, list[int]] = {}
    for rater, named in others.items():
        llms, fingerprints = zip(*named, strict=True)
        asked: dict[str, Any] = {"study": study_id, "rater": rater}
        asked |= {"llms": list(llms), "fingerprints": list(fingerprints)}
        for _rater, repeat, item in fetched(_GIVEN, asked):
            found.setdefault(ColumnPlace(rater, repeat), []).append(item)
    return {place: np.array(items) for place, items in found.items()}


def standing_apart(
    named: Sequence[tuple[str, str]], passed: frozenset[str]
) -> list[tuple[str, str]]:
    """Of (LLM, fingerprint) in the order of their first answers: those of another LLM than the first
    one, or of another fingerprint than its first that did not pass."""
    first = named[0][0]
    known = [fingerprint for llm, fingerprint in named if llm == first and fingerprint]
    home = {"", *known[:1], *passed}
    return [(llm, one) for llm, one in named if llm != first or one not in home]


def _others(study_id: int) -> dict[int, list[tuple[str, str]]]:
    """{judge's rater: (LLM, fingerprint) of what stands apart}."""
    named: dict[int, list[tuple[str, str]]] = {}
    for rater, llm, fingerprint in fetched(_NAMED, {"study": study_id}):
        named.setdefault(rater, []).append((llm, fingerprint))
    if all(len(those) < 2 for those in named.values()):
        return {}
    passed = bridged(study_id)
    found = {
        rater: standing_apart(those, passed.get(rater, frozenset()))
        for rater, those in named.items()
    }
    return {rater: those for rater, those in found.items() if those}
