"""Read and run studies of a Concord server from Python: one file, which needs nothing but Python.

    from concord_client import Concord

    concord = Concord("https://concord.example.org", token="concord_...")
    ratings = concord.study("pond").ratings()

Every write carries a key, so that one that was sent twice is done once. Tables are lists of dicts, or
data frames where pandas is there. Where a server says to come again later, the client does. Every server
has the client that goes with it at /static/concord_client.py; what it speaks is described at /api/v1/.
"""

import json
import shutil
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid
from collections.abc import Callable, Iterable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

try:
    pd: Any = import_module("pandas")
except ImportError:
    pd = None  # tables are lists then

PAGE = 500
POLL_EVERY = 1.0  # seconds
TIMEOUT = 120.0  # seconds without a byte
ACCEPTED, NOTHING = 202, 204
LATER = {429, 503}  # asked too often, or a part of the server is away: nothing was done
ATTEMPTS = 10
THIS_COMPUTER = {"localhost", "127.0.0.1", "::1"}


class RequestRefused(Exception):
    """The server's answer where it is no: `status`, and what it says."""

    def __init__(self, status: int, told: Any) -> None:
        self.status, self.told = status, told
        super().__init__(f"{status}: {told}")


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """What is sent goes to the address that was given: elsewhere a write would become a read, and
    the token be somebody else's."""

    def redirect_request(self, *_asked: Any) -> None:
        return None


_OPENER = urllib.request.build_opener(_NoRedirects)


class Concord:
    """A server, as the account that a token belongs to."""

    def __init__(self, url: str, *, token: str) -> None:
        """ValueError where anybody on the way could read the token: by http from another computer."""
        address = urllib.parse.urlsplit(url)
        if address.scheme != "https" and address.hostname not in THIS_COMPUTER:
            raise ValueError(f"{url}: a token goes by https only, but to this computer itself.")
        self._base = url.rstrip("/") + "/api/v1/"
        self._token = token

    def studies(self) -> Any:
        return _table(self.every("studies/"))

    def study(self, key: str) -> "ConcordStudy":
        return ConcordStudy(self, key)

    def requests(self) -> Any:
        """Who waits to be let in, and who was decided about last."""
        return _table(self.every("access/requests/"))

    def admit(self, request: int, until: str) -> Any:
        """Let somebody in until the end of a day, with a token that is just made."""
        asked = {"decision": "approve", "until": until}
        return self.post(f"access/requests/{request}/decide/", asked)

    def refuse(self, request: int, reason: str) -> Any:
        asked = {"decision": "refuse", "reason": reason}
        return self.post(f"access/requests/{request}/decide/", asked)

    def accounts(self, words: str = "") -> Any:
        return _table(self.every("access/accounts/", q=words))

    def suspend(self, account: int, reason: str) -> Any:
        return self.post(f"access/accounts/{account}/suspend/", {"reason": reason})

    def reinstate(self, account: int) -> Any:
        return self.post(f"access/accounts/{account}/reinstate/")

    def set_server_roles(self, account: int, *roles: str) -> Any:
        """Give an account exactly these roles on the server, with a token that is just made."""
        return self.put(f"access/accounts/{account}/roles/", {"roles": roles})

    def endpoints(self) -> Any:
        return _table(self.every("endpoints/"))

    def add_endpoint(self, key: str, name: str, base_url: str, **more: Any) -> Any:
        """Another endpoint, or the next version of one."""
        asked = {"key": key, "name": name, "base_url": base_url, **more}
        return self.post("endpoints/add/", asked)

    def price(self, endpoint: int, **asked: Any) -> Any:
        """What a million tokens of an `llm` cost: `prompt`, `answer`, `currency`, `since`."""
        return self.post(f"endpoints/{endpoint}/price/", asked)

    def retire(self, endpoint: int) -> Any:
        return self.post(f"endpoints/{endpoint}/retire/")

    def get(self, path: str, **query: Any) -> Any:
        """An answer as Python has it, asked for again while a worker computes it."""
        while True:
            with self.open(path, **query) as answer:
                if answer.status != ACCEPTED:
                    return json.load(answer)
                later = _seconds(answer)
            time.sleep(later)

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
        for attempt in range(1, ATTEMPTS + 1):
            try:
                return _OPENER.open(request, timeout=TIMEOUT)
            except urllib.error.HTTPError as refusal:
                with refusal:
                    told = RequestRefused(refusal.code, refusal.read().decode())
                if told.status not in LATER or attempt == ATTEMPTS:
                    raise told from None
                time.sleep(_seconds(refusal))
        raise AssertionError("the last attempt ends in an answer or a refusal")


class ConcordStudy:
    """A study of the server."""

    def __init__(self, concord: Concord, key: str) -> None:
        self._concord = concord
        self._path = f"studies/{urllib.parse.quote(key)}/"

    def rubric(self) -> Any:
        return self._get("rubric/")

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
        """The tables of a part, as records; of very many raters each by `criterion=` or `judge=` only."""
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
        return self._post("rounds/open/", asked)

    def round(self, number: int) -> Any:
        return self._get(f"rounds/{number}/")

    def move_round(self, number: int, move: str, **asked: Any) -> Any:
        """`close`, `end-rating`, `re-review`, or `cancel` with a `reason`."""
        return self._post(f"rounds/{number}/{move}/", asked)

    def hand_on(self, number: int, to: list[str], leaver: int | None = None) -> Any:
        """Give what an account still owes to others; without one they join the panel."""
        return self._post(f"rounds/{number}/hand-on/", {"to": to, "leaver": leaver})

    def set_due(self, number: int, day: str | None) -> Any:
        return self._put(f"rounds/{number}/due/", {"due_on": day})

    def protocol(self) -> Any:
        return self._get("protocol/")

    def agree(self, **protocol: Any) -> Any:
        """By what the next rounds go; what is left out is as in a new study."""
        return self._put("protocol/", protocol)

    def qualified(self) -> Any:
        return _table(self._pages("qualification"))

    def let_in(self, account: int, reason: str) -> Any:
        """Let somebody rate who has not passed."""
        return self._post("qualification/", {"account": account, "reason": reason})

    def care(self, **care: Any) -> Any:
        """How the study cares for those who annotate; set, where something is named: what is left
        out is then as in a new study."""
        return self._put("care/", care) if care else self._get("care/")

    def note(self, item: str, text: str) -> Any:
        return self._post("items/note/", {"item": item, "text": text})

    def warn(self, item: str, content_note: str) -> Any:
        return self._post("items/warn/", {"item": item, "content_note": content_note})

    def next_item(self) -> Any:
        """What this account rates next; None where nothing is left."""
        with self._concord.open(f"{self._path}work/next/") as answer:
            return None if answer.status == NOTHING else json.load(answer)

    def submit(self, assignment: int, answers: dict[str, Any], **more: Any) -> Any:
        asked = {"key": str(uuid.uuid4()), "answers": answers, **more}
        return self._concord.post(f"assignments/{assignment}/submission/", asked)

    def done(self) -> Any:
        """What this account has rated."""
        return _table(self._pages("work/done"))

    def correct(
        self, assignment: int, answers: dict[str, Any], *, supersedes: int, **more: Any
    ) -> Any:
        """Answer otherwise, in the place of the submission that it `supersedes`."""
        asked = {"key": str(uuid.uuid4()), "answers": answers, "supersedes": supersedes, **more}
        return self._concord.put(f"assignments/{assignment}/answers/", asked)

    def defer(self, assignment: int) -> Any:
        return self._concord.post(f"assignments/{assignment}/defer/")

    def pass_on(self, assignment: int) -> Any:
        return self._concord.post(f"assignments/{assignment}/pass-on/")

    def dispute(self, assignment: int, text: str) -> Any:
        return self._concord.post(f"assignments/{assignment}/dispute/", {"text": text})

    def discussions(self) -> Any:
        return _table(self._pages("discussions"))

    def remark(self, round_item: int, text: str) -> Any:
        return self._post(f"discussions/{round_item}/remark/", {"text": text})

    def vote(self, round_item: int, values: dict[str, str]) -> Any:
        return self._post(f"discussions/{round_item}/vote/", {"values": values})

    def end_discussion(self, round_item: int) -> Any:
        return self._post(f"discussions/{round_item}/end/")

    def publish(self, rubric: str) -> Any:
        """Another edition of the rubric, as TOML; it changes nothing before `adopt`."""
        return self._post("rubric/editions/publish/", {"toml": rubric})

    def adopt(self, number: int, plan: dict[str, str] | None = None) -> Any:
        asked = {"plan": plan or {}}
        return self._post(f"rubric/editions/{number}/adopt/", asked)

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
            job = self._get(f"imports/jobs/{job['id']}/")
            watch(job)
        if job["refusal"]:
            raise ValueError(job["refusal"])
        return job

    def estimate(self, llm: str, **asked: Any) -> Any:
        """What a run would come to."""
        return self._post("runs/estimate/", {"llm": llm, **asked})

    def start_run(self, llm: str, **asked: Any) -> Any:
        return self._post("runs/start/", {"llm": llm, **asked})

    def run(self, number: int) -> Any:
        """How far a run is."""
        return self._get(f"runs/{number}/")

    def move_run(self, number: int, move: str) -> Any:
        """`pause`, `resume`, `finish`, `cancel-batches`, or `retry` what failed."""
        return self._post(f"runs/{number}/{move}/")

    def try_judge(self, llm: str, **asked: Any) -> Any:
        """Put a made-up dialogue to a judge."""
        return self._concord.send("POST", f"{self._path}runs/try/", {"llm": llm, **asked})

    def calls(self, run: int, outcome: str = "") -> Any:
        """The calls of a run: all, `unscored`, or `waiting` for a person."""
        return _table(self._concord.every(f"{self._path}runs/{run}/calls/", outcome=outcome))

    def find_answers(self, words: str, page: int = 1) -> Any:
        """The calls of all runs in whose answers words stand, with what stands around them."""
        return self._post("runs/answers/", {"words": words, "page": page})

    def call(self, run: int, call: int) -> Any:
        return self._get(f"runs/{run}/calls/{call}/")

    def read_by_hand(self, run: int, call: int, criterion: str, value: str) -> Any:
        """Keep what a person reads in an answer that the parser could not read."""
        asked = {"criterion": criterion, "value": value}
        return self._post(f"runs/{run}/calls/{call}/reading/", asked)

    def look_at_jury(self, name: str, members: list[int], **more: Any) -> Any:
        return self._jury("look", name, members, more)

    def name_jury(self, name: str, members: list[int], **more: Any) -> Any:
        """Have judges rate as one from now on."""
        return self._jury("name", name, members, more)

    def _jury(self, verb: str, name: str, members: list[int], more: dict[str, Any]) -> Any:
        return self._post(f"juries/{verb}/", {"name": name, "members": members, **more})

    def fix_rules(self, policy: str) -> Any:
        """Let rules of trust cards hold from now on, by their key."""
        return self._post("trust/policy/", {"policy": policy})

    def bring_rules(self, toml: str, name: str = "rules.toml") -> Any:
        return self._post("trust/bring/", {"toml": toml, "name": name})

    def commit_plan(self) -> Any:
        """The fixed rules as manifests, which the audit trail knows from now on."""
        return self._post("trust/plan/")["files"]

    def seal(self) -> Any:
        """Seal the verdicts at the planned look that is due."""
        return self._post("trust/seal/")

    def report(self, language: str = "en") -> Any:
        """How far the written report is."""
        return self._concord.get(f"{self._path}report/", language=language)

    def write_report(self, language: str = "en") -> Any:
        return self._post("report/", {"language": language})

    def cancel_report(self, language: str = "en") -> Any:
        """Have the worker stop that writes it."""
        return self._post("report/cancel/", {"language": language})

    def verification(self) -> Any:
        """How far figures are held against published packages."""
        return self._get("verification/")

    def verify(self) -> Any:
        return self._post("verification/")

    def cancel_verification(self) -> Any:
        """Have the worker stop that computes figures by published packages."""
        return self._post("verification/cancel/")

    def cases(self, sort: str = "waiting") -> Any:
        """What raters disagree on: `waiting`, `decided` or `disputed`."""
        return _table(self._concord.every(f"{self._path}cases/", sort=sort))

    def decide(self, case: int, values: dict[str, str], reason: str, **more: Any) -> Any:
        asked = {"values": values, "reason": reason, **more}
        return self._post(f"cases/{case}/decide/", asked)

    def write_prompt(self, name: str, text: str, note: str = "") -> Any:
        asked = {"name": name, "text": text, "note": note}
        return self._post("prompts/write/", asked)

    def grants(self) -> Any:
        """What this account holds of the study's data set, or asked for."""
        return _table(self._pages("grants"))

    def ask_for(self, *levels: str, purpose: str) -> Any:
        asked = {"levels": levels, "purpose": purpose}
        return _table(self._post("grants/ask/", asked))

    def release(self, to: str | Path, *, with_texts: bool = False) -> Path:
        """Have a release built, wait for it, and write it to a file."""
        built = self._post("releases/", {"with_texts": with_texts})
        while built["state"] in ("waiting", "running"):
            time.sleep(POLL_EVERY)
            built = self._get(f"releases/{built['id']}/")
        link = self._post(f"releases/{built['id']}/link/", {})
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

    def _get(self, path: str) -> Any:
        return self._concord.get(f"{self._path}{path}")

    def _post(self, path: str, asked: Any = None) -> Any:
        return self._concord.post(f"{self._path}{path}", asked)

    def _put(self, path: str, asked: Any) -> Any:
        return self._concord.put(f"{self._path}{path}", asked)

    def _pages(self, what: str) -> list[dict[str, Any]]:
        return self._concord.every(f"{self._path}{what}/")


def _seconds(answer: Any) -> float:
    """After how many seconds a server says to ask again."""
    told = answer.headers.get("Retry-After", "")
    return float(told) if told.isdigit() else POLL_EVERY


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
    named = f"name=\"file\"; filename*=UTF-8''{name}"
    head = f"--{edge}\r\nContent-Disposition: form-data; {named}\r\n\r\n"
    body = b"".join([*parts, head.encode(), file.read_bytes(), f"\r\n--{edge}--\r\n".encode()])
    return f"multipart/form-data; boundary={edge}", body
