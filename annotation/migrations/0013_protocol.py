"""A round follows a protocol; rounds and studies that are there keep the one of today."""

import annotation.models.studies
import django.db.models.deletion
import django.db.models.functions.text
import django.db.models.lookups
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('annotation', '0012_drawn_items'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='DiscussionRemark',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('text', models.TextField()),
                ('written_at', models.DateTimeField()),
            ],
        ),
        migrations.CreateModel(
            name='SecondVote',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('criterion_key', models.CharField(max_length=60)),
                ('label', models.CharField(blank=True, max_length=60, null=True)),
                ('score', models.SmallIntegerField(blank=True, null=True)),
                ('given_at', models.DateTimeField()),
            ],
        ),
        migrations.RemoveConstraint(
            model_name='rounditem',
            name='item_state_is_known',
        ),
        migrations.AddField(
            model_name='round',
            name='protocol',
            field=models.JSONField(default=annotation.models.studies.decided_at_once),
        ),
        migrations.AddField(
            model_name='round',
            name='step',
            field=models.CharField(choices=[('rating', 'rating'), ('gate', 'gate'), ('re_review', 're_review'), ('deciding', 'deciding')], default='rating', max_length=20),
        ),
        migrations.AddField(
            model_name='study',
            name='protocol',
            field=models.JSONField(default=annotation.models.studies.decided_at_once),
        ),
        migrations.AlterField(
            model_name='gold',
            name='origin',
            field=models.CharField(choices=[('unanimous', 'Unanimous'), ('consensus', 'Agreed in discussion'), ('adjudicated', 'Adjudicated'), ('imported', 'Imported')], max_length=20),
        ),
        migrations.AlterField(
            model_name='rounditem',
            name='state',
            field=models.CharField(choices=[('rating', 'rating'), ('agreed', 'agreed'), ('disagreed', 'disagreed'), ('reviewed', 'reviewed'), ('discussed', 'discussed'), ('consensus', 'consensus'), ('adjudicated', 'adjudicated')], default='rating', max_length=20),
        ),
        migrations.AddConstraint(
            model_name='round',
            constraint=models.CheckConstraint(condition=models.Q(('step__in', ['rating', 'gate', 're_review', 'deciding'])), name='round_step_is_known'),
        ),
        migrations.AddConstraint(
            model_name='rounditem',
            constraint=models.CheckConstraint(condition=models.Q(('state__in', ['rating', 'agreed', 'disagreed', 'reviewed', 'discussed', 'consensus', 'adjudicated'])), name='item_state_is_known'),
        ),
        migrations.AddField(
            model_name='discussionremark',
            name='author',
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL),
        ),
        migrations.AddField(
            model_name='discussionremark',
            name='round_item',
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='remarks', to='annotation.rounditem'),
        ),
        migrations.AddField(
            model_name='secondvote',
            name='rater',
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='annotation.rater'),
        ),
        migrations.AddField(
            model_name='secondvote',
            name='round_item',
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='votes', to='annotation.rounditem'),
        ),
        migrations.AddConstraint(
            model_name='discussionremark',
            constraint=models.CheckConstraint(condition=models.Q(('text', ''), _negated=True), name='a_remark_says_something'),
        ),
        migrations.AddConstraint(
            model_name='discussionremark',
            constraint=models.CheckConstraint(condition=django.db.models.lookups.LessThanOrEqual(django.db.models.functions.text.Length('text'), 10000), name='a_remark_has_an_end'),
        ),
        migrations.AddConstraint(
            model_name='secondvote',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('label__isnull', False), ('score__isnull', True)), models.Q(('label__isnull', True), ('score__isnull', False)), _connector='OR'), name='a_vote_is_a_label_or_a_score'),
        ),
    ]
