"""What judges answer to their sentinels now, beside what they answered to the same prompts first."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from typing import Any

import numpy as np
from django.db import transaction
from django.db.models import F, Q, QuerySet

from accounts import events
from accounts.access import who_may_enter
from accounts.actions import letters
from accounts.models import User
from analytics import queue
from analytics.models import SentinelCheck, SentinelRuling
from analytics.stats.drift import Drift, check_drift, check_flips, least_for, needed_for
from annotation.actions.studies import note_change
from annotation.models import Study, TeamRole
from annotation.queries.studies import StudyAccess
from annotation.rubric.answers import Answer
from annotation.rubric.sentences import sentence
from annotation.rules.remarks import problem_with_reason, tidied
from judging.interviews import Interview
from judging.models import CallState, JudgeCall, JudgeRun, RunState, SentinelSet
from judging.queries.runs import interview_of
from judging.rules.outcomes import Outcome
from judging.rules.questions import Unreadable

# Runs in which the judge that has the sentinels was asked, not one that is to replace it.
_OF_ITS_OWN = Q(run__judge=F("run__sentinels__judge"))
_PARTS_OF_MARGIN = (0.1, 0.25, 0.5)
Read = Mapping[str, Answer | Unreadable]
BLINDED_SENTINELS = sentence(
    "Judges are blinded in this study: results of sentinels are shown, and decided about, once "
    "the judges are named."
)


class CannotLetPass(Exception):
    """A sentence that says why nothing is decided."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SentinelsCompared:
    """The answers that are compared, first and now, and who wrote the reply that each is about.

    `apart` were asked by another prompt, and are not compared but where another judge is to replace
    the first; `unanswered` not at all.
    """

    pairs: Sequence[tuple[Read, Read]]
    systems: Sequence[str]
    apart: int
    unanswered: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SentinelsPlanned:
    """Where this share of answers differs in truth, so many items are needed; None: more than are
    planned for."""

    share: float
    items: int | None


_TO_COMPARE = Q(sentinels__isnull=False, state=RunState.FINISHED, sentinel_check=None)


def is_to_compare(one: SentinelSet) -> bool:
    """Whether it was asked, and nobody has looked yet at what it answered."""
    return one.runs.filter(_TO_COMPARE).exists()


def check_finished(*, at: datetime) -> None:
    """Compare every run of sentinels that has ended and was not compared yet."""
    ended = JudgeRun.objects.filter(_TO_COMPARE)
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
    if verdict is not Drift.PASSED and run.judge_id == run.sentinels.judge_id:
        for account in _coordinators(run.study, at=at):
            letters.tell_of_sentinels(account)
        queue.tell_of_sentinels(check_id=made.pk)
    note_change(study_id=run.study_id)
    return made


def newest(study_id: int) -> dict[int, SentinelCheck]:
    """{judge's rater: the newest comparison} under the sentinels that are in force."""
    return {one.run.judge.rater_id: one for one in _in_force(study_id)}


def checks_of(study_id: int, judge: int) -> list[SentinelCheck]:
    """Every comparison of a judge, by its rater, under whatever sentinels; the newest first."""
    found = SentinelCheck.objects.filter(_OF_ITS_OWN, run__study=study_id, run__judge__rater=judge)
    return list(found.select_related("run").order_by("-pk"))


def bridges_of(study_id: int, judge: int) -> list[SentinelCheck]:
    """Every comparison of another judge with this one, by its rater; the newest first."""
    found = SentinelCheck.objects.filter(
        ~_OF_ITS_OWN, run__study=study_id, run__sentinels__judge__rater=judge
    )
    return list(found.select_related("run__judge__rater").order_by("-pk"))


def beside(
    bridges: Sequence[SentinelCheck], own: Sequence[SentinelCheck]
) -> dict[int, SentinelCheck]:
    """{run of another judge: what the judge itself answered when both were asked at once}."""
    at_once = {one.run.started_at: one for one in own}
    found = ((one.run_id, at_once.get(one.run.started_at)) for one in bridges)
    return {run: one for run, one in found if one}


def least_to_pass(study: Study, margin: float) -> int:
    """How many answers it takes that a judge can pass at all, on all criteria at once."""
    return least_for(margin, n_checks=_n_criteria(study))


def planned(study: Study, margin: float) -> list[SentinelsPlanned]:
    """How many it takes to pass in four of five times, by the share that differs in truth."""
    n_criteria = _n_criteria(study)
    return [
        SentinelsPlanned(share=share, items=needed_for(margin, share, n_checks=n_criteria))
        for share in (margin * part for part in _PARTS_OF_MARGIN)
    ]


def _n_criteria(study: Study) -> int:
    return len(study.rubric_version.content.criteria)


def answered_by(check: SentinelCheck) -> list[tuple[str, str]]:
    """(LLM, fingerprint) of those who answered that time."""
    named = check.run.calls.filter(state=CallState.DONE).exclude(answered_llm=None)
    who = named.values_list("answered_llm", "answered_fingerprint").distinct()
    return sorted((llm, fingerprint or "") for llm, fingerprint in who)


def failing(study_id: int) -> dict[int, SentinelCheck]:
    """{judge's rater: the comparison} that failed, while none has passed since and nobody decided."""
    decisive = _in_force(study_id).exclude(verdict=Drift.INCONCLUSIVE.value)
    newest_of = {one.run.judge.rater_id: one for one in decisive}
    return {
        rater: one
        for rater, one in newest_of.items()
        if one.verdict == Drift.FAILED and not hasattr(one, "ruling")
    }


def failed(study: Study) -> dict[str, str]:
    """{judge's key: why a sealed verdict about it holds no longer}."""
    return {
        one.run.judge.rater.key: (
            f"it answers its sentinels otherwise: {one.figures['changed']} of "
            f"{one.figures['compared']} changed"
        )
        for one in failing(study.pk).values()
    }


@transaction.atomic
def rule(
    *, study_access: StudyAccess, judge: int, reason: str, by: User, at: datetime
) -> SentinelRuling:
    """Let a judge be used on though it failed, for whoever fixes the rules of its cards."""
    study = Study.objects.select_for_update().get(pk=study_access.study.pk)
    if study.judges_are_blinded:
        raise CannotLetPass(BLINDED_SENTINELS)
    check = failing(study.pk).get(judge)
    if check is None:
        raise CannotLetPass(sentence("There is nothing to decide: its last check did not fail."))
    reason = tidied(reason)
    if problem := problem_with_reason(reason):
        raise CannotLetPass(problem)
    made = SentinelRuling.objects.create(check_made=check, reason=reason, ruled_at=at, ruled_by=by)
    events.record(
        "sentinels.ruled",
        subject=f"judge_run:{check.run_id}",
        by=by,
        at=at,
        facts={"judge": check.run.judge_id, "check": check.pk},
    )
    note_change(study_id=study.pk)
    return made


def _in_force(study_id: int) -> QuerySet[SentinelCheck]:
    """The comparisons under sentinels that are in force, the oldest first."""
    found = SentinelCheck.objects.filter(
        _OF_ITS_OWN, run__study=study_id, run__sentinels__retired_at=None
    )
    return found.select_related("run__judge__rater", "ruling").order_by("pk")


def _compared(run: JudgeRun, sentinels: SentinelSet) -> SentinelsCompared:
    members = sentinels.members.select_related("call__run__judge__template", "call__item")
    now = {call.item_id: call for call in run.calls.filter(state=CallState.DONE)}
    interview, interviews = interview_of(run), dict[int, Interview]()
    pairs, systems, apart, unanswered = [], [], 0, 0
    is_own = run.judge_id == sentinels.judge_id
    for first in (member.call for member in members):
        again = now.get(first.item_id)
        # What a filter now keeps from the LLM is answered otherwise, though nothing came.
        if again is None or not (again.exchanges or again.outcome == Outcome.REFUSED):
            unanswered += 1
            continue
        is_apart = bool(again.exchanges) and _prompt(first) != _prompt(again)
        apart += is_apart
        if not (is_own and is_apart):
            before = interviews.setdefault(first.run_id, interview_of(first.run))
            pairs.append((before.conclude(first.exchanges), interview.conclude(again.exchanges)))
            systems.append(first.item.generator)
    return SentinelsCompared(pairs=pairs, systems=systems, apart=apart, unanswered=unanswered)


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
        "systems": _by_system(compared, keys, margin=margin),
    }


def _by_system(
    compared: SentinelsCompared, keys: Sequence[str], *, margin: float
) -> dict[str, dict[str, Any]]:
    """The same for the replies of each system, where there are two: a judge that has moved for one of
    them alone moves the systems against each other. Limits hold for all systems and criteria at once.
    """
    named = sorted({one for one in compared.systems if one})
    if len(named) < 2:
        return {}
    n_checks = len(named) * len(keys)
    found = {}
    for system in named:
        pairs = [
            pair for pair, of in zip(compared.pairs, compared.systems, strict=True) if of == system
        ]
        part = replace(compared, pairs=pairs, systems=[system] * len(pairs))
        found[system] = {
            key: asdict(
                check_flips(
                    [_differ(a[key], b[key]) for a, b in pairs], margin=margin, n_checks=n_checks
                )
            )
            | {"shift": _shift(part, key, n_checks=n_checks)}
            for key in keys
        }
    return found


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


def _coordinators(study: Study, *, at: datetime) -> list[User]:
    """Those who may enter."""
    members = study.memberships.filter(roles__contains=[TeamRole.COORDINATOR])
    return list(who_may_enter(at=at).filter(pk__in=members.values("user")).order_by("pk"))
