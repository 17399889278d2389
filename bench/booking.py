"""Whether items are given to as many raters as agreed, to nobody twice, and to everybody.

All that `make run` starts stands. Sixty clients rate a round of 10,000 items, three raters an
item, until nothing is left; one item of a hundred is passed on as “not for me”, and four more join when
half is rated. ITEMS=2000 has them rate fewer.
"""

import os
import random
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial

from django.db import connection
from django.db.models import F, Sum
from django.utils import timezone

from accounts.models import User
from annotation.actions import assignments
from annotation.models import PassedOn, Round, Seat, TeamRole
from bench.delivering import delivered
from bench.figures import BenchFigure
from bench.load import Client, found
from bench.people import join, some_people
from bench.running import running
from bench.submitting import HIDDEN, RATERS_PER_ITEM, SCALES, TOKEN, a_round, signed_in

AT_FIRST, LATER = 60, 4
ITEMS = int(os.environ.get("ITEMS", "10000"))
PASSED_ON = 0.01  # of the items that somebody is shown
LOOK_EVERY = 0.5  # seconds
LOOKS_AGAIN = 2
UNDER_WAY = 10.0  # seconds within which all that was sent is answered

_OVERBOOKED = """
SELECT count(*) FROM (
    SELECT item_id FROM annotation_submission
    WHERE round_id = %(round)s AND is_current AND repeat = 1
    GROUP BY item_id HAVING count(*) > %(k)s
) AS item
"""
_TWICE = """
SELECT count(*) FROM (
    SELECT item_id, rater_id FROM annotation_submission
    WHERE round_id = %(round)s AND supersedes_id IS NULL AND repeat = 1
    GROUP BY item_id, rater_id HAVING count(*) > 1
) AS pair
"""
_SHORT = """
SELECT count(*) FROM annotation_rounditem AS place
WHERE place.round_id = %(round)s AND (
    SELECT count(*) FROM annotation_submission AS one
    WHERE one.round_id = place.round_id AND one.item_id = place.item_id
        AND one.is_current AND one.repeat = 1
) < %(k)s
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class BookedRound:
    """What a round came to: `starved` are those who look and are given nothing of what they owe,
    and `idle` those who never got anything."""

    overbooked: int
    twice: int
    short: int
    starved: int
    idle: int


def run() -> list[BenchFigure]:
    with running() as concord:
        people = some_people(AT_FIRST + LATER)
        browsers = [signed_in(concord.port, one, number) for number, one in enumerate(people)]
        rating_round = _opened(people[:AT_FIRST])
        began = time.monotonic()
        n_joined = _rated_by_all(rating_round, people, browsers)
        seconds = time.monotonic() - began
        return _figures(rating_round, seconds=seconds, n_joined=n_joined)


def booked(rating_round: Round) -> BookedRound:
    asked = {"round": rating_round.pk, "k": rating_round.raters_per_item}
    seats = Seat.objects.filter(round=rating_round)
    return BookedRound(
        overbooked=_count(_OVERBOOKED, asked),
        twice=_count(_TWICE, asked),
        short=_count(_SHORT, asked),
        starved=seats.filter(n_submitted__lt=F("n_assigned")).count(),
        idle=seats.filter(n_submitted=0).count(),
    )


def _opened(people: Sequence[User]) -> Round:
    study = a_round("booking", list(people), n_items=ITEMS)
    return study.rounds.get()


def _rated_by_all(rating_round: Round, people: Sequence[User], browsers: Sequence[Client]) -> int:
    """Everybody rates until nothing is left; how many assignments went to those who came later."""
    passing = threading.Event()
    passing.set()
    with ThreadPoolExecutor(len(browsers)) as pool:
        rating = partial(_rating, rating_round.study.key, passing)
        clients = [pool.submit(rating, one) for one in browsers[:AT_FIRST]]
        half = ITEMS * RATERS_PER_ITEM // 2
        while _n_submitted(rating_round) < half and not any(one.done() for one in clients):
            time.sleep(LOOK_EVERY)
        n_joined = _joined(rating_round, people, passing)
        clients += [pool.submit(rating, one) for one in browsers[AT_FIRST:]]
        for one in clients:
            one.result()
        for _ in range(LOOKS_AGAIN):  # for what was passed on to somebody who had finished
            list(pool.map(rating, browsers))
    return n_joined


def _joined(rating_round: Round, people: Sequence[User], passing: threading.Event) -> int:
    """Nothing is passed on meanwhile: it would go to the newcomers, who owe least, and who has some
    of it is on the panel already."""
    passing.clear()
    time.sleep(UNDER_WAY)
    join(rating_round.study, people[AT_FIRST:], TeamRole.ANNOTATOR)
    n_joined = assignments.let_join(
        round_id=rating_round.pk,
        accounts=[one.pk for one in people[AT_FIRST:]],
        by=people[0],
        at=timezone.now(),
    )
    passing.set()
    return n_joined


def _rating(study: str, passing: threading.Event, browser: Client) -> None:
    address = f"/studies/{study}/rate/"
    browser.connection.close()  # the server has ended what stood unused for long
    page = delivered(browser, "GET", address).text
    [token] = found(TOKEN, page)
    drawn = random.Random()  # noqa: S311 -- what people think of a reply
    send: Callable[..., str] = partial(_sent, browser, token)
    while hidden := dict(HIDDEN.findall(page)):
        if passing.is_set() and drawn.random() < PASSED_ON:
            page = send(f"{address}not-for-me/", hidden)
            continue
        scores = {f"answer.{key}": str(drawn.randint(1, 5)) for key in SCALES}
        page = send(address, hidden | scores | {"comment": "", "seconds": "12"})


def _sent(browser: Client, token: str, address: str, form: dict[str, str]) -> str:
    answer = delivered(browser, "POST", address, form, X_CSRFToken=token, HX_Request="true")
    if answer.status != 200:
        raise RuntimeError(f"{address} answered {answer.status}")
    return answer.text


def _figures(rating_round: Round, *, seconds: float, n_joined: int) -> list[BenchFigure]:
    counted = booked(rating_round)
    shares = list(
        Seat.objects.filter(round=rating_round)
        .order_by("n_submitted")
        .values_list("n_submitted", flat=True)
    )
    n_passed = PassedOn.objects.filter(assignment__round=rating_round).count()
    return [
        BenchFigure(
            "clients, items, raters an item", f"{len(shares)}, {ITEMS:,}, {RATERS_PER_ITEM}"
        ),
        BenchFigure("ratings, a second", f"{sum(shares):,}, {sum(shares) / seconds:.0f}"),
        BenchFigure("passed on, handed to those who joined", f"{n_passed:,}, {n_joined:,}"),
        BenchFigure("items with more raters than agreed", f"{counted.overbooked}"),
        BenchFigure("items with fewer", f"{counted.short}"),
        BenchFigure("given twice to one rater", f"{counted.twice}"),
        BenchFigure("clients starved, without any work", f"{counted.starved}, {counted.idle}"),
        BenchFigure("ratings of one client, fewest and most", f"{shares[0]} and {shares[-1]}"),
    ]


def _n_submitted(rating_round: Round) -> int:
    total: int | None = rating_round.seats.aggregate(n=Sum("n_submitted"))["n"]
    return total or 0


def _count(statement: str, asked: dict[str, int]) -> int:
    with connection.cursor() as cursor:
        cursor.execute(statement, asked)
        [(number,)] = cursor.fetchall()
    return int(number)
