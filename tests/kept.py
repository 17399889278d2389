"""What nearly every test begins with, made once a process and put back as rows.

The cast and its pond take over two hundred statements, each of them the product's own. They are
made once in an empty database, in the order of `made`; a test then gets the rows that each of them
added in one statement, and the objects as they were. Triggers and foreign keys rest meanwhile: what
triggers had written is among the rows.
"""

from collections.abc import Callable, Hashable, Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass, field
from functools import cache, wraps
from typing import Any, ParamSpec, TypeVar

from django.db import IntegrityError, connection, transaction

from annotation.models import RubricVersion

Asked = ParamSpec("Asked")
Made = TypeVar("Made")
Rows = Mapping[str, frozenset[str]]
TABLES = """
SELECT class.oid::regclass::text, string_agg(quote_ident(attname), ', ' ORDER BY attnum)
FROM pg_class class
JOIN pg_attribute ON attrelid = class.oid AND attnum > 0 AND NOT attisdropped AND attgenerated = ''
WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace
GROUP BY class.oid
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """What one of them added: a script that puts its rows back, and the object as it was.

    `editions` of rubrics were there before: it may rest on them, and did not add them.
    """

    script: str
    made: Any
    editions: frozenset[int] = frozenset()


@dataclass(slots=True)
class Kept:
    """`put(name)` is what that name was made as, with its rows in the database of the test."""

    parts: Mapping[str, Part]
    make: Mapping[str, Callable[[Mapping[str, Any]], Any]]
    there: dict[str, Any] = field(default_factory=dict)

    def put(self, name: str) -> Any:
        """What it rests on is put before. Made anew where the test already has such rows."""
        part = self.parts[name]
        try:
            with transaction.atomic(), connection.cursor() as cursor:
                cursor.execute(part.script)
        except IntegrityError:
            self.there[name] = self.make[name](self.there)
        else:
            self.there[name] = deepcopy(part.made)
        return self.there[name]


_PUT_BACK: dict[Hashable, Part] = {}


def once(key: Hashable, make: Callable[[], Made]) -> Made:
    """What `make` makes, which in this process adds the same for the same key: made by whoever
    comes first, and put back for the others. Made anew where a test already has such rows, or
    other editions of rubrics than the first one had."""
    editions = frozenset(RubricVersion.objects.values_list("pk", flat=True))
    if key not in _PUT_BACK:
        before = _rows()
        first = make()
        _PUT_BACK[key] = Part(
            script=_script(before, _rows()), made=deepcopy(first), editions=editions
        )
        return first
    part = _PUT_BACK[key]
    if part.editions != editions:
        return make()
    try:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(part.script)
    except IntegrityError:
        return make()
    return deepcopy(part.made)


def made_once(make: Callable[Asked, Made]) -> Callable[Asked, Made]:
    """A fixture that rests on people of the cast alone, made `once` for the same of them."""

    @wraps(make)
    def put(*given: Asked.args, **named: Asked.kwargs) -> Made:
        key = (make.__module__, make.__qualname__, given, *sorted(named.items()))
        return once(key, lambda: make(*given, **named))

    return put


def made(make: Mapping[str, Callable[[Mapping[str, Any]], Any]]) -> dict[str, Part]:
    """Make each from those before it, note what it added, and leave nothing behind."""
    parts: dict[str, Part] = {}
    there: dict[str, Any] = {}
    with transaction.atomic():
        before = _rows()
        for name, one in make.items():
            there[name] = one(there)
            after = _rows()
            parts[name] = Part(script=_script(before, after), made=deepcopy(there[name]))
            before = after
        transaction.set_rollback(True)
    return parts


@cache
def _tables() -> dict[str, str]:
    """{table: its columns, but for those that the database fills in}."""
    with connection.cursor() as cursor:
        cursor.execute(TABLES)
        return dict(cursor.fetchall())


def _rows() -> Rows:
    """{table: every row as PostgreSQL writes it}."""
    found = {}
    with connection.cursor() as cursor:
        for table in _tables():
            cursor.execute(f"SELECT quote_literal(kept::text) FROM {table} kept")  # noqa: S608 -- ours
            found[table] = frozenset(row for (row,) in cursor.fetchall())
    return found


def _script(before: Rows, after: Rows) -> str:
    return "\n".join(
        [
            "SET LOCAL session_replication_role = replica;",
            *_statements(before, after),
            "SET LOCAL session_replication_role = origin;",
        ]
    )


def _statements(before: Rows, after: Rows) -> Iterator[str]:
    for table, columns in _tables().items():
        gone, come = before[table] - after[table], after[table] - before[table]
        if gone:
            rows = ", ".join(sorted(gone))
            yield f"DELETE FROM {table} kept WHERE kept::text IN ({rows});"  # noqa: S608 -- ours
        if come:
            rows = ", ".join(f"({row}::{table})" for row in sorted(come))
            given = f"SELECT (kept).* FROM (VALUES {rows}) AS given (kept)"  # noqa: S608 -- ours
            into = f"{table} ({columns}) OVERRIDING SYSTEM VALUE"
            yield f"INSERT INTO {into} SELECT {columns} FROM ({given}) row;"  # noqa: S608 -- ours
