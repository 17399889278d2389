"""Pages that follow figures wait for newer ones, and hold nothing of the web server meanwhile.

Who shows the newest figures gets no answer yet. The connection is put aside until the bell of the
study rings, or for some seconds; then the request is handled from its beginning, by the gate and
all, so that nothing is told to anybody who may not have it at that moment. No thread and no
connection of the database stand still with it, and of the threads that answer all pages only
`AT_ONCE` are at work for those who have waited.
"""

import time
from collections import OrderedDict, deque
from collections.abc import Callable, Iterable
from concurrent.futures import Future
from dataclasses import dataclass
from selectors import EVENT_READ
from threading import Lock
from typing import Any, NamedTuple

from gunicorn.http.message import Request
from gunicorn.workers.gthread import TConn

from analytics.figures.bell import Bells
from analytics.present.following import FOLLOWS, HAS_WAITED, Following
from config.web.serving import FairWorker

LONGEST = 5.0  # seconds without an answer
AT_ONCE = 2
MOST = 400  # connections put aside; who comes when there are as many is answered at once
KNOWN_FOR = 5.0  # seconds for which who was let in may begin to wait without being asked again
_MOST_KNOWN = 2_000

Environ = dict[str, Any]
Application = Callable[[Environ, Callable[..., Any]], Iterable[bytes]]
Asked = tuple[str, str]
"""The cookies and the address of a request."""


class Waits(Exception):
    """There is nothing to tell yet: the bell of `study` is to ring after the moment `since`."""

    def __init__(self, study: int, since: int) -> None:
        super().__init__(study, since)
        self.study = study
        self.since = since


class _LetIn(NamedTuple):
    """Who was let in, at which moment of the bells, and how long that is taken to hold."""

    study: int
    at: int
    until: float


class Followers:
    """The application, which raises `Waits` where it would say that nothing is new.

    A page asks for the next figures as soon as it has the last. Where it was let in moments ago it
    waits without being asked again who it is: waiting tells it nothing.
    """

    def __init__(self, application: Application, bells: Bells) -> None:
        self._application = application
        self._bells = bells
        self._known: OrderedDict[Asked, _LetIn] = OrderedDict()
        self._lock = Lock()

    def __call__(self, environ: Environ, start_response: Callable[..., Any]) -> Iterable[bytes]:
        may_wait = environ.get("HTTP_CONCORD_WAITS") == "1" and self._bells.are_heard()
        cookies = environ.get("HTTP_COOKIE", "")
        if may_wait:
            self._wait_where_known((cookies, environ["RAW_URI"]))
        now = self._bells.now()
        response = self._application(environ, start_response)
        following: Following | None = environ.get(FOLLOWS)
        if following is None:
            return response
        known = _LetIn(following.study, now, time.monotonic() + KNOWN_FOR)
        self._know((cookies, following.address), known)
        if may_wait and not following.is_new:
            _put_away(response)
            raise Waits(following.study, now)
        return response

    def _wait_where_known(self, asked: Asked) -> None:
        known = self._known.get(asked)
        if known is not None and time.monotonic() < known.until:
            raise Waits(known.study, known.at)

    def _know(self, asked: Asked, known: _LetIn) -> None:
        with self._lock:
            self._known[asked] = known
            self._known.move_to_end(asked)
            if len(self._known) > _MOST_KNOWN:
                self._known.popitem(last=False)


def _put_away(response: Iterable[bytes]) -> None:
    """What nobody is going to read (PEP 3333 asks whoever drops a response to close it)."""
    if close := getattr(response, "close", None):
        close()


@dataclass(frozen=True, slots=True)
class _AskedAgain:
    """In the place of a connection's parser: gives its last request once more."""

    connection: TConn
    parser: Any
    request: Request

    def __next__(self) -> Request:
        self.connection.parser = self.parser
        return self.request


class WaitingWorker(FairWorker):
    """Puts connections aside whose requests wait. All but `handle_request` and what it calls runs
    in the main thread of the process."""

    def __init__(self, *given: Any, **more: Any) -> None:
        super().__init__(*given, **more)
        self._bells = Bells(lambda study: self.method_queue.defer(self._ring, study))
        self._aside: dict[TConn, tuple[int, float]] = {}
        self._woken: deque[TConn] = deque()
        self._in_hand: set[TConn] = set()

    def load_wsgi(self) -> None:
        super().load_wsgi()
        self.wsgi = Followers(self.wsgi, self._bells)

    def handle_request(self, request: Request, connection: TConn) -> Any:
        try:
            return super().handle_request(request, connection)
        except Waits as waits:
            others = [header for header in request.headers if header[0] != "CONCORD-WAITS"]
            request.headers = [*others, ("CONCORD-WAITS", HAS_WAITED)]
            connection.parser = _AskedAgain(connection, connection.parser, request)
            return waits

    def _keepalive_after(self, connection: TConn, keepalive: Any) -> Any:
        if isinstance(keepalive, Waits):
            return keepalive
        return super()._keepalive_after(connection, keepalive)

    def finish_request(self, connection: TConn, handled: "Future[Any]") -> None:
        self._in_hand.discard(connection)
        waits = None if handled.cancelled() else handled.result()
        if isinstance(waits, Waits):
            self._put_aside(connection, waits)
        else:
            super().finish_request(connection, handled)
        self._hand_out()

    def murder_pending(self) -> None:
        """Asked at each turn of the loop, and after the last: nobody waits for longer."""
        super().murder_pending()
        now = time.monotonic()
        for connection, (_study, until) in [*self._aside.items()]:
            if until <= now or not self.alive:
                self._wake(connection)

    def _put_aside(self, connection: TConn, waits: Waits) -> None:
        self._aside[connection] = waits.study, time.monotonic() + LONGEST
        connection.sock.setblocking(False)
        # Only who has gone says anything meanwhile; the answer then finds that out.
        self.poller.register(connection.sock, EVENT_READ, lambda _socket: self._wake(connection))
        if len(self._aside) > MOST or self._bells.has_rung(waits.study, since=waits.since):
            self._wake(connection)

    def _ring(self, study: int | None) -> None:
        for connection, (waits_for, _until) in [*self._aside.items()]:
            if study in (waits_for, None):
                self._wake(connection)

    def _wake(self, connection: TConn) -> None:
        del self._aside[connection]
        self.poller.unregister(connection.sock)
        self._woken.append(connection)
        self._hand_out()

    def _hand_out(self) -> None:
        while self._woken and len(self._in_hand) < AT_ONCE:
            connection = self._woken.popleft()
            self._in_hand.add(connection)
            self.answer_beside(connection)
