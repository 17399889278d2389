"""The database itself keeps what was rated and decided: whoever writes, by whatever way."""

from django.db import migrations

# The trigger's arguments are the columns that may change all the same.
FUNCTION = """
CREATE FUNCTION annotation_keep_row() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    allowed text[] := coalesce(TG_ARGV, '{}');
BEGIN
    IF TG_OP = 'DELETE' OR to_jsonb(OLD) - allowed <> to_jsonb(NEW) - allowed THEN
        RAISE EXCEPTION 'A row of % is never changed or deleted.', TG_TABLE_NAME
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$
"""

MAY_CHANGE = {
    "annotation_rubricversion": "",
    "annotation_submission": "'is_current'",
    "annotation_rating": "",
    "annotation_adjudication": "",
    "annotation_gold": "'superseded_at'",
}


def trigger(table: str, columns: str) -> migrations.RunSQL:
    return migrations.RunSQL(
        f"CREATE TRIGGER keep_row BEFORE UPDATE OR DELETE ON {table}"
        f" FOR EACH ROW EXECUTE FUNCTION annotation_keep_row({columns})",
        f"DROP TRIGGER keep_row ON {table}",
    )


class Migration(migrations.Migration):
    dependencies = [("annotation", "0002_seats_count")]

    operations = [
        migrations.RunSQL(FUNCTION, "DROP FUNCTION annotation_keep_row()"),
        *(trigger(table, columns) for table, columns in MAY_CHANGE.items()),
    ]
