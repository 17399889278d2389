"""What the busiest pages ask of PostgreSQL beyond Django's backend."""

import select
from threading import RLock
from typing import Any

from django.db.backends.postgresql import base, operations
from django.db.backends.utils import CursorWrapper
from psycopg import Connection, Cursor, RawCursor
from psycopg.adapt import Dumper, PyFormat
from psycopg.types.numeric import Int8, Int8Dumper, IntDumper

AS_BIGINT = Int8Dumper(Int8)


class KeyDumper(IntDumper):
    """What can be a key is of one type, however small; what cannot is found nowhere, as ever."""

    def upgrade(self, obj: int, format: PyFormat) -> Dumper:  # noqa: A002 -- psycopg calls it so
        return AS_BIGINT if -(2**63) <= obj < 2**63 else super().upgrade(obj, format)


class PreparingCursor(base.CursorMixin, Cursor[Any]):
    """Has statements prepared at their first run.

    Only while one runs: a connection that may prepare anything keeps the last hundred statements of
    all cursors, each with the values that are written into it, texts and pieces of files too. A
    whole number is sent as one type: else a statement is prepared anew for larger ones.
    """

    def __init__(self, connection: Connection[Any]) -> None:
        super().__init__(connection)
        self.adapters.register_dumper(int, KeyDumper)

    def execute(self, *given: Any, **more: Any) -> Any:
        self.connection.prepare_threshold = 0
        try:
            return super().execute(*given, **more)
        finally:
            self.connection.prepare_threshold = None


class PreparingRawCursor(PreparingCursor, RawCursor[Any]):
    """The same for statements as PostgreSQL takes them, with the values by number."""


class DatabaseOperations(operations.DatabaseOperations):
    def last_executed_query(self, cursor: Any, sql: Any, params: Any) -> str:
        if isinstance(cursor, PreparingRawCursor):
            return str(sql.decode())
        if isinstance(cursor, PreparingCursor):
            composed: str = self.compose_sql(sql, params)
            return composed
        return super().last_executed_query(cursor, sql, params)


class DatabaseWrapper(base.DatabaseWrapper):
    ops_class = DatabaseOperations

    def get_new_connection(self, conn_params: dict[str, Any]) -> Connection[Any]:
        """One whose thread does not wait for itself: the garbage collector may close what was read
        halfway in the middle of any statement, and psycopg then asks the server for nothing."""
        opened: Any = super().get_new_connection(conn_params)
        opened.lock = RLock()  # psycopg's can be taken once
        connection: Connection[Any] = opened
        return connection

    def preparing_cursor(self, kind: type[PreparingCursor] = PreparingCursor) -> CursorWrapper:
        """A cursor whose statements are parsed and planned once a connection, not once a call."""
        self.close_if_health_check_failed()
        self.ensure_connection()
        with self.wrap_database_errors:
            bare = kind(self.connection)
            cursor: CursorWrapper = self._prepare_cursor(bare)  # type: ignore[attr-defined]  # in none of the stubs
            return cursor

    def preparing_raw_cursor(self) -> CursorWrapper:
        """The same for statements with values by number."""
        return self.preparing_cursor(PreparingRawCursor)

    def is_usable(self) -> bool:
        """Ask the server only when it has sent something unasked, as it does when it goes away."""
        if self.connection is not None and not self.connection.closed and self._is_silent():
            return True
        return super().is_usable()

    def _is_silent(self) -> bool:
        waiting = select.poll()
        waiting.register(self.connection.pgconn.socket, select.POLLIN)
        return not waiting.poll(0)
