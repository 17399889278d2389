"""What programs wrote is answered the same for a day, and tokens for what pages do."""

import django.contrib.postgres.fields
import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0008_scope_of_steering"),
    ]

    operations = [
        migrations.AlterField(
            model_name="apitoken",
            name="scopes",
            field=django.contrib.postgres.fields.ArrayField(
                base_field=models.CharField(
                    choices=[
                        ("read", "Read studies, rounds, runs and figures"),
                        ("work", "Rate items: read what is to be rated, and submit"),
                        ("release", "Read ratings and gold; build releases and download them"),
                        ("people", "Read who is on the team, and who may see what"),
                        (
                            "steer",
                            "Change teams, open and close rounds, set items aside, rule on disclosure",
                        ),
                        ("bring", "Bring in items, ratings and lists"),
                        ("write", "Publish editions of rubrics, and go on under them"),
                        ("judge", "Start, pace and end runs of judges"),
                        ("grant", "Ask for levels of data sets, and decide about them"),
                    ],
                    max_length=20,
                ),
                size=None,
            ),
        ),
        migrations.CreateModel(
            name="ApiWrite",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("key_sha256", models.CharField(max_length=64)),
                ("sent_sha256", models.CharField(max_length=64)),
                ("status", models.PositiveSmallIntegerField(default=0)),
                ("answer", models.JSONField(default=dict)),
                ("written_at", models.DateTimeField()),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="api_writes",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "indexes": [models.Index(fields=["written_at"], name="writes_by_time")],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("user", "key_sha256"), name="a_write_is_done_once"
                    )
                ],
            },
        ),
    ]
