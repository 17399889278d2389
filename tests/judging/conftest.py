"""Judges at work: real items, a real endpoint process, a real worker."""

import json
import sys
import threading
from functools import partial
from hashlib import sha256
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from django.db import connection
from django.utils import timezone

from annotation.actions import studies
from annotation.models import Dialogue, Gold, GoldOrigin, Item
from annotation.rubric.loading import load, shipped
from config.queues import QUEUES
from judging.actions import runs, work
from judging.actions.judges import Settings
from judging.standin_batches import BatchShelf
from tests.trials import note_trial

SECRET = "sk-never-to-be-seen"
SPEAKERS = ("[seeker]", "[supporter]")


def turns_of(text):
    """Split "[seeker]...[supporter]..." into turns."""
    turns = []
    for part in text.replace("[", "\0[").split("\0"):
        speaker = next((mark for mark in SPEAKERS if part.startswith(mark)), None)
        if speaker:
            turns.append({"speaker": speaker.strip("[]"), "text": part[len(speaker) :]})
        elif turns:
            turns[-1]["text"] += part
    return turns


@pytest.fixture
def start_worker(start_worker):
    """As the worker on the queue of judge runs works: in threads."""
    (pool,) = {queue.pool for queue in QUEUES if "judging.tasks.work_on_run" in queue.tasks}
    return partial(start_worker, pool)


@pytest.fixture
def dialogue_safety(transactional_db, shared):
    """The 800 published items under the dialogue-safety rubric, with the experts' labels as gold."""
    now = timezone.now()
    study = studies.create(
        key="dialogue-safety",
        name="Dialogue safety",
        rubric=shipped()["dialogue_safety"],
        coordinator=None,
        by=None,
        at=now,
        language="zh-hans",
    )
    labels = {
        label.code: label.key for label in load(shipped()["dialogue_safety"]).criteria[0].labels
    }
    rows = json.loads((shared / "data/dialogue_safety/test.json").read_text(encoding="utf-8"))
    dialogues = Dialogue.objects.bulk_create(
        Dialogue(study=study, key=f"{n}", turns=turns_of(row["context"]))
        for n, row in enumerate(rows)
    )
    items = Item.objects.bulk_create(
        Item(
            study=study,
            dialogue=dialogue,
            key=dialogue.key,
            position=n,
            reply=row["response"].removeprefix("[supporter]"),
            content_sha256=sha256(f"{n}{row}".encode()).hexdigest(),
        )
        for n, (dialogue, row) in enumerate(zip(dialogues, rows, strict=True))
    )
    Gold.objects.bulk_create(
        Gold(
            item=item,
            criterion_key="safety",
            label=labels[row["label"]],
            origin=GoldOrigin.IMPORTED,
            decided_at=now,
        )
        for item, row in zip(items, rows, strict=True)
    )
    return study


@pytest.fixture
def start_replay(shared, start_server):
    """start_replay(latency_ms=..., rps=...) replays what gpt-3.5-turbo-0301 answered."""
    folder = shared / "data" / "dialogue_safety"

    def start(**faults):
        address = start_server(
            "replay",
            [
                *(sys.executable, "-m", "uvicorn", "--app-dir", str(shared / "replay")),
                *("server:app", "--port", "{port}", "--log-level", "warning"),
                "--timeout-graceful-shutdown=1",
            ],
            "/v1/models",
            REPLAY_ITEMS=str(folder / "test.json"),
            REPLAY_COMPLETIONS=str(folder / "completions_gpt-3.5-turbo-0301_zero_shot.jsonl"),
            **{f"REPLAY_{name.upper()}": str(value) for name, value in faults.items()},
        )
        return f"{address}/v1"

    return start


@pytest.fixture
def flat_and_plain():
    """flat_and_plain(base_url) is a judge asked as the study asked: one label, ten tokens."""

    def made(base_url, **changes):
        asked = {
            "llm": "gpt-3.5-turbo-0301",
            "base_url": base_url,
            "temperature": 0.0,
            "max_tokens": 10,
            "as_json": False,
        }
        return Settings(**(asked | changes))

    return made


class Scripted:
    """An endpoint that answers as a test tells it to.

    `answer` takes the request's body and its number, and returns a text, or (status, headers,
    body); without a status it hangs up. `requests` are the bodies as they came, `headers` what came with them, and
    `targets` where they were sent. Files and batches are on the `shelf`; `before_reply` is called with method and path of each such request
    once it has been done, and may give another reply.
    """

    def __init__(self):
        self.requests = []
        self.headers = []
        self.targets = []
        self.answer = lambda body, number: "Safe Response"
        self.lock = threading.Lock()
        self.shelf = BatchShelf(self.in_batch, lists=False)
        self.before_reply = lambda method, path: None
        scripted = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                self.shelved(b"")

            def do_DELETE(self):
                self.shelved(b"")

            def shelved(self, body):
                """Say whether it was about files or batches, and answered."""
                kind = self.headers.get("Content-Type", "")
                found = scripted.shelf.respond(self.command, self.path, kind, body)
                if found is None and self.command == "POST":
                    return False
                status, payload = found or (HTTPStatus.NOT_FOUND, b"{}")
                try:
                    instead = scripted.before_reply(self.command, self.path)
                finally:
                    connection.close()  # this thread's own, where a test looked something up
                self.respond(*(instead or (status, {}, payload)))
                return True

            def do_POST(self):
                raw = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                if self.shelved(raw):
                    return
                body = json.loads(raw)
                with scripted.lock:
                    scripted.requests.append(body)
                    scripted.headers.append(self.headers)
                    scripted.targets.append(self.path)
                    number = len(scripted.requests)
                self.respond(*scripted.said(body, number))

            def respond(self, status, headers, payload):
                if status is None:
                    self.close_connection = True
                    return
                self.send_response(status)
                for name, value in {"Content-Length": str(len(payload)), **headers}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(payload)

            def log_message(self, *_words):
                """Say nothing on the terminal."""

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        threading.Thread(target=self.server.serve_forever, args=(0.02,), daemon=True).start()

    def said(self, body, number):
        answer = self.answer(body, number)
        if isinstance(answer, tuple):
            return answer
        message = {"role": "assistant", "content": answer}
        choice = {"index": 0, "message": message, "finish_reason": "stop"}
        completion = {"id": f"c{number}", "model": "echo-1", "choices": [choice]}
        return 200, {}, json.dumps(completion).encode()

    def in_batch(self, body):
        """The answer to a request of a batch: its status and body."""
        with self.lock:
            self.requests.append(body)
            number = len(self.requests)
        status, _headers, payload = self.said(body, number)
        return status, json.loads(payload)

    @property
    def base_url(self):
        return f"http://127.0.0.1:{self.server.server_port}/v1"

    @property
    def host(self):
        return f"127.0.0.1:{self.server.server_port}"

    def texts(self):
        """The whole prompt of every request."""
        return ["\n".join(m["content"] for m in body["messages"]) for body in self.requests]

    def close(self):
        self.server.shutdown()
        self.server.server_close()


def failing(status, code="", message="no", **headers):
    """What an endpoint answers instead of an answer."""
    body = json.dumps({"error": {"message": message, "type": "error", "code": code or None}})
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return status, named, body.encode()


@pytest.fixture
def untried(settings):
    """The endpoint of this server, under the test's control; nobody has tried an LLM there."""
    endpoint = Scripted()
    settings.LLM_BASE_URL = endpoint.base_url
    yield endpoint
    endpoint.close()


@pytest.fixture
def scripted(untried, db):
    """The same endpoint, where “echo” has been tried."""
    note_trial("echo", untried.base_url)
    return untried


@pytest.fixture
def elsewhere(settings, monkeypatch):
    """An endpoint beside that of the server, on a host that the deployment lists."""
    endpoint = Scripted()
    settings.LLM_HOSTS = [endpoint.host]
    monkeypatch.setenv("CONCORD_LLM_KEY_OWN", SECRET)
    yield endpoint
    endpoint.close()


@pytest.fixture
def ask(pond, scripted, fast_clock):
    """ask(as_json=False, ...) starts a judge on the pond and makes calls until it rests."""

    def asked(*, by=None, repeats=1, concurrency=2, **judge):
        run = runs.start(
            study=pond,
            judge=Settings(llm="echo", base_url=scripted.base_url, **judge),
            repeats=repeats,
            concurrency=concurrency,
            by=by,
            at=fast_clock(),
        )
        return work_until_it_rests(run, fast_clock)

    return asked


def work_until_it_rests(run, clock):
    while work.work_on(run_id=run.pk, clock=clock):
        pass
    run.refresh_from_db()
    return run


@pytest.fixture
def fast_clock():
    """A clock on which a minute passes in three seconds, so that waits are short."""
    began = timezone.now()
    return lambda: began + 20 * (timezone.now() - began)
