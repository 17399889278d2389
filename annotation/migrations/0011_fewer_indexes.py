"""A submission writes no index that another begins with."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("annotation", "0010_governed_rows")]

    operations = [
        migrations.AlterField(
            model_name="assignment",
            name="round",
            field=models.ForeignKey(
                db_index=False,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="assignments",
                to="annotation.round",
            ),
        ),
        migrations.AlterField(
            model_name="rating",
            name="submission",
            field=models.ForeignKey(
                db_index=False,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="ratings",
                to="annotation.submission",
            ),
        ),
        migrations.AlterField(
            model_name="submission",
            name="rubric_version",
            field=models.ForeignKey(
                db_index=False,
                on_delete=django.db.models.deletion.PROTECT,
                to="annotation.rubricversion",
            ),
        ),
        migrations.AlterField(
            model_name="submission",
            name="study",
            field=models.ForeignKey(
                db_index=False,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="submissions",
                to="annotation.study",
            ),
        ),
    ]
