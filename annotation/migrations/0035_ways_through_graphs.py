"""A rating keeps the way through a graph of questions that led to it."""

from django.db import migrations, models

from accounts.ledger.governed import edition_of


class Migration(migrations.Migration):
    dependencies = [("annotation", "0034_blinded_judges")]

    operations = [
        migrations.AddField(
            model_name="rating",
            name="path",
            field=models.TextField(blank=True, db_default="", default=""),
        ),
        *edition_of("annotation_rating", 2),
    ]
