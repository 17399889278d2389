"""The states of rounds, assignments, items in a round and jobs of files, and the moves between."""

from collections.abc import Mapping
from enum import StrEnum
from typing import TypeVar

from annotation.rubric.sentences import Sentence, sentence


class RoundState(StrEnum):
    """A round takes submissions while it is open; closing it lifts the blinding."""

    OPEN = "open"
    CLOSED = "closed"


class AssignmentState(StrEnum):
    """An assignment is owed while it is open; a released one is owed by nobody."""

    OPEN = "open"
    SUBMITTED = "submitted"
    RELEASED = "released"


class ItemState(StrEnum):
    """An item is rated by all its raters, who agree, or somebody else decides."""

    RATING = "rating"
    AGREED = "agreed"
    DISAGREED = "disagreed"
    ADJUDICATED = "adjudicated"


class JobState(StrEnum):
    """A job of files waits for a worker, runs, and ends; one whose worker was lost waits again."""

    WAITING = "waiting"
    RUNNING = "running"
    DONE = "done"
    REFUSED = "refused"
    CANCELLED = "cancelled"
    FAILED = "failed"


State = TypeVar("State", bound=StrEnum)
Moves = Mapping[State, tuple[State, ...]]

ROUND_MOVES: Moves[RoundState] = {
    RoundState.OPEN: (RoundState.CLOSED,),
    RoundState.CLOSED: (),
}

ASSIGNMENT_MOVES: Moves[AssignmentState] = {
    AssignmentState.OPEN: (AssignmentState.SUBMITTED, AssignmentState.RELEASED),
    AssignmentState.SUBMITTED: (),
    AssignmentState.RELEASED: (AssignmentState.OPEN,),
}

# A rater may correct a submission until the round closes, hence the ways back.
ITEM_MOVES: Moves[ItemState] = {
    ItemState.RATING: (ItemState.AGREED, ItemState.DISAGREED),
    ItemState.AGREED: (ItemState.DISAGREED,),
    ItemState.DISAGREED: (ItemState.AGREED, ItemState.ADJUDICATED),
    ItemState.ADJUDICATED: (),
}

JOB_MOVES: Moves[JobState] = {
    JobState.WAITING: (JobState.RUNNING, JobState.CANCELLED),
    JobState.RUNNING: (
        JobState.DONE,
        JobState.REFUSED,
        JobState.CANCELLED,
        JobState.FAILED,
        JobState.WAITING,
    ),
    JobState.DONE: (),
    JobState.REFUSED: (),
    JobState.CANCELLED: (),
    JobState.FAILED: (),
}

_WORDS: Mapping[str, Sentence] = {
    "open": sentence("open"),
    "closed": sentence("closed"),
    "submitted": sentence("submitted"),
    "released": sentence("released"),
    "rating": sentence("being rated"),
    "agreed": sentence("agreed"),
    "disagreed": sentence("disagreed"),
    "adjudicated": sentence("adjudicated"),
    "waiting": sentence("waiting"),
    "running": sentence("running"),
    "done": sentence("done"),
    "refused": sentence("refused"),
    "cancelled": sentence("cancelled"),
    "failed": sentence("failed"),
}


def first_of(moves: Moves[State]) -> State:
    """The state in which something begins."""
    return next(iter(moves))


def sources_of(moves: Moves[State], new: State) -> tuple[State, ...]:
    """The states that can become `new`."""
    return tuple(old for old, following in moves.items() if new in following)


def problem_with_move(moves: Moves[State], old: State, new: State) -> Sentence | None:
    """Say why `old` cannot become `new` under `moves`, or None when it can."""
    if new in moves[old]:
        return None
    return sentence("It is {old} and cannot become {new}.", old=_WORDS[old], new=_WORDS[new])


def diagrams() -> str:
    """Draw every state and move as Markdown with Mermaid diagrams, for docs/lifecycle.md."""
    drawn = (
        _diagram("Round", ROUND_MOVES),
        _diagram("Assignment", ASSIGNMENT_MOVES),
        _diagram("Item in a round", ITEM_MOVES),
        _diagram("Job of files", JOB_MOVES),
    )
    return "# Lifecycle\n\n" + "\n".join(drawn)


def _diagram(title: str, moves: Moves[State]) -> str:
    lines = [f"[*] --> {first_of(moves)}"]
    for old, following in moves.items():
        lines += [f"{old} --> {new}" for new in following]
        lines += [] if following else [f"{old} --> [*]"]
    body = "\n".join(f"    {line}" for line in lines)
    return f"## {title}\n\n```mermaid\nstateDiagram-v2\n{body}\n```\n"
