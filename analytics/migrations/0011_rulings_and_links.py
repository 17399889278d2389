"""What somebody ruled on what a release tells of single people; links that work once."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

from accounts.ledger.governed import first_editions


class Migration(migrations.Migration):

    dependencies = [
        ('analytics', '0010_governed_rows'),
        ('annotation', '0009_file_jobs'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='DisclosureRuling',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('digest', models.CharField(max_length=64)),
                ('findings', models.JSONField()),
                ('passes', models.BooleanField()),
                ('reason', models.TextField()),
                ('ruled_at', models.DateTimeField()),
                ('ruled_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('study', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='disclosure_rulings', to='annotation.study')),
            ],
        ),
        migrations.CreateModel(
            name='ReleaseLink',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('token_sha256', models.CharField(max_length=64, unique=True)),
                ('made_at', models.DateTimeField()),
                ('expires_at', models.DateTimeField()),
                ('used_at', models.DateTimeField(blank=True, null=True)),
                ('export', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='links', to='analytics.export')),
                ('job', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='links', to='annotation.filejob')),
                ('recipient', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
        ),
        migrations.RunSQL(
            "CREATE TRIGGER keep_row BEFORE UPDATE OR DELETE ON analytics_disclosureruling"
            " FOR EACH ROW EXECUTE FUNCTION annotation_keep_row()",
            "DROP TRIGGER keep_row ON analytics_disclosureruling",
        ),
        *first_editions("analytics", "analytics_disclosureruling"),
    ]
