"""A study goes on under another edition of its rubric; what that did to ratings is kept."""

from typing import Any

import django.contrib.postgres.fields
import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

from accounts.ledger.governed import first_editions

TABLE = "annotation_rubricchange"
MAY_CHANGE = "'undone_at', 'undone_by_id'"


def ids() -> "models.Field[Any, Any]":
    return django.contrib.postgres.fields.ArrayField(
        base_field=models.BigIntegerField(), default=list, size=None
    )


def refers_to(
    model: str, related_name: str = "+", *, may_lack: bool = False
) -> "models.Field[Any, Any]":
    return models.ForeignKey(
        on_delete=django.db.models.deletion.PROTECT,
        to=model,
        related_name=related_name,
        null=may_lack,
        blank=may_lack,
    )


class Migration(migrations.Migration):
    dependencies = [
        ("annotation", "0020_rounds_are_due_or_cancelled"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="RubricChange",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("plan", models.JSONField()),
                ("carried", ids()),
                ("withdrawn", ids()),
                ("gold_made", ids()),
                ("gold_retired", ids()),
                ("again", ids()),
                ("made_at", models.DateTimeField()),
                ("undone_at", models.DateTimeField(blank=True, null=True)),
                ("after", refers_to("annotation.rubricversion")),
                ("before", refers_to("annotation.rubricversion")),
                ("made_by", refers_to(settings.AUTH_USER_MODEL)),
                ("study", refers_to("annotation.study", "rubric_changes")),
                ("undone_by", refers_to(settings.AUTH_USER_MODEL, may_lack=True)),
            ],
            options={
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(
                            ("undone_at__isnull", True), ("undone_by__isnull", True)
                        )
                        | models.Q(("undone_at__isnull", False), ("undone_by__isnull", False)),
                        name="undone_at_and_by_go_together",
                    )
                ]
            },
        ),
        migrations.RunSQL(
            f"CREATE TRIGGER keep_row BEFORE UPDATE OR DELETE ON {TABLE}"
            f" FOR EACH ROW EXECUTE FUNCTION annotation_keep_row({MAY_CHANGE})",
            f"DROP TRIGGER keep_row ON {TABLE}",
        ),
        *first_editions("annotation", TABLE),
    ]
