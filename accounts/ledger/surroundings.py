"""Whether tables are what migrations made: nothing else writes in the place of the application.

Rows may fit every digest and still be what nobody gave: a trigger more alters what is written
before it is noted, a policy hides a row, without its primary key a row stands twice.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from django.apps import apps
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

from accounts.ledger import catalogue, roles
from accounts.ledger.catalogue import table_names
from accounts.ledger.governed import governed
from accounts.ledger.strangers import forged_migrations, strangers

_TABLES = """
SELECT name, CASE
    WHEN relkind IS NULL THEN 'The table is gone.'
    WHEN relkind <> 'r' THEN 'Something else stands in the place of the table.'
    WHEN relnamespace <> (SELECT relnamespace FROM pg_class WHERE oid = to_regclass('accounts_seal'))
        THEN 'It stands in another schema than the ledger.'
    WHEN EXISTS (
        SELECT FROM pg_class AS other WHERE other.relname = pg_class.relname AND other.oid <> pg_class.oid
            AND other.relnamespace::regnamespace::text = ANY(current_schemas(true))
    ) THEN 'Another table of this name stands in its way.'
    WHEN relowner <> (SELECT relowner FROM pg_class WHERE oid = to_regclass('accounts_seal'))
        THEN 'It belongs to somebody else than the ledger.'
    WHEN relpersistence <> 'p' THEN 'It is emptied when the server fails.'
    WHEN relrowsecurity OR relforcerowsecurity OR EXISTS (SELECT FROM pg_policy WHERE polrelid = pg_class.oid)
        THEN 'A policy says which of its rows are seen.'
    WHEN EXISTS (SELECT FROM pg_rewrite WHERE ev_class = pg_class.oid)
        THEN 'A rule stands in front of it.'
    WHEN EXISTS (SELECT FROM pg_inherits WHERE pg_class.oid IN (inhparent, inhrelid))
        THEN 'Another table counts as part of it.'
    WHEN NOT EXISTS (
        SELECT FROM pg_index WHERE indrelid = pg_class.oid AND indisprimary AND indisunique
            AND indisvalid AND indisready AND indnkeyatts = 1
    ) THEN 'It has no primary key, so a row may stand twice.'
    WHEN EXISTS (
        SELECT FROM pg_trigger WHERE tgrelid = pg_class.oid AND tgisinternal AND tgenabled <> 'O'
    ) THEN 'Its foreign keys are switched off.'
    WHEN relchecks <> (
        SELECT count(*) FROM pg_constraint WHERE conrelid = pg_class.oid AND contype = 'c'
    ) OR NOT relhasindex
        OR NOT relhastriggers AND EXISTS (SELECT FROM pg_trigger WHERE tgrelid = pg_class.oid)
        THEN 'The catalogue of PostgreSQL was changed by hand.'
END AS problem
FROM unnest(%s::text[]) AS named (name)
LEFT JOIN pg_class ON pg_class.oid = to_regclass(quote_ident(name))
"""
_TRIGGERS = """
SELECT relname, tgname FROM pg_trigger
JOIN pg_class ON pg_class.oid = tgrelid JOIN pg_proc ON pg_proc.oid = tgfoid
WHERE NOT tgisinternal AND relnamespace = current_schema()::regnamespace AND relname = ANY(%s)
    AND NOT (
        tgenabled = 'O' AND pronamespace = relnamespace AND proowner = relowner
        AND prolang = (SELECT oid FROM pg_language WHERE lanname = 'plpgsql')
        AND (
            proname = ANY(%s) AND prosecdef AND 'TimeZone=UTC' = ANY(proconfig)
            AND cardinality(proconfig) = 2 AND proconfig <@ ARRAY[
                'TimeZone=UTC', format('search_path=%%I, pg_temp', current_schema()),
                format('search_path=%%I', current_schema()), 'search_path="$user", public',
                'search_path=' || current_setting('search_path')
            ]
            OR proconfig IS NULL AND NOT prosecdef
            AND (proname, encode(sha256(convert_to(prosrc, 'UTF8')), 'hex')) IN (
                SELECT * FROM unnest(%s::text[], %s::text[])
            )
        )
    )
ORDER BY relname, tgname
"""
# The application and its triggers name what PostgreSQL brings without saying of which schema.
_SHADOWS = """
SELECT pg_proc.oid::regprocedure::text FROM pg_proc
WHERE pronamespace::regnamespace::text = ANY(current_schemas(true))
    AND pg_proc.oid >= 16384  -- the first that a server gives to what is made in it
    AND EXISTS (
        SELECT FROM pg_proc AS own
        WHERE own.proname = pg_proc.proname AND own.pronamespace = 'pg_catalog'::regnamespace
            AND own.oid < 16384
    )
    AND NOT EXISTS (SELECT FROM pg_depend WHERE objid = pg_proc.oid AND deptype = 'e')
UNION ALL
SELECT pg_operator.oid::regoperator::text FROM pg_operator
WHERE oprnamespace::regnamespace::text = ANY(current_schemas(true)) AND pg_operator.oid >= 16384
    AND NOT EXISTS (SELECT FROM pg_depend WHERE objid = pg_operator.oid AND deptype = 'e')
UNION ALL
SELECT format('The cast from %s to %s', castsource::regtype, casttarget::regtype) FROM pg_cast
WHERE pg_cast.oid >= 16384
    AND NOT EXISTS (SELECT FROM pg_depend WHERE objid = pg_cast.oid AND deptype = 'e')
ORDER BY 1
"""
# With it no trigger runs: nothing is noted, and nothing that is kept is refused to be changed.
_TRIGGERS_REST = """
SELECT EXISTS (
    SELECT FROM pg_settings WHERE name = 'session_replication_role' AND reset_val <> 'origin'
) OR EXISTS (
    SELECT FROM pg_db_role_setting, unnest(setconfig) AS each (setting)
    WHERE setting LIKE 'session_replication_role=%' AND setting <> 'session_replication_role=origin'
        AND setdatabase IN (0, (SELECT oid FROM pg_database WHERE datname = current_database()))
)
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Alteration:
    """What is wrong with a table."""

    table: str
    problem: str
    expected: str = ""
    found: str = ""


def alterations() -> Iterator[Alteration]:
    """Each at most once a table and kind."""
    with connection.cursor() as cursor:
        cursor.execute(_TABLES, [table_names()])
        found = [(name, problem) for name, problem in cursor.fetchall() if problem]
        cursor.execute(_TRIGGERS, [table_names(), *_functions()])
        for table, trigger in cursor.fetchall():
            problem = f"The trigger {trigger} is none of Concord’s, was changed or is switched off."
            found.append((table, problem))
        cursor.execute(_SHADOWS)
        for (name,) in cursor.fetchall():
            found.append(("pg_proc", f"{name} stands in the place of what PostgreSQL brings."))
        cursor.execute(_TRIGGERS_REST)
        if cursor.fetchone() == (True,):
            found.append(("pg_settings", "session_replication_role keeps triggers from running."))
    found += strangers()
    yield from (Alteration(table=table, problem=problem) for table, problem in found)
    yield from _otherwise_made()
    for table, who, rights in roles.excess():
        yield Alteration(
            table=table, problem=f"{who} may {rights} there, a right that `migrate` does not give."
        )


def _functions() -> tuple[list[str], list[str], list[str]]:
    """Those of the ledger's triggers; then those of others, and the digests of what they do."""
    others = {
        name: digest
        for app in apps.get_app_configs()
        for name, digest in getattr(app, "trigger_functions", {}).items()
    }
    return [one.function for one in governed()], list(others), list(others.values())


def _otherwise_made() -> Iterator[Alteration]:
    executor = MigrationExecutor(connection)
    for where, what in forged_migrations(executor.loader):
        yield Alteration(table=where, problem=what)
    if plan := executor.migration_plan(executor.loader.graph.leaf_nodes()):
        names = ", ".join(f"{one.app_label}.{one.name}" for one, _is_undone in plan)
        problem = (
            f"Tables are not compared with what migrations make until these have run: {names}."
        )
        yield Alteration(table="django_migrations", problem=problem)
        return
    for table, missing, more in catalogue.differences():
        yield Alteration(
            table=table,
            problem="It is not as the migrations made it.",
            expected="; ".join(missing) or "nothing beside",
            found="; ".join(more) or "nothing of it",
        )
