"""A page that goes on to the same place whether or not something was done says so in one way."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
VIEWS = [
    path
    for app in ("annotation", "judging", "analytics")
    for path in (ROOT / app).rglob("*.py")
    if "views" in path.relative_to(ROOT).as_posix() and path.name != "saying.py"
]
BY_ITSELF = re.compile(
    r"except [\w.]+ as refusal:\n +messages\.error\(request, said\(refusal\.args\[0\]\)\)\n"
    r"    (else:|return )"
)


@pytest.mark.parametrize("path", VIEWS, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_no_view_says_by_itself_that_something_was_not_done(path):
    assert not BY_ITSELF.search(path.read_text(encoding="utf-8")), "`with saying(…)` does it"
