"""Trials that went well, so that a judge may be started without making one."""

from django.utils import timezone

from judging.actions.judges import Settings
from judging.models import Probe

FOUND = {
    "plain": "rated",
    "json": "rated",
    "by_json_schema": "rated",
    "rung": "json_schema",
    "limit": "max_tokens",
    "temperature": "yes",
    "seed": "yes",
    "logprobs": "no",
    "effort": "no",
    "batches": "no",
    "tokens": "yes",
    "llm": "echo-1",
}


def tried(judge: Settings, **found: str) -> Settings:
    """The same judge, whose LLM was tried where it is asked."""
    note_trial(judge.llm, judge.base_url, judge.endpoint, **found)
    return judge


def note_trial(llm: str, base_url: str, endpoint: int | None = None, **found: str) -> Probe:
    return Probe.objects.create(
        llm=llm,
        base_url=base_url,
        endpoint_id=endpoint,
        findings=FOUND | found,
        seconds=0.1,
        made_at=timezone.now(),
    )
