from django.db import migrations

from accounts.ledger.governed import first_editions


class Migration(migrations.Migration):

    dependencies = [
        ("annotation", "0037_stand_ins"),
    ]

    operations = [
        # `found` is a variable of PL/pgSQL, in which the digests are taken.
        migrations.RenameField("screening", "found", "hits"),
        migrations.RunSQL(
            "CREATE TRIGGER keep_row BEFORE UPDATE OR DELETE ON annotation_screening"
            " FOR EACH ROW EXECUTE FUNCTION annotation_keep_row()",
            "DROP TRIGGER keep_row ON annotation_screening",
        ),
        *first_editions("annotation", "annotation_screening"),
    ]
