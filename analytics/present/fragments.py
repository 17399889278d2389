"""Fragments as they were made: twenty readers who watch the same figures have them drawn once.

They are kept for those who have the same roles and ask for the same view in the same language: the
newest of each by each process, and for seconds in Redis, encrypted as all that is kept there, for
the other processes. While one reader has newer figures drawn, nobody waits for that: the others get
what was drawn last, if they have not seen it, or nothing new, and ask again. They hold figures and
names, no text of an item; nothing that holds a form token is kept, for that is one reader's own, and
so what is sent can be sent compressed.
"""

import gzip
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable
from contextlib import suppress
from hashlib import blake2b
from http import HTTPStatus
from threading import Lock
from typing import NamedTuple
from weakref import WeakValueDictionary

from django.core.cache import cache
from django.http import HttpRequest, HttpResponse
from django.utils.cache import patch_vary_headers
from django.utils.safestring import SafeString
from redis.exceptions import RedisError

from analytics.figures.store import KeptFigures

MOST = 64
LEVEL = 3  # of compression: a twelfth of the size in a few milliseconds
KEPT_FOR = 20  # seconds
LONGEST_TURN = 3  # seconds after which who draws is taken to be dead
LOOK_EVERY = 0.01  # seconds


class Fragment(NamedTuple):
    """What was drawn, compressed, and of which figures."""

    of: KeptFigures
    packed: bytes


class Told(NamedTuple):
    """What a reader gets, and which figures their page shows with that."""

    response: HttpResponse
    figures: KeptFigures


_kept: OrderedDict[Hashable, Fragment] = OrderedDict()
_turns: WeakValueDictionary[Hashable, Lock] = WeakValueDictionary()
_lock = Lock()


def drawn_once(
    request: HttpRequest,
    place: Hashable,
    figures: KeptFigures,
    draw: Callable[[], HttpResponse],
    *,
    shown: KeptFigures,
    patience: float = 0,
) -> Told:
    """What `draw` gives for these figures, or gave to another reader. The place, what two readers
    have in common who get the same, looks the same in every process; `shown` is on the page.
    `patience`: for how many seconds this reader waits while another has it drawn."""
    name = _name(place)
    until = time.monotonic() + patience
    while True:
        newest = _newest(place, name, figures)
        if newest and not newest.of.is_older_than(figures):
            break
        with _lock:
            turn = _turns.setdefault((place, figures), Lock())
        if turn.acquire(blocking=False):
            try:
                if _is_our_turn(name, figures):
                    return Told(_drawn_here(request, place, name, figures, draw), figures)
            finally:
                turn.release()
        if time.monotonic() >= until:
            break
        time.sleep(LOOK_EVERY)
    if newest and shown.is_older_than(newest.of):
        return Told(_sent(request, newest.packed), newest.of)
    return Told(HttpResponse(status=HTTPStatus.NO_CONTENT), shown)


def within_page(
    request: HttpRequest,
    place: Hashable,
    figures: KeptFigures,
    draw: Callable[[], HttpResponse],
) -> SafeString:
    """The same within a page that opens: drawn once for all who open it at these figures. Who opens
    a page has nothing yet, and waits."""
    name = _name(place)
    with _lock:
        turn = _turns.setdefault((place, figures), Lock())
    with turn:
        newest = _newest(place, name, figures)
        if newest and not newest.of.is_older_than(figures):
            content = gzip.decompress(newest.packed)
        else:
            response = draw()
            content = response.content
            _keep_for_others(request, place, name, figures, content)
    return SafeString(content.decode())


def _name(place: Hashable) -> str:
    """Under what Redis keeps it: it tells nothing of the place."""
    return f"fragment:{blake2b(repr(place).encode(), digest_size=16).hexdigest()}"


def _newest(place: Hashable, name: str, figures: KeptFigures) -> Fragment | None:
    """What was drawn last, here or by another process."""
    ours = _kept.get(place)
    if ours and not ours.of.is_older_than(figures):
        return ours
    theirs = None
    with suppress(RedisError):
        theirs = cache.get(name)
    if theirs is None:
        return ours
    found = Fragment(KeptFigures(*theirs[0]), theirs[1])
    if ours and not ours.of.is_older_than(found.of):
        return ours
    _keep(place, found)
    return found


def _is_our_turn(name: str, figures: KeptFigures) -> bool:
    """Among processes; without Redis each draws for itself."""
    with suppress(RedisError):
        return bool(cache.add(f"{name}:{figures.mark}", 1, timeout=LONGEST_TURN))
    return True


def _drawn_here(
    request: HttpRequest,
    place: Hashable,
    name: str,
    figures: KeptFigures,
    draw: Callable[[], HttpResponse],
) -> HttpResponse:
    try:
        response = draw()
        fragment = _keep_for_others(request, place, name, figures, response.content)
    finally:
        with suppress(RedisError):
            cache.delete(f"{name}:{figures.mark}")
    return _sent(request, fragment.packed) if fragment else response


def _keep_for_others(
    request: HttpRequest, place: Hashable, name: str, figures: KeptFigures, content: bytes
) -> Fragment | None:
    """None where a form token is in it."""
    if request.META.get("CSRF_COOKIE_NEEDS_UPDATE"):
        return None
    fragment = Fragment(figures, gzip.compress(content, LEVEL, mtime=0))
    _keep(place, fragment)
    with suppress(RedisError):
        cache.set(name, (tuple(figures), fragment.packed), timeout=KEPT_FOR)
    return fragment


def _keep(place: Hashable, fragment: Fragment) -> None:
    """Unless a newer one was drawn meanwhile."""
    with _lock:
        before = _kept.get(place)
        if before is None or before.of.is_older_than(fragment.of):
            _kept[place] = fragment
            _kept.move_to_end(place)
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
