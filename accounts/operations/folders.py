"""Where a server keeps what is not in its database."""

from collections.abc import Mapping
from pathlib import Path

from django.conf import settings

LEDGER_FILES = "ledger"


def data_folders() -> Mapping[str, Path]:
    """What a backup takes along beside the tables. Exports are built anew by whoever wants one."""
    return {"uploads": settings.UPLOAD_DIR, "keys": settings.KEY_DIR}
