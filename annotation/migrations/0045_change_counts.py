"""A study's revision is the sum of rows that nobody waits for, where it was one that all waited for."""

import django.db.models.deletion
from django.db import migrations, models

TO_COUNTS = """
INSERT INTO annotation_changecount (study_id, slot, n)
SELECT id, 0, revision FROM annotation_study WHERE revision > 0
"""
TO_STUDIES = """
UPDATE annotation_study AS study SET revision = counted.total
FROM (SELECT study_id, sum(n) AS total FROM annotation_changecount GROUP BY study_id) AS counted
WHERE counted.study_id = study.id
"""


class Migration(migrations.Migration):
    dependencies = [
        ("annotation", "0044_rationales"),
    ]

    operations = [
        migrations.CreateModel(
            name="ChangeCount",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("slot", models.PositiveSmallIntegerField()),
                ("n", models.PositiveBigIntegerField()),
                (
                    "study",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="annotation.study",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("study", "slot"), name="one_count_a_slot")
                ]
            },
        ),
        migrations.RunSQL(TO_COUNTS, TO_STUDIES),
        migrations.RemoveField(model_name="study", name="revision"),
        migrations.AlterModelOptions(
            name="study",
            options={"base_manager_name": "objects", "verbose_name_plural": "studies"},
        ),
    ]
