from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("analytics", "0007_brought_policies")]

    operations = [
        migrations.AddField(
            model_name=name,
            name="concord",
            field=models.CharField(blank=True, default="", max_length=30),
        )
        for name in ("verification", "writeup")
    ]
