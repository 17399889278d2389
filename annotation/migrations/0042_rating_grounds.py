"""What raters say beside their values, kept and governed as ratings are."""

import django.contrib.postgres.fields
import django.db.models.deletion
from django.db import migrations, models

from accounts.ledger.governed import first_editions


class Migration(migrations.Migration):

    dependencies = [
        ("annotation", "0041_ways_of_decisions"),
    ]

    operations = [
        migrations.CreateModel(
            name="RatingGrounds",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("criterion_key", models.CharField(max_length=60)),
                ("confidence", models.PositiveSmallIntegerField(blank=True, null=True)),
                (
                    "defensible",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.CharField(max_length=60), blank=True, default=list, size=None
                    ),
                ),
                (
                    "evidence",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.CharField(max_length=30), blank=True, default=list, size=None
                    ),
                ),
                (
                    "submission",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="grounds",
                        to="annotation.submission",
                    ),
                ),
            ],
            options={
                "verbose_name_plural": "rating grounds",
                "constraints": [
                    models.UniqueConstraint(
                        fields=("submission", "criterion_key"), name="grounds_of_a_rating_once"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("confidence__isnull", False),
                            models.Q(("defensible", []), _negated=True),
                            models.Q(("evidence", []), _negated=True),
                            _connector="OR",
                        ),
                        name="grounds_say_something",
                    ),
                ],
            },
        ),
        migrations.RunSQL(
            "CREATE TRIGGER keep_row BEFORE UPDATE OR DELETE ON annotation_ratinggrounds"
            " FOR EACH ROW EXECUTE FUNCTION annotation_keep_row()",
            "DROP TRIGGER keep_row ON annotation_ratinggrounds",
        ),
        *first_editions("annotation", "annotation_ratinggrounds"),
    ]
