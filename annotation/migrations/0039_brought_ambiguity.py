import django.db.models.deletion
from django.db import migrations, models

from accounts.ledger.governed import first_editions


class Migration(migrations.Migration):

    dependencies = [
        ("annotation", "0038_screenings_stay"),
    ]

    operations = [
        migrations.CreateModel(
            name="BroughtAmbiguity",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("criterion_key", models.CharField(max_length=60)),
                ("distribution", models.TextField(blank=True)),
                ("brought_at", models.DateTimeField()),
                (
                    "item",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="brought_ambiguities",
                        to="annotation.item",
                    ),
                ),
            ],
            options={
                "verbose_name_plural": "brought ambiguities",
                "constraints": [
                    models.UniqueConstraint(
                        fields=("item", "criterion_key"), name="an_ambiguity_is_brought_once"
                    )
                ],
            },
        ),
        migrations.RunSQL(
            "CREATE TRIGGER keep_row BEFORE UPDATE OR DELETE ON annotation_broughtambiguity"
            " FOR EACH ROW EXECUTE FUNCTION annotation_keep_row()",
            "DROP TRIGGER keep_row ON annotation_broughtambiguity",
        ),
        *first_editions("annotation", "annotation_broughtambiguity"),
    ]
