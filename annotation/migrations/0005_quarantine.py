import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("annotation", "0004_item_reply_speaker"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="Quarantine",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("reason", models.TextField()),
                ("quarantined_at", models.DateTimeField()),
                ("lifted_at", models.DateTimeField(blank=True, null=True)),
                (
                    "item",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="quarantines",
                        to="annotation.item",
                    ),
                ),
                (
                    "lifted_by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "quarantined_by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "verbose_name_plural": "quarantine",
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("lifted_at__isnull", True)),
                        fields=("item",),
                        name="one_open_quarantine_an_item",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("reason", ""), _negated=True),
                        name="a_quarantine_has_a_reason",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("lifted_at__isnull", True), ("lifted_by__isnull", True))
                        | models.Q(("lifted_at__isnull", False), ("lifted_by__isnull", False)),
                        name="quarantine_lifted_at_and_by_go_together",
                    ),
                ],
            },
        ),
        migrations.RunSQL(
            "CREATE TRIGGER keep_row BEFORE UPDATE OR DELETE ON annotation_quarantine"
            " FOR EACH ROW EXECUTE FUNCTION annotation_keep_row('lifted_at', 'lifted_by_id')",
            "DROP TRIGGER keep_row ON annotation_quarantine",
        ),
    ]
