"""The client that every server hands out knows the addresses of this one, and does what it says."""

import inspect
import io
import sys
from datetime import timedelta
from http.server import BaseHTTPRequestHandler, HTTPServer
from importlib import import_module
from threading import Thread
from types import SimpleNamespace

import pytest
from django.urls import resolve
from django.utils import timezone

from accounts.actions import tokens
from accounts.models import Scope
from annotation.models import FileJob, Rating
from tests.annotation.doing import NONSENSE, SAFE, rate
from tests.imports.sending import work_off
from tests.services import ROOT

# Methods that ask one thing after another: tests/accounts/test_tokens.py runs them.
WALK = {"bring", "release"}
NO_REQUESTS = {"study", "get", "post", "put", "send", "every", "open"}
ANY = {
    "answers": {},
    "values": {},
    "members": [1],
    "panel": ["a@example.org"],
    "to": [],
    "plan": {},
}


@pytest.fixture
def module(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "static")
    monkeypatch.delitem(sys.modules, "concord_client", raising=False)
    found = import_module("concord_client")
    monkeypatch.setattr(found, "pd", None)
    return found


@pytest.fixture
def client_of(module, live_server, transactional_db):
    def of(user):
        at, every = timezone.now(), list(Scope)
        _token, words = tokens.make(name="p", scopes=every, days=1, by=user, at=at)
        return module.Concord(live_server.url, token=words)

    return of


class Told(io.BytesIO):
    """An answer that fits whatever was asked."""

    status = 200


def asked_by(module) -> dict[str, tuple[str, str]]:
    """{method of the client: (method of HTTP, address)} of each that makes one request."""
    sent = {}

    class Noting(module.Concord):
        def open(self, path, *, data=None, method=None, **_more):
            sent[called] = (method or "GET", path)
            return Told(b'{"results": [], "next": null, "tables": [], "files": []}')

    concord = Noting("https://nowhere", token="t")
    for one in (concord, concord.study("pond")):
        for called, method in inspect.getmembers(one, inspect.ismethod):
            if not called.startswith("_") and called not in WALK | NO_REQUESTS:
                method(**arguments_of(method))
    return sent


def arguments_of(method) -> dict[str, object]:
    """Something for each argument that has to be given."""
    named = {
        name: ANY.get(name, 1 if one.annotation in (int, "int") else "close")
        for name, one in inspect.signature(method).parameters.items()
        if one.default is one.empty and one.kind is not one.VAR_KEYWORD
        if one.kind is not one.VAR_POSITIONAL
    }
    return named


def test_each_word_of_the_client_is_an_address_that_takes_it(module):
    sent = asked_by(module)
    assert len(sent) > 60
    wrong = {}
    for name, (method, path) in sent.items():
        view = resolve(f"/api/v1/{path}").func
        if not hasattr(view.view_class, method.lower()):
            wrong[name] = (method, path)
    assert not wrong


def test_a_rater_works_through_it(client_of, pond_round, ben):
    study = client_of(ben).study("pond")
    item = study.next_item()
    study.defer(item["assignment"])
    item = study.next_item()
    receipt = study.submit(item["assignment"], SAFE)
    study.correct(item["assignment"], NONSENSE, supersedes=receipt["submission"])
    [done] = study.done()
    assert (done["assignment"], done["answers"]) == (item["assignment"], NONSENSE)
    assert Rating.objects.get(submission__is_current=True).label == "nonsense"
    assert study.pass_on(study.next_item()["assignment"])["is_with_somebody"]
    for _ in range(4):
        study.submit(study.next_item()["assignment"], SAFE)
    assert study.next_item() is None


def test_a_coordinator_steers_with_it(client_of, module, pond_round, ada, ben, finn):
    study = client_of(ada).study("pond")
    assert study.agree(measure="gwet")["measure"] == study.protocol()["measure"] == "gwet"
    assert study.care(break_after=5)["break_after"] == study.care()["break_after"] == 5
    assert study.let_in(ben.pk, "Ten years of practice.")["may_rate"]
    rate(pond_round, ben, 1)
    handed = study.hand_on(1, [finn.email], leaver=ben.pk)
    assert any(one["account"] == finn.pk for one in handed["panel"])
    assert study.set_due(1, "2030-12-31")["number"] == 1
    assert study.discussions() == []
    assert study.write_report()["state"] == "waiting"
    assert study.cancel_report()["state"] == study.report()["state"] == "cancelled"
    assert study.verify()["state"] == "waiting"
    assert study.cancel_verification()["state"] == "cancelled"
    with pytest.raises(module.RequestRefused, match="409"):
        study.commit_plan()


def test_stewards_and_administrators_do_theirs(client_of, settings, asked, tess):
    settings.LLM_HOSTS = ["127.0.0.1:9"]
    concord = client_of(tess)
    assert [one["id"] for one in concord.requests()] == [asked.pk]
    until = (timezone.localdate() + timedelta(days=9)).isoformat()
    assert concord.admit(asked.pk, until)["decision"] == "approved"
    assert concord.suspend(asked.user.pk, "Left.")["is_suspended"]
    added = concord.add_endpoint("ours", "Ours", "http://127.0.0.1:9/v1", processor="own")
    assert concord.price(added["id"], llm="x", prompt="1", answer="2", since="2026-11-01")["key"]
    assert concord.retire(added["id"])["retired_at"]
    assert len(concord.endpoints()) == 1


@pytest.fixture
def answering():
    """answering((status, headers, body), ...) is a server that gives these answers one by one, and
    what was asked of it: (method, address, token) each."""
    servers = []

    def start(*answers):
        asked, left = [], iter(answers)

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                asked.append((self.command, self.path, self.headers["Authorization"]))
                self.rfile.read(int(self.headers["Content-Length"] or 0))
                status, headers, body = next(left)
                self.send_response(status)
                for name, value in (*headers.items(), ("Content-Length", str(len(body)))):
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(body)

            def do_POST(self):
                self.do_GET()

            def log_message(self, *_words):
                pass

        server = HTTPServer(("127.0.0.1", 0), Handler)
        servers.append(server)
        Thread(target=server.serve_forever, daemon=True).start()
        return f"http://127.0.0.1:{server.server_port}", asked

    yield start
    for server in servers:
        server.shutdown()
        server.server_close()


@pytest.mark.parametrize("status", [429, 503])
def test_it_comes_again_when_the_server_says(module, answering, monkeypatch, status):
    waited = []
    monkeypatch.setattr(module, "time", SimpleNamespace(sleep=waited.append))
    later = (status, {"Retry-After": "7"}, b"{}")
    url, asked = answering(later, later, (200, {}, b'{"number": 1}'))
    told = module.Concord(url, token="t").post("studies/pond/rounds/open/", {})
    assert (told, waited) == ({"number": 1}, [7, 7])
    assert asked == [("POST", "/api/v1/studies/pond/rounds/open/", "Bearer t")] * 3


def test_what_is_refused_is_not_asked_again(module, answering):
    url, asked = answering((409, {}, b'{"detail": "closed"}'))
    with pytest.raises(module.RequestRefused, match=r"409: .*closed"):
        module.Concord(url, token="t").post("studies/pond/rounds/1/close/")
    assert len(asked) == 1


@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_a_token_is_not_led_elsewhere(module, answering, status):
    elsewhere, asked_elsewhere = answering((200, {}, b"{}"))
    url, _asked = answering((status, {"Location": elsewhere}, b""))
    with pytest.raises(module.RequestRefused, match=str(status)):
        module.Concord(url, token="t").studies()
    assert asked_elsewhere == []


@pytest.mark.parametrize("url", ["http://concord.example.org", "concord.example.org", ""])
def test_no_token_goes_where_it_can_be_read_on_the_way(module, url):
    with pytest.raises(ValueError, match="https only"):
        module.Concord(url, token="t")


def test_a_file_keeps_its_name(module, client_of, pond, ada, tmp_path, settings, monkeypatch):
    settings.UPLOAD_DIR = tmp_path / "uploads"
    monkeypatch.setattr(module, "time", SimpleNamespace(sleep=lambda _seconds: work_off()))
    file = tmp_path / "条目 “1”.csv"
    file.write_text("key,dialogue,reply\nn1,[seeker]Hello.,Hello to you.\n")
    client_of(ada).study("pond").bring(file)
    assert {job.file_name for job in FileJob.objects.all()} == {file.name}
