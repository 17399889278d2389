"""Where a server keeps what is not in its database."""

from collections.abc import Mapping
from pathlib import Path

from django.conf import settings

LEDGER_FILES = "ledger"


def data_folders() -> Mapping[str, Path]:
    """What a backup takes along beside the tables."""
    return {"keys": settings.KEY_DIR}
