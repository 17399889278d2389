"""Read studies of a Concord server from Python: one file, which needs nothing but Python.

    from concord_client import Concord

    concord = Concord("https://concord.example.org", token="concord_...")
    ratings = concord.study("pond").ratings()

Tables are lists of dicts, or data frames where pandas is there. Every server has the client that
goes with it at /static/concord_client.py; what it speaks is described at /api/v1/.
"""

import json
import shutil
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid
from collections.abc import Iterator
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
        return _table(self.get("studies/"))

    def study(self, key: str) -> "ConcordStudy":
        return ConcordStudy(self, key)

    def get(self, path: str, **query: Any) -> Any:
        """An answer as Python has it, asked for again while a worker computes it."""
        while True:
            with self.open(path, **query) as answer:
                if answer.status != ACCEPTED:
                    return json.load(answer)
            time.sleep(POLL_EVERY)

    def post(self, path: str, data: Any, **headers: str) -> Any:
        with self.open(path, data=data, headers=headers) as answer:
            return json.load(answer)

    def open(
        self, path: str, *, data: Any = None, headers: dict[str, str] | None = None, **query: Any
    ) -> Any:
        address = self._base + path
        if query:
            address += "?" + urllib.parse.urlencode(query, doseq=True)
        request = urllib.request.Request(  # noqa: S310 -- the address that its user gave
            address,
            data=None if data is None else json.dumps(data).encode(),
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
        return _table(self._concord.get(f"{self._path}rounds/"))

    def runs(self) -> Any:
        return _table(self._concord.get(f"{self._path}runs/"))

    def figures(self, part: str = "agreement", **query: Any) -> Any:
        """The tables of a part, as records."""
        return self._concord.get(f"{self._path}figures/{part}/", **query)["tables"]

    def release(self, to: str | Path, *, with_texts: bool = False) -> Path:
        """Have a release built, wait for it, and write it to a file."""
        once = {"Idempotency-Key": uuid.uuid4().hex}
        asked = {"with_texts": with_texts}
        built = self._concord.post(f"{self._path}releases/", asked, **once)
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
        return [row for page in self._every(what) for row in page]

    def _every(self, what: str) -> Iterator[list[dict[str, Any]]]:
        after: str | None = ""
        while after is not None:
            page = self._concord.get(f"{self._path}{what}/", after=after, limit=PAGE)
            yield page["results"]
            after = page["next"]


def _table(rows: list[dict[str, Any]]) -> Any:
    return rows if pd is None else pd.DataFrame(rows)
