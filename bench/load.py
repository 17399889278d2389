"""Annotators that press keys: HTTP clients on loopback, one cycle after the other or in step."""

import gzip
import http.client
import re
import secrets
import shutil
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from http import HTTPStatus
from http.cookies import SimpleCookie
from itertools import count, takewhile
from pathlib import Path
from urllib.parse import urlencode

WARM_UP = 5  # cycles of each client that are not counted: the server imports and prepares
SIGN_IN = "/accounts/login/"
FORM_TOKEN = re.compile(r'name="csrfmiddlewaretoken" value="([^"]+)"')


@dataclass(slots=True, kw_only=True)
class Load:
    """How many cycles were answered, how long each took, what each process used, and problems.

    `given`: what every cycle gave, the first ones included that are not counted.
    """

    seconds: float = 0.0
    cycles: list[float] = field(default_factory=list)
    given: list[str] = field(default_factory=list)
    used: Mapping[str, float] = field(default_factory=dict)
    errors: list[str] = field(default_factory=list)

    @property
    def per_second(self) -> float:
        return len(self.cycles) / self.seconds

    def percentile(self, share: float) -> float:
        """Seconds within which this share of the cycles was answered."""
        return at_share(sorted(self.cycles), share)

    @property
    def used_a_cycle(self) -> dict[str, float]:
        """{process: milliseconds of processor time a cycle}."""
        return {name: 1000 * seconds / len(self.cycles) for name, seconds in self.used.items()}


class Client:
    """One browser on a computer of its own: a connection kept open, and cookies."""

    def __init__(self, port: int, *, number: int = 0):
        # All of 127.0.0.0/8 is this computer.
        source = f"127.0.{1 + number // 200}.{1 + number % 200}"
        self.connection = http.client.HTTPConnection(
            "127.0.0.1", port, timeout=60, source_address=(source, 0)
        )
        self.cookies: dict[str, str] = {}

    def ask(
        self, method: str, path: str, form: dict[str, str] | None = None, **headers: str
    ) -> str:
        """The body of a 2xx answer; anything else is an error of the run."""
        status, text = self.send(method, path, form, **headers)
        if not 200 <= status < 300:
            raise RuntimeError(f"{method} {path} answered {status}")
        return text

    def send(
        self, method: str, path: str, form: dict[str, str] | None = None, **headers: str
    ) -> tuple[int, str]:
        answer = self._answer(method, path, form, headers)
        body = answer.read()
        if answer.headers.get("Content-Encoding") == "gzip":
            body = gzip.decompress(body)
        return answer.status, body.decode()

    def submit(self, page: str, form: dict[str, str], *, to: str = "") -> str:
        """Send a form of a page, as a browser without scripts does; where that leads."""
        [token] = found(FORM_TOKEN, self.ask("GET", page))
        answer = self._answer("POST", to or page, form | {"csrfmiddlewaretoken": token}, {})
        answer.read()
        if answer.status != HTTPStatus.FOUND:
            raise RuntimeError(f"POST {to or page} answered {answer.status}")
        return answer.headers["Location"]

    def upload(self, page: str, name: str, content: bytes) -> str:
        """Send a file through the form of a page; where that leads."""
        [token] = found(FORM_TOKEN, self.ask("GET", page))
        boundary = secrets.token_hex(16)
        disposition = f"--{boundary}\r\nContent-Disposition: form-data; name="
        head = f'{disposition}"csrfmiddlewaretoken"\r\n\r\n{token}\r\n{disposition}"file"; filename="{name}"\r\n\r\n'
        body = b"".join([head.encode(), content, f"\r\n--{boundary}--\r\n".encode()])
        kind = f"multipart/form-data; boundary={boundary}"
        answer = self._answer("POST", page, body, {"Content-Type": kind})
        answer.read()
        if answer.status != HTTPStatus.FOUND:
            raise RuntimeError(f"the upload to {page} answered {answer.status}")
        return answer.headers["Location"]

    def fetch(self, path: str, to: Path) -> None:
        """Write a file that is downloaded to disk."""
        answer = self._answer("GET", path, None, {})
        if answer.status != HTTPStatus.OK:
            raise RuntimeError(f"GET {path} answered {answer.status}")
        with to.open("wb") as file:
            shutil.copyfileobj(answer, file)

    def _answer(
        self,
        method: str,
        path: str,
        form: Mapping[str, str] | bytes | None,
        headers: Mapping[str, str],
    ) -> http.client.HTTPResponse:
        """`form`: its fields, or the body itself, of the kind that a header says."""
        body = urlencode(form) if isinstance(form, Mapping) else form
        sent = {name.replace("_", "-"): value for name, value in headers.items()}
        sent["Accept-Encoding"] = "gzip"
        if self.cookies:
            sent["Cookie"] = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        if isinstance(form, Mapping):
            sent["Content-Type"] = "application/x-www-form-urlencoded"
        self.connection.request(method, path, body, sent)
        answer = self.connection.getresponse()
        for line in answer.headers.get_all("Set-Cookie", []):
            self.cookies |= {name: one.value for name, one in SimpleCookie(line).items()}
        return answer

    def sign_in(self, email: str, password: str) -> None:
        """Through the page, as people do."""
        [token] = found(FORM_TOKEN, self.ask("GET", SIGN_IN))
        form = {"csrfmiddlewaretoken": token, "login": email, "password": password}
        status, _page = self.send("POST", SIGN_IN, form)
        if status != HTTPStatus.FOUND:
            raise RuntimeError(f"{email} was not signed in: {status}")


def found(pattern: re.Pattern[str], page: str) -> tuple[str, ...]:
    """The groups of a pattern, which the page must have."""
    match = pattern.search(page)
    if match is None:
        raise RuntimeError(f"the page has nothing like {pattern.pattern}")
    return match.groups()


def drive(
    workers: Sequence[Callable[[], Iterator[str]]],
    *,
    seconds: float,
    used: Callable[[], Mapping[str, float]],
    a_second: float | None = None,
) -> Load:
    """Run every worker in a thread of its own; each step of its iterator is one cycle.

    `used` says how much processor time each process has taken so far. `a_second`: cycles that are
    begun a second, all together and in step, however long others take; each is timed from when it
    was due. Else a worker begins its next cycle when the last is answered.
    """
    load = Load()
    began: list[float] = []
    before: dict[str, float] = {}

    def begin() -> None:
        before.update(used())
        began.append(time.perf_counter())

    start = threading.Barrier(len(workers), action=begin, timeout=120)

    def due(number: int) -> Iterator[float]:
        """When this worker begins its cycles; waits until then."""
        while a_second is None:
            yield time.perf_counter()
        for place in count(number, len(workers)):
            moment = began[0] + place / a_second
            time.sleep(max(0.0, moment - time.perf_counter()))
            yield moment

    def work(number: int, worker: Callable[[], Iterator[str]]) -> None:
        steps = worker()
        try:
            for _ in range(WARM_UP):
                load.given.append(next(steps))
            start.wait()
            deadline = began[0] + seconds
            for sent in takewhile(lambda moment: moment < deadline, due(number)):
                load.given.append(next(steps))
                load.cycles.append(time.perf_counter() - sent)
        except StopIteration:
            load.errors.append("ran out of items")
        except (RuntimeError, OSError, http.client.HTTPException) as problem:
            load.errors.append(str(problem))
            start.abort()

    threads = [threading.Thread(target=work, args=one) for one in enumerate(workers)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    load.seconds = time.perf_counter() - began[0] if began else 0.0
    load.used = {name: after - before.get(name, after) for name, after in used().items()}
    return load


def at_share(ordered: list[float], share: float) -> float:
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]
