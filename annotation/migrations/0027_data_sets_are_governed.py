"""Every study is in a data set, and what is granted is noted in the ledger."""

import django.db.models.deletion
from django.db import migrations, models

from accounts.ledger.governed import first_editions


class Migration(migrations.Migration):
    dependencies = [("annotation", "0026_each_study_in_a_data_set")]

    operations = [
        migrations.AlterField(
            model_name="study",
            name="data_set",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT,
                related_name="studies",
                to="annotation.dataset",
            ),
        ),
        *first_editions(
            "annotation",
            "annotation_dataset",
            "annotation_grant",
            "annotation_grantdecision",
            "annotation_brokenglass",
            "annotation_division",
            "annotation_openitem",
        ),
    ]
