"""What all processes share is loaded by each of them: what few use is loaded where it works."""

import subprocess
import sys

LOAD = """
import sys
from config import processes
processes.load(processes.wanted(["web", "scheduler", "live", "judges", "files"], ""))
print(*sys.modules)
"""
WHERE_IT_WORKS = {
    *("pandas", "scipy.stats", "scipy.optimize", "matplotlib", "openpyxl", "lxml"),
    *("django.test", "drf_spectacular.plumbing"),
}


def test_nothing_large_is_loaded_before_the_fork_that_few_use():
    done = subprocess.run(
        [sys.executable, "-c", LOAD], capture_output=True, text=True, check=True, timeout=120
    )
    assert WHERE_IT_WORKS.isdisjoint(done.stdout.split())
