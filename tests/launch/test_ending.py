"""The parent of all processes is told to end at any moment, and ends with all that it has forked."""

import sys

import pytest

from tests.services import LONGEST, wait_until

TOLD_TO_END = """
import os, signal, sys, time
from pathlib import Path
from config import processes
from config.launch import supervise

begun, moment = Path(sys.argv[1]), sys.argv[2]
beginning, fork, fork_at_once = processes.beginning, supervise.fork, os.fork


def wait_for_the_first():
    while not begun.exists():
        time.sleep(0.01)


def tell_to_end():
    wait_for_the_first()
    os.kill(os.getpid(), signal.SIGTERM)


def told_before_it_begins(role, logs):
    if role.name == "second":
        tell_to_end()
    return beginning(role, logs)


def begins_slowly_once_the_first_is_there(role, logs):
    if role.name == "second":
        wait_for_the_first()
        os.fork = fork_slowly
    return beginning(role, logs)


def told_once_it_is_forked(name, run, *, log):
    child = fork(name, run, log=log)
    if name in ("first command", "second"):
        tell_to_end()
    return child


def fork_slowly():
    if (process := fork_at_once()) == 0 and begun.exists():
        time.sleep(1)
    return process


def stay():
    begun.touch()
    time.sleep(600)


def role(name):
    return processes.ProcessRole(name=name, load=lambda: None, run=stay)


signal.signal(signal.SIGTERM, lambda *_: sys.exit())
if moment == "between two":
    processes.beginning = told_before_it_begins
else:
    supervise.fork = told_once_it_is_forked
if moment == "before it is a child":
    processes.beginning = begins_slowly_once_the_first_is_there
if moment == "after a command":
    processes.manage = lambda command: stay
first = [["first command"]] if moment == "after a command" else []
processes.run([role("first"), role("second")], first=first, logs=None, patience=30)
"""


MOMENTS = ["between two", "before it is a child", "after one", "after a command"]


@pytest.mark.parametrize("moment", MOMENTS)
def test_who_is_told_to_end_while_others_begin_ends_with_them(start_process, tmp_path, moment):
    begun = tmp_path / "begun"
    process = start_process("parent", [sys.executable, "-c", TOLD_TO_END, str(begun), moment])
    wait_until(begun.exists, what="the first child")
    process.popen.wait(LONGEST)
    assert process.output() == ""
    assert process.popen.returncode == 0
