"""What `0001` to `0016` come to, for a database that is new."""

from collections.abc import Iterator

import django.contrib.postgres.fields
import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

from accounts.ledger.governed import edition_of
from accounts.squashing import CreateTogether

# The edition under which the ledger notes each table.
NOTED = {
    "analytics_broughtpolicy": 1,
    "analytics_fixedpolicy": 1,
    "analytics_sealedverdicts": 1,
    "analytics_sentinelcheck": 1,
    "analytics_sentinelruling": 1,
    "analytics_jury": 1,
    "analytics_export": 1,
    "analytics_disclosureruling": 1,
    "analytics_copystatement": 1,
}
# Columns that may change all the same in a row that is kept.
MAY_CHANGE = {
    "analytics_broughtpolicy": "",
    "analytics_copystatement": "",
    "analytics_disclosureruling": "",
    "analytics_fixedpolicy": "",
    "analytics_jury": "'ended_at', 'ended_by_id', 'end_reason'",
    "analytics_sealedverdicts": "",
    "analytics_sentinelcheck": "",
    "analytics_sentinelruling": "",
}
# What a statement changed is listed by answer, or as a whole (item 0) when it changed very much.
# Gold has no rater (0).
LISTS = {
    "annotation_submission": """
        SELECT DISTINCT study_id, item_id, rater_id FROM changed
    """,
    "annotation_rating": """
        SELECT DISTINCT study_id, item_id, rater_id
        FROM changed JOIN annotation_submission submission ON submission.id = submission_id
    """,
    "annotation_gold": """
        SELECT DISTINCT study_id, item_id, 0
        FROM changed JOIN annotation_item item ON item.id = item_id
    """,
    "annotation_item": """
        SELECT DISTINCT study_id, 0, 0 FROM changed
    """,
}
FUNCTION = """
CREATE FUNCTION {table}_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF (SELECT count(*) FROM changed) <= 1000 THEN
        INSERT INTO analytics_change (study_id, item_id, rater_id) {rows};
    ELSE
        INSERT INTO analytics_change (study_id, item_id, rater_id)
        SELECT DISTINCT study_id, 0, 0 FROM ({rows}) AS one (study_id, item_id, rater_id);
    END IF;
    RETURN NULL;
END $$
"""
EVENTS = {"INSERT": "NEW", "UPDATE": "NEW", "DELETE": "OLD"}


def keep_row(table: str, columns: str) -> migrations.RunSQL:
    return migrations.RunSQL(
        f"CREATE TRIGGER keep_row BEFORE UPDATE OR DELETE ON {table}"
        f" FOR EACH ROW EXECUTE FUNCTION annotation_keep_row({columns})"
    )


def listing(table: str, rows: str) -> Iterator[migrations.RunSQL]:
    yield migrations.RunSQL(FUNCTION.format(table=table, rows=rows))
    for event, rows_of in EVENTS.items():
        name = f"list_{event.lower()}"
        yield migrations.RunSQL(
            f"CREATE TRIGGER {name} AFTER {event} ON {table} REFERENCING {rows_of} TABLE AS changed"
            f" FOR EACH STATEMENT EXECUTE FUNCTION {table}_changed()"
        )


class Migration(migrations.Migration):
    initial = True
    replaces = [
        ("analytics", "0001_initial"),
        ("analytics", "0002_snapshot_edition"),
        ("analytics", "0003_parts"),
        ("analytics", "0004_packed"),
        ("analytics", "0005_fixed_policy"),
        ("analytics", "0006_writeups"),
        ("analytics", "0007_brought_policies"),
        ("analytics", "0008_who_made_it"),
        ("analytics", "0009_sealed_verdicts"),
        ("analytics", "0010_governed_rows"),
        ("analytics", "0011_rulings_and_links"),
        ("analytics", "0012_sentinel_checks"),
        ("analytics", "0013_copy_statements"),
        ("analytics", "0014_sentinel_rulings"),
        ("analytics", "0015_juries"),
        ("analytics", "0016_has_earlier"),
    ]
    dependencies = [("judging", "0001_squashed_0020_values_of_both_replies")]

    operations = [
        CreateTogether(
            migrations.CreateModel(
                name='Export',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('exported_at', models.DateTimeField()),
                    ('revision', models.PositiveBigIntegerField()),
                    ('manifest', models.JSONField()),
                    ('sha256', models.CharField(max_length=64)),
                    ('exported_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='exports', to=settings.AUTH_USER_MODEL)),
                    ('study', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='exports', to='annotation.study')),
                ],
            ),
            migrations.CreateModel(
                name='Snapshot',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('revision', models.PositiveBigIntegerField()),
                    ('with_off_scale', models.BooleanField()),
                    ('computed_at', models.DateTimeField()),
                    ('report', models.JSONField()),
                    ('study', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='snapshots', to='annotation.study')),
                    ('edition', models.PositiveIntegerField()),
                    ('part', models.CharField(max_length=30)),
                    ('with_quarantined', models.BooleanField()),
                    ('has_earlier', models.BooleanField(default=False)),
                ],
                options={
                    'constraints': [models.UniqueConstraint(fields=('study', 'part', 'with_off_scale', 'with_quarantined'), name='one_snapshot_a_view')],
                },
            ),
            migrations.CreateModel(
                name='Change',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('study_id', models.BigIntegerField(db_index=True)),
                    ('item_id', models.BigIntegerField()),
                    ('rater_id', models.BigIntegerField()),
                ],
            ),
            migrations.CreateModel(
                name='PackedStudy',
                fields=[
                    ('study', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='packed', serialize=False, to='annotation.study')),
                    ('edition', models.PositiveIntegerField()),
                    ('items', models.BinaryField()),
                    ('words', models.JSONField()),
                ],
                options={
                    'verbose_name_plural': 'packed studies',
                },
            ),
            migrations.CreateModel(
                name='PackedColumn',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('rater_id', models.BigIntegerField()),
                    ('repeat', models.PositiveIntegerField()),
                    ('cells', models.BinaryField()),
                    ('study', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='packed_columns', to='annotation.study')),
                ],
                options={
                    'constraints': [models.UniqueConstraint(fields=('study', 'rater_id', 'repeat'), name='one_column_a_repeat')],
                },
            ),
            migrations.CreateModel(
                name='FixedPolicy',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('key', models.CharField(max_length=60)),
                    ('text', models.TextField()),
                    ('sha256', models.CharField(max_length=64)),
                    ('n_judged', models.PositiveBigIntegerField()),
                    ('fixed_at', models.DateTimeField()),
                    ('fixed_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                    ('study', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='fixed_policies', to='annotation.study')),
                ],
                options={
                    'verbose_name_plural': 'fixed policies',
                },
            ),
            migrations.CreateModel(
                name='Verification',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('asked_at', models.DateTimeField()),
                    ('done_at', models.DateTimeField(blank=True, null=True)),
                    ('revision', models.PositiveBigIntegerField(blank=True, null=True)),
                    ('with_off_scale', models.BooleanField()),
                    ('with_quarantined', models.BooleanField()),
                    ('checks', models.JSONField(blank=True, default=list)),
                    ('asked_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                    ('study', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='%(class)ss', to='annotation.study')),
                    ('concord', models.CharField(blank=True, default='', max_length=30)),
                ],
                options={
                    'constraints': [models.UniqueConstraint(fields=('study', 'with_off_scale', 'with_quarantined'), name='one_verification_a_view')],
                },
            ),
            migrations.CreateModel(
                name='Writeup',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('asked_at', models.DateTimeField()),
                    ('done_at', models.DateTimeField(blank=True, null=True)),
                    ('revision', models.PositiveBigIntegerField(blank=True, null=True)),
                    ('language', models.CharField(max_length=10)),
                    ('archive', models.BinaryField(blank=True, default=b'')),
                    ('sha256', models.CharField(blank=True, default='', max_length=64)),
                    ('listing', models.JSONField(blank=True, default=dict)),
                    ('asked_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                    ('study', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='%(class)ss', to='annotation.study')),
                    ('concord', models.CharField(blank=True, default='', max_length=30)),
                ],
                options={
                    'constraints': [models.UniqueConstraint(fields=('study', 'language'), name='one_writeup_a_language')],
                },
            ),
            migrations.CreateModel(
                name='BroughtPolicy',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('file_name', models.CharField(max_length=200)),
                    ('text', models.TextField()),
                    ('sha256', models.CharField(max_length=64)),
                    ('brought_at', models.DateTimeField()),
                    ('brought_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                    ('study', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='brought_policies', to='annotation.study')),
                ],
                options={
                    'verbose_name_plural': 'brought policies',
                    'constraints': [models.UniqueConstraint(fields=('study', 'sha256'), name='a_policy_is_brought_once')],
                },
            ),
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
            migrations.CreateModel(
                name='SentinelCheck',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('verdict', models.CharField(max_length=20)),
                    ('figures', models.JSONField()),
                    ('made_at', models.DateTimeField()),
                    ('run', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='sentinel_check', to='judging.judgerun')),
                ],
            ),
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
                    'constraints': [models.UniqueConstraint(fields=('study', 'key'), name='a_jury_has_a_key_once'), models.CheckConstraint(condition=models.Q(models.Q(('end_reason', ''), ('ended_at', None)), models.Q(('ended_at__isnull', False), models.Q(('end_reason', ''), _negated=True)), _connector='OR'), name='a_jury_ends_with_a_reason')],
                },
            ),
        ),
        *(keep_row(table, columns) for table, columns in MAY_CHANGE.items()),
        # Codes barely compress, and are written as a whole.
        migrations.RunSQL("ALTER TABLE analytics_packedcolumn ALTER COLUMN cells SET STORAGE EXTERNAL"),
        *(step for table, rows in LISTS.items() for step in listing(table, rows)),
        *(step for table, edition in NOTED.items() for step in edition_of(table, edition)),
    ]
