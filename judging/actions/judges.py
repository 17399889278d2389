"""Editions of judges: the same settings are the same judge, other settings another."""

from dataclasses import dataclass, field
from datetime import datetime

from django.utils.text import slugify

from annotation.models import Rater, RaterKind, Study
from judging import standin
from judging.models import Judge, PromptTemplate
from judging.prompts import EDITION, loading
from judging.prompts.template import Template, built_in
from judging.queries.runs import subject_of
from judging.rules.questions import AskingManner


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """All that makes a judge the judge it is; None leaves a setting to the endpoint.

    `endpoint` is where it is asked, if not where the server is set up to ask. `template` is the
    version of a study's own prompt, which has the manner, the language and the
    form of the answer in it. `own_generators` are the sources of replies that the LLM's own family wrote.
    """

    llm: str
    base_url: str
    endpoint: int | None = None
    manner: AskingManner = AskingManner.FLAT
    language: str = "en"
    temperature: float | None = None
    max_tokens: int | None = None
    as_json: bool = True
    prompt_edition: str = EDITION
    template: int | None = None
    own_generators: frozenset[str] = field(default_factory=frozenset)


def template_for(study: Study, settings: Settings) -> Template:
    """The prompt of a judge that may not be there yet; TemplateError where it suits no longer."""
    if settings.template is None:
        return built_in(
            manner=settings.manner,
            language=settings.language,
            as_json=settings.as_json,
            subject=subject_of(settings.prompt_edition),
        )
    written = PromptTemplate.objects.get(pk=settings.template, study=study)
    return loading.read(written.text, study.rubric_version.content)


def edition_of(settings: Settings, *, at: datetime) -> Judge:
    """Return the judge with these settings, a new edition if there is none yet."""
    same = Judge.objects.filter(
        llm=settings.llm,
        base_url=settings.base_url,
        endpoint=settings.endpoint,
        manner=settings.manner.value,
        prompt_language=settings.language,
        prompt_edition=settings.prompt_edition,
        template=settings.template,
        temperature=settings.temperature,
        max_tokens=settings.max_tokens,
        json_answer=settings.as_json,
        rater__own_generators=sorted(settings.own_generators),
    )
    return same.select_related("rater").first() or _new_edition(settings, at=at)


def new_generator(study: Study, settings: Settings, *, name: str, at: datetime) -> Judge:
    """Keep an LLM that writes replies in a study under a name, with its settings."""
    return _new_edition(settings, at=at, name=name, stem=f"generator {study.key} {name}")


def _new_edition(settings: Settings, *, at: datetime, name: str = "", stem: str = "") -> Judge:
    key, number = _free_key(stem or settings.llm)
    name = name or (settings.llm if number == 1 else f"{settings.llm} v{number}")
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
        endpoint_id=settings.endpoint,
        manner=settings.manner.value,
        prompt_language=settings.language,
        prompt_edition=settings.prompt_edition,
        template_id=settings.template,
        temperature=settings.temperature,
        max_tokens=settings.max_tokens,
        json_answer=settings.as_json,
        is_stand_in=settings.llm == standin.NAME,
        created_at=at,
    )


def _free_key(wanted: str) -> tuple[str, int]:
    """Return "gpt-4o", "gpt-4o-v2", ...: the first that no rater has, and its number."""
    stem = (slugify(wanted) or "judge")[:90]
    taken = set(Rater.objects.filter(key__startswith=stem).values_list("key", flat=True))
    number = 1
    while (key := stem if number == 1 else f"{stem}-v{number}") in taken:
        number += 1
    return key, number
