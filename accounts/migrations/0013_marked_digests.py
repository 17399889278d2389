"""Triggers mark the digests that they take; what waits was taken before that, and is marked now."""

from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

from accounts.ledger.governed import CONTENT, governed
from accounts.ledger.marks import SESSION_MARK


def mark(_apps: object, schema_editor: BaseDatabaseSchemaEditor) -> None:
    newest = {one.table: one for one in governed()}
    with schema_editor.connection.cursor() as cursor:
        cursor.execute("SELECT proname FROM pg_proc WHERE proname LIKE 'ledger_notes_%%'")
        there = {name for (name,) in cursor.fetchall()}
        for one in newest.values():
            if one.function in there:
                cursor.execute(one.creation)
        cursor.execute(
            "WITH noted AS (SELECT accounts_unsealed.id AS waits, "
            f"{CONTENT} AS content FROM accounts_unsealed"
            " JOIN accounts_rowdigest AS digest ON digest.id = digest_id WHERE mark = '')"
            f" UPDATE accounts_unsealed SET mark = {SESSION_MARK}"
            " FROM noted WHERE noted.waits = accounts_unsealed.id"
        )


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0012_scope_of_judging"),
        ("analytics", "0015_juries"),
        ("annotation", "0043_descriptions_by_language"),
        ("judging", "0018_comparisons"),
    ]

    operations = [migrations.RunPython(mark, migrations.RunPython.noop)]
