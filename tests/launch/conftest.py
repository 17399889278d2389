"""Launchers to start and to end, each with a home of its own."""

import fcntl
import os
import signal
import subprocess
import sys
import time
import urllib.request
from concurrent.futures import wait
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest

from tests.services import (
    LONGEST,
    ROOT,
    beside,
    came_of,
    folder_of_all_workers,
    free_port,
    wait_until,
)

SET_BY_THE_LAUNCHER_ABOVE = ("DATABASE_URL", "REDIS_URL", "DJANGO_SETTINGS_MODULE", "MAKELEVEL")
HAVE_FIGURES_COMPUTED = """
import time
from analytics import queue
from analytics.models import Snapshot
from annotation.models import Study

Snapshot.objects.all().delete()
study = Study.objects.earliest("pk")
for tenth in range(1800):
    if tenth % 100 == 0:  # what was queued while Redis was away is lost
        queue.forget_part(study_id=study.pk, part="glance")
        queue.want_part(study_id=study.pk, part="glance")
    time.sleep(0.1)
    if Snapshot.objects.exists():
        print("computed")
        break
"""
LAUNCH = [sys.executable, "-m", "config.launch"]
WITHIN = 900.0  # seconds for all that one process does
HARD_PATH = "a long path, with blanks, ä and 中文/" + "deeper and deeper/" * 8


def who_comes_again_gives_up(client: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    """Programs on this client wait for a server so long, and no longer."""
    until = time.monotonic() + WITHIN

    def sleep(seconds: float) -> None:
        assert time.monotonic() < until, f"a program waited {WITHIN} s for the server"
        time.sleep(seconds)

    monkeypatch.setattr(client, "time", SimpleNamespace(sleep=sleep))


def all_of(process: subprocess.Popen) -> str:
    """What it printed, once it has ended."""
    printed, _ = process.communicate(timeout=WITHIN)
    return printed


def line_of(process: subprocess.Popen) -> str:
    """The next line that it prints."""
    [line] = came_of(beside(process.stdout.readline))
    return line


@dataclass
class Launcher:
    """`python -m config.launch` in one home."""

    home: Path
    port: int = field(default_factory=free_port)
    started: list[subprocess.Popen] = field(default_factory=list)

    def start(self, *arguments: str) -> subprocess.Popen:
        return self.start_command([*LAUNCH, *arguments])

    def start_shell(self, typed: str) -> subprocess.Popen:
        """Type it into a shell in the project's folder."""
        return self.start_command(["bash", "-c", typed])

    def start_command(self, command: list[str]) -> subprocess.Popen:
        env = {k: v for k, v in os.environ.items() if k not in SET_BY_THE_LAUNCHER_ABOVE}
        process = subprocess.Popen(
            command,
            cwd=ROOT,
            env=env | {"CONCORD_HOME": str(self.home), "PORT": str(self.port)},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )
        self.started.append(process)
        return process

    def run(self) -> subprocess.Popen:
        """Start the demo and come back when it answers."""
        process = self.start("run")
        printed: list[str] = []

        def is_ready() -> bool:
            for line in process.stdout:
                printed.append(line)
                if "Concord is ready" in line:
                    return True
            return False

        ready = beside(is_ready)
        wait([ready], WITHIN)
        has_come = ready.done() and ready.result()
        assert has_come, "".join(printed)
        return process

    def printed(self, *arguments: str) -> str:
        """All that it prints with these arguments, once it has ended."""
        return all_of(self.start(*arguments))

    def status_of(self, page: str) -> int:
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}{page}", timeout=30) as answer:
            return answer.status

    def answers(self, page: str) -> bool:
        try:
            return self.status_of(page) == 200
        except OSError:
            return False

    def kill(self, part_of_command: str) -> None:
        """kill -9 the oldest process whose command line has this in it."""
        found = [pid for pid, command in self.processes().items() if part_of_command in command]
        os.kill(min(found), signal.SIGKILL)

    def has_figures_computed(self) -> str:
        """Forget the figures of a study, ask for them, and say whether a worker made them."""
        shell = ["exec", "python", "manage.py", "shell", "--verbosity=0", "--command"]
        return self.printed(*shell, HAVE_FIGURES_COMPUTED).strip()

    def processes(self) -> dict[int, str]:
        """Everything alive that was started with this home, as {process id: command line}."""
        found = {}
        for directory in Path("/proc").glob("[0-9]*"):
            try:
                if self.is_of_this_home(directory):
                    command = (directory / "cmdline").read_bytes().replace(b"\0", b" ")
                    found[int(directory.name)] = command.decode(errors="replace")
            except OSError:  # it has just ended
                continue
        return found

    def is_of_this_home(self, process: Path) -> bool:
        """Whether its environment, its command or its log says so; who can set a title has no
        environment left."""
        if f"CONCORD_HOME={self.home}".encode() in (process / "environ").read_bytes().split(b"\0"):
            return True
        # What the parent of all is told; whose words have blanks between them, as a title has.
        if f"--logs={self.home / 'log'} ".encode() in (process / "cmdline").read_bytes():
            return True
        return (process / "fd" / "1").readlink().is_relative_to(self.home)

    def services_run(self) -> bool:
        """Whether PostgreSQL, Redis or their keeper lives: each of them holds this lock."""
        with (self.home / "services.lock").open("a") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                return True
        return False

    def end(self) -> None:
        """Whatever it has started."""
        for process in self.started:
            process.kill()
            process.stdout.close()
            process.wait(LONGEST)

    def wait_until_all_have_gone(self) -> None:
        wait_until(
            lambda: not self.processes() and not self.services_run(), what="every process to end"
        )


@pytest.fixture(scope="session")
def filled(request, tmp_path_factory) -> Path:
    """A home that a first start has filled with the demo, once for all workers of `-n`.

    Its path is too long for a unix socket.
    """
    folder = folder_of_all_workers(request, tmp_path_factory)
    home = folder / HARD_PATH
    with (folder / "filled.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not home.exists():
            launcher = Launcher(home=folder / "filling" / HARD_PATH)
            launcher.run().terminate()
            launcher.wait_until_all_have_gone()
            launcher.end()
            home.parent.mkdir(parents=True)
            launcher.home.rename(home)
    return home


@pytest.fixture(scope="module")
def launchers(request, tmp_path_factory):
    """launchers(name) has a home of that name, a copy of a demo that is `filled` where it is asked
    for; whatever it left running ends with the module."""
    made = []

    def make(name: str, *, is_filled: bool = False) -> Launcher:
        home = tmp_path_factory.mktemp("homes") / name
        if is_filled:
            home.parent.mkdir(parents=True, exist_ok=True)
            source = request.getfixturevalue("filled")
            # With its owners.
            subprocess.run(["cp", "--archive", source, home], check=True, timeout=LONGEST)
        made.append(Launcher(home=home))
        return made[-1]

    yield make
    for launcher in made:
        launcher.end()
