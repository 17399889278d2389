"""Decisions about judges that failed their sentinels."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

from accounts.ledger.governed import first_editions


class Migration(migrations.Migration):

    dependencies = [
        ('analytics', '0013_copy_statements'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='SentinelRuling',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('reason', models.TextField()),
                ('ruled_at', models.DateTimeField()),
                ('check_made', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='ruling', to='analytics.sentinelcheck')),
                ('ruled_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
        ),
        migrations.RunSQL(
            "CREATE TRIGGER keep_row BEFORE UPDATE OR DELETE ON analytics_sentinelruling"
            " FOR EACH ROW EXECUTE FUNCTION annotation_keep_row()",
            "DROP TRIGGER keep_row ON analytics_sentinelruling",
        ),
        *first_editions("analytics", "analytics_sentinelruling"),
    ]
