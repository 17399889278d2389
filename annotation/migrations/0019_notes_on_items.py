"""What coordinators write down about items; the database refuses to change it."""

import django.db.models.deletion
import django.db.models.functions.text
import django.db.models.lookups
from django.conf import settings
from django.db import migrations, models

from accounts.ledger.governed import first_editions

TABLE = "annotation_itemnote"


class Migration(migrations.Migration):
    dependencies = [
        ("annotation", "0018_decided_anew"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="ItemNote",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("text", models.TextField()),
                ("written_at", models.DateTimeField()),
                (
                    "author",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "item",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="notes",
                        to="annotation.item",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("text", ""), _negated=True),
                        name="a_note_says_something",
                    ),
                    models.CheckConstraint(
                        condition=django.db.models.lookups.LessThanOrEqual(
                            django.db.models.functions.text.Length("text"), 10000
                        ),
                        name="a_note_has_an_end",
                    ),
                ]
            },
        ),
        migrations.RunSQL(
            f"CREATE TRIGGER keep_row BEFORE UPDATE OR DELETE ON {TABLE}"
            " FOR EACH ROW EXECUTE FUNCTION annotation_keep_row()",
            f"DROP TRIGGER keep_row ON {TABLE}",
        ),
        *first_editions("annotation", TABLE),
    ]
