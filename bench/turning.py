"""How long it takes from Enter to the next item, in a real Chromium in front of all that stands.

One person rates a list of questions (a key and Enter an item). Timed in the page: from the moment
Enter goes down until the frame after the one with the next item in it has been drawn. Once with
time to read, in which the page fetches ahead, and once as fast as keys can be pressed. PEOPLE=10
has so many others rate meanwhile.
"""

import os
import shutil
import threading
from collections.abc import Iterator
from functools import partial

import numpy as np
from django.utils import timezone
from playwright.sync_api import Page, sync_playwright

from accounts.models import User
from annotation.actions import rounds
from annotation.models import Study
from bench.figures import BenchFigure
from bench.people import PASSWORD, a_study, some_people
from bench.running import Running, running
from bench.submitting import a_round, signed_in, submitting

RUBRIC = "dialogue_safety"
ITEMS = 400
TURNS = 150
READING = 800  # milliseconds before a key is pressed
OTHERS = int(os.environ.get("PEOPLE", "0"))
NAMES = ("chromium", "chromium-browser", "google-chrome")
SWITCHES = ("--no-sandbox", "--disable-gpu", "--disable-background-networking")
TIMED = """
window.turned = [];
document.addEventListener("keydown", ({ key }) => {
  if (key !== "Enter") return;
  const pressed = performance.now();
  const before = document.querySelector("#work").dataset.place;
  const look = () => {
    const form = document.querySelector("#work");
    const isNext = form?.dataset.place !== before && form.querySelector(".turn--judged");
    requestAnimationFrame(isNext ? () => turned.push(performance.now() - pressed) : look);
  };
  requestAnimationFrame(look);
}, true);
"""


def run() -> Iterator[BenchFigure]:
    with running() as concord:
        people = some_people(max(OTHERS, 2) + 1)
        study = a_study("turning", rubric=RUBRIC, n_items=ITEMS, annotators=people[:1])
        rounds.open_round(
            study_id=study.pk,
            panel=[people[0].pk],
            raters_per_item=1,
            by=people[0],
            at=timezone.now(),
        )
        others = a_round("meanwhile", people[1:]) if OTHERS else None
        is_over = threading.Event()
        threads = [
            threading.Thread(target=partial(_rate_on, concord, others, one, number, is_over))
            for number, one in enumerate(people[1:], start=1)
            if others
        ]
        for thread in threads:
            thread.start()
        try:
            yield BenchFigure("others who rate meanwhile", f"{len(threads)}")
            for name, pause in (("with time to read", READING), ("as fast as keys go", 0)):
                found = _turned(concord, study, people[0].email, pause)
                median, p95 = np.percentile(found, [50, 95])
                yield BenchFigure(
                    f"Enter to the next item, {name}, n = {len(found)}",
                    f"median {median:.0f} ms, 95 % {p95:.0f} ms, most {max(found):.0f} ms",
                )
        finally:
            is_over.set()
            for thread in threads:
                thread.join()


def _rate_on(
    concord: Running, study: Study, account: User, number: int, is_over: threading.Event
) -> None:
    browser = signed_in(concord.port, account, number)
    for _key in submitting(browser, study, pause=partial(is_over.wait, 2.0)):
        if is_over.is_set():
            return


def _turned(concord: Running, study: Study, email: str, pause: int) -> list[float]:
    """Milliseconds of each turn but the first few, in which scripts and fonts arrive."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=SWITCHES)
        page = browser.new_page(base_url=f"http://127.0.0.1:{concord.port}")
        sign_in(page, email)
        page.add_init_script(TIMED)
        page.goto(f"/studies/{study.key}/rate/")
        page.wait_for_load_state("networkidle")
        for number in range(1, TURNS + 1):
            page.wait_for_timeout(pause)
            page.keyboard.press("y")
            page.keyboard.press("Enter")
            page.wait_for_function("n => turned.length === n", arg=number)
        found: list[float] = page.evaluate("turned")
        browser.close()
    return found[5:]


def chromium() -> str | None:
    """The Chromium on PATH; None: playwright's own."""
    return next(filter(None, map(shutil.which, NAMES)), None)


def sign_in(page: Page, email: str) -> None:
    page.goto("/accounts/login/")
    page.locator("[name=login]").fill(email)
    page.locator("[name=password]").fill(PASSWORD)
    page.locator("[name=password]").press("Enter")
    page.wait_for_url("**/")
