"""What was decided about identifiers when a file was brought in."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ("annotation", "0014_protocol_is_kept"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="Screening",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("screened_at", models.DateTimeField()),
                ("edition", models.PositiveSmallIntegerField()),
                ("found", models.JSONField()),
                ("redacted", models.PositiveIntegerField()),
                ("dropped", models.PositiveIntegerField()),
                ("kept", models.JSONField()),
                (
                    "screened_by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "study",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="screenings",
                        to="annotation.study",
                    ),
                ),
            ],
        ),
    ]
