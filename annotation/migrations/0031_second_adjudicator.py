import django.db.models.deletion
import django.db.models.functions.text
import django.db.models.lookups
from django.conf import settings
from django.db import migrations, models

from accounts.ledger.governed import first_editions

STATES = ["rating", "agreed", "disagreed", "reviewed", "discussed", "consensus", "second", "split", "adjudicated"]
CODES = ["rubric", "text", "context", "slip", "other"]


class Migration(migrations.Migration):

    dependencies = [
        ("annotation", "0030_letter_choice"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.RemoveConstraint(model_name="rounditem", name="item_state_is_known"),
        migrations.AlterField(
            model_name="rounditem",
            name="state",
            field=models.CharField(
                choices=[(state, state) for state in STATES], default="rating", max_length=20
            ),
        ),
        migrations.AddConstraint(
            model_name="rounditem",
            constraint=models.CheckConstraint(
                condition=models.Q(("state__in", STATES)), name="item_state_is_known"
            ),
        ),
        migrations.CreateModel(
            name="Opinion",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("decided_at", models.DateTimeField()),
                ("values", models.JSONField()),
                ("reason", models.TextField()),
                ("code", models.CharField(choices=[(code, code) for code in CODES], max_length=20)),
                (
                    "decided_by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "round_item",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="opinions",
                        to="annotation.rounditem",
                    ),
                ),
            ],
        ),
        migrations.AddConstraint(
            model_name="opinion",
            constraint=models.UniqueConstraint(
                fields=("round_item", "decided_by"), name="an_adjudicator_has_one_opinion"
            ),
        ),
        migrations.AddConstraint(
            model_name="opinion",
            constraint=models.CheckConstraint(
                condition=models.Q(("code__in", CODES)), name="an_opinion_s_code_is_known"
            ),
        ),
        migrations.AddConstraint(
            model_name="opinion",
            constraint=models.CheckConstraint(
                condition=models.Q(("reason", ""), _negated=True), name="an_opinion_has_a_reason"
            ),
        ),
        migrations.AddConstraint(
            model_name="opinion",
            constraint=models.CheckConstraint(
                condition=django.db.models.lookups.LessThanOrEqual(
                    django.db.models.functions.text.Length("reason"), 10000
                ),
                name="an_opinion_s_reason_has_an_end",
            ),
        ),
        migrations.RunSQL(
            "CREATE TRIGGER keep_row BEFORE UPDATE OR DELETE ON annotation_opinion"
            " FOR EACH ROW EXECUTE FUNCTION annotation_keep_row()",
            "DROP TRIGGER keep_row ON annotation_opinion",
        ),
        *first_editions("annotation", "annotation_opinion"),
    ]
