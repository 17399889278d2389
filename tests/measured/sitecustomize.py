"""What each Python that `make test` starts begins with: PYTHONPATH leads here."""

import sys
from importlib import import_module
from pathlib import Path

ROOT = str(Path(__file__).resolve().parent.parent.parent)

sys.path.insert(0, ROOT)
import_module("config.checks.measuring").begin()
sys.path.remove(ROOT)
