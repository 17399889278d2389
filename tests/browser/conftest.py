"""A real Chromium in front of a real server, and a shelf for its screenshots."""

import os
import shutil
import time
from pathlib import Path

import pytest
from django.db import connection
from playwright.sync_api import Browser, Page, expect, sync_playwright

from config.checks.browsers import CHROMIUM
from tests.services import wait_until

# Playwright keeps an event loop in the test's thread, and Django takes that for async code.
os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"

ROOT = Path(__file__).resolve().parent.parent.parent
SHELF = ROOT / "artefacts" / "screens"
expect.set_options(timeout=60_000)
LOOKS = 8
# What moves while a page waits is drawn sixty times a second, by the processor.
USUAL = {
    "viewport": {"width": 1280, "height": 860},
    "locale": "en-GB",
    "reduced_motion": "reduce",
}
AT_WORK = """
SELECT count(*) FROM pg_stat_activity
WHERE datname = current_database() AND pid <> pg_backend_pid() AND state <> 'idle'
    AND backend_type = 'client backend'
"""
SWITCHES = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@pytest.fixture(scope="session")
def chromium():
    """The Chromium on PATH, or playwright's own where there is none."""
    program = next(filter(None, map(shutil.which, CHROMIUM)), None)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=SWITCHES)
        yield browser
        browser.close()


@pytest.fixture
def visitor(chromium: Browser, live_server):
    """visitor() is a fresh browser profile at the server, with no page errors allowed."""
    contexts, problems = [], []

    def visit(**options) -> Page:
        settings = USUAL | options
        context = chromium.new_context(base_url=live_server.url, **settings)
        context.set_default_timeout(60_000)
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.on(
            "console",
            lambda line: (
                problems.append(line.text) if "Content Security Policy" in line.text else None
            ),
        )
        return page

    yield visit
    for context in contexts:
        for page in context.pages:
            page.unroute_all(behavior="ignoreErrors")  # a test of lost answers may be fetching one
        context.set_offline(True)  # what a page sends as it goes would meet no database
        context.close()
    wait_until(nothing_is_asked_for_a_while, what="the last answers of the server")
    assert problems == []


def nothing_is_asked_for_a_while() -> bool:
    """Whether the server is at rest at each of some looks: between two questions of a request it
    seems so, too."""
    for _look in range(LOOKS):
        if not nothing_is_asked():
            return False
        time.sleep(0.05)
    return True


def nothing_is_asked() -> bool:
    """Whether the server is at rest: what it still asks would meet a database being emptied."""
    with connection.cursor() as cursor:
        cursor.execute(AT_WORK)
        return cursor.fetchone() == (0,)


@pytest.fixture
def keep(pytestconfig):
    """keep(page, name) puts a screenshot on the shelf, for people who asked for them with `--screens`."""
    if not pytestconfig.option.screens:
        return lambda page, name: None
    SHELF.mkdir(parents=True, exist_ok=True)

    def shoot(page: Page, name: str) -> None:
        page.screenshot(path=SHELF / f"{name}.png", full_page=True, caret="initial")

    return shoot
