"""`make run` from its first start to its end, whatever ends it."""

import json
import signal
from types import SimpleNamespace

import pytest

from config.launch import services
from tests.launch.conftest import HARD_PATH
from tests.services import LONGEST, wait_until


@pytest.fixture(scope="module")
def demo(launchers):
    """A demo in a home whose path is too long for a unix socket, which a first start has filled."""
    return launchers(HARD_PATH, is_filled=True)


ENDINGS = [signal.SIGINT, signal.SIGHUP, signal.SIGKILL]


@pytest.mark.parametrize("ending", ENDINGS, ids=lambda ending: ending.name)
def test_whatever_ends_a_demo_it_leaves_no_process_behind(demo, ending):
    process = demo.run()
    assert demo.status_of("/healthz") == 200
    assert demo.services_run()

    process.send_signal(ending)

    demo.wait_until_all_have_gone()
    assert process.wait(LONGEST) == (-signal.SIGKILL if ending == signal.SIGKILL else 0)


def test_static_files_of_another_version_make_way(demo):
    manifest = demo.home / "static" / "staticfiles.json"
    of_another = json.loads(manifest.read_text()) | {"paths": {}}
    manifest.write_text(json.dumps(of_another))  # newer than any file of the project
    (demo.home / "static.sha256").write_text("of another version")

    process = demo.run()

    assert demo.status_of("/accounts/login/") == 200
    process.terminate()
    demo.wait_until_all_have_gone()


def test_letters_are_files_and_no_log_names_whom_they_are_for(demo):
    process = demo.run()
    letters, logs = demo.home / "letters", (demo.home / "log").glob("*.log")

    wait_until(
        lambda: any("To: sam@example.org" in one.read_text() for one in letters.iterdir()),
        what="a letter to who decides on requests",
    )

    assert letters.stat().st_mode & 0o077 == 0
    assert [log.name for log in logs if "@example.org" in log.read_text()] == []
    process.terminate()
    demo.wait_until_all_have_gone()


MORTAL = {
    "Redis": "redis-server",
    "PostgreSQL": "bin/postgres -D",
    "a worker": "live@",
    "the web server": "gunicorn: master",
    "the parent of all": "config.processes",
}


def test_what_dies_comes_back_and_goes_on_with_its_work(demo):
    process = demo.run()

    for name in ["Redis", *MORTAL]:  # Redis twice: the second time somebody was just connecting
        demo.kill(MORTAL[name])
        assert demo.has_figures_computed() == "computed", name

    wait_until(lambda: demo.answers("/healthz"), what="the web server")
    process.terminate()
    demo.wait_until_all_have_gone()


def test_a_second_demo_is_told_why_it_cannot_start(demo, launchers):
    first = demo.run()

    same_home = demo.printed("run")
    other_home = launchers("other")
    other_home.port = demo.port
    same_port = other_home.printed("run")

    assert f"Concord is already running with the data in {demo.home}." in same_home
    assert f"Port {demo.port} cannot be used: Address already in use." in same_port
    assert f"make run PORT={demo.port + 1}" in same_port
    first.terminate()
    demo.wait_until_all_have_gone()


@pytest.mark.parametrize(("free", "said"), [(6 * 10**6, "Only 6 MB are free"), (10**9, "")])
def test_who_stops_on_a_full_disk_says_so(tmp_path, monkeypatch, free, said):
    monkeypatch.setattr(
        "config.launch.services.shutil.disk_usage", lambda _home: SimpleNamespace(free=free)
    )
    assert services.short_of_disk(tmp_path).startswith(said)
    assert bool(services.short_of_disk(tmp_path)) is bool(said)
