"""The one line at the end of `make test`."""

import pytest

from config.checks.__main__ import counts_of


@pytest.mark.parametrize(
    ("output", "counts"),
    [
        ("==== 412 passed in 61.20s (0:01:01) ====\n", {"passed": 412}),
        (
            "= 1 failed, 2 passed, 1 skipped, 3 deselected, 2 errors in 0.50s =",
            {"failed": 1, "passed": 2, "skipped": 1, "deselected": 3, "error": 2},
        ),
        (
            "\x1b[32m=== \x1b[1m5 passed\x1b[0m, \x1b[33m2 warnings\x1b[0m in 0.1s ===\x1b[0m",
            {"passed": 5},
        ),
        ("=== 1 passed in 0.1s ===\nthen\n=== 2 passed in 0.1s ===\n", {"passed": 2}),
        ("=== no tests ran in 0.01s ===", {}),
        ("Killed\n", {}),
    ],
)
def test_pytests_summary_is_read_as_what_it_says(output, counts):
    assert counts_of(output) == counts
