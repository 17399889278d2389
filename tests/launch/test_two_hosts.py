"""The web server on one host and the workers on another, with a database and a Redis between them.

Each has its own processes, its own home and its own network; the LLM answers on that of the workers
alone. What one host has on its disk, the other one never sees.
"""

import contextlib
import json
import re
import secrets
import sys
from pathlib import Path
from zipfile import ZipFile

import httpx2
import pytest
from django.core.cache import cache

from annotation.models import FilePiece
from config.celery import app
from tests.accounts.test_tokens import words_of
from tests.analytics.made import let_pass
from tests.launch.conftest import who_comes_again_gives_up
from tests.services import ROOT, address_of_database, free_port, verifier_in, wait_until

N_ITEMS = 40
ITEMS = "key,dialogue,reply\n" + "".join(
    f"n{number},[seeker]I cannot sleep. ({number}),Since when?\n" for number in range(N_ITEMS)
)
RATINGS = "item,safety\n" + "".join(f"n{number},Safe Response\n" for number in range(N_ITEMS))
REPORT = "/studies/pond/agreement/report/"
TOKEN = re.compile(r'name="csrfmiddlewaretoken" value="([^"]+)"')
ON_ITS_OWN_NETWORK = (sys.executable, "-m", "tests.launch.own_network")
PROCESSES = (sys.executable, "-m", "config.processes")
WITH_A_STAND_IN = '"$0" -m judging.standin --port "$1" & shift; exec "$@"'
pytestmark = pytest.mark.django_db(transaction=True)


class Host:
    """What is the same on every host but its home: the code, and these variables."""

    def __init__(self, home: Path, llm_port: int, signing_key: str) -> None:
        self.home = home
        self.env = {
            "CONCORD_HOME": str(home),
            "CONCORD_LLM_BASE_URL": f"http://127.0.0.1:{llm_port}/v1",
            "CONCORD_SIGNING_KEY": signing_key,
            "DATABASE_URL": address_of_database(),
            "DJANGO_SETTINGS_MODULE": "config.settings.test",
        }

    def files(self) -> set[str]:
        """What lies in its home beside what a process notes for itself."""
        found = (path for path in self.home.rglob("*") if path.is_file())
        names = {path.relative_to(self.home).as_posix() for path in found}
        return {name for name in names if "/run/" not in name}


@pytest.fixture
def hosts(tmp_path):
    """The host of the web server and that of the workers."""
    app.control.purge()
    cache.clear()
    llm_port, signing_key = free_port(), secrets.token_hex(32)
    yield [Host(tmp_path / name, llm_port, signing_key) for name in ("web", "workers")]
    cache.clear()


@pytest.fixture
def web(hosts, start_server):
    command = [*PROCESSES, "web", "--bind", "127.0.0.1:{port}"]
    return start_server("web", command, "/healthz", **hosts[0].env)


@pytest.fixture
def start_workers(hosts, start_process):
    """start_workers() starts the host of the workers, which can be killed as a whole."""

    def start():
        (llm_port,) = re.findall(r":(\d+)/", hosts[1].env["CONCORD_LLM_BASE_URL"])
        with_llm = ["sh", "-c", WITH_A_STAND_IN, sys.executable, llm_port]
        queues = ["live", "judges", "files"]
        command = [*ON_ITS_OWN_NETWORK, *with_llm, *PROCESSES, *queues]
        return start_process("workers", command, **hosts[1].env)

    return start


@pytest.fixture
def client(web, monkeypatch):
    """client(user) is the client of that account's programs, on the address of the web server."""
    monkeypatch.syspath_prepend(ROOT / "static")
    import concord_client  # noqa: PLC0415 -- it lies among the static files

    monkeypatch.setattr(concord_client, "POLL_EVERY", 0.1)
    who_comes_again_gives_up(concord_client, monkeypatch)
    return lambda user: concord_client.Concord(web, token=words_of(user)).study("pond")


@pytest.fixture
def browser(web, as_user):
    """browser(user) is signed in at the web server."""
    with contextlib.ExitStack() as opened:

        def signed_in(user):
            cookies = {name: morsel.value for name, morsel in as_user(user).cookies.items()}
            page = httpx2.Client(base_url=web, cookies=cookies, trust_env=False, timeout=60)
            return opened.enter_context(page)

        yield signed_in


def verified(archive: Path, to: Path, key: str) -> str:
    """What the verifier in a release says of it."""
    with ZipFile(archive) as opened:
        opened.extractall(to)
    told = verifier_in(to, key)
    return told.stdout + told.stderr


def test_a_study_goes_its_way_between_two_hosts(
    hosts, start_workers, client, browser, pond, ada, gwen, tmp_path
):
    start_workers()
    of_ada = client(ada)
    (tmp_path / "items.csv").write_text(ITEMS)
    (tmp_path / "ratings.csv").write_text(RATINGS)

    assert of_ada.bring(tmp_path / "items.csv")["counts"]["new"] == N_ITEMS
    of_ada.bring(tmp_path / "ratings.csv", "ratings", rater="ruth")
    number = of_ada.start_run("stand-in (not an LLM)")["id"]
    wait_until(lambda: of_ada.run(number)["run"]["state"] == "finished", what="the judge")
    assert of_ada.run(number)["done"] >= N_ITEMS
    let_pass(pond, by=ada)
    archive = client(gwen).release(tmp_path / "pond.zip")
    report = written(browser(ada))

    with ZipFile(archive) as opened:
        signed = json.loads(opened.read("manifest.json"))
    assert signed["counts"]["ratings"] >= 2 * N_ITEMS
    key = signed["signed_by"]
    assert key in browser(gwen).get("/studies/pond/export/").text, "the web server has the same key"
    assert verified(archive, tmp_path / "opened", key).startswith("Signed by that key")
    assert report.startswith(b"PK")
    assert [host.files() for host in hosts] == [set(), set()]


def written(page) -> bytes:
    """The report of the study, asked for and fetched with a browser."""
    (token, *_) = TOKEN.findall(page.get(REPORT).text)
    assert page.post(REPORT, data={"csrfmiddlewaretoken": token}).status_code in {200, 302}
    wait_until(lambda: page.get(f"{REPORT}files/report.zip").status_code == 200, what="the report")
    return page.get(f"{REPORT}files/report.zip").content


def test_what_is_asked_for_while_the_workers_are_away_is_done_when_they_are_back(
    start_workers, client, pond, ada, tmp_path
):
    (tmp_path / "items.csv").write_text(ITEMS)
    workers = start_workers()
    of_ada = client(ada)
    wait_until(lambda: "live@" in workers.output() or workers.popen.poll() is not None)
    workers.kill()
    seen = []

    def watch(job):
        seen.append(job["state"])
        if len(seen) == 3:
            start_workers()

    assert of_ada.bring(tmp_path / "items.csv", watch=watch)["state"] == "done"
    assert seen[:3] == ["waiting"] * 3
    assert FilePiece.objects.count() == 0, "what was imported is not kept"
