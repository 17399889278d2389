"""What somebody signed about copies of releases that they had."""

import django.contrib.postgres.fields
import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

from accounts.ledger.governed import first_editions


class Migration(migrations.Migration):

    dependencies = [
        ('analytics', '0012_sentinel_checks'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='CopyStatement',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('exports', django.contrib.postgres.fields.ArrayField(base_field=models.BigIntegerField(), size=None)),
                ('is_destroyed', models.BooleanField()),
                ('typed_name', models.CharField(max_length=150)),
                ('text', models.TextField()),
                ('text_sha256', models.CharField(max_length=64)),
                ('signed_at', models.DateTimeField()),
                ('person', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
        ),
        migrations.RunSQL(
            "CREATE TRIGGER keep_row BEFORE UPDATE OR DELETE ON analytics_copystatement"
            " FOR EACH ROW EXECUTE FUNCTION annotation_keep_row()",
            "DROP TRIGGER keep_row ON analytics_copystatement",
        ),
        *first_editions("analytics", "analytics_copystatement"),
    ]
