"""Files that no job names may stay until they are let go, under longer names."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("annotation", "0046_made_for_all"),
    ]

    operations = [
        migrations.AlterField(
            model_name="filepiece",
            name="folder",
            field=models.CharField(max_length=300),
        ),
        migrations.AlterField(
            model_name="filepiece",
            name="kept_at",
            field=models.DateTimeField(blank=True, null=True),
        ),
    ]
