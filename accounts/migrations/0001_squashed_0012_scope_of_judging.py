"""What `0001` to `0012` come to, for a database that is new."""

import django.contrib.postgres.fields
import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

from accounts.ledger.governed import edition_of
from accounts.squashing import CreateTogether

# The edition under which the ledger notes each table.
NOTED = {
    "accounts_user": 1,
    "accounts_suspension": 1,
    "accounts_terms": 3,
    "accounts_termsacceptance": 1,
    "accounts_accessrequest": 1,
}
REFUSE = """
CREATE FUNCTION accounts_refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'rows of % are kept as they are', TG_TABLE_NAME USING ERRCODE = 'restrict_violation';
END
$$;
"""

KEPT_AS_IT_IS = [
    "accounts_terms",
    "accounts_termsacceptance",
    "accounts_event",
    "accounts_rowdigest",
    "accounts_seal",
]


def kept_as_it_is(table: str) -> migrations.RunSQL:
    return migrations.RunSQL(
        f"CREATE TRIGGER kept_as_it_is BEFORE UPDATE OR DELETE ON {table} "
        "FOR EACH ROW EXECUTE FUNCTION accounts_refuse_change()"
    )


class Migration(migrations.Migration):
    initial = True
    replaces = [
        ("accounts", "0001_initial"),
        ("accounts", "0002_suspensions"),
        ("accounts", "0003_immutable_rows"),
        ("accounts", "0004_ledger"),
        ("accounts", "0005_governed_rows"),
        ("accounts", "0006_api_tokens"),
        ("accounts", "0007_grace"),
        ("accounts", "0008_scope_of_steering"),
        ("accounts", "0009_writes_by_program"),
        ("accounts", "0010_scope_of_adjudicating"),
        ("accounts", "0011_terms_by_language"),
        ("accounts", "0012_scope_of_judging"),
    ]

    operations = [
        CreateTogether(
            migrations.CreateModel(
                name='Terms',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('number', models.PositiveIntegerField(unique=True)),
                    ('title_en', models.CharField(blank=True, max_length=200)),
                    ('title_zh_hans', models.CharField(blank=True, max_length=200)),
                    ('body_en', models.TextField(blank=True)),
                    ('body_zh_hans', models.TextField(blank=True)),
                    ('sha256', models.CharField(max_length=64, unique=True)),
                    ('valid_days', models.PositiveIntegerField(default=365)),
                    ('published_at', models.DateTimeField()),
                    ('resign_by', models.DateTimeField(blank=True, null=True)),
                    ('texts', models.JSONField(default=dict)),
                ],
                options={
                    'verbose_name_plural': 'terms',
                },
            ),
            migrations.CreateModel(
                name='User',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('password', models.CharField(max_length=128, verbose_name='password')),
                    ('last_login', models.DateTimeField(blank=True, null=True, verbose_name='last login')),
                    ('email', models.EmailField(max_length=254, unique=True, verbose_name='email address')),
                    ('full_name', models.CharField(max_length=150, verbose_name='full name')),
                    ('affiliation', models.CharField(blank=True, max_length=200, verbose_name='affiliation')),
                    ('roles', django.contrib.postgres.fields.ArrayField(base_field=models.CharField(choices=[('steward', 'Data steward'), ('admin', 'Administrator'), ('auditor', 'Auditor')], max_length=20), blank=True, default=list, size=None)),
                    ('is_active', models.BooleanField(default=True)),
                    ('date_joined', models.DateTimeField(auto_now_add=True)),
                    ('approved_until', models.DateTimeField(blank=True, null=True)),
                ],
            ),
            migrations.CreateModel(
                name='AccessRequest',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('purpose', models.TextField()),
                    ('requested_at', models.DateTimeField()),
                    ('decision', models.CharField(choices=[('open', 'Waiting for a decision'), ('approved', 'Approved'), ('refused', 'Refused')], default='open', max_length=20)),
                    ('decided_at', models.DateTimeField(blank=True, null=True)),
                    ('reason', models.TextField(blank=True)),
                    ('decided_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                    ('user', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='access_requests', to=settings.AUTH_USER_MODEL)),
                    ('granted_until', models.DateTimeField(blank=True, null=True)),
                ],
                options={
                    'constraints': [models.UniqueConstraint(condition=models.Q(('decision', 'open')), fields=('user',), name='one_open_request_an_account'), models.CheckConstraint(condition=models.Q(models.Q(('decided_at__isnull', True), ('decided_by__isnull', True), ('decision', 'open')), models.Q(models.Q(('decision', 'open'), _negated=True), ('decided_at__isnull', False), ('decided_by__isnull', False)), _connector='OR'), name='a_decision_has_a_time_and_a_person'), models.CheckConstraint(condition=models.Q(('decided_by__isnull', True), models.Q(('decided_by', models.F('user')), _negated=True), _connector='OR'), name='nobody_decides_their_own_request'), models.CheckConstraint(condition=models.Q(models.Q(('decision', 'approved'), ('granted_until__isnull', False)), models.Q(models.Q(('decision', 'approved'), _negated=True), ('granted_until__isnull', True)), _connector='OR'), name='approval_has_an_end'), models.CheckConstraint(condition=models.Q(models.Q(('decision', 'refused'), _negated=True), models.Q(('reason', ''), _negated=True), _connector='OR'), name='refusal_has_a_reason')],
                },
            ),
            migrations.CreateModel(
                name='Event',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('verb', models.CharField(max_length=60)),
                    ('subject', models.CharField(max_length=100)),
                    ('at', models.DateTimeField()),
                    ('facts', models.JSONField(default=dict)),
                    ('actor', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='events', to=settings.AUTH_USER_MODEL)),
                ],
                options={
                    'indexes': [models.Index(fields=['subject', 'at'], name='accounts_ev_subject_31e2f0_idx'), models.Index(fields=['actor', 'at'], name='accounts_ev_actor_i_c4374b_idx')],
                },
            ),
            migrations.CreateModel(
                name='TermsAcceptance',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('typed_name', models.CharField(max_length=150)),
                    ('affiliation', models.CharField(blank=True, max_length=200)),
                    ('language', models.CharField(max_length=35)),
                    ('text_sha256', models.CharField(max_length=64)),
                    ('accepted_at', models.DateTimeField()),
                    ('effective_until', models.DateTimeField()),
                    ('terms', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='acceptances', to='accounts.terms')),
                    ('user', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='acceptances', to=settings.AUTH_USER_MODEL)),
                ],
                options={
                    'indexes': [models.Index(fields=['user', 'terms', 'effective_until'], name='accounts_te_user_id_e7eda2_idx')],
                },
            ),
            migrations.CreateModel(
                name='Suspension',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('suspended_at', models.DateTimeField()),
                    ('reason', models.TextField()),
                    ('reinstated_at', models.DateTimeField(blank=True, null=True)),
                    ('reinstated_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                    ('suspended_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                    ('user', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='suspensions', to=settings.AUTH_USER_MODEL)),
                ],
                options={
                    'constraints': [models.UniqueConstraint(condition=models.Q(('reinstated_at__isnull', True)), fields=('user',), name='one_suspension_at_a_time'), models.CheckConstraint(condition=models.Q(('suspended_by', models.F('user')), _negated=True), name='nobody_suspends_themself'), models.CheckConstraint(condition=models.Q(('reinstated_by__isnull', True), models.Q(models.Q(('reinstated_by', models.F('user')), _negated=True), models.Q(('reinstated_by', models.F('suspended_by')), _negated=True)), _connector='OR'), name='another_person_reinstates'), models.CheckConstraint(condition=models.Q(models.Q(('reinstated_at__isnull', True), ('reinstated_by__isnull', True)), models.Q(('reinstated_at__isnull', False), ('reinstated_by__isnull', False)), _connector='OR'), name='reinstated_at_and_by_go_together')],
                },
            ),
            migrations.CreateModel(
                name='RowDigest',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('table_name', models.CharField(max_length=63)),
                    ('edition', models.PositiveSmallIntegerField()),
                    ('row_ids', django.contrib.postgres.fields.ArrayField(base_field=models.BigIntegerField(), size=None)),
                    ('digests', django.contrib.postgres.fields.ArrayField(base_field=models.BinaryField(), size=None)),
                    ('noted_at', models.DateTimeField()),
                ],
            ),
            migrations.CreateModel(
                name='Unsealed',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('mark', models.CharField(blank=True, max_length=64)),
                    ('digest', models.ForeignKey(blank=True, db_constraint=False, db_index=False, null=True, on_delete=django.db.models.deletion.DO_NOTHING, to='accounts.rowdigest')),
                    ('event', models.ForeignKey(blank=True, db_constraint=False, db_index=False, null=True, on_delete=django.db.models.deletion.DO_NOTHING, to='accounts.event')),
                ],
                options={
                    'verbose_name_plural': 'unsealed',
                },
            ),
            migrations.CreateModel(
                name='Seal',
                fields=[
                    ('sequence', models.BigIntegerField(primary_key=True, serialize=False)),
                    ('sealed_at', models.DateTimeField()),
                    ('previous', models.BinaryField()),
                    ('hash', models.BinaryField()),
                    ('digest', models.OneToOneField(blank=True, db_constraint=False, null=True, on_delete=django.db.models.deletion.DO_NOTHING, related_name='seal', to='accounts.rowdigest')),
                    ('event', models.OneToOneField(blank=True, db_constraint=False, null=True, on_delete=django.db.models.deletion.DO_NOTHING, related_name='seal', to='accounts.event')),
                ],
                options={
                    'constraints': [models.CheckConstraint(condition=models.Q(models.Q(('digest__isnull', True), ('event__isnull', False)), models.Q(('digest__isnull', False), ('event__isnull', True)), _connector='OR'), name='a_seal_is_of_an_event_or_a_digest')],
                },
            ),
            migrations.CreateModel(
                name='ApiToken',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('name', models.CharField(max_length=100)),
                    ('scopes', django.contrib.postgres.fields.ArrayField(base_field=models.CharField(choices=[('read', 'Read studies, rounds, runs and figures'), ('work', 'Rate items: read what is to be rated, and submit'), ('release', 'Read ratings and gold; build releases and download them'), ('people', 'Read who is on the team, and who may see what'), ('steer', 'Change teams, open and close rounds, set items aside, rule on disclosure'), ('adjudicate', 'Adjudicate: read what raters disagree on, and decide it'), ('bring', 'Bring in items, ratings and lists'), ('write', 'Publish editions of rubrics, and go on under them'), ('judge', 'Start, pace and end runs of judges; prompts, replies, sentinels, juries'), ('grant', 'Ask for levels of data sets, and decide about them')], max_length=20), size=None)),
                    ('sha256', models.CharField(max_length=64, unique=True)),
                    ('made_at', models.DateTimeField()),
                    ('expires_at', models.DateTimeField()),
                    ('revoked_at', models.DateTimeField(blank=True, null=True)),
                    ('user', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='tokens', to=settings.AUTH_USER_MODEL)),
                ],
            ),
            migrations.CreateModel(
                name='ApiWrite',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('key_sha256', models.CharField(max_length=64)),
                    ('sent_sha256', models.CharField(max_length=64)),
                    ('status', models.PositiveSmallIntegerField(default=0)),
                    ('answer', models.JSONField(default=dict)),
                    ('written_at', models.DateTimeField()),
                    ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='api_writes', to=settings.AUTH_USER_MODEL)),
                ],
                options={
                    'indexes': [models.Index(fields=['written_at'], name='writes_by_time')],
                    'constraints': [models.UniqueConstraint(fields=('user', 'key_sha256'), name='a_write_is_done_once')],
                },
            ),
        ),
        migrations.RunSQL(REFUSE),
        *map(kept_as_it_is, KEPT_AS_IT_IS),
        *(step for table, edition in NOTED.items() for step in edition_of(table, edition)),
    ]
