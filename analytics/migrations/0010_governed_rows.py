"""Whatever is written to these tables leaves its digests in the ledger."""

from django.db import migrations

from accounts.ledger.governed import first_editions


class Migration(migrations.Migration):
    dependencies = [("analytics", "0009_sealed_verdicts"), ("accounts", "0005_governed_rows")]

    operations = first_editions(
        "analytics",
        "analytics_broughtpolicy",
        "analytics_fixedpolicy",
        "analytics_sealedverdicts",
        "analytics_export",
    )
