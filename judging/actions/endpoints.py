"""Say where LLMs are asked, what they cost there, and when they are asked there no more."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from decimal import Decimal
from typing import Any

from django.conf import settings
from django.db import connection, transaction
from django.db.models import Max

from accounts import events
from accounts.models import User
from annotation.rubric.sentences import Sentence
from judging.models import LLMEndpoint, LLMPrice
from judging.queries.endpoints import problem_with_host
from judging.rules import endpoints

_ONE_AT_A_TIME = "SELECT pg_advisory_xact_lock(hashtext('concord.endpoints'))"


class CannotAdd(Exception):
    """Sentences that say why an endpoint cannot be added, one for each mistake."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EndpointSettings:
    """All that is said of an endpoint; `key_reference` says where its key is."""

    key: str
    name: str
    base_url: str
    dialect: str = endpoints.Dialect.OPENAI.value
    key_reference: str = ""
    headers: Mapping[str, Any] = field(default_factory=dict)
    body: Mapping[str, Any] = field(default_factory=dict)
    processor: str = "other"
    most_at_once: int | None = None


@transaction.atomic
def add(*, described: EndpointSettings, by: User | None, at: datetime) -> LLMEndpoint:
    """Add an endpoint, or the next version of one, in whose place it comes."""
    if problems := _problems(described):
        raise CannotAdd(*problems)
    with connection.cursor() as cursor:
        cursor.execute(_ONE_AT_A_TIME)
    versions = LLMEndpoint.objects.filter(key=described.key)
    versions.filter(retired_at=None).update(retired_at=at, retired_by=by)
    number = (versions.aggregate(newest=Max("number"))["newest"] or 0) + 1
    endpoint = LLMEndpoint.objects.create(
        key=described.key,
        number=number,
        name=described.name,
        base_url=described.base_url,
        dialect=described.dialect,
        key_reference=described.key_reference,
        headers=dict(described.headers),
        body=dict(described.body),
        processor=described.processor,
        most_at_once=described.most_at_once,
        added_at=at,
        added_by=by,
    )
    events.record(
        "endpoint.added",
        subject=f"llm_endpoint:{endpoint.pk}",
        by=by,
        at=at,
        facts={"host": endpoints.host_of(endpoint.base_url), "number": number},
    )
    return endpoint


@transaction.atomic
def retire(*, endpoint_id: int, by: User | None, at: datetime) -> bool:
    """Ask no LLM there any more: runs under way pause. False where it was so already."""
    endpoint = LLMEndpoint.objects.select_for_update().get(pk=endpoint_id)
    if endpoint.retired_at:
        return False
    endpoint.retired_at, endpoint.retired_by = at, by
    endpoint.save(update_fields=["retired_at", "retired_by"])
    events.record("endpoint.retired", subject=f"llm_endpoint:{endpoint.pk}", by=by, at=at)
    return True


@transaction.atomic
def set_price(
    *,
    endpoint: LLMEndpoint,
    llm: str,
    prompt: Decimal,
    answer: Decimal,
    currency: str,
    since: date,
    by: User | None,
    at: datetime,
    is_for_batches: bool = False,
    cached: Decimal | None = None,
) -> LLMPrice:
    """Say what a million tokens cost from a day on; what was said before is kept."""
    price = LLMPrice.objects.create(
        endpoint=endpoint,
        llm=llm,
        prompt=prompt,
        answer=answer,
        cached=cached,
        currency=currency,
        since=since,
        is_for_batches=is_for_batches,
        added_at=at,
        added_by=by,
    )
    events.record(
        "endpoint.price_set",
        subject=f"llm_endpoint:{endpoint.pk}",
        by=by,
        at=at,
        facts={
            "prompt": str(prompt),
            "answer": str(answer),
            **({} if cached is None else {"cached": str(cached)}),
            "currency": currency,
        },
    )
    return price


def _problems(described: EndpointSettings) -> list[Sentence]:
    url = endpoints.problem_with(described.base_url, http_hosts=settings.LLM_HTTP_HOSTS)
    found = (
        url or problem_with_host(described.base_url),
        endpoints.problem_with_key(described.key_reference),
        endpoints.problem_with_headers(described.headers),
        endpoints.problem_with_body(described.body),
    )
    return [problem for problem in found if problem]
