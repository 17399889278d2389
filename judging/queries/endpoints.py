"""Where LLMs may be asked, how each endpoint is spoken to, and what it takes for it."""

from datetime import date
from urllib.parse import urlsplit

from django.conf import settings
from django.http import Http404

from annotation.rubric.sentences import Sentence, sentence
from judging.models import Judge, LLMEndpoint, LLMPrice, Probe, ProcessorClass
from judging.providers import keys
from judging.providers.endpoint import OLD_LIMIT, Address, Sampling
from judging.rules import endpoints
from judging.rules.budget import Price
from judging.rules.endpoints import Dialect, Rung
from judging.rules.outcomes import Taken


class NoSuchEndpoint(Http404):
    """There is no such endpoint."""


def every() -> list[LLMEndpoint]:
    """Every version of every endpoint, the newest of each first."""
    return list(LLMEndpoint.objects.select_related("added_by").order_by("key", "-number"))


def in_use() -> list[LLMEndpoint]:
    """The endpoints that a judge may be started at."""
    return list(LLMEndpoint.objects.filter(retired_at=None).order_by("name", "key"))


def numbered(number: int) -> LLMEndpoint:
    """An endpoint with its prices, or NoSuchEndpoint."""
    found = LLMEndpoint.objects.filter(pk=number).prefetch_related("prices").first()
    if found is None:
        raise NoSuchEndpoint
    return found


def of_judge(number: int | None) -> LLMEndpoint | None:
    """The endpoint that the settings of a judge name; None where they name none."""
    return None if number is None else LLMEndpoint.objects.filter(pk=number).first()


def keyed(key: str) -> LLMEndpoint:
    """The version in use of an endpoint, or NoSuchEndpoint."""
    found = LLMEndpoint.objects.filter(key=key, retired_at=None).first()
    if found is None:
        raise NoSuchEndpoint
    return found


def trials_at(endpoint: LLMEndpoint) -> list[Probe]:
    """The newest trial of each LLM at this version of an endpoint, the newest first."""
    newest = Probe.objects.filter(endpoint=endpoint).order_by("llm", "-pk").distinct("llm")
    return sorted(newest, key=lambda probe: probe.pk, reverse=True)


def hosts_of_ones_own() -> set[str]:
    """The hosts of endpoints in use that are said to be one's own servers."""
    own = LLMEndpoint.objects.filter(retired_at=None, processor=ProcessorClass.OWN)
    names = (urlsplit(url).hostname for url in own.values_list("base_url", flat=True))
    return {name for name in names if name}


def reason_not_to_send(base_url: str, endpoint: LLMEndpoint | None) -> Sentence | None:
    """Say why no dialogue may go there now, or None when it may."""
    if problem := endpoints.problem_with(base_url, http_hosts=settings.LLM_HTTP_HOSTS):
        return problem
    if endpoint is not None and endpoint.retired_at:
        return sentence("The endpoint “{name}” is no longer in use.", name=endpoint.name)
    return (problem_with_host(base_url) if endpoint else None) or problem_with_key(endpoint)


def problem_with_host(base_url: str) -> Sentence | None:
    """Say why the deployment does not let dialogues go to a host."""
    own = endpoints.host_of(settings.LLM_BASE_URL)
    return endpoints.problem_with_host(base_url, allowed={*settings.LLM_HOSTS, own} - {""})


def problem_with_key(endpoint: LLMEndpoint | None) -> Sentence | None:
    """Say that the key of an endpoint is not where it should be, or None."""
    try:
        _key_of(endpoint)
    except keys.NoKey:
        return sentence(
            "There is no key at {where} on this server, or none that can be sent: a key has no blanks, "
            "line breaks or letters with accents in it.",
            where=endpoint.key_reference if endpoint else "CONCORD_LLM_API_KEY",
        )
    return None


def _key_of(endpoint: LLMEndpoint | None) -> str:
    """Without an endpoint, the key that the server is set up with."""
    if endpoint is None:
        return keys.checked(settings.LLM_API_KEY, "CONCORD_LLM_API_KEY")
    return keys.key_at(endpoint.key_reference)


def address_of(base_url: str, endpoint: LLMEndpoint | None, *, timeout: float) -> Address:
    """How an endpoint is spoken to; without one, as the server is set up."""
    if endpoint is None:
        return Address(base_url=base_url, api_key=_key_of(None), timeout=timeout)
    return Address(
        base_url=base_url,
        api_key=_key_of(endpoint),
        timeout=timeout,
        dialect=Dialect(endpoint.dialect),
        headers=endpoint.headers,
        body=endpoint.body,
    )


def sampling_of(judge: Judge, probe: Probe | None) -> Sampling:
    """The settings of a judge, in the way that a trial found its LLM to take them."""
    learnt = probe.findings if probe else {}
    return Sampling(
        llm=judge.llm,
        temperature=judge.temperature,
        max_tokens=judge.max_tokens,
        rung=Rung(learnt.get("rung", Rung.JSON_SCHEMA)),
        limit_is_called=learnt.get("limit", OLD_LIMIT),
        takes_system=learnt.get("system") != Taken.NO,
    )


def priced(*, on: date) -> list[tuple[LLMEndpoint, str, Price]]:
    """(endpoint in use, LLM, its price on a day) of all whose price somebody has said."""
    places = {one.key: one for one in in_use()}
    known = LLMPrice.objects.filter(endpoint__key__in=places, since__lte=on, is_for_batches=False)
    newest = known.order_by("endpoint__key", "llm", "-since", "-pk").distinct(
        "endpoint__key", "llm"
    )
    return [
        (places[one.endpoint.key], one.llm, _as_price(one))
        for one in newest.select_related("endpoint")
    ]


def price_for(llm: str, endpoint: int | None, *, on: date, by_batch: bool = False) -> Price | None:
    """What an LLM costs on a day, at any version of an endpoint; None where nobody has said.

    `by_batch`: what it costs in batches, which is said apart.
    """
    if endpoint is None:
        return None
    key = LLMEndpoint.objects.filter(pk=endpoint).values("key")
    prices = LLMPrice.objects.filter(
        endpoint__key__in=key, llm=llm, since__lte=on, is_for_batches=by_batch
    )
    found = prices.order_by("-since", "-pk").first()
    return _as_price(found) if found else None


def _as_price(row: LLMPrice) -> Price:
    return Price(prompt=row.prompt, answer=row.answer, cached=row.cached, currency=row.currency)
