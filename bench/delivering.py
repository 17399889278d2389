"""Send as the outbox of a page does: the same thing again until the server has answered."""

import http.client
import random
import time
from dataclasses import dataclass

from bench.load import Client

FIRST_WAIT, LONGEST_WAIT = 0.2, 2.0  # seconds; a page begins with one and ends with thirty
PATIENCE = 180.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Delivery:
    """What the server said in the end, how many times it was asked, and between which moments of
    the clock it was for the last time."""

    status: int
    text: str
    tries: int
    asked: float
    answered: float


def delivered(
    browser: Client, method: str, path: str, form: dict[str, str] | None = None, **headers: str
) -> Delivery:
    """A lost connection and an error of the server are no answer."""
    deadline, wait, tries = time.monotonic() + PATIENCE, FIRST_WAIT, 0
    while time.monotonic() < deadline:
        tries += 1
        asked = time.monotonic()
        try:
            status, text = browser.send(method, path, form, **headers)
        except (OSError, http.client.HTTPException):
            browser.connection.close()
        else:
            if status < 500 and status != 429:
                return Delivery(
                    status=status, text=text, tries=tries, asked=asked, answered=time.monotonic()
                )
        time.sleep(wait * random.uniform(0.75, 1.25))  # noqa: S311 -- so that not all come at once
        wait = min(2 * wait, LONGEST_WAIT)
    raise RuntimeError(f"{method} {path} was not answered within {PATIENCE:.0f} seconds")
