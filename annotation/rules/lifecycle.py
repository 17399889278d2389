"""The states of rounds, assignments, items in a round and jobs of files, and the moves between."""

from collections.abc import Mapping
from enum import StrEnum
from inspect import cleandoc
from typing import TypeVar

from annotation.rubric.sentences import Sentence, sentence


class RoundState(StrEnum):
    """A round takes submissions while it is open; closing it lifts the blinding.

    One that should not have been opened is cancelled: what was answered in it is kept and counts
    for nothing.
    """

    OPEN = "open"
    CLOSED = "closed"
    CANCELLED = "cancelled"


class RoundStep(StrEnum):
    """How far an open round is in its protocol: it is rated, its gate looks at the independent
    answers, what differs is rated again, and the rest is discussed and decided."""

    RATING = "rating"
    GATE = "gate"
    RE_REVIEW = "re_review"
    DECIDING = "deciding"


class AssignmentState(StrEnum):
    """An assignment is owed while it is open; a released one is owed by nobody."""

    OPEN = "open"
    SUBMITTED = "submitted"
    RELEASED = "released"


class ItemState(StrEnum):
    """An item is rated by all its raters, who agree, or somebody else decides.

    Between the two it may be rated again in a re-review, or be discussed and agreed on. Where two
    have to decide, it waits for the second, and where these two differ it is split.
    """

    RATING = "rating"
    AGREED = "agreed"
    DISAGREED = "disagreed"
    REVIEWED = "reviewed"
    DISCUSSED = "discussed"
    CONSENSUS = "consensus"
    SECOND = "second"
    SPLIT = "split"
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
    RoundState.OPEN: (RoundState.CLOSED, RoundState.CANCELLED),
    RoundState.CLOSED: (),
    RoundState.CANCELLED: (),
}

STEP_MOVES: Moves[RoundStep] = {
    RoundStep.RATING: (RoundStep.GATE,),
    RoundStep.GATE: (RoundStep.RE_REVIEW, RoundStep.DECIDING),
    RoundStep.RE_REVIEW: (),
    RoundStep.DECIDING: (),
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
    ItemState.DISAGREED: (
        ItemState.AGREED,
        ItemState.REVIEWED,
        ItemState.DISCUSSED,
        ItemState.SECOND,
        ItemState.ADJUDICATED,
    ),
    # Its re-review was cancelled.
    ItemState.REVIEWED: (ItemState.DISAGREED,),
    ItemState.DISCUSSED: (ItemState.CONSENSUS, ItemState.DISAGREED),
    ItemState.CONSENSUS: (),
    ItemState.SECOND: (ItemState.SPLIT, ItemState.ADJUDICATED),
    ItemState.SPLIT: (ItemState.ADJUDICATED,),
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
    "reviewed": sentence("rated again"),
    "discussed": sentence("being discussed"),
    "consensus": sentence("agreed in discussion"),
    "second": sentence("waiting for a second adjudicator"),
    "split": sentence("decided in two ways"),
    "adjudicated": sentence("adjudicated"),
    "gate": sentence("before its gate"),
    "re_review": sentence("in re-review"),
    "deciding": sentence("being decided"),
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


def words_for(state: StrEnum) -> Sentence:
    """How people are told that something is in a state."""
    return _WORDS[state.value]


def problem_with_move(moves: Moves[State], old: State, new: State) -> Sentence | None:
    """Say why `old` cannot become `new` under `moves`, or None when it can."""
    if new in moves[old]:
        return None
    if old == new:
        return sentence("It is {state} already.", state=_WORDS[new])
    return sentence("It is {old} and cannot become {new}.", old=_WORDS[old], new=_WORDS[new])


def diagrams() -> str:
    """Draw every state and move as Markdown with Mermaid diagrams, for docs/lifecycle.md."""
    drawn = (
        _diagram("Round", ROUND_MOVES),
        _diagram("Step of an open round", STEP_MOVES),
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
    about = cleandoc(type(first_of(moves)).__doc__ or "")
    return f"## {title}\n\n{about}\n\n```mermaid\nstateDiagram-v2\n{body}\n```\n"
