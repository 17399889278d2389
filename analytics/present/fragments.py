"""Fragments as they were made: twenty readers who watch the same figures have them drawn once.

They are kept for those who have the same roles and ask for the same view of the same revision in
the same language: a few by each process, and for seconds in Redis, encrypted as all that is kept
there, for the other processes. They hold figures and names, no text of an item; nothing that holds a form token is kept, for that is one
reader's own, and so what is sent can be sent compressed.
"""

import gzip
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable
from contextlib import suppress
from hashlib import blake2b
from threading import Lock
from weakref import WeakValueDictionary

from django.core.cache import cache
from django.http import HttpRequest, HttpResponse
from django.utils.cache import patch_vary_headers
from redis.exceptions import RedisError

MOST = 64
LEVEL = 3  # of compression: a twelfth of the size in a few milliseconds
KEPT_FOR = 20  # seconds
LONGEST_TURN = 3  # seconds that the others wait for one who draws
_LOOK_EVERY = 0.02

_kept: OrderedDict[Hashable, bytes] = OrderedDict()
_turns: WeakValueDictionary[Hashable, Lock] = WeakValueDictionary()
_lock = Lock()


def drawn_once(
    request: HttpRequest, key: Hashable, draw: Callable[[], HttpResponse]
) -> HttpResponse:
    """What `draw` gives, or gave for the same key to another reader; of those who ask at once the
    first draws and the others wait for it. The key looks the same in every process."""
    with _lock:
        turn = _turns.setdefault(key, Lock())
    with turn:
        packed = _kept.get(key)
        if packed is None:
            name = _name(key)
            is_ours, packed = _drawn_elsewhere(name)
            if packed is None:
                return _drawn_here(request, key, name, draw, is_ours=is_ours)
            _keep(key, packed)
    return _sent(request, packed)


def _name(key: Hashable) -> str:
    """Under what Redis keeps it: it tells nothing of the key."""
    return f"fragment:{blake2b(repr(key).encode(), digest_size=16).hexdigest()}"


def _drawn_elsewhere(name: str) -> tuple[bool, bytes | None]:
    """Whether it is our turn to draw, for other processes too, and what another one has drawn."""
    until = time.monotonic() + LONGEST_TURN
    with suppress(RedisError):
        while (packed := cache.get(name)) is None:
            if cache.add(f"{name}:turn", 1, timeout=LONGEST_TURN):
                return True, None
            if time.monotonic() > until:
                break
            time.sleep(_LOOK_EVERY)
        return False, packed
    return False, None


def _drawn_here(
    request: HttpRequest,
    key: Hashable,
    name: str,
    draw: Callable[[], HttpResponse],
    *,
    is_ours: bool,
) -> HttpResponse:
    try:
        response = draw()
        if request.META.get("CSRF_COOKIE_NEEDS_UPDATE"):
            return response
        packed = gzip.compress(response.content, LEVEL, mtime=0)
        _keep(key, packed)
        with suppress(RedisError):
            cache.set(name, packed, timeout=KEPT_FOR)
    finally:
        if is_ours:
            with suppress(RedisError):
                cache.delete(f"{name}:turn")
    return _sent(request, packed)


def _keep(key: Hashable, packed: bytes) -> None:
    with _lock:
        _kept[key] = packed
        while len(_kept) > MOST:
            _kept.popitem(last=False)


def _sent(request: HttpRequest, packed: bytes) -> HttpResponse:
    """As it is kept to a browser that can read it so."""
    if "gzip" in request.headers.get("Accept-Encoding", ""):
        response = HttpResponse(packed, headers={"Content-Encoding": "gzip"})
    else:
        response = HttpResponse(gzip.decompress(packed))
    patch_vary_headers(response, ["Accept-Encoding"])
    return response
