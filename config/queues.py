"""Which work waits in which line. Each queue has worker processes of its own.

A judge run waits for others for minutes, a file takes as long as it is big, and a figure is
wanted within a second: in one line, the last would wait for the first.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from config import environment

_LANE = ":"  # between the name of a queue and the number of a lane
AFTER_OTHERS = 3  # a priority, of those that Redis keeps apart: 0, 3, 6 and 9
RUNS_AT_ONCE = environment.number("CONCORD_RUNS_AT_ONCE", 16)  # in one worker, each in a thread
_TO_SPARE = 10  # seconds between the end of a task by force and its being handed out again


@dataclass(frozen=True, slots=True, kw_only=True)
class Queue:
    """A line of tasks, and how the worker on it does them."""

    name: str
    tasks: tuple[str, ...]
    longest: int  # seconds after which a process that is still at a task is ended by force
    at_once: int
    most_memory: int = 400  # megabytes, shared ones too; a process that took more is replaced
    pool: Literal["prefork", "threads"] = "prefork"  # threads cannot be ended by force
    modules: tuple[str, ...] = ()  # what its tasks alone need, loaded before the fork
    nice: int = 0  # how far it steps back from processors that pages and figures want
    stands_by: bool = True  # else a process is forked for a task, and ends when none came for long
    last: tuple[str, ...] = ()  # those of the tasks before which all others go, whenever they came
    lanes: int = 0  # in which these wait, each study's in one: a worker takes from them in turn

    def priority(self, task: str) -> int:
        """0 is the first."""
        return AFTER_OTHERS if task in self.last else 0

    @property
    def lines(self) -> tuple[str, ...]:
        """What the queue is in Redis: itself, and its lanes."""
        return (self.name, *(f"{self.name}{_LANE}{lane}" for lane in range(self.lanes)))

    def line(self, task: str, study_id: int) -> str:
        """Where a task about a study waits."""
        of_a_study = self.lanes and task in self.last
        return f"{self.name}{_LANE}{study_id % self.lanes}" if of_a_study else self.name

    @property
    def visibility(self) -> int:
        """Seconds until Redis hands out again what a worker took and never acknowledged.

        Longer than any task, so that none that is still at work is handed out twice.
        """
        return self.longest + _TO_SPARE


QUEUES = (
    Queue(
        name="live",
        tasks=(
            "analytics.tasks.refresh_report",
            "analytics.tasks.refresh_slice",
            "analytics.tasks.report_on_round",
            "analytics.tasks.catch_up",
            "annotation.tasks.look_after_files",
            "annotation.tasks.sweep_files",
            "annotation.tasks.tell_of_work",
            "judging.tasks.wake_runs",
            "judging.tasks.ask_sentinels",
            "analytics.tasks.check_sentinels",
            "accounts.tasks.seal_ledger",
            "accounts.tasks.remind",
            "analytics.tasks.remind_of_copies",
        ),
        # Of a large study each takes up to a minute, and whoever opens its pages asks for ten of them.
        last=("analytics.tasks.refresh_report", "analytics.tasks.refresh_slice"),
        lanes=16,  # so who looks at a small study waits for one part of a large one, not for all
        longest=110,
        # On two cores a second would compute beside the first, and the web server wants the core.
        at_once=environment.number("CONCORD_FIGURES_AT_ONCE", 1),
    ),
    Queue(
        name="judges",
        tasks=(
            "judging.tasks.work_on_run",
            # A mail server or another program that does not answer holds up no figures.
            "accounts.tasks.deliver",
            "accounts.tasks.send_checkpoint",
            "analytics.tasks.tell_of_sentinels",
        ),
        longest=110,  # for the messages of runs, which are acknowledged at once
        at_once=RUNS_AT_ONCE,
        pool="threads",  # they wait for others, each as long as its run has calls to make
        modules=("openai", "aiohttp"),  # to load them in the fork writes on much that is shared
        nice=10,
    ),
    Queue(
        name="files",
        tasks=(
            "annotation.tasks.work_on_file",
            "judging.tasks.bring_answers",
            "judging.tasks.index_answers",
            "analytics.tasks.refresh_at_length",
            "analytics.tasks.build_export",
            "analytics.tasks.build_writeup",
            "analytics.tasks.verify",
            "accounts.tasks.clear_sessions",
            "accounts.tasks.forget_writes",
        ),
        longest=3 * 3600,  # a report has all figures of a study: those of the largest take an hour
        at_once=environment.number("CONCORD_FILES_AT_ONCE", 1),
        nice=10,
        stands_by=False,
    ),
)


def queue_of_each_task() -> Iterator[tuple[str, Queue]]:
    return ((task, queue) for queue in QUEUES for task in queue.tasks)
