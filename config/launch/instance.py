"""`make run`: set up and run one whole Concord, as a demo, until it is told to stop."""

import contextlib
import fcntl
import json
import os
import re
import signal
import socket
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import NoReturn

from config.launch import services, supervise
from config.launch.install import STAMP, digest_of
from config.launch.services import CannotStart
from config.launch.supervise import Child, Kept

HOST = "127.0.0.1"
LOOK_EVERY = 0.5  # seconds
STAND_IN_ABOVE = 1000  # its port is this much above the web server's
STAND_IN = "stand-in.json"  # its address, for commands beside the demo
SERVICES = {"postgres", "redis"}  # whose logs are their own
COLLECTED = "static.sha256"
LOCK = "run.lock"  # held for as long as a Concord runs in its home
LOGGED_PROBLEM = re.compile(r"\b(ERROR|CRITICAL)\b")


class ToldToStop(BaseException):
    """Ctrl-C, `kill`, or the terminal went away."""


def run(home: Path, port: int, environment: dict[str, str]) -> None:
    """Run until told to stop. Raises CannotStart or ChildFailed with what to tell the user."""
    services.prepare(home)
    os.umask(0o077)
    with only_one(home, port), contextlib.suppress(ToldToStop), stopping_on_signals():
        say("Starting PostgreSQL and Redis")
        with services.running(home) as addresses:
            env = environment | services.by_role(addresses)
            instance = Instance(home=home, port=port, env=env)
            try:
                instance.start()
                instance.watch()
            finally:
                say("\nStopping; the data stay in", home)
                if few := services.short_of_disk(home):
                    say(few)
                (home / STAND_IN).unlink(missing_ok=True)
                supervise.stop(instance.children)


@dataclass(slots=True, kw_only=True)
class Instance:
    """The processes of one Concord besides its services."""

    home: Path
    port: int
    env: dict[str, str]
    stand_in: int | None = None  # the port of the demo's own endpoint, where it has one
    kept: list[Kept] = field(default_factory=list)
    read_up_to: dict[Path, int] = field(default_factory=dict)

    @property
    def children(self) -> list[Child]:
        return [kept.child for kept in self.kept]

    def start(self) -> None:
        self.env |= {"CONCORD_DEMO": "1", "DJANGO_SETTINGS_MODULE": "config.settings.dev"}
        if not self.env.get("CONCORD_LLM_BASE_URL"):
            self.have_stand_in()
        say("Preparing tables, static files and the demo")
        sources = static_sources()
        self.start_processes(collect=self.collected() != sources)
        self.wait_until_ready()
        (self.home / COLLECTED).write_text(sources)
        say(f"\nConcord is ready: http://{HOST}:{self.port}\n")
        say("This is a demo: its passwords are known, there is no second factor, and only this")
        say("computer can reach it. Keep real data out of it. Ctrl-C stops it.")
        say(f"Letters that it would send are kept in {self.home / 'letters'}")

    def have_stand_in(self) -> None:
        # The same port at every start where it is free: a judge is known by its endpoint's address.
        self.stand_in = free_port(wish=self.port + STAND_IN_ABOVE)
        address = {
            "CONCORD_LLM_BASE_URL": f"http://{HOST}:{self.stand_in}/v1",
            "CONCORD_LLM_API_KEY": "stand-in",
        }
        (self.home / STAND_IN).write_text(json.dumps(address))
        self.env |= address

    def start_processes(self, *, collect: bool) -> None:
        """Start what runs Concord's code; it speaks on the terminal, and each part of it in a log."""
        first = ["migrate --verbosity=0", "load_demo --accounts", "first_run"]
        if collect:
            first.insert(0, "collectstatic --no-input --verbosity=0")
        self.read_up_to = {log: log.stat().st_size for log in self.logs()}
        command: list[str | Path] = [
            *(sys.executable, "-m", "config.processes", "all"),
            f"--bind={HOST}:{self.port}",
            f"--logs={self.home / 'log'}",
            f"--patience={supervise.PATIENCE - 2}",
            *([f"--stand-in={self.stand_in}"] if self.stand_in else []),
            *(f"--first={one}" for one in first),
        ]
        begin = partial(
            supervise.start, "Concord", command, log=None, env=self.env, cwd=services.ROOT
        )
        self.kept.append(Kept(begin))

    def collected(self) -> str:
        """The digest of what the static files were collected from, empty where they are not.

        Collecting them compresses them, which takes seconds: not at every start.
        """
        known = self.home / COLLECTED
        is_there = known.exists() and (self.home / "static" / "staticfiles.json").exists()
        return known.read_text() if is_there else ""

    def logs(self) -> list[Path]:
        """Those of Concord's own processes; what those of services say is told otherwise."""
        found = (self.home / "log").glob("*.log")
        return [log for log in found if log.stem not in SERVICES]

    def wait_until_ready(self) -> None:
        """However long the demo takes to load; a process that fails ends this."""
        while not answers(self.port):
            supervise.check(self.children)
            time.sleep(0.1)

    def watch(self) -> NoReturn:
        """Look after the processes; only an exception ends this."""
        make_at_start = signals_make_handles()
        while True:
            for kept in self.kept:
                kept.look_after()
            services.check(self.home)
            self.tell_of_problems()
            if signals_make_handles() != make_at_start:
                raise ToldToStop
            time.sleep(LOOK_EVERY)

    def tell_of_problems(self) -> None:
        """Show the first new error line of each log; whoever wants more opens the log."""
        for path in self.logs():
            known = self.read_up_to.get(path, 0)
            with path.open("rb") as log:
                log.seek(known)
                fresh = log.read()
            self.read_up_to[path] = known + len(fresh)
            problems = list(
                filter(LOGGED_PROBLEM.search, fresh.decode(errors="replace").splitlines())
            )
            if problems:
                more = f" (and {len(problems) - 1} more)" if problems[1:] else ""
                say(f"{path.stem} logged a problem{more}, see {path}:\n  {problems[0]}")


def static_sources() -> str:
    """The digest of our own static files and of the list of packages, which bring the others."""
    sources = [*(services.ROOT / "static").rglob("*"), STAMP]
    return digest_of(filter(Path.is_file, sources))


@contextlib.contextmanager
def stopping_on_signals() -> Iterator[None]:
    """Raise ToldToStop on the first of the signals and ignore the rest: stopping has begun."""
    numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)

    def stop(*_: object) -> NoReturn:
        for number in numbers:
            signal.signal(number, lambda *_: None)
        raise ToldToStop

    for number in numbers:
        signal.signal(number, stop)
    if "MAKELEVEL" in os.environ:
        supervise.end_with_parent(signal.SIGTERM)
    yield


def signals_make_handles() -> str | None:
    """The mask of signals that `make` handles, when it is our parent on Linux.

    A make that alone is sent SIGINT or SIGHUP (not by Ctrl-C, which reaches the whole group)
    says nothing to its child and waits for it for ever. But it gives up its handler: this shows.
    """
    if "MAKELEVEL" not in os.environ:
        return None
    with contextlib.suppress(OSError):
        for line in Path(f"/proc/{os.getppid()}/status").read_text().splitlines():
            if line.startswith("SigCgt"):
                return line
    return None


def stand_in_of(home: Path) -> dict[str, str]:
    """The endpoint of the demo that runs in this home; empty where none does.

    A demo that was killed has left the address of an endpoint that ended with it.
    """
    published = home / STAND_IN
    return dict(json.loads(published.read_text())) if runs_in(home) and published.exists() else {}


def runs_in(home: Path) -> bool:
    """Whether a Concord runs in this home."""
    if not (home / LOCK).exists():
        return False
    with (home / LOCK).open("a") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
    return False


@contextlib.contextmanager
def only_one(home: Path, port: int) -> Iterator[None]:
    other = f"`make run PORT={port + 1}` starts another one beside it."
    with (home / LOCK).open("a") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise CannotStart(
                f"Concord is already running with the data in {home}. {other}"
            ) from None
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind((HOST, port))
            except OSError as problem:
                raise CannotStart(
                    f"Port {port} cannot be used: {problem.strerror}. {other}"
                ) from None
        yield


def free_port(*, wish: int) -> int:
    """The port that is wished for, or another one where that is taken."""
    for wished in (wish, 0):
        with socket.socket() as probe, contextlib.suppress(OSError, OverflowError):
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind((HOST, wished))
            port: int = probe.getsockname()[1]
            return port
    raise CannotStart(f"No port of {HOST} is free.")


def answers(port: int) -> bool:
    """Asked without a library: what those load, this process would hold for ever."""
    question = f"GET /healthz HTTP/1.0\r\nHost: {HOST}:{port}\r\n\r\n"
    try:
        with socket.create_connection((HOST, port), timeout=5) as connection:
            connection.sendall(question.encode())
            status = connection.makefile("rb").readline()
    except OSError:
        return False
    return status.split()[1:2] == [b"200"]


def say(*words: object) -> None:
    """Print; a terminal that has gone away must not keep anything from being stopped."""
    with contextlib.suppress(OSError):
        print(*words, flush=True)
