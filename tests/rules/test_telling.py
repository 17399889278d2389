"""What a letter about work tells somebody, and what they were told before."""

from datetime import date, timedelta

import pytest

from annotation.rules.telling import News, Notice, PendingWork, news_about

TODAY = date(2026, 5, 4)


def told(pending, *before):
    return list(news_about(pending, before, today=TODAY))


def owed(**more):
    return PendingWork(round_id=7, **{"n_assigned": 12, "n_open": 5} | more)


def test_what_was_told_is_told_once():
    opened = Notice(News.OPENED, 7, "12")
    assert told(owed()) == [opened]
    assert told(owed(), opened) == []
    assert told(owed(), opened._replace(round_id=8)) == [opened], "another round is another news"
    assert told(owed(n_open=0)) == []


def test_more_work_is_told_of_and_less_is_not():
    opened, more = Notice(News.OPENED, 7, "12"), Notice(News.HANDED_ON, 7, "20")
    assert told(owed(n_assigned=20), opened) == [more]
    assert told(owed(n_assigned=20), opened, more) == []
    assert told(owed(n_assigned=15), opened, more) == []
    assert told(owed(n_assigned=21), opened, more) == [more._replace(detail="21")]


@pytest.mark.parametrize(
    ("days", "news"),
    [(-1, News.OVERDUE), (0, News.DUE_SOON), (3, News.DUE_SOON), (4, None)],
)
def test_three_days_before_it_is_due_and_once_it_was(days, news):
    due_on, opened = TODAY + timedelta(days=days), Notice(News.OPENED, 7, "12")
    due = [Notice(news, 7, due_on.isoformat())] if news else []
    assert told(owed(due_on=due_on), opened) == due
    assert told(owed(due_on=due_on, n_open=0), opened) == []


def test_who_decides_or_discusses_is_told_of_it_once_a_round():
    waiting = owed(n_open=0, is_to_decide=True, is_to_discuss=True)
    decide, discuss = Notice(News.TO_DECIDE, 7), Notice(News.TO_DISCUSS, 7)
    assert told(waiting) == [decide, discuss]
    assert told(waiting, decide) == [discuss]
