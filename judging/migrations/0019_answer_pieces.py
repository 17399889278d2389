"""By which short pieces words are found in what was answered, in an index over all runs."""

import django.contrib.postgres.fields
import django.contrib.postgres.indexes
import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("judging", "0018_comparisons")]

    operations = [
        migrations.CreateModel(
            name="AnswerPieces",
            fields=[
                (
                    "call",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="pieces",
                        serialize=False,
                        to="judging.judgecall",
                    ),
                ),
                ("pieces", django.contrib.postgres.fields.ArrayField(models.IntegerField())),
                (
                    "run",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="judging.judgerun",
                    ),
                ),
            ],
            options={
                "verbose_name_plural": "answer pieces",
                "indexes": [
                    django.contrib.postgres.indexes.GinIndex(
                        fields=["pieces"], name="answers_by_their_pieces"
                    )
                ],
            },
        ),
    ]
