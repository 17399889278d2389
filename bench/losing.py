"""Whether anything that people sent is lost, doubled or overwritten when the network loses it.

A real Chromium in front of all that `make run` starts. Of what its pages send and fetch three in ten are
lost, half of them on their way there and half on the way back. One person rates ITEMS items and
corrects a third of them, another decides a third. Every tenth answer is sent without a network; at
others the process of the tab is killed before it could send, or the language is changed while the
form is half filled in. In the end all that was typed is compared with the rows. ITEMS=30 is quicker.
"""

import os
import random
import re
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from uuid import uuid4

from django.utils import timezone
from playwright.sync_api import BrowserContext, Error, Page, Route, expect, sync_playwright

from accounts.access import access_of
from accounts.models import User
from annotation.actions import rounds, submissions
from annotation.models import Assignment, Round, Study, TeamRole
from annotation.queries import work
from annotation.rules.completeness import Filled, fill
from bench.figures import BenchFigure
from bench.killing import Acknowledged, kept_of
from bench.people import a_study, join, some_people
from bench.running import running
from bench.turning import RUBRIC, SWITCHES, chromium, sign_in

ITEMS = int(os.environ.get("ITEMS", "60"))
SHARE_LOST = 0.3
PATIENCE = 60_000.0  # milliseconds until what was sent has arrived


@dataclass(slots=True, kw_only=True)
class LosingNetwork:
    """A network that loses requests on their way there, or answers on the way back."""

    drawn: random.Random = field(default_factory=lambda: random.Random(3))  # noqa: S311 -- what is lost
    n_asked: int = 0
    n_lost: int = 0

    def carry(self, route: Route) -> None:
        if route.request.resource_type != "fetch":
            route.continue_()
            return
        self.n_asked += 1
        if self.drawn.random() > SHARE_LOST:
            route.continue_()
            return
        self.n_lost += 1
        with suppress(Error):  # a page that is gone waits for nothing
            if self.drawn.random() < 0.5:
                route.fetch(max_redirects=0)
            route.abort()


def run() -> Iterator[BenchFigure]:
    with running() as concord:
        people = some_people(3)
        study = a_study("losing", rubric=RUBRIC, n_items=ITEMS, annotators=people[:2])
        join(study, people[2:], TeamRole.ADJUDICATOR)
        told, network, faults = Acknowledged(), LosingNetwork(), Counter[str]()
        rating_round = _opened(study, people[:2], told)
        owed = list(_owed(rating_round, people[0]))
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=chromium(), args=SWITCHES)
            for person, typing in (
                (people[0], partial(_rate, study.key, owed, told)),
                (people[0], partial(_correct, study.key, owed[::3], told)),
                (people[2], partial(_decide, study.key, told)),
            ):
                context = browser.new_context(base_url=f"http://127.0.0.1:{concord.port}")
                page = context.new_page()
                sign_in(page, person.email)
                context.route("**/*", partial(network.carry))
                typing(context, page, faults)
                _ends(context.new_page())
                context.close()
            browser.close()
    yield BenchFigure("requests of pages, lost", f"{network.n_asked:,}, {network.n_lost:,}")
    yield BenchFigure(
        "faults beside that", ", ".join(f"{n} {what}" for what, n in sorted(faults.items()))
    )
    for name, kept in zip(
        ("ratings", "corrections", "decisions"), kept_of(study, told), strict=True
    ):
        yield BenchFigure(f"{name} typed", str(kept))


def _opened(study: Study, raters: list[User], told: Acknowledged) -> Round:
    """A round of which the second rater has rated everything: as the first one will not."""
    rating_round = rounds.open_round(
        study_id=study.pk,
        panel=[one.pk for one in raters],
        raters_per_item=2,
        by=raters[0],
        at=timezone.now(),
    )
    filled = fill(rating_round.rubric, {"safety": "safe_response"}, {})
    if not isinstance(filled, Filled):
        raise TypeError("the rubric has no such label")
    for assignment in _owed(rating_round, raters[1]):
        words = f"other {assignment}"
        told.ratings.append(words)
        submissions.submit(
            owed=work.owed(access_of(raters[1], at=timezone.now()), assignment),
            answers=submissions.Answers(key=uuid4(), filled=filled, comment=words),
            by=raters[1],
            at=timezone.now(),
        )
    return rating_round


def _owed(rating_round: Round, rater: User) -> Iterator[int]:
    mine = Assignment.objects.filter(round=rating_round, rater__user=rater)
    yield from mine.order_by("position").values_list("pk", flat=True)


def _rate(
    key: str,
    owed: list[int],
    told: Acknowledged,
    context: BrowserContext,
    page: Page,
    faults: Counter[str],
) -> None:
    address = f"/studies/{key}/rate/"
    page.goto(address)
    for number in range(len(owed)):
        words = f"rating {number}"
        place = int(
            page.locator("#work[data-place]").get_attribute("data-place", timeout=PATIENCE) or 0
        )
        page.keyboard.press("y")
        page.locator("#comment").fill(words)
        page = _send(context, page, "#comment", words, address, number, faults)
        told.ratings.append(words)
        told.standing[place] = words
        page.wait_for_function(
            "place => document.querySelector('#work')?.dataset.place !== String(place)"
            " && !document.querySelector('.work__form')?.inert",
            arg=place,
            timeout=PATIENCE,
        )
    _arrives(page)


def _correct(
    key: str,
    places: list[int],
    told: Acknowledged,
    context: BrowserContext,
    page: Page,
    faults: Counter[str],
) -> None:
    for number, place in enumerate(places):
        words = f"correction {number}"
        address = f"/studies/{key}/my-work/{place}/"
        page.goto(address)
        page.locator("#comment").fill(words)
        page = _send(context, page, "#comment", words, address, number, faults)
        told.corrections.append(words)
        told.standing[place] = words
        _arrives(page)


def _decide(
    key: str, told: Acknowledged, context: BrowserContext, page: Page, faults: Counter[str]
) -> None:
    for number in range(ITEMS // 3):
        words = f"decision {number}"
        page.goto(f"/studies/{key}/adjudicate/")
        page.locator("main th a").first.click()
        page.wait_for_url(re.compile(r"/adjudicate/\d+/"))
        page.keyboard.press("1")
        page.keyboard.press("1")
        page.locator("#reason").fill(words)
        case = int(page.url.rstrip("/").rsplit("/", 1)[1])
        page = _send(context, page, "#reason", words, page.url, number, faults)
        told.decided.setdefault(case, []).append(words)
        _arrives(page)


def _send(
    context: BrowserContext,
    page: Page,
    field_of_words: str,
    words: str,
    address: str,
    number: int,
    faults: Counter[str],
) -> Page:
    """Send a form that is filled in, whatever happens meanwhile; gives the page to go on with."""
    if number % 10 == 3:
        faults["changes of language"] += 1
        other = page.locator("button[name='language']:not([aria-pressed='true'])").first
        with page.expect_navigation():
            other.click()
        expect(page.locator(field_of_words)).to_have_value(words, timeout=PATIENCE)
    is_offline, is_killed = number % 10 == 5, number % 10 == 8
    if is_offline or is_killed:
        context.set_offline(True)
    page.locator(field_of_words).press("Control+Enter")
    if is_killed:
        faults["tabs killed"] += 1
        expect(page.locator("[data-part='outbox']")).not_to_have_attribute("data-waiting", "0")
        with page.expect_event("crash"), suppress(Error):
            page.goto("chrome://crash")
        page.close()
    if is_offline:
        faults["without a network"] += 1
        page.wait_for_timeout(1_000)
    context.set_offline(False)
    if is_killed:
        page = context.new_page()
        page.goto(address if "rate" in address else "/")
    return page


def _ends(page: Page) -> None:
    """What still waits in the browser is sent by any page."""
    page.goto("/")
    page.wait_for_timeout(2_000)
    _arrives(page)


def _arrives(page: Page) -> None:
    outbox = page.locator("[data-part='outbox']")
    expect(outbox).to_have_attribute("data-waiting", "0", timeout=PATIENCE)
