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


def _processes() -> Iterator[tuple[int, int, float]]:
    """(id, the parent's, seconds in user and kernel mode), from proc(5)."""
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            _state, parent, *fields = stat.read_text().rpartition(")")[2].split()
            yield int(stat.parent.name), int(parent), sum(map(int, fields[9:13])) / TICKS
