"""Juries: several judges that rate as one."""

import django.contrib.postgres.fields
import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

from accounts.ledger.governed import first_editions


class Migration(migrations.Migration):

    dependencies = [
        ('analytics', '0014_sentinel_rulings'),
        ('annotation', '0035_ways_through_graphs'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='Jury',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('key', models.SlugField(max_length=100)),
                ('name', models.CharField(max_length=100)),
                ('members', django.contrib.postgres.fields.ArrayField(base_field=models.BigIntegerField(), size=None)),
                ('rule', models.CharField(max_length=20)),
                ('quorum', models.PositiveSmallIntegerField()),
                ('weights', models.JSONField(default=dict)),
                ('made_on', django.contrib.postgres.fields.ArrayField(base_field=models.BigIntegerField(), default=list, size=None)),
                ('n_seen', models.PositiveBigIntegerField()),
                ('named_at', models.DateTimeField()),
                ('ended_at', models.DateTimeField(blank=True, null=True)),
                ('end_reason', models.CharField(blank=True, max_length=300)),
                ('ended_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('named_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('study', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='juries', to='annotation.study')),
            ],
            options={
                'verbose_name_plural': 'juries',
                'constraints': [
                    models.UniqueConstraint(fields=('study', 'key'), name='a_jury_has_a_key_once'),
                    models.CheckConstraint(condition=models.Q(models.Q(('end_reason', ''), ('ended_at', None)), models.Q(('ended_at__isnull', False), models.Q(('end_reason', ''), _negated=True)), _connector='OR'), name='a_jury_ends_with_a_reason'),
                ],
            },
        ),
        migrations.RunSQL(
            "CREATE TRIGGER keep_row BEFORE UPDATE OR DELETE ON analytics_jury"
            " FOR EACH ROW EXECUTE FUNCTION annotation_keep_row('ended_at', 'ended_by_id', 'end_reason')",
            "DROP TRIGGER keep_row ON analytics_jury",
        ),
        *first_editions("analytics", "analytics_jury"),
    ]
