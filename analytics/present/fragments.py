"""Fragments as they were made: twenty readers who watch the same figures have them drawn once.

A process keeps a few, for those who have the same roles and ask for the same view of the same
revision in the same language. Nothing that holds a form token is kept: that is one reader's own.
"""

from collections import OrderedDict
from collections.abc import Callable, Hashable
from threading import Lock
from weakref import WeakValueDictionary

from django.http import HttpRequest, HttpResponse

MOST = 64

_kept: OrderedDict[Hashable, bytes] = OrderedDict()
_turns: WeakValueDictionary[Hashable, Lock] = WeakValueDictionary()
_lock = Lock()


def drawn_once(
    request: HttpRequest, key: Hashable, draw: Callable[[], HttpResponse]
) -> HttpResponse:
    """What `draw` gives, or gave for the same key to another reader; of those who ask at once the
    first draws and the others wait for it."""
    with _lock:
        turn = _turns.setdefault(key, Lock())
    with turn:
        content = _kept.get(key)
        if content is not None:
            return HttpResponse(content)
        response = draw()
        if not request.META.get("CSRF_COOKIE_NEEDS_UPDATE"):
            _keep(key, response.content)
        return response


def _keep(key: Hashable, content: bytes) -> None:
    with _lock:
        _kept[key] = content
        while len(_kept) > MOST:
            _kept.popitem(last=False)
