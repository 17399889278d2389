"""Annotators that press keys at once: a closed loop of HTTP clients on loopback."""

import http.client
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from urllib.parse import urlencode

WARM_UP = 5  # cycles of each client that are not counted: the server imports and prepares


@dataclass(slots=True, kw_only=True)
class Load:
    """How many cycles were answered, how long each took, and what went wrong."""

    seconds: float
    cycles: list[float] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)

    @property
    def per_second(self) -> float:
        return len(self.cycles) / self.seconds

    def percentile(self, share: float) -> float:
        """Seconds within which this share of the cycles was answered."""
        ordered = sorted(self.cycles)
        return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


class Client:
    """One browser: one connection kept open, one session cookie."""

    def __init__(self, port: int, cookies: str):
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        self.cookies = cookies

    def ask(
        self, method: str, path: str, form: dict[str, str] | None = None, **headers: str
    ) -> str:
        """The body of a 2xx answer; anything else is an error of the run."""
        body = urlencode(form) if form is not None else None
        sent = {"Cookie": self.cookies, **{k.replace("_", "-"): v for k, v in headers.items()}}
        if body is not None:
            sent["Content-Type"] = "application/x-www-form-urlencoded"
        self.connection.request(method, path, body, sent)
        answer = self.connection.getresponse()
        text = answer.read().decode()
        if not 200 <= answer.status < 300:
            raise RuntimeError(f"{method} answered {answer.status}")
        return text


def drive(workers: list[Callable[[], Iterator[None]]], *, seconds: float) -> Load:
    """Run every worker in a thread of its own; each step of its iterator is one cycle."""
    load = Load(seconds=seconds)
    deadline = [0.0]

    def set_deadline() -> None:
        deadline[0] = time.perf_counter() + seconds

    start = threading.Barrier(len(workers), action=set_deadline, timeout=120)

    def work(worker: Callable[[], Iterator[None]]) -> None:
        steps = worker()
        for _ in range(WARM_UP):
            next(steps)
        start.wait()
        while time.perf_counter() < deadline[0]:
            began = time.perf_counter()
            try:
                next(steps)
            except StopIteration:
                load.errors.append("ran out of items")
                return
            except (RuntimeError, OSError, http.client.HTTPException) as problem:
                load.errors.append(str(problem))
                return
            load.cycles.append(time.perf_counter() - began)

    threads = [threading.Thread(target=work, args=(worker,)) for worker in workers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return load
