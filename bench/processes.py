"""Processor time and memory, by process."""

import os
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path

TICKS = os.sysconf("SC_CLK_TCK")


def seconds_of(roots: Mapping[str, int]) -> dict[str, float]:
    """{name: processor seconds so far} of these processes, each with what it started.

    A process that has ended counts for the one that waited for it, so that nothing is lost.
    """
    seconds = {process: used for process, _parent, used in _processes()}
    return _with_what_they_started(roots, lambda process: seconds.get(process, 0.0))


def megabytes_of(roots: Mapping[str, int]) -> dict[str, float]:
    """{name: megabytes of memory now} of these processes, each with what it started.

    A page that several share counts for each with its part.
    """
    return _with_what_they_started(roots, _megabytes)


def _with_what_they_started(
    roots: Mapping[str, int], measure: Callable[[int], float]
) -> dict[str, float]:
    """What has a name of its own counts for that alone, and who measures for nobody."""
    started: dict[int, list[int]] = defaultdict(list)
    for process, parent, _seconds in _processes():
        started[parent].append(process)
    apart = {*roots.values(), os.getpid()}

    def of_all(process: int) -> float:
        others = (one for one in started[process] if one not in apart)
        return measure(process) + sum(map(of_all, others))

    return {name: of_all(root) for name, root in roots.items()}


def by_log(parent: int) -> dict[str, int]:
    """{name: id} of what a process has started with a log for each."""
    logs = {
        process: Path(f"/proc/{process}/fd/1").readlink()
        for process, started_by, _seconds in _processes()
        if started_by == parent
    }
    return {log.stem: process for process, log in logs.items()}


def _megabytes(process: int) -> float:
    """Proportional set size, from proc(5)."""
    with suppress(OSError):
        for line in Path(f"/proc/{process}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1]) / 1024
    return 0.0


def _processes() -> Iterator[tuple[int, int, float]]:
    """(id, the parent's, seconds in user and kernel mode), from proc(5)."""
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            _state, parent, *fields = stat.read_text().rpartition(")")[2].split()
            yield int(stat.parent.name), int(parent), sum(map(int, fields[9:13])) / TICKS
