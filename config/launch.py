"""Start Concord, or any command, with everything it needs.

python -m config.launch exec COMMAND...    run a command with PostgreSQL and Redis up
"""

import argparse
import os
import subprocess
import sys
from pathlib import Path

from config import services

ROOT = services.ROOT


def main(arguments: list[str] | None = None) -> int:
    options = _parser().parse_args(arguments)
    try:
        return options.run(options)
    except services.CannotStart as problem:
        print(problem, file=sys.stderr)
        return 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m config.launch", description=__doc__)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    execute = commands.add_parser("exec", help="run a command with PostgreSQL and Redis up")
    execute.add_argument(
        "--throwaway", action="store_true", help="faster: the data need not outlive a power cut"
    )
    execute.add_argument("command", nargs=argparse.REMAINDER, help="for example: pytest tests")
    execute.set_defaults(run=run_command)
    return parser


def run_command(options: argparse.Namespace) -> int:
    home = home_directory()
    with services.running(home, durable=not options.throwaway) as addresses:
        return subprocess.run(options.command, env=environment(home, addresses)).returncode


def home_directory() -> Path:
    """Where this instance keeps its data: one directory a port, so that two can run."""
    given = os.environ.get("CONCORD_HOME")
    port = os.environ.get("PORT") or "8000"
    return Path(given).absolute() if given else ROOT / ".concord" / port


def environment(home: Path, addresses: dict[str, str]) -> dict[str, str]:
    """The variables of every process, with the programs of this virtual environment first."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    return os.environ | {"CONCORD_HOME": str(home), "PATH": path} | addresses


if __name__ == "__main__":
    sys.exit(main())
