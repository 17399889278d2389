import django.contrib.postgres.fields
import django.db.models.deletion
import django.db.models.functions.text
import django.db.models.lookups
from django.conf import settings
from django.db import migrations, models

from accounts.ledger.governed import first_editions

MAY_CHANGE = "'decided_by_id', 'decided_at', 'values', 'reason', 'code', 'is_overturned'"


class Migration(migrations.Migration):

    dependencies = [
        ("annotation", "0032_admissions"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="GoldAudit",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "criteria",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.CharField(max_length=60), size=None
                    ),
                ),
                ("drawn_at", models.DateTimeField()),
                ("decided_at", models.DateTimeField(blank=True, null=True)),
                ("values", models.JSONField(blank=True, null=True)),
                ("reason", models.TextField(blank=True)),
                ("code", models.CharField(blank=True, max_length=20)),
                ("is_overturned", models.BooleanField(blank=True, null=True)),
                (
                    "decided_by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "drawn_in",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="gold_audits",
                        to="annotation.round",
                    ),
                ),
                (
                    "round_item",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="gold_audit",
                        to="annotation.rounditem",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(
                            ("code", ""),
                            ("decided_at__isnull", True),
                            ("decided_by__isnull", True),
                            ("is_overturned__isnull", True),
                            ("reason", ""),
                            ("values__isnull", True),
                        )
                        | (
                            models.Q(
                                ("decided_at__isnull", False),
                                ("decided_by__isnull", False),
                                ("is_overturned__isnull", False),
                                ("values__isnull", False),
                            )
                            & ~models.Q(("reason", ""))
                            & ~models.Q(("code", ""))
                        ),
                        name="an_audit_is_decided_whole",
                    ),
                    models.CheckConstraint(
                        condition=django.db.models.lookups.LessThanOrEqual(
                            django.db.models.functions.text.Length("reason"), 10000
                        ),
                        name="an_audit_s_reason_has_an_end",
                    ),
                ]
            },
        ),
        migrations.RunSQL(
            "CREATE TRIGGER keep_row BEFORE UPDATE OR DELETE ON annotation_goldaudit"
            f" FOR EACH ROW EXECUTE FUNCTION annotation_keep_row({MAY_CHANGE})",
            "DROP TRIGGER keep_row ON annotation_goldaudit",
        ),
        *first_editions("annotation", "annotation_goldaudit"),
    ]
