"""By which links releases leave, reports and verifications are noted in the ledger."""

from django.db import migrations

from accounts.ledger.governed import first_editions


class Migration(migrations.Migration):
    dependencies = [
        ("analytics", "0018_report_files"),
        ("judging", "0022_runs_are_governed"),
    ]

    operations = first_editions(
        "analytics", "analytics_releaselink", "analytics_writeup", "analytics_verification"
    )
