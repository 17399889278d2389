"""One word for one thing: a class name is used once, or there is a reason for it."""

import re
from pathlib import Path

import pytest

from bench.house import class_names, names_used_twice

HOUSE = Path(__file__).resolve().parent.parent.parent
APPS = ("accounts", "analytics", "annotation", "judging")
SILENCES = re.compile(r"# (?:noqa|type: ignore)\b")
SAYS_WHY = re.compile(r"# (?:noqa: [\w, ]+ -- \S|type: ignore\[[\w, -]+\]  # \S)")

# {name: why it stands in several places}
SAME_THING_TWICE = {
    "Outcome": "the plain words of the rules, and the same as the choices of a database column",
    "Rubric": "the engine's questions, and the row of the database that is named for them",
}


def test_a_class_name_is_used_once_or_says_why_not():
    assert len(class_names()) > 300, "the classes were not found"
    twice = names_used_twice()
    unexplained = {name: found for name, found in twice.items() if name not in SAME_THING_TWICE}
    assert not unexplained, f"Name these apart, or say here why not: {unexplained}"
    assert SAME_THING_TWICE.keys() <= twice.keys(), "a reason for what is not there"


def test_each_silence_says_why():
    silent = {
        f"{file.relative_to(HOUSE)}:{number}"
        for folder in (*APPS, "bench", "config", "tests", "static")
        for file in sorted((HOUSE / folder).rglob("*.py"))
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), start=1)
        if SILENCES.search(line) and not SAYS_WHY.search(line)
    }
    assert not silent, "Say behind it why the check is wrong there."


@pytest.mark.parametrize(
    ("silence", "says_why"),
    [
        ("noqa: E402", False),
        ("noqa: E402 -- models need the set-up", True),
        ("type: ignore[arg-type]", False),
        ("type: ignore[arg-type]  # it has no types", True),
    ],
)
def test_silences_are_seen(silence, says_why):
    line = f"x = 1  # {silence}"
    assert SILENCES.search(line)
    assert bool(SAYS_WHY.search(line)) is says_why
