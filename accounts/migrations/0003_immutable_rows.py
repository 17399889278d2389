"""What was published, signed or recorded can be added to, never changed or deleted.

The triggers fire for rows, so that a test run may still empty its tables with TRUNCATE.
"""

from django.db import migrations

TABLES = ["accounts_terms", "accounts_termsacceptance", "accounts_event"]

REFUSE = """
CREATE FUNCTION accounts_refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'rows of % are kept as they are', TG_TABLE_NAME USING ERRCODE = 'restrict_violation';
END
$$;
"""


def trigger(table: str) -> str:
    return (
        f"CREATE TRIGGER kept_as_it_is BEFORE UPDATE OR DELETE ON {table} "
        "FOR EACH ROW EXECUTE FUNCTION accounts_refuse_change();"
    )


class Migration(migrations.Migration):
    dependencies = [("accounts", "0002_suspensions")]

    operations = [
        migrations.RunSQL(REFUSE, "DROP FUNCTION accounts_refuse_change();"),
        *(
            migrations.RunSQL(trigger(table), f"DROP TRIGGER kept_as_it_is ON {table};")
            for table in TABLES
        ),
    ]
