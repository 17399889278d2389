"""What raters hold against decisions; the database keeps the words of both sides."""

import django.db.models.deletion
import django.db.models.functions.text
import django.db.models.lookups
from django.conf import settings
from django.db import migrations, models

from accounts.ledger.governed import first_editions

TABLE = "annotation_dispute"
MAY_CHANGE = "'answer', 'answered_at', 'answered_by_id'"


def at_most(name: str) -> django.db.models.lookups.LessThanOrEqual:
    return django.db.models.lookups.LessThanOrEqual(
        django.db.models.functions.text.Length(name), 10000
    )


class Migration(migrations.Migration):
    dependencies = [
        ("annotation", "0021_changes_of_rubrics"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="Dispute",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("text", models.TextField()),
                ("raised_at", models.DateTimeField()),
                ("answer", models.TextField(blank=True)),
                ("answered_at", models.DateTimeField(blank=True, null=True)),
                (
                    "answered_by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "rater",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="annotation.rater",
                    ),
                ),
                (
                    "round_item",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="disputes",
                        to="annotation.rounditem",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=("round_item", "rater"), name="a_rater_disputes_a_decision_once"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("text", ""), _negated=True), name="a_dispute_says_why"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(at_most("text"), at_most("answer")),
                        name="a_dispute_has_an_end",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(
                                ("answer", ""),
                                ("answered_at__isnull", True),
                                ("answered_by__isnull", True),
                            ),
                            models.Q(
                                models.Q(("answer", ""), _negated=True),
                                ("answered_at__isnull", False),
                                ("answered_by__isnull", False),
                            ),
                            _connector="OR",
                        ),
                        name="a_dispute_is_answered_in_words",
                    ),
                ]
            },
        ),
        migrations.RunSQL(
            f"CREATE TRIGGER keep_row BEFORE UPDATE OR DELETE ON {TABLE}"
            f" FOR EACH ROW EXECUTE FUNCTION annotation_keep_row({MAY_CHANGE})",
            f"DROP TRIGGER keep_row ON {TABLE}",
        ),
        *first_editions("annotation", TABLE),
    ]
