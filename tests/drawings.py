"""Charts drawn once a run: an order is answered by the same bytes each time, which
`tests/analytics/test_drawing.py` holds the drawer to, and seconds go into the charts of a report."""

import json
import os
from collections.abc import Iterator, Mapping
from hashlib import sha256
from pathlib import Path
from threading import get_ident
from typing import Any

import pytest

from analytics.present.charts import drawing
from analytics.present.charts.drawing import SLOW, Drawer
from analytics.report import drawings
from tests.services import folder_of_all_workers


class Keeping(Drawer):
    """Asks the process that draws for what no worker of pytest has had drawn."""

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self._folder = folder

    def ask(self, order: Mapping[str, Any], *, patience: float = SLOW) -> str:
        kept = self._folder / sha256(json.dumps(order).encode()).hexdigest()
        if not kept.exists():
            begun = kept.with_suffix(f".{os.getpid()}-{get_ident()}")
            begun.write_bytes(super().ask(order, patience=patience).encode())
            begun.replace(kept)
        return kept.read_bytes().decode()


@pytest.fixture(scope="session", autouse=True)
def drawings_are_kept(request, tmp_path_factory) -> Iterator[None]:
    folder = folder_of_all_workers(request, tmp_path_factory) / "drawings"
    folder.mkdir(exist_ok=True)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(drawing, "_drawer", Keeping(folder))
        yield
        drawing._drawer.end()


@pytest.fixture
def drawn_anew(monkeypatch) -> Iterator[None]:
    """What is drawn in this test is drawn for it."""
    drawer = Drawer()
    monkeypatch.setattr(drawing, "_drawer", drawer)
    yield
    drawer.end()


@pytest.fixture
def without_figures(monkeypatch) -> None:
    """Reports of this test have words, tables and numbers alone: seconds go into the drawing."""
    monkeypatch.setattr(drawings, "drawings", lambda *_of: iter(()))
