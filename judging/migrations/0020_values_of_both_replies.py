"""A judge may be asked for a value of each of two replies, of which the higher is preferred."""

from django.db import migrations, models

from accounts.ledger.governed import edition_of


class Migration(migrations.Migration):
    dependencies = [("judging", "0019_answer_pieces")]

    operations = [
        migrations.AddField(
            model_name="replycomparison",
            name="values",
            field=models.BooleanField(default=False),
        ),
        migrations.AddField(
            model_name="preference",
            name="first_score",
            field=models.SmallIntegerField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name="preference",
            name="second_score",
            field=models.SmallIntegerField(blank=True, null=True),
        ),
        migrations.AddConstraint(
            model_name="replycomparison",
            constraint=models.CheckConstraint(
                condition=models.Q(("overall", True), ("values", True), _negated=True),
                name="values_are_on_scales",
            ),
        ),
        *edition_of("judging_replycomparison", 2),
        *edition_of("judging_preference", 2),
    ]
