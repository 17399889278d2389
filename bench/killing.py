"""Whether anything that people sent is lost, doubled or overwritten when the server is killed.

All that `make run` starts stands. Of fifty people 42 rate, correct a fourth of their answers and then
send a correction that is out of date, as from a second tab; eight decide what the
others differ on, and meet at the same items. All the while the web server is killed with SIGKILL,
every process of it, and started anew by its parent. Whoever gets no answer sends the same again,
as the page's outbox does. In the end what was acknowledged is compared with the rows.
SECONDS=30 has them work for less long.
"""

import os
import random
import re
import signal
import threading
import time
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from http import HTTPStatus
from uuid import uuid4

from django.utils import timezone

from accounts.models import User
from annotation.actions import rounds
from annotation.models import Adjudication, Study, Submission, TeamRole
from bench import processes
from bench.delivering import Delivery, delivered
from bench.figures import BenchFigure
from bench.load import Client, found
from bench.people import a_study, join, some_people
from bench.running import Running, running
from bench.submitting import HIDDEN, RUBRIC, SCALES, TOKEN, signed_in

RATERS, ADJUDICATORS = 42, 8
SECONDS = float(os.environ.get("SECONDS", "120"))
ITEMS = 4_000
RATERS_PER_ITEM = 2
BETWEEN_KILLS = (16.0, 20.0)  # a parent gives up on what ends five times within a minute
CORRECTED = 0.25  # of all answers
LOOK_EVERY = 0.5  # seconds
IN_CORRECTION = re.compile(r'name="(key|supersedes)" value="([^"]+)"')
CASE = re.compile(r"/adjudicate/(\d+)/")
TAKE = re.compile(r'name="(take\.[^"]+)" value="([^"~]+)"')
TAKEN = (HTTPStatus.OK, HTTPStatus.NO_CONTENT)


@dataclass(slots=True, kw_only=True)
class Acknowledged:
    """What the server said that it had stored: the words that were typed with it, all different.

    `standing`: {assignment: the last that was taken}; `decided`: {case: reasons}. `refused`: answers
    of 409 and 422, by what was sent.
    """

    ratings: list[str] = field(default_factory=list)
    corrections: list[str] = field(default_factory=list)
    standing: dict[int, str] = field(default_factory=dict)
    decided: dict[int, list[str]] = field(default_factory=dict)
    refused: Counter[str] = field(default_factory=Counter)
    n_sent: int = 0
    n_tries: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptAnswers:
    """Of what was acknowledged: how much is not there, how much there is beside it, and how much
    gave way to something else."""

    acknowledged: int
    lost: int
    doubled: int
    overwritten: int

    def __str__(self) -> str:
        return (
            f"{self.acknowledged:,}: {self.lost} lost, {self.doubled} doubled, "
            f"{self.overwritten} overwritten"
        )


def run() -> Iterator[BenchFigure]:
    with running() as concord:
        people = some_people(RATERS + ADJUDICATORS)
        study = _study(people[:RATERS], people[RATERS:])
        browsers = [signed_in(concord.port, one, number) for number, one in enumerate(people)]
        told, n_kills = _under_fire(concord, study, browsers)
    yield BenchFigure(
        "people, seconds, kills of the web server", f"{len(people)}, {SECONDS:.0f}, {n_kills}"
    )
    yield BenchFigure("sent, times it had to be sent", f"{told.n_sent:,}, {told.n_tries:,}")
    ratings, corrections, decisions = kept_of(study, told)
    yield BenchFigure("ratings acknowledged", str(ratings))
    yield BenchFigure("corrections acknowledged", str(corrections))
    yield BenchFigure("decisions acknowledged", str(decisions))
    refused = ", ".join(f"{number:,} {what}" for what, number in sorted(told.refused.items()))
    yield BenchFigure("refused with a reason", refused or "none")


def kept_of(study: Study, told: Acknowledged) -> tuple[KeptAnswers, KeptAnswers, KeptAnswers]:
    """Ratings, corrections and decisions held against the rows of a study."""
    rows = list(
        Submission.objects.filter(study=study, round__isnull=False).values_list(
            "assignment", "comment", "is_current", "supersedes"
        )
    )
    current: dict[int | None, list[str]] = {}
    for assignment, comment, is_current, _earlier in rows:
        if is_current:
            current.setdefault(assignment, []).append(comment)
    replaced = {one for one, words in told.standing.items() if current.get(one) != [words]}
    corrected = {one for one, words in told.standing.items() if words in set(told.corrections)}
    decided = list(Adjudication.objects.filter(round__study=study).values_list("item", "reason"))
    return (
        _kept(told.ratings, [row[1] for row in rows if row[3] is None], replaced - corrected),
        _kept(told.corrections, [row[1] for row in rows if row[3]], replaced & corrected),
        _kept(
            [words for reasons in told.decided.values() for words in reasons],
            [reason for _item, reason in decided],
            [case for case, reasons in told.decided.items() if len(reasons) > 1],
        ),
    )


def _kept(acknowledged: list[str], stored: list[str], overwritten: Collection[int]) -> KeptAnswers:
    here, there = Counter(acknowledged), Counter(stored)
    return KeptAnswers(
        acknowledged=here.total(),
        lost=(here - there).total(),
        doubled=(there - here).total(),
        overwritten=len(overwritten),
    )


def _study(raters: Sequence[User], adjudicators: Sequence[User]) -> Study:
    study = a_study("killing", rubric=RUBRIC, n_items=ITEMS, annotators=raters)
    join(study, adjudicators, TeamRole.ADJUDICATOR)
    rounds.open_round(
        study_id=study.pk,
        panel=[one.pk for one in raters],
        raters_per_item=RATERS_PER_ITEM,
        by=raters[0],
        at=timezone.now(),
    )
    return study


def _under_fire(
    concord: Running, study: Study, browsers: Sequence[Client]
) -> tuple[Acknowledged, int]:
    """Everybody works until the time is over, and the server is killed meanwhile; how often."""
    told, lock = Acknowledged(), threading.Lock()
    over = time.monotonic() + SECONDS
    desks = [Desk(study.key, browser, told, lock, over) for browser in browsers]
    with ThreadPoolExecutor(len(desks)) as pool:
        work = [pool.submit(one.rate) for one in desks[:RATERS]]
        work += [pool.submit(one.decide) for one in desks[RATERS:]]
        n_kills = 0
        while time.monotonic() + BETWEEN_KILLS[1] < over:
            time.sleep(random.uniform(*BETWEEN_KILLS))  # noqa: S311 -- when a server dies
            os.killpg(processes.by_log(concord.roots["Concord"])["web"], signal.SIGKILL)
            n_kills += 1
        for one in work:
            one.result()
    return told, n_kills


class Desk:
    """One person before one browser, until the time is over; what has begun is sent to its end."""

    def __init__(
        self,
        study: str,
        browser: Client,
        told: Acknowledged,
        lock: threading.Lock,
        over: float,
    ):
        self.study, self.browser, self.over = f"/studies/{study}/", browser, over
        self.told, self.lock = told, lock
        self.drawn = random.Random()  # noqa: S311 -- what people think of a reply
        self.token = ""

    def rate(self) -> None:
        address = f"{self.study}rate/"
        page = self._open(address)
        while time.monotonic() < self.over and (hidden := dict(HIDDEN.findall(page))):
            words, place = str(uuid4()), int(hidden["assignment"])
            answer = self._send(address, hidden | self._scores(words))
            if answer.status not in TAKEN:
                raise RuntimeError(f"a rating was answered {answer.status}")
            with self.lock:
                self.told.ratings.append(words)
                self.told.standing[place] = words
            page = answer.text
            if self.drawn.random() < CORRECTED:
                self._correct(place)

    def _correct(self, assignment: int) -> None:
        """Change what was just rated, then once more from a page that does not know of it."""
        address = f"{self.study}my-work/{assignment}/"
        hidden = dict(IN_CORRECTION.findall(self._open(address)))
        if not hidden:  # somebody has decided the item
            return
        words = str(uuid4())
        if not self._is_taken(self._send(address, hidden | self._scores(words)), "corrections"):
            return
        with self.lock:
            self.told.corrections.append(words)
            self.told.standing[assignment] = words
        of_before = hidden | {"key": str(uuid4())} | self._scores(str(uuid4()))
        if self._is_taken(self._send(address, of_before), "corrections that were out of date"):
            raise RuntimeError("a correction that was out of date was taken")

    def decide(self) -> None:
        address = f"{self.study}adjudicate/"
        while time.monotonic() < self.over:
            cases = CASE.findall(self._open(address))
            if not cases:
                time.sleep(LOOK_EVERY)
                continue
            case = int(self.drawn.choice(cases))
            page = self._open(f"{address}{case}/", may_be_gone=True)
            words = str(uuid4())
            form = dict(TAKE.findall(page)) | {"code.decided": "text", "reason": words}
            if not page or not self._is_taken(self._send(f"{address}{case}/", form), "decisions"):
                continue
            with self.lock:
                self.told.decided.setdefault(case, []).append(words)

    def _scores(self, words: str) -> dict[str, str]:
        scores = {f"answer.{key}": str(self.drawn.randint(1, 5)) for key in SCALES}
        return scores | {"comment": words, "seconds": "12"}

    def _open(self, address: str, *, may_be_gone: bool = False) -> str:
        answer = delivered(self.browser, "GET", address)
        if may_be_gone and answer.status == HTTPStatus.NOT_FOUND:
            return ""
        if answer.status != HTTPStatus.OK:
            raise RuntimeError(f"{address} answered {answer.status}")
        [self.token] = found(TOKEN, answer.text)
        return answer.text

    def _send(self, address: str, form: dict[str, str]) -> Delivery:
        answer = delivered(
            self.browser, "POST", address, form, X_CSRFToken=self.token, HX_Request="true"
        )
        with self.lock:
            self.told.n_sent += 1
            self.told.n_tries += answer.tries
        return answer

    def _is_taken(self, answer: Delivery, what: str) -> bool:
        # Where answers were corrected meanwhile, the form asks for more than was decided.
        if answer.status in {HTTPStatus.CONFLICT, HTTPStatus.UNPROCESSABLE_ENTITY}:
            with self.lock:
                self.told.refused[what] += 1
        elif answer.status not in TAKEN:
            raise RuntimeError(f"{what} were answered {answer.status}")
        return answer.status in TAKEN
