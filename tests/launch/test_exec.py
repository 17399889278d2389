"""Commands that run with services of their own."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.launch.conftest import line_of
from tests.services import LONGEST, ROOT

ASK = ["python", "-c"]
QUERY = """
import os, psycopg, redis
connection = psycopg.connect(os.environ["DATABASE_URL"])
print(connection.execute("SHOW server_version_num").fetchone()[0] >= "180000")
print(redis.from_url(os.environ["REDIS_URL"]).ping())
"""
STAY = ["sh", "-c", "echo $REDIS_URL; exec sleep 600"]


@pytest.fixture
def launcher(launchers, request):
    return launchers(request.node.name)


def test_a_command_has_postgresql_and_redis_while_it_runs(launcher):
    printed = launcher.printed("exec", *ASK, QUERY)

    assert printed.split() == ["True", "True"]
    assert not launcher.services_run()


def test_a_command_ends_with_the_status_of_what_it_ran(launcher):
    process = launcher.start("exec", *ASK, "raise SystemExit(7)")

    assert process.wait(LONGEST) == 7


def test_commands_of_one_home_share_the_services_until_the_last_has_ended(launcher):
    first = launcher.start("exec", *STAY)
    address = line_of(first)
    second = launcher.start("exec", *STAY)
    assert line_of(second) == address

    first.terminate()
    first.wait(LONGEST)
    assert line_of(launcher.start("exec", *STAY)) == address

    for process in launcher.started:
        process.terminate()
    launcher.wait_until_all_have_gone()


def test_services_do_not_outlive_a_command_that_is_killed(launcher):
    process = launcher.start("exec", *STAY)
    line_of(process)

    process.send_signal(signal.SIGKILL)

    launcher.wait_until_all_have_gone()
    assert launcher.processes() == {}


def test_what_begins_after_its_parent_was_killed_ends_at_once():
    """Killed between the fork and the word to the kernel, which would come too late."""
    begun = (
        "import os, signal; from config.launch.supervise import end_with_parent; "
        "end_with_parent(signal.SIGTERM, parent=os.getppid() + {}); print('goes on')"
    )
    ended = {
        other: subprocess.run(
            [sys.executable, "-c", begun.format(other)],
            cwd=ROOT,
            capture_output=True,
            check=False,
            timeout=LONGEST,
        )
        for other in (0, 1)
    }
    assert [(one.returncode, one.stdout) for one in ended.values()] == [
        (0, b"goes on\n"),
        (-signal.SIGTERM, b""),
    ]


def test_addresses_that_a_power_cut_left_empty_are_written_anew(launcher):
    launcher.home.mkdir()
    (launcher.home / "services.json").touch()

    assert launcher.start("exec", "true").wait(LONGEST) == 0


def test_a_command_is_not_sent_to_the_endpoint_of_a_demo_that_was_killed(launcher):
    launcher.home.mkdir()
    (launcher.home / "run.lock").touch()
    (launcher.home / "stand-in.json").write_text(
        '{"CONCORD_LLM_BASE_URL": "http://127.0.0.1:9/v1"}'
    )

    printed = launcher.printed(
        "exec", *ASK, "import os; print(os.environ.get('CONCORD_LLM_BASE_URL'))"
    )

    assert printed.strip() == "None"


def test_a_throwaway_home_is_removed(launcher):
    printed = launcher.printed(
        "exec", "--throwaway", *ASK, "import os; print(os.environ['CONCORD_HOME'])"
    )

    assert Path(printed.strip()) != launcher.home
    assert not Path(printed.strip()).exists()
