"""What every test may ask for: the shared data, real services, and the cast."""

import gc
import hashlib
import os
import secrets
import threading
from collections.abc import Iterator
from itertools import chain
from math import ceil
from pathlib import Path

import pytest
from django.core.cache import cache
from django.utils import translation
from hypothesis import HealthCheck, settings

pytest_plugins = ["tests.cast", "tests.services", "tests.databases", "tests.drawings"]

# The same examples each time, however slow the machine: a failure is about the change at hand.
settings.register_profile(
    "concord", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("concord")

ROOT = Path(__file__).resolve().parent.parent

# What `make fast` runs: these need no server and may not ask for one.
PURE = (
    *("tests/identifiers/", "tests/rubric/", "tests/rules/", "tests/stats/"),
    *("tests/analytics/test_tables.py", "tests/analytics/test_typesetting.py"),
    *(
        f"tests/judging/test_{name}.py"
        for name in ("beside", "budget", "graphs", "injection", "parsing")
    ),
    *(f"tests/judging/test_{name}.py" for name in ("preferring", "prompts", "rules", "templates")),
    "tests/judging/test_forged_addresses.py",
)
# Half a minute of a core and more for one test.
TAKES_LONG = {
    *("tests/accounts/test_description.py", "tests/guards/test_what_is_read.py"),
    *("tests/analytics/test_blinding.py", "tests/analytics/test_veil.py"),
    "tests/judging/test_corpus.py",
    *(f"tests/browser/test_{name}.py" for name in ("every_page", "journey", "long_pages")),
    *(f"tests/launch/test_{name}.py" for name in ("readme", "restore", "run", "two_hosts")),
}
SELDOM = (50_000, 20, 20)  # allocations before a look for garbage, and looks before a longer one
COMMITS = "transactional_db"
NEEDS_A_DATABASE = {"db", COMMITS, "live_server", "django_db_setup"}

DEFAULT_SHARED = ROOT.parent / "shared"


def shared_folder() -> Path | None:
    """Published data and reference values; None on a machine that has none."""
    named = os.environ.get("CONCORD_SHARED")
    folder = Path(named) if named else DEFAULT_SHARED
    if (folder / "reference" / "goldens.json").is_file():
        return folder
    if named:
        raise pytest.UsageError(f"CONCORD_SHARED points to {folder}, which holds no shared data.")
    return None


SHARED = shared_folder()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--seed", type=int, help="run the tests in the order that this number gives")
    parser.addoption("--screens", action="store_true", help="keep a picture of each screen")


def pytest_configure(config: pytest.Config) -> None:
    """Draw the order; a worker of `-n` is handed the number that was drawn."""
    gc.disable()  # until all are collected
    handed = getattr(config, "workerinput", {})
    if config.option.seed is None:
        config.option.seed = handed.get("seed", secrets.randbelow(10_000))


def pytest_collection_finish() -> None:
    """What stays to the end is not looked through for garbage again and again: a third of the time
    of collecting tests, and an eighth of that of running them."""
    gc.freeze()
    gc.set_threshold(*SELDOM)
    gc.enable()


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node) -> None:
    node.workerinput["seed"] = node.config.option.seed


def pytest_report_header(config: pytest.Config) -> str:
    return f"order: --seed {config.option.seed}"


def is_pure(path: Path) -> bool:
    return path.relative_to(ROOT).as_posix().startswith(PURE)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """`-m pure` does not even read the other files."""
    return (
        config.option.markexpr == "pure"
        and collection_path.is_file()
        and not is_pure(collection_path)
    ) or None


def pytest_itemcollected(item: pytest.Item) -> None:
    if not is_pure(item.path):
        return
    item.add_marker("pure")
    if item.get_closest_marker("django_db") or NEEDS_A_DATABASE & set(item.fixturenames):
        raise pytest.UsageError(f"{item.nodeid} is to be pure and asks for the database.")


@pytest.hookimpl(wrapper=True)
def pytest_collection_modifyitems(
    items: list[pytest.Item], config: pytest.Config
) -> Iterator[None]:
    """Shuffle the files and the tests in each: none may need what another one left."""
    leave_out_what_needs_shared_data(items, config)
    seed = config.option.seed
    items.sort(key=lambda item: (place(item.path, seed), place(item.nodeid, seed)))
    yield  # pytest-django puts tests that empty the database last
    items[:] = dealt(items, among=getattr(config, "workerinput", {}).get("workercount", 1))


def dealt(items: list[pytest.Item], *, among: int) -> list[pytest.Item]:
    """A share after the other, each beginning with some of those that take long: else a core waits
    at the end for one that has several of them left."""
    long = [item for item in items if takes_long(item)]
    others = [item for item in items if not takes_long(item)]
    share = ceil(len(others) / among)
    shares = ([*long[n::among], *others[n * share :][:share]] for n in range(among))
    return list(chain.from_iterable(shares))


def takes_long(item: pytest.Item) -> bool:
    return item.path.relative_to(ROOT).as_posix() in TAKES_LONG


def place(name: object, seed: int) -> bytes:
    """Where the seed puts it, the same in every process."""
    return hashlib.sha256(f"{seed} {name}".encode()).digest()


def leave_out_what_needs_shared_data(items: list[pytest.Item], config: pytest.Config) -> None:
    if SHARED is not None:
        return
    needs_it = [item for item in items if "shared" in getattr(item, "fixturenames", ())]
    config.hook.pytest_deselected(items=needs_it)
    items[:] = [item for item in items if item not in needs_it]


@pytest.fixture(autouse=True)
def source_language():
    """A page that was asked for in another language leaves it switched on in this thread."""
    translation.deactivate()


@pytest.fixture(autouse=True)
def still_pulse(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """A worker's pulse sees what is committed: of a job in a test's own transaction, should it last
    for half a second, it would say that there is none."""
    asked = request.node.get_closest_marker("django_db")
    has_database = asked is not None or "db" in request.fixturenames
    commits = asked is not None and asked.kwargs.get("transaction", False)
    if has_database and not commits and COMMITS not in request.fixturenames:
        monkeypatch.setattr("annotation.actions.jobs.pulse.EVERY", threading.TIMEOUT_MAX)


@pytest.fixture
def empty_cache() -> None:
    """Nothing that another test has computed is found."""
    cache.clear()


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of published data and reference values."""
    assert SHARED is not None
    return SHARED
