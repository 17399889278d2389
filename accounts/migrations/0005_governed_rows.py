"""What was there before the ledger is its beginning; what is written from now on follows it."""

from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

from accounts.ledger.governed import first_editions
from accounts.ledger.marks import mark_of


def await_seals(_apps: object, schema_editor: BaseDatabaseSchemaEditor) -> None:
    with schema_editor.connection.cursor() as cursor:
        cursor.execute(
            "SELECT id, verb, subject, actor_id, at, facts::text FROM accounts_event ORDER BY id"
        )
        lines = cursor.fetchall()
        cursor.executemany(
            "INSERT INTO accounts_unsealed (event_id, mark) VALUES (%s, %s)",
            [
                (pk, mark_of(verb=verb, subject=subject, actor=actor, at=at, facts=facts))
                for pk, verb, subject, actor, at, facts in lines
            ],
        )


class Migration(migrations.Migration):
    dependencies = [("accounts", "0004_ledger")]

    operations = [
        migrations.RunPython(await_seals, migrations.RunPython.noop),
        *first_editions(
            "accounts",
            *("accounts_user", "accounts_suspension", "accounts_terms"),
            *("accounts_termsacceptance", "accounts_accessrequest"),
        ),
    ]
