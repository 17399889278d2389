"""What `0001` to `0044` come to, for a database that is new."""

import django.contrib.postgres.fields
import django.db.models.deletion
import django.db.models.functions.text
import django.db.models.lookups
from django.conf import settings
from django.db import migrations, models

import annotation.models.data_sets
import annotation.models.studies
from accounts.ledger.governed import edition_of
from accounts.squashing import CreateTogether

# The edition under which the ledger notes each table.
NOTED = {
    "annotation_rubricversion": 1,
    "annotation_rubricchange": 1,
    "annotation_rater": 1,
    "annotation_membership": 1,
    "annotation_dialogue": 1,
    "annotation_item": 2,
    "annotation_screening": 1,
    "annotation_itemnote": 1,
    "annotation_quarantine": 1,
    "annotation_round": 4,
    "annotation_discussionremark": 1,
    "annotation_secondvote": 1,
    "annotation_dispute": 1,
    "annotation_submission": 1,
    "annotation_rating": 2,
    "annotation_ratinggrounds": 2,
    "annotation_adjudication": 2,
    "annotation_broughtambiguity": 1,
    "annotation_opinion": 2,
    "annotation_goldaudit": 2,
    "annotation_gold": 2,
    "annotation_dataset": 1,
    "annotation_grant": 1,
    "annotation_grantdecision": 1,
    "annotation_brokenglass": 1,
    "annotation_division": 1,
    "annotation_openitem": 1,
    "annotation_holdout": 1,
    "annotation_heldoutitem": 1,
}
# The trigger's arguments are the columns that may change all the same.
FUNCTION = """
CREATE FUNCTION annotation_keep_row() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    allowed text[] := coalesce(TG_ARGV, '{}');
BEGIN
    IF TG_OP = 'DELETE' OR to_jsonb(OLD) - allowed <> to_jsonb(NEW) - allowed THEN
        RAISE EXCEPTION 'A row of % is never changed or deleted.', TG_TABLE_NAME
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$
"""
MAY_CHANGE = {
    "annotation_adjudication": "",
    "annotation_broughtambiguity": "",
    "annotation_discussionremark": "",
    "annotation_dispute": "'answer', 'answered_at', 'answered_by_id'",
    "annotation_gold": "'superseded_at'",
    "annotation_goldaudit": "'decided_by_id', 'decided_at', 'values', 'reason', 'code', 'is_overturned', 'ways'",
    "annotation_heldoutitem": "",
    "annotation_holdout": "'ended_at', 'ended_by_id', 'end_reason'",
    "annotation_itemnote": "",
    "annotation_opinion": "",
    "annotation_quarantine": "'lifted_at', 'lifted_by_id'",
    "annotation_rating": "",
    "annotation_ratinggrounds": "",
    "annotation_round": "'state', 'step', 'closed_at', 'closed_by_id', 'verdict',"
    " 'kappa', 'kappa_low', 'kappa_high', 'kappa_items', 'kappa_criterion',"
    " 'due_on', 'cancel_reason'",
    "annotation_rubricchange": "'undone_at', 'undone_by_id'",
    "annotation_rubricversion": "",
    "annotation_screening": "",
    "annotation_secondvote": "",
    "annotation_submission": "'is_current'",
}


def keep_row(table: str, columns: str) -> migrations.RunSQL:
    return migrations.RunSQL(
        f"CREATE TRIGGER keep_row BEFORE UPDATE OR DELETE ON {table}"
        f" FOR EACH ROW EXECUTE FUNCTION annotation_keep_row({columns})"
    )


class Migration(migrations.Migration):
    initial = True
    replaces = [
        ("annotation", "0001_initial"),
        ("annotation", "0002_seats_count"),
        ("annotation", "0003_immutable_rows"),
        ("annotation", "0004_item_reply_speaker"),
        ("annotation", "0005_quarantine"),
        ("annotation", "0006_hidden_repeats"),
        ("annotation", "0007_round_kappa_interval"),
        ("annotation", "0008_remarks_have_an_end"),
        ("annotation", "0009_file_jobs"),
        ("annotation", "0010_governed_rows"),
        ("annotation", "0011_fewer_indexes"),
        ("annotation", "0012_drawn_items"),
        ("annotation", "0013_protocol"),
        ("annotation", "0014_protocol_is_kept"),
        ("annotation", "0015_screenings"),
        ("annotation", "0016_drafts"),
        ("annotation", "0017_care"),
        ("annotation", "0018_decided_anew"),
        ("annotation", "0019_notes_on_items"),
        ("annotation", "0020_rounds_are_due_or_cancelled"),
        ("annotation", "0021_changes_of_rubrics"),
        ("annotation", "0022_disputes"),
        ("annotation", "0023_rounds_qualify"),
        ("annotation", "0024_own_keys"),
        ("annotation", "0025_data_sets"),
        ("annotation", "0026_each_study_in_a_data_set"),
        ("annotation", "0027_data_sets_are_governed"),
        ("annotation", "0028_rubric_drafts"),
        ("annotation", "0029_hold_outs"),
        ("annotation", "0030_letter_choice"),
        ("annotation", "0031_second_adjudicator"),
        ("annotation", "0032_admissions"),
        ("annotation", "0033_gold_audits"),
        ("annotation", "0034_blinded_judges"),
        ("annotation", "0035_ways_through_graphs"),
        ("annotation", "0036_file_pieces"),
        ("annotation", "0037_stand_ins"),
        ("annotation", "0038_screenings_stay"),
        ("annotation", "0039_brought_ambiguity"),
        ("annotation", "0040_item_attributes"),
        ("annotation", "0041_ways_of_decisions"),
        ("annotation", "0042_rating_grounds"),
        ("annotation", "0043_descriptions_by_language"),
        ("annotation", "0044_rationales"),
    ]
    dependencies = [("accounts", "0001_squashed_0012_scope_of_judging")]

    operations = [
        CreateTogether(
            migrations.CreateModel(
                name='Dialogue',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('key', models.CharField(max_length=100)),
                    ('turns', models.JSONField()),
                    ('study', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='dialogues', to='annotation.study')),
                ],
                options={
                    'constraints': [models.UniqueConstraint(fields=('study', 'key'), name='one_dialogue_a_key')],
                },
            ),
            migrations.CreateModel(
                name='Rubric',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('key', models.SlugField(max_length=60, unique=True)),
                ],
            ),
            migrations.CreateModel(
                name='Item',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('key', models.CharField(max_length=160)),
                    ('position', models.PositiveIntegerField()),
                    ('reply', models.TextField(blank=True, null=True)),
                    ('generator', models.CharField(blank=True, max_length=100)),
                    ('content_note', models.CharField(blank=True, max_length=200)),
                    ('content_sha256', models.CharField(max_length=64)),
                    ('dialogue', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='items', to='annotation.dialogue')),
                    ('study', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='items', to='annotation.study')),
                    ('reply_speaker', models.CharField(default='supporter', max_length=20)),
                    ('attributes', models.JSONField(blank=True, default=dict)),
                ],
                options={
                    'indexes': [models.Index(fields=['study', 'position'], name='annotation__study_i_4d9491_idx')],
                    'constraints': [models.UniqueConstraint(fields=('study', 'key'), name='one_item_a_key')],
                },
            ),
            migrations.CreateModel(
                name='Rater',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('key', models.SlugField(max_length=100, unique=True)),
                    ('name', models.CharField(max_length=150)),
                    ('kind', models.CharField(choices=[('human', 'Human'), ('judge', 'LLM judge')], max_length=10)),
                    ('own_generators', django.contrib.postgres.fields.ArrayField(base_field=models.CharField(max_length=100), blank=True, default=list, size=None)),
                    ('user', models.OneToOneField(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='rater', to=settings.AUTH_USER_MODEL)),
                ],
            ),
            migrations.CreateModel(
                name='Round',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('number', models.PositiveIntegerField()),
                    ('raters_per_item', models.PositiveSmallIntegerField()),
                    ('gate', models.FloatField(default=0.4)),
                    ('state', models.CharField(choices=[('open', 'open'), ('closed', 'closed'), ('cancelled', 'cancelled')], default='open', max_length=20)),
                    ('opened_at', models.DateTimeField()),
                    ('override_reason', models.TextField(blank=True)),
                    ('closed_at', models.DateTimeField(blank=True, null=True)),
                    ('kappa', models.FloatField(blank=True, null=True)),
                    ('verdict', models.CharField(blank=True, max_length=20)),
                    ('closed_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                    ('opened_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                    ('rubric_version', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, to='annotation.rubricversion')),
                    ('study', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='rounds', to='annotation.study')),
                    ('re_review_of', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='re_reviews', to='annotation.round')),
                    ('repeat_percent', models.PositiveSmallIntegerField(default=0)),
                    ('kappa_criterion', models.CharField(blank=True, max_length=60)),
                    ('kappa_high', models.FloatField(blank=True, null=True)),
                    ('kappa_items', models.PositiveIntegerField(blank=True, null=True)),
                    ('kappa_low', models.FloatField(blank=True, null=True)),
                    ('audit_percent', models.PositiveSmallIntegerField(default=0)),
                    ('draw_seed', models.CharField(blank=True, max_length=100)),
                    ('drawn_from', models.PositiveIntegerField(blank=True, null=True)),
                    ('protocol', models.JSONField(default=annotation.models.studies.decided_at_once)),
                    ('step', models.CharField(choices=[('rating', 'rating'), ('gate', 'gate'), ('re_review', 're_review'), ('deciding', 'deciding')], default='rating', max_length=20)),
                    ('due_on', models.DateField(blank=True, null=True)),
                    ('cancel_reason', models.TextField(blank=True)),
                    ('pass_percent', models.PositiveSmallIntegerField(blank=True, null=True)),
                ],
                options={
                    'constraints': [models.UniqueConstraint(fields=('study', 'number'), name='one_round_a_number'), models.CheckConstraint(condition=django.db.models.lookups.LessThanOrEqual(django.db.models.functions.text.Length('override_reason'), 10000), name='an_override_reason_has_an_end'), models.CheckConstraint(condition=models.Q(('step__in', ['rating', 'gate', 're_review', 'deciding'])), name='round_step_is_known'), models.CheckConstraint(condition=models.Q(('state__in', ['open', 'closed', 'cancelled'])), name='round_state_is_known'), models.CheckConstraint(condition=models.Q(models.Q(('closed_at__isnull', False), ('closed_by__isnull', False), ('state__in', ['closed', 'cancelled'])), models.Q(('closed_at__isnull', True), ('closed_by__isnull', True), ('state', 'open')), _connector='OR'), name='closed_at_and_by_go_with_its_end'), models.CheckConstraint(condition=models.Q(models.Q(models.Q(('cancel_reason', ''), _negated=True), ('state', 'cancelled')), models.Q(('cancel_reason', ''), models.Q(('state', 'cancelled'), _negated=True)), _connector='OR'), name='a_round_is_cancelled_for_a_reason'), models.CheckConstraint(condition=django.db.models.lookups.LessThanOrEqual(django.db.models.functions.text.Length('cancel_reason'), 10000), name='a_cancel_reason_has_an_end')],
                },
            ),
            migrations.CreateModel(
                name='Assignment',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('slot', models.PositiveSmallIntegerField()),
                    ('position', models.PositiveIntegerField()),
                    ('state', models.CharField(choices=[('open', 'open'), ('submitted', 'submitted'), ('released', 'released')], default='open', max_length=20)),
                    ('deferrals', models.PositiveIntegerField(default=0)),
                    ('item', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='assignments', to='annotation.item')),
                    ('rater', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='assignments', to='annotation.rater')),
                    ('round', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='assignments', to='annotation.round')),
                    ('repeat', models.PositiveSmallIntegerField(default=1)),
                ],
                options={
                    'indexes': [models.Index(condition=models.Q(('state', 'open')), fields=['rater', 'round', 'deferrals', 'position'], name='next_open_assignment')],
                    'constraints': [models.CheckConstraint(condition=models.Q(('state__in', ['open', 'submitted', 'released'])), name='assignment_state_is_known'), models.UniqueConstraint(condition=models.Q(('repeat', 1), models.Q(('state', 'released'), _negated=True)), fields=('round', 'item', 'slot'), name='a_slot_is_given_once'), models.UniqueConstraint(fields=('round', 'item', 'rater', 'repeat'), name='a_rater_gives_a_repeat_once')],
                },
            ),
            migrations.CreateModel(
                name='Adjudication',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('decided_at', models.DateTimeField()),
                    ('reason', models.TextField()),
                    ('decided_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                    ('item', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='adjudications', to='annotation.item')),
                    ('round', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='adjudications', to='annotation.round')),
                    ('code', models.CharField(choices=[('rubric', 'rubric'), ('text', 'text'), ('context', 'context'), ('slip', 'slip'), ('other', 'other')], default='other', max_length=20)),
                    ('ambiguous', django.contrib.postgres.fields.ArrayField(base_field=models.CharField(max_length=60), default=list, size=None)),
                    ('supersedes', models.OneToOneField(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='superseded_by', to='annotation.adjudication')),
                ],
                options={
                    'constraints': [models.CheckConstraint(condition=models.Q(('reason', ''), _negated=True), name='an_adjudication_has_a_reason'), models.CheckConstraint(condition=django.db.models.lookups.LessThanOrEqual(django.db.models.functions.text.Length('reason'), 10000), name='a_decision_s_reason_has_an_end'), models.UniqueConstraint(condition=models.Q(('supersedes__isnull', True)), fields=('round', 'item'), name='an_item_is_decided_once'), models.CheckConstraint(condition=models.Q(('code__in', ['rubric', 'text', 'context', 'slip', 'other'])), name='a_decision_s_code_is_known')],
                },
            ),
            migrations.CreateModel(
                name='RoundItem',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('position', models.PositiveIntegerField()),
                    ('n_submitted', models.PositiveSmallIntegerField(default=0)),
                    ('state', models.CharField(choices=[('rating', 'rating'), ('agreed', 'agreed'), ('disagreed', 'disagreed'), ('reviewed', 'reviewed'), ('discussed', 'discussed'), ('consensus', 'consensus'), ('second', 'second'), ('split', 'split'), ('adjudicated', 'adjudicated')], default='rating', max_length=20)),
                    ('item', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='round_items', to='annotation.item')),
                    ('round', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='round_items', to='annotation.round')),
                    ('probability', models.FloatField(default=1.0)),
                    ('is_gold', models.BooleanField(default=False)),
                ],
                options={
                    'indexes': [models.Index(fields=['round', 'state', 'position'], name='annotation__round_i_1e544b_idx')],
                    'constraints': [models.UniqueConstraint(fields=('round', 'item'), name='an_item_once_a_round'), models.CheckConstraint(condition=models.Q(('probability__gt', 0), ('probability__lte', 1)), name='a_drawn_item_had_a_chance'), models.CheckConstraint(condition=models.Q(('state__in', ['rating', 'agreed', 'disagreed', 'reviewed', 'discussed', 'consensus', 'second', 'split', 'adjudicated'])), name='item_state_is_known')],
                },
            ),
            migrations.CreateModel(
                name='RubricVersion',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('number', models.PositiveIntegerField()),
                    ('definition', models.JSONField()),
                    ('fingerprint', models.CharField(max_length=64)),
                    ('published_at', models.DateTimeField()),
                    ('rubric', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='versions', to='annotation.rubric')),
                ],
                options={
                    'constraints': [models.UniqueConstraint(fields=('rubric', 'number'), name='one_version_a_number'), models.UniqueConstraint(fields=('rubric', 'fingerprint'), name='one_version_a_text')],
                },
            ),
            migrations.CreateModel(
                name='Seat',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('rater', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='seats', to='annotation.rater')),
                    ('round', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='seats', to='annotation.round')),
                    ('n_assigned', models.PositiveIntegerField(default=0)),
                    ('n_submitted', models.PositiveIntegerField(default=0)),
                    ('n_gold', models.PositiveIntegerField(default=0)),
                    ('n_right', models.PositiveIntegerField(default=0)),
                    ('stands_in', models.BooleanField(default=False)),
                ],
                options={
                    'constraints': [models.UniqueConstraint(fields=('round', 'rater'), name='one_seat_a_rater')],
                },
            ),
            migrations.CreateModel(
                name='Study',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('key', models.SlugField(max_length=60, unique=True)),
                    ('name', models.CharField(max_length=200)),
                    ('language', models.CharField(default='en', max_length=10)),
                    ('created_at', models.DateTimeField()),
                    ('revision', models.PositiveBigIntegerField(default=0)),
                    ('release_key', models.CharField(default=annotation.models.studies.new_release_key, editable=False, max_length=64)),
                    ('created_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                    ('rubric_version', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, to='annotation.rubricversion')),
                    ('protocol', models.JSONField(default=annotation.models.studies.decided_at_once)),
                    ('data_set', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='studies', to='annotation.dataset')),
                    ('judges_blinded_at', models.DateTimeField(blank=True, null=True)),
                    ('judges_named_at', models.DateTimeField(blank=True, null=True)),
                    ('judges_named_why', models.CharField(blank=True, max_length=300)),
                    ('descriptions', models.JSONField(blank=True, default=dict)),
                ],
                options={
                    'verbose_name_plural': 'studies',
                    'constraints': [models.CheckConstraint(condition=models.Q(('judges_named_at', None), ('judges_blinded_at__isnull', False), _connector='OR'), name='only_blinded_judges_are_named'), models.CheckConstraint(condition=models.Q(('judges_named_why', ''), ('judges_named_at__isnull', False), _connector='OR'), name='a_reason_to_name_judges_names_them')],
                },
            ),
            migrations.CreateModel(
                name='Membership',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('roles', django.contrib.postgres.fields.ArrayField(base_field=models.CharField(choices=[('coordinator', 'Coordinator'), ('annotator', 'Annotator'), ('adjudicator', 'Adjudicator'), ('researcher', 'Researcher'), ('exporter', 'Exporter')], max_length=20), size=None)),
                    ('user', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='memberships', to=settings.AUTH_USER_MODEL)),
                    ('study', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='memberships', to='annotation.study')),
                ],
                options={
                    'constraints': [models.UniqueConstraint(fields=('study', 'user'), name='one_membership_a_study')],
                },
            ),
            migrations.CreateModel(
                name='Submission',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('key', models.UUIDField(unique=True)),
                    ('origin', models.CharField(choices=[('round', 'Rated in a round'), ('import', 'Imported'), ('judge', 'Given by a judge')], max_length=10)),
                    ('repeat', models.PositiveSmallIntegerField(default=1)),
                    ('submitted_at', models.DateTimeField()),
                    ('seconds', models.PositiveIntegerField(blank=True, null=True)),
                    ('comment', models.TextField(blank=True)),
                    ('is_current', models.BooleanField(default=True)),
                    ('assignment', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='submissions', to='annotation.assignment')),
                    ('item', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='submissions', to='annotation.item')),
                    ('rater', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='submissions', to='annotation.rater')),
                    ('round', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='submissions', to='annotation.round')),
                    ('rubric_version', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, to='annotation.rubricversion')),
                    ('study', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='submissions', to='annotation.study')),
                    ('supersedes', models.OneToOneField(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='superseded_by', to='annotation.submission')),
                ],
                options={
                    'indexes': [models.Index(fields=['study', 'rater'], name='annotation__study_i_e23734_idx')],
                    'constraints': [models.UniqueConstraint(condition=models.Q(('is_current', True)), fields=('rater', 'item', 'round', 'repeat'), name='one_current_submission', nulls_distinct=False), models.CheckConstraint(condition=models.Q(models.Q(('assignment__isnull', False), ('origin', 'round'), ('round__isnull', False)), models.Q(models.Q(('origin', 'round'), _negated=True), ('assignment__isnull', True), ('round__isnull', True)), _connector='OR'), name='a_round_submission_has_an_assignment'), models.CheckConstraint(condition=django.db.models.lookups.LessThanOrEqual(django.db.models.functions.text.Length('comment'), 10000), name='a_comment_has_an_end')],
                },
            ),
            migrations.CreateModel(
                name='Rating',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('criterion_key', models.CharField(max_length=60)),
                    ('label', models.CharField(blank=True, max_length=60, null=True)),
                    ('score', models.SmallIntegerField(blank=True, null=True)),
                    ('unscored', models.CharField(blank=True, max_length=30)),
                    ('off_scale', models.BooleanField(default=False)),
                    ('submission', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='ratings', to='annotation.submission')),
                    ('path', models.TextField(blank=True, db_default='', default='')),
                ],
                options={
                    'constraints': [models.UniqueConstraint(fields=('submission', 'criterion_key'), name='one_rating_a_criterion'), models.CheckConstraint(condition=models.Q(models.Q(('label__isnull', False), ('score__isnull', True), ('unscored', '')), models.Q(('label__isnull', True), ('score__isnull', False), ('unscored', '')), models.Q(('label__isnull', True), ('score__isnull', True), models.Q(('unscored', ''), _negated=True)), _connector='OR'), name='rated_or_the_reason_why_not')],
                },
            ),
            migrations.CreateModel(
                name='Gold',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('criterion_key', models.CharField(max_length=60)),
                    ('label', models.CharField(blank=True, max_length=60, null=True)),
                    ('score', models.SmallIntegerField(blank=True, null=True)),
                    ('origin', models.CharField(choices=[('unanimous', 'Unanimous'), ('consensus', 'Agreed in discussion'), ('adjudicated', 'Adjudicated'), ('imported', 'Imported')], max_length=20)),
                    ('decided_at', models.DateTimeField()),
                    ('superseded_at', models.DateTimeField(blank=True, null=True)),
                    ('adjudication', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='gold', to='annotation.adjudication')),
                    ('item', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='gold', to='annotation.item')),
                    ('round', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='gold', to='annotation.round')),
                    ('path', models.TextField(blank=True, db_default='', default='')),
                ],
                options={
                    'verbose_name_plural': 'gold',
                    'constraints': [models.UniqueConstraint(condition=models.Q(('superseded_at__isnull', True)), fields=('item', 'criterion_key'), name='one_current_gold'), models.CheckConstraint(condition=models.Q(models.Q(('label__isnull', False), ('score__isnull', True)), models.Q(('label__isnull', True), ('score__isnull', False)), _connector='OR'), name='gold_is_a_label_or_a_score'), models.CheckConstraint(condition=models.Q(models.Q(('adjudication__isnull', False), ('origin', 'adjudicated')), models.Q(models.Q(('origin', 'adjudicated'), _negated=True), ('adjudication__isnull', True)), _connector='OR'), name='adjudicated_gold_has_its_adjudication')],
                },
            ),
            migrations.CreateModel(
                name='Quarantine',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('reason', models.TextField()),
                    ('quarantined_at', models.DateTimeField()),
                    ('lifted_at', models.DateTimeField(blank=True, null=True)),
                    ('item', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='quarantines', to='annotation.item')),
                    ('lifted_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                    ('quarantined_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ],
                options={
                    'verbose_name_plural': 'quarantine',
                    'constraints': [models.UniqueConstraint(condition=models.Q(('lifted_at__isnull', True)), fields=('item',), name='one_open_quarantine_an_item'), models.CheckConstraint(condition=models.Q(('reason', ''), _negated=True), name='a_quarantine_has_a_reason'), models.CheckConstraint(condition=models.Q(models.Q(('lifted_at__isnull', True), ('lifted_by__isnull', True)), models.Q(('lifted_at__isnull', False), ('lifted_by__isnull', False)), _connector='OR'), name='quarantine_lifted_at_and_by_go_together')],
                },
            ),
            migrations.CreateModel(
                name='FileJob',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('kind', models.CharField(choices=[('check', 'Check'), ('import', 'Import'), ('export', 'Export')], max_length=10)),
                    ('what', models.CharField(max_length=20)),
                    ('options', models.JSONField(blank=True, default=dict)),
                    ('file_name', models.CharField(blank=True, max_length=200)),
                    ('folder', models.CharField(blank=True, max_length=100)),
                    ('asked_at', models.DateTimeField()),
                    ('state', models.CharField(choices=[('waiting', 'waiting'), ('running', 'running'), ('done', 'done'), ('refused', 'refused'), ('cancelled', 'cancelled'), ('failed', 'failed')], default='waiting', max_length=10)),
                    ('attempts', models.PositiveSmallIntegerField(default=0)),
                    ('started_at', models.DateTimeField(blank=True, null=True)),
                    ('heartbeat_at', models.DateTimeField(blank=True, null=True)),
                    ('cancel_asked_at', models.DateTimeField(blank=True, null=True)),
                    ('finished_at', models.DateTimeField(blank=True, null=True)),
                    ('done', models.PositiveBigIntegerField(default=0)),
                    ('total', models.PositiveBigIntegerField(blank=True, null=True)),
                    ('reason', models.JSONField(blank=True, null=True)),
                    ('result', models.JSONField(blank=True, default=dict)),
                    ('asked_by', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='file_jobs', to=settings.AUTH_USER_MODEL)),
                    ('follows', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='followed_by', to='annotation.filejob')),
                    ('study', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='file_jobs', to='annotation.study')),
                ],
                options={
                    'constraints': [models.CheckConstraint(condition=models.Q(('state__in', ['waiting', 'running', 'done', 'refused', 'cancelled', 'failed'])), name='job_state_is_known'), models.CheckConstraint(condition=models.Q(('kind__in', ['check', 'import', 'export'])), name='job_kind_is_known'), models.CheckConstraint(condition=models.Q(models.Q(('finished_at__isnull', True), ('state__in', ('waiting', 'running'))), models.Q(models.Q(('state__in', ('waiting', 'running')), _negated=True), ('finished_at__isnull', False)), _connector='OR'), name='a_job_is_under_way_or_finished'), models.CheckConstraint(condition=models.Q(models.Q(('state', 'running'), _negated=True), ('heartbeat_at__isnull', False), _connector='OR'), name='a_running_job_has_a_heartbeat'), models.UniqueConstraint(condition=models.Q(('state__in', ['waiting', 'running', 'done'])), fields=('follows',), name='a_checked_file_is_imported_once'), models.UniqueConstraint(condition=models.Q(('kind', 'export'), ('state__in', ('waiting', 'running'))), fields=('study', 'asked_by'), name='one_export_at_a_time_an_account')],
                },
            ),
            migrations.CreateModel(
                name='DiscussionRemark',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('text', models.TextField()),
                    ('written_at', models.DateTimeField()),
                    ('author', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                    ('round_item', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='remarks', to='annotation.rounditem')),
                ],
                options={
                    'constraints': [models.CheckConstraint(condition=models.Q(('text', ''), _negated=True), name='a_remark_says_something'), models.CheckConstraint(condition=django.db.models.lookups.LessThanOrEqual(django.db.models.functions.text.Length('text'), 10000), name='a_remark_has_an_end')],
                },
            ),
            migrations.CreateModel(
                name='SecondVote',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('criterion_key', models.CharField(max_length=60)),
                    ('label', models.CharField(blank=True, max_length=60, null=True)),
                    ('score', models.SmallIntegerField(blank=True, null=True)),
                    ('given_at', models.DateTimeField()),
                    ('rater', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='annotation.rater')),
                    ('round_item', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='votes', to='annotation.rounditem')),
                ],
                options={
                    'constraints': [models.CheckConstraint(condition=models.Q(models.Q(('label__isnull', False), ('score__isnull', True)), models.Q(('label__isnull', True), ('score__isnull', False)), _connector='OR'), name='a_vote_is_a_label_or_a_score')],
                },
            ),
            migrations.CreateModel(
                name='Screening',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('screened_at', models.DateTimeField()),
                    ('edition', models.PositiveSmallIntegerField()),
                    ('hits', models.JSONField()),
                    ('redacted', models.PositiveIntegerField()),
                    ('dropped', models.PositiveIntegerField()),
                    ('kept', models.JSONField()),
                    ('screened_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                    ('study', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='screenings', to='annotation.study')),
                ],
            ),
            migrations.CreateModel(
                name='Draft',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('form', models.CharField(choices=[('rating', 'Rating'), ('correction', 'Correction'), ('adjudication', 'Adjudication'), ('revision', 'Revision'), ('remark', 'Discussion')], max_length=20)),
                    ('fields', models.JSONField(default=dict)),
                    ('words', models.TextField(blank=True)),
                    ('writer', models.UUIDField()),
                    ('version', models.PositiveIntegerField()),
                    ('kept_at', models.DateTimeField()),
                    ('assignment', models.ForeignKey(blank=True, db_index=False, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='drafts', to='annotation.assignment')),
                    ('round', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='drafts', to='annotation.round')),
                    ('round_item', models.ForeignKey(blank=True, db_index=False, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='drafts', to='annotation.rounditem')),
                    ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='drafts', to=settings.AUTH_USER_MODEL)),
                ],
                options={
                    'constraints': [models.UniqueConstraint(fields=('assignment', 'form', 'user'), name='one_draft_an_assignment'), models.UniqueConstraint(fields=('round_item', 'form', 'user'), name='one_draft_a_case'), models.CheckConstraint(condition=models.Q(models.Q(('assignment__isnull', True), ('form__in', ['adjudication', 'revision', 'remark']), ('round_item__isnull', False)), models.Q(('assignment__isnull', False), ('form__in', ['rating', 'correction']), ('round_item__isnull', True)), _connector='OR'), name='a_draft_is_of_one_form')],
                },
            ),
            migrations.CreateModel(
                name='Care',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('break_after', models.PositiveSmallIntegerField(default=0)),
                    ('most_a_day', models.PositiveSmallIntegerField(blank=True, null=True)),
                    ('support', models.TextField(blank=True)),
                    ('study', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='care', to='annotation.study')),
                ],
            ),
            migrations.CreateModel(
                name='PassedOn',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('assignment', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='passed_on', to='annotation.assignment')),
                ],
                options={
                    'verbose_name_plural': 'passed on',
                },
            ),
            migrations.CreateModel(
                name='ItemNote',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('text', models.TextField()),
                    ('written_at', models.DateTimeField()),
                    ('author', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                    ('item', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='notes', to='annotation.item')),
                ],
                options={
                    'constraints': [models.CheckConstraint(condition=models.Q(('text', ''), _negated=True), name='a_note_says_something'), models.CheckConstraint(condition=django.db.models.lookups.LessThanOrEqual(django.db.models.functions.text.Length('text'), 10000), name='a_note_has_an_end')],
                },
            ),
            migrations.CreateModel(
                name='RubricChange',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('plan', models.JSONField()),
                    ('carried', django.contrib.postgres.fields.ArrayField(base_field=models.BigIntegerField(), default=list, size=None)),
                    ('withdrawn', django.contrib.postgres.fields.ArrayField(base_field=models.BigIntegerField(), default=list, size=None)),
                    ('gold_made', django.contrib.postgres.fields.ArrayField(base_field=models.BigIntegerField(), default=list, size=None)),
                    ('gold_retired', django.contrib.postgres.fields.ArrayField(base_field=models.BigIntegerField(), default=list, size=None)),
                    ('again', django.contrib.postgres.fields.ArrayField(base_field=models.BigIntegerField(), default=list, size=None)),
                    ('made_at', models.DateTimeField()),
                    ('undone_at', models.DateTimeField(blank=True, null=True)),
                    ('after', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='annotation.rubricversion')),
                    ('before', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='annotation.rubricversion')),
                    ('made_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                    ('study', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='rubric_changes', to='annotation.study')),
                    ('undone_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ],
                options={
                    'constraints': [models.CheckConstraint(condition=models.Q(models.Q(('undone_at__isnull', True), ('undone_by__isnull', True)), models.Q(('undone_at__isnull', False), ('undone_by__isnull', False)), _connector='OR'), name='undone_at_and_by_go_together')],
                },
            ),
            migrations.CreateModel(
                name='Dispute',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('text', models.TextField()),
                    ('raised_at', models.DateTimeField()),
                    ('answer', models.TextField(blank=True)),
                    ('answered_at', models.DateTimeField(blank=True, null=True)),
                    ('answered_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                    ('rater', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='annotation.rater')),
                    ('round_item', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='disputes', to='annotation.rounditem')),
                ],
                options={
                    'constraints': [models.UniqueConstraint(fields=('round_item', 'rater'), name='a_rater_disputes_a_decision_once'), models.CheckConstraint(condition=models.Q(('text', ''), _negated=True), name='a_dispute_says_why'), models.CheckConstraint(condition=models.Q(django.db.models.lookups.LessThanOrEqual(django.db.models.functions.text.Length('text'), 10000), django.db.models.lookups.LessThanOrEqual(django.db.models.functions.text.Length('answer'), 10000)), name='a_dispute_has_an_end'), models.CheckConstraint(condition=models.Q(models.Q(('answer', ''), ('answered_at__isnull', True), ('answered_by__isnull', True)), models.Q(models.Q(('answer', ''), _negated=True), ('answered_at__isnull', False), ('answered_by__isnull', False)), _connector='OR'), name='a_dispute_is_answered_in_words')],
                },
            ),
            migrations.CreateModel(
                name='OwnKeys',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('keys', models.JSONField(default=dict)),
                    ('user', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='own_keys', to=settings.AUTH_USER_MODEL)),
                ],
                options={
                    'verbose_name_plural': 'own keys',
                },
            ),
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
                options={
                    'constraints': [models.CheckConstraint(condition=models.Q(('provider_policy__in', ['none', 'self_hosted', 'listed'])), name='provider_policy_is_known'), models.CheckConstraint(condition=models.Q(('longest_days__gt', 0)), name='a_grant_lasts_a_day_at_least')],
                },
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
                    'constraints': [models.CheckConstraint(condition=models.Q(('witness__isnull', True), models.Q(('witness', models.F('person')), _negated=True), _connector='OR'), name='nobody_witnesses_themself'), models.CheckConstraint(condition=models.Q(models.Q(('since__isnull', True), ('until__isnull', True), ('witness__isnull', True)), models.Q(('since__isnull', False), ('until__gt', models.F('since')), ('witness__isnull', False)), _connector='OR'), name='glass_breaks_before_a_witness'), models.CheckConstraint(condition=models.Q(('reason', ''), _negated=True), name='glass_breaks_for_a_reason')],
                },
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
                options={
                    'constraints': [models.CheckConstraint(condition=models.Q(('open_percent__lte', 100)), name='a_share_is_of_a_hundred')],
                },
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
                options={
                    'indexes': [models.Index(fields=['person', 'data_set', 'level'], name='annotation__person__833516_idx')],
                    'constraints': [models.UniqueConstraint(condition=models.Q(('stage__in', ['requested', 'escalated'])), fields=('person', 'data_set', 'level'), name='one_open_request_a_level'), models.CheckConstraint(condition=models.Q(('level__in', ['aggregates', 'open_split', 'restricted_split', 'majority', 'per_rater', 'comments', 'item_text', 'text_away'])), name='grant_level_is_known'), models.CheckConstraint(condition=models.Q(models.Q(('since__isnull', False), ('stage', 'approved'), ('until__gt', models.F('since'))), models.Q(models.Q(('stage', 'approved'), _negated=True), ('since__isnull', True), ('until__isnull', True)), _connector='OR'), name='what_is_approved_has_its_term'), models.CheckConstraint(condition=models.Q(('revoked_at__isnull', True), ('stage', 'approved'), _connector='OR'), name='only_what_was_approved_is_revoked')],
                },
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
                options={
                    'constraints': [models.UniqueConstraint(condition=models.Q(('what', 'approved')), fields=('grant', 'by'), name='two_approvals_are_of_two_people'), models.CheckConstraint(condition=models.Q(models.Q(('what', 'approved'), _negated=True), ('by__isnull', True), models.Q(('by', models.F('person')), _negated=True), _connector='OR'), name='nobody_approves_a_grant_of_their_own'), models.CheckConstraint(condition=models.Q(models.Q(('what__in', ['refused', 'returned']), _negated=True), models.Q(('reason', ''), _negated=True), _connector='OR'), name='a_refused_grant_has_a_reason')],
                },
            ),
            migrations.CreateModel(
                name='OpenItem',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('division', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='open_items', to='annotation.division')),
                    ('item', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='opened', to='annotation.item')),
                ],
            ),
            migrations.CreateModel(
                name='RubricDraft',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('words', models.TextField()),
                    ('earlier', models.TextField(blank=True)),
                    ('writer', models.UUIDField()),
                    ('version', models.PositiveIntegerField()),
                    ('kept_at', models.DateTimeField()),
                    ('study', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='rubric_drafts', to='annotation.study')),
                    ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='rubric_drafts', to=settings.AUTH_USER_MODEL)),
                ],
                options={
                    'constraints': [models.UniqueConstraint(fields=('study', 'user'), name='one_rubric_draft_a_writer')],
                },
            ),
            migrations.CreateModel(
                name='HoldOut',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('seed', models.CharField(max_length=64)),
                    ('percent', models.PositiveSmallIntegerField()),
                    ('drawn_at', models.DateTimeField()),
                    ('ended_at', models.DateTimeField(blank=True, null=True)),
                    ('end_reason', models.CharField(blank=True, max_length=300)),
                    ('drawn_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                    ('ended_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                    ('study', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='hold_outs', to='annotation.study')),
                ],
                options={
                    'constraints': [models.UniqueConstraint(condition=models.Q(('ended_at', None)), fields=('study',), name='one_hold_out_at_a_time'), models.CheckConstraint(condition=models.Q(('percent__gt', 0), ('percent__lt', 100)), name='a_hold_out_is_a_part'), models.CheckConstraint(condition=models.Q(models.Q(('end_reason', ''), ('ended_at', None)), models.Q(('ended_at__isnull', False), models.Q(('end_reason', ''), _negated=True)), _connector='OR'), name='a_hold_out_ends_with_a_reason')],
                },
            ),
            migrations.CreateModel(
                name='HeldOutItem',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('item', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='held_out_in', to='annotation.item')),
                    ('hold_out', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='held_out_items', to='annotation.holdout')),
                ],
                options={
                    'constraints': [models.UniqueConstraint(fields=('hold_out', 'item'), name='an_item_is_held_out_once')],
                },
            ),
            migrations.CreateModel(
                name='LetterChoice',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('wants_letters', models.BooleanField(default=True)),
                    ('user', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='letter_choice', to=settings.AUTH_USER_MODEL)),
                ],
            ),
            migrations.CreateModel(
                name='Opinion',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('decided_at', models.DateTimeField()),
                    ('values', models.JSONField()),
                    ('reason', models.TextField()),
                    ('code', models.CharField(choices=[('rubric', 'rubric'), ('text', 'text'), ('context', 'context'), ('slip', 'slip'), ('other', 'other')], max_length=20)),
                    ('decided_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                    ('round_item', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='opinions', to='annotation.rounditem')),
                    ('ways', models.JSONField(blank=True, db_default={}, default=dict)),
                ],
                options={
                    'constraints': [models.UniqueConstraint(fields=('round_item', 'decided_by'), name='an_adjudicator_has_one_opinion'), models.CheckConstraint(condition=models.Q(('code__in', ['rubric', 'text', 'context', 'slip', 'other'])), name='an_opinion_s_code_is_known'), models.CheckConstraint(condition=models.Q(('reason', ''), _negated=True), name='an_opinion_has_a_reason'), models.CheckConstraint(condition=django.db.models.lookups.LessThanOrEqual(django.db.models.functions.text.Length('reason'), 10000), name='an_opinion_s_reason_has_an_end')],
                },
            ),
            migrations.CreateModel(
                name='Admission',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('reason', models.TextField()),
                    ('let_in_at', models.DateTimeField()),
                    ('let_in_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                    ('study', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='admissions', to='annotation.study')),
                    ('user', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ],
                options={
                    'constraints': [models.UniqueConstraint(fields=('study', 'user'), name='one_admission_a_person'), models.CheckConstraint(condition=models.Q(('reason', ''), _negated=True), name='an_admission_has_a_reason'), models.CheckConstraint(condition=django.db.models.lookups.LessThanOrEqual(django.db.models.functions.text.Length('reason'), 10000), name='an_admission_s_reason_has_an_end')],
                },
            ),
            migrations.CreateModel(
                name='GoldAudit',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('criteria', django.contrib.postgres.fields.ArrayField(base_field=models.CharField(max_length=60), size=None)),
                    ('drawn_at', models.DateTimeField()),
                    ('decided_at', models.DateTimeField(blank=True, null=True)),
                    ('values', models.JSONField(blank=True, null=True)),
                    ('reason', models.TextField(blank=True)),
                    ('code', models.CharField(blank=True, max_length=20)),
                    ('is_overturned', models.BooleanField(blank=True, null=True)),
                    ('decided_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                    ('drawn_in', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='gold_audits', to='annotation.round')),
                    ('round_item', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='gold_audit', to='annotation.rounditem')),
                    ('ways', models.JSONField(blank=True, db_default={}, default=dict)),
                ],
                options={
                    'constraints': [models.CheckConstraint(condition=models.Q(models.Q(('code', ''), ('decided_at__isnull', True), ('decided_by__isnull', True), ('is_overturned__isnull', True), ('reason', ''), ('values__isnull', True)), models.Q(('decided_at__isnull', False), ('decided_by__isnull', False), ('is_overturned__isnull', False), ('values__isnull', False), models.Q(('reason', ''), _negated=True), models.Q(('code', ''), _negated=True)), _connector='OR'), name='an_audit_is_decided_whole'), models.CheckConstraint(condition=django.db.models.lookups.LessThanOrEqual(django.db.models.functions.text.Length('reason'), 10000), name='an_audit_s_reason_has_an_end')],
                },
            ),
            migrations.CreateModel(
                name='FilePiece',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('folder', models.CharField(max_length=100)),
                    ('number', models.PositiveIntegerField()),
                    ('content', models.BinaryField()),
                    ('kept_at', models.DateTimeField()),
                ],
                options={
                    'constraints': [models.UniqueConstraint(fields=('folder', 'number'), name='a_piece_of_a_file_is_kept_once')],
                },
            ),
            migrations.CreateModel(
                name='BroughtAmbiguity',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('criterion_key', models.CharField(max_length=60)),
                    ('distribution', models.TextField(blank=True)),
                    ('brought_at', models.DateTimeField()),
                    ('item', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='brought_ambiguities', to='annotation.item')),
                ],
                options={
                    'verbose_name_plural': 'brought ambiguities',
                    'constraints': [models.UniqueConstraint(fields=('item', 'criterion_key'), name='an_ambiguity_is_brought_once')],
                },
            ),
            migrations.CreateModel(
                name='RatingGrounds',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('criterion_key', models.CharField(max_length=60)),
                    ('confidence', models.PositiveSmallIntegerField(blank=True, null=True)),
                    ('defensible', django.contrib.postgres.fields.ArrayField(base_field=models.CharField(max_length=60), blank=True, default=list, size=None)),
                    ('evidence', django.contrib.postgres.fields.ArrayField(base_field=models.CharField(max_length=30), blank=True, default=list, size=None)),
                    ('submission', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='grounds', to='annotation.submission')),
                    ('unverified', django.contrib.postgres.fields.ArrayField(base_field=models.TextField(), blank=True, default=list, size=None)),
                    ('rationale', models.TextField(blank=True, default='')),
                ],
                options={
                    'verbose_name_plural': 'rating grounds',
                    'constraints': [models.UniqueConstraint(fields=('submission', 'criterion_key'), name='grounds_of_a_rating_once'), models.CheckConstraint(condition=models.Q(('confidence__isnull', False), models.Q(('defensible', []), _negated=True), models.Q(('evidence', []), _negated=True), models.Q(('unverified', []), _negated=True), models.Q(('rationale', ''), _negated=True), _connector='OR'), name='grounds_say_something'), models.CheckConstraint(condition=django.db.models.lookups.LessThanOrEqual(django.db.models.functions.text.Length('rationale'), 2000), name='a_rationale_has_an_end')],
                },
            ),
        ),
        # Archives are packed already: no processor time goes into packing pieces of them again.
        migrations.RunSQL("ALTER TABLE annotation_filepiece ALTER content SET STORAGE EXTERNAL"),
        migrations.RunSQL(FUNCTION),
        *(keep_row(table, columns) for table, columns in MAY_CHANGE.items()),
        *(step for table, edition in NOTED.items() for step in edition_of(table, edition)),
    ]
