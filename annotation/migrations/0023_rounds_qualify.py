"""Items whose gold is known are mixed into rounds, and rounds of them qualify raters."""

from django.db import migrations, models

from accounts.ledger.governed import edition_of


class Migration(migrations.Migration):
    dependencies = [("annotation", "0022_disputes")]

    operations = [
        migrations.AddField(
            model_name="round",
            name="pass_percent",
            field=models.PositiveSmallIntegerField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name="rounditem", name="is_gold", field=models.BooleanField(default=False)
        ),
        migrations.AddField(
            model_name="seat", name="n_gold", field=models.PositiveIntegerField(default=0)
        ),
        migrations.AddField(
            model_name="seat", name="n_right", field=models.PositiveIntegerField(default=0)
        ),
        *edition_of("annotation_round", 4),
    ]
