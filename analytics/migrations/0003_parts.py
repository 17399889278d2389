from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("analytics", "0002_snapshot_edition")]

    operations = [
        # Stored figures can be computed again at any time.
        migrations.RunSQL("DELETE FROM analytics_snapshot", migrations.RunSQL.noop),
        migrations.RemoveConstraint(model_name="snapshot", name="one_snapshot_a_view"),
        migrations.AddField(
            model_name="snapshot",
            name="part",
            field=models.CharField(default="", max_length=30),
            preserve_default=False,
        ),
        migrations.AddField(
            model_name="snapshot",
            name="with_quarantined",
            field=models.BooleanField(default=False),
            preserve_default=False,
        ),
        migrations.AlterField(
            model_name="snapshot", name="with_off_scale", field=models.BooleanField()
        ),
        migrations.AlterField(
            model_name="snapshot", name="edition", field=models.PositiveIntegerField()
        ),
        migrations.AddConstraint(
            model_name="snapshot",
            constraint=models.UniqueConstraint(
                fields=("study", "part", "with_off_scale", "with_quarantined"),
                name="one_snapshot_a_view",
            ),
        ),
    ]
