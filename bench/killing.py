"""Whether anything that people sent is lost, doubled or overwritten when the server is killed.

All that `make run` starts stands. Of fifty people 42 rate, correct a fourth of their answers and then
send a correction that is out of date, as from a second tab; eight decide what the
others differ on, and meet at the same items; a judge rates them too. Programs bring file after file into
another study and take release after release out of a third. All the while one after the other
is killed with SIGKILL: every process of the web server, PostgreSQL, Redis; and started anew by who
looks after it. Whoever gets no answer sends the same again, as the page's outbox does. In the end
what was acknowledged is compared with the rows, and the figures have to catch up.
SECONDS=30 has them work for less long, VICTIMS=web,postgresql has these killed only.
"""

import os
import random
import re
import threading
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import datetime
from http import HTTPStatus
from itertools import cycle
from uuid import uuid4

from django.conf import settings
from django.db.models import Min
from django.utils import timezone

from accounts.models import User
from annotation.actions import rounds
from annotation.models import Adjudication, Study, Submission, TeamRole
from bench.carrying import Carriers
from bench.delivering import Delivery, delivered
from bench.figures import BenchFigure
from bench.live import is_at_rest
from bench.load import Client, found
from bench.people import a_study, join, some_people
from bench.running import Running, running, wait_until
from bench.submitting import HIDDEN, RUBRIC, SCALES, TOKEN, signed_in
from bench.victims import Victims
from judging import standin
from judging.actions import runs
from judging.actions.judges import Settings
from judging.models import CallState, JudgeCall, JudgeRun

RATERS, ADJUDICATORS, CARRIERS = 42, 8, 2
SECONDS = float(os.environ.get("SECONDS", "120"))
VICTIMS = os.environ.get("VICTIMS", "web,postgresql,redis").split(",")
JUDGE_AT_ONCE = 2
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
    of 409 and 422, by what was sent. `answers`: when each was asked for and given, by the clock.
    """

    ratings: list[str] = field(default_factory=list)
    corrections: list[str] = field(default_factory=list)
    standing: dict[int, str] = field(default_factory=dict)
    decided: dict[int, list[str]] = field(default_factory=dict)
    refused: Counter[str] = field(default_factory=Counter)
    n_tries: int = 0
    answers: list[tuple[float, float]] = field(default_factory=list)

    def goes_on_after(self, moment: float) -> float:
        """Seconds until the first answer to what was sent after this moment."""
        later = (answered for asked, answered in self.answers if asked > moment)
        return min(later, default=float("inf")) - moment


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


@dataclass(frozen=True, slots=True, kw_only=True)
class VictimKilled:
    """What was killed, and when: by the clock, and of the day."""

    name: str
    moment: float
    at: datetime


def run() -> Iterator[BenchFigure]:
    with running() as concord:
        *people, carrier = some_people(RATERS + ADJUDICATORS + 1)
        carriers = Carriers(concord.port, carrier)
        study = _study(people[:RATERS], people[RATERS:])
        browsers = [signed_in(concord.port, one, number) for number, one in enumerate(people)]
        judge_run = _judge_asked(study)
        told, kills = _under_fire(concord, study, browsers, carriers)
        runs.finish(run_id=judge_run.pk, by=None, at=timezone.now())
        caught_up = _seconds_until(lambda: is_at_rest(study))
    killed = Counter(one.name for one in kills)
    yield BenchFigure("people, seconds", f"{len(people)}, {SECONDS:.0f}")
    yield BenchFigure("killed", ", ".join(f"{name} {n} times" for name, n in killed.items()))
    yield BenchFigure("sent, times it had to be sent", f"{len(told.answers):,}, {told.n_tries:,}")
    ratings, corrections, decisions = kept_of(study, told)
    yield BenchFigure("ratings acknowledged", str(ratings))
    yield BenchFigure("corrections acknowledged", str(corrections))
    yield BenchFigure("decisions acknowledged", str(decisions))
    refused = ", ".join(f"{number:,} {what}" for what, number in sorted(told.refused.items()))
    yield BenchFigure("refused with a reason", refused or "none")
    yield BenchFigure("calls of the judge that were answered", str(_kept_of_judge(judge_run)))
    yield from _of_files(carriers)
    for name in killed:
        mine = [one for one in kills if one.name == name]
        people_wait = ", ".join(f"{told.goes_on_after(one.moment):.1f}" for one in mine)
        judge_waits = ", ".join(f"{_judge_goes_on(judge_run, one.at):.1f}" for one in mine)
        yield BenchFigure(f"seconds until people go on, {name} killed", people_wait)
        yield BenchFigure(f"seconds until the judge goes on, {name} killed", judge_waits)
    yield BenchFigure("seconds after the end until figures show all of it", f"{caught_up:.1f}")


def _of_files(carriers: Carriers) -> Iterator[BenchFigure]:
    carried, (lost, doubled, not_done) = carriers.carried, carriers.kept()
    yield BenchFigure(
        "files brought in, their items",
        f"{carried.n_files}, {len(carried.items):,}: {lost} lost, {doubled} doubled",
    )
    yield BenchFigure(
        "releases taken out", f"{carried.n_releases}: {carried.broken} not as they were signed for"
    )
    yield BenchFigure("files and releases that did not come to their end", f"{not_done}")


def _judge_asked(study: Study) -> JudgeRun:
    judge = Settings(llm=standin.NAME, base_url=settings.LLM_BASE_URL, temperature=0.0)
    return runs.start(
        study=study,
        judge=judge,
        repeats=1,
        concurrency=JUDGE_AT_ONCE,
        by=None,
        at=timezone.now(),
    )


def _kept_of_judge(judge_run: JudgeRun) -> KeptAnswers:
    """Its calls that count as answered, held against the verdicts that are stored."""
    done = JudgeCall.objects.filter(run=judge_run, state=CallState.DONE, submission__isnull=False)
    stored = Submission.objects.filter(study=judge_run.study, rater=judge_run.judge.rater)
    return _kept(
        [str(item) for item in done.values_list("item", flat=True)],
        [str(item) for item in stored.values_list("item", flat=True)],
        [],
    )


def _judge_goes_on(judge_run: JudgeRun, at: datetime) -> float:
    """Seconds until a call that was sent after this moment is answered."""
    later = JudgeCall.objects.filter(run=judge_run, sent_at__gt=at, answered_at__isnull=False)
    first = later.aggregate(first=Min("answered_at"))["first"]
    return (first - at).total_seconds() if first else float("inf")


def _seconds_until(is_so: Callable[[], bool]) -> float:
    started = time.monotonic()
    wait_until(is_so)
    return time.monotonic() - started


def kept_of(study: Study, told: Acknowledged) -> tuple[KeptAnswers, KeptAnswers, KeptAnswers]:
    """Ratings, corrections and decisions held against the rows of a study."""
    rows = list(
        Submission.objects.filter(study=study, round__isnull=False).values_list(
            "assignment", "comment", "superseded_by", "supersedes"
        )
    )
    last: dict[int | None, list[str]] = {}
    for assignment, comment, later, _earlier in rows:
        if later is None:
            last.setdefault(assignment, []).append(comment)
    replaced = {one for one, words in told.standing.items() if last.get(one) != [words]}
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
    concord: Running, study: Study, browsers: Sequence[Client], carriers: Carriers
) -> tuple[Acknowledged, list[VictimKilled]]:
    """Everybody works until the time is over, and one after the other is killed meanwhile."""
    told, lock, victims = Acknowledged(), threading.Lock(), Victims(concord)
    over = time.monotonic() + SECONDS
    desks = [Desk(study.key, browser, told, lock, over) for browser in browsers]
    kills = []
    with ThreadPoolExecutor(len(desks) + CARRIERS) as pool:
        work = [pool.submit(one.rate) for one in desks[:RATERS]]
        work += [pool.submit(one.decide) for one in desks[RATERS:]]
        work += [pool.submit(one, over) for one in (carriers.bring, carriers.take)]
        for name in cycle(VICTIMS):
            if time.monotonic() + BETWEEN_KILLS[1] > over:
                break
            time.sleep(random.uniform(*BETWEEN_KILLS))  # noqa: S311 -- when something dies
            kills.append(VictimKilled(name=name, moment=time.monotonic(), at=timezone.now()))
            victims.kill(name)
        for one in work:
            one.result()
    return told, kills


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
            self.told.n_tries += answer.tries
            self.told.answers.append((answer.asked, answer.answered))
        return answer

    def _is_taken(self, answer: Delivery, what: str) -> bool:
        # Where answers were corrected meanwhile, the form asks for more than was decided.
        if answer.status in {HTTPStatus.CONFLICT, HTTPStatus.UNPROCESSABLE_ENTITY}:
            with self.lock:
                self.told.refused[what] += 1
        elif answer.status not in TAKEN:
            raise RuntimeError(f"{what} were answered {answer.status}")
        return answer.status in TAKEN
