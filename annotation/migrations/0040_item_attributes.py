"""What a file tells items apart by, besides who wrote the reply; kept and governed with the item."""

from django.db import migrations, models

from accounts.ledger.governed import edition_of


class Migration(migrations.Migration):

    dependencies = [
        ("annotation", "0039_brought_ambiguity"),
    ]

    operations = [
        migrations.AddField(
            model_name="item",
            name="attributes",
            field=models.JSONField(blank=True, default=dict),
        ),
        *edition_of("annotation_item", 2),
    ]
