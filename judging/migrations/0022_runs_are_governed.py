"""What a run asks whom, and who answered in it, are noted in the ledger."""

from django.db import migrations

from accounts.ledger.governed import first_editions


class Migration(migrations.Migration):
    dependencies = [
        ("judging", "0021_price_of_cached"),
        ("annotation", "0049_studies_are_governed"),
    ]

    operations = first_editions("judging", "judging_judgerun", "judging_runanswerer")
