"""Whoever came first is answered first, and no process of the web server has more to do than others.

Threads of Python that compute at the same time pass one lock around: five at once take a fifth more
processor time than one after the other, and who came first may be answered last. So one thread
answers what is in line, and is joined by others only where a request takes long.

A browser stays with the process that accepted it. Of a socket for each process the kernel would
fill some twice as full as others; from one for all, the first that wakes would take most. Here who
has more connections leaves a new one to who has fewer.
"""

import mmap
import os
import time
from array import array
from collections import deque
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from selectors import EVENT_READ, BaseSelector
from socket import socket
from threading import Lock
from typing import Any

from gunicorn.workers.gthread import TConn, ThreadWorker

SHORT = 0.015  # seconds; what takes longer keeps nobody else in line
_MOST_PROCESSES = 64
_NOBODY = 2**31 - 1
_LEFT_FOR = 50  # moments; the others may not be able to take it
_A_MOMENT = 0.001  # seconds
_connections = memoryview(mmap.mmap(-1, 4 * _MOST_PROCESSES)).cast("i")
"""How many each process has, or nobody is there; all have it in memory."""
_connections[:] = array("i", [_NOBODY] * _MOST_PROCESSES)


class FairWorker(ThreadWorker):
    """`place`: its own among the processes. All but `_answer` and what it calls runs in the main
    thread."""

    place: int
    poller: BaseSelector
    tpool: ThreadPoolExecutor

    def __init__(self, *given: Any, **more: Any) -> None:
        super().__init__(*given, **more)
        self._at_once = max(1, (os.cpu_count() or 1) // self.cfg.workers)
        self._line: deque[TConn] = deque()
        self._began: dict[object, float] = {}
        self._lock = Lock()
        self._left = 0

    def accept(self, listener: socket) -> None:
        """Take the connection, or leave it to a process that has fewer."""
        if self.nr_conns > min(_connections) and self._left < _LEFT_FOR:
            self._left += 1
            time.sleep(_A_MOMENT)
            return
        self._left = 0
        super().accept(listener)

    def enqueue_req(self, conn: TConn) -> None:
        """Put it in line, as soon as there is something to read: no thread waits for that."""
        if conn.initialized or conn.data_ready:
            with self._lock:
                self._line.append(conn)
                self._call()
        else:
            conn.sock.setblocking(False)
            conn.set_timeout()
            self.pending_conns.append(conn)
            readable = partial(self.on_pending_socket_readable, conn)
            self.poller.register(conn.sock, EVENT_READ, readable)

    def answer_beside(self, conn: TConn) -> None:
        """Have a thread of its own for what is known to take long."""
        super().enqueue_req(conn)

    def wait_for_and_dispatch_events(self, timeout: float) -> None:
        super().wait_for_and_dispatch_events(min(timeout, SHORT) if self._line else timeout)
        _connections[self.place] = self.nr_conns
        with self._lock:
            self._call()

    def _call(self) -> None:
        """Have one thread more answer, where that is due."""
        is_one_free = len(self._began) < self.cfg.threads
        if self._line and is_one_free and self._n_short() < self._at_once:
            turn = object()
            self._began[turn] = time.monotonic()
            self.tpool.submit(self._answer, turn)

    def _answer(self, turn: object) -> None:
        while connection := self._next(turn):
            handled: Future[Any] = Future()
            try:
                handled.set_result(self.handle(connection))
            except BaseException as problem:  # noqa: BLE001 -- the main thread is to have it
                handled.set_exception(problem)
            self.method_queue.defer(self.finish_request, connection, handled)

    def _next(self, turn: object) -> TConn | None:
        with self._lock:
            del self._began[turn]
            if not self._line or self._n_short() >= self._at_once:
                return None
            self._began[turn] = time.monotonic()
            return self._line.popleft()

    def _n_short(self) -> int:
        since = time.monotonic() - SHORT
        return sum(began > since for began in self._began.values())


def take_place(_server: Any, worker: FairWorker) -> None:
    """A process is to begin."""
    worker.place = _connections.tolist().index(_NOBODY)
    _connections[worker.place] = 0


def leave_place(_server: Any, worker: FairWorker) -> None:
    """A process has ended."""
    _connections[worker.place] = _NOBODY
