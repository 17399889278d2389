"""Whether tables are what migrations made: nothing else writes in the place of the application.

Rows may fit every digest and still be what nobody gave: a trigger more alters what is written
before it is noted, a policy hides a row, without its primary key a row stands twice.
"""

from collections.abc import Iterator

from django.apps import apps
from django.db import connection

from accounts.ledger.governed import governed

_TABLES = """
SELECT name, CASE
    WHEN relkind IS NULL THEN 'The table is gone.'
    WHEN relkind <> 'r' THEN 'Something else stands in the place of the table.'
    WHEN relrowsecurity THEN 'A policy says which of its rows are seen.'
    WHEN EXISTS (SELECT FROM pg_rewrite WHERE ev_class = pg_class.oid)
        THEN 'A rule stands in front of it.'
    WHEN EXISTS (SELECT FROM pg_inherits WHERE pg_class.oid IN (inhparent, inhrelid))
        THEN 'Another table counts as part of it.'
    WHEN NOT EXISTS (
        SELECT FROM pg_index WHERE indrelid = pg_class.oid AND indisprimary AND indisunique
            AND indisvalid AND indisready AND indnkeyatts = 1
    ) THEN 'It has no primary key, so a row may stand twice.'
END AS problem
FROM unnest(%s::text[]) AS named (name)
LEFT JOIN pg_class ON pg_class.oid = to_regclass(quote_ident(name))
"""
_TRIGGERS = """
SELECT relname, tgname FROM pg_trigger
JOIN pg_class ON pg_class.oid = tgrelid JOIN pg_proc ON pg_proc.oid = tgfoid
WHERE NOT tgisinternal AND relnamespace = current_schema()::regnamespace AND relname = ANY(%s)
    AND NOT (
        tgenabled = 'O' AND pronamespace = relnamespace
        AND (proname = ANY(%s) OR (proname, encode(sha256(convert_to(prosrc, 'UTF8')), 'hex')) IN (
            SELECT * FROM unnest(%s::text[], %s::text[])
        ))
    )
ORDER BY relname, tgname
"""
# The application and its triggers name what PostgreSQL brings without saying of which schema.
_SHADOWS = """
SELECT pg_proc.oid::regprocedure::text FROM pg_proc
WHERE pronamespace::regnamespace::text = ANY(current_schemas(false))
    AND pronamespace <> 'pg_catalog'::regnamespace
    AND EXISTS (
        SELECT FROM pg_proc AS own
        WHERE own.proname = pg_proc.proname AND own.pronamespace = 'pg_catalog'::regnamespace
    )
    AND NOT EXISTS (SELECT FROM pg_depend WHERE objid = pg_proc.oid AND deptype = 'e')
UNION ALL
SELECT pg_operator.oid::regoperator::text FROM pg_operator
WHERE oprnamespace::regnamespace::text = ANY(current_schemas(false))
    AND oprnamespace <> 'pg_catalog'::regnamespace
    AND NOT EXISTS (SELECT FROM pg_depend WHERE objid = pg_operator.oid AND deptype = 'e')
ORDER BY 1
"""


def alterations() -> Iterator[tuple[str, str]]:
    """(table, what is wrong with it)."""
    tables = sorted({model._meta.db_table for model in apps.get_models(include_auto_created=True)})
    functions = {
        name: digest
        for app in apps.get_app_configs()
        for name, digest in getattr(app, "trigger_functions", {}).items()
    }
    with connection.cursor() as cursor:
        cursor.execute(_TABLES, [tables])
        yield from ((name, problem) for name, problem in cursor.fetchall() if problem)
        cursor.execute(
            _TRIGGERS,
            [
                tables,
                [one.function for one in governed()],
                list(functions),
                list(functions.values()),
            ],
        )
        for table, trigger in cursor.fetchall():
            yield (
                table,
                f"The trigger {trigger} is none of Concord’s, was changed or is switched off.",
            )
        cursor.execute(_SHADOWS)
        for (name,) in cursor.fetchall():
            yield "pg_proc", f"{name} stands in the place of what PostgreSQL brings."
