"""Tables whose rows are noted in the ledger whenever they are written.

Each app names its own in its AppConfig, as `governed`. A trigger of each statement takes the
digest of every row that was written, so that bulk inserts and COPY are noted as well, and who
writes needs no right to write digests. It marks them with what the session was introduced with, if
the application opened it.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from django.apps import AppConfig, apps
from django.db import migrations

from accounts.ledger.marks import SESSION_MARK

# Rows of one statement that share a digest row. The ledger's lines stay short enough to be read.
TOGETHER = 5_000
# What a digest row says, whatever the session's settings are; its mark is made of this.
CONTENT = """sha256(convert_to(concat_ws(
        '|', table_name, edition, extract(epoch FROM noted_at), array_to_string(row_ids, ','),
        (SELECT string_agg(encode(one, 'hex'), ',' ORDER BY place)
            FROM unnest(digests) WITH ORDINALITY AS each (one, place))
    ), 'UTF8'))"""
NOTE = """
    WITH noted AS (
        INSERT INTO accounts_rowdigest (table_name, edition, row_ids, digests, noted_at)
        SELECT '{table}', {edition}, array_agg(id ORDER BY id), array_agg({digest} ORDER BY id),
            clock_timestamp()
        FROM {rows} WHERE {when} GROUP BY id / {together} ORDER BY id / {together}
        RETURNING id, {content} AS content
    )
    INSERT INTO accounts_unsealed (digest_id, mark) SELECT id, {mark} FROM noted ORDER BY id;
"""
# What was noted of the rows of a table: the newest of each, or all of it.
NOTED = """
    SELECT {newest} noted_row, noted_digest, noted_in, noted_edition
    FROM (
        SELECT id AS noted_in, edition AS noted_edition, each.*
        FROM accounts_rowdigest, unnest(row_ids, digests) AS each (noted_row, noted_digest)
        WHERE table_name = {table}
    ) AS every
    ORDER BY noted_row, noted_in DESC
"""
NEWEST = "DISTINCT ON (noted_row)"
# The rows of a table that are as they were noted last.
_AS_NOTED = """(
    SELECT there.* FROM {table} AS there JOIN ({noted}) AS before ON noted_row = id
    WHERE noted_digest = {digest}
) AS as_noted"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Governed:
    """A table, and which columns its digests cover; a new column is a new edition.

    `when` is the condition from which on a row is kept as it is. An edition never changes: rows
    that were noted under it are verified under it. `may_change` are the columns that the
    application may still change in a row that is never deleted (the id: it may lock the row, and a
    trigger or other rows refuse the change); None: any of them, and it may delete. Where nothing
    changes `columns`, and others of the row all the time, `notes_updates` is False.
    """

    table: str
    columns: tuple[str, ...]
    edition: int = 1
    when: str = "true"
    may_change: tuple[str, ...] | None = None
    notes_updates: bool = True

    @property
    def digest(self) -> str:
        """The digest of a row, in SQL: SHA-256 of its columns as a JSON array in UTF-8."""
        columns = ", ".join(f'"{column}"' for column in self.columns)
        return f"sha256(convert_to(jsonb_build_array({columns})::text, 'UTF8'))"

    @property
    def body(self) -> str:
        """What the triggers do. A JSON array has times in UTC because the function sets that."""
        digest = f"CASE WHEN TG_OP = 'DELETE' THEN ''::bytea ELSE {self.digest} END"
        return f"\nBEGIN{self._note('written', digest)}RETURN NULL;\nEND\n"

    @property
    def is_written_once(self) -> bool:
        """Whether no column that its digests cover may change after a row was written."""
        return self.may_change is not None and {*self.may_change} & {*self.columns} <= {"id"}

    @property
    def triggers(self) -> dict[str, str]:
        """What it is noted by: trigger and kind of statement."""
        return {
            name: kind for name, kind in TRIGGERS.items() if self.notes_updates or kind != "UPDATE"
        }

    @property
    def function(self) -> str:
        return f"ledger_notes_{self.table}"

    @property
    def creation(self) -> str:
        """The statement that makes the function of its triggers, or makes it anew."""
        return (
            f"CREATE OR REPLACE FUNCTION {self.function}() RETURNS trigger LANGUAGE plpgsql"
            " SECURITY DEFINER SET timezone TO 'UTC' SET search_path FROM CURRENT"
            f" AS $noted${self.body}$noted$"
        )

    def operations(self, *before: "Governed") -> Iterator[migrations.RunSQL]:
        """What a migration does to have the table noted, and the rows that it has already. After the
        editions `before` only those that are as they were noted last: an upgrade does not take for good
        what it finds. Of several editions that are taken back the last one takes all of it away."""
        yield migrations.RunSQL(self.creation, f"DROP FUNCTION IF EXISTS {self.function}()")
        for operation, kind in self.triggers.items():
            yield migrations.RunSQL(
                f"CREATE OR REPLACE TRIGGER {operation.lower()} AFTER {kind} ON {self.table}"
                f" REFERENCING {'OLD' if kind == 'DELETE' else 'NEW'} TABLE AS written"
                f" FOR EACH STATEMENT EXECUTE FUNCTION {self.function}()",
                f"DROP TRIGGER IF EXISTS {operation.lower()} ON {self.table}",
            )
        yield migrations.RunSQL(self._note_what_is_there(before), migrations.RunSQL.noop)

    def _note_what_is_there(self, before: Sequence["Governed"]) -> str:
        rows = self.table
        if before:
            noted = NOTED.format(newest=NEWEST, table=f"'{self.table}'")
            rows = _AS_NOTED.format(
                table=rows, noted=noted, digest=digest_as_noted([*before, self])
            )
        note = self._note(rows, self.digest)
        return f"DO $there$ BEGIN SET LOCAL timezone TO 'UTC';{note}END $there$"

    def _note(self, rows: str, digest: str) -> str:
        return NOTE.format(
            table=self.table,
            edition=self.edition,
            rows=rows,
            digest=digest,
            when=self.when,
            together=TOGETHER,
            content=CONTENT,
            mark=SESSION_MARK,
        )


TRIGGERS = {
    "ledger_notes_inserts": "INSERT",
    "ledger_notes_updates": "UPDATE",
    "ledger_notes_deletes": "DELETE",
}


def first_editions(app: str, *tables: str) -> list[migrations.RunSQL]:
    """What a migration of an app does to have these of its tables noted."""
    named = _named_by(apps.get_app_config(app))
    first = [one for one in named if one.edition == 1 and one.table in tables]
    return [operation for one in first for operation in one.operations()]


def edition_of(table: str, number: int) -> list[migrations.RunSQL]:
    """What a migration does once a table that is noted has columns more."""
    *before, now = [one for one in governed() if one.table == table and one.edition <= number]
    return [*now.operations(*before)]


def digest_as_noted(editions: Iterable[Governed]) -> str:
    """The digest of a row, in SQL, under the edition under which it was noted."""
    digests = " ".join(f"WHEN noted_edition = {one.edition} THEN {one.digest}" for one in editions)
    return f"CASE {digests} END"


def governed() -> list[Governed]:
    """Every edition of every governed table, those of a table one after the other."""
    return [one for app in apps.get_app_configs() for one in _named_by(app)]


def _named_by(app: AppConfig) -> tuple[Governed, ...]:
    return getattr(app, "governed", ())
