"""Child processes: how they start, how they end, and that none is left behind."""

import contextlib
import ctypes
import multiprocessing.context
import os
import pwd
import signal
import subprocess
import sys
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import cast

LIBC = ctypes.CDLL(None, use_errno=True)
ON_LINUX = sys.platform == "linux"

# From linux/prctl.h, linux/securebits.h and linux/capability.h.
PR_SET_PDEATHSIG = 1
PR_SET_SECUREBITS = 28
SECBIT_NO_SETUID_FIXUP = 1 << 2
PR_CAP_AMBIENT = 47
PR_CAP_AMBIENT_RAISE = 2
CAP_DAC_OVERRIDE = 1
CAPABILITY_VERSION_3 = 0x20080522
# From malloc.h of glibc.
M_TRIM_THRESHOLD = -1
M_MMAP_THRESHOLD = -3

TO_END = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
MOST_ENDS = 5  # within
A_WHILE = 60.0  # seconds
PATIENCE = 10.0  # seconds for all children to end when they are told to
_ATTEMPTS, _UNTIL_NEXT = 20, 0.11  # seconds


class ChildFailed(Exception):
    """A process did not start or ended on its own; the message says which and where to look."""


class Forked(multiprocessing.context.ForkProcess):
    """A forked process, asked and told as a `Popen` is."""

    @property
    def pid(self) -> int:
        return cast(int, super().pid)  # None only before it is started

    def poll(self) -> int | None:
        return self.exitcode

    def wait(self, timeout: float | None = None) -> int:
        self.join(timeout)
        if self.exitcode is None:
            raise subprocess.TimeoutExpired(self.name, timeout or 0.0)
        return self.exitcode

    def send_signal(self, number: signal.Signals) -> None:
        os.kill(self.pid, number)


@dataclass(frozen=True, slots=True, kw_only=True)
class Child:
    name: str
    process: subprocess.Popen[bytes] | Forked
    log: Path | None
    stop_signal: signal.Signals

    def has_ended(self) -> bool:
        return self.process.poll() is not None


def start(
    name: str,
    command: list[str | Path],
    *,
    log: Path | None,
    env: dict[str, str] | None = None,
    cwd: Path | None = None,
    stop_signal: signal.Signals = signal.SIGTERM,
    before_exec: Callable[[], None] | None = None,
    pass_fds: tuple[int, ...] = (),
) -> Child:
    """Start a child in a session of its own, so that Ctrl-C reaches only the launcher.

    Without a log it writes to the terminal.
    """

    parent = os.getpid()

    def prepare() -> None:
        if before_exec:
            before_exec()
        end_with_parent(stop_signal, parent=parent)

    with log.open("ab") if log else contextlib.nullcontext() as output:
        try:
            process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT if log else None,
                env=env,
                cwd=cwd,
                start_new_session=True,
                preexec_fn=prepare,
                pass_fds=pass_fds,
            )
        except OSError as problem:
            why = f"{problem.strerror}: {problem.filename}"
            raise ChildFailed(f"{name} could not be started. {why}") from None
    return Child(name=name, process=process, log=log, stop_signal=stop_signal)


def fork(name: str, run: Callable[[], object], *, log: Path | None) -> Child:
    """Start a child as `start` does, with all in memory that this process has.

    A signal waits while it is forked: at once it would have the child do what this process does
    when it is told to end, which is to end all children.
    """
    parent = os.getpid()

    def child() -> None:
        os.setsid()
        for number in TO_END:
            signal.signal(number, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, TO_END)
        end_with_parent(signal.SIGTERM, parent=parent)
        if log:
            with log.open("ab") as output:
                os.dup2(output.fileno(), sys.stdout.fileno())
                os.dup2(output.fileno(), sys.stderr.fileno())
        run()

    process = Forked(target=child, name=name)
    before = signal.pthread_sigmask(signal.SIG_BLOCK, TO_END)
    try:
        process.start()
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
    return Child(name=name, process=process, log=log, stop_signal=signal.SIGTERM)


@dataclass(slots=True)
class Detached:
    """A process that was forked and outlives this one."""

    pid: int
    is_over: bool = False

    def has_ended(self) -> bool:
        if not self.is_over:
            self.is_over = os.waitpid(self.pid, os.WNOHANG)[0] != 0
        return self.is_over


def detach(run: Callable[[], object], *, log: Path, keeping: int) -> Detached:
    """Fork a process that nobody waits for, with nothing open but its log and the file `keeping`."""
    if process := os.fork():
        return Detached(process)
    try:
        os.setsid()
        _leave_files(log, keeping)
        run()
    except (SystemExit, ChildFailed) as end:
        print(end, file=sys.stderr)
    finally:
        if sys.exc_info()[0]:
            traceback.print_exc()  # nobody else would tell of it
        sys.stderr.flush()
        os._exit(0)  # nothing of what it was forked from is its own to put away


def _leave_files(log: Path, keeping: int) -> None:
    with Path(os.devnull).open("rb") as nothing, log.open("wb") as output:
        os.dup2(nothing.fileno(), sys.stdin.fileno())
        for stream in (sys.stdout, sys.stderr):
            os.dup2(output.fileno(), stream.fileno())
    os.closerange(sys.stderr.fileno() + 1, keeping)
    os.closerange(keeping + 1, os.sysconf("SC_OPEN_MAX"))


@dataclass(slots=True)
class Kept:
    """A child that is started anew when it ends, unless it ends again and again."""

    begin: Callable[[], Child]
    child: Child = field(init=False)
    ends: list[float] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.child = self.begin()

    def look_after(self) -> None:
        if not self.child.has_ended():
            return
        kill_session(self.child)  # what it had forked and can no longer look after
        now = time.monotonic()
        self.ends = [*(end for end in self.ends if end > now - A_WHILE), now]
        if len(self.ends) >= MOST_ENDS:
            raise ChildFailed(
                f"{self.child.name} ended {len(self.ends)} times within a minute."
                f"{last_words(self.child.log)}"
            )
        print(f"ERROR {self.child.name} ended and is started anew.", file=sys.stderr, flush=True)
        self.child = self.begin()


def and_what_nobody_knows(children: list[Child]) -> list[Child]:
    """These, and what was forked as a signal came, before anybody had written down which it is."""
    known = {child.process.pid for child in children}
    return children + [
        Child(name=one.name, process=one, log=None, stop_signal=signal.SIGTERM)
        for one in multiprocessing.active_children()
        if isinstance(one, Forked) and one.pid not in known
    ]


def stop(children: list[Child], *, patience: float = PATIENCE) -> None:
    """Ask all of them to end, wait `patience` seconds in all, then end what is left by force."""
    for child in children:
        if not child.has_ended():
            child.process.send_signal(child.stop_signal)
    deadline = time.monotonic() + patience
    for child in children:
        with contextlib.suppress(subprocess.TimeoutExpired):
            child.process.wait(max(0.0, deadline - time.monotonic()))
        kill_session(child)


def kill_session(child: Child) -> None:
    """End a child and whatever it forked; its session has its process id."""
    with contextlib.suppress(ProcessLookupError, PermissionError):  # nobody is left in it
        os.killpg(child.process.pid, signal.SIGKILL)
    child.process.wait()


def finish(children: list[Child]) -> None:
    """Wait for children that do one thing and end."""
    try:
        for child in children:
            if child.process.wait() != 0:
                raise ChildFailed(f"`{child.name}` failed.{last_words(child.log)}")
    finally:
        stop(children)


def check(children: list[Child]) -> None:
    """Notice when a child that should keep running has ended."""
    for child in children:
        if child.has_ended():
            raise ChildFailed(f"{child.name} ended unexpectedly.{last_words(child.log)}")


def last_words(log: Path | None, lines: int = 8) -> str:
    """The end of a log, for a message on the terminal."""
    if log is None:
        return ""
    tail = log.read_text(errors="replace").splitlines()[-lines:]
    return "\n".join(["", *(f"  | {line}" for line in tail), f"The whole log: {log}"])


def step_back(niceness: int) -> None:
    """Leave processors to others where they are short.

    Linux shares them out among sessions first, and only then among the processes of each by their
    niceness (sched(7), autogroup): the session has one of its own, which root alone may set more
    than ten times a second.
    """
    os.nice(niceness)
    of_session = Path("/proc/self/autogroup")
    for _attempt in range(_ATTEMPTS if of_session.exists() else 0):
        try:
            of_session.write_text(str(niceness))
        except BlockingIOError:
            time.sleep(_UNTIL_NEXT)
        except OSError:
            return  # a container may not let it be written
        else:
            return


def keep_free_memory() -> None:
    """Have what is freed kept for what comes next, in a process that ends when it has nothing to do.

    To give back each array of a large study and ask for the next takes a third of the time.
    """
    if hasattr(LIBC, "mallopt"):
        LIBC.mallopt(M_MMAP_THRESHOLD, 32 * 2**20)
        LIBC.mallopt(M_TRIM_THRESHOLD, 64 * 2**20)


def end_with_parent(how: signal.Signals, *, parent: int | None = None) -> None:
    """Have the kernel end this process when its parent dies, be it by `kill -9`; at once where that
    `parent` has died before.

    Only Linux can do this; elsewhere a killed launcher leaves its children running.
    """
    if ON_LINUX:
        _prctl(PR_SET_PDEATHSIG, how)
        if parent not in (None, os.getppid()):
            os.kill(os.getpid(), how)


def become_ordinary_user() -> None:
    """Turn this process from root into `nobody`, still able to pass through any directory.

    PostgreSQL refuses to run as root. Its files may lie below a directory that only root can
    enter (a checkout in /root); rather than open that directory to everyone or copy the files
    out of it, the process keeps one capability of root's, CAP_DAC_OVERRIDE. Where a sandbox
    refuses even that, the directories have to be open.
    """
    nobody = pwd.getpwnam("nobody")
    with contextlib.suppress(OSError, AttributeError):
        # Otherwise access(2), by which PostgreSQL finds its programs, ignores capabilities.
        _prctl(PR_SET_SECUREBITS, SECBIT_NO_SETUID_FIXUP)
    os.setgroups([])
    os.setgid(nobody.pw_gid)
    os.setuid(nobody.pw_uid)
    with contextlib.suppress(OSError, AttributeError):
        _keep_only_capability(CAP_DAC_OVERRIDE)


def _keep_only_capability(capability: int) -> None:
    """Drop all others, and keep this one when another program is executed."""
    header = (ctypes.c_uint32 * 2)(CAPABILITY_VERSION_3, 0)
    effective, permitted, inheritable = [1 << capability] * 3
    _checked(LIBC.capset(header, (ctypes.c_uint32 * 6)(effective, permitted, inheritable)))
    _prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, capability, 0, 0)


def _prctl(option: int, *arguments: int) -> None:
    _checked(LIBC.prctl(option, *map(ctypes.c_ulong, arguments)))


def _checked(result: int) -> None:
    if result != 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
