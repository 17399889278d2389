"""What `0001` to `0020` come to, for a database that is new."""

from decimal import Decimal

import django.contrib.postgres.fields
import django.contrib.postgres.indexes
import django.db.models.deletion
import django.db.models.fields.json
from django.conf import settings
from django.db import migrations, models

from accounts.ledger.governed import edition_of
from accounts.squashing import CreateTogether

# The edition under which the ledger notes each table.
NOTED = {
    "judging_judge": 3,
    "judging_llmendpoint": 1,
    "judging_llmprice": 2,
    "judging_prompttemplate": 1,
    "judging_probe": 2,
    "judging_sentinelset": 1,
    "judging_sentinel": 1,
    "judging_holdoutuse": 1,
    "judging_generation": 1,
    "judging_llmgenerator": 1,
    "judging_writtenreply": 1,
    "judging_judgecall": 3,
    "judging_replycomparison": 2,
    "judging_preference": 2,
    "judging_handreading": 1,
    "judging_callreading": 1,
}
# Columns that may change all the same in a row that is kept.
MAY_CHANGE = {
    "judging_callreading": "",
    "judging_generation": "'taken_in_at', 'taken_in_by_id'",
    "judging_handreading": "",
    "judging_holdoutuse": "",
    "judging_llmendpoint": "'retired_at', 'retired_by_id'",
    "judging_llmgenerator": "",
    "judging_llmprice": "",
    "judging_preference": "",
    "judging_prompttemplate": "",
    "judging_replycomparison": "",
    "judging_sentinel": "",
    "judging_sentinelset": "'retired_at', 'retired_by_id'",
    "judging_senttext": "",
    "judging_writtenreply": "",
}
# Who answered the calls of each run is noted as they end, once for all of them.
NOTE = """
INSERT INTO judging_runanswerer AS known (run_id, llm, fingerprint, first_at, first_call)
SELECT run_id, answered_llm, coalesce(answered_fingerprint, ''), min(answered_at), min(id)
FROM ended
WHERE state = 'done' AND answered_llm <> ''
GROUP BY 1, 2, 3
ORDER BY 1, 2, 3
ON CONFLICT (run_id, llm, fingerprint) DO UPDATE
SET first_at = least(known.first_at, excluded.first_at),
    first_call = least(known.first_call, excluded.first_call)
WHERE excluded.first_at < known.first_at OR excluded.first_call < known.first_call
    OR known.first_at IS NULL AND excluded.first_at IS NOT NULL
"""
FUNCTION = f"""
CREATE FUNCTION judging_note_answerers() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    {NOTE};
    RETURN NULL;
END $$
"""
TRIGGER = """
CREATE TRIGGER note_answerers_{event} AFTER {event} ON judging_judgecall
REFERENCING NEW TABLE AS ended FOR EACH STATEMENT EXECUTE FUNCTION judging_note_answerers()
"""


def keep_row(table: str, columns: str) -> migrations.RunSQL:
    return migrations.RunSQL(
        f"CREATE TRIGGER keep_row BEFORE UPDATE OR DELETE ON {table}"
        f" FOR EACH ROW EXECUTE FUNCTION annotation_keep_row({columns})"
    )


def of_event(event: str) -> migrations.RunSQL:
    return migrations.RunSQL(TRIGGER.format(event=event))


class Migration(migrations.Migration):
    initial = True
    replaces = [
        ("judging", "0001_initial"),
        ("judging", "0002_provenance"),
        ("judging", "0003_who_answered"),
        ("judging", "0004_limits_and_probes"),
        ("judging", "0005_governed_rows"),
        ("judging", "0006_more_reasons_for_no_reading"),
        ("judging", "0007_readings"),
        ("judging", "0008_hand_readings"),
        ("judging", "0009_claims_and_retries"),
        ("judging", "0010_prompt_templates"),
        ("judging", "0011_endpoints"),
        ("judging", "0012_money"),
        ("judging", "0013_hold_out_uses"),
        ("judging", "0014_sentinels"),
        ("judging", "0015_generations"),
        ("judging", "0016_answerers"),
        ("judging", "0017_batches"),
        ("judging", "0018_comparisons"),
        ("judging", "0019_answer_pieces"),
        ("judging", "0020_values_of_both_replies"),
    ]
    dependencies = [("annotation", "0001_squashed_0044_rationales")]

    operations = [
        CreateTogether(
            migrations.CreateModel(
                name='Judge',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('llm', models.CharField(max_length=200)),
                    ('base_url', models.CharField(max_length=300)),
                    ('manner', models.CharField(choices=[('flat', 'All at once'), ('each', 'One criterion at a time'), ('sequential', 'Node by node')], default='flat', max_length=20)),
                    ('prompt_language', models.CharField(default='en', max_length=10)),
                    ('prompt_edition', models.CharField(max_length=20)),
                    ('temperature', models.FloatField(blank=True, null=True)),
                    ('max_tokens', models.PositiveIntegerField(blank=True, null=True)),
                    ('json_answer', models.BooleanField(default=True)),
                    ('is_stand_in', models.BooleanField(default=False)),
                    ('created_at', models.DateTimeField()),
                    ('rater', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='judge', to='annotation.rater')),
                    ('template', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='judges', to='judging.prompttemplate')),
                    ('endpoint', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='judges', to='judging.llmendpoint')),
                ],
            ),
            migrations.CreateModel(
                name='JudgeRun',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('repeats', models.PositiveSmallIntegerField(default=1)),
                    ('concurrency', models.PositiveSmallIntegerField(default=8)),
                    ('state', models.CharField(choices=[('running', 'Running'), ('paused', 'Paused'), ('finished', 'Finished')], default='running', max_length=20)),
                    ('pause_reason', models.CharField(blank=True, max_length=30)),
                    ('started_at', models.DateTimeField()),
                    ('finished_at', models.DateTimeField(blank=True, null=True)),
                    ('judge', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='runs', to='judging.judge')),
                    ('rubric_version', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, to='annotation.rubricversion')),
                    ('started_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                    ('study', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='judge_runs', to='annotation.study')),
                    ('authority', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                    ('round', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='judge_runs', to='annotation.round')),
                    ('limit_requests', models.PositiveIntegerField(blank=True, null=True)),
                    ('limit_tokens', models.PositiveBigIntegerField(blank=True, null=True)),
                    ('used_requests', models.PositiveIntegerField(default=0)),
                    ('used_tokens', models.PositiveBigIntegerField(default=0)),
                    ('probe', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='runs', to='judging.probe')),
                    ('retry_of', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='retries', to='judging.judgerun')),
                    ('currency', models.CharField(blank=True, max_length=3)),
                    ('limit_money', models.DecimalField(blank=True, decimal_places=4, max_digits=12, null=True)),
                    ('price_answer', models.DecimalField(blank=True, decimal_places=4, max_digits=12, null=True)),
                    ('price_prompt', models.DecimalField(blank=True, decimal_places=4, max_digits=12, null=True)),
                    ('used_money', models.DecimalField(decimal_places=8, default=Decimal('0'), max_digits=16)),
                    ('sentinels', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='runs', to='judging.sentinelset')),
                    ('generation', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='runs', to='judging.generation')),
                    ('by_batch', models.BooleanField(default=False)),
                    ('comparison', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='runs', to='judging.replycomparison')),
                ],
                options={
                    'constraints': [models.UniqueConstraint(condition=models.Q(('state', 'finished'), _negated=True), fields=('study', 'judge'), name='one_unfinished_run_a_judge'), models.CheckConstraint(condition=models.Q(models.Q(('state', 'paused'), models.Q(('pause_reason', ''), _negated=True)), models.Q(models.Q(('state', 'paused'), _negated=True), ('pause_reason', '')), _connector='OR'), name='a_paused_run_says_why'), models.CheckConstraint(condition=models.Q(models.Q(('finished_at__isnull', False), ('state', 'finished')), models.Q(models.Q(('state', 'finished'), _negated=True), ('finished_at__isnull', True)), _connector='OR'), name='finished_at_goes_with_finished'), models.CheckConstraint(condition=models.Q(('limit_money', None), models.Q(('price_answer__isnull', False), ('price_prompt__isnull', False)), _connector='OR'), name='money_is_limited_where_it_has_a_price')],
                },
            ),
            migrations.CreateModel(
                name='JudgeCall',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('repeat', models.PositiveSmallIntegerField()),
                    ('position', models.PositiveIntegerField()),
                    ('state', models.CharField(choices=[('pending', 'Pending'), ('leased', 'Under way'), ('batched', 'In a batch'), ('done', 'Done')], default='pending', max_length=10)),
                    ('leased_until', models.DateTimeField(blank=True, null=True)),
                    ('not_before', models.DateTimeField(blank=True, null=True)),
                    ('attempts', models.PositiveSmallIntegerField(default=0)),
                    ('outcome', models.CharField(blank=True, choices=[('rated', 'Rated'), ('written', 'Reply written'), ('empty', 'Empty answer'), ('refused', 'Declined to rate'), ('truncated', 'Cut off before an answer'), ('no_answer', 'No answer in the text'), ('ambiguous', 'Several answers'), ('hedged', 'Left in doubt'), ('quoted', 'Only quoted, not said'), ('only_reasoning', 'Reasoning without an answer'), ('schema_invalid', 'Not the JSON asked for'), ('out_of_range', 'Off the scale'), ('too_long', 'Too long for the LLM'), ('request_refused', 'Request refused'), ('endpoint_error', 'Endpoint failed')], max_length=30)),
                    ('problem', models.CharField(blank=True, max_length=100)),
                    ('prompt_sha256', models.CharField(blank=True, max_length=64)),
                    ('item_sha256', models.CharField(blank=True, max_length=64)),
                    ('sent_at', models.DateTimeField(blank=True, null=True)),
                    ('answered_at', models.DateTimeField(blank=True, null=True)),
                    ('item', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='judge_calls', to='annotation.item')),
                    ('submission', models.OneToOneField(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='judge_call', to='annotation.submission')),
                    ('run', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='calls', to='judging.judgerun')),
                    ('exchanges', models.JSONField(default=list, help_text='Each request in turn: what it asked, the hashes of its prompt, the raw text, and what the endpoint said of it: id, LLM, fingerprint, usage, how it ended.')),
                    ('answered_fingerprint', models.GeneratedField(db_persist=True, expression=django.db.models.fields.json.KeyTextTransform('fingerprint', django.db.models.fields.json.KeyTransform('-1', 'exchanges')), output_field=models.TextField(null=True))),
                    ('answered_llm', models.GeneratedField(db_persist=True, expression=django.db.models.fields.json.KeyTextTransform('llm', django.db.models.fields.json.KeyTransform('-1', 'exchanges')), output_field=models.TextField(null=True))),
                    ('parser_edition', models.CharField(blank=True, max_length=20)),
                    ('claims', models.PositiveIntegerField(default=0)),
                    ('second', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='annotation.item')),
                ],
                options={
                    'indexes': [models.Index(condition=models.Q(('state', 'done'), _negated=True), fields=['run', 'repeat', 'position'], name='calls_still_to_make')],
                    'constraints': [models.CheckConstraint(condition=models.Q(models.Q(('state', 'done'), models.Q(('outcome', ''), _negated=True)), models.Q(models.Q(('state', 'done'), _negated=True), ('outcome', '')), _connector='OR'), name='a_done_call_has_an_outcome'), models.UniqueConstraint(fields=('run', 'item', 'second', 'repeat'), name='an_item_or_a_pair_once_a_repeat', nulls_distinct=False), models.CheckConstraint(condition=models.Q(('item', models.F('second')), _negated=True), name='two_replies_are_compared')],
                },
            ),
            migrations.CreateModel(
                name='Probe',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('llm', models.CharField(max_length=200)),
                    ('base_url', models.CharField(max_length=300)),
                    ('findings', models.JSONField()),
                    ('seconds', models.FloatField()),
                    ('made_at', models.DateTimeField()),
                    ('made_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                    ('endpoint', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='probes', to='judging.llmendpoint')),
                ],
                options={
                    'indexes': [models.Index(fields=['llm', 'base_url'], name='judging_pro_llm_c30623_idx')],
                },
            ),
            migrations.CreateModel(
                name='CallReading',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('edition', models.CharField(max_length=20)),
                    ('outcome', models.CharField(choices=[('rated', 'Rated'), ('written', 'Reply written'), ('empty', 'Empty answer'), ('refused', 'Declined to rate'), ('truncated', 'Cut off before an answer'), ('no_answer', 'No answer in the text'), ('ambiguous', 'Several answers'), ('hedged', 'Left in doubt'), ('quoted', 'Only quoted, not said'), ('only_reasoning', 'Reasoning without an answer'), ('schema_invalid', 'Not the JSON asked for'), ('out_of_range', 'Off the scale'), ('too_long', 'Too long for the LLM'), ('request_refused', 'Request refused'), ('endpoint_error', 'Endpoint failed')], max_length=30)),
                    ('read_at', models.DateTimeField()),
                    ('call', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='readings', to='judging.judgecall')),
                    ('read_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                    ('submission', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='annotation.submission')),
                ],
                options={
                    'constraints': [models.UniqueConstraint(fields=('call', 'edition'), name='one_reading_an_edition')],
                },
            ),
            migrations.CreateModel(
                name='HandReading',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('criterion_key', models.CharField(max_length=50)),
                    ('label', models.CharField(blank=True, max_length=50, null=True)),
                    ('score', models.SmallIntegerField(blank=True, null=True)),
                    ('read_at', models.DateTimeField()),
                    ('call', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='hand_readings', to='judging.judgecall')),
                    ('read_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ],
                options={
                    'constraints': [models.CheckConstraint(condition=models.Q(models.Q(('label__isnull', True), ('score__isnull', False)), models.Q(('label__isnull', False), ('score__isnull', True)), _connector='OR'), name='a_label_or_a_score_is_read')],
                },
            ),
            migrations.CreateModel(
                name='SentText',
                fields=[
                    ('sha256', models.CharField(max_length=64, primary_key=True, serialize=False)),
                    ('text', models.TextField()),
                ],
            ),
            migrations.CreateModel(
                name='PromptTemplate',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('name', models.SlugField(max_length=60)),
                    ('number', models.PositiveIntegerField()),
                    ('text', models.TextField()),
                    ('sha256', models.CharField(max_length=64)),
                    ('note', models.CharField(blank=True, max_length=200)),
                    ('written_at', models.DateTimeField()),
                    ('study', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='prompt_templates', to='annotation.study')),
                    ('written_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ],
                options={
                    'constraints': [models.UniqueConstraint(fields=('study', 'name', 'number'), name='a_prompt_has_a_version_once')],
                },
            ),
            migrations.CreateModel(
                name='LLMEndpoint',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('key', models.SlugField(max_length=60)),
                    ('number', models.PositiveIntegerField()),
                    ('name', models.CharField(max_length=150)),
                    ('base_url', models.CharField(max_length=300)),
                    ('dialect', models.CharField(choices=[('openai', 'OpenAI'), ('azure', 'Azure OpenAI'), ('vllm', 'vLLM'), ('ollama', 'Ollama'), ('anthropic', 'Anthropic'), ('gemini', 'Gemini')], default='openai', max_length=20)),
                    ('key_reference', models.CharField(blank=True, max_length=120)),
                    ('headers', models.JSONField(blank=True, default=dict)),
                    ('body', models.JSONField(blank=True, default=dict)),
                    ('processor', models.CharField(choices=[('own', 'A server of one’s own'), ('contracted', 'A processor under contract'), ('other', 'Somebody else')], default='other', max_length=20)),
                    ('most_at_once', models.PositiveSmallIntegerField(blank=True, null=True)),
                    ('added_at', models.DateTimeField()),
                    ('retired_at', models.DateTimeField(blank=True, null=True)),
                    ('added_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                    ('retired_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ],
                options={
                    'verbose_name': 'LLM endpoint',
                    'constraints': [models.UniqueConstraint(fields=('key', 'number'), name='an_endpoint_version_once'), models.UniqueConstraint(condition=models.Q(('retired_at', None)), fields=('key',), name='one_version_of_an_endpoint_in_use')],
                },
            ),
            migrations.CreateModel(
                name='LLMPrice',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('llm', models.CharField(max_length=200)),
                    ('prompt', models.DecimalField(decimal_places=4, max_digits=12)),
                    ('answer', models.DecimalField(decimal_places=4, max_digits=12)),
                    ('currency', models.CharField(default='USD', max_length=3)),
                    ('since', models.DateField()),
                    ('added_at', models.DateTimeField()),
                    ('added_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                    ('endpoint', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='prices', to='judging.llmendpoint')),
                    ('is_for_batches', models.BooleanField(default=False)),
                ],
                options={
                    'verbose_name': 'LLM price',
                    'constraints': [models.CheckConstraint(condition=models.Q(('answer__gte', 0), ('prompt__gte', 0)), name='a_price_is_not_below_nothing')],
                },
            ),
            migrations.CreateModel(
                name='HoldOutUse',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('family', models.CharField(blank=True, max_length=60)),
                    ('n_items', models.PositiveIntegerField()),
                    ('reason', models.CharField(blank=True, max_length=300)),
                    ('used_at', models.DateTimeField()),
                    ('hold_out', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='uses', to='annotation.holdout')),
                    ('judge', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='hold_out_uses', to='judging.judge')),
                    ('run', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='hold_out_use', to='judging.judgerun')),
                    ('used_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ],
            ),
            migrations.CreateModel(
                name='SentinelSet',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('margin', models.FloatField()),
                    ('every_days', models.PositiveSmallIntegerField()),
                    ('seed', models.CharField(max_length=64)),
                    ('set_at', models.DateTimeField()),
                    ('retired_at', models.DateTimeField(blank=True, null=True)),
                    ('judge', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='sentinel_sets', to='judging.judge')),
                    ('retired_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                    ('set_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                    ('study', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='sentinel_sets', to='annotation.study')),
                ],
                options={
                    'constraints': [models.UniqueConstraint(condition=models.Q(('retired_at', None)), fields=('study', 'judge'), name='one_sentinel_set_a_judge'), models.CheckConstraint(condition=models.Q(('margin__gt', 0), ('margin__lt', 1)), name='a_margin_is_a_share'), models.CheckConstraint(condition=models.Q(('every_days__gt', 0)), name='sentinels_are_asked_again')],
                },
            ),
            migrations.CreateModel(
                name='Sentinel',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('call', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='judging.judgecall')),
                    ('sentinels', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='members', to='judging.sentinelset')),
                ],
                options={
                    'constraints': [models.UniqueConstraint(fields=('sentinels', 'call'), name='a_sentinel_stands_once')],
                },
            ),
            migrations.CreateModel(
                name='Generation',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('seed', models.CharField(max_length=64)),
                    ('started_at', models.DateTimeField()),
                    ('taken_in_at', models.DateTimeField(blank=True, null=True)),
                    ('started_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                    ('study', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='generations', to='annotation.study')),
                    ('taken_in_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ],
            ),
            migrations.CreateModel(
                name='WrittenReply',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('doubts', django.contrib.postgres.fields.ArrayField(base_field=models.CharField(max_length=20), default=list, size=None)),
                    ('call', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='written_reply', to='judging.judgecall')),
                    ('item', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='written_as', to='annotation.item')),
                ],
                options={
                    'verbose_name_plural': 'written replies',
                },
            ),
            migrations.CreateModel(
                name='LLMGenerator',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('name', models.CharField(max_length=100)),
                    ('system', models.TextField(blank=True)),
                    ('asked', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='generator', to='judging.judge')),
                    ('study', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='generators', to='annotation.study')),
                ],
                options={
                    'verbose_name': 'LLM generator',
                    'constraints': [models.UniqueConstraint(fields=('study', 'name'), name='a_generator_has_a_name_once')],
                },
            ),
            migrations.CreateModel(
                name='RunAnswerer',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('llm', models.TextField()),
                    ('fingerprint', models.TextField(blank=True)),
                    ('first_at', models.DateTimeField(null=True)),
                    ('first_call', models.BigIntegerField()),
                    ('run', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='answerers', to='judging.judgerun')),
                ],
                options={
                    'constraints': [models.UniqueConstraint(fields=('run', 'llm', 'fingerprint'), name='an_answerer_of_a_run_once')],
                },
            ),
            migrations.CreateModel(
                name='LLMBatch',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('key', models.CharField(max_length=32, unique=True)),
                    ('requests', models.JSONField(default=dict)),
                    ('n_calls', models.PositiveIntegerField()),
                    ('n_answered', models.PositiveIntegerField(default=0)),
                    ('state', models.CharField(choices=[('sending', 'Being sent'), ('sent', 'At the endpoint'), ('ended', 'Taken in')], default='sending', max_length=10)),
                    ('ended_as', models.CharField(blank=True, choices=[('completed', 'Completed'), ('expired', 'Not completed in time'), ('cancelled', 'Cancelled'), ('failed', 'Refused by the endpoint'), ('lost', 'No longer there'), ('not_sent', 'Never sent')], max_length=20)),
                    ('problem', models.CharField(blank=True, max_length=100)),
                    ('remote_id', models.CharField(blank=True, max_length=200)),
                    ('made_at', models.DateTimeField()),
                    ('sent_at', models.DateTimeField(blank=True, null=True)),
                    ('look_at', models.DateTimeField()),
                    ('cancel_asked_at', models.DateTimeField(blank=True, null=True)),
                    ('ended_at', models.DateTimeField(blank=True, null=True)),
                    ('run', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='batches', to='judging.judgerun')),
                ],
                options={
                    'verbose_name': 'LLM batch',
                    'verbose_name_plural': 'LLM batches',
                    'indexes': [models.Index(condition=models.Q(('state', 'ended'), _negated=True), fields=['look_at'], name='batches_to_look_at')],
                    'constraints': [models.CheckConstraint(condition=models.Q(models.Q(('ended_at__isnull', False), ('state', 'ended'), models.Q(('ended_as', ''), _negated=True)), models.Q(models.Q(('state', 'ended'), _negated=True), ('ended_as', ''), ('ended_at', None)), _connector='OR'), name='a_batch_that_ended_says_how'), models.CheckConstraint(condition=models.Q(models.Q(('state', 'sent'), _negated=True), models.Q(('remote_id', ''), _negated=True), _connector='OR'), name='a_batch_that_was_sent_has_a_name')],
                },
            ),
            migrations.CreateModel(
                name='ReplyComparison',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('pairing', models.CharField(choices=[('all', 'Every two of different sources'), ('reference', 'Each against those of one source')], default='all', max_length=20)),
                    ('reference', models.CharField(blank=True, max_length=100)),
                    ('most', models.PositiveIntegerField(blank=True, null=True)),
                    ('both_orders', models.BooleanField(default=True)),
                    ('overall', models.BooleanField(default=False)),
                    ('ties', models.BooleanField(default=True)),
                    ('seed', models.CharField(max_length=64)),
                    ('n_pairs', models.PositiveIntegerField()),
                    ('started_at', models.DateTimeField()),
                    ('started_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                    ('study', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='comparisons', to='annotation.study')),
                    ('values', models.BooleanField(default=False)),
                ],
                options={
                    'constraints': [models.CheckConstraint(condition=models.Q(models.Q(('pairing', 'reference'), models.Q(('reference', ''), _negated=True)), models.Q(models.Q(('pairing', 'reference'), _negated=True), ('reference', '')), _connector='OR'), name='a_reference_is_named_where_there_is_one'), models.CheckConstraint(condition=models.Q(('overall', True), ('values', True), _negated=True), name='values_are_on_scales')],
                },
            ),
            migrations.CreateModel(
                name='Preference',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('criterion_key', models.CharField(max_length=50)),
                    ('preferred', models.CharField(blank=True, choices=[('first', 'The first one'), ('second', 'The second one'), ('tie', 'Neither')], max_length=10)),
                    ('unscored', models.CharField(blank=True, choices=[('rated', 'Rated'), ('written', 'Reply written'), ('empty', 'Empty answer'), ('refused', 'Declined to rate'), ('truncated', 'Cut off before an answer'), ('no_answer', 'No answer in the text'), ('ambiguous', 'Several answers'), ('hedged', 'Left in doubt'), ('quoted', 'Only quoted, not said'), ('only_reasoning', 'Reasoning without an answer'), ('schema_invalid', 'Not the JSON asked for'), ('out_of_range', 'Off the scale'), ('too_long', 'Too long for the LLM'), ('request_refused', 'Request refused'), ('endpoint_error', 'Endpoint failed')], max_length=30)),
                    ('edition', models.CharField(max_length=20)),
                    ('read_at', models.DateTimeField()),
                    ('call', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='preferences', to='judging.judgecall')),
                    ('read_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                    ('first_score', models.SmallIntegerField(blank=True, null=True)),
                    ('second_score', models.SmallIntegerField(blank=True, null=True)),
                ],
                options={
                    'constraints': [models.UniqueConstraint(fields=('call', 'criterion_key', 'edition'), name='one_preference_an_edition'), models.CheckConstraint(condition=models.Q(models.Q(('preferred', ''), models.Q(('unscored', ''), _negated=True)), models.Q(models.Q(('preferred', ''), _negated=True), ('unscored', '')), _connector='OR'), name='a_preference_or_why_there_is_none')],
                },
            ),
            migrations.CreateModel(
                name='AnswerPieces',
                fields=[
                    ('call', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='pieces', serialize=False, to='judging.judgecall')),
                    ('pieces', django.contrib.postgres.fields.ArrayField(base_field=models.IntegerField(), size=None)),
                    ('run', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='judging.judgerun')),
                ],
                options={
                    'verbose_name_plural': 'answer pieces',
                    'indexes': [django.contrib.postgres.indexes.GinIndex(fields=['pieces'], name='answers_by_their_pieces')],
                },
            ),
        ),
        *(keep_row(table, columns) for table, columns in MAY_CHANGE.items()),
        migrations.RunSQL(FUNCTION),
        of_event("INSERT"),
        of_event("UPDATE"),
        *(step for table, edition in NOTED.items() for step in edition_of(table, edition)),
    ]
