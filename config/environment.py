"""Every environment variable is read through here, so that `.env.example` can be checked."""

import os
import re
from pathlib import Path
from urllib.parse import parse_qsl, unquote, urlencode, urlsplit, urlunsplit

from django.core.exceptions import ImproperlyConfigured


def text(name: str, default: str | None = None) -> str:
    """The variable's value; without a default it must be set."""
    value = os.environ.get(name) or default
    if value is None:
        raise ImproperlyConfigured(f"Set the environment variable {name} (see .env.example).")
    return value


def secret(name: str, default: str | None = None) -> str:
    """The variable's value, or what stands in the file that NAME_FILE names."""
    file = os.environ.get(f"{name}_FILE")
    return Path(file).read_text(encoding="utf-8").strip() if file else text(name, default)


def secrets(name: str) -> list[str]:
    """Several, with commas between them."""
    return [word.strip() for word in secret(name, "").split(",") if word.strip()]


def flag(name: str, *, default: bool = False) -> bool:
    return text(name, str(int(default))).lower() in {"1", "true", "yes", "on"}


def number(name: str, default: int, *, least: int = 1) -> int:
    raw = text(name, str(default))
    if not raw.isdecimal() or int(raw) < least:
        raise ImproperlyConfigured(f"{name} must be a whole number, {least} or more.")
    return int(raw)


def rate(name: str, default: str) -> str:
    """So many a second, minute, hour or day: `1200/min`."""
    given = text(name, default)
    if not re.fullmatch(r"\d+/(s|sec|second|m|min|minute|h|hour|d|day)", given):
        raise ImproperlyConfigured(f"{name} must be a number a span, such as 1200/min or 20/s.")
    return given


def words(name: str, default: str = "") -> list[str]:
    return [word.strip() for word in text(name, default).split(",") if word.strip()]


_WAY = re.compile(r"mail:\S+@\S+|syslog:(/\S+|\S+:\d+)")


def ways(name: str) -> list[str]:
    """Where lines go: `mail:` and an address, `syslog:` and a socket or a host with its port."""
    given = words(name)
    for way in given:
        if not _WAY.fullmatch(way):
            raise ImproperlyConfigured(
                f"{name}: “{way}” is neither mail:somebody@example.org nor syslog:host:514 nor "
                "syslog:/dev/log."
            )
    return given


def seed(name: str) -> str:
    """The seed of a signing key, in hex; empty where there is none."""
    given = secret(name, "")
    if given and not re.fullmatch(r"[0-9a-fA-F]{64}", given):
        raise ImproperlyConfigured(
            f"{name} must be 32 bytes in hex, which is 64 letters of 0-9a-f."
        )
    return given


def https(name: str) -> str:
    """The address of a service; without TLS on this computer only. Empty where there is none."""
    address = text(name, "").rstrip("/")
    parts = urlsplit(address)
    is_here = parts.hostname in {"localhost", "127.0.0.1", "::1"}
    if address and not (parts.scheme == "https" or (parts.scheme == "http" and is_here)):
        raise ImproperlyConfigured(f"{name} must begin with https://.")
    return address


# Seconds. A host may vanish without a word, its packets dropped and no connection closed: who asks
# it is told by these clocks alone.
PATIENCE_WITH_REDIS = {"socket_timeout": 2.0, "socket_connect_timeout": 1.0}
PATIENCE_WITH_POSTGRES = {
    "connect_timeout": "5",
    # Where an answer is waited for: a statement may take hours, and the host is asked meanwhile.
    "keepalives_idle": "15",
    "keepalives_interval": "5",
    "keepalives_count": "3",
    # Where what was sent is not acknowledged, in milliseconds; also for a COPY that stands still.
    "tcp_user_timeout": "30000",
}


def redis(name: str) -> str:
    """The address of a Redis, with how long each client waits for it."""
    address, _, query = text(name).partition("?")
    return f"{address}?{urlencode(dict(parse_qsl(query)) | PATIENCE_WITH_REDIS)}"


def broker(redis_url: str) -> str:
    """A `redis://host/3` or `unix:///socket?db=3` as Celery writes it."""
    if not redis_url.startswith("unix://"):
        return redis_url
    return redis_url.replace("unix://", "redis+socket://", 1).replace("?db=", "?virtual_host=")


def redis_database(redis_url: str, number: int) -> str:
    """The address of another database on the same Redis."""
    if redis_url.startswith("unix://"):
        return f"{redis_url.partition('?')[0]}?db={number}"
    return urlunsplit(urlsplit(redis_url)._replace(path=f"/{number}"))


def postgres(name: str, **more: str) -> dict[str, object]:
    """A `postgresql://user:password@host:port/name?host=/socket/dir` as a Django database, with
    more options of a connection, and with how long it is waited for."""
    parts = urlsplit(text(name))
    if parts.scheme not in {"postgres", "postgresql"}:
        raise ImproperlyConfigured(
            f"{name} must begin with postgresql://: no other database is used."
        )
    options = PATIENCE_WITH_POSTGRES | dict(parse_qsl(parts.query)) | more
    return {
        "ENGINE": "config.postgres",
        "NAME": unquote(parts.path.lstrip("/")) or "postgres",
        "USER": unquote(parts.username or ""),
        "PASSWORD": unquote(parts.password or ""),
        "HOST": options.pop("host", None) or unquote(parts.hostname or ""),
        "PORT": str(parts.port or options.pop("port", "")),
        "OPTIONS": options,
    }
