"""`make test`: every check in turn, each with its result, and at the end one line for all."""

import argparse
import io
import os
import re
import shutil
import subprocess
import sys
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from typing import cast

from config.checks import measuring
from config.checks.browsers import CHROMIUM
from config.checks.covered import covered
from config.launch.services import ROOT

MANAGE = ("python", "manage.py")
STATIC = {
    "types": ("mypy",),  # takes longest, so that the others are done beside it
    "collection": ("pytest", "--collect-only", "-qq", "tests"),  # compiles what all others load
    "format": ("ruff", "format", "--check", "."),
    "lint": ("ruff", "check", "."),
    "imports": ("lint-imports",),
    "templates": ("djlint", "templates", "--lint", "--quiet"),
    "migrations": (*MANAGE, "makemigrations", "--check", "--dry-run"),
    "settings": (*MANAGE, "check", "--deploy", "--fail-level", "WARNING"),
}
HOW_TO_MEND = {
    "format": "`make fix` formats the code.",
    "lint": "`make fix` mends what can be mended without thinking.",
    "migrations": "`make migrate` writes the missing migration.",
}
PRODUCTION = {
    "DJANGO_SETTINGS_MODULE": "config.settings.production",
    "SECRET_KEY": "no secret, but as long and varied as a real one: 0123456789 abcdefghij",
    "ALLOWED_HOSTS": "concord.example.org",
    "CONCORD_HSTS_SUBDOMAINS": "1",
    "CONCORD_HSTS_PRELOAD": "1",
}
OF_TESTS = {"PYTHONPATH": str(ROOT / "tests" / "measured"), "PYTHONDONTWRITEBYTECODE": ""}
ENVIRONMENTS = {"settings": PRODUCTION, "collection": OF_TESTS}
# Files of tests beside each other; whoever has finished helps the others.
PYTEST = ("pytest", "--maxprocesses=8", "--dist=worksteal")
# One more than there are cores: some wait for a worker, an endpoint or a page.
AT_ONCE = ("-n", str((os.cpu_count() or 1) + 1))
PURE = (
    "annotation/identifiers/*",
    *("annotation/rubric/*", "annotation/rules/*", "judging/rules/*", "judging/parsing/*"),
    "analytics/stats/*",
)
LEAST_COVERED, LEAST_COVERED_OF_PURE = 95, 100
FIND_PLAYWRIGHTS_CHROMIUM = """
from playwright.sync_api import sync_playwright
with sync_playwright() as playwright:
    print(playwright.chromium.executable_path)
"""
SUMMARY = re.compile(r"^=+ (.*) in [\d.]+s.* =+$", re.MULTILINE)
COLOUR = re.compile(r"\x1b\[[\d;]*m")


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m config.checks", description=__doc__)
    parser.add_argument("--static", action="store_true", help="leave the tests out")
    only_static = parser.parse_args().static
    begin = time.monotonic()
    if not only_static:
        measuring.prepare()
    with ThreadPoolExecutor(os.cpu_count()) as beside_each_other:
        passed = dict(zip(STATIC, beside_each_other.map(passes, STATIC), strict=True))
    failed = [name for name in STATIC if not passed[name]]
    counts = Counter(failed=len(failed))
    if not only_static:
        for name, outcome in (("tests", run_tests()), ("browser tests", run_browser_tests())):
            counts += outcome
            if is_bad(outcome):
                failed.append(name)
        if not covers_enough():
            failed.append("coverage")
    print(f"\nFailed: {', '.join(failed)}" if failed else "\nEvery check passed.")
    if only_static:
        return int(bool(failed))
    words = [f"{n} {word}" for word, n in sorted(counts.items()) if n]
    print(f" {', '.join(words)} in {time.monotonic() - begin:.2f}s ".center(80, "="))
    return int(bool(failed))


def passes(name: str) -> bool:
    """Run a check that is silent unless it fails."""
    begin = time.monotonic()
    env = os.environ | ENVIRONMENTS.get(name, {})
    ran = subprocess.run(
        STATIC[name],
        cwd=ROOT,
        env=env,
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
    )
    ok = ran.returncode == 0
    said = [f"{'ok' if ok else 'FAILED':6}  {name:10}  {time.monotonic() - begin:.1f} s"]
    if not ok:
        said += [(ran.stdout + ran.stderr).strip(), HOW_TO_MEND.get(name, "")]
    print("\n".join(said) + "\n", end="", flush=True)  # at once: others print beside it
    return ok


def covers_enough() -> bool:
    """Tell how many of the lines and branches, templates included, some test ran through, and
    whether that is what it has been before."""
    measure = covered()
    is_enough = True
    measured = (
        ("everything", LEAST_COVERED, None),
        ("what is pure", LEAST_COVERED_OF_PURE, list(PURE)),
    )
    for what, least, only in measured:
        percent = measure.report(include=only, file=io.StringIO())
        print(f"Coverage of {what}: {percent:.2f} %, at least {least} %", flush=True)
        is_enough &= percent >= least
    return is_enough


def run_tests() -> Counter[str]:
    print("\nUnit and integration tests", flush=True)
    return pytest(*PYTEST, *AT_ONCE, "tests", "--ignore=tests/browser")


def run_browser_tests() -> Counter[str]:
    if os.environ.get("CONCORD_SKIP_BROWSER") == "1":
        print("\nBrowser tests are left out, as CONCORD_SKIP_BROWSER=1 asks.", flush=True)
        return Counter()
    print("\nBrowser tests", flush=True)
    if not (chromium_is_there() or install_chromium()):
        print(
            "FAILED: the browser tests cannot run. There is no Chromium on PATH, and neither "
            "playwright nor apt could install one. Install it, or set CONCORD_SKIP_BROWSER=1."
        )
        return Counter(failed=1)
    return pytest(*PYTEST, *AT_ONCE, "tests/browser")


def pytest(*command: str) -> Counter[str]:
    """Run pytest, showing its output as it comes, and count as its summary line does."""
    colour = "--color=yes" if sys.stdout.isatty() else "--color=no"
    process = subprocess.Popen(
        [*command, colour],
        cwd=ROOT,
        env=os.environ | OF_TESTS,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    pipe = cast(io.BufferedReader, process.stdout)
    output = b""
    while chunk := pipe.read1():
        output += chunk
        sys.stdout.buffer.write(chunk)
        sys.stdout.flush()
    counts = counts_of(output.decode(errors="replace"))
    if process.wait() != 0 and not is_bad(counts):
        counts["failed"] += 1
    return counts


def counts_of(output: str) -> Counter[str]:
    """Read "3 failed, 412 passed in 61.20s" as what it says; nothing when there is no such line."""
    summaries = SUMMARY.findall(COLOUR.sub("", output))
    counted = re.findall(
        r"(\d+) (passed|failed|skipped|deselected|error)", " ".join(summaries[-1:])
    )
    return Counter({word: int(n) for n, word in counted})


def is_bad(counts: Counter[str]) -> bool:
    return bool(counts["failed"] or counts["error"])


def chromium_is_there() -> bool:
    return any(starts(name) for name in CHROMIUM)


def install_chromium() -> bool:
    """Through playwright; else, where we may, through apt, with a font that has Chinese."""
    print("No Chromium on PATH; asking playwright for one.", flush=True)
    if subprocess.run(["playwright", "install", "chromium"], check=False).returncode == 0:
        found = subprocess.run(
            ["python", "-c", FIND_PLAYWRIGHTS_CHROMIUM], capture_output=True, text=True, check=False
        )
        if starts(found.stdout.strip()):
            return True
    if shutil.which("apt-get") and os.geteuid() == 0:
        print("It did not work; asking apt.", flush=True)
        subprocess.run(["apt-get", "update", "--quiet"], check=False)
        packages = [CHROMIUM[0], "fonts-noto-cjk"]
        subprocess.run(["apt-get", "install", "--quiet", "--yes", *packages], check=False)
    return chromium_is_there()


def starts(browser: str) -> bool:
    """It may be there and still lack a library."""
    try:
        return (
            subprocess.run([browser, "--version"], capture_output=True, check=False).returncode == 0
        )
    except OSError:
        return False


if __name__ == "__main__":
    sys.exit(main())
