"""Start Concord, or any command, with everything it needs.

python -m config.launch run                start the demo and stay until Ctrl-C
python -m config.launch exec COMMAND...    run a command with PostgreSQL and Redis up
"""

import argparse
import contextlib
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from config.launch import instance, services, supervise
from config.launch.services import CannotStart
from config.launch.supervise import ChildFailed


def main() -> int:
    options = _parser().parse_args()
    try:
        act: Callable[[argparse.Namespace], int] = options.act
        return act(options)
    except (CannotStart, ChildFailed) as problem:
        print(problem, file=sys.stderr)
        return 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m config.launch",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    commands = parser.add_subparsers(required=True)

    run = commands.add_parser("run", help="start the demo and stay until Ctrl-C")
    run.set_defaults(act=run_demo)

    execute = commands.add_parser("exec", help="run a command with PostgreSQL and Redis up")
    execute.add_argument(
        "--throwaway",
        action="store_true",
        help="use an empty database that is removed afterwards, and need not survive a power cut",
    )
    execute.add_argument("program", help="for example: pytest")
    execute.add_argument("arguments", nargs=argparse.REMAINDER, help="for example: tests -q")
    execute.set_defaults(act=run_command)
    return parser


def run_demo(_: argparse.Namespace) -> int:
    home = home_directory()
    instance.run(home, port_number(), environment(home))
    return 0


def run_command(options: argparse.Namespace) -> int:
    with contextlib.ExitStack() as stack:
        home = home_directory()
        if options.throwaway:
            home = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="concord-home-")))
        durable = not options.throwaway
        addresses = stack.enter_context(services.running(home, durable=durable))
        command = [options.program, *options.arguments]
        env = environment(home) | addresses
        if not env.get("CONCORD_LLM_BASE_URL"):
            env |= instance.stand_in_of(home)
        return run_in_foreground(command, env)


def run_in_foreground(command: list[str], env: dict[str, str]) -> int:
    """Run a command as a shell would: Ctrl-C is its business, other signals are passed on."""
    try:
        process = subprocess.Popen(
            command, env=env, preexec_fn=lambda: supervise.end_with_parent(signal.SIGTERM)
        )
    except OSError as problem:
        raise CannotStart(f"Cannot run {command[0]}: {problem.strerror}.") from None
    signal.signal(signal.SIGINT, lambda *_: None)
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda received, _: process.send_signal(received))
    status = process.wait()
    return status if status >= 0 else 128 - status


def port_number() -> int:
    given = os.environ.get("PORT") or "8000"
    if not given.isdecimal() or not 1024 <= int(given) <= 65535:
        raise CannotStart(f"PORT must be a number from 1024 to 65535, not {given!r}.")
    return int(given)


def home_directory() -> Path:
    """Where this instance keeps its data: one directory a port, so that two can run."""
    given = os.environ.get("CONCORD_HOME")
    return Path(given).absolute() if given else services.ROOT / ".concord" / str(port_number())


def environment(home: Path) -> dict[str, str]:
    """The variables of every process, with the programs of this virtual environment first."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    sparing = {
        # Several processes share the cores: matrices this small are slower with threads of their own.
        "OPENBLAS_NUM_THREADS": "1",
        # Memory that is free among one thread's is of no use to the others; and what is large is
        # given back when it is free, where by default the C library learns to keep it.
        "MALLOC_ARENA_MAX": "2",
        "MALLOC_MMAP_THRESHOLD_": "131072",
        "MALLOC_TRIM_THRESHOLD_": "131072",
        "ARROW_DEFAULT_MEMORY_POOL": "system",
    }
    return sparing | os.environ | {"CONCORD_HOME": str(home), "PATH": path}


if __name__ == "__main__":
    sys.exit(main())
