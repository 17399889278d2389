"""Which endpoints item text may be sent to, and what may be said of one."""

import json
import re
from collections.abc import Collection, Mapping
from enum import StrEnum
from urllib.parse import urlsplit

from annotation.rubric.sentences import Sentence, sentence

# Only variables of these names are read for keys: whoever names a key can have no other secret.
KEY_VARIABLE = re.compile(r"CONCORD_LLM_(?:API_KEY|KEY)(?:_[A-Z0-9_]{1,40})?")
_KEY_FILE = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,80}")
_VERSION = re.compile(r"api-version=([A-Za-z0-9.-]{1,40})")
_HEADER = re.compile(r"[A-Za-z][A-Za-z0-9-]{0,60}")
_PLAIN = re.compile(r"[ -~]{0,500}")
_HEADERS_OF_SECRETS = re.compile(
    r"(?i)authorization|cookie|.*(?:key|token|secret).*|host|content-.*"
)
_PATHS = ("/completions", "/responses")
_OURS = frozenset(
    (
        *("model", "messages", "stream", "n", "response_format", "tools", "tool_choice"),
        *("temperature", "max_tokens", "max_completion_tokens", "logprobs"),
    )
)


class Dialect(StrEnum):
    """Whose form of the OpenAI protocol an endpoint speaks: where the key goes, what it is sent."""

    OPENAI = "openai"
    AZURE = "azure"
    VLLM = "vllm"
    OLLAMA = "ollama"
    ANTHROPIC = "anthropic"
    GEMINI = "gemini"


class Rung(StrEnum):
    """How an endpoint is made to answer in JSON, the surest way first."""

    JSON_SCHEMA = "json_schema"
    JSON_OBJECT = "json_object"
    TOOL = "tool"
    PLAIN = "plain"


def host_of(base_url: str) -> str:
    """Return the host of a URL, with its port if it names one; the URL's path stays hidden."""
    try:
        parts = urlsplit(base_url)
        port = f":{parts.port}" if parts.port else ""
    except ValueError:
        return ""
    name = parts.hostname or ""
    return (f"[{name}]" if ":" in name else name) + port


def without_version(base_url: str) -> str:
    """The address that paths are put behind: Azure's may end with the version of its protocol."""
    return base_url.partition("?")[0]


def version_of(base_url: str) -> dict[str, str]:
    """What goes behind the path of every request: the version of Azure's protocol, if it is named."""
    found = _VERSION.fullmatch(base_url.partition("?")[2])
    return {"api-version": found[1]} if found else {}


def problem_with(base_url: str, *, http_hosts: Collection[str]) -> Sentence | None:
    """Say why nothing may be sent to `base_url`, or None: https, or http to a listed host."""
    if not base_url:
        return sentence(
            "No LLM endpoint is set. Set CONCORD_LLM_BASE_URL, for example to "
            "https://api.example.org/v1."
        )
    host = host_of(base_url)
    parts = urlsplit(base_url) if host else None
    if parts is None or parts.scheme not in {"http", "https"}:
        return sentence("The address must begin with https:// and name a host.")
    has_other_query = bool(parts.query) and not _VERSION.fullmatch(parts.query)
    if parts.username or parts.password or has_other_query or parts.fragment:
        return sentence(
            "The address must hold no user name, password or fragment, and no query but Azure’s "
            "?api-version=…. The API key has a place of its own."
        )
    if parts.path.rstrip("/").endswith(_PATHS):
        return sentence(
            "The address must end where the paths of the endpoint begin, often in /v1: without "
            "/chat/completions and the like."
        )
    if parts.scheme == "http" and not _is_listed(parts.hostname or "", http_hosts):
        return sentence(
            "{host} would get the dialogues unencrypted. Use https://, or list the host in "
            "CONCORD_LLM_HTTP_HOSTS if the way to it is safe.",
            host=host,
        )
    return None


def reason_to_keep_texts(
    base_url: str, *, policy: str, processors: Collection[str], own_hosts: Collection[str]
) -> Sentence | None:
    """Say why the rules of a data set keep its texts from `base_url`, or None."""
    name = (urlsplit(base_url).hostname or "").lower()
    if policy == "none":
        return KEPT_FROM_ALL
    if policy == "listed":
        is_allowed = _is_listed(name, processors) or host_of(base_url) in processors
    else:
        is_allowed = name in LOOPBACK or _is_listed(name, own_hosts)
    return None if is_allowed else sentence(KEPT_FROM.template, host=host_of(base_url))


LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
KEPT_FROM_ALL = sentence("The rules of this data set send its texts to no LLM.")
KEPT_FROM = sentence(
    "The rules of this data set do not send its texts to {host}. Its data steward can list the host.",
    host="—",
)


def problem_with_host(base_url: str, *, allowed: Collection[str]) -> Sentence | None:
    """Say why an endpoint may not be at `base_url`, or None where the deployment lists its host."""
    if host_of(base_url) in {host.lower() for host in allowed}:
        return None
    return sentence(
        "{host} is not listed in CONCORD_LLM_HOSTS, where whoever runs this server says to which "
        "hosts dialogues may go.",
        host=host_of(base_url) or "—",
    )


def problem_with_key(reference: str) -> Sentence | None:
    """Say why a key cannot be where `reference` says: env:NAME, file:NAME or nothing."""
    kind, _colon, name = reference.partition(":")
    if not reference or (kind == "env" and KEY_VARIABLE.fullmatch(name)):
        return None
    if kind == "file" and _KEY_FILE.fullmatch(name):
        return None
    return sentence(
        "Say where the key is, not the key: env:CONCORD_LLM_KEY_… or file:NAME in the folder of "
        "keys, or nothing."
    )


def problem_with_headers(headers: Mapping[str, object]) -> Sentence | None:
    """Say why these headers cannot go along, or None when they can."""
    for name, value in headers.items():
        is_plain = isinstance(value, str) and _PLAIN.fullmatch(value)
        if not _HEADER.fullmatch(name) or not is_plain:
            return sentence("“{name}” is no header with a plain text.", name=name)
        if _HEADERS_OF_SECRETS.fullmatch(name):
            return sentence("“{name}” cannot be set here: keys are named, not written.", name=name)
    return None


def problem_with_body(body: Mapping[str, object]) -> Sentence | None:
    """Say why these members cannot go along in every request, or None when they can."""
    if taken := sorted(_OURS & body.keys()):
        return sentence("“{name}” is set by the judge, not by its endpoint.", name=taken[0])
    try:
        written: str | None = json.dumps(body, allow_nan=False)
        json.dumps(body, ensure_ascii=False).encode()
    except ValueError:
        written = None
    if written is None or "\\u0000" in written:
        return sentence("The extra fields of every request hold what JSON has no way to write.")
    if len(written) > 4000:
        return sentence("The extra fields of every request are longer than 4,000 characters.")
    return None


def _is_listed(name: str, http_hosts: Collection[str]) -> bool:
    return name in {listed.strip("[]").lower() for listed in http_hosts}
