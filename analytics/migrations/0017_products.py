"""What a worker makes is asked for by a job of its own: what was never made is no row any more."""

from django.apps.registry import Apps
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.models import F


def keep_what_was_made(apps: Apps, _schema: BaseDatabaseSchemaEditor) -> None:
    """What was asked for anew before an upgrade has lost its day; asked for again, it has one."""
    for name in ("Writeup", "Verification"):
        rows = apps.get_model("analytics", name).objects
        rows.filter(revision=None).delete()
        rows.filter(done_at=None).update(done_at=F("asked_at"))


class Migration(migrations.Migration):
    dependencies = [
        ("analytics", "0016_has_earlier"),
        ("annotation", "0046_made_for_all"),
    ]

    operations = [
        migrations.RunPython(keep_what_was_made, migrations.RunPython.noop),
        *(
            migrations.AlterField(model_name=model, name=name, field=field)
            for model in ("verification", "writeup")
            for name, field in (
                ("done_at", models.DateTimeField()),
                ("revision", models.PositiveBigIntegerField()),
            )
        ),
    ]
