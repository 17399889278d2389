"""Processor time, by process."""

import os
from collections import defaultdict
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path

TICKS = os.sysconf("SC_CLK_TCK")


def seconds_of(roots: Mapping[str, int]) -> dict[str, float]:
    """{name: processor seconds so far} of these processes, each with all that it started.

    A process that has ended counts for the one that waited for it, so that nothing is lost.
    """
    own: dict[int, float] = {}
    started: dict[int, list[int]] = defaultdict(list)
    for process, parent, seconds in _processes():
        own[process] = seconds
        started[parent].append(process)

    def of_all(process: int) -> float:
        return own.get(process, 0.0) + sum(map(of_all, started[process]))

    return {name: of_all(root) for name, root in roots.items()}


def by_log(parent: int) -> dict[str, int]:
    """{name: id} of what a process has started with a log for each."""
    logs = {
        process: Path(f"/proc/{process}/fd/1").readlink()
        for process, started_by, _seconds in _processes()
        if started_by == parent
    }
    return {log.stem: process for process, log in logs.items()}


def _processes() -> Iterator[tuple[int, int, float]]:
    """(id, the parent's, seconds in user and kernel mode), from proc(5)."""
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            _state, parent, *fields = stat.read_text().rpartition(")")[2].split()
            yield int(stat.parent.name), int(parent), sum(map(int, fields[9:13])) / TICKS
