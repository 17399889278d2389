"""How the web server runs: `gunicorn --config=python:config.web config.wsgi:application`."""

import mmap
import os
import time

from gunicorn.sock import BaseSocket
from gunicorn.workers.gthread import ThreadWorker

PLACES = 64  # more than there are workers at a time
A_MOMENT = 0.001  # seconds
PATIENCE = 50  # moments


def _shared() -> "memoryview[int]":
    """A whole number for each place, seen by every process that is forked after this."""
    return memoryview(mmap.mmap(-1, PLACES * 4)).cast("i")


_pids = _shared()
_n_connections = _shared()


class EvenWorker(ThreadWorker):
    """Leaves a new connection to a fellow that has fewer.

    A browser stays with the worker that accepted it. The kernel wakes all workers and the first
    takes all, so that most people would wait for one and few for the other.
    """

    n_left = 0

    def init_process(self) -> None:
        _pids[self.place] = os.getpid()
        super().init_process()  # type: ignore[no-untyped-call]  # gunicorn has no types

    @property
    def place(self) -> int:
        return int(self.age) % PLACES

    @property
    def nr_conns(self) -> int:
        return _n_connections[self.place]

    @nr_conns.setter
    def nr_conns(self, number: int) -> None:
        _n_connections[self.place] = number

    def accept(self, listener: BaseSocket) -> None:
        if self.n_left < PATIENCE and self._a_fellow_has_fewer():
            self.n_left += 1
            time.sleep(A_MOMENT)
            return
        self.n_left = 0
        super().accept(listener)  # type: ignore[no-untyped-call]  # gunicorn has no types

    def _a_fellow_has_fewer(self) -> bool:
        return any(
            pid and _n_connections[place] < self.nr_conns and _is_alive(pid)
            for place, pid in enumerate(_pids)
        )


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except OSError:
        return False
    return True


worker_class = EvenWorker
workers = 2
threads = 5  # ten people at once; with more they wait for one another inside instead of in line
keepalive = 75
preload_app = True
control_socket_disable = True
