"""A decision says where the disagreement came from, may call it ambiguous, and may be made anew."""

import django.contrib.postgres.fields
import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

from accounts.ledger.governed import edition_of

CODES = ["rubric", "text", "context", "slip", "other"]
OF_A_CASE = ["adjudication", "revision", "remark"]


class Migration(migrations.Migration):
    dependencies = [
        ("annotation", "0017_care"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.RemoveConstraint(model_name="adjudication", name="an_item_is_decided_once"),
        migrations.AddField(
            model_name="adjudication",
            name="code",
            field=models.CharField(
                max_length=20, choices=[(code, code) for code in CODES], default="other"
            ),
        ),
        migrations.AddField(
            model_name="adjudication",
            name="ambiguous",
            field=django.contrib.postgres.fields.ArrayField(
                base_field=models.CharField(max_length=60), default=list, size=None
            ),
        ),
        migrations.AddField(
            model_name="adjudication",
            name="supersedes",
            field=models.OneToOneField(
                null=True,
                blank=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="superseded_by",
                to="annotation.adjudication",
            ),
        ),
        migrations.AddConstraint(
            model_name="adjudication",
            constraint=models.UniqueConstraint(
                fields=("round", "item"),
                condition=models.Q(("supersedes__isnull", True)),
                name="an_item_is_decided_once",
            ),
        ),
        migrations.AddConstraint(
            model_name="adjudication",
            constraint=models.CheckConstraint(
                name="a_decision_s_code_is_known", condition=models.Q(("code__in", CODES))
            ),
        ),
        migrations.RemoveConstraint(model_name="draft", name="one_draft_a_case"),
        migrations.RemoveConstraint(model_name="draft", name="a_draft_is_of_one_form"),
        migrations.AlterField(
            model_name="draft",
            name="form",
            field=models.CharField(
                max_length=20,
                choices=[
                    ("rating", "Rating"),
                    ("correction", "Correction"),
                    ("adjudication", "Adjudication"),
                    ("revision", "Revision"),
                    ("remark", "Discussion"),
                ],
            ),
        ),
        migrations.AddConstraint(
            model_name="draft",
            constraint=models.UniqueConstraint(
                fields=("round_item", "form", "user"), name="one_draft_a_case"
            ),
        ),
        migrations.AddConstraint(
            model_name="draft",
            constraint=models.CheckConstraint(
                name="a_draft_is_of_one_form",
                condition=models.Q(
                    models.Q(
                        ("assignment__isnull", True),
                        ("form__in", OF_A_CASE),
                        ("round_item__isnull", False),
                    ),
                    models.Q(
                        ("assignment__isnull", False),
                        ("form__in", ["rating", "correction"]),
                        ("round_item__isnull", True),
                    ),
                    _connector="OR",
                ),
            ),
        ),
        *edition_of("annotation_adjudication", 2),
    ]
