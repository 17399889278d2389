"""Take a release out as people do: ask, have somebody else look at what was found, wait, follow the link."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http import HTTPStatus
from pathlib import Path
from typing import Any

from accounts.models import User
from analytics.exports import rulings
from analytics.models import Export
from annotation.models import FileJob, JobKind, Study
from annotation.rules.lifecycle import JobState
from bench import processes
from bench.load import FORM_TOKEN, Client, found
from bench.people import PASSWORD
from bench.running import Running, wait_until
from bench.submitting import signed_in

LOOK_EVERY = 0.1  # seconds
BUILT_WITHIN = 900.0
UNDER_WAY = (JobState.WAITING, JobState.RUNNING)


@dataclass(frozen=True, slots=True, kw_only=True)
class Fetched:
    """A release as its recipient has it; how long its worker took, and the memory that it took."""

    path: Path
    manifest: dict[str, Any]
    seconds: float
    at_rest: float
    peak: float


@dataclass(slots=True)
class MemoryWatched:
    """Megabytes of a process and of all that it forked: before some work, and at most meanwhile."""

    root: int
    at_rest: float = 0.0
    peak: float = 0.0
    _is_over: threading.Event = field(default_factory=threading.Event)

    def look(self) -> float:
        return processes.megabytes_of({"it": self.root})["it"]

    @contextmanager
    def watching(self) -> Iterator[None]:
        self.at_rest = self.peak = self.look()
        watcher = threading.Thread(target=self._watch)
        watcher.start()
        try:
            yield
        finally:
            self._is_over.set()
            watcher.join()

    def _watch(self) -> None:
        while not self._is_over.wait(LOOK_EVERY):
            self.peak = max(self.peak, self.look())


def fetched(
    concord: Running, study: Study, *, reader: User, checker: User, folder: Path
) -> Fetched:
    """The release of a study with its texts, for `reader`; `checker` says why it may leave."""
    export = f"/studies/{study.key}/export/"
    asking, looking = signed_in(concord.port, reader, 0), signed_in(concord.port, checker, 1)
    for browser in (asking, looking):
        browser.submit("/accounts/reauthenticate/", {"password": PASSWORD})
    _is_refused(asking, export)
    looking.submit(
        f"{export}disclosure/",
        {
            "digest": rulings.disclosure(study).digest,
            "passes": "yes",
            "reason": "Published with these answers already.",
        },
    )
    memory = MemoryWatched(concord.roots["files"])
    with memory.watching():
        asking.submit(export, {"with_texts": "on"})
        wait_until(lambda: _job(study).state not in UNDER_WAY, patience=BUILT_WITHIN)
    job = _job(study)
    if job.state != JobState.DONE or job.started_at is None or job.finished_at is None:
        raise RuntimeError(f"The export is {job.state}: {job.reason}")
    # A large release takes longer than a connection is kept open, and a password believed.
    asking.connection.close()
    asking.submit("/accounts/reauthenticate/", {"password": PASSWORD})
    link = asking.submit(export, {}, to=f"{export}{job.pk}/")
    path = folder / job.result["name"]
    asking.fetch(link, path)
    _is_used_up(asking, link)
    return Fetched(
        path=path,
        manifest=Export.objects.get(pk=job.result["export"]).manifest,
        seconds=(job.finished_at - job.started_at).total_seconds(),
        at_rest=memory.at_rest,
        peak=memory.peak,
    )


def _is_refused(asking: Client, export: str) -> None:
    """Before somebody else has looked."""
    [token] = found(FORM_TOKEN, asking.ask("GET", export))
    status, _page = asking.send("POST", export, {"csrfmiddlewaretoken": token, "with_texts": "on"})
    if status != HTTPStatus.FORBIDDEN:
        raise RuntimeError(f"An export that nobody looked at was answered {status}.")


def _is_used_up(asking: Client, link: str) -> None:
    status, _page = asking.send("GET", link)
    if status != HTTPStatus.NOT_FOUND:
        raise RuntimeError(f"A link that was followed was answered {status}.")


def _job(study: Study) -> FileJob:
    return FileJob.objects.filter(study=study, kind=JobKind.EXPORT).latest("pk")
