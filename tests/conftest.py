"""What every test may ask for: the shared data, real services, and the cast."""

import os
from pathlib import Path

import pytest
from django.utils import translation
from hypothesis import HealthCheck, settings

pytest_plugins = ["tests.cast", "tests.services"]

# The same examples each time, however slow the machine: a failure is about the change at hand.
settings.register_profile(
    "concord", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("concord")

DEFAULT_SHARED = Path(__file__).resolve().parent.parent.parent / "shared"


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


def pytest_collection_modifyitems(items: list[pytest.Item], config: pytest.Config) -> None:
    """Leave out the tests that compare with shared data where there is none."""
    if SHARED is not None:
        return
    needs_it = [item for item in items if "shared" in getattr(item, "fixturenames", ())]
    config.hook.pytest_deselected(items=needs_it)
    items[:] = [item for item in items if item not in needs_it]


@pytest.fixture(autouse=True)
def source_language():
    """A page that was asked for in another language leaves it switched on in this thread."""
    translation.deactivate()


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of published data and reference values."""
    assert SHARED is not None
    return SHARED
