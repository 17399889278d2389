"""Figures bear the mark of the application; those that do not yet are computed anew."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("analytics", "0019_links_are_governed")]

    operations = [
        migrations.RunSQL("DELETE FROM analytics_snapshot", migrations.RunSQL.noop),
        migrations.AddField(
            model_name="snapshot",
            name="mark",
            field=models.CharField(blank=True, default="", max_length=64),
            preserve_default=False,
        ),
    ]
