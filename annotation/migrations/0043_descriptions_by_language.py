"""What a study is about, in any language; what was written before is taken to be in that of its dialogues."""

from django.db import migrations, models

KEEP = """
    UPDATE annotation_study SET descriptions = jsonb_build_object(language, description)
    WHERE description <> ''
"""
GO_BACK = """
    UPDATE annotation_study SET description =
        coalesce((SELECT string_agg(value, E'\n\n' ORDER BY key) FROM jsonb_each_text(descriptions)), '')
"""


class Migration(migrations.Migration):

    dependencies = [
        ("annotation", "0042_rating_grounds"),
    ]

    operations = [
        migrations.AddField(
            model_name="study",
            name="descriptions",
            field=models.JSONField(blank=True, default=dict),
        ),
        migrations.RunSQL(KEEP, GO_BACK),
        migrations.RemoveField(model_name="study", name="description"),
    ]
