"""What raters say beside a value may have a rationale, and words that a judge quotes from no text."""

import django.contrib.postgres.fields
from django.db import migrations, models
from django.db.models.functions import Length
from django.db.models.lookups import LessThanOrEqual

from accounts.ledger.governed import edition_of


class Migration(migrations.Migration):

    dependencies = [
        ("annotation", "0043_descriptions_by_language"),
    ]

    operations = [
        migrations.AddField(
            model_name="ratinggrounds",
            name="unverified",
            field=django.contrib.postgres.fields.ArrayField(
                base_field=models.TextField(), blank=True, default=list, size=None
            ),
        ),
        migrations.AddField(
            model_name="ratinggrounds",
            name="rationale",
            field=models.TextField(blank=True, default=""),
        ),
        migrations.RemoveConstraint(model_name="ratinggrounds", name="grounds_say_something"),
        migrations.AddConstraint(
            model_name="ratinggrounds",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("confidence__isnull", False),
                    models.Q(("defensible", []), _negated=True),
                    models.Q(("evidence", []), _negated=True),
                    models.Q(("unverified", []), _negated=True),
                    models.Q(("rationale", ""), _negated=True),
                    _connector="OR",
                ),
                name="grounds_say_something",
            ),
        ),
        migrations.AddConstraint(
            model_name="ratinggrounds",
            constraint=models.CheckConstraint(
                condition=LessThanOrEqual(Length("rationale"), 2000), name="a_rationale_has_an_end"
            ),
        ),
        *edition_of("annotation_ratinggrounds", 2),
    ]
