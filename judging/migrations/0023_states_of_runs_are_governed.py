"""How far a run is, what it has used, and what is at an endpoint in batches are noted in the ledger."""

from django.db import migrations

from accounts.ledger.governed import edition_of, first_editions


class Migration(migrations.Migration):
    dependencies = [
        ("judging", "0022_runs_are_governed"),
    ]

    operations = [
        *edition_of("judging_judgerun", 2),
        *first_editions("judging", "judging_llmbatch"),
    ]
