"""What the application may do in the database, what an auditor may, and who owns it.

The owner makes the tables. The application adds to the ledger and to rows that are kept, and can
neither change nor delete them; it owns nothing, so it can switch no trigger off and empty no table.
An auditor reads the ledger, which holds no text.
"""

from collections.abc import Iterator

from django.db import connection
from psycopg.sql import SQL, Composable, Identifier, Literal

from accounts.ledger.governed import governed

LEDGER = ("accounts_event", "accounts_rowdigest", "accounts_seal", "accounts_unsealed")
# What the application may do with them beside reading; digests are the triggers' to write.
ADDS_ONLY = {
    "accounts_event": "INSERT",
    "accounts_seal": "INSERT",
    "accounts_unsealed": "INSERT, DELETE",
}
MAINTAIN_SINCE = 170000  # the version of PostgreSQL that lets others than the owner ANALYZE


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
