"""What each Python that `make test` starts begins with: PYTHONPATH leads here."""

import sys
from pathlib import Path

ROOT = str(Path(__file__).resolve().parent.parent.parent)

sys.path.insert(0, ROOT)
from config import measuring  # noqa: E402 -- found there

sys.path.remove(ROOT)
measuring.begin()
