"""Whatever is written to these tables leaves its digests in the ledger."""

from django.db import migrations

from accounts.ledger.governed import first_editions


class Migration(migrations.Migration):
    dependencies = [("judging", "0004_limits_and_probes"), ("accounts", "0005_governed_rows")]

    operations = first_editions(
        "judging", "judging_judge", "judging_probe", "judging_judgecall"
    )
