"""What somebody with all rights to the database may do to the ledger and to governed rows.

Each tampering says which row is to be named first for it. Triggers are switched off for it as only
a superuser can, and checks of what may be in a table still hold.
"""

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from django.db import DatabaseError, connection
from psycopg.sql import SQL

from accounts.ledger import chain
from accounts.ledger.governed import governed


@dataclass(frozen=True, slots=True, kw_only=True)
class Tampered:
    """What was done, and what the verification has to name first."""

    what: str
    table: str | None = None
    id: int | None = None
    sequence: int | None = None


Tampering = Callable[[random.Random], Tampered]


def execute(statement: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(statement, values or None)
        return cursor.fetchall() if cursor.description else []


def change_first(table: str, sets: str, where: str = "true") -> None:
    """Change the first row of a table that is as `where` says."""
    execute(f"UPDATE {table} SET {sets} WHERE id = (SELECT min(id) FROM {table} WHERE {where})")


def set_ids_back(table: str, *, to: int) -> int:
    """Have the ids of a table go on after this one; return the highest that is in use."""
    execute("SELECT setval(pg_get_serial_sequence(%s, 'id'), %s)", [table, to])
    return number(f"SELECT max(id) FROM {table}")


def number(statement: str) -> int:
    [(value,)] = execute(statement)
    return int(value or 0)


def all_of_them() -> list[Tampering]:
    """One of each kind for the ledger; for governed tables, one of each kind and table."""
    newest = {one.table: one for one in governed()}.values()
    tables = [
        one for one in newest if execute(f"SELECT 1 FROM {one.table} WHERE {one.when} LIMIT 1")
    ]
    return [
        *(change_event, delete_event, insert_event, insert_event_long_ago, insert_awaited_event),
        *(change_digest, delete_digest, change_seal, delete_seal, cut_the_end, cut_end_and_events),
        *(swap_seals, swap_events, rehash_one, rehash_all, append_in_chain, insert_between),
        *(change_row_and_digest, empty_the_ledger, insert_row_and_digest),
        *(altering(what, table) for what, table in ALTERATIONS.items()),
        *(of(kind, table) for table in tables for kind in (change_row, delete_row, insert_row)),
        *(of(change_row_and_note_it, table) for table in tables if table.is_written_once),
        *(of(change_row_by_hand, table) for table in tables),
        *(of(delete_row_and_note_it, table) for table in tables if table.may_change is not None),
    ]


# How tables are altered so that every row fits its digest, and which table is named for it.
ALTERATIONS = {
    "ALTER TABLE annotation_rating DROP CONSTRAINT annotation_rating_pkey CASCADE,"
    " DROP CONSTRAINT one_rating_a_criterion;"
    " INSERT INTO annotation_rating SELECT * FROM annotation_rating LIMIT 1": "annotation_rating",
    "CREATE TABLE more () INHERITS (annotation_rating);"
    " INSERT INTO more SELECT * FROM annotation_rating LIMIT 1": "annotation_rating",
    "CREATE FUNCTION act() RETURNS trigger LANGUAGE plpgsql AS"
    " $$BEGIN NEW.roles := '{admin}'; RETURN NEW; END$$;"
    " CREATE TRIGGER act BEFORE INSERT ON accounts_user FOR EACH ROW EXECUTE FUNCTION act()": (
        "accounts_user"
    ),
    "CREATE OR REPLACE FUNCTION annotation_keep_row() RETURNS trigger LANGUAGE plpgsql AS"
    " $$BEGIN RETURN NEW; END$$": "analytics_broughtpolicy",
    "ALTER TABLE annotation_gold DISABLE TRIGGER list_insert": "annotation_gold",
    "CREATE TRIGGER act BEFORE INSERT ON accounts_event FOR EACH ROW"
    " EXECUTE FUNCTION suppress_redundant_updates_trigger()": "accounts_event",
    "ALTER TABLE accounts_suspension ENABLE ROW LEVEL SECURITY": "accounts_suspension",
    "CREATE RULE act AS ON INSERT TO accounts_event DO INSTEAD NOTHING": "accounts_event",
    "ALTER TABLE analytics_snapshot RENAME TO kept;"
    " CREATE VIEW analytics_snapshot AS SELECT * FROM kept": "analytics_snapshot",
    "CREATE FUNCTION sha256(text) RETURNS bytea LANGUAGE sql AS $$SELECT ''::bytea$$": "pg_proc",
    "CREATE FUNCTION act(bool) RETURNS bigint LANGUAGE sql AS $$SELECT 1::bigint$$;"
    " CREATE CAST (bool AS bigint) WITH FUNCTION act(bool) AS IMPLICIT": "pg_proc",
    "ALTER TABLE accounts_accessrequest DROP CONSTRAINT nobody_decides_their_own_request": (
        "accounts_accessrequest"
    ),
    "ALTER TABLE annotation_grant DROP CONSTRAINT grant_level_is_known,"
    " ADD CONSTRAINT grant_level_is_known CHECK (true)": "annotation_grant",
    "DROP INDEX one_open_request_an_account;"
    " CREATE INDEX one_open_request_an_account ON accounts_accessrequest (user_id)"
    " WHERE decision = 'open'": "accounts_accessrequest",
    "UPDATE pg_index SET indisvalid = false"
    " WHERE indexrelid = 'one_rating_a_criterion'::regclass": "annotation_rating",
    "ALTER TABLE annotation_rating ALTER criterion_key DROP NOT NULL": "annotation_rating",
    "ALTER TABLE annotation_rating ALTER score SET DEFAULT 5": "annotation_rating",
    "ALTER TABLE annotation_rating ALTER score TYPE integer": "annotation_rating",
    "ALTER TABLE annotation_seat ADD more text DEFAULT 'x'": "annotation_seat",
    "ALTER TABLE annotation_seat SET UNLOGGED": "annotation_seat",
    "ALTER TABLE annotation_rating DISABLE TRIGGER ALL; ALTER TABLE annotation_rating"
    " ENABLE TRIGGER USER": "annotation_rating",
    "UPDATE pg_class SET relhastriggers = false WHERE relname = 'annotation_seat'": (
        "annotation_seat"
    ),
    "DROP TRIGGER kept_as_it_is ON accounts_seal; CREATE TRIGGER kept_as_it_is BEFORE UPDATE OR DELETE"
    " ON accounts_seal FOR EACH ROW WHEN (false) EXECUTE FUNCTION accounts_refuse_change()": (
        "accounts_seal"
    ),
    "ALTER FUNCTION ledger_notes_annotation_gold() SET search_path TO pg_temp, public": (
        "annotation_gold"
    ),
    "ALTER FUNCTION accounts_refuse_change() SET session_replication_role TO replica": (
        "accounts_event"
    ),
    "CREATE FUNCTION act() RETURNS int LANGUAGE sql AS 'SELECT 1'": "pg_proc",
    "CREATE FUNCTION pg_catalog.sha256(text) RETURNS bytea LANGUAGE sql AS $$SELECT ''::bytea$$": (
        "pg_proc"
    ),
    "UPDATE pg_proc SET prosrc = 'md5_bytea' WHERE proname = 'sha256'": "pg_proc",
    "UPDATE pg_proc SET prosrc = 'SELECT ''2020-01-01''::timestamptz', prolang = ("
    "SELECT oid FROM pg_language WHERE lanname = 'sql') WHERE proname = 'statement_timestamp'": (
        "pg_proc"
    ),
    "CREATE VIEW of_others AS SELECT * FROM annotation_item": "of_others",
    "CREATE MATERIALIZED VIEW of_others AS SELECT * FROM annotation_item": "of_others",
    "CREATE FOREIGN DATA WRAPPER others; CREATE SERVER others FOREIGN DATA WRAPPER others;"
    " CREATE FOREIGN TABLE of_others (id int) SERVER others": "of_others",
    "CREATE FUNCTION act() RETURNS event_trigger LANGUAGE plpgsql AS $$BEGIN END$$;"
    " CREATE EVENT TRIGGER act ON ddl_command_end EXECUTE FUNCTION act()": "pg_event_trigger",
    "CREATE SUBSCRIPTION of_others CONNECTION 'host=elsewhere' PUBLICATION all_of_it"
    " WITH (connect = false)": "pg_subscription",
    "CREATE POLICY act ON annotation_gold USING (false)": "annotation_gold",
    "ALTER TABLE annotation_gold FORCE ROW LEVEL SECURITY": "annotation_gold",
    "ALTER FUNCTION ledger_notes_annotation_gold() RESET search_path": "annotation_gold",
    "ALTER SEQUENCE annotation_gold_id_seq CYCLE": "annotation_gold",
    "ALTER SEQUENCE annotation_gold_id_seq INCREMENT -1": "annotation_gold",
    "INSERT INTO django_migrations (app, name, applied) VALUES ('annotation', '9999_more', now())": (
        "django_migrations"
    ),
    "INSERT INTO django_migrations (app, name, applied)"
    " SELECT app, name, applied FROM django_migrations LIMIT 1": "django_migrations",
    "DELETE FROM django_migrations WHERE (app, name) = ('annotation', '0003_immutable_rows')": (
        "django_migrations"
    ),
    "CREATE FUNCTION act(varchar) RETURNS text IMMUTABLE LANGUAGE sql AS $$SELECT 'x'$$;"
    " CREATE INDEX of_others ON accounts_user (act(full_name))": "accounts_user",
}


def altering(what: str, table: str) -> Tampering:
    def alter(_: random.Random) -> Tampered:
        execute("SET CONSTRAINTS ALL IMMEDIATE")  # what waits for a commit keeps tables from it
        execute(what)
        return Tampered(what=what, table=table)

    return alter


def of(kind: Callable[..., Tampered], table: Any) -> Tampering:
    return lambda draw: kind(draw, table)


def switch_triggers_off() -> None:
    execute("SET LOCAL session_replication_role TO 'replica'")


def change_event(draw: random.Random) -> Tampered:
    pk, sequence = any_sealed(draw, "event_id")
    change = draw.choice(
        [
            "verb = verb || 'x'",
            "subject = 'account:999'",
            "actor_id = coalesce(actor_id, 0) + 1",
            "at = at - interval '1 day'",
            "at = at + interval '1 microsecond'",
            "facts = facts || '{\"x\": 1}'",
        ]
    )
    execute(f"UPDATE accounts_event SET {change} WHERE id = {pk}")
    return Tampered(what=f"event: {change}", table="accounts_event", id=pk, sequence=sequence)


def delete_event(draw: random.Random) -> Tampered:
    pk, sequence = any_sealed(draw, "event_id")
    execute(f"DELETE FROM accounts_event WHERE id = {pk}")
    return Tampered(what="event: delete", table="accounts_event", id=pk, sequence=sequence)


def insert_event(draw: random.Random, at: str = "now()") -> Tampered:
    [(pk,)] = execute(
        "INSERT INTO accounts_event (verb, subject, actor_id, at, facts)"
        f" SELECT verb, subject, actor_id, {at}, facts FROM accounts_event ORDER BY id"
        f" OFFSET {draw.randrange(number('SELECT count(*) FROM accounts_event'))} LIMIT 1"
        " RETURNING id"
    )
    return Tampered(what=f"event: insert at {at}", table="accounts_event", id=pk)


def insert_event_long_ago(draw: random.Random) -> Tampered:
    return insert_event(draw, "at - interval '1 second'")


def insert_awaited_event(draw: random.Random) -> Tampered:
    """As the application does it, but without its key."""
    forged = insert_event_long_ago(draw)
    execute(
        "INSERT INTO accounts_unsealed (event_id, mark) VALUES (%s, %s)",
        [forged.id, f"{draw.getrandbits(256):064x}"],
    )
    return forged


def change_digest(draw: random.Random) -> Tampered:
    pk, sequence = any_sealed(draw, "digest_id")
    change = draw.choice(
        [
            "digests[1] = sha256(digests[1])",
            "row_ids[1] = row_ids[1] + 1000000",
            "noted_at = noted_at - interval '1 hour'",
            "table_name = table_name || '_'",
            "edition = edition + 1",
        ]
    )
    execute(f"UPDATE accounts_rowdigest SET {change} WHERE id = {pk}")
    return Tampered(what=f"digest: {change}", table="accounts_rowdigest", id=pk, sequence=sequence)


def delete_digest(draw: random.Random) -> Tampered:
    pk, sequence = any_sealed(draw, "digest_id")
    execute(f"DELETE FROM accounts_rowdigest WHERE id = {pk}")
    return Tampered(what="digest: delete", table="accounts_rowdigest", id=pk, sequence=sequence)


def change_seal(draw: random.Random) -> Tampered:
    sequence = any_sequence(draw)
    change = draw.choice(
        [
            "hash = sha256(hash)",
            "previous = sha256(previous)",
            "sealed_at = sealed_at - interval '1 minute'",
            "event_id = event_id + 1000000, digest_id = digest_id + 1000000",
        ]
    )
    execute(f"UPDATE accounts_seal SET {change} WHERE sequence = {sequence}")
    return Tampered(what=f"seal: {change}", sequence=sequence)


def delete_seal(draw: random.Random) -> Tampered:
    sequence = any_sequence(draw)
    execute(f"DELETE FROM accounts_seal WHERE sequence = {sequence}")
    return Tampered(what="seal: delete", table="accounts_seal", id=sequence, sequence=sequence)


def cut_the_end(draw: random.Random) -> Tampered:
    first = last_sequence() - draw.randrange(20)
    execute(f"DELETE FROM accounts_seal WHERE sequence >= {first}")
    return Tampered(what="seal: cut", table="accounts_seal", id=first, sequence=first)


def cut_end_and_events(draw: random.Random) -> Tampered:
    """With all that was sealed there, so that nothing is left over."""
    first = last_sequence() - draw.randrange(20)
    for table, column in (("accounts_event", "event_id"), ("accounts_rowdigest", "digest_id")):
        execute(
            f"DELETE FROM {table} WHERE id IN"
            f" (SELECT {column} FROM accounts_seal WHERE sequence >= {first})"
        )
    execute(f"DELETE FROM accounts_seal WHERE sequence >= {first}")
    return Tampered(what="seal: cut with events", table="accounts_seal", id=first, sequence=first)


def empty_the_ledger(_: random.Random) -> Tampered:
    execute("TRUNCATE accounts_seal, accounts_unsealed")
    return Tampered(what="seal: truncate", table="accounts_seal", id=1, sequence=1)


def swap_seals(draw: random.Random) -> Tampered:
    """Two rows change places in the chain, and keep their hashes in order."""
    first, second = two_sequences(draw)
    (one,), (other,) = (
        execute(f"SELECT event_id, digest_id FROM accounts_seal WHERE sequence = {sequence}")
        for sequence in (first, second)
    )
    execute(f"UPDATE accounts_seal SET event_id = -1, digest_id = NULL WHERE sequence = {second}")
    for sequence, (event, digest) in ((first, other), (second, one)):
        execute(
            "UPDATE accounts_seal SET event_id = %s, digest_id = %s WHERE sequence = %s",
            [event, digest, sequence],
        )
    return Tampered(what="seal: swap", sequence=first)


def swap_events(draw: random.Random) -> Tampered:
    """Two rows change their sequences."""
    first, second = two_sequences(draw)
    for before, after in ((first, -1), (second, first), (-1, second)):
        execute(f"UPDATE accounts_seal SET sequence = {after} WHERE sequence = {before}")
    return Tampered(what="seal: swap sequences", sequence=first)


def rehash_one(draw: random.Random) -> Tampered:
    """An event is changed, and its own hash made to fit."""
    tampered = change_event(draw)
    rehash(tampered.sequence or 0, tampered.sequence or 0)
    return tampered


def rehash_all(draw: random.Random) -> Tampered:
    """An event is changed, and every hash from there on made to fit."""
    tampered = change_event(draw)
    rehash(tampered.sequence or 0, last_sequence())
    return Tampered(what="event: change and chain", sequence=tampered.sequence)


def append_in_chain(draw: random.Random) -> Tampered:
    """A forged event at the end, sealed as it should be."""
    forged = insert_event_long_ago(draw)
    end = last_sequence() + 1
    execute(
        "INSERT INTO accounts_seal (sequence, sealed_at, event_id, previous, hash)"
        f" SELECT {end}, sealed_at, {forged.id}, hash, hash FROM accounts_seal"
        f" WHERE sequence = {end - 1}"
    )
    rehash(end, end)
    return Tampered(what="event: append in chain", table="accounts_seal", id=end, sequence=end)


def insert_between(draw: random.Random) -> Tampered:
    """A forged event in the middle: the rest moves on by one, and its hashes are made to fit."""
    forged = insert_event_long_ago(draw)
    place = any_sequence(draw)
    execute(f"UPDATE accounts_seal SET sequence = -sequence - 1 WHERE sequence >= {place}")
    execute("UPDATE accounts_seal SET sequence = -sequence WHERE sequence < 0")
    execute(
        "INSERT INTO accounts_seal (sequence, sealed_at, event_id, previous, hash)"
        f" SELECT {place}, sealed_at, {forged.id}, previous, hash FROM accounts_seal"
        f" WHERE sequence = {place + 1}"
    )
    rehash(place, last_sequence())
    return Tampered(what="event: insert between", sequence=place)


def change_row_and_digest(draw: random.Random) -> Tampered:
    """A governed row is changed, and its digest made to fit."""
    pk, sequence = any_sealed(draw, "digest_id")
    [(table, row)] = execute(
        f"SELECT table_name, row_ids[1] FROM accounts_rowdigest WHERE id = {pk}"
    )
    *_, newest = (one for one in governed() if one.table == table)
    change_in(draw, newest, row)
    execute(
        f"UPDATE accounts_rowdigest SET digests[1] = sha256(digests[1]), noted_at = now() WHERE id = {pk}"
    )
    return Tampered(
        what="row and digest: change", table="accounts_rowdigest", id=pk, sequence=sequence
    )


def insert_row_and_digest(draw: random.Random) -> Tampered:
    """A digest for a row that was never written by a statement."""
    [(pk,)] = execute(
        "INSERT INTO accounts_rowdigest (table_name, edition, row_ids, digests, noted_at)"
        " SELECT table_name, edition, row_ids, digests, noted_at FROM accounts_rowdigest"
        f" ORDER BY id OFFSET {draw.randrange(number('SELECT count(*) FROM accounts_rowdigest'))}"
        " LIMIT 1 RETURNING id"
    )
    return Tampered(what="digest: insert", table="accounts_rowdigest", id=pk)


def change_row(draw: random.Random, table: Any) -> Tampered:
    pk = any_row(draw, table)
    column = change_in(draw, table, pk)
    return Tampered(what=f"{table.table}: change {column}", table=table.table, id=pk)


def delete_row(draw: random.Random, table: Any) -> Tampered:
    pk = any_row(draw, table)
    execute(f"DELETE FROM {table.table} WHERE id = {pk}")
    return Tampered(what=f"{table.table}: delete", table=table.table, id=pk)


def change_row_and_note_it(draw: random.Random, table: Any) -> Tampered:
    """As by a statement of the owner that the ledger's own triggers have seen."""
    pk = any_row(draw, table)
    column = change_in(draw, table, pk)
    note(table, f"(SELECT {table.digest} FROM {table.table} WHERE id = {pk})", pk)
    return Tampered(what=f"{table.table}: note a change of {column}", table=table.table, id=pk)


def delete_row_and_note_it(draw: random.Random, table: Any) -> Tampered:
    pk = any_row(draw, table)
    execute(f"DELETE FROM {table.table} WHERE id = {pk}")
    note(table, "''::bytea", pk)
    return Tampered(what=f"{table.table}: note a deletion", table=table.table, id=pk)


def change_row_by_hand(draw: random.Random, table: Any) -> Tampered:
    """As somebody does who has signed in to the database, and leaves the ledger's triggers on."""
    pk = any_row(draw, table)
    execute("SELECT set_config('concord.session', '', true)")
    execute(
        "SET CONSTRAINTS ALL IMMEDIATE"
    )  # what waits for a commit keeps tables from being altered
    for trigger in table.triggers:
        execute(f"ALTER TABLE {table.table} ENABLE ALWAYS TRIGGER {trigger}")
    column = change_in(draw, table, pk)
    for trigger in table.triggers:
        execute(f"ALTER TABLE {table.table} ENABLE TRIGGER {trigger}")
    return Tampered(what=f"{table.table}: change {column} by hand", table=table.table, id=pk)


def note(table: Any, digest: str, pk: int) -> None:
    execute("SET LOCAL timezone TO 'UTC'")
    execute(
        "WITH noted AS (INSERT INTO accounts_rowdigest"
        " (table_name, edition, row_ids, digests, noted_at)"
        f" VALUES ('{table.table}', {table.edition}, ARRAY[{pk}::bigint], ARRAY[{digest}], now())"
        " RETURNING id)"
        " INSERT INTO accounts_unsealed (digest_id, mark) SELECT id, '' FROM noted"
    )


def insert_row(draw: random.Random, table: Any) -> Tampered:
    """The copy of a row, with other values where they may be there once only."""
    pk = any_row(draw, table)
    new = number(f"SELECT max(id) + 1 FROM {table.table}")
    columns = [column for column in table.columns if column != "id"]
    once = uniques(table.table)
    values = ", ".join(
        another(table.table, name) if name in once else f'"{name}"' for name in columns
    )
    names = ", ".join(f'"{column}"' for column in columns)
    missing = required_beside(table)
    execute(
        f"INSERT INTO {table.table} (id, {names}{missing}) SELECT {new}, {values}{missing}"
        f" FROM {table.table} WHERE id = {pk}"
    )
    return Tampered(what=f"{table.table}: insert", table=table.table, id=new)


def change_in(draw: random.Random, table: Any, pk: int) -> str:
    """Change one column of a row; checks of the table may refuse some, then another is drawn."""
    columns = [column for column in table.columns if column != "id"]
    draw.shuffle(columns)
    for column in columns:
        [(before,)] = execute(f"SELECT {table.digest} FROM {table.table} WHERE id = {pk}")
        execute("SAVEPOINT trying")
        try:
            execute(
                f'UPDATE {table.table} SET "{column}" = {another(table.table, column)} WHERE id = {pk}'
            )
        except DatabaseError:  # one of the table's checks refuses it
            execute("ROLLBACK TO SAVEPOINT trying")
            continue
        if execute(f"SELECT {table.digest} FROM {table.table} WHERE id = {pk}") != [(before,)]:
            return str(column)
    raise LookupError(table.table)


def another(table: str, column: str) -> str:
    """An expression for another value of a column."""
    [(kind, longest)] = execute(
        "SELECT udt_name, character_maximum_length FROM information_schema.columns"
        " WHERE table_name = %s AND column_name = %s",
        [table, column],
    )
    quoted = f'"{column}"'
    return {
        "varchar": f"left(md5({quoted}), {longest})",
        "text": f"{quoted} || 'x'",
        "bool": f"NOT {quoted}",
        "int2": f"coalesce({quoted}, 0) + 1",
        "int4": f"coalesce({quoted}, 0) + 1",
        "int8": f"coalesce({quoted}, 0) + 1000000",
        "float8": f"coalesce({quoted}, 0) + 0.001",
        "numeric": f"coalesce({quoted}, 0) + 0.001",
        "date": f"coalesce({quoted}, current_date) - 1",
        "timestamptz": f"coalesce({quoted}, now()) - interval '1 hour'",
        "jsonb": """'[{"speaker": "seeker", "text": "x"}]'""",
        "uuid": "gen_random_uuid()",
        "bytea": f"sha256({quoted})",
        "_int8": f"coalesce({quoted}, '{{}}') || 0::bigint",
        "_varchar": "ARRAY['coordinator', 'exporter']",
        "_text": f"{quoted} || ARRAY['x']",
    }[kind]


def uniques(table: str) -> set[str]:
    """Columns of which a table has a value only once, and the first of each combination."""
    rows = execute(
        "SELECT attname FROM pg_index JOIN pg_attribute ON attrelid = indrelid"
        " AND attnum = indkey[0] WHERE indrelid = %s::regclass AND indisunique AND NOT indisprimary",
        [table],
    )
    return {name for (name,) in rows}


def required_beside(table: Any) -> str:
    """Columns that a digest leaves out and a row must have."""
    rows = execute(
        "SELECT column_name FROM information_schema.columns WHERE table_name = %s"
        " AND is_nullable = 'NO' AND is_generated = 'NEVER' AND NOT column_name = ANY(%s)",
        [table.table, list(table.columns)],
    )
    return "".join(f', "{name}"' for (name,) in rows)


def rehash(first: int, last: int) -> None:
    """Make the hashes from `first` to `last` fit what the rows say."""
    [(previous,)] = execute(f"SELECT previous FROM accounts_seal WHERE sequence = {first}")
    rows = SQL(f"(SELECT * FROM accounts_seal WHERE sequence BETWEEN {first} AND {last})")
    follow = bytes(previous)
    for line in list(chain.lines(rows)):
        hashed = chain.hash_of(follow, line)
        execute(
            "UPDATE accounts_seal SET previous = %s, hash = %s WHERE sequence = %s",
            [follow, hashed, int(line.split(b"\t", 1)[0])],
        )
        follow = hashed


def any_sealed(draw: random.Random, column: str) -> tuple[int, int]:
    n = number(f"SELECT count({column}) FROM accounts_seal")
    [(pk, sequence)] = execute(
        f"SELECT {column}, sequence FROM accounts_seal WHERE {column} IS NOT NULL"
        f" ORDER BY sequence OFFSET {draw.randrange(n)} LIMIT 1"
    )
    return pk, sequence


def any_sequence(draw: random.Random) -> int:
    return draw.randint(1, last_sequence())


def two_sequences(draw: random.Random) -> tuple[int, int]:
    first, second = sorted(draw.sample(range(1, last_sequence() + 1), 2))
    return first, second


def last_sequence() -> int:
    return number("SELECT max(sequence) FROM accounts_seal")


def any_row(draw: random.Random, table: Any) -> int:
    n = number(f"SELECT count(*) FROM {table.table} WHERE {table.when}")
    [(pk,)] = execute(
        f"SELECT id FROM {table.table} WHERE {table.when} ORDER BY id"
        f" OFFSET {draw.randrange(n)} LIMIT 1"
    )
    return int(pk)


def tamperings(n: int, draw: random.Random) -> Iterator[Tampering]:
    """`n` of them, each kind in turn."""
    kinds = all_of_them()
    for place in range(n):
        yield kinds[place % len(kinds)]
