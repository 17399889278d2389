"""A new edition of the agreement has days of grace; when they end is governed with it."""

from django.db import migrations, models

from accounts.ledger.governed import edition_of


class Migration(migrations.Migration):

    dependencies = [("accounts", "0006_api_tokens")]

    operations = [
        migrations.AddField(
            model_name="terms",
            name="resign_by",
            field=models.DateTimeField(blank=True, null=True),
        ),
        *edition_of("accounts_terms", 2),
    ]
