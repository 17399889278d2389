"""Who works on a run: one worker at a time, as long as it lives.

The database knows it by a lock of the worker's session: whoever dies lets go at that moment, and
need not say so.
"""

import contextlib
from collections.abc import Iterator

from django.db import connection

from judging.queries.runs import HELD


@contextlib.contextmanager
def held(run_id: int) -> Iterator[bool]:
    """Hold a run while the block lasts; False where somebody else holds it."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_lock(hashtext(%s), %s)", [HELD, run_id])
        [is_ours] = cursor.fetchone() or [False]
    try:
        yield is_ours
    finally:
        if is_ours and connection.is_usable():
            with connection.cursor() as cursor:
                cursor.execute("SELECT pg_advisory_unlock(hashtext(%s), %s)", [HELD, run_id])
