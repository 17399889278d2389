"""What the application may do in the database, what an auditor may, and who owns it.

The owner makes the tables. The application adds to the ledger and to rows that are kept, and can
neither change nor delete them; it owns nothing, so it can switch no trigger off and empty no table.
An auditor reads the ledger, which holds no text.
"""

from collections.abc import Iterator

from django.db import connection
from psycopg.sql import SQL, Composable, Identifier, Literal

from accounts.ledger.catalogue import table_names
from accounts.ledger.governed import governed

LEDGER = ("accounts_event", "accounts_rowdigest", "accounts_seal", "accounts_unsealed")
# What the application may do with them beside reading; digests are the triggers' to write.
ADDS_ONLY = {
    "accounts_event": "INSERT",
    "accounts_seal": "INSERT",
    "accounts_unsealed": "INSERT, DELETE",
}
MAINTAIN_SINCE = 170000  # the version of PostgreSQL that lets others than the owner ANALYZE
# Who may write what beside the owner; an owner who gave nothing away has no list. The application is
# whoever may add to the ledger, under whatever name.
_WRITERS = """
WITH rights AS (
    SELECT relname, relowner, '' AS attname, each.* FROM pg_class, aclexplode(relacl) AS each
    WHERE relnamespace = current_schema()::regnamespace AND relname = ANY(%s)
    UNION ALL
    SELECT relname, relowner, attname, each.*
    FROM pg_class JOIN pg_attribute ON attrelid = pg_class.oid, aclexplode(attacl) AS each
    WHERE relnamespace = current_schema()::regnamespace AND relname = ANY(%s)
), applications AS (
    SELECT grantee FROM rights
    WHERE relname = 'accounts_event' AND attname = '' AND privilege_type = 'INSERT' AND grantee <> 0
)
SELECT relname, CASE grantee WHEN 0 THEN 'Everybody' ELSE grantee::regrole::text END,
    grantee IN (SELECT * FROM applications), privilege_type, attname
FROM rights
WHERE grantee <> relowner AND (
    grantee = 0 OR privilege_type IN ('INSERT', 'UPDATE', 'DELETE', 'TRUNCATE', 'TRIGGER')
)
ORDER BY 1, 2, 5, 4
"""


def grant(*, application: str, auditor: str = "", password: str = "") -> None:
    """Make the roles where they are missing, and give each what it is for, and no more."""
    with connection.cursor() as cursor:
        for role, secret in ((application, password), (auditor, "")):
            if role and not _exists(role):
                cursor.execute(_creation(role, secret))
        for statement in (
            *_of_application(application),
            *(_of_auditor(auditor) if auditor else ()),
        ):
            cursor.execute(statement)


def excess() -> Iterator[tuple[str, str, str]]:
    """(table, who, what) that somebody may beside the owner, and that `grant` gives to nobody."""
    tables = table_names()
    with connection.cursor() as cursor:
        cursor.execute(_WRITERS, [tables, tables])
        found = cursor.fetchall()
    may_change = {one.table: one.may_change for one in governed()}
    for table, who, is_application, right, column in found:
        if is_application and _is_given(table, right, column, may_change.get(table)):
            continue
        yield table, who, f"{right} {column}".strip()


def _is_given(table: str, right: str, column: str, may_change: tuple[str, ...] | None) -> bool:
    """Whether the application gets this right to a table, or to one of its columns."""
    if table in LEDGER:
        return right in ADDS_ONLY.get(table, "").split(", ") and not column
    if right in ("TRUNCATE", "TRIGGER"):
        return False
    if column:
        return may_change is None or (right == "UPDATE" and column in may_change)
    return may_change is None or right == "INSERT"


def _exists(role: str) -> bool:
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", [role])
        return cursor.fetchone() is not None


def _creation(role: str, password: str) -> Composable:
    made = SQL("CREATE ROLE {} LOGIN").format(Identifier(role))
    return made + SQL(" PASSWORD {}").format(Literal(password)) if password else made


def _of_application(name: str) -> Iterator[Composable]:
    role = Identifier(name)
    with connection.cursor() as cursor:
        cursor.execute("SELECT current_schema(), current_setting('server_version_num')::int")
        schema_name, version = cursor.fetchone() or ("public", 0)
    schema = Identifier(schema_name)
    tables = "SELECT, INSERT, UPDATE, DELETE"
    if version >= MAINTAIN_SINCE:
        tables += ", MAINTAIN"
    yield SQL("GRANT USAGE ON SCHEMA {} TO {}").format(schema, role)
    yield SQL("REVOKE ALL ON ALL TABLES IN SCHEMA {} FROM {}").format(schema, role)
    yield SQL("GRANT {} ON ALL TABLES IN SCHEMA {} TO {}").format(SQL(tables), schema, role)
    yield SQL("GRANT USAGE ON ALL SEQUENCES IN SCHEMA {} TO {}").format(schema, role)
    # What acts as the owner finds nothing that somebody else made in the place of what it means.
    yield SQL("REVOKE CREATE ON SCHEMA {} FROM PUBLIC").format(schema)
    for function in sorted({one.function for one in governed()}):
        yield SQL("ALTER FUNCTION {}.{}() SET search_path TO {}, pg_temp").format(
            schema, Identifier(function), schema
        )
    for table in LEDGER:
        yield _revoke("INSERT, UPDATE, DELETE", table, role)
    for table, adds in ADDS_ONLY.items():
        yield SQL("GRANT {} ON {} TO {}").format(SQL(adds), Identifier(table), role)
    for one in governed():
        if one.may_change is None:
            continue
        yield _revoke("UPDATE, DELETE", one.table, role)
        if one.may_change:
            columns = SQL(", ").join(map(Identifier, one.may_change))
            yield SQL("GRANT UPDATE ({}) ON {} TO {}").format(columns, Identifier(one.table), role)


def _revoke(rights: str, table: str, role: Composable) -> Composable:
    return SQL("REVOKE {} ON {} FROM {}").format(SQL(rights), Identifier(table), role)


def _of_auditor(name: str) -> Iterator[Composable]:
    role = Identifier(name)
    with connection.cursor() as cursor:
        cursor.execute("SELECT current_schema()")
        (schema,) = cursor.fetchone() or ("public",)
    yield SQL("GRANT USAGE ON SCHEMA {} TO {}").format(Identifier(schema), role)
    yield SQL("REVOKE ALL ON ALL TABLES IN SCHEMA {} FROM {}").format(Identifier(schema), role)
    for table in LEDGER:
        yield SQL("GRANT SELECT ON {} TO {}").format(Identifier(table), role)
