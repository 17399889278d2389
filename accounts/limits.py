"""How often a password may be tried, so that nobody guesses it and no stranger shuts the door.

Tries from a browser or an address in which the account has signed in before are counted by
themselves. What strangers do elsewhere counts against strangers only; successes count for nothing,
so a whole clinic behind one address comes in at nine o'clock.
"""

import secrets
from dataclasses import dataclass

from django.conf import settings
from django.core import signing
from django.core.cache import cache
from django.http import HttpRequest, HttpResponse
from django.utils.crypto import salted_hmac

from accounts.addresses import neighbourhood, true_address

SALT = "accounts.limits"
A_DAY = 24 * 60 * 60
KNOWN_FOR = 180 * A_DAY
ACCOUNTS_A_BROWSER = 40  # a shared computer of a ward; the latest ones are kept


@dataclass(frozen=True, slots=True, kw_only=True)
class Allowance:
    """So many failures within so many seconds."""

    failures: int
    seconds: int


OF_KNOWN = Allowance(failures=10, seconds=300)
OF_STRANGER = Allowance(failures=5, seconds=300)  # for one account, from one address
OF_STRANGERS = Allowance(failures=20, seconds=3600)  # for one account, from everywhere
OF_ADDRESS = Allowance(failures=100, seconds=600)  # for all accounts, from one address


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """One try, counted as a failure until it is forgiven."""

    counters: tuple[str, ...]
    is_refused: bool
    is_first_refused: bool

    def forgive(self) -> None:
        """It was no failure."""
        for counter in self.counters:
            try:
                cache.decr(counter)
            except ValueError:
                continue  # its time is over


def attempt(request: HttpRequest, email: str) -> Attempt:
    """Count a try before the password is looked at: tries at the same moment count as well."""
    counts = {
        counter: (_count(counter, limit), limit) for counter, limit in _limits(request, email)
    }
    return Attempt(
        counters=tuple(counts),
        is_refused=any(count > limit.failures for count, limit in counts.values()),
        is_first_refused=any(count == limit.failures + 1 for count, limit in counts.values()),
    )


def address_of(request: HttpRequest) -> str:
    return true_address(
        forwarded=request.headers.get("X-Forwarded-For", ""),
        remote=request.META.get("REMOTE_ADDR", ""),
        n_proxies=settings.TRUSTED_PROXIES,
    )


def remember(request: HttpRequest, response: HttpResponse, email: str) -> None:
    """Who signed in here is known from now on, by the browser and by the address."""
    browser, accounts = _browser(request)
    who = _who(email)
    known = [*(one for one in accounts if one != who), who][-ACCOUNTS_A_BROWSER:]
    response.set_cookie(
        settings.DEVICE_COOKIE_NAME,
        signing.dumps([browser or secrets.token_hex(8), known], salt=SALT),
        max_age=KNOWN_FOR,
        secure=settings.SESSION_COOKIE_SECURE,
        httponly=True,
        samesite="Lax",
    )
    cache.set(_known_address(request, who), 1, timeout=KNOWN_FOR)


def _limits(request: HttpRequest, email: str) -> list[tuple[str, Allowance]]:
    who, where = _who(email), _where(request)
    browser, accounts = _browser(request)
    if who in accounts:
        return [(f"tries:{who}:browser:{browser}", OF_KNOWN)]
    if cache.get(_known_address(request, who)):
        return [(f"tries:{who}:known:{where}", OF_KNOWN)]
    return [
        (f"tries:{who}:from:{where}", OF_STRANGER),
        (f"tries:{who}", OF_STRANGERS),
        (f"tries:from:{where}", OF_ADDRESS),
    ]


def _count(counter: str, limit: Allowance) -> int:
    cache.add(counter, 0, timeout=limit.seconds)
    try:
        return int(cache.incr(counter))
    except ValueError:  # its time was over in between
        return 1


def _browser(request: HttpRequest) -> tuple[str, list[str]]:
    """What a browser is called, and who has signed in with it."""
    try:
        browser, accounts = signing.loads(
            request.COOKIES.get(settings.DEVICE_COOKIE_NAME, ""), salt=SALT, max_age=KNOWN_FOR
        )
    except signing.BadSignature:
        return "", []
    return browser, accounts


def _known_address(request: HttpRequest, who: str) -> str:
    return f"tries:{who}:is-known:{_where(request)}"


def _who(email: str) -> str:
    """An account, or an address that has none, by something that says neither."""
    return salted_hmac(SALT, email.lower(), algorithm="sha256").hexdigest()[:20]


def _where(request: HttpRequest) -> str:
    return salted_hmac(SALT, neighbourhood(address_of(request)), algorithm="sha256").hexdigest()[
        :20
    ]
