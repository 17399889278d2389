"""What PostgreSQL's catalogue says of a table, beside what migrations made: `tables.txt`.

A check that is gone lets in what the application refuses, a default writes what nobody gave, a column of
another type rounds what it is given: none of that shows in rows that fit their digests. Constraints and
indexes go without their names, which say nothing of what they do.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import groupby
from operator import itemgetter
from pathlib import Path

from django.apps import apps
from django.db import connection

MADE = Path(__file__).with_name("tables.txt")
_LINES = """
WITH named AS (
    SELECT pg_class.oid, relname FROM pg_class
    WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace AND relname = ANY(%s)
)
SELECT relname, concat(
    'column ', attname, ' ', format_type(atttypid, atttypmod),
    CASE WHEN attcollation <> typcollation THEN ' COLLATE ' || attcollation::regcollation END,
    CASE WHEN attnotnull THEN ' NOT NULL' END,
    CASE attidentity WHEN 'd' THEN ' BY DEFAULT AS IDENTITY' WHEN 'a' THEN ' ALWAYS AS IDENTITY' END,
    CASE attgenerated WHEN '' THEN ' DEFAULT ' ELSE ' GENERATED ' END || pg_get_expr(adbin, adrelid)
) AS line
FROM named JOIN pg_attribute ON attrelid = named.oid JOIN pg_type ON pg_type.oid = atttypid
LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum
WHERE attnum > 0 AND NOT attisdropped
UNION ALL
SELECT relname, pg_get_constraintdef(pg_constraint.oid, true)
FROM named JOIN pg_constraint ON conrelid = named.oid LEFT JOIN pg_index ON indexrelid = conindid
WHERE contype IN ('c', 'f') OR contype IN ('p', 'u', 'x') AND indisvalid AND indisready AND indislive
UNION ALL
SELECT relname, regexp_replace(
    pg_get_indexdef(indexrelid, 0, true), '^CREATE (UNIQUE )?INDEX .* ON \\S+ USING ', 'INDEX \\1'
)
FROM named JOIN pg_index ON indrelid = named.oid
WHERE indisvalid AND indisready AND indislive
    AND NOT EXISTS (SELECT FROM pg_constraint WHERE conrelid = indrelid AND conindid = indexrelid)
UNION ALL
SELECT relname, regexp_replace(pg_get_triggerdef(pg_trigger.oid, true), '^CREATE ', '')
FROM named JOIN pg_trigger ON tgrelid = named.oid WHERE NOT tgisinternal
ORDER BY 1, 2
"""
# PostgreSQL writes them elsewhere once a dump was read, and they say nothing of what is let in.
_CASTS_OF_STRINGS = re.compile(r"::(?:text|character varying)(?:\[\])?")
# Which an owner may add for a page of theirs; nothing of theirs is run for it.
_PLAIN_INDEX = re.compile(r"INDEX btree \([\w, ]+\)")


def described() -> str:
    """The text of `tables.txt`, from a database that was migrated just now."""
    return "\n".join(
        "".join(f"{line}\n" for line in (table, *(f"  {line}" for line in lines)))
        for table, lines in _found().items()
    )


def differences() -> Iterator[tuple[str, list[str], list[str]]]:
    """(table, what is missing, what is there beside), where a table that is there is another."""
    found = _found()
    for table, lines in _made().items():
        if table not in found:
            continue
        missing = _beyond(lines, found[table])
        beside = _beyond(found[table], lines)
        more = [line for line in beside if not _PLAIN_INDEX.fullmatch(line)]
        if missing or more:
            yield table, missing, more


def table_names() -> list[str]:
    """Those of models, and what Django notes migrations in."""
    models = apps.get_models(include_auto_created=True)
    return sorted({"django_migrations", *(model._meta.db_table for model in models)})


def _found() -> dict[str, list[str]]:
    with connection.cursor() as cursor:
        cursor.execute(_LINES, [table_names()])
        return {
            table: [_CASTS_OF_STRINGS.sub("", line) for _table, line in lines]
            for table, lines in groupby(cursor.fetchall(), itemgetter(0))
        }


def _made() -> Mapping[str, list[str]]:
    told: dict[str, list[str]] = {}
    lines: list[str] = []
    for line in MADE.read_text(encoding="utf-8").splitlines():
        if line.startswith("  "):
            lines.append(line.strip())
        elif line:
            lines = told[line] = []
    return told


def _beyond(lines: list[str], others: list[str]) -> list[str]:
    return sorted((Counter(lines) - Counter(others)).elements())
