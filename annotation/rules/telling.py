"""What a letter about work says: that there is some which somebody has not been told of."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from enum import StrEnum
from typing import NamedTuple

from annotation.rubric.sentences import Sentence, sentence

BEFORE_DUE = timedelta(days=3)
BETWEEN_LETTERS = timedelta(hours=20)  # at most one a day, whenever in the day it was


class News(StrEnum):
    """What may be new about the work of one person."""

    OPENED = "opened"
    HANDED_ON = "handed_on"
    DUE_SOON = "due_soon"
    OVERDUE = "overdue"
    TO_DECIDE = "to_decide"
    TO_DISCUSS = "to_discuss"


WORDS: dict[News, Sentence] = {
    News.OPENED: sentence("A round has opened in which you rate."),
    News.HANDED_ON: sentence("More work was handed on to you."),
    News.DUE_SOON: sentence("What you have still to rate is due soon."),
    News.OVERDUE: sentence("What you have still to rate was due already."),
    News.TO_DECIDE: sentence("Disagreements wait for your decision."),
    News.TO_DISCUSS: sentence("Items wait to be discussed with you."),
}


class Notice(NamedTuple):
    """One piece of news, and what tells it from the next of its kind: how many ratings were owed,
    or which day they were due on; "" where a round is told of once."""

    news: News
    round_id: int
    detail: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class PendingWork:
    """What waits for one person in one open round; `n_assigned` counts what is done already."""

    round_id: int
    n_assigned: int = 0
    n_open: int = 0
    due_on: date | None = None
    is_to_decide: bool = False
    is_to_discuss: bool = False


def news_about(pending: PendingWork, told: Iterable[Notice], *, today: date) -> Iterator[Notice]:
    """What is new about a round to somebody who was told of what is `told`."""
    of_round = {notice for notice in told if notice.round_id == pending.round_id}
    fresh = (notice for notice in _notices(pending, of_round, today) if notice not in of_round)
    yield from fresh


def _notices(pending: PendingWork, told: set[Notice], today: date) -> Iterator[Notice]:
    if pending.n_open:
        known = [int(one.detail) for one in told if one.news in (News.OPENED, News.HANDED_ON)]
        if not known:
            yield Notice(News.OPENED, pending.round_id, str(pending.n_assigned))
        elif pending.n_assigned > max(known):
            yield Notice(News.HANDED_ON, pending.round_id, str(pending.n_assigned))
        if pending.due_on and pending.due_on < today:
            yield Notice(News.OVERDUE, pending.round_id, pending.due_on.isoformat())
        elif pending.due_on and pending.due_on <= today + BEFORE_DUE:
            yield Notice(News.DUE_SOON, pending.round_id, pending.due_on.isoformat())
    if pending.is_to_decide:
        yield Notice(News.TO_DECIDE, pending.round_id)
    if pending.is_to_discuss:
        yield Notice(News.TO_DISCUSS, pending.round_id)
