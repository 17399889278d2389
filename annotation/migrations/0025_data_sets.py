"""Data sets, and who is granted what of them."""

import annotation.models.data_sets
import django.contrib.postgres.fields
import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('annotation', '0024_own_keys'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='DataSet',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('key', models.SlugField(max_length=60, unique=True)),
                ('name', models.CharField(max_length=200)),
                ('longest_days', models.PositiveIntegerField(default=365)),
                ('provider_policy', models.CharField(choices=[('none', 'To no LLM'), ('self_hosted', "Only to servers of one's own"), ('listed', 'Only to the listed hosts')], default='self_hosted', max_length=20)),
                ('processors', django.contrib.postgres.fields.ArrayField(base_field=models.CharField(max_length=200), blank=True, default=list, size=None)),
                ('least_raters', models.PositiveSmallIntegerField(default=5)),
                ('page_secret', models.CharField(default=annotation.models.data_sets.new_secret, editable=False, max_length=64)),
                ('created_at', models.DateTimeField()),
                ('created_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('steward', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
        ),
        migrations.CreateModel(
            name='BrokenGlass',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('reason', models.TextField()),
                ('asked_at', models.DateTimeField()),
                ('since', models.DateTimeField(blank=True, null=True)),
                ('until', models.DateTimeField(blank=True, null=True)),
                ('person', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='broken_glasses', to=settings.AUTH_USER_MODEL)),
                ('witness', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('data_set', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='broken_glasses', to='annotation.dataset')),
            ],
            options={
                'verbose_name_plural': 'broken glasses',
            },
        ),
        migrations.AddField(
            model_name='study',
            name='data_set',
            field=models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='studies', to='annotation.dataset'),
        ),
        migrations.CreateModel(
            name='Division',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('seed', models.CharField(max_length=64)),
                ('open_percent', models.PositiveSmallIntegerField()),
                ('divided_at', models.DateTimeField()),
                ('data_set', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='divisions', to='annotation.dataset')),
                ('divided_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
        ),
        migrations.CreateModel(
            name='Grant',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('level', models.CharField(choices=[('aggregates', 'Aggregate figures'), ('open_split', 'Open split'), ('restricted_split', 'Restricted split'), ('majority', 'Gold'), ('per_rater', 'Ratings by rater'), ('comments', 'Comments'), ('item_text', 'Texts'), ('text_away', 'Texts in exports')], max_length=20)),
                ('purpose', models.TextField()),
                ('asked_at', models.DateTimeField()),
                ('stage', models.CharField(choices=[('requested', 'Waits for the data steward'), ('escalated', 'Waits for any data steward'), ('returned', 'Returned with a question'), ('refused', 'Refused'), ('approved', 'Approved')], default='requested', max_length=20)),
                ('since', models.DateTimeField(blank=True, null=True)),
                ('until', models.DateTimeField(blank=True, null=True)),
                ('revoked_at', models.DateTimeField(blank=True, null=True)),
                ('data_set', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='grants', to='annotation.dataset')),
                ('person', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='grants', to=settings.AUTH_USER_MODEL)),
                ('proposed_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('revoked_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
        ),
        migrations.CreateModel(
            name='GrantDecision',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('what', models.CharField(choices=[('revoked', 'revoked'), ('requested', 'requested'), ('escalated', 'escalated'), ('returned', 'returned'), ('refused', 'refused'), ('approved', 'approved')], max_length=20)),
                ('at', models.DateTimeField()),
                ('reason', models.TextField(blank=True)),
                ('by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('grant', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='decisions', to='annotation.grant')),
                ('person', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
        ),
        migrations.CreateModel(
            name='OpenItem',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('division', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='open_items', to='annotation.division')),
                ('item', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='opened', to='annotation.item')),
            ],
        ),
        migrations.AddConstraint(
            model_name='dataset',
            constraint=models.CheckConstraint(condition=models.Q(('provider_policy__in', ['none', 'self_hosted', 'listed'])), name='provider_policy_is_known'),
        ),
        migrations.AddConstraint(
            model_name='dataset',
            constraint=models.CheckConstraint(condition=models.Q(('longest_days__gt', 0)), name='a_grant_lasts_a_day_at_least'),
        ),
        migrations.AddConstraint(
            model_name='brokenglass',
            constraint=models.CheckConstraint(condition=models.Q(('witness__isnull', True), models.Q(('witness', models.F('person')), _negated=True), _connector='OR'), name='nobody_witnesses_themself'),
        ),
        migrations.AddConstraint(
            model_name='brokenglass',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('since__isnull', True), ('until__isnull', True), ('witness__isnull', True)), models.Q(('since__isnull', False), ('until__gt', models.F('since')), ('witness__isnull', False)), _connector='OR'), name='glass_breaks_before_a_witness'),
        ),
        migrations.AddConstraint(
            model_name='brokenglass',
            constraint=models.CheckConstraint(condition=models.Q(('reason', ''), _negated=True), name='glass_breaks_for_a_reason'),
        ),
        migrations.AddConstraint(
            model_name='division',
            constraint=models.CheckConstraint(condition=models.Q(('open_percent__lte', 100)), name='a_share_is_of_a_hundred'),
        ),
        migrations.AddIndex(
            model_name='grant',
            index=models.Index(fields=['person', 'data_set', 'level'], name='annotation__person__833516_idx'),
        ),
        migrations.AddConstraint(
            model_name='grant',
            constraint=models.UniqueConstraint(condition=models.Q(('stage__in', ['requested', 'escalated'])), fields=('person', 'data_set', 'level'), name='one_open_request_a_level'),
        ),
        migrations.AddConstraint(
            model_name='grant',
            constraint=models.CheckConstraint(condition=models.Q(('level__in', ['aggregates', 'open_split', 'restricted_split', 'majority', 'per_rater', 'comments', 'item_text', 'text_away'])), name='grant_level_is_known'),
        ),
        migrations.AddConstraint(
            model_name='grant',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('since__isnull', False), ('stage', 'approved'), ('until__gt', models.F('since'))), models.Q(models.Q(('stage', 'approved'), _negated=True), ('since__isnull', True), ('until__isnull', True)), _connector='OR'), name='what_is_approved_has_its_term'),
        ),
        migrations.AddConstraint(
            model_name='grant',
            constraint=models.CheckConstraint(condition=models.Q(('revoked_at__isnull', True), ('stage', 'approved'), _connector='OR'), name='only_what_was_approved_is_revoked'),
        ),
        migrations.AddConstraint(
            model_name='grantdecision',
            constraint=models.UniqueConstraint(condition=models.Q(('what', 'approved')), fields=('grant', 'by'), name='two_approvals_are_of_two_people'),
        ),
        migrations.AddConstraint(
            model_name='grantdecision',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('what', 'approved'), _negated=True), ('by__isnull', True), models.Q(('by', models.F('person')), _negated=True), _connector='OR'), name='nobody_approves_a_grant_of_their_own'),
        ),
        migrations.AddConstraint(
            model_name='grantdecision',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('what__in', ['refused', 'returned']), _negated=True), models.Q(('reason', ''), _negated=True), _connector='OR'), name='a_refused_grant_has_a_reason'),
        ),
    ]
