"""What the busiest pages ask of PostgreSQL beyond Django's backend."""

import select
from typing import Any

from django.db.backends.postgresql import base, operations
from django.db.backends.utils import CursorWrapper


class DatabaseOperations(operations.DatabaseOperations):
    def last_executed_query(self, cursor: Any, sql: str, params: Any) -> str:
        if isinstance(cursor, base.ServerBindingCursor):
            composed: str = self.compose_sql(sql, params)
            return composed
        return super().last_executed_query(cursor, sql, params)


class DatabaseWrapper(base.DatabaseWrapper):
    ops_class = DatabaseOperations

    def get_connection_params(self) -> dict[str, object]:
        # Only statements of `preparing_cursor` can be prepared; those are at their first run.
        return super().get_connection_params() | {"prepare_threshold": 0}

    def preparing_cursor(self) -> CursorWrapper:
        """A cursor whose statements are parsed and planned once a connection, not once a call."""
        self.close_if_health_check_failed()
        self.ensure_connection()
        with self.wrap_database_errors:
            bare = base.ServerBindingCursor(self.connection)  # type: ignore[call-arg]  # psycopg's
            cursor: CursorWrapper = self._prepare_cursor(bare)  # type: ignore[attr-defined]  # in none of the stubs
            return cursor

    def is_usable(self) -> bool:
        """Ask the server only when it has sent something unasked, as it does when it goes away."""
        if self.connection is not None and not self.connection.closed and self._is_silent():
            return True
        return super().is_usable()

    def _is_silent(self) -> bool:
        waiting = select.poll()
        waiting.register(self.connection.pgconn.socket, select.POLLIN)
        return not waiting.poll(0)
