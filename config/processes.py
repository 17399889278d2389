"""What runs Concord's code, forked from one parent that has loaded it.

python -m config.processes all     as `make run` has them
python -m config.processes live    one, as a container has it

What is loaded before the fork is in memory once, however many processes there are. A process
that ends is started anew. Beside judges the scheduler is a thread of theirs: it sleeps nearly
always, and as a process it takes 12 MB. A demo has its endpoint here too (`--stand-in`), which
takes 15 MB where it shares nothing with anybody.
"""

import argparse
import asyncio
import gc
import logging
import os
import shlex
import shutil
import signal
import socket
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from pathlib import Path
from threading import Event, Thread

import django
from celery.apps.worker import Worker
from celery.beat import Service
from django.conf import settings
from django.core.management import execute_from_command_line
from django.template import engines
from django.template.loader import get_template
from django.urls import Resolver404, get_resolver, resolve, reverse
from django.utils import translation
from django.utils.module_loading import import_string
from gunicorn.app import wsgiapp

from config.celery import app as celery_app
from config.launch import supervise
from config.launch.supervise import Child, ChildFailed, Kept
from config.queues import QUEUES, Queue

LOOK_EVERY = 0.25  # seconds
ALL = "all"
SCHEDULER, BESIDE_SCHEDULER = "scheduler", "judges"  # whose worker has threads and forks nothing
# What a worker would load by itself once it is started, and not share.
PARTS_OF_A_WORKER = (
    "billiard.heap",
    "billiard.popen_fork",
    "billiard.sharedctypes",
    "billiard.synchronize",
    "celery.app.amqp",
    "celery.app.control",
    "celery.app.events",
    "celery.app.log",
    "celery.concurrency.asynpool",
    "celery.concurrency.prefork",
    "celery.concurrency.thread",
    "celery.events",
    "celery.events.dispatcher",
    "celery.events.receiver",
    "celery.worker.autoscale",
    "celery.worker.components",
    "celery.worker.consumer",
    "celery.worker.consumer.delayed_delivery",
    "celery.worker.strategy",
    "cffi.cparser",
    "config.cache",
    "kombu.mixins",
    "kombu.transport.redis",
)
# What the web server would load by itself, and each of its processes again, besides the middleware.
PARTS_OF_THE_WEB_SERVER = (
    "accounts.adapter",
    "accounts.views.errors",
    "config.statics",
    "django.contrib.auth.backends",
    "django.contrib.messages.storage.fallback",
    "django.contrib.sessions.serializers",
    "django.core.wsgi",
    "django.template.context_processors",
    "gunicorn.glogging",
    "gunicorn.workers.gthread",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ProcessRole:
    """What a process does, and what it loads for that, to share it with others."""

    name: str
    load: Callable[[], object]
    run: Callable[[], object]


def main() -> None:
    given = _parser().parse_args()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda *_: sys.exit())
    try:
        run(
            [*wanted(given.names, given.bind), *stand_in(given.stand_in)],
            first=[shlex.split(command) for command in given.first],
            logs=given.logs,
            patience=given.patience,
        )
    except ChildFailed as problem:
        sys.exit(str(problem))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m config.processes",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    names = [*(role.name for role in roles("")), ALL]
    parser.add_argument("names", nargs="+", choices=names, metavar="NAME", help=", ".join(names))
    parser.add_argument("--bind", default="0.0.0.0:8000", help="where the web server listens")
    parser.add_argument("--stand-in", type=int, metavar="PORT", help="the endpoint of a demo, too")
    parser.add_argument("--first", action="append", default=[], help="a command of manage.py")
    parser.add_argument("--logs", type=Path, help="a directory for the log of each")
    parser.add_argument("--patience", type=float, default=110.0, help="seconds to finish within")
    return parser


def wanted(names: Sequence[str], bind: str) -> list[ProcessRole]:
    """The processes by these names; the scheduler is none where it has somebody to be with."""
    is_together = ALL in names or {SCHEDULER, BESIDE_SCHEDULER} <= set(names)
    return [
        role
        for role in roles(bind, is_together=is_together)
        if (ALL in names or role.name in names) and not (is_together and role.name == SCHEDULER)
    ]


def roles(bind: str, *, is_together: bool = False) -> list[ProcessRole]:
    return [
        ProcessRole(name="web", load=load_pages, run=lambda: serve(bind)),
        *(
            ProcessRole(
                name=queue.name,
                load=partial(load_tasks, also=queue.modules),
                run=worker_on(queue, schedules=is_together and queue.name == BESIDE_SCHEDULER),
            )
            for queue in QUEUES
        ),
        ProcessRole(name=SCHEDULER, load=celery_app.finalize, run=schedule),
    ]


def stand_in(port: int | None) -> Iterator[ProcessRole]:
    """The endpoint of a demo at this port, where it is to have one."""
    if port:
        scripted = import_module("judging.standin")
        yield ProcessRole(
            name="stand-in", load=lambda: None, run=lambda: asyncio.run(scripted.serve(port=port))
        )


def run(
    chosen: Sequence[ProcessRole], *, first: Sequence[list[str]], logs: Path | None, patience: float
) -> None:
    """Fork a process a role and look after them, until told to stop."""
    load(chosen)
    kept: list[Kept] = []
    try:
        for command in first:
            supervise.finish([supervise.fork(command[0], manage(command), log=None)])
        for role in chosen:
            kept.append(Kept(beginning(role, logs)))
        while True:
            for one in kept:
                one.look_after()
            time.sleep(LOOK_EVERY)
    finally:
        children = supervise.and_what_nobody_knows([one.child for one in kept])
        supervise.stop(children, patience=patience)


def load(chosen: Sequence[ProcessRole]) -> None:
    """Have in memory what the processes share.

    What is there now is hidden from the garbage collector: it writes on all that it looks at, and
    a page that is written on is shared no longer.
    """
    gc.disable()
    # `make check` makes the checks that each worker would make at its start.
    os.environ["CELERY_SKIP_CHECKS"] = "1"
    celery_app.set_default()
    for role in chosen:
        role.load()
    gc.freeze()
    gc.enable()


def beginning(role: ProcessRole, logs: Path | None) -> Callable[[], Child]:
    log = logs / f"{role.name}.log" if logs else None
    return lambda: supervise.fork(role.name, role.run, log=log)


def manage(command: list[str]) -> Callable[[], None]:
    """A command of Django's; `make check` makes the checks that it skips."""
    return lambda: execute_from_command_line(["manage.py", *command, "--skip-checks"])


def load_pages() -> None:
    _count_together()
    django.setup()
    for module in PARTS_OF_THE_WEB_SERVER:
        import_module(module)
    for middleware in settings.MIDDLEWARE:
        import_string(middleware)
    get_resolver().url_patterns  # noqa: B018 -- asking for them loads every view
    for folder in map(Path, engines["django"].dirs):
        for template in folder.rglob("*.html"):
            get_template(str(template.relative_to(folder)))
    for language, _name in settings.LANGUAGES:
        translation.activate(language)  # which loads its catalogue
        reverse("home")  # which makes the table of all addresses
    translation.deactivate()
    with suppress(Resolver404):
        resolve("/nowhere/")  # which compiles the pattern of each


def _count_together() -> None:
    """Before what counts is loaded: have web processes count in one folder, from nothing."""
    folder = settings.HOME / "run" / "metrics"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    os.environ["PROMETHEUS_MULTIPROC_DIR"] = str(folder)


def load_tasks(also: Sequence[str] = ()) -> None:
    celery_app.loader.init_worker()
    celery_app.finalize()
    for module in (*PARTS_OF_A_WORKER, *also):
        import_module(module)
    import_module("analytics.parts").fingerprints()


def serve(bind: str) -> None:
    sys.argv = ["gunicorn", f"--bind={bind}", "--config=python:config.web", "config.wsgi"]
    wsgiapp.run()


def worker_on(queue: Queue, *, schedules: bool) -> Callable[[], None]:
    def work() -> None:
        if queue.nice:
            supervise.step_back(queue.nice)
        if not queue.stands_by:
            supervise.keep_free_memory()
        # Each queue counts on its own how long a task may be out before it is handed out again.
        celery_app.conf.broker_transport_options |= {
            "visibility_timeout": queue.visibility,
            "unacked_key": f"unacked-{queue.name}",
            "unacked_index_key": f"unacked-{queue.name}-index",
            "unacked_mutex_key": f"unacked-{queue.name}-mutex",
        }
        worker = Worker(
            app=celery_app,
            hostname=f"{queue.name}@{socket.gethostname()}",
            queues=list(queue.lines),
            pool_cls=queue.pool,
            concurrency=queue.at_once,
            autoscale=None if queue.stands_by else (queue.at_once, 0),
            max_memory_per_child=1000 * queue.most_memory,
            loglevel="INFO",
            quiet=True,  # its banner asks for much that is shared
            without_gossip=True,
            without_mingle=True,
        )
        with scheduling() if schedules else nullcontext():
            worker.start()
        sys.exit(worker.exitcode)

    return work


def schedule() -> None:
    """Send what is due; this needs none of the code that does it."""
    celery_app.log.setup(loglevel=logging.INFO)
    _make_room_for_schedule()
    Service(celery_app).start()


@contextmanager
def scheduling() -> Iterator[None]:
    """Send what is due from a thread, meanwhile; should it end, so does this process."""
    _make_room_for_schedule()
    service = Service(celery_app)
    is_over = Event()

    def send() -> None:
        try:
            service.start()
        finally:
            if not is_over.is_set():
                os.kill(os.getpid(), signal.SIGTERM)

    sending = Thread(target=send, name=SCHEDULER, daemon=True)
    sending.start()
    try:
        yield
    finally:
        is_over.set()
        service.stop()  # its own wait has no end where the schedule cannot be written
        sending.join(supervise.PATIENCE)


def _make_room_for_schedule() -> None:
    Path(settings.CELERY_BEAT_SCHEDULE_FILENAME).parent.mkdir(exist_ok=True)


if __name__ == "__main__":
    main()
