"""What most pages do without is kept apart from the figures that they show."""

import django.contrib.postgres.fields
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("analytics", "0020_marked_snapshots")]

    operations = [
        migrations.RunSQL("DELETE FROM analytics_snapshot", migrations.RunSQL.noop),
        migrations.AddField(
            model_name="snapshot",
            name="piece",
            field=models.TextField(blank=True, default=""),
        ),
        migrations.AddField(
            model_name="snapshot",
            name="pieces",
            field=django.contrib.postgres.fields.ArrayField(
                base_field=models.TextField(), blank=True, default=list, size=None
            ),
        ),
        migrations.RemoveConstraint(model_name="snapshot", name="one_snapshot_a_view"),
        migrations.AddConstraint(
            model_name="snapshot",
            constraint=models.UniqueConstraint(
                fields=("study", "part", "with_off_scale", "with_quarantined", "piece"),
                name="one_snapshot_a_view",
            ),
        ),
    ]
