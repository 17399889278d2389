"""Jobs of workers are also what they make of a study for all who read its figures."""

from django.db import migrations, models

KINDS = [
    ("check", "Check"),
    ("import", "Import"),
    ("export", "Export"),
    ("report", "Report"),
    ("verification", "Verification"),
]


class Migration(migrations.Migration):
    dependencies = [
        ("annotation", "0045_change_counts"),
    ]

    operations = [
        migrations.RemoveConstraint(model_name="filejob", name="job_kind_is_known"),
        migrations.AlterField(
            model_name="filejob",
            name="kind",
            field=models.CharField(choices=KINDS, max_length=20),
        ),
        migrations.AlterField(
            model_name="filejob",
            name="what",
            field=models.CharField(blank=True, max_length=20),
        ),
        migrations.AddConstraint(
            model_name="filejob",
            constraint=models.CheckConstraint(
                condition=models.Q(kind__in=[kind for kind, _words in KINDS]),
                name="job_kind_is_known",
            ),
        ),
        migrations.AddConstraint(
            model_name="filejob",
            constraint=models.UniqueConstraint(
                condition=models.Q(
                    kind__in=("report", "verification"), state__in=("waiting", "running")
                ),
                fields=("study", "kind", "what"),
                name="made_for_all_once_at_a_time",
            ),
        ),
    ]
