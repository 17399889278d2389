"""pandas by itself.

It loads pyarrow wherever that is installed: 35 MB in every process, which only files in Parquet
need, and those ask for it themselves.
"""

import sys

__all__ = ["pd"]

_ABSENT = "pyarrow" not in sys.modules and "pandas" not in sys.modules
if _ABSENT:
    sys.modules["pyarrow"] = None  # type: ignore[assignment]  # as import says that there is none
try:
    import pandas as pd
finally:
    if _ABSENT:
        del sys.modules["pyarrow"]
