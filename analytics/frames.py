"""pandas by itself, and only where a table is made: 20 MB that no process needs before.

It loads pyarrow wherever that is installed: 35 MB in every process, which only files in Parquet
need, and those ask for it themselves.
"""

import sys
from functools import cache
from importlib import import_module
from threading import Lock
from typing import TYPE_CHECKING, Any

__all__ = ["pd"]

_loading = Lock()


@cache
def _pandas() -> Any:
    with _loading:
        is_absent = "pyarrow" not in sys.modules and "pandas" not in sys.modules
        if is_absent:
            sys.modules["pyarrow"] = None  # type: ignore[assignment]  # as import says that there is none
        try:
            return import_module("pandas")
        finally:
            if is_absent:
                del sys.modules["pyarrow"]


class _LoadedLater:
    def __getattr__(self, name: str) -> Any:
        return getattr(_pandas(), name)


if TYPE_CHECKING:
    import pandas as pd
else:
    pd = _LoadedLater()
