"""Try out a judge before it is started: on a made-up dialogue, never on one of a study."""

from dataclasses import replace
from datetime import datetime

from django.conf import settings
from django.db import transaction

from accounts import events
from accounts.models import User
from annotation.models import Study
from judging.actions import judges
from judging.actions.judges import Settings
from judging.actions.runs import CannotRun
from judging.comparing import interview_by
from judging.interviews import Exchange, Interview
from judging.models import Probe
from judging.prompts.template import ReasoningOrder, Template
from judging.providers import probing
from judging.providers.endpoint import Sampling
from judging.providers.faults import Blocked, Fault, RateLimited, Rejected
from judging.providers.probing import Tried
from judging.queries.endpoints import address_of, of_judge, reason_not_to_send
from judging.queries.runs import reason_to_keep_from
from judging.rules.outcomes import Outcome, Pause, Taken
from judging.rules.questions import Unreadable

LONGEST_WAIT = 15.0  # seconds for each of two requests in turn: a person is looking on


def try_out(*, study: Study, judge: Settings, by: User | None, at: datetime) -> Probe:
    """Ask the judge's endpoint about the made-up dialogue and keep what came of it."""
    endpoint = of_judge(judge.endpoint)
    if problem := reason_not_to_send(judge.base_url, endpoint):
        raise CannotRun(problem)
    if kept := reason_to_keep_from(
        study, judge.base_url
    ):  # the rubric and examples are the study's
        raise CannotRun(kept)
    template = judges.template_for(study, judge)
    plain, as_json = (_interview(study, template, as_json=form) for form in (False, True))
    item = probing.made_up(judge.language, template.subject)
    tried = probing.probe(
        address_of(judge.base_url, endpoint, timeout=min(LONGEST_WAIT, settings.LLM_TIMEOUT)),
        Sampling(llm=judge.llm, temperature=judge.temperature, max_tokens=judge.max_tokens),
        plain=plain.first_prompt(item),
        as_json=as_json.first_prompt(item),
        can_be_read=lambda came: "{" in came["text"] and _read(came, as_json) == Outcome.RATED,
    )
    return _keep(judge, _findings(tried, plain, as_json), tried.seconds, by, at)


@transaction.atomic
def _keep(
    judge: Settings, findings: dict[str, str], seconds: float, by: User | None, at: datetime
) -> Probe:
    probe = Probe.objects.create(
        llm=judge.llm,
        base_url=judge.base_url,
        endpoint_id=judge.endpoint,
        findings=findings,
        seconds=seconds,
        made_at=at,
        made_by=by,
    )
    events.record("judge.probed", subject=f"probe:{probe.pk}", by=by, at=at)
    return probe


def _interview(study: Study, template: Template, *, as_json: bool) -> Interview:
    order = ReasoningOrder.REASONING_FIRST if as_json else ReasoningOrder.VERDICT_ONLY
    asked = replace(template, as_json=as_json, order=order)
    return interview_by(asked, study.rubric_version.content)


def _findings(tried: Tried, plain: Interview, as_json: Interview) -> dict[str, str]:
    """{what was tried: what came of it}; all but the first only where that was answered."""
    if isinstance(tried.plain, Fault):
        return {"plain": _ended(tried.plain), "problem": tried.plain.code}
    came = {rung: _read(answer, as_json) for rung, answer in tried.rungs.items()}
    last = list(came)[-1]
    return {
        "plain": _read(tried.plain, plain),
        "json": came[last],
        **{f"by_{rung.value}": ended for rung, ended in came.items()},
        **({"rung": last.value} if came[last] == Outcome.RATED else {}),
        "limit": tried.limit_is_called,
        "system": _taken(tried.takes_system),
        **_temperature(tried),
        "seed": _taken(tried.seed),
        "logprobs": _taken(tried.logprobs),
        "effort": _taken(tried.effort),
        "batches": _taken(tried.batches),
        "tokens": _taken(bool(tried.plain["usage"])),
        "llm": tried.plain["llm"],
    }


def _temperature(tried: Tried) -> dict[str, str]:
    """Whether a temperature is taken, where the judge has one."""
    taken = tried.takes_temperature
    return {} if taken is None else {"temperature": _taken(taken)}


def _read(came: Exchange | Fault | None, interview: Interview) -> str:
    """How a call would have ended with this answer to its first questions."""
    if came is None or isinstance(came, Fault):
        return _ended(came)
    unread = [one.reason for one in interview.first_found(came) if isinstance(one, Unreadable)]
    return (unread[0] if unread else Outcome.RATED).value


def _ended(fault: Fault | None) -> str:
    match fault:
        case Blocked(reason=reason):
            return reason.value
        case RateLimited():
            return Pause.OUT_OF_QUOTA.value
        case Rejected(outcome=outcome):
            return outcome.value
    return Outcome.ENDPOINT_ERROR.value


def _taken(came: Exchange | Fault | bool | None) -> str:
    """Accepted, refused, or not known because the endpoint failed."""
    if isinstance(came, Fault):
        return (Taken.NO if isinstance(came, Rejected) else Taken.UNKNOWN).value
    return (Taken.YES if came else Taken.NO).value
