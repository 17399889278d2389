"""Tokens for programs that look after a study."""

import django.contrib.postgres.fields
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [("accounts", "0007_grace")]

    operations = [
        migrations.AlterField(
            model_name="apitoken",
            name="scopes",
            field=django.contrib.postgres.fields.ArrayField(
                base_field=models.CharField(
                    choices=[
                        ("read", "Read studies, rounds, runs and figures"),
                        ("work", "Rate items: read what is to be rated, and submit"),
                        ("release", "Read ratings and gold; build releases and download them"),
                        ("people", "Read who is on the team"),
                        (
                            "steer",
                            "Change teams, open and close rounds, set items aside, rule on disclosure",
                        ),
                    ],
                    max_length=20,
                ),
                size=None,
            ),
        ),
    ]
