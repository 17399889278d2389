"""Who answered the calls of each run is noted by the database as they end, once for all of them.

It reads all calls there are, once: about two seconds for a million.
"""

import django.db.models.deletion
from django.db import migrations, models

NOTE = """
INSERT INTO judging_runanswerer AS known (run_id, llm, fingerprint, first_at, first_call)
SELECT run_id, answered_llm, coalesce(answered_fingerprint, ''), min(answered_at), min(id)
FROM {calls}
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
    {NOTE.format(calls="ended")};
    RETURN NULL;
END $$
"""
TRIGGER = """
CREATE TRIGGER note_answerers_{event} AFTER {event} ON judging_judgecall
REFERENCING NEW TABLE AS ended FOR EACH STATEMENT EXECUTE FUNCTION judging_note_answerers()
"""


def of_event(event: str) -> migrations.RunSQL:
    undo = f"DROP TRIGGER note_answerers_{event} ON judging_judgecall"
    return migrations.RunSQL(TRIGGER.format(event=event), undo)


class Migration(migrations.Migration):
    dependencies = [("judging", "0015_generations")]

    operations = [
        migrations.CreateModel(
            name="RunAnswerer",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("llm", models.TextField()),
                ("fingerprint", models.TextField(blank=True)),
                ("first_at", models.DateTimeField(null=True)),
                ("first_call", models.BigIntegerField()),
                (
                    "run",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="answerers",
                        to="judging.judgerun",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=("run", "llm", "fingerprint"), name="an_answerer_of_a_run_once"
                    )
                ],
            },
        ),
        migrations.RunSQL(NOTE.format(calls="judging_judgecall"), migrations.RunSQL.noop),
        migrations.RunSQL(FUNCTION, "DROP FUNCTION judging_note_answerers()"),
        of_event("INSERT"),
        of_event("UPDATE"),
    ]
