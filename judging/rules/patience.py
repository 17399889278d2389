"""How long to wait before asking again, and how often to ask."""

import re
from collections.abc import Mapping
from datetime import datetime
from email.utils import parsedate_to_datetime

MOST_ATTEMPTS = 6
LONGEST_WAIT = 3600.0  # seconds; an endpoint that asks for more is out of quota, not busy
_FIRST_BACK_OFF = 0.5  # seconds
_LONGEST_BACK_OFF = 30.0  # seconds
_EPOCH = re.compile(r"[1-9]\d{9}(?:\d{3})?")
_DURATION = re.compile(r"(?:(\d+)h)?(?:(\d+)m(?!s))?(?:([\d.]+)s)?(?:([\d.]+)ms)?")


def back_off(attempt: int, draw: float) -> float:
    """Seconds to wait after failed attempt 1, 2, ...; `draw` in [0, 1) spreads them out."""
    full = min(_LONGEST_BACK_OFF, _FIRST_BACK_OFF * 2.0 ** (attempt - 1))
    return full * (0.5 + draw / 2)


def wait_asked_for(headers: Mapping[str, str], *, at: datetime) -> float | None:
    """Seconds that an endpoint asks to be left alone, or None where it does not say.

    Reads retry-after-ms, retry-after (seconds or an HTTP date) and x-ratelimit-reset-* of
    whatever is used up.
    """
    for read in (_milliseconds, _retry_after, _resets):
        wait = read(headers, at)
        if wait is not None:
            return max(0.0, wait)
    return None


def _milliseconds(headers: Mapping[str, str], at: datetime) -> float | None:
    wait = _number(headers.get("retry-after-ms", ""))
    return None if wait is None else wait / 1000


def _retry_after(headers: Mapping[str, str], at: datetime) -> float | None:
    raw = headers.get("retry-after", "")
    wait = duration(raw)
    return wait if wait is not None else _until(raw, headers.get("date", ""), at)


def _until(raw: str, said_at: str, at: datetime) -> float | None:
    """Seconds to a date of HTTP, by the clock of who named it if that is told."""
    try:
        moment = parsedate_to_datetime(raw)
        return (moment - (parsedate_to_datetime(said_at) if said_at else at)).total_seconds()
    except (ValueError, TypeError):
        return None


def _resets(headers: Mapping[str, str], at: datetime) -> float | None:
    waits = [
        wait
        for kind in ("-requests", "-tokens", "")
        if headers.get(f"x-ratelimit-remaining{kind}", "0").strip() == "0"
        if (wait := _until_reset(headers.get(f"x-ratelimit-reset{kind}", ""), at)) is not None
    ]
    return max(waits, default=None)


def _until_reset(raw: str, at: datetime) -> float | None:
    """Read a duration, or a moment: as Anthropic gives it, “2026-01-01T00:00:00Z”, or in seconds or
    milliseconds since 1970."""
    if _EPOCH.fullmatch(raw):
        return int(raw[:10]) - at.timestamp()
    wait = duration(raw)
    if wait is not None or "T" not in raw:
        return wait
    try:
        return (datetime.fromisoformat(raw.strip()) - at).total_seconds()
    except (ValueError, TypeError):
        return None


def duration(raw: str) -> float | None:
    """Seconds: read "20ms", "1s", "6m0s", "1h2m3s" or plain seconds."""
    plain = _number(raw)
    if plain is not None or not raw:
        return plain
    found = _DURATION.fullmatch(raw.strip())
    if found is None:
        return None
    hours, minutes, seconds, milliseconds = (_number(part or "0") or 0.0 for part in found.groups())
    return hours * 3600 + minutes * 60 + seconds + milliseconds / 1000


def _number(raw: str) -> float | None:
    return float(raw) if re.fullmatch(r"\s*\d{1,9}(\.\d*)?\s*", raw) else None
