"""Editions of judges: the same settings are the same judge, other settings another."""

from dataclasses import dataclass, field
from datetime import datetime

from django.utils.text import slugify

from annotation.models import Rater, RaterKind
from judging import standin
from judging.models import Judge
from judging.prompts import EDITION
from judging.rules.questions import AskingManner


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """All that makes a judge the judge it is; None leaves a setting to the endpoint.

    `own_generators` are the sources of replies that the LLM's own family wrote.
    """

    llm: str
    base_url: str
    manner: AskingManner = AskingManner.FLAT
    language: str = "en"
    temperature: float | None = None
    max_tokens: int | None = None
    as_json: bool = True
    own_generators: frozenset[str] = field(default_factory=frozenset)


def edition_of(settings: Settings, *, at: datetime) -> Judge:
    """Return the judge with these settings, a new edition if there is none yet."""
    same = Judge.objects.filter(
        llm=settings.llm,
        base_url=settings.base_url,
        manner=settings.manner.value,
        prompt_language=settings.language,
        prompt_edition=EDITION,
        temperature=settings.temperature,
        max_tokens=settings.max_tokens,
        json_answer=settings.as_json,
        rater__own_generators=sorted(settings.own_generators),
    )
    return same.select_related("rater").first() or _new_edition(settings, at=at)


def _new_edition(settings: Settings, *, at: datetime) -> Judge:
    key, number = _free_key(settings.llm)
    name = settings.llm if number == 1 else f"{settings.llm} v{number}"
    rater = Rater.objects.create(
        key=key,
        name=name[:150],
        kind=RaterKind.JUDGE,
        own_generators=sorted(settings.own_generators),
    )
    return Judge.objects.create(
        rater=rater,
        llm=settings.llm,
        base_url=settings.base_url,
        manner=settings.manner.value,
        prompt_language=settings.language,
        prompt_edition=EDITION,
        temperature=settings.temperature,
        max_tokens=settings.max_tokens,
        json_answer=settings.as_json,
        is_stand_in=settings.llm == standin.NAME,
        created_at=at,
    )


def _free_key(llm: str) -> tuple[str, int]:
    """Return "gpt-4o", "gpt-4o-v2", ...: the first that no rater has, and its number."""
    stem = (slugify(llm) or "judge")[:90]
    taken = set(Rater.objects.filter(key__startswith=stem).values_list("key", flat=True))
    number = 1
    while (key := stem if number == 1 else f"{stem}-v{number}") in taken:
        number += 1
    return key, number
