"""Columns of packed answers, and the list of what changed since, which the database writes."""

from collections.abc import Iterator

import django.db.models.deletion
from django.db import migrations, models

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


def listing(table: str, rows: str) -> Iterator[migrations.RunSQL]:
    yield migrations.RunSQL(
        FUNCTION.format(table=table, rows=rows), f"DROP FUNCTION {table}_changed()"
    )
    for event, rows_of in EVENTS.items():
        name = f"list_{event.lower()}"
        yield migrations.RunSQL(
            f"CREATE TRIGGER {name} AFTER {event} ON {table} REFERENCING {rows_of} TABLE AS changed"
            f" FOR EACH STATEMENT EXECUTE FUNCTION {table}_changed()",
            f"DROP TRIGGER {name} ON {table}",
        )


class Migration(migrations.Migration):
    dependencies = [
        ("analytics", "0003_parts"),
        ("annotation", "0006_hidden_repeats"),
    ]

    operations = [
        migrations.CreateModel(
            name="Change",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("study_id", models.BigIntegerField(db_index=True)),
                ("item_id", models.BigIntegerField()),
                ("rater_id", models.BigIntegerField()),
            ],
        ),
        migrations.CreateModel(
            name="PackedStudy",
            fields=[
                (
                    "study",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="packed",
                        serialize=False,
                        to="annotation.study",
                    ),
                ),
                ("edition", models.PositiveIntegerField()),
                ("items", models.BinaryField()),
                ("words", models.JSONField()),
            ],
            options={"verbose_name_plural": "packed studies"},
        ),
        migrations.CreateModel(
            name="PackedColumn",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("rater_id", models.BigIntegerField()),
                ("repeat", models.PositiveIntegerField()),
                ("cells", models.BinaryField()),
                (
                    "study",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="packed_columns",
                        to="annotation.study",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=("study", "rater_id", "repeat"), name="one_column_a_repeat"
                    )
                ],
            },
        ),
        # Codes barely compress, and are written as a whole.
        migrations.RunSQL(
            "ALTER TABLE analytics_packedcolumn ALTER COLUMN cells SET STORAGE EXTERNAL",
            migrations.RunSQL.noop,
        ),
        *(step for table, rows in LISTS.items() for step in listing(table, rows)),
    ]
