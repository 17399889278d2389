"""Read and run studies of a Concord server from Python: one file, which needs nothing but Python.

    from concord_client import Concord

    concord = Concord("https://concord.example.org", token="concord_...")
    ratings = concord.study("pond").ratings()

Every write carries a key, so that one that was sent twice is done once. Tables are lists of dicts, or data frames where pandas is there. Every server has the client that
goes with it at /static/concord_client.py; what it speaks is described at /api/v1/.
"""

import json
import shutil
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

try:
    import pandas as pd
except ImportError:
    pd = None

PAGE = 500
POLL_EVERY = 1.0  # seconds
ACCEPTED = 202


class RequestRefused(Exception):
    """The server's answer where it is no: `status`, and what it says."""

    def __init__(self, status: int, told: Any) -> None:
        self.status, self.told = status, told
        super().__init__(f"{status}: {told}")


class Concord:
    """A server, as the account that a token belongs to."""

    def __init__(self, url: str, *, token: str) -> None:
        self._base = url.rstrip("/") + "/api/v1/"
        self._token = token

    def studies(self) -> Any:
        return _table(self.every("studies/"))

    def study(self, key: str) -> "ConcordStudy":
        return ConcordStudy(self, key)

    def get(self, path: str, **query: Any) -> Any:
        """An answer as Python has it, asked for again while a worker computes it."""
        while True:
            with self.open(path, **query) as answer:
                if answer.status != ACCEPTED:
                    return json.load(answer)
            time.sleep(POLL_EVERY)

    def every(self, path: str, **query: Any) -> list[dict[str, Any]]:
        """The lines of a list, page after page."""
        return [line for page in self._walk(path, query) for line in page]

    def _walk(self, path: str, query: dict[str, Any]) -> Iterator[list[dict[str, Any]]]:
        after: str | None = ""
        while after is not None:
            page = self.get(path, **{**query, "after": after, "limit": PAGE})
            yield page["results"]
            after = page["next"]

    def post(self, path: str, data: Any = None, *, once: str = "", **headers: str) -> Any:
        """Do something, once for each `once`, which is new for each call that names none."""
        return self.send(
            "POST", path, data, **{"Idempotency-Key": once or uuid.uuid4().hex}, **headers
        )

    def put(self, path: str, data: Any) -> Any:
        return self.send("PUT", path, data)

    def send(self, method: str, path: str, data: Any, **headers: str) -> Any:
        data = {} if data is None else data
        with self.open(path, data=data, headers=headers, method=method) as answer:
            return json.load(answer)

    def open(
        self,
        path: str,
        *,
        data: Any = None,
        headers: dict[str, str] | None = None,
        method: str | None = None,
        **query: Any,
    ) -> Any:
        """The answer to read from; RequestRefused. Bytes are sent as they are, other data as JSON."""
        address = self._base + path
        if query:
            address += "?" + urllib.parse.urlencode(query, doseq=True)
        request = urllib.request.Request(  # noqa: S310 -- the address that its user gave
            address,
            data=data if data is None or isinstance(data, bytes) else json.dumps(data).encode(),
            method=method,
            headers={
                "Authorization": f"Bearer {self._token}",
                "Content-Type": "application/json",
                **(headers or {}),
            },
        )
        try:
            return urllib.request.urlopen(request)  # noqa: S310 -- as above
        except urllib.error.HTTPError as refusal:
            with refusal:
                raise RequestRefused(refusal.code, refusal.read().decode()) from None


class ConcordStudy:
    """A study of the server."""

    def __init__(self, concord: Concord, key: str) -> None:
        self._concord = concord
        self._path = f"studies/{urllib.parse.quote(key)}/"

    def rubric(self) -> Any:
        return self._concord.get(f"{self._path}rubric/")

    def items(self) -> Any:
        return _table(self._pages("items"))

    def ratings(self) -> Any:
        """One rating a row."""
        return _table(self._pages("ratings"))

    def gold(self) -> Any:
        return _table(self._pages("gold"))

    def rounds(self) -> Any:
        return _table(self._pages("rounds"))

    def runs(self) -> Any:
        return _table(self._pages("runs"))

    def figures(self, part: str = "agreement", **query: Any) -> Any:
        """The tables of a part, as records."""
        return self._concord.get(f"{self._path}figures/{part}/", **query)["tables"]

    def team(self) -> Any:
        return _table(self._pages("team"))

    def set_roles(self, email: str, *roles: str, also: tuple[str, ...] = ()) -> Any:
        """Give an account exactly these roles, and ask for `also` levels of the data set with them."""
        asked = {"email": email, "roles": roles, "also": also}
        return _table(self._concord.put(f"{self._path}team/member/", asked))

    def open_round(self, panel: list[str], raters_per_item: int, **more: Any) -> Any:
        """Deal new items out to a panel of annotators, given by their email addresses."""
        asked = {"panel": panel, "raters_per_item": raters_per_item, **more}
        return self._concord.post(f"{self._path}rounds/open/", asked)

    def round(self, number: int) -> Any:
        return self._concord.get(f"{self._path}rounds/{number}/")

    def move_round(self, number: int, move: str, **asked: Any) -> Any:
        """`close`, `end-rating`, `re-review`, or `cancel` with a `reason`."""
        return self._concord.post(f"{self._path}rounds/{number}/{move}/", asked)

    def publish(self, rubric: str) -> Any:
        """Another edition of the rubric, as TOML; it changes nothing before `adopt`."""
        return self._concord.post(f"{self._path}rubric/editions/publish/", {"toml": rubric})

    def adopt(self, number: int, plan: dict[str, str] | None = None) -> Any:
        asked = {"plan": plan or {}}
        return self._concord.post(f"{self._path}rubric/editions/{number}/adopt/", asked)

    def bring(
        self,
        file: str | Path,
        what: str = "items",
        *,
        skip_bad: bool = False,
        identifiers: Iterable[dict[str, str]] = (),
        watch: Callable[[dict[str, Any]], object] = lambda _job: None,
        **about: str,
    ) -> Any:
        """Have a file of `items`, `ratings` or items for `quarantine` looked at and imported.

        `watch` is told how far it is; ValueError where there are bad rows that are not skipped.
        """
        kind, body = _form(Path(file), about)
        sent = self._concord.post(f"{self._path}imports/{what}/", body, **{"Content-Type": kind})
        found = self._finished(sent, watch)
        if found["causes"] and not skip_bad:
            raise ValueError(
                [(one["field"], one["count"], one["words"]) for one in found["causes"]]
            )
        asked = {"skip_bad": skip_bad, "identifiers": list(identifiers)}
        path = f"{self._path}imports/jobs/{found['id']}/import/"
        return self._finished(self._concord.post(path, asked), watch)

    def _finished(self, job: Any, watch: Callable[[dict[str, Any]], object]) -> Any:
        while job["state"] in ("waiting", "running"):
            time.sleep(POLL_EVERY)
            job = self._concord.get(f"{self._path}imports/jobs/{job['id']}/")
            watch(job)
        if job["refusal"]:
            raise ValueError(job["refusal"])
        return job

    def estimate(self, llm: str, **asked: Any) -> Any:
        """What a run would come to."""
        return self._concord.post(f"{self._path}runs/estimate/", {"llm": llm, **asked})

    def start_run(self, llm: str, **asked: Any) -> Any:
        return self._concord.post(f"{self._path}runs/start/", {"llm": llm, **asked})

    def run(self, number: int) -> Any:
        """How far a run is."""
        return self._concord.get(f"{self._path}runs/{number}/")

    def move_run(self, number: int, move: str) -> Any:
        """`pause`, `resume`, `finish`, or `retry` what failed."""
        return self._concord.post(f"{self._path}runs/{number}/{move}/")

    def cases(self, sort: str = "waiting") -> Any:
        """What raters disagree on: `waiting`, `decided` or `disputed`."""
        return _table(self._concord.every(f"{self._path}cases/", sort=sort))

    def decide(self, case: int, values: dict[str, str], reason: str, **more: Any) -> Any:
        asked = {"values": values, "reason": reason, **more}
        return self._concord.post(f"{self._path}cases/{case}/decide/", asked)

    def write_prompt(self, name: str, text: str, note: str = "") -> Any:
        asked = {"name": name, "text": text, "note": note}
        return self._concord.post(f"{self._path}prompts/write/", asked)

    def grants(self) -> Any:
        """What this account holds of the study's data set, or asked for."""
        return _table(self._pages("grants"))

    def ask_for(self, *levels: str, purpose: str) -> Any:
        asked = {"levels": levels, "purpose": purpose}
        return _table(self._concord.post(f"{self._path}grants/ask/", asked))

    def release(self, to: str | Path, *, with_texts: bool = False) -> Path:
        """Have a release built, wait for it, and write it to a file."""
        built = self._concord.post(f"{self._path}releases/", {"with_texts": with_texts})
        while built["state"] in ("waiting", "running"):
            time.sleep(POLL_EVERY)
            built = self._concord.get(f"{self._path}releases/{built['id']}/")
        link = self._concord.post(f"{self._path}releases/{built['id']}/link/", {})
        self._fetch(f"{self._path}releases/links/{link['token']}/", Path(to))
        return Path(to)

    def _fetch(self, path: str, to: Path) -> None:
        """Write a file, going on where the connection broke off."""
        with to.open("wb") as file:
            with self._concord.open(path) as answer:
                size = int(answer.headers["Content-Length"])
                shutil.copyfileobj(answer, file)
            while file.tell() < size:
                asked = {"Range": f"bytes={file.tell()}-"}
                with self._concord.open(path, headers=asked) as answer:
                    shutil.copyfileobj(answer, file)

    def _pages(self, what: str) -> list[dict[str, Any]]:
        return self._concord.every(f"{self._path}{what}/")


def _table(rows: list[dict[str, Any]]) -> Any:
    return rows if pd is None else pd.DataFrame(rows)


def _form(file: Path, fields: dict[str, str]) -> tuple[str, bytes]:
    """A file and fields as a form sends them: what kind of body that is, and the body."""
    edge = uuid.uuid4().hex
    parts = [
        f'--{edge}\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'.encode()
        for name, value in fields.items()
    ]
    name = urllib.parse.quote(file.name)
    head = f'--{edge}\r\nContent-Disposition: form-data; name="file"; filename="{name}"\r\n\r\n'
    body = b"".join([*parts, head.encode(), file.read_bytes(), f"\r\n--{edge}--\r\n".encode()])
    return f"multipart/form-data; boundary={edge}", body
