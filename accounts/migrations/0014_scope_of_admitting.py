import django.contrib.postgres.fields
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('accounts', '0013_marked_digests'),
    ]

    operations = [
        migrations.AlterField(
            model_name='apitoken',
            name='scopes',
            field=django.contrib.postgres.fields.ArrayField(base_field=models.CharField(choices=[('read', 'Read studies, rounds, runs and figures'), ('work', 'Rate items: read what is to be rated, and submit'), ('release', 'Read ratings and gold; build releases and download them'), ('people', 'Read who is on the team, and who may see what'), ('steer', 'Change teams, open and close rounds, set items aside, rule on disclosure'), ('adjudicate', 'Adjudicate: read what raters disagree on, and decide it'), ('bring', 'Bring in items, ratings and lists'), ('write', 'Publish editions of rubrics, and go on under them'), ('judge', 'Start, pace and end runs of judges; prompts, replies, sentinels, juries'), ('grant', 'Ask for levels of data sets, and decide about them'), ('admit', 'Decide who is let in, suspend accounts, set roles on the server')], max_length=20), size=None),
        ),
    ]
