"""What stands beside the tables, or is set for those who use them, that no migration made.

A view shows texts under another name, an event trigger acts whenever somebody signs in, a setting of the
database keeps an answer from the disk, a role that may become the owner needs no right of its own: no
table and no row shows it. Tables, roles that only read, and whatever an extension brought may be there.
"""

from collections.abc import Iterator, Sequence

from django.apps import apps
from django.db import connection
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder
from psycopg.sql import SQL, Identifier, Literal

from accounts.ledger.catalogue import table_names
from accounts.ledger.governed import governed

Stranger = tuple[str, str]  # where it is, and what it is

_IN_THE_SCHEMA = """
SELECT relname::text, CASE relkind WHEN 'f' THEN 'A foreign table' ELSE 'A view' END
    || ' stands among the tables, which no migration made.'
FROM pg_class
WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('v', 'm', 'f')
    AND NOT EXISTS (SELECT FROM pg_depend WHERE objid = pg_class.oid AND deptype = 'e')
UNION ALL
SELECT 'pg_proc', pg_proc.oid::regprocedure || ' stands among the tables, which no migration made.'
FROM pg_proc
WHERE pronamespace = current_schema()::regnamespace AND (pronargs > 0 OR proname <> ALL(%(functions)s))
    AND NOT EXISTS (SELECT FROM pg_depend WHERE objid = pg_proc.oid AND deptype = 'e')
UNION ALL
SELECT 'pg_event_trigger', format('The event trigger %%s acts by itself.', evtname)
FROM pg_event_trigger
WHERE evtenabled <> 'D'
    AND NOT EXISTS (SELECT FROM pg_depend WHERE objid = pg_event_trigger.oid AND deptype = 'e')
UNION ALL
SELECT 'pg_subscription', format('The subscription %%s writes what another server says.', subname)
FROM pg_subscription WHERE subdbid = (SELECT oid FROM pg_database WHERE datname = current_database())
ORDER BY 1, 2
"""
# What digests and marks are made by. PostgreSQL runs what it was built with, whatever stands there.
_MADE_BY = {
    "sha256": {"sha256_bytea"},
    "convert_to": {"pg_convert_to"},
    "encode": {"binary_encode"},
    "decode": {"binary_decode"},
    "jsonb_build_array": {"jsonb_build_array", "jsonb_build_array_noargs"},
    "concat_ws": {"text_concat_ws"},
    "array_to_string": {"array_to_text", "array_to_text_null"},
    "current_setting": {"show_config_by_name", "show_config_by_name_missing_ok"},
    "clock_timestamp": {"clock_timestamp"},
}
_BUILT_IN = """
SELECT proname, prosrc, pg_proc.oid::regprocedure::text, lanname = 'internal' AND proconfig IS NULL
FROM pg_proc JOIN pg_language ON pg_language.oid = prolang
WHERE pronamespace = 'pg_catalog'::regnamespace AND proname = ANY(%s) ORDER BY 3
"""
# Which of PostgreSQL's own are written in SQL. It runs all others as they were built, unless they are made
# to be SQL: then a clock stands still by which grants end, or two roles are the same.
_IN_SQL = """
age anytextcat bit_length col_description date_part int8pl_inet integer_pl_date interval_pl_date
interval_pl_time interval_pl_timestamp interval_pl_timestamptz interval_pl_timetz log log10 lpad
numeric_pl_pg_lsn obj_description overlaps path_contain_pt pg_relation_size pg_sleep_for pg_sleep_until
polygon quote_literal quote_nullable round rpad shobj_description substring textanycat timedate_pl
timestamptz timetzdate_pl trunc ts_debug xpath xpath_exists
"""
_WRITTEN_ANEW = """
SELECT pg_proc.oid::regprocedure::text FROM pg_proc JOIN pg_language ON pg_language.oid = prolang
WHERE pg_proc.oid < 10000  -- those that PostgreSQL was built with
    AND (lanname NOT IN ('internal', 'c', 'sql') OR lanname = 'sql' AND proname <> ALL(%s))
ORDER BY 1
"""
# Who the application and the auditor are is what `migrate` gave them: nobody else is in this list.
_PEOPLE = """
WITH ledger AS (
    SELECT relowner, relacl, relnamespace FROM pg_class WHERE oid = to_regclass('accounts_event')
), granted AS (
    SELECT grantee, bool_or(privilege_type = 'INSERT') AS adds
    FROM ledger, aclexplode(relacl) WHERE grantee NOT IN (0, relowner) GROUP BY grantee
)
"""
_RIGHTS = """
SELECT 'pg_roles', rolname || ' ' || CASE
    WHEN rolsuper THEN 'is a superuser'
    WHEN rolcreaterole AND adds THEN 'may make roles'
    WHEN rolbypassrls AND adds THEN 'passes every policy'
    WHEN rolreplication AND adds THEN 'may replicate'
    ELSE 'may act as ' || (
        SELECT min(other.rolname) FROM pg_roles AS other
        WHERE pg_has_role(grantee, other.oid, 'MEMBER') AND other.oid <> grantee AND (
            other.rolsuper OR other.oid = relowner OR other.rolname IN (
                'pg_write_all_data', 'pg_write_server_files', 'pg_execute_server_program'
            )
        )
    )
END || ', which `migrate` does not give.'
FROM ledger, granted JOIN pg_roles ON pg_roles.oid = grantee
UNION ALL
SELECT 'pg_roles', format('%%s writes to every table, as pg_write_all_data does.', rolname)
FROM ledger, pg_auth_members JOIN pg_roles ON pg_roles.oid = member
WHERE roleid = (SELECT oid FROM pg_roles WHERE rolname = 'pg_write_all_data')
    AND rolcanlogin AND NOT rolsuper AND pg_roles.oid <> relowner
    AND pg_roles.oid NOT IN (SELECT grantee FROM granted)
UNION ALL
SELECT 'pg_namespace', format('%%s may make what it likes among the tables.', rolname)
FROM ledger, granted JOIN pg_roles ON pg_roles.oid = grantee
WHERE NOT rolsuper AND has_schema_privilege(grantee, relnamespace, 'CREATE')
UNION ALL
SELECT relname, format('%%s may hand on its right to %%s.', rolname, privilege_type)
FROM granted, pg_class, aclexplode(relacl) AS each JOIN pg_roles ON pg_roles.oid = each.grantee
WHERE relnamespace = current_schema()::regnamespace AND is_grantable AND each.grantee = granted.grantee
UNION ALL
SELECT relname, format('%%s may set from where its ids go on.', CASE each.grantee
    WHEN 0 THEN 'Everybody' ELSE each.grantee::regrole::text END)
FROM pg_class, aclexplode(relacl) AS each
WHERE relkind = 'S' AND relnamespace = current_schema()::regnamespace
    AND each.grantee <> relowner AND privilege_type = 'UPDATE'
UNION ALL
SELECT 'pg_parameter_acl', format('%%s may set %%s.', CASE each.grantee
    WHEN 0 THEN 'Everybody' ELSE each.grantee::regrole::text END, parname)
FROM pg_parameter_acl, aclexplode(paracl) AS each, ledger
WHERE parname = 'session_replication_role' AND each.grantee <> relowner
    AND each.grantee NOT IN (SELECT oid FROM pg_roles WHERE rolsuper)
ORDER BY 1, 2
"""
# Who has tables of the ledger's names, or functions, found before them: as what somebody is called.
_IN_FRONT = """
SELECT 'pg_namespace', format('What stands in the schema %%s is found before the tables.', nspname)
FROM ledger, pg_namespace JOIN pg_roles ON rolname = nspname
WHERE pg_namespace.oid <> relnamespace
    AND (pg_roles.oid = relowner OR pg_roles.oid IN (SELECT grantee FROM granted))
    AND (EXISTS (SELECT FROM pg_class WHERE pg_class.relnamespace = pg_namespace.oid)
        OR EXISTS (SELECT FROM pg_proc WHERE pronamespace = pg_namespace.oid))
ORDER BY 2
"""
_SET = """
SELECT split_part(setting, '=', 1), substr(setting, strpos(setting, '=') + 1), nspname
FROM ledger JOIN pg_namespace ON pg_namespace.oid = relnamespace,
    pg_db_role_setting, unnest(setconfig) AS each (setting)
WHERE setdatabase IN (0, (SELECT oid FROM pg_database WHERE datname = current_database()))
    AND (setrole IN (0, relowner) OR setrole IN (SELECT grantee FROM granted))
ORDER BY 1, 2
"""
# What keeps an answer from the disk, runs what others wrote, or reads a statement otherwise than it was
# meant; and the values with which it does not.
_HARMLESS = {
    "row_security": {"on"},
    "synchronous_commit": {"on", "local", "remote_write", "remote_apply"},
    "standard_conforming_strings": {"on"},
    "transform_null_equals": {"off"},
    "allow_system_table_mods": {"off"},
    "ignore_checksum_failure": {"off"},
    "zero_damaged_pages": {"off"},
    "session_preload_libraries": {"", '""'},
    "local_preload_libraries": {"", '""'},
    "role": {"none"},
}
_SEQUENCES = """
SELECT owner.relname, pg_class.oid::regclass::text, pg_sequence_last_value(pg_class.oid),
    seqincrement = 1 AND NOT seqcycle AND seqmin = 1 AND seqmax IN (2147483647, 9223372036854775807)
FROM pg_class JOIN pg_sequence ON seqrelid = pg_class.oid
JOIN pg_depend ON pg_depend.objid = pg_class.oid AND pg_depend.deptype IN ('a', 'i')
    AND pg_depend.classid = 'pg_class'::regclass AND refclassid = 'pg_class'::regclass
JOIN pg_attribute ON attrelid = refobjid AND attnum = refobjsubid AND attname = 'id'
JOIN pg_class AS owner ON owner.oid = refobjid
WHERE owner.relnamespace = current_schema()::regnamespace AND owner.relname = ANY(%s)
ORDER BY 1
"""


def strangers() -> Iterator[Stranger]:
    """(where, what) of each."""
    functions = [one.function for one in governed()]
    for app in apps.get_app_configs():
        functions += getattr(app, "trigger_functions", {})
    yield from _said(_IN_THE_SCHEMA, {"functions": functions})
    yield from _replaced()
    yield from _said("".join((_PEOPLE, _RIGHTS)))
    yield from _said("".join((_PEOPLE, _IN_FRONT)))
    yield from _settings()
    yield from _sequences()


def _said(statement: str, values: dict[str, list[str]] | None = None) -> Iterator[Stranger]:
    for where, what in _rows(statement, values or {}):
        if what:
            yield str(where), str(what)


def _rows(
    statement: str, values: dict[str, list[str]] | list[list[str]]
) -> list[tuple[object, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(statement, values)
        return list(cursor.fetchall())


def _replaced() -> Iterator[Stranger]:
    """Functions of PostgreSQL's own: those that digests rest on, and any that became SQL."""
    for name, source, signature, is_built_in in _rows(_BUILT_IN, [[*_MADE_BY]]):
        if not is_built_in or source not in _MADE_BY[str(name)]:
            yield "pg_proc", f"{signature} is no longer what PostgreSQL brings."
    for (signature,) in _rows(_WRITTEN_ANEW, [_IN_SQL.split()]):
        yield "pg_proc", f"{signature} is no longer what PostgreSQL brings."


def _settings() -> Iterator[Stranger]:
    for name, value, schema in _rows("".join((_PEOPLE, _SET)), {}):
        if _is_harmful(str(name), str(value), str(schema)):
            yield "pg_db_role_setting", f"{name} is set for whoever signs in: {value}."


def _is_harmful(name: str, value: str, schema: str) -> bool:
    if name == "search_path":
        return _leads_astray([one.strip().strip('"') for one in value.split(",")], schema)
    if name.startswith("concord."):
        return True
    return name in _HARMLESS and value.lower() not in _HARMLESS[name]


def _leads_astray(path: Sequence[str], schema: str) -> bool:
    """Whether something is found before the tables, or before what PostgreSQL brings."""
    before = path[: path.index(schema)] if schema in path else path
    return "pg_catalog" in path[1:] or bool({*before} - {"$user", "pg_catalog", ""})


def _sequences() -> Iterator[Stranger]:
    """Ids that would be drawn a second time, or in another way than they were."""
    found = _rows(_SEQUENCES, [table_names()])
    highest = _highest([str(table) for table, *_rest in found]) if found else {}
    for table, name, last, is_ours in found:
        if not is_ours:
            yield str(table), f"{name} draws its ids in another way."
        elif highest[str(table)] > int(str(last or 0)):
            yield (
                str(table),
                f"{name} was set back: {last or 0}, and {highest[str(table)]} is in use.",
            )


def _highest(tables: Sequence[str]) -> dict[str, int]:
    each = SQL(" UNION ALL ").join(
        SQL("SELECT {}, coalesce(max(id), 0) FROM {}").format(Literal(table), Identifier(table))
        for table in tables
    )
    return {str(table): int(str(n)) for table, n in _rows(each.as_string(None), {})}


def forged_migrations(loader: MigrationLoader) -> Iterator[Stranger]:
    """What is said to have run and is none of this version's, stands twice, or is not said."""
    known = {*loader.disk_migrations}
    replaces = {
        name: {*one.replaces} for name, one in loader.disk_migrations.items() if one.replaces
    }
    noted = list(MigrationRecorder(connection).migration_qs.values_list("app", "name"))
    said = {*noted}
    for app, name in sorted({one for one in noted if noted.count(one) > 1}):
        yield "django_migrations", f"{app}.{name} is said to have run twice."
    for app, name in sorted(said - known.union(*replaces.values())):
        yield (
            "django_migrations",
            f"{app}.{name} is said to have run, and is no migration of this version.",
        )
    for whole, parts in replaces.items():
        if whole in said or parts <= said:
            for app, name in sorted({whole, *parts} - said):
                yield "django_migrations", f"{app}.{name} has run, and is not said to have."
