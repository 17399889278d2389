"""Which endpoints item text may be sent to."""

from collections.abc import Collection
from urllib.parse import urlsplit

from annotation.rubric.sentences import sentence


def host_of(base_url: str) -> str:
    """Return the host of a URL, with its port if it names one; the URL's path stays hidden."""
    try:
        parts = urlsplit(base_url)
        port = f":{parts.port}" if parts.port else ""
    except ValueError:
        return ""
    name = parts.hostname or ""
    return (f"[{name}]" if ":" in name else name) + port


def problem_with(base_url: str, *, http_hosts: Collection[str]) -> str | None:
    """Say why nothing may be sent to `base_url`, or None: https, or http to a listed host."""
    if not base_url:
        return sentence(
            "No LLM endpoint is set. Set CONCORD_LLM_BASE_URL, for example to "
            "https://api.example.org/v1."
        )
    host = host_of(base_url)
    parts = urlsplit(base_url) if host else None
    if parts is None or parts.scheme not in {"http", "https"}:
        return sentence("CONCORD_LLM_BASE_URL must begin with https:// and name a host.")
    if parts.username or parts.password or parts.query or parts.fragment:
        return sentence(
            "CONCORD_LLM_BASE_URL must hold no user name, password, query or fragment. The key "
            "belongs into CONCORD_LLM_API_KEY."
        )
    if parts.scheme == "http" and not _is_listed(parts.hostname or "", http_hosts):
        return sentence(
            "{host} would get the dialogues unencrypted. Use https://, or list the host in "
            "CONCORD_LLM_HTTP_HOSTS if the way to it is safe.",
            host=host,
        )
    return None


def _is_listed(name: str, http_hosts: Collection[str]) -> bool:
    return name in {listed.strip("[]").lower() for listed in http_hosts}
