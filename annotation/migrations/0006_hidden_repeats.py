from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("annotation", "0005_quarantine")]

    operations = [
        migrations.AddField(
            model_name="round",
            name="repeat_percent",
            field=models.PositiveSmallIntegerField(default=0),
        ),
        migrations.AddField(
            model_name="assignment",
            name="repeat",
            field=models.PositiveSmallIntegerField(default=1),
        ),
        migrations.RemoveConstraint(model_name="assignment", name="a_slot_is_given_once"),
        migrations.RemoveConstraint(
            model_name="assignment", name="a_rater_rates_an_item_once_a_round"
        ),
        migrations.AddConstraint(
            model_name="assignment",
            constraint=models.UniqueConstraint(
                fields=["round", "item", "slot"],
                condition=models.Q(repeat=1) & ~models.Q(state="released"),
                name="a_slot_is_given_once",
            ),
        ),
        migrations.AddConstraint(
            model_name="assignment",
            constraint=models.UniqueConstraint(
                fields=["round", "item", "rater", "repeat"], name="a_rater_gives_a_repeat_once"
            ),
        ),
    ]
