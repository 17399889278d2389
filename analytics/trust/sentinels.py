"""What judges answer to their sentinels now, beside what they answered to the same prompts first."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

import numpy as np
from django.db import transaction

from accounts import events
from accounts.actions import letters
from accounts.models import User
from analytics.models import SentinelCheck
from analytics.stats.drift import Drift, check_drift, check_flips
from annotation.actions.studies import note_change
from annotation.models import Study, TeamRole
from annotation.rubric.answers import Answer
from judging.interviews import Interview
from judging.models import CallState, JudgeCall, JudgeRun, RunState, SentinelSet
from judging.queries.runs import interview_of
from judging.rules.questions import Unreadable

Read = Mapping[str, Answer | Unreadable]


@dataclass(frozen=True, slots=True, kw_only=True)
class SentinelsCompared:
    """The answers that can be compared, first and now, and how many could not: `apart` were asked
    by another prompt, `unanswered` not at all."""

    pairs: Sequence[tuple[Read, Read]]
    apart: int
    unanswered: int


def check_finished(*, at: datetime) -> None:
    """Compare every run of sentinels that has ended and was not compared yet."""
    ended = JudgeRun.objects.filter(
        sentinels__isnull=False, state=RunState.FINISHED, sentinel_check=None
    )
    for run_id in ended.order_by("pk").values_list("pk", flat=True):
        check(run_id=run_id, at=at)


@transaction.atomic
def check(*, run_id: int, at: datetime) -> SentinelCheck:
    """Hold one run against the margin that was fixed, and tell who coordinates where it did not pass."""
    run = JudgeRun.objects.select_for_update(of=("self",)).get(pk=run_id)
    known = SentinelCheck.objects.filter(run=run).first()
    if known or run.sentinels is None:
        raise ValueError("This run has been compared, or is about no sentinels.")
    found = _found(_compared(run, run.sentinels), margin=run.sentinels.margin)
    verdict = _verdict([Drift(one["drift"]) for one in found["criteria"].values()])
    made = SentinelCheck.objects.create(run=run, verdict=verdict.value, figures=found, made_at=at)
    events.record(
        "sentinels.checked",
        subject=f"judge_run:{run.pk}",
        by=None,
        at=at,
        facts={
            "judge": run.judge_id,
            "verdict": verdict.value,
            "compared": found["compared"],
            "changed": found["changed"],
        },
    )
    if verdict is not Drift.PASSED:
        for account in _coordinators(run.study):
            letters.tell_of_sentinels(account)
    note_change(study_id=run.study_id)
    return made


def newest(study_id: int) -> dict[int, SentinelCheck]:
    """{judge's rater: the newest comparison} under the sentinels that are in force."""
    checks = SentinelCheck.objects.filter(
        run__study=study_id, run__sentinels__retired_at=None
    ).select_related("run__judge__rater")
    return {one.run.judge.rater_id: one for one in checks.order_by("pk")}


def failed(study: Study) -> dict[str, str]:
    """{judge's key: why a sealed verdict about it holds no longer}."""
    return {
        one.run.judge.rater.key: (
            f"it answers its sentinels otherwise: {one.figures['changed']} of "
            f"{one.figures['compared']} changed"
        )
        for one in newest(study.pk).values()
        if one.verdict == Drift.FAILED
    }


def bridged(study_id: int) -> dict[int, frozenset[str]]:
    """{judge's rater: the configurations whose answers passed as those of the judge}."""
    passed = JudgeCall.objects.filter(
        run__study=study_id,
        run__sentinels__retired_at=None,
        run__sentinel_check__verdict=Drift.PASSED.value,
    ).exclude(answered_fingerprint=None)
    found: dict[int, set[str]] = {}
    for rater, fingerprint in passed.values_list("run__judge__rater", "answered_fingerprint"):
        found.setdefault(rater, set()).add(fingerprint)
    return {rater: frozenset(those) for rater, those in found.items()}


def _compared(run: JudgeRun, sentinels: SentinelSet) -> SentinelsCompared:
    members = sentinels.members.select_related("call__run__judge__template")
    now = {call.item_id: call for call in run.calls.filter(state=CallState.DONE)}
    interview, interviews = interview_of(run), dict[int, Interview]()
    pairs, apart, unanswered = [], 0, 0
    for first in (member.call for member in members):
        again = now.get(first.item_id)
        if again is None or not again.exchanges:
            unanswered += 1
        elif _prompt(first) != _prompt(again):
            apart += 1
        else:
            before = interviews.setdefault(first.run_id, interview_of(first.run))
            pairs.append((before.conclude(first.exchanges), interview.conclude(again.exchanges)))
    return SentinelsCompared(pairs=pairs, apart=apart, unanswered=unanswered)


def _prompt(call: JudgeCall) -> str:
    """What was sent first: what follows may hang on the answer."""
    return str(call.exchanges[0]["prompt_sha256"])


def _found(compared: SentinelsCompared, *, margin: float) -> dict[str, Any]:
    keys = list(dict.fromkeys(key for first, _again in compared.pairs for key in first))
    flips = {key: [_differ(a[key], b[key]) for a, b in compared.pairs] for key in keys}
    return {
        "margin": margin,
        "compared": len(compared.pairs),
        "changed": int(np.any(list(flips.values()), axis=0).sum()) if keys else 0,
        "apart": compared.apart,
        "unanswered": compared.unanswered,
        "criteria": {
            key: asdict(check_flips(flips[key], margin=margin, n_checks=len(keys)))
            | {"shift": _shift(compared, key, n_checks=len(keys))}
            for key in keys
        },
    }


def _shift(compared: SentinelsCompared, key: str, *, n_checks: int) -> dict[str, Any] | None:
    """By how much scores moved in the mean; None where nothing is scored."""
    first, again = (
        np.array([_score(pair[side][key]) for pair in compared.pairs]) for side in (0, 1)
    )
    moved = check_drift(first, again, margin=None, n_checks=n_checks).residual
    if moved.value is None:
        return None
    return {"value": moved.value, "low": moved.low, "high": moved.high, "n": moved.n_items}


def _score(found: Answer | Unreadable) -> float:
    if isinstance(found, Answer) and found.score is not None:
        return float(found.score)
    return float("nan")


def _differ(first: Answer | Unreadable, again: Answer | Unreadable) -> bool:
    """Whether another value came, or none where there was one."""
    if isinstance(first, Answer) and isinstance(again, Answer):
        return (first.label, first.score) != (again.label, again.score)
    return isinstance(first, Answer) or isinstance(again, Answer)


def _verdict(each: Sequence[Drift]) -> Drift:
    """Of all criteria: passed only where every one is."""
    if Drift.FAILED in each:
        return Drift.FAILED
    return Drift.PASSED if each and set(each) == {Drift.PASSED} else Drift.INCONCLUSIVE


def _coordinators(study: Study) -> list[User]:
    members = study.memberships.filter(roles__contains=[TeamRole.COORDINATOR])
    return [one.user for one in members.filter(user__is_active=True).select_related("user")]
