"""Commands that run with services of their own."""

import signal
from pathlib import Path

import pytest

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
    printed, _ = launcher.start("exec", *ASK, QUERY).communicate()

    assert printed.split() == ["True", "True"]
    assert not launcher.services_run()


def test_a_command_ends_with_the_status_of_what_it_ran(launcher):
    process = launcher.start("exec", *ASK, "raise SystemExit(7)")

    assert process.wait() == 7


def test_commands_of_one_home_share_the_services_until_the_last_has_ended(launcher):
    first = launcher.start("exec", *STAY)
    address = first.stdout.readline()
    second = launcher.start("exec", *STAY)
    assert second.stdout.readline() == address

    first.terminate()
    first.wait()
    assert launcher.start("exec", *STAY).stdout.readline() == address

    for process in launcher.started:
        process.terminate()
    launcher.wait_until_all_have_gone()


def test_services_do_not_outlive_a_command_that_is_killed(launcher):
    process = launcher.start("exec", *STAY)
    process.stdout.readline()

    process.send_signal(signal.SIGKILL)

    launcher.wait_until_all_have_gone()


def test_addresses_that_a_power_cut_left_empty_are_written_anew(launcher):
    launcher.home.mkdir()
    (launcher.home / "services.json").touch()

    assert launcher.start("exec", "true").wait() == 0


def test_a_command_is_not_sent_to_the_endpoint_of_a_demo_that_was_killed(launcher):
    launcher.home.mkdir()
    (launcher.home / "run.lock").touch()
    (launcher.home / "stand-in.json").write_text(
        '{"CONCORD_LLM_BASE_URL": "http://127.0.0.1:9/v1"}'
    )

    printed, _ = launcher.start(
        "exec", *ASK, "import os; print(os.environ.get('CONCORD_LLM_BASE_URL'))"
    ).communicate()

    assert printed.strip() == "None"


def test_a_throwaway_home_is_removed(launcher):
    printed, _ = launcher.start(
        "exec", "--throwaway", *ASK, "import os; print(os.environ['CONCORD_HOME'])"
    ).communicate()

    assert Path(printed.strip()) != launcher.home
    assert not Path(printed.strip()).exists()
