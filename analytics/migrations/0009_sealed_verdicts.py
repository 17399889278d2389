"""Verdicts that were sealed at a planned look; the database keeps them as they are."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('analytics', '0008_who_made_it'),
        ('annotation', '0009_file_jobs'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='SealedVerdicts',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('look', models.PositiveSmallIntegerField()),
                ('revision', models.PositiveBigIntegerField()),
                ('data_sha256', models.CharField(max_length=64)),
                ('content', models.TextField()),
                ('sha256', models.CharField(max_length=64, unique=True)),
                ('concord', models.CharField(max_length=30)),
                ('sealed_at', models.DateTimeField()),
                ('policy', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='sealed', to='analytics.fixedpolicy')),
                ('sealed_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('study', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='sealed_verdicts', to='annotation.study')),
            ],
            options={
                'verbose_name_plural': 'sealed verdicts',
                'constraints': [models.UniqueConstraint(fields=('policy', 'look'), name='a_look_is_taken_once')],
            },
        ),
        migrations.RunSQL(
            "CREATE TRIGGER keep_row BEFORE UPDATE OR DELETE ON analytics_sealedverdicts"
            " FOR EACH ROW EXECUTE FUNCTION annotation_keep_row()",
            "DROP TRIGGER keep_row ON analytics_sealedverdicts",
        ),
    ]
