"""Programs that bring files in and take releases out without a pause, whatever is killed meanwhile.

As an outbox does, each asks again with the same key until the server has answered.
"""

import hashlib
import http.client
import io
import json
import tempfile
import time
import zipfile
from collections.abc import Callable
from dataclasses import dataclass, field
from http import HTTPStatus
from itertools import count
from pathlib import Path
from typing import Any, TypeVar

from django.utils import timezone

from accounts.actions import tokens
from accounts.models import Scope, User
from annotation.actions import teams
from annotation.models import FileJob, TeamRole
from annotation.rules.granting import DataLevel
from annotation.rules.lifecycle import JobState
from bench.delivering import FIRST_WAIT, LONGEST_WAIT, PATIENCE
from bench.live import rated_before
from bench.people import a_study
from static.concord_client import Concord, RequestRefused

ITEMS_A_FILE = 500
ITEMS_RELEASED = 1_000
UNDER_WAY = (JobState.WAITING, JobState.RUNNING)

T = TypeVar("T")


class PatientConcord(Concord):
    """A program that takes a lost connection and an error of the server for no answer."""

    def get(self, path: str, **query: Any) -> Any:
        return again(lambda: super(PatientConcord, self).get(path, **query))

    def send(self, method: str, path: str, data: Any, **headers: str) -> Any:
        return again(lambda: super(PatientConcord, self).send(method, path, data, **headers))


def again(ask: Callable[[], T]) -> T:
    """What is answered in the end."""
    deadline, wait = time.monotonic() + PATIENCE, FIRST_WAIT
    while time.monotonic() < deadline:
        try:
            return ask()
        except RequestRefused as refusal:
            if refusal.status < HTTPStatus.INTERNAL_SERVER_ERROR and refusal.status != 429:
                raise
        except (OSError, http.client.HTTPException, json.JSONDecodeError):
            pass  # it broke off
        time.sleep(wait)
        wait = min(2 * wait, LONGEST_WAIT)
    raise RuntimeError(f"nothing was answered within {PATIENCE:.0f} seconds")


@dataclass(slots=True, kw_only=True)
class Carried:
    """What was brought in and taken out; `items`: keys whose import was told to be done, `broken`:
    releases whose bytes are not those that the server signed for."""

    items: list[str] = field(default_factory=list)
    n_files: int = 0
    n_releases: int = 0
    broken: int = 0


class Carriers:
    """Two programs of one account, each with a study of its own. In that which leaves only judges have
    answered, so that nobody has to look at it before."""

    def __init__(self, port: int, carrier: User) -> None:
        self._into = a_study("carried-in", rubric="mentalalign", n_items=0, annotators=[carrier])
        self._out_of = a_study(
            "carried-out", rubric="mentalalign", n_items=ITEMS_RELEASED, annotators=[carrier]
        )
        rated_before(self._out_of)
        teams.set_roles(
            study_id=self._out_of.pk,
            email=carrier.email,
            roles=[TeamRole.COORDINATOR, TeamRole.EXPORTER],
            also=list(DataLevel),
            by=None,
            at=timezone.now(),
        )
        _row, words = tokens.make(
            name="carrying", scopes=list(Scope), days=1, by=carrier, at=timezone.now()
        )
        self._concord = PatientConcord(f"http://127.0.0.1:{port}", token=words)
        self.carried = Carried()

    def bring(self, over: float) -> None:
        """One file of new items after the other, until the time is over."""
        study = self._concord.study(self._into.key)
        with tempfile.TemporaryDirectory() as folder:
            for number in count():
                if time.monotonic() > over:
                    return
                keys = [f"{number}-{place}" for place in range(ITEMS_A_FILE)]
                file = Path(folder) / f"{number}.jsonl"
                file.write_text("".join(map(_line, keys)))
                study.bring(file)
                self.carried.items += keys
                self.carried.n_files += 1

    def take(self, over: float) -> None:
        """One release after the other, until the time is over."""
        while time.monotonic() < over:
            content, signed = self._release()
            whole = hashlib.sha256(content).hexdigest() == signed
            with zipfile.ZipFile(io.BytesIO(content)) as archive:
                whole = whole and archive.testzip() is None
            self.carried.n_releases += 1
            self.carried.broken += not whole

    def kept(self) -> tuple[int, int, int]:
        """(lost, doubled, left under way or failed): of items that were told to be there how many are
        not, how many there are beside those, and of files how many did not come to their end."""
        stored = list(self._into.items.values_list("key", flat=True))
        told = set(self.carried.items)
        jobs = FileJob.objects.filter(study__in=[self._into, self._out_of])
        return (
            len(told - set(stored)),
            len(stored) - len(set(stored) & told),
            jobs.exclude(state=JobState.DONE).count(),
        )

    def _release(self) -> tuple[bytes, str]:
        """Its bytes, fetched piece by piece where the connection breaks off, and what they should be."""
        concord, path = self._concord, f"studies/{self._out_of.key}/releases/"
        built = concord.post(path, {"with_texts": False})
        while built["state"] in UNDER_WAY:
            time.sleep(FIRST_WAIT)
            built = concord.get(f"{path}{built['id']}/")
        link = concord.post(f"{path}{built['id']}/link/", {})
        content = bytearray()
        signed = again(lambda: _fetch(concord, f"{path}links/{link['token']}/", content))
        return bytes(content), signed


def _fetch(concord: Concord, path: str, content: bytearray) -> str:
    """What is left of a file, added to `content`; the SHA-256 that it was signed for with."""
    asked = {"Range": f"bytes={len(content)}-"} if content else {}
    with concord.open(path, headers=asked) as answer:
        left = int(answer.headers["Content-Length"])
        while piece := answer.read(1 << 16):
            content += piece
            left -= len(piece)
        if left:
            raise ConnectionError(f"{left} bytes are missing")
        return str(answer.headers["ETag"]).strip('"')


def _line(key: str) -> str:
    turns = [{"speaker": "seeker", "text": f"I have not slept, says {key}."}]
    return json.dumps({"key": key, "turns": turns, "reply": f"Tell me more, {key}."}) + "\n"
